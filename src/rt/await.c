/*
 * Awaits: spin loops for searches that look at traces (rt_awaits).
 *
 * A round without effect, from a step back to it in the same local state, can
 * be left out of an execution: the others do not notice.  So the thread need
 * not go on before something that it read in this round has been changed, for
 * only then can the next round be another.  A round in which it read different
 * values in one place does not count: it goes round because others change what
 * it reads, not because they do not, and there are only so many of these.
 *
 *   T1: reads x = 0, reads x = 0, …      awaits x; the third read follows T2's
 *   T2:                        x = 1     write and sees 1
 *
 * (W1) whether a thread has gone round follows from what it read alone.
 * (W2) whether its next step can be made follows from what it read and from
 *      the writes to these locations behind that: from the order of conflicting
 *      steps.
 *
 * Both are properties of all executions of a trace, not of a state;
 * tests/agree/dpor_dfs.c runs every trace.
 *
 * The records are those of spin.c, which finds the rounds; but a change by
 * another thread ends no round, it is only noted.
 */
#include "rt/access.h"
#include "rt/engine.h"

#include "base/vec.h"

#include <assert.h>
#include <string.h>

static VEC(struct rt_set) sets; /* the first is number 1 */

bool rt_awaits(bool on) {
  bool was = E.awaits;
  E.awaits = on;
  if (on)
    vec_clear(&sets);
  return was;
}

const struct rt_set *rt_set(uint16_t set) {
  assert(set && set <= sets.len);
  return &sets.at[set - 1];
}

static bool same_set(const struct rt_set *a, const struct rt_set *b) {
  return a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof *a->at);
}

static void add(struct rt_set *to, uint64_t addr, uint64_t size) {
  if (!size)
    return; /* nobody changes it */
  for (uint32_t i = 0; i < to->n; i++)
    if (to->at[i].addr == addr && to->at[i].size == size)
      return;
  assert(to->n < sizeof to->at / sizeof *to->at);
  to->at[to->n].addr = addr;
  to->at[to->n++].size = size;
}

/* Equal sets have equal numbers (W1). */
static uint16_t number_of(const struct rt_set *set) {
  for (uint32_t i = 0; i < sets.len; i++)
    if (same_set(&sets.at[i], set))
      return (uint16_t)(i + 1);
  vec_push(&sets, *set);
  assert(sets.len <= UINT16_MAX);
  return (uint16_t)sets.len;
}

/* A hash of the bytes that the step just made has read; it has not changed
 * them. */
static uint64_t value_of(const struct spin_record *r) {
  if (!r->size || !fl__readable(r->addr, r->size))
    return 0;
  return hash64((const void *)r->addr, r->size, 0);
}

void fl__await_arrive(int thread) {
  struct fiber_state *f = &E.fiber[thread];
  struct spin *s = &E.spin[thread];
  assert(s->n <= SPIN_MAX && !f->spinning);
  if (s->pending && s->n)
    s->at[s->n - 1].value = value_of(&s->at[s->n - 1]);
  s->pending = 0;
  if (!f->await)
    return;
  f->await = 0;
  if (s->round < s->n) { /* the next round begins with the await */
    s->at[0] = s->at[s->round];
    s->at[0].changed = 0;
    s->at[0].value = value_of(&s->at[0]);
    s->n = 1;
  }
}

/* L1 */
static void park(int thread, bool on) {
  E.fiber[thread].spinning = on;
  if (on)
    E.live.spinning |= 1u << thread;
  else
    E.live.spinning &= ~(1u << thread);
}

/* Has the round read one value in each place? */
static bool one_value_each(const struct spin *s, uint32_t round) {
  for (uint32_t i = round; i < s->n; i++)
    for (uint32_t k = i + 1; k < s->n; k++)
      if (s->at[i].addr == s->at[k].addr && s->at[i].size == s->at[k].size &&
          s->at[i].value != s->at[k].value)
        return false;
  return true;
}

bool fl__await(int thread, uint32_t round) {
  struct spin *s = &E.spin[thread];
  assert(round < s->n && !E.fiber[thread].await);
  if (!one_value_each(s, round))
    return false;
  struct rt_set set = {0};
  bool changed = false;
  _Static_assert(sizeof set.at / sizeof *set.at >= SPIN_MAX, "no room");
  for (uint32_t i = round; i < s->n; i++) {
    add(&set, s->at[i].addr, s->at[i].size);
    changed |= s->at[i].changed;
  }
  s->round = round;
  E.fiber[thread].await = number_of(&set);
  park(thread, !changed);
  return true;
}

static bool overlaps(const struct spin_record *r, uint64_t addr,
                     uint64_t size) {
  return r->addr < addr + size && addr < r->addr + r->size;
}

void fl__await_changed(int thread, uint64_t addr, uint64_t size) {
  for (uint32_t left = E.loopers & ~(1u << thread); left; left &= left - 1) {
    int t = __builtin_ctz(left);
    struct spin *s = &E.spin[t];
    for (uint32_t i = 0; i + s->pending < s->n; i++) {
      if (!overlaps(&s->at[i], addr, size))
        continue;
      s->at[i].changed = 1;
      if (E.fiber[t].await && i >= s->round)
        park(t, false);
    }
  }
}
