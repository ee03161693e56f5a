#include "hunt/checker.h"

#include "spec/implementation.h"

#include <assert.h>
#include <string.h>

enum { CHECK_BUDGET = 20000000, MOST_CONFIGURATIONS = 4096 };

static void forget_outcomes(struct checker *j) {
  for (uint32_t i = 0; i < j->outcomes.len; i++)
    vec_free(&j->outcomes.at[i].results);
  vec_clear(&j->outcomes);
  map128_clear(&j->outcome_of);
}

void checker_client(struct checker *j, const struct client *c) {
  j->client = c;
  map128_clear(&j->seen);
  map128_clear(&j->standing_of);
  vec_clear(&j->standings);
  vec_clear(&j->verdicts);
  forget_outcomes(j);
  j->fault = FAULT_NONE;
  j->spec_fault = false;
  j->faults = j->others = j->known_seen = 0;
  j->in_vain = 0;
  vec_clear(&j->journal);
  if (!c)
    return;
  j->ops = xrealloc(j->ops, (c->ncalls + 1) * sizeof *j->ops);
  if (j->implementation)
    spec_implementation_client(j->spec, c);
}

static uint32_t outcome_of(struct checker *j, const struct history *h,
                           bool allowed) {
  struct value results[CLIENT_MAX_CALLS + 1];
  uint32_t n = h->client ? h->client->ncalls : 0;
  for (uint32_t i = 0; i < n; i++)
    results[i] = hop_pending(&h->ops[i]) ? value_void() : h->ops[i].result;
  bool fresh;
  uint32_t *at = map128_put(&j->outcome_of,
                            hash128(results, n * sizeof *results, 0), &fresh);
  if (fresh) {
    struct outcome o = {.allowed = true};
    for (uint32_t i = 0; i < n; i++)
      vec_push(&o.results, results[i]);
    *at = j->outcomes.len;
    vec_push(&j->outcomes, o);
  }
  j->outcomes.at[*at].allowed &= allowed;
  return *at;
}

/* Copies the engine's history before it is checked.  When the object is its own
 * specification, the check runs the object, which overwrites the history. */
static struct history keep_history(struct checker *j,
                                   const struct history *now) {
  struct history h = *now;
  if (h.client)
    memcpy(j->ops, now->ops, h.client->ncalls * sizeof *j->ops);
  h.ops = j->ops;
  return h;
}

/* With `aside` the execution ended in what is known; so may the object when it
 * is its own specification, and that says nothing. */
static bool is_explained(struct checker *j, const struct history *now,
                         bool aside) {
  assert(now->client == j->client); /* the prepared one */
  struct history h = keep_history(j, now);
  bool ok = true;
  if (j->spec) {
    bool reduced = rt_reduce(false); /* it must not see the spec's runs */
    check_linearize(&h, j->spec, j->criterion, CHECK_BUDGET, &j->check);
    rt_reduce(reduced);
    ok = j->check.answer == CHECK_YES || j->check.answer == CHECK_UNKNOWN;
    if (j->check.answer == CHECK_UNKNOWN) {
      j->undecided++;
      j->limit = j->check.limit;
    }
    j->spec_fault = j->check.answer == CHECK_SPEC_FAULT && !aside;
    ok |= j->check.answer == CHECK_SPEC_FAULT && aside;
  }
  uint32_t outcome = j->want_outcomes ? outcome_of(j, &h, ok) : 0;
  vec_push(&j->verdicts, outcome * 2 + ok);
  return ok;
}

bool checker_is_strict(const struct checker *j) {
  return j->spec && j->criterion == CRITERION_LINEARIZABLE && !rt_c11() &&
         !j->spec->relaxed && !j->spec->joins;
}

bool checker_judges_beginning(const struct checker *j, enum rt_end end) {
  if (end == RT_CUT)
    return j->brief;
  return end == RT_FAULT && checker_sets_aside(j);
}

bool checker_sets_aside(const struct checker *j) {
  const struct rt_fault *f = rt_fault();
  struct waiting w[RT_MAX_THREADS];
  struct known_fault now;
  if (j->brief && fault_is_doubt(f->kind))
    return true;
  if (!j->nset_aside)
    return false;
  known_of(&now, f->kind, f->pc, f->thread, w, rt_waiting(w), rt_history());
  return known_has(j->set_aside, j->nset_aside, &now);
}

/* Faults of another kind are looked for. */
static bool sets_aside_results(const struct checker *j) {
  struct known_fault now = {.kind = FAULT_NOT_LINEARIZABLE, .op = KNOWN_ANY_OP};
  return j->nset_aside && known_has(j->set_aside, j->nset_aside, &now);
}

/* An execution that says nothing; there may be too many of them. */
static enum judgement is_in_vain(struct checker *j) {
  j->in_vain++;
  return j->patience && j->in_vain >= j->patience ? JUDGE_STOP : JUDGE_GOOD;
}

static enum judgement ended(void *ctx, enum rt_end end) {
  struct checker *j = ctx;
  bool aside = checker_judges_beginning(j, end);
  j->known_seen += aside && end == RT_FAULT;
  if (end == RT_STOPPED || (end == RT_CUT && !aside))
    return JUDGE_GOOD;
  if (aside && !checker_is_strict(j)) /* a later call may explain these */
    return is_in_vain(j);
  if (end == RT_FAULT && !aside) {
    j->faults++;
    if (j->only != FAULT_NONE && rt_fault()->kind != j->only) {
      j->others++;
      return JUDGE_GOOD;
    }
    j->fault = rt_fault()->kind;
    j->spec_fault = false;
    return JUDGE_BAD;
  }
  bool fresh;
  struct hash128 hash = rt_history_hash();
  uint32_t *at = map128_put(&j->seen, hash, &fresh);
  if (fresh) {
    uint64_t undecided = j->undecided;
    j->histories++;
    *at = j->verdicts.len;
    is_explained(j, rt_history(), aside);
    at = NULL; /* the table may have moved */
    if (j->want_journal)
      vec_push(&j->journal,
               ((struct checked_history){hash, j->undecided > undecided}));
  }
  assert(!at || *at < j->verdicts.len);
  uint32_t v = at ? j->verdicts.at[*at] : vec_last(&j->verdicts);
  assert(!j->want_outcomes || v / 2 < j->outcomes.len);
  if (j->want_outcomes)
    j->outcomes.at[v / 2].executions++;
  if (v & 1)
    return aside ? is_in_vain(j) : JUDGE_GOOD;
  if (sets_aside_results(j)) {
    j->known_seen++;
    return JUDGE_GOOD;
  }
  if (j->only != FAULT_NONE && j->only != FAULT_NOT_LINEARIZABLE) {
    j->others++;
    return JUDGE_GOOD;
  }
  j->fault = FAULT_NOT_LINEARIZABLE;
  return JUDGE_BAD;
}

static void again(void *ctx) {
  struct checker *j = ctx;
  j->faults = j->others = j->known_seen = 0;
  j->in_vain = 0;
  for (uint32_t i = 0; i < j->outcomes.len; i++)
    j->outcomes.at[i].executions = 0;
}

static struct standing find_standing(struct checker *j) {
  struct history h = keep_history(j, rt_history());
  struct standing s;
  if (j->implementation)
    rt_save(&j->place);
  bool reduced = rt_reduce(false);
  s.known = check_standing(&h, j->spec, MOST_CONFIGURATIONS, &s.hash);
  rt_reduce(reduced);
  if (j->implementation)
    rt_restore(&j->place);
  return s;
}

static bool standing(void *ctx, struct hash128 *out) {
  struct checker *j = ctx;
  bool fresh;
  uint32_t *at = map128_put(&j->standing_of, rt_history_hash(), &fresh);
  if (fresh) {
    *at = j->standings.len;
    vec_push(&j->standings, find_standing(j));
    at = NULL; /* the table may have moved */
  }
  const struct standing *s =
      at ? &j->standings.at[*at] : &vec_last(&j->standings);
  *out = s->hash;
  return s->known;
}

struct judge checker_judge(struct checker *j) {
  bool by_standing = checker_is_strict(j) && !j->want_outcomes;
  return (struct judge){ended, j, again, by_standing ? standing : NULL};
}

void checker_free(struct checker *j) {
  forget_outcomes(j);
  vec_free(&j->outcomes);
  map128_free(&j->seen);
  map128_free(&j->standing_of);
  vec_free(&j->standings);
  snapshot_free(&j->place);
  map128_free(&j->outcome_of);
  vec_free(&j->verdicts);
  vec_free(&j->journal);
  check_free(&j->check);
  free(j->ops);
}
