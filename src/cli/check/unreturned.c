/*
 * Operations of a file that never return, without an event that says so.  They
 * stay open while the file is read, and an operation that is open for long
 * needs much memory.  So when one is open for long, the file is read once to
 * its end to find all of them.  From then on they are known to be pending for
 * ever.  The verdict is the same.
 */
#include "cli/check/unreturned.h"

#include "base/clock.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { LONG = 1 << 12 }; /* events that an operation is open */

static void open_free(struct open_calls *o) {
  vec_free(&o->at);
  free(o->places.slots);
  *o = (struct open_calls){0};
}

void unreturned_free(struct unreturned *u) {
  open_free(&u->open);
  vec_free(&u->never);
}

static bool is_end(const struct log_event *ev) {
  return ev->kind == LOG_OK || ev->kind == LOG_FAIL || ev->kind == LOG_DROP ||
         ev->kind == LOG_INFO;
}

static void close_call(struct open_calls *o, uint32_t process) {
  uint32_t k = value_map_get(&o->places, datum_number(process));
  if (k == WATCH_NONE)
    return;
  struct open_call last = vec_pop(&o->at);
  value_map_drop(&o->places, datum_number(process));
  if (k == o->at.len)
    return;
  o->at.at[k] = last;
  value_map_put(&o->places, datum_number(last.process), k);
}

/* False: the process has an open operation already, an error of the file. */
static bool follow(struct open_calls *o, const struct log_event *ev,
                   uint64_t event) {
  if (is_end(ev))
    close_call(o, ev->process);
  if (ev->kind != LOG_CALL)
    return true;
  if (value_map_get(&o->places, datum_number(ev->process)) != WATCH_NONE)
    return false;
  value_map_put(&o->places, datum_number(ev->process), o->at.len);
  vec_push(&o->at, ((struct open_call){ev->process, event}));
  return true;
}

static int by_event(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

static void take_open(struct unreturned *u, struct open_calls *o) {
  for (uint32_t i = 0; i < o->at.len; i++)
    vec_push(&u->never, o->at.at[i].event);
  open_free(o);
}

static void look_ahead(struct unreturned *u, struct reader *r,
                       double deadline) {
  struct open_calls open = {0};
  struct log_event ev;
  struct error e;
  uint64_t events = 0;
  int got;
  e.code = ERR_NONE;
  while ((got = reader_next(r, &ev, &e)) == 1) {
    if (ev.kind == LOG_HEAD)
      take_open(u, &open);
    if (!follow(&open, &ev, ++events))
      break;
    if (deadline > 0 && events % LONG == 0 && clock_now() > deadline)
      break;
  }
  take_open(u, &open);
  if (got) /* an error, which is reported when reading comes to it; or --time */
    vec_clear(&u->never);
  if (u->never.len)
    qsort(u->never.at, u->never.len, sizeof *u->never.at, by_event);
}

static bool is_open_for_long(const struct unreturned *u, uint64_t event) {
  if (event % LONG)
    return false;
  for (uint32_t i = 0; i < u->open.at.len; i++)
    if (event - u->open.at.at[i].event >= LONG)
      return true;
  return false;
}

bool unreturned_follow(struct unreturned *u, const struct log_event *ev,
                       uint64_t event, const char *path,
                       const struct check_settings *s) {
  struct stat st;
  struct error e;
  if (u->known)
    return false;
  if (ev->kind == LOG_HEAD)
    open_free(&u->open);
  bool looks = follow(&u->open, ev, event) && is_open_for_long(u, event);
  if (!looks)
    return false;
  u->known = true;
  e.code = ERR_NONE;
  if (stat(path, &st) || !S_ISREG(st.st_mode))
    return false;
  struct reader *r = reader_open(path, (enum read_format)s->format, &e);
  if (!r)
    return false;
  look_ahead(u, r, s->deadline);
  reader_close(r);
  return true;
}

bool unreturned_has(const struct unreturned *u, uint64_t event) {
  return u->never.len && bsearch(&event, u->never.at, u->never.len,
                                 sizeof *u->never.at, by_event);
}
