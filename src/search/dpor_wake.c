/* Wakeup trees: from a race to the sequence that runs it the other way round.
 */
#include "search/dpor_int.h"

#include <string.h>

/* An item of v.  The reversed one is to be made where it was not. */
static const struct access *item(const struct dpor *d, uint32_t k) {
  return d->v.at[k] == d->reversed ? &d->elsewhere
                                   : &d->events.at[d->v.at[k]].a;
}

/* Where in v the thread's first event is; NONE: nowhere. */
static uint32_t first_of(const struct dpor *d, uint8_t thread) {
  for (uint32_t k = 0; k < d->v.len; k++)
    if (d->events.at[d->v.at[k]].a.thread == thread)
      return k;
  return NONE;
}

static enum answer independent_of_v(const struct dpor *d,
                                    const struct access *a) {
  enum answer worst = NO;
  for (uint32_t k = 0; k < d->v.len && worst != YES; k++) {
    enum answer one = dpor_depends(d, a, item(d, k));
    if (one > worst)
      worst = one;
  }
  return YES - worst;
}

/*
 * Can item k of v come first: is nothing in v before it?  What was before the
 * reversed one may have been so because of steps that are not in v.
 */
static enum answer is_initial(const struct dpor *d, const struct access *a,
                              uint32_t k) {
  enum answer worst = NO;
  for (uint32_t i = 0; i < k && worst != YES; i++) {
    enum answer one = d->v.at[k] == d->reversed ? dpor_depends(d, item(d, i), a)
                      : dpor_before(d, d->v.at[i], d->v.at[k]) ? YES
                                                               : NO;
    if (one > worst)
      worst = one;
  }
  return YES - worst;
}

/* Is the thread, whose next step is `a`, a weak initial of v? */
static enum answer weak_initial(const struct dpor *d, const struct access *a,
                                uint32_t *k) {
  *k = first_of(d, a->thread);
  if (*k == NONE)
    return independent_of_v(d, a);
  return d->v.at[*k] != d->reversed && !dpor_same_step(a, item(d, *k))
             ? NO
             : is_initial(d, a, *k);
}

static void remove_item(struct dpor *d, uint32_t k) {
  memmove(&d->v.at[k], &d->v.at[k + 1], (d->v.len - k - 1) * sizeof *d->v.at);
  d->v.len--;
}

/*
 * insert_[E'](v, wut(E')).  False: what to do depends on how the reversed step
 * turns out, which is not known; nothing was done.
 */
static bool insert(struct dpor *d, uint32_t root) {
  uint32_t n = root, k;
  while (d->v.len) {
    uint32_t c = d->nodes.at[n].child;
    if (c == NONE && n != root)
      return true; /* a leaf: what it leads to is equivalent */
    enum answer fits = NO;
    for (; c != NONE; c = d->nodes.at[c].next) {
      fits = weak_initial(d, &d->nodes.at[c].a, &k);
      if (k == NONE && d->nodes.at[c].a.nanswers)
        fits = NO; /* v is about its other answers too */
      if (fits != NO)
        break;
    }
    if (fits == MAYBE)
      return false;
    if (fits == NO)
      break;
    if (k != NONE)
      remove_item(d, k);
    n = c;
  }
  if (d->v.len && d->elsewhere.unsure) /* what the tree holds is known */
    return false;
  for (k = 0; k < d->v.len; k++) { /* a branch of its own */
    struct access a = *item(d, k);
    if (d->v.at[k] == d->reversed)
      a.nanswers = 0; /* whatever is asked there */
    uint32_t fresh = dpor_new_node(d, &a);
    dpor_append_child(d, n, fresh);
    n = fresh;
  }
  return true;
}

static void make_v(struct dpor *d, struct race r) {
  vec_clear(&d->v);
  for (uint32_t k = r.first + 1; k < d->made; k++)
    if (!dpor_before(d, r.first, k))
      vec_push(&d->v, k);
  vec_push(&d->v, r.second);
  d->reversed = r.second;
}

static int look_pick(void *ctx, uint32_t enabled, int current) {
  struct dpor *d = ctx;
  (void)current;
  if (d->look.step == d->look.plan.len)
    return RT_STOP;
  uint8_t t = d->events.at[d->look.plan.at[d->look.step]].a.thread;
  if (!(enabled >> t & 1)) {
    d->look.impossible = true;
    return RT_STOP;
  }
  d->look.step++;
  d->look.answer = 0;
  return t;
}

static int look_choose(void *ctx, int n) {
  struct dpor *d = ctx;
  uint32_t k = d->look.plan.at[d->look.step - 1], i = d->look.answer++;
  const struct level *l = &d->levels.at[k];
  if (d->look.last && d->look.step == d->look.plan.len)
    return i < d->look.last->nanswers ? d->look.last->answer[i] : 0;
  return k < d->made && i < l->nanswers && l->answer[i] < n ? l->answer[i] : 0;
}

/*
 * Runs E'.v to see how its last step turns out; false: it cannot be made.
 * Whether a call returns in a step that sees something else than it did is in
 * no record: it is up to the code.
 */
static bool look_at_plan(struct dpor *d, struct access *out) {
  struct rt_driver driver = {look_pick, look_choose, d, .every = true};
  d->look.step = d->look.log.len = 0;
  d->look.impossible = false;
  rt_log(&d->look.log);
  rt_run(&driver);
  rt_log(NULL);
  d->look.shared_stack |= rt_found_shared_stack();
  if (d->look.impossible || d->look.step < d->look.plan.len)
    return false;
  uint32_t k = d->look.log.len;
  do
    k--;
  while (d->look.log.at[k].flags & RT_LINK);
  *out = dpor_access_of(&d->look.log.at[k]);
  return true;
}

static bool look(struct dpor *d, struct race r) {
  vec_clear(&d->look.plan);
  for (uint32_t k = 0; k < r.first; k++)
    vec_push(&d->look.plan, k);
  for (uint32_t k = 0; k < d->v.len; k++)
    vec_push(&d->look.plan, d->v.at[k]);
  d->look.last = NULL;
  return look_at_plan(d, &d->elsewhere);
}

/* How a step turns out with other answers. */
void dpor_look_at_alternatives(struct dpor *d, uint32_t k) {
  uint32_t c = d->nodes.at[d->levels.at[k].root].child;
  for (; c != NONE; c = d->nodes.at[c].next) {
    struct access *a = &d->nodes.at[c].a, known;
    if (!a->unsure)
      continue;
    vec_clear(&d->look.plan);
    for (uint32_t i = 0; i <= k; i++)
      vec_push(&d->look.plan, i);
    d->look.last = a;
    if (!look_at_plan(d, &known))
      continue;
    known.nanswers = a->nanswers;
    known.of = a->of;
    memcpy(known.answer, a->answer, sizeof known.answer);
    *a = known;
  }
}

/* Was or will v be run otherwise, because of who sleeps? */
static enum answer is_covered(struct dpor *d, const struct level *l) {
  enum answer best = NO;
  uint8_t answers[THREADS] = {0};
  uint32_t k;
  for (uint32_t i = 0; i < l->sleep.len && best != YES; i++) {
    const struct access *a = &l->sleep.at[i];
    enum answer one = weak_initial(d, a, &k);
    bool any = k == NONE || d->v.at[k] == d->reversed; /* answers */
    if (one != NO && any && a->nanswers &&
        (a->nanswers > 1 || ++answers[a->thread] < a->of))
      continue; /* by this and all its other answers, or not */
    if (one > best)
      best = one;
  }
  return best;
}

void dpor_reverse(struct dpor *d, struct race r) {
  struct level *l = &d->levels.at[r.first];
  make_v(d, r);
  d->elsewhere =
      access_reversed(&d->events.at[r.first].a, &d->events.at[r.second].a);
  r.open |= r.second >= d->made;
  if (!r.open) {
    enum answer covered = is_covered(d, l);
    if (covered == YES || (covered == NO && insert(d, l->root)))
      return;
    make_v(d, r); /* now it matters */
  }
  if (look(d, r) && is_covered(d, l) == NO)
    insert(d, l->root);
}
