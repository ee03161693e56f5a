/* What recognisers ask of events; nobody else includes this. */
#ifndef LOCATE_KINDS_INT_H
#define LOCATE_KINDS_INT_H

#include "locate/kinds.h"

struct kind_query {
  const struct kind_trace *t;
  const struct decisions *d;
  struct kind_matches *out;
};

static inline const struct event *event_at(const struct kind_query *q,
                                           uint32_t i) {
  return &q->t->trace->events[i];
}
static inline uint32_t events_of(const struct kind_query *q) {
  return q->t->trace->nevents;
}

/* Reads memory and what was read is known. */
static inline bool is_known_read(const struct event *e) {
  return event_reads[e->kind] && e->kind != EV_FUTEX_WAIT &&
         !(e->flags & EVENT_NO_VALUE);
}
/* Only reads. */
static inline bool is_plain_read(const struct event *e) {
  return (e->kind == EV_READ || e->kind == EV_ATOMIC_READ) && is_known_read(e);
}
static inline bool is_write(const struct event *e) {
  return event_writes[e->kind] && e->kind != EV_FREE && e->kind != EV_COMMIT;
}
/* What a read, also that of a read-modify-write, gave. */
static inline const uint64_t *value_read(const struct event *e) {
  return event_writes[e->kind] ? e->old : e->value;
}
static inline bool equal_values(const uint64_t a[2], const uint64_t b[2]) {
  return a[0] == b[0] && a[1] == b[1];
}
static inline bool same_spot(const struct event *a, const struct event *b) {
  return a->addr == b->addr && a->size == b->size;
}
static inline bool overlaps(const struct event *a, const struct event *b) {
  return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}
static inline bool same_call(const struct event *a, const struct event *b) {
  return a->thread == b->thread && a->call == b->call;
}
/* Of a call of one of the client's threads. */
static inline bool is_concurrent(const struct event *e) {
  return e->thread && e->call != EVENT_NO_CALL;
}

/* The last write to the spot of `of` in (from, to) by another thread than
 * `thread`, or KIND_NO_EVENT. */
uint32_t last_foreign_write(const struct kind_query *q, const struct event *of,
                            uint8_t thread, uint32_t from, uint32_t to);
/* What the spot of event `of`, whose value is known, holds before event `at`.
 */
void value_at(const struct kind_query *q, uint32_t of, uint32_t at,
              uint64_t value[2]);
void add_match(const struct kind_query *q, const struct kind_found *found);

/* The recognisers. */
void match_lost_wakeup(const struct kind_query *q);
void match_if_for_while(const struct kind_query *q);
void match_early_publication(const struct kind_query *q);
void match_broken_lock(const struct kind_query *q);
void match_broken_flags(const struct kind_query *q);
void match_coupling(const struct kind_query *q);
void match_two_locks(const struct kind_query *q);
void match_shared_lock(const struct kind_query *q);
void match_aba(const struct kind_query *q);
void match_double_success(const struct kind_query *q);
void match_torn(const struct kind_query *q);
void match_check_then_set(const struct kind_query *q);
void match_check_then_act(const struct kind_query *q);
void match_false_state(const struct kind_query *q);
void match_unprotected(const struct kind_query *q);

#endif
