/*
 * Events of a file, and what must hold between them: operations, blocks,
 * threads, stores that wait.
 */
#include "model/trace_file_int.h"

#include <inttypes.h>
#include <string.h>

/* Operations. */

static struct op_state *op_of(struct trace_reader *r, uint32_t op,
                              uint32_t thread) {
  bool fresh;
  uint32_t *at = map128_put(&r->op_of, hash128(&op, sizeof op, 0), &fresh);
  if (fresh) {
    *at = r->ops.len;
    vec_push(&r->ops, ((struct op_state){op, thread, NOT_RETURNED}));
  }
  return &r->ops.at[*at];
}

static int check_op(struct trace_reader *r, const struct event *e) {
  if (e->call == EVENT_NO_CALL)
    return e->kind == EV_CALL || e->kind == EV_RETURN
               ? trace_fail(r, "%s without \"op\"", event_word[e->kind])
               : 0;
  uint32_t *running = &r->running[e->thread], known = r->ops.len;
  struct op_state *o = op_of(r, e->call, e->thread);
  uint32_t number = (uint32_t)(o - r->ops.at) + 1;
  if (o->thread != e->thread) /* T1 */
    return trace_fail(r, "operation %" PRIu32 " belongs to thread %" PRIu32,
                      e->call, o->thread);
  if (o->returned) /* T2 */
    return trace_fail(r, "operation %" PRIu32 " has returned in line %" PRIu32,
                      e->call, o->returned);
  if (number <= known && *running != number) /* T1 */
    return trace_fail(r,
                      "operation %" PRIu32 " goes on after thread %" PRIu32
                      " has begun another",
                      e->call, o->thread);
  *running = number;
  if (e->kind == EV_RETURN)
    o->returned = r->line;
  return 0;
}

static int get_name(struct trace_reader *r, const struct json_node *o,
                    const struct event *e) {
  const char *name = NULL;
  int err = trace_get_text(r, o, "name", &name);
  if (err || !name || e->kind != EV_CALL)
    return err;
  if (e->call > 1000000)
    return trace_fail(r, "the number of a named operation is above 1000000");
  while (r->op_names.len <= e->call)
    vec_push(&r->op_names, NULL);
  r->op_names.at[e->call] = name;
  return 0;
}

/* Lines. */

static int get_kind(struct trace_reader *r, const char *type, uint8_t *kind) {
  for (uint32_t k = 0; k < EV_COUNT; k++)
    if (!strcmp(event_word[k], type)) {
      *kind = (uint8_t)k;
      return 0;
    }
  return trace_fail(r, "unknown type \"%.40s\"", type);
}

static void get_values(const struct json_node *o, struct event *e) {
  const struct json_node *value = json_get(o, "value");
  const struct json_node *old = json_get(o, "old");
  e->flags = 0;
  if (json_is(value, JSON_WHOLE))
    e->value[0] = (uint64_t)value->number;
  else
    e->flags |= EVENT_NO_VALUE;
  if (json_is(old, JSON_WHOLE))
    e->old[0] = (uint64_t)old->number;
  else
    e->flags |= EVENT_NO_OLD;
}

/* Blocks and threads. */

static int check_block(struct trace_reader *r, const struct event *e) { /* T4 */
  if (e->kind == EV_TXN_BEGIN && !r->depth[e->thread]++)
    r->begin_line[e->thread] = r->line;
  if (e->kind == EV_TXN_END && !r->depth[e->thread]--) {
    r->depth[e->thread] = 0;
    return trace_fail(r, "end without begin in thread %u", e->thread);
  }
  return 0;
}

int trace_check_blocks_end(struct trace_reader *r) {
  for (uint32_t t = 0; t < 256; t++)
    if (r->depth[t]) {
      r->line = r->begin_line[t];
      return trace_fail(r, "begin without end in thread %" PRIu32, t);
    }
  return 0;
}

static int check_thread(struct trace_reader *r, const struct event *e) {
  r->seen[e->thread] = true;
  if ((e->kind != EV_CREATE && e->kind != EV_JOIN) ||
      (e->flags & EVENT_NO_VALUE))
    return 0;
  if (e->value[0] > UINT8_MAX || (e->kind == EV_JOIN && !r->seen[e->value[0]]))
    return trace_fail(r, "%s: unknown thread %" PRIu64, event_word[e->kind],
                      e->value[0]);
  r->seen[e->value[0]] = true;
  return 0;
}

/* Stores that wait. */

static int get_issued(struct trace_reader *r, const struct json_node *o,
                      struct event *e) {
  const struct json_node *issued = json_get(o, "issued");
  if (issued && !json_is(issued, JSON_BOOLEAN))
    return trace_fail(r, "\"issued\" is neither true nor false");
  if (json_is_true(json_get(o, "forwarded")))
    e->flags |= EVENT_FORWARDED;
  if (!vec_last(&r->traces).about.tso ||
      (e->kind != EV_WRITE && e->kind != EV_ATOMIC_WRITE) ||
      (issued && !issued->number))
    return 0;
  e->flags |= EVENT_ISSUED;
  vec_push(&r->stores[e->thread], r->events.len);
  return 0;
}

static int read_commit(struct trace_reader *r, const struct json_node *o,
                       uint8_t thread) {
  struct event given = {.kind = EV_COMMIT};
  if (!vec_last(&r->traces).about.tso)
    return trace_fail(
        r, "commit in a trace whose header has no \"memory\":\"tso\"");
  if (r->committed[thread] == r->stores[thread].len)
    return trace_fail(
        r, "commit without issue: no store of thread %u is in its buffer",
        thread);
  uint32_t issue = r->stores[thread].at[r->committed[thread]++]; /* T5 */
  struct event e = r->events.at[issue];
  bool named = json_get(o, "addr") || json_get(o, "var");
  int err = named ? trace_get_memory(r, o, &given) : 0;
  if (!err && named && given.addr != e.addr)
    err =
        trace_fail(r, "commit of a store that is not the oldest in the buffer");
  e.kind = EV_COMMIT;
  e.step = r->events.len;
  e.flags &= ~EVENT_ISSUED;
  e.issue = issue;
  if (!err)
    vec_push(&r->events, e);
  return err;
}

int trace_read_event(struct trace_reader *r, const struct json_node *o,
                     const char *type) {
  struct event e = {.step = r->events.len, .call = EVENT_NO_CALL};
  uint64_t thread = 0, op = EVENT_NO_CALL;
  int err = get_kind(r, type, &e.kind);
  if (!err && !json_get(o, "thread"))
    err = trace_fail(r, "%s without \"thread\"", type);
  if (!err)
    err = trace_get_number(r, o, "thread", UINT8_MAX, &thread);
  if (!err)
    err = trace_get_number(r, o, "op", EVENT_NO_CALL - 1, &op);
  e.thread = (uint8_t)thread;
  e.call = (uint32_t)op;
  if (!err && e.kind == EV_COMMIT)
    return read_commit(r, o, e.thread);
  if (!err)
    err = check_op(r, &e);
  if (!err)
    err = check_block(r, &e);
  if (!err)
    err = get_name(r, o, &e);
  if (!err)
    err = trace_get_memory(r, o, &e);
  if (!err)
    err = trace_get_place(r, o, &e.pc);
  if (!err)
    err = trace_get_calls(r, o, &e.chain);
  if (!err)
    err = trace_get_activations(r, o, &e);
  if (err)
    return err;
  get_values(o, &e);
  err = check_thread(r, &e);
  if (!err)
    err = get_issued(r, o, &e);
  if (!err)
    vec_push(&r->events, e);
  return err;
}
