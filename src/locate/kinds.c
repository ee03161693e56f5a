#include "locate/kinds_int.h"

#include <assert.h>

uint32_t last_foreign_write(const struct kind_query *q, const struct event *of,
                            uint8_t thread, uint32_t from, uint32_t to) {
  for (uint32_t i = to; i-- > from + 1;) {
    const struct event *e = event_at(q, i);
    if (is_write(e) && e->thread != thread && same_spot(e, of))
      return i;
  }
  return KIND_NO_EVENT;
}

void value_at(const struct kind_query *q, uint32_t of, uint32_t at,
              uint64_t value[2]) {
  const struct event *e = event_at(q, of);
  value[0] = e->value[0];
  value[1] = e->value[1];
  for (uint32_t i = of + 1; i < at; i++) {
    const struct event *w = event_at(q, i);
    if (is_write(w) && same_spot(w, e)) {
      value[0] = w->value[0];
      value[1] = w->value[1];
    }
  }
}

void add_match(const struct kind_query *q, const struct kind_found *found) {
  for (uint32_t i = 0; i < kind_marks[found->kind]; i++)
    assert(found->marks[i] < events_of(q) ||
           found->marks[i] == KIND_NO_EVENT); /* Z1 */
  if (q->out->len < KINDS_MOST)
    q->out->at[q->out->len++] = *found;
}

void kinds_match(enum kind k, const struct kind_trace *t,
                 const struct decisions *d, struct kind_matches *out) {
  static void (*const recogniser[KIND_COUNT])(const struct kind_query *) = {
      [KIND_LOST_WAKEUP] = match_lost_wakeup,
      [KIND_IF_FOR_WHILE] = match_if_for_while,
      [KIND_EARLY_PUBLICATION] = match_early_publication,
      [KIND_BROKEN_LOCK] = match_broken_lock,
      [KIND_BROKEN_FLAGS] = match_broken_flags,
      [KIND_COUPLING] = match_coupling,
      [KIND_TWO_LOCKS] = match_two_locks,
      [KIND_SHARED_LOCK] = match_shared_lock,
      [KIND_ABA] = match_aba,
      [KIND_DOUBLE_SUCCESS] = match_double_success,
      [KIND_TORN] = match_torn,
      [KIND_CHECK_THEN_SET] = match_check_then_set,
      [KIND_CHECK_THEN_ACT] = match_check_then_act,
      [KIND_FALSE_STATE] = match_false_state,
      [KIND_UNPROTECTED] = match_unprotected,
  };
  out->len = 0;
  if (recogniser[k])
    recogniser[k](&(struct kind_query){t, d, out});
}

/* A lock begins with whichever of the two comes first: test or set. */
uint32_t kinds_lock(const struct kind_found *f, uint32_t from[KINDS_HELD],
                    uint32_t to[KINDS_HELD]) {
  static const uint8_t test[] = {BROKEN_TEST, BROKEN_TEST_OTHER};
  static const uint8_t set[] = {BROKEN_SET, BROKEN_SET_OTHER};
  uint32_t n = f->kind == KIND_BROKEN_LOCK    ? 1
               : f->kind == KIND_BROKEN_FLAGS ? 2
                                              : 0;
  for (uint32_t i = 0; i < n; i++) {
    bool tests_first = f->marks[test[i]] < f->marks[set[i]];
    from[i] = tests_first ? test[i] : set[i];
    to[i] = tests_first ? set[i] : test[i];
  }
  return n;
}

uint32_t kinds_hold(const struct kind_found *f, uint32_t from[KINDS_HELD],
                    uint32_t to[KINDS_HELD]) {
  static const struct {
    uint8_t n, from[KINDS_HELD], to[KINDS_HELD];
  } lines[KIND_COUNT] = {
      [KIND_EARLY_PUBLICATION] = {1, {EARLY_STORE}, {EARLY_FILL}},
      [KIND_BROKEN_LOCK] = {1, {BROKEN_TEST}, {BROKEN_SET}},
      [KIND_BROKEN_FLAGS] = {2,
                             {BROKEN_TEST, BROKEN_TEST_OTHER},
                             {BROKEN_RESET, BROKEN_RESET_OTHER}},
      [KIND_SHARED_LOCK] = {2,
                            {SHARED_WRITE_LOCK, SHARED_OTHER_LOCK},
                            {SHARED_WRITE_END, SHARED_OTHER_END}},
      [KIND_ABA] = {1, {ABA_READ}, {ABA_SWAP}},
      [KIND_DOUBLE_SUCCESS] = {1, {DOUBLE_CHANGE}, {DOUBLE_LOOK}},
      [KIND_TORN] = {2,
                     {TORN_FIRST, TORN_OTHER_FIRST},
                     {TORN_SECOND, TORN_OTHER_SECOND}},
      [KIND_CHECK_THEN_SET] = {1, {CHECK_LOOK}, {CHECK_ACT}},
      [KIND_FALSE_STATE] = {1, {FALSE_FIRST}, {FALSE_SECOND}},
      [KIND_UNPROTECTED] = {1, {UNPROTECTED_READ}, {UNPROTECTED_USE}},
      [KIND_CHECK_THEN_ACT] = {1, {CHECK_LOOK}, {CHECK_ACT}},
  };
  uint32_t n = lines[f->kind].n;
  for (uint32_t i = 0; i < n; i++) {
    from[i] = lines[f->kind].from[i];
    to[i] = lines[f->kind].to[i];
  }
  if (f->kind == KIND_BROKEN_FLAGS) {
    uint32_t ignored[KINDS_HELD];
    kinds_lock(f, from, ignored);
  }
  return n;
}
