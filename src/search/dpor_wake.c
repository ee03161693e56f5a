/*
 * Wakeup trees: from a race to the sequence that runs it the other way round.
 *
 * Let E' be the steps before the race (e, e'), and v the steps behind e that do
 * not depend on it, with e'.  E'.v must be run, unless a step that sleeps at E'
 * can be the first of v (is a weak initial): then it was run.  Else v goes into
 * the wakeup tree of E': down to a leaf along steps that can come first in what
 * is left of v, or as a branch of its own.
 *     T1: x = 1   T2: y = 1   T2: r = x     e is x = 1, e' is r = x
 *     v is  T2: y = 1   T2: r = x           tree of E': T2 - T2
 *
 * v goes on behind e', and the steps there differ from execution to execution.
 * But they depend on neither e nor e'.  So when the steps up to e' found their
 * way by themselves, not by steps behind e', they do so in all such v: the race
 * is settled.  (One v suffices.  Take a w that begins with the steps up to e'
 * and goes on otherwise.  Behind them e is awake, so the branch that took e
 * need not run any of w.)
 *
 * Dead end: to drop v as soon as the first step of a branch that is still to be
 * taken fits.  Then traces are lost: a step that sleeps below that branch
 * relies on the branch having the rest of v.
 *
 * A step that could have had another answer is a race with itself.
 */
#include "search/dpor_int.h"

/* ---- trees ---- */

static uint32_t new_node(struct dpor *d) {
  uint32_t n = d->free_nodes;
  if (n == NONE) {
    vec_push(&d->nodes, (struct wakeup_node){0});
    return d->nodes.len - 1;
  }
  d->free_nodes = d->nodes.at[n].next;
  return n;
}

uint32_t dpor_count_nodes(const struct dpor *d, uint32_t list) {
  uint32_t n = 0;
  for (uint32_t i = list; i != NONE; i = d->nodes.at[i].next)
    n += 1 + dpor_count_nodes(d, d->nodes.at[i].child);
  return n;
}

void dpor_free_node(struct dpor *d, uint32_t n) {
  assert(n < d->nodes.len);
  for (uint32_t c = d->nodes.at[n].child, next; c != NONE; c = next) {
    next = d->nodes.at[c].next;
    dpor_free_node(d, c);
  }
  d->nodes.at[n].next = d->free_nodes;
  d->free_nodes = n;
}

/* ---- v ---- */

static bool is_answer(const struct dpor_race *r) {
  return r->first == r->second;
}

static const struct step_access *event(const struct dpor *d, uint32_t k) {
  return &d->events.at[k].a;
}

/* All of v is there again: no step was taken off. */
static void begin_v(struct dpor *d) {
  memcpy(d->base, &d->before.at[(size_t)d->race.first * d->width],
         d->width * sizeof *d->base);
  d->used = false;
}

static void need_v(struct dpor *d) {
  if (d->has_v)
    return;
  d->has_v = true;
  vec_clear(&d->v);
  for (uint32_t k = d->race.first + 1; k < d->made; k++)
    if (k != d->race.second && !dpor_before(d, d->race.first, k))
      vec_push(&d->v, k);
}

static bool is_left(const struct dpor *d, uint32_t k) {
  return d->events.at[k].no > d->base[event(d, k)->thread];
}

/* The event that is the thread's first step in v; NONE: it has none. */
static uint32_t first_of(const struct dpor *d, uint8_t thread) {
  uint32_t second = d->race.second, n = d->base[thread];
  if (n < d->places[thread].len) {
    uint32_t k = d->places[thread].at[n];
    if (k < d->made && !dpor_before(d, d->race.first, k))
      return k;
  }
  return event(d, second)->thread == thread && !d->used ? second : NONE;
}

static void take_off(struct dpor *d, uint32_t k) {
  assert(k == NONE || k == d->race.second || is_left(d, k));
  if (k == d->race.second)
    d->used = true;
  else if (k != NONE)
    d->base[event(d, k)->thread]++;
}

/* Can event k of v come first?  Not for the reversed step. */
static bool is_initial(const struct dpor *d, uint32_t k) {
  const uint32_t *clock = dpor_clock(d, k);
  uint8_t own = event(d, k)->thread;
  for (uint32_t t = 0; t < d->nthreads; t++)
    if (clock[t] > d->base[t] + (t == own))
      return false;
  return true;
}

static enum dpor_answer independent_of_v(struct dpor *d,
                                         const struct step_access *a) {
  enum dpor_answer worst = d->used ? NO : dpor_depends(d, a, &d->elsewhere);
  if (worst == YES)
    return NO;
  need_v(d);
  for (uint32_t k = 0; k < d->v.len && worst != YES; k++) {
    if (!is_left(d, d->v.at[k]))
      continue;
    enum dpor_answer one = dpor_depends(d, a, event(d, d->v.at[k]));
    if (one > worst)
      worst = one;
  }
  return YES - worst;
}

/* Can the reversed step come first?  It is `a` when it is made at once. */
static enum dpor_answer reversed_is_initial(struct dpor *d,
                                            const struct step_access *a) {
  enum dpor_answer worst = NO;
  need_v(d);
  for (uint32_t k = 0; k < d->v.len && worst != YES; k++) {
    if (!d->at_end && d->v.at[k] > d->race.second)
      break;
    if (!is_left(d, d->v.at[k]))
      continue;
    enum dpor_answer one = dpor_depends(d, event(d, d->v.at[k]), a);
    if (one > worst)
      worst = one;
  }
  return YES - worst;
}

/* ---- is v covered? ---- */

/* Is a step, with these answers, a weak initial of v: can v begin with it, or
 * be made behind it?  *k: its event in v, or NONE. */
static enum dpor_answer weak_initial(struct dpor *d,
                                     const struct step_access *a, uint32_t *k) {
  *k = first_of(d, a->thread);
  if (*k == NONE)
    return independent_of_v(d, a);
  if (*k == d->race.second) {
    if (!access_same_answers(a, &d->elsewhere))
      return NO;
    return reversed_is_initial(d, a);
  }
  if (!access_same_answers(a, event(d, *k)))
    return NO;
  return is_initial(d, *k) ? YES : NO;
}

/* The steps that one thread can make at one place: they differ in answers. */
enum { MOST_WAYS = 256 };
struct step_ways {
  const struct step_access *at[MOST_WAYS];
  uint32_t n;
};

/* Are all steps among them that begin with these answers? */
static bool all_ways(const struct step_ways *w, uint8_t *answer, uint8_t n) {
  for (uint32_t i = 0; i < w->n; i++) {
    const struct step_access *a = w->at[i];
    if (a->nanswers < n || memcmp(a->answer, answer, n) != 0)
      continue;
    if (a->nanswers == n)
      return true;
    for (uint8_t v = 0; v < a->of[n]; v++) {
      answer[n] = v;
      if (!all_ways(w, answer, (uint8_t)(n + 1)))
        return false;
    }
    return true;
  }
  return false;
}

bool dpor_asleep(const struct dpor_level *l, const struct step_access *a) {
  struct step_ways w;
  uint8_t answer[MOST_ANSWERS];
  w.n = 0;
  for (uint32_t i = 0; i < l->sleep.len && w.n < MOST_WAYS; i++)
    if (l->sleep.at[i].thread == a->thread)
      w.at[w.n++] = &l->sleep.at[i];
  memcpy(answer, a->answer, sizeof answer);
  return w.n && all_ways(&w, answer, a->nanswers);
}

static void add_way(struct step_ways *w, const struct step_access *a,
                    uint8_t thread) {
  if (a->thread == thread && w->n < MOST_WAYS)
    w->at[w->n++] = a;
}

static void add_nodes(const struct dpor *d, struct step_ways *w, uint32_t from,
                      uint32_t to, uint8_t thread) {
  for (uint32_t n = from; n != to; n = d->nodes.at[n].next)
    add_way(w, &d->nodes.at[n].a, thread);
}

/* Keeps only the steps that certainly do not depend on `a`. */
static void keep_independent(const struct dpor *d, struct step_ways *w,
                             const struct step_access *a) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < w->n; i++)
    if (dpor_depends(d, w->at[i], a) == NO)
      w->at[n++] = w->at[i];
  w->n = n;
}

/*
 * A step that is not in v covers v only with all its answers, since behind v
 * all of them are possible.  Are they all asleep at the end of the trail? There
 * sleep the steps that sleep at E', or are branches before a node of the trail,
 * and do not depend on the nodes behind.
 */
static bool all_answers_cover(struct dpor *d, const struct dpor_level *l,
                              uint8_t thread) {
  struct step_ways w;
  uint8_t answer[MOST_ANSWERS] = {0};
  uint32_t list = l->todo;
  w.n = 0;
  for (uint32_t i = 0; i < l->sleep.len; i++)
    add_way(&w, &l->sleep.at[i], thread);
  for (uint32_t i = 0; i < d->trail.len; i++) {
    const struct wakeup_node *at = &d->nodes.at[d->trail.at[i]];
    add_nodes(d, &w, list, d->trail.at[i], thread);
    keep_independent(d, &w, &at->a);
    list = at->child;
  }
  add_nodes(d, &w, list, NONE, thread);
  uint32_t n = 0;
  for (uint32_t i = 0; i < w.n; i++)
    if (independent_of_v(d, w.at[i]) == YES)
      w.at[n++] = w.at[i];
  w.n = n;
  return all_ways(&w, answer, 0);
}

/* A quick test: was v run from one of the steps between e and e'? */
static bool has_early_cover(struct dpor *d, const struct dpor_level *l) {
  for (uint32_t i = 0; i < l->sleep.len; i++) {
    const struct step_access *a = &l->sleep.at[i];
    uint32_t k = first_of(d, a->thread);
    if (k < d->race.second && access_same_answers(a, event(d, k)) &&
        is_initial(d, k))
      return true;
  }
  return false;
}

/* Was v run from a step that sleeps?  *k: the event of v that is that step, or
 * NONE. */
static enum dpor_answer is_covered(struct dpor *d, const struct dpor_level *l,
                                   uint32_t *k) {
  enum dpor_answer best = NO;
  for (uint32_t i = 0; i < l->sleep.len; i++) {
    const struct step_access *a = &l->sleep.at[i];
    enum dpor_answer one = weak_initial(d, a, k);
    if (one == YES && *k == NONE && a->nanswers &&
        !all_answers_cover(d, l, a->thread))
      continue;
    if (one == YES) {
      if (*k == NONE && !a->nanswers && !d->look.looked)
        d->race.by = i + 1;
      return YES;
    }
    if (one > best)
      best = one;
  }
  return best;
}

/*
 * Is the race covered as it was last time?  The events that differ since then,
 * from fixed - 1 on, must not depend on the covering step either.
 */
static bool still_covered(const struct dpor *d, const struct dpor_race *r) {
  if (!r->by)
    return false;
  const struct step_access *a = &d->levels.at[r->first].sleep.at[r->by - 1];
  for (uint32_t k = d->fixed - 1; k < d->made; k++)
    if (!dpor_before(d, r->first, k) && dpor_dependent(d, a, event(d, k)))
      return false;
  return true;
}

/* ---- reversing ---- */

/* Does a step behind e depend on a step with these edges? */
static bool edges_matter(const struct dpor *d, uint32_t first, uint8_t edges) {
  if (!edges)
    return false;
  const struct dpor_event *last = &d->events.at[d->made - 1];
  return (edges & RT_CREATES && last->creates > first + 1) ||
         (d->real_time && ((edges & RT_JOINS && last->joins > first + 1) ||
                           (edges & RT_RETURNS && last->calls > first + 1) ||
                           (edges & RT_CALLS && last->returns > first + 1)));
}

/* Decides where in v the reversed step is made. */
static void place(struct dpor *d) {
  const struct step_access *e = event(d, d->race.first);
  d->at_end = !access_no_stronger(e, event(d, d->race.second), &d->elsewhere,
                                  &d->edges) ||
              edges_matter(d, d->race.first, d->edges);
}

/* Is step k in every v that begins with the steps up to e'? */
static bool is_early(const struct dpor *d, uint32_t k) {
  return k < d->race.second || (k == d->race.second && !d->at_end);
}

static uint32_t *list_of(struct dpor *d, struct dpor_level *l) {
  return d->trail.len ? &d->nodes.at[vec_last(&d->trail)].child : &l->todo;
}

static void append(struct dpor *d, struct dpor_level *l,
                   const struct step_access *a) {
  uint32_t n = new_node(d);
  d->nodes.at[n] = (struct wakeup_node){*a, NONE, NONE};
  uint32_t *to = list_of(d, l);
  while (*to != NONE)
    to = &d->nodes.at[*to].next;
  *to = n;
  vec_push(&d->trail, n);
}

/* The rest of v becomes a branch of its own. */
static void add_branch(struct dpor *d, struct dpor_level *l) {
  uint32_t i = 0;
  for (; i < d->v.len && (d->at_end || d->v.at[i] < d->race.second); i++)
    if (is_left(d, d->v.at[i]))
      append(d, l, event(d, d->v.at[i]));
  if (!d->used)
    append(d, l, &d->elsewhere);
  for (; i < d->v.len; i++)
    if (is_left(d, d->v.at[i]))
      append(d, l, event(d, d->v.at[i]));
}

static bool is_any_left(struct dpor *d) {
  need_v(d);
  bool any = !d->used;
  for (uint32_t i = 0; i < d->v.len && !any; i++)
    any = is_left(d, d->v.at[i]);
  return any;
}

static bool insert(struct dpor *d, struct dpor_level *l, bool early);

/* Inserts below all nodes of the list that are steps of this thread. */
static bool insert_below_all(struct dpor *d, struct dpor_level *l,
                             uint32_t list, uint8_t thread) {
  uint32_t base[THREADS], depth = d->trail.len;
  bool used = d->used, known = true;
  memcpy(base, d->base, sizeof base);
  for (uint32_t c = list; c != NONE && known; c = d->nodes.at[c].next) {
    if (d->nodes.at[c].a.thread != thread)
      continue;
    vec_push(&d->trail, c);
    known = insert(d, l, false);
    d->trail.len = depth;
    memcpy(d->base, base, sizeof base);
    d->used = used;
  }
  return known;
}

/*
 * insert_[E'](v, wut(E')), from the node at the end of the trail on.  False: it
 * depends on how the reversed step turns out, or the last node of the trail,
 * which is not known; nothing was done.
 */
static bool insert(struct dpor *d, struct dpor_level *l, bool early) {
  for (;;) {
    uint32_t c = *list_of(d, l), first = c, k = NONE;
    if ((c == NONE && d->trail.len) || !is_any_left(d))
      break; /* a leaf: the executions below it are equivalent */
    enum dpor_answer fits = NO;
    for (; c != NONE; c = d->nodes.at[c].next) {
      const struct wakeup_node *w = &d->nodes.at[c];
      fits = weak_initial(d, &w->a, &k);
      if (fits == YES && k == NONE && w->a.nanswers) {
        if (all_answers_cover(d, l, w->a.thread)) {
          d->race.settled = false;
          return insert_below_all(d, l, first, w->a.thread);
        }
        fits = NO;
      }
      if (fits != NO)
        break;
    }
    if (fits == NO) {
      add_branch(d, l);
      break;
    }
    vec_push(&d->trail, c);
    if (fits == MAYBE)
      return false;
    early &= d->used || is_early(d, k);
    take_off(d, k);
  }
  d->race.settled = early;
  d->race.edges = d->edges;
  return true;
}

/* Looks how the reversed step turns out in E'.v; false: it is impossible. */
static bool look(struct dpor *d) {
  need_v(d);
  dpor_plan(d, d->race.first);
  for (uint32_t k = 0; k < d->v.len; k++)
    dpor_plan_step(d, event(d, d->v.at[k]));
  return dpor_look(d, &d->elsewhere);
}

/* Looks how the last node of the trail turns out. */
static bool look_at_node(struct dpor *d) {
  dpor_plan(d, d->race.first);
  for (uint32_t i = 0; i + 1 < d->trail.len; i++) {
    const struct wakeup_node *w = &d->nodes.at[d->trail.at[i]];
    dpor_plan_step(d, &w->a);
  }
  struct wakeup_node *w = &d->nodes.at[vec_last(&d->trail)];
  return w->a.unsure && dpor_look(d, &w->a);
}

/* Reverses the race with the reversed step as it is known. */
static void reverse_one_way(struct dpor *d) {
  struct dpor_level *l = &d->levels.at[d->race.first];
  for (;;) {
    uint32_t k;
    place(d);
    vec_clear(&d->trail);
    enum dpor_answer covered = is_covered(d, l, &k);
    if (covered == YES) {
      d->race.settled = is_early(d, k);
      d->race.edges = d->edges;
    }
    if (covered == YES || (covered == NO && insert(d, l, true)))
      return;
    begin_v(d);
    if (d->elsewhere.unsure) {
      if (!look(d))
        return;
    } else if (!d->trail.len || !look_at_node(d)) {
      return;
    }
  }
}

/* The next answers behind the prescribed ones; false: there are no more. */
static bool next_answers(struct step_access *a, uint8_t prescribed) {
  for (uint8_t n = a->nanswers; n > prescribed; n--)
    if (a->answer[n - 1] + 1 < a->of[n - 1]) {
      a->answer[n - 1]++;
      a->nanswers = n;
      return true;
    }
  return false;
}

/*
 * Reverses the race with all answers that the reversed step can have.  With
 * some of them it may not depend on e: then e, which is being run, covers it.
 */
static void reverse_all_ways(struct dpor *d, uint8_t prescribed) {
  struct dpor_level *l = &d->levels.at[d->race.first];
  bool settled = true;
  uint8_t edges = 0;
  vec_push(&l->sleep, *event(d, d->race.first));
  d->elsewhere.nanswers = prescribed;
  do {
    if (!look(d)) {
      settled = false;
      break;
    }
    d->race.settled = false;
    begin_v(d);
    reverse_one_way(d);
    settled &= d->race.settled;
    edges |= d->race.edges;
  } while (next_answers(&d->elsewhere, prescribed));
  l->sleep.len--;
  d->race.settled = settled;
  d->race.edges = edges;
}

static void reverse_steps(struct dpor *d) {
  const struct dpor_race *r = &d->race;
  const struct dpor_level *l = &d->levels.at[r->first];
  const struct step_access *second = event(d, r->second);
  if (has_early_cover(d, l)) {
    d->race.settled = true;
    d->race.edges = 0;
    return;
  }
  d->elsewhere = access_reversed(event(d, r->first), second);
  if (!d->real_time)
    d->elsewhere.unsure &= (uint8_t) ~(RT_CALLS | RT_RETURNS | RT_JOINS);
  if (!(d->creators >> second->thread & 1))
    d->elsewhere.unsure &= (uint8_t)~RT_CREATES;
  if (!(d->joiners >> second->thread & 1))
    d->elsewhere.unsure &= (uint8_t)~RT_JOINS;
  if (d->asking >> second->kind & 1)
    reverse_all_ways(d, 0);
  else if (!(r->open || r->second >= d->made) || look(d))
    reverse_one_way(d);
}

static void reverse_answer(struct dpor *d) {
  const struct dpor_race *r = &d->race;
  d->elsewhere = *event(d, r->first);
  d->elsewhere.answer[r->choice] = r->value;
  reverse_all_ways(d, (uint8_t)(r->choice + 1));
}

void dpor_reverse(struct dpor *d, struct dpor_race *r) {
  assert(r->first < d->made && r->first <= r->second); /* Q3 */
  if (r->settled && !edges_matter(d, r->first, r->edges))
    return;
  if (still_covered(d, r))
    return;
  d->race = *r;
  d->race.settled = false;
  d->race.by = 0;
  d->has_v = d->look.looked = false;
  begin_v(d);
  if (is_answer(r))
    reverse_answer(d);
  else
    reverse_steps(d);
  *r = d->race;
}
