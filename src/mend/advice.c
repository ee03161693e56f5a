/* Tries one change after the other and puts the first that holds into words. */
#include "mend/advice.h"

#include "base/clock.h"
#include "mend/patch_int.h"
#include "proc/phase.h"

#include <stdlib.h>
#include <string.h>

enum {
  TRIES = 6,             /* changes that are compiled and searched */
  MOST_PLACES = 6,       /* that a sentence names */
  TRIED_STATES = 300000, /* of one client */
};

/* In the order in which they are tried. */
static const struct {
  enum patch_form form;
  uint32_t ways;
} candidates[] = {
    {PATCH_WIDEN_ALONE, 2}, {PATCH_WIDEN, 2}, {PATCH_BORROW, 2},
    {PATCH_INSTRUCTION, 4}, {PATCH_WRAP, 1},
};

struct adviser {
  struct patch_maker maker;
  struct patch out; /* what the maker writes about a patch */
  struct settings settings;
  struct target target;
  bool guarded; /* A2 */
};

/* ---- words ---- */

/* "takes the lock of line 8" as what somebody is told to do: "take …". */
static void put_imperative(const char *what, struct buf *out) {
  static const char *const verbs[] = {
      "takes",  "calls",  "holds", "locks", "uses", "replaces", "declares",
      "writes", "begins", "makes", "gives", "adds", NULL};
  for (const char *p = what; *p;) {
    bool starts = p == what || (p - what >= 5 && !strncmp(p - 5, " and ", 5)) ||
                  (p - what >= 2 && !strncmp(p - 2, "; ", 2));
    size_t n = strcspn(p, " ");
    for (uint32_t i = 0; starts && verbs[i]; i++)
      if (n == strlen(verbs[i]) && !strncmp(p, verbs[i], n)) {
        buf_put(out, p, n - 1);
        p += n;
        break;
      }
    if (*p)
      buf_putc(out, *p++);
  }
}

static void say_tried(struct adviser *a, struct buf *out) {
  put_imperative(buf_text(&a->maker.what), out);
  buf_puts(out, " (tried: compiled and searched, no fault");
  patch_sources_condition(&a->maker.sources, out);
  buf_putc(out, ')');
}

/* " line 35 in push(); line 61 in get()" */
static void put_places(const struct adviser *a, struct buf *out) {
  const struct places *all = &a->maker.places;
  VEC(struct code_block) seen = {0};
  for (uint32_t i = 0; i < all->len; i++) {
    const struct place_stack *k = &all->at[i];
    if (!k->conflicts || k->inside || !k->depth)
      continue;
    const struct code_block *at = &k->frames[k->depth - 1];
    for (uint32_t d = k->depth; d-- > 0;)
      if (k->frames[d].file && a->maker.cause.blocks[0].file &&
          !strcmp(k->frames[d].file, a->maker.cause.blocks[0].file)) {
        at = &k->frames[d];
        break;
      }
    uint32_t s = 0;
    while (s < seen.len && code_block_compare(&seen.at[s], at))
      s++;
    if (s < seen.len || !at->function)
      continue;
    vec_push(&seen, *at);
    for (s = seen.len - 1; s && code_block_compare(&seen.at[s - 1], at) > 0;
         s--)
      seen.at[s] = seen.at[s - 1];
    seen.at[s] = *at;
  }
  for (uint32_t i = 0; i < seen.len && seen.len <= MOST_PLACES; i++)
    buf_printf(out, "%s line %u in %s()", i ? ";" : ":", seen.at[i].first,
               seen.at[i].function);
  vec_free(&seen);
}

/* What was enforced, for who can do it with a lock. */
static void say_enforced(struct adviser *a, const struct ranked_cause *c,
                         struct buf *out) {
  const struct places *p = &a->maker.places;
  bool many = c->cause.nblocks > 1 || c->lines > 1;
  if (c->waits || p->is_locked || !p->len)
    return; /* A2; and a lock would wait for the lock inside */
  if (p->share_a_lock)
    buf_printf(out, "take the lock that is held wherever else the same data is "
                    "touched");
  else
    buf_printf(out,
               "take one lock around %s and around every other place that "
               "touches the same data",
               many ? "them" : "it");
  put_places(a, out);
}

/* ---- trying ---- */

static bool is_tried_before(struct adviser *a) {
  struct patch_maker *m = &a->maker;
  struct buf diff = {0};
  for (uint32_t i = 0; i < m->sources.list.len; i++) {
    const struct patch_source *s = &m->sources.list.at[i];
    edits_diff(&s->edits, buf_text(&s->text), s->text.len, s->path, &diff);
  }
  bool again =
      !diff.len || memmem(buf_text(&m->tried), m->tried.len, diff.at, diff.len);
  if (!again)
    buf_put(&m->tried, diff.at, diff.len);
  buf_free(&diff);
  return again;
}

/* One change; once more with the places that a failing client shows. */
static bool holds(struct adviser *a, enum patch_form form, uint32_t which) {
  struct patch_maker *m = &a->maker;
  bool more = true;
  while (more && m->searches < TRIES && !m->late && !m->interrupted) {
    struct patch_plan plan = {.form = form,
                              .which = which,
                              .cause = m->cause,
                              .kind = &m->r->result.finding->kind,
                              .places = &m->places};
    more = false;
    if (!patch_sources_edit(&m->sources, &plan, &m->what, &m->why) ||
        is_tried_before(a))
      return false;
    if (patch_search(m, &more))
      return true;
    more = more && form != PATCH_INSTRUCTION && form != PATCH_KIND &&
           patch_find_places(m);
  }
  return false;
}

static bool try_all(struct adviser *a) {
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    bool new_one = candidates[i].form == PATCH_INSTRUCTION ||
                   candidates[i].form == PATCH_WRAP;
    for (uint32_t which = 0; which < candidates[i].ways; which++)
      if (!(new_one && a->guarded) && holds(a, candidates[i].form, which))
        return true;
  }
  return false;
}

/* The printed lines under a lock: is that true which the report says of them?
 * What keeps other faults apart is not in the copy. */
static void carry_out(struct adviser *a, struct ranked_cause *c) {
  struct patch_maker *m = &a->maker;
  const struct target *t = m->target;
  bool alone = !(t->regions && t->regions->len) && !t->nset_aside &&
               !m->r->result.finding->causes.beside.nblocks;
  m->searches = 0;
  for (uint32_t which = 0; alone && which < 2 && !c->verified; which++) {
    uint32_t before = m->searches;
    c->verified = holds(a, PATCH_EXACT, which);
    if (m->searches > before && !m->late && !m->interrupted && !c->verified)
      c->carried_fails = arena_strdup(&m->b->arena, m->failed);
  }
  if (c->verified)
    c->carried_fails = NULL;
}

/* Whether all lines are in sources that can be changed; *cxx: and in C++. */
static bool can_change(struct adviser *a, bool *cxx) {
  struct patch_maker *m = &a->maker;
  *cxx = false;
  for (uint32_t i = 0; i < m->cause.nblocks; i++) {
    const struct patch_source *s =
        patch_source_of(&m->sources, m->cause.blocks[i].file);
    if (!s)
      return false;
    *cxx |= s->cxx;
  }
  return true;
}

/* C++: a lock in the printed lines is all that can be tried; without it, what
 * the engine has done. */
static void find_words_cxx(struct adviser *a, struct ranked_cause *c,
                           struct buf *out) {
  carry_out(a, c);
  if (!c->carried_fails)
    say_enforced(a, c, out);
  if (c->verified && out->len)
    buf_puts(out, " (tried with a new lock: compiled and searched, no fault)");
}

/* What the kind of fault asks for. */
static bool mend_kind(struct adviser *a, struct kind_found *k) {
  struct patch_maker *m = &a->maker;
  struct buf words = {0};
  for (uint32_t which = 0; which < PATCH_KIND_WAYS && !k->fix; which++) {
    if (!holds(a, PATCH_KIND, which))
      continue;
    say_tried(a, &words);
    k->fix = arena_strdup(&m->b->arena, words.at);
    k->fix_in = arena_strdup(&m->b->arena, m->out->covered);
  }
  buf_free(&words);
  return k->fix;
}

static void find_words(struct adviser *a, struct ranked_cause *c,
                       struct buf *out) {
  struct patch_maker *m = &a->maker;
  if (!patch_find_places(m))
    return;
  a->guarded = m->places.is_locked || patch_is_guarded(&m->sources, m->cause);
  bool cxx;
  if (!can_change(a, &cxx)) {
    say_enforced(a, c, out);
    return;
  }
  c->verified = !cxx && try_all(a);
  if (c->verified)
    say_tried(a, out);
  else if (cxx)
    find_words_cxx(a, c, out);
  else
    carry_out(a, c);
  if (c->verified)
    c->verified_in = arena_strdup(&m->b->arena, m->out->covered);
}

/* The clients that failed on the way to the causes are known, too. */
static void know_clients(struct adviser *a, const struct finding *f) {
  struct buf first = {0};
  client_print(&f->client, &a->maker.r->result.names, &first);
  vec_push(&a->maker.clients, xstrdup(buf_text(&first)));
  buf_free(&first);
  for (uint32_t i = 0; i < f->causes.len; i++) {
    const char *bad = f->causes.at[i].still_bad;
    uint32_t k = 0;
    while (bad && k < a->maker.clients.len &&
           strcmp(a->maker.clients.at[k], bad))
      k++;
    if (bad && k == a->maker.clients.len)
      vec_push(&a->maker.clients, xstrdup(bad));
  }
}

static void open_adviser(struct adviser *a, struct built *b,
                         struct object_run *r, const struct target *t,
                         double latest, failing_clients *failing) {
  a->settings = *t->settings;
  a->settings.search = SEARCH_AUTO;
  a->settings.no_real_time = false;
  a->settings.max_executions = 0;
  a->settings.time = 0;
  if (a->settings.max_states > TRIED_STATES)
    a->settings.max_states = TRIED_STATES;
  a->target = *t;
  a->target.settings = &a->settings;
  a->target.latest = latest;
  a->target.trial = true;
  a->target.late = &r->late;
  a->target.want_outcomes = false;
  a->maker = (struct patch_maker){
      .b = b, .r = r, .target = &a->target, .out = &a->out, .failing = failing};
}

void advise(struct built *b, struct object_run *r, const struct target *t,
            double latest, failing_clients *failing) {
  struct finding *f = r->result.finding;
  struct ranked_cause *best = f->causes.len && f->causes.at[0].enforced
                                  ? &f->causes.at[0]
                                  : NULL; /* A1 */
  bool kind = f->kind.spots[0].first && !f->kind.fix;
  if ((!best && !kind) || b->interrupted || clock_now() >= latest)
    return;
  struct adviser *a = xcalloc(1, sizeof *a);
  struct buf words = {0};
  struct error ignored = {0};
  phase_begin("advice");
  open_adviser(a, b, r, t, latest, failing);
  know_clients(a, f);
  if (patch_sources_open(&a->maker.sources, b, r->result.object, &ignored) &&
      !(kind && mend_kind(a, &f->kind)) && best) {
    a->maker.cause = best->cause;
    a->maker.searches = 0;
    find_words(a, best, &words);
  }
  if (words.len)
    best->fix = arena_strdup(&b->arena, words.at);
  buf_free(&words);
  patch_maker_free(&a->maker);
  free(a);
}
