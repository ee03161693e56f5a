/*
 * Names, calls and returns, times: what one event needs of others.  Memory is
 * that of the processes, and one bit for each id of an operation.
 */
#include "history/read/pair.h"
#include "history/read/jepsen.h"
#include "history/read/token.h"

#include <inttypes.h>
#include <stdlib.h>

/* Greater ids are only compared between a call and its return. */
#define IDS_MAX (UINT64_C(1) << 27)

int name_number(struct reader *r, const char *text, size_t len) {
  for (uint32_t i = 0; i < r->names.len; i++)
    if (r->names.at[i].len == len && *r->names.at[i].text == *text &&
        !memcmp(r->names.at[i].text, text, len))
      return (int)i;
  if (r->names.len == NAMES_MAX || memchr(text, 0, len) || !is_utf8(text, len))
    return -1;
  char *copy = arena_alloc(&r->arena, len + 1);
  memcpy(copy, text, len);
  /* No masked word equals 1: quick_name never finds a long name. */
  struct reader_name n = {copy, (uint32_t)len, jepsen_name_kind(copy), 1, 0};
  if (len <= 8) {
    n.word = 0;
    memcpy(&n.word, copy, len);
    memset(&n.mask, 0xff, len);
  }
  vec_push(&r->names, n);
  return (int)r->names.len - 1;
}

int bad_name(struct reader *r, const char *at) {
  if (r->names.len == NAMES_MAX)
    return reader_bad(r, at, "expected at most %d different operations",
                      NAMES_MAX);
  return reader_bad(r, at, "expected the name of an operation");
}

static bool reader_calls_is_free(const struct reader_call *c) {
  return !c->used;
}
static bool reader_calls_has(void *ctx, const struct reader_call *c,
                             uint32_t process) {
  (void)ctx;
  return c->process == process;
}
static uint32_t reader_calls_rehash(void *ctx, const struct reader_call *c) {
  return reader_calls_hash(ctx, c->process);
}
TABLE_CODE(reader_calls, struct reader_call, uint32_t, 2)

static struct reader_call *call_of(struct reader *r, uint32_t process) {
  struct reader_call *c = reader_calls_put(&r->calls, NULL, process);
  if (!c->used) {
    *c = (struct reader_call){.process = process, .used = true};
    r->calls.len++;
  }
  return c;
}

void forget_history(struct reader *r) {
  reader_calls_clear(&r->calls);
  vec_clear(&r->ids);
  r->some_time = r->some_index = false;
}

static bool id_is_new(struct reader *r, uint64_t id) {
  if (id >= IDS_MAX)
    return true;
  uint32_t word = (uint32_t)(id / 64);
  if (word >= r->ids.len) {
    vec_reserve(&r->ids, word + 1);
    memset(r->ids.at + r->ids.len, 0,
           (word + 1 - r->ids.len) * sizeof *r->ids.at);
    r->ids.len = word + 1;
  }
  uint64_t bit = UINT64_C(1) << id % 64;
  bool is_new = !(r->ids.at[word] & bit);
  r->ids.at[word] |= bit;
  return is_new;
}

int pair_call(struct reader *r, const char *at, uint32_t process, uint16_t name,
              uint64_t id, struct reader_call **out) {
  struct reader_call *c = call_of(r, process);
  const char *f = r->names.at[name].text;
  if (c->open)
    return reader_refuse(r, at,
                         "process %" PRIu32 " calls %s before its %s of line "
                         "%" PRIu32 " has returned",
                         process, f, r->names.at[c->name].text, c->line);
  if (c->crashed)
    return reader_refuse(r, at,
                         "process %" PRIu32 " calls %s, but its %s of line "
                         "%" PRIu32 " never returns: a process that goes on "
                         "after that needs a new number",
                         process, f, r->names.at[c->name].text, c->line);
  if (id != NO_ID && !id_is_new(r, id))
    return reader_refuse(r, at, "operation %" PRIu64 " is called a second time",
                         id);
  call_begins(c, name, r->form_line, id);
  *out = c;
  return GOT;
}

int pair_end(struct reader *r, const char *at, uint32_t process, int name,
             uint64_t id, bool crashes, struct reader_call **out) {
  struct reader_call *c = call_of(r, process);
  if (!c->open && name < 0 && id == process) /* the file has no processes */
    return reader_refuse(
        r, at, "operation %" PRIu64 " returns, but was not called", id);
  if (!c->open)
    return reader_refuse(
        r, at, "process %" PRIu32 " returns%s%s, but has not called", process,
        name >= 0 ? " from " : "", name >= 0 ? r->names.at[name].text : "");
  if (name >= 0 && name != c->name)
    return reader_refuse(r, at,
                         "process %" PRIu32 " returns from %s, but has called "
                         "%s in line %" PRIu32,
                         process, r->names.at[name].text,
                         r->names.at[c->name].text, c->line);
  if (id != NO_ID && c->id != NO_ID && id != c->id)
    return reader_refuse(r, at,
                         "process %" PRIu32 " returns from operation %" PRIu64
                         ", but has called operation %" PRIu64
                         " in line %" PRIu32,
                         process, id, c->id, c->line);
  c->open = false;
  c->crashed = crashes;
  *out = c;
  return GOT;
}

/* The order of events is that of the file; times and indices must agree. */
int check_time(struct reader *r, const char *at, int64_t time, int64_t index) {
  if (index != NO_STAMP) {
    if (r->some_index && index <= r->last_index)
      return reader_refuse(r, at,
                           "index %" PRId64 " comes after index %" PRId64
                           ": events must be in the order of time",
                           index, r->last_index);
    r->some_index = true;
    r->last_index = index;
  } else if (time != NO_STAMP) {
    if (r->some_time && time < r->last_time)
      return reader_refuse(r, at,
                           "time %" PRId64 " comes after time %" PRId64
                           ": events must be in the order of time",
                           time, r->last_time);
    r->some_time = true;
    r->last_time = time;
  }
  return GOT;
}
