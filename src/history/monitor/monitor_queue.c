/*
 * A queue: first in, first out.  Is there an order of the values that explains
 * how they came and how they were at the front?  u must be before v when
 *
 *   the add of u returned before the add of v was called, or
 *   a removal or peek of u returned before a removal or peek of v was called.
 *
 * The history is linearizable iff these have no cycle.
 *   enq(1)  enq(2)  deq() = 2  deq() = 1      1 before 2 before 1
 *
 * Values before which no other must be are taken away one after the other. When
 * there is none, three values hold a cycle: the one with the first add_res and
 * the two with the first front_res, since one of these is before any other
 * value.
 *
 * Without peeks a cycle has two values (Henzinger, Sezgin and Vafeiadis, CONCUR
 * 2013); with them it may need three.         tests/agree/monitor_containers.c
 */
#include "history/monitor/monitor_int.h"

#include <assert.h>

struct queue_monitor {
  struct monitor *m;
  struct monitor_value *at;
  uint32_t n;
  uint8_t *gone;
  /* Values by add_res and by front_res; the first of each that is not gone, and
   * of the latter also the second. */
  struct by_time *by_add, *by_front;
  uint32_t first_add, first_front, second_front;
  uint32_t coming;      /* values from here on were added after the first
                           add_res: they have one before them */
  struct by_time *heap; /* the others, by rem_inv; some may be gone */
  uint32_t nheap;
};

static void heap_add(struct queue_monitor *q, struct by_time x) {
  uint32_t i = q->nheap++;
  for (; i && q->heap[(i - 1) / 2].time > x.time; i = (i - 1) / 2)
    q->heap[i] = q->heap[(i - 1) / 2];
  q->heap[i] = x;
}

static void heap_drop(struct queue_monitor *q) {
  struct by_time x = q->heap[--q->nheap];
  uint32_t i = 0;
  for (uint32_t c = 1; c < q->nheap; c = 2 * i + 1) {
    c += c + 1 < q->nheap && q->heap[c + 1].time < q->heap[c].time;
    if (q->heap[c].time >= x.time)
      break;
    q->heap[i] = q->heap[c];
    i = c;
  }
  q->heap[i] = x;
}

static uint32_t skip(const struct queue_monitor *q, const struct by_time *a,
                     uint32_t i) {
  while (i < q->n && q->gone[a[i].id])
    i++;
  return i;
}

/* Moves the pointers over values that are gone. */
static void refresh(struct queue_monitor *q) {
  q->first_add = skip(q, q->by_add, q->first_add);
  q->first_front = skip(q, q->by_front, q->first_front);
  if (q->second_front <= q->first_front)
    q->second_front = q->first_front + 1;
  q->second_front = skip(q, q->by_front, q->second_front);
  if (q->first_add == q->n)
    return;
  uint32_t least = q->by_add[q->first_add].time;
  for (; q->coming < q->n && q->at[q->coming].add_inv < least; q->coming++)
    heap_add(q, (struct by_time){q->at[q->coming].rem_inv, q->coming});
  while (q->nheap && q->gone[q->heap[0].id])
    heap_drop(q);
}

/* The value, other than v, with the first front_res; or NONE. */
static uint32_t front_rival(const struct queue_monitor *q, uint32_t v) {
  uint32_t i = q->first_front;
  if (i < q->n && q->by_front[i].id == v)
    i = q->second_front;
  return i < q->n ? q->by_front[i].id : MONITOR_NONE;
}

static uint32_t before_at_front(const struct queue_monitor *q, uint32_t v) {
  uint32_t u = front_rival(q, v);
  return u != MONITOR_NONE && q->at[u].front_res < q->at[v].rem_inv
             ? u
             : MONITOR_NONE;
}

/* A value before which no other must be; or NONE. */
static uint32_t pick(const struct queue_monitor *q) {
  if (!q->nheap)
    return MONITOR_NONE;
  uint32_t v = q->heap[0].id;
  if (before_at_front(q, v) == MONITOR_NONE)
    return v;
  v = q->by_front[q->first_front].id;
  return v < q->coming && before_at_front(q, v) == MONITOR_NONE ? v
                                                                : MONITOR_NONE;
}

static bool came_before(const struct monitor_value *u,
                        const struct monitor_value *v) {
  return u->add_res < v->add_inv;
}

static uint32_t before(const struct queue_monitor *q, uint32_t v) {
  uint32_t u = q->by_add[q->first_add].id;
  return came_before(&q->at[u], &q->at[v]) ? u : before_at_front(q, v);
}

static bool was_removed_first(const struct queue_monitor *q,
                              const struct monitor_value *v) {
  return v->front_by != MONITOR_NONE &&
         q->m->p->ops[v->front_by].role == ROLE_REMOVE;
}

/* The sentence: v was at the front before u, though u came before v, or was at
 * the front before it. */
static enum monitor_ending say_pair(struct queue_monitor *q,
                                    const struct monitor_value *u,
                                    const struct monitor_value *v) {
  if (!came_before(u, v))
    return monitor_say(
        q->m,
        "%w was at the front before %w, and %w was at the front before %w", u,
        v, v, u);
  if (!was_removed_first(q, v))
    return monitor_say(
        q->m, "%w was at the front before %w, but was enqueued after it", v, u);
  if (u->remove == MONITOR_NONE && u->peeks == MONITOR_NONE)
    return monitor_say(
        q->m, "%w was dequeued, but %w, which was enqueued before it, was not",
        v, u);
  return monitor_say(
      q->m, "%w was dequeued before %w, but was enqueued after it", v, u);
}

static enum monitor_ending stuck(struct queue_monitor *q) {
  uint32_t v = q->by_add[q->first_add].id, cycle[4], n = 0;
  for (int i = 0; i < 4; i++) /* then v is on the cycle */
    v = before(q, v);
  do {
    assert(n < 4);
    cycle[n++] = v;
    monitor_blame_value(q->m, &q->at[v]);
    monitor_blame(q->m, q->at[v].front_by);
    v = before(q, v);
  } while (v != cycle[0]);
  const struct monitor_value *a = &q->at[cycle[0]], *b = &q->at[cycle[1]];
  if (n == 2)
    return came_before(a, b) ? say_pair(q, a, b) : say_pair(q, b, a);
  return monitor_say(q->m,
                     "the values contradict each other: %w must be ahead of "
                     "%w, %w ahead of %w and %w ahead of %w, since they were "
                     "enqueued, or at the front, in this order",
                     b, a, &q->at[cycle[2]], b, a, &q->at[cycle[2]]);
}

static struct by_time *sorted(struct queue_monitor *q, bool front) {
  struct by_time *a = monitor_room(q->m, (size_t)q->n + 1, sizeof *a);
  for (uint32_t i = 0; i < q->n; i++) {
    uint32_t time = front ? q->at[i].front_res : q->at[i].add_res;
    a[i] = (struct by_time){gap_to(q->m, time), i};
  }
  by_time_sort(q->m, a, q->n);
  return a;
}

static enum monitor_ending decide(struct monitor *m, struct values_seen *s) {
  struct queue_monitor q = {.m = m, .at = s->at, .n = s->n};
  q.gone = monitor_zeroed(m, (size_t)q.n + 1, 1);
  q.by_add = sorted(&q, false);
  q.by_front = sorted(&q, true);
  q.heap = monitor_room(m, (size_t)q.n + 1, sizeof *q.heap);
  uint32_t *ranked = NULL;
  if (m->want_order)
    ranked = monitor_room(m, (size_t)q.n + 1, sizeof *ranked);
  for (uint32_t left = q.n; left; left--) {
    refresh(&q);
    uint32_t v = pick(&q);
    if (v == MONITOR_NONE)
      return stuck(&q);
    q.gone[v] = 1;
    if (ranked)
      ranked[q.n - left] = v;
  }
  if (ranked)
    monitor_queue_order(m, s, ranked);
  return MONITOR_YES;
}

enum monitor_ending monitor_queue(struct monitor *m) {
  return monitor_container(m, decide);
}
