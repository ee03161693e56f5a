#include "locate/realise.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

/* Accesses of one thread, one after the other: by_thread[from … to). */
struct run {
  const struct realise_trace *t;
  uint32_t from, to;
};

typedef VEC(struct run) run_vec;

struct subject {
  const struct realise_words *words;
  const struct code_block *block;
  run_vec executions;
  run_vec rounds; /* the executions, cut where a loop begins again */
  bool rounds_are_enough;
};

static const struct conflicts *conflicts_of(const struct realise_trace *t) {
  return t->section->conflicts;
}

static uint32_t node_of(const struct run *r, uint32_t i) {
  return conflicts_of(r->t)->by_thread[r->from + i];
}

static const struct event *event_of(const struct realise_trace *t,
                                    uint32_t node) {
  return &t->trace->events[conflicts_of(t)->nodes[node].event];
}

static const struct event *access_of(const struct run *r, uint32_t i) {
  return event_of(r->t, node_of(r, i));
}

static uint32_t length(const struct run *r) { return r->to - r->from; }

/* ---- executions and rounds ---- */

static bool covers(const struct code_block *b, const char *file,
                   const char *function, uint32_t line) {
  struct code_block place = {file, function, line, line};
  return code_block_covers(b, &place);
}

/* The frame in which a node is in the block: the outermost, as in section.h. */
static const struct section_frame *frame_of(const struct code_block *b,
                                            const struct section_trace *s,
                                            uint32_t node) {
  const struct section_frame *f = section_frames(s, node);
  for (uint32_t i = 0, n = section_depth(s, node); i < n; i++)
    if (covers(b, f[i].file, f[i].function, f[i].line))
      return &f[i];
  return NULL;
}

static bool is_innermost(const struct section_trace *s, uint32_t node,
                         const struct section_frame *f) {
  return f == section_frames(s, node) + section_depth(s, node) - 1;
}

/* Whether control is back where the round began. */
static bool begins_again(const struct code_block *b, const struct run *round,
                         uint32_t node) {
  const struct section_trace *s = round->t->section;
  uint32_t first = node_of(round, 0);
  uint32_t before = node_of(round, length(round) - 1);
  const struct section_frame *f = frame_of(b, s, first),
                             *g = frame_of(b, s, before),
                             *h = frame_of(b, s, node);
  if (!f || !g || !h)
    return false;
  if (h->line <= f->line && h->line < g->line)
    return true;
  return is_innermost(s, first, f) && is_innermost(s, node, h) &&
         event_of(round->t, first)->pc &&
         event_of(round->t, first)->pc == event_of(round->t, node)->pc;
}

/* Cuts one execution; the rounds' nodes get units of their own. */
static void cut(struct subject *s, const struct run *r, uint32_t *unit) {
  struct run round = {r->t, r->from, r->from};
  for (uint32_t i = 0; i < length(r); i++) {
    uint32_t node = node_of(r, i);
    if (length(&round) && begins_again(s->block, &round, node)) {
      vec_push(&s->rounds, round);
      round.from = round.to;
    }
    round.to++;
    unit[node] = s->rounds.len + 1;
  }
  vec_push(&s->rounds, round);
}

static void find_executions(struct subject *s, const struct realise_trace *t) {
  const struct conflicts *c = conflicts_of(t);
  struct rank_trace rank = {c, t->section};
  uint32_t *unit = xcalloc((size_t)c->nnodes + 1, sizeof *unit);
  uint32_t before = s->executions.len;
  section_units(NULL, (struct cause){s->block, 1}, &rank, unit);
  for (uint32_t i = 0, to; i < c->nnodes; i = to) {
    uint32_t u = unit[c->by_thread[i]];
    for (to = i + 1; to < c->nnodes && unit[c->by_thread[to]] == u;)
      to++;
    if (u != UNIT_ALONE)
      vec_push(&s->executions, ((struct run){t, i, to}));
  }
  bool forbidden = !t->good && conflicts_cyclic(c, unit);
  for (uint32_t i = before; i < s->executions.len; i++)
    cut(s, &s->executions.at[i], unit);
  if (forbidden && !conflicts_cyclic(c, unit))
    s->rounds_are_enough = false;
  free(unit);
}

static bool has_pairs(const run_vec *v) {
  for (uint32_t i = 0; i < v->len; i++)
    if (length(&v->at[i]) > 1)
      return true;
  return false;
}

/* ---- one word ---- */

struct word {
  uint64_t lo, hi;
  bool known;
};

static uint64_t mask_of(uint64_t size) {
  return size >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
}

static struct word value_of(const struct event *e, const uint64_t v[2],
                            bool known) {
  return (struct word){v[0] & mask_of(e->size), e->size > 8 ? v[1] : 0, known};
}

static struct word value_read(const struct event *e) {
  if (event_writes[e->kind])
    return value_of(e, e->old, !(e->flags & EVENT_NO_OLD));
  return value_of(e, e->value, !(e->flags & EVENT_NO_VALUE));
}

static struct word value_written(const struct event *e) {
  return value_of(e, e->value, !(e->flags & EVENT_NO_VALUE));
}

/* Whether several values are the same. */
struct same {
  struct word v; /* the first that is known */
  bool unknown;  /* one is not */
  bool differ;   /* two that are known */
};

static void same_add(struct same *s, struct word v) {
  if (!v.known)
    s->unknown = true;
  else if (!s->v.known)
    s->v = v;
  else if (v.lo != s->v.lo || v.hi != s->v.hi)
    s->differ = true;
}

static bool is_same(const struct same *s) { return !s->unknown && !s->differ; }

/* What the executions of a block did to their words. */
struct uses {
  uint32_t updates; /* read, then wrote */
  uint32_t looks;   /* only read, and were not cut off */
  bool looks_again; /* one only read, more than once */
  bool stores;      /* one wrote without a look */
  bool senseless;   /* one wrote, then went on; or compares and swaps already */
  struct same read, written, added;
  uint64_t size;
};

static bool is_word(const struct event *e) {
  uint64_t n = e->size;
  return e->kind != EV_FREE &&
         (n == 1 || n == 2 || n == 4 || n == 8 || n == 16);
}

static bool on_one_word(const struct run *r) {
  const struct event *first = access_of(r, 0);
  for (uint32_t i = 0; i < length(r); i++) {
    const struct event *e = access_of(r, i);
    if (!is_word(e) || e->addr != first->addr || e->size != first->size)
      return false;
  }
  return true;
}

static bool all_on_one_word(const run_vec *v) {
  for (uint32_t i = 0; i < v->len; i++)
    if (!on_one_word(&v->at[i]) ||
        access_of(&v->at[i], 0)->size != access_of(&v->at[0], 0)->size)
      return false;
  return true;
}

/* Whether the trace ends, for this thread, before its call returned. */
static bool is_cut_off(const struct run *r) {
  const struct conflicts *c = conflicts_of(r->t);
  const struct node *last = &c->nodes[node_of(r, length(r) - 1)];
  const struct trace *t = r->t->trace;
  if (last->pos != thread_length(c, last->thread))
    return false;
  for (uint32_t i = last->event; i < t->nevents; i++)
    if (t->events[i].kind == EV_RETURN &&
        t->events[i].call == t->events[last->event].call)
      return false;
  return true;
}

static void add_update(struct uses *u, const struct event *first,
                       const struct event *last_write) {
  struct word old = value_read(first), new = value_written(last_write);
  u->updates++;
  same_add(&u->read, old);
  same_add(&u->written, new);
  new.lo = (new.lo - old.lo) & mask_of(first->size);
  new.known &= old.known;
  same_add(&u->added, new);
}

static void add_use(struct uses *u, const struct run *r) {
  const struct event *first = access_of(r, 0), *last_write = NULL;
  for (uint32_t i = 0; i < length(r); i++) {
    const struct event *e = access_of(r, i);
    u->senseless |= e->kind == EV_CAS || e->kind == EV_CAS_FAIL;
    if (event_writes[e->kind])
      last_write = e;
  }
  u->size = first->size;
  if (!event_reads[first->kind]) {
    u->stores = true;
    u->senseless |= length(r) > 1;
    same_add(&u->written, value_written(first));
  } else if (last_write) {
    add_update(u, first, last_write);
  } else {
    u->looks += !is_cut_off(r);
    u->looks_again |= length(r) > 1;
  }
}

/* ---- names ---- */

/* a[0] and a[3] are a[…]; false when the names have no such form. */
static bool merge_names(struct buf *have, const char *other) {
  const char *a = buf_text(have);
  size_t from = 0, na = strlen(a), nb = strlen(other), back = 0;
  if (!strcmp(a, other))
    return true;
  while (from < na && from < nb && a[from] == other[from])
    from++;
  while (from && a[from - 1] != '[')
    from--;
  while (back < na && back < nb && a[na - 1 - back] == other[nb - 1 - back])
    back++;
  while (back && a[na - back] != ']')
    back--;
  if (!from || !back || from + back > na || from + back > nb)
    return false;
  struct buf merged = {0};
  buf_put(&merged, a, from);
  buf_puts(&merged, "…");
  buf_puts(&merged, a + na - back);
  buf_free(have);
  *have = merged;
  return true;
}

/* The name of the words of all runs; empty when they have none in common. */
static void name_words(const struct subject *s, const run_vec *v,
                       struct buf *out) {
  struct buf one = {0};
  if (!s->words->name)
    return;
  for (uint32_t i = 0; i < v->len; i++) {
    const struct event *e = access_of(&v->at[i], 0);
    buf_clear(&one);
    s->words->name(s->words->ctx, v->at[i].t->trace, e->addr, e->size, &one);
    if (i == 0)
      buf_puts(out, buf_text(&one));
    else if (!one.len || !merge_names(out, buf_text(&one)))
      buf_clear(out);
    if (!out->len)
      break;
  }
  buf_free(&one);
}

/* ---- the sentence about one word ---- */

static void put_instruction(const struct uses *u, const char *of,
                            const char *name, struct buf *out) {
  bool always = !u->looks && u->size <= 8;
  bool constant = always && is_same(&u->written);
  bool adds = always && !u->stores && is_same(&u->added) && u->added.v.lo;
  if (constant && u->read.differ)
    buf_printf(out, "an atomic exchange%s%s would do", of, name);
  else if (adds && u->read.differ)
    buf_printf(out, "a fetch-and-add%s%s would do", of, name);
  else if (constant)
    buf_printf(out,
               "a compare-and-swap%s%s in a loop would do, or an atomic "
               "exchange if what is written does not depend on what was read",
               of, name);
  else
    buf_printf(out, "a compare-and-swap%s%s%s in a loop would do",
               u->size == 16 ? " of 16 bytes" : "",
               u->size == 16 && *of ? " at " : of, name);
}

static void put_one_word(const struct subject *s, const run_vec *v,
                         struct buf *out) {
  struct uses u = {0};
  struct buf name = {0};
  for (uint32_t i = 0; i < v->len; i++)
    add_use(&u, &v->at[i]);
  if (u.senseless)
    return;
  name_words(s, v, &name);
  if (u.updates)
    put_instruction(&u, name.len ? " of " : "", buf_text(&name), out);
  else if (u.looks_again && !u.stores)
    buf_printf(out, "read %s once", name.len ? buf_text(&name) : "it");
  buf_free(&name);
}

/* ---- locks that are held in part ---- */

struct held {
  uint64_t addr;
  uint32_t event; /* that took it */
  uint32_t times;
};

/* A lock during one execution. */
struct lock_use {
  uint64_t addr;
  uint32_t taken;    /* event */
  uint32_t given_up; /* the last time inside the execution, or NONE */
  uint32_t accesses; /* under it */
  bool at_first;
  bool ours; /* not only inside one call that the function makes */
};

struct lock_thread {
  VEC(struct held) held;
  VEC(struct lock_use) uses;
  const struct run *run; /* the execution that it is in, or NULL */
  uint32_t done;         /* accesses of it */
  uint32_t activation;   /* of the block's function */
  bool waits;
};

struct advice {
  uint32_t taken, given_up; /* lines; 0 is unknown, or none */
  bool take, hold;
  uint32_t count;
};

struct lock_walk {
  const struct subject *s;
  const struct realise_trace *t;
  const struct run **run_of; /* of each node, or NULL */
  struct lock_thread threads[UINT8_MAX + 1];
  VEC(struct advice) advice;
};

static bool takes(const struct event *e) {
  return e->kind == EV_LOCK || e->kind == EV_RDLOCK || e->kind == EV_WRLOCK ||
         (e->kind == EV_TRYLOCK && e->value[0] == 1);
}

static bool waits(const struct event *e) {
  return e->kind == EV_COND_WAIT || e->kind == EV_SEM_WAIT ||
         e->kind == EV_BARRIER;
}

/* The line in the block's function at a place, 0 when it is not in it. */
static uint32_t line_at(const struct subject *s, uint64_t pc, bool in_block) {
  struct scope scopes[SCOPES_AT_MOST];
  const struct code_block *b = s->block;
  uint32_t n = pc ? scopes_at(s->words->scopes, pc, scopes) : 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct scope *c = &scopes[i];
    uint32_t line = in_block ? c->line : b->first;
    if (covers(b, c->file, c->function, line))
      return c->line;
  }
  return 0;
}

/* The outermost activation in which an event is in the block; 0: none. */
static uint32_t block_activation(const struct subject *s, const struct trace *t,
                                 const struct event *e) {
  uint32_t found = 0;
  uint64_t pc = e->pc;
  for (uint32_t a = e->activation; a; a = t->activations[a].parent) {
    if (line_at(s, pc, true))
      found = a;
    pc = t->activations[a].call_pc;
  }
  return found;
}

/* The line of an event as seen in an activation of the block's function. */
static uint32_t line_in(const struct subject *s, const struct trace *t,
                        uint32_t event, uint32_t activation) {
  const struct event *e = &t->events[event];
  uint64_t pc = e->pc;
  uint32_t a = e->activation;
  for (; a && a != activation; a = t->activations[a].parent)
    pc = t->activations[a].call_pc;
  return a ? line_at(s, pc, false) : 0;
}

static struct lock_use *use_of(struct lock_thread *l, uint64_t addr) {
  for (uint32_t i = 0; i < l->uses.len; i++)
    if (l->uses.at[i].addr == addr)
      return &l->uses.at[i];
  return NULL;
}

static void take(struct lock_thread *l, const struct event *e, uint32_t event) {
  for (uint32_t i = 0; i < l->held.len; i++)
    if (l->held.at[i].addr == e->addr) {
      l->held.at[i].times++;
      return;
    }
  vec_push(&l->held, ((struct held){e->addr, event, 1}));
}

static void give_up(struct lock_thread *l, const struct event *e,
                    uint32_t event) {
  for (uint32_t i = 0; i < l->held.len; i++) {
    struct held *h = &l->held.at[i];
    if (h->addr != e->addr || --h->times)
      continue;
    struct lock_use *u = l->run ? use_of(l, e->addr) : NULL;
    if (u)
      u->given_up = event;
    *h = vec_pop(&l->held);
    return;
  }
}

static void begin(struct lock_walk *w, struct lock_thread *l,
                  const struct run *r) {
  l->run = r;
  l->done = 0;
  l->waits = false;
  l->activation = block_activation(w->s, w->t->trace, access_of(r, 0));
  vec_clear(&l->uses);
}

static void note(struct lock_walk *w, struct lock_thread *l, uint32_t node,
                 const struct held *h) {
  const struct section_frame *f = frame_of(w->s->block, w->t->section, node);
  struct lock_use *u = use_of(l, h->addr);
  if (!u) {
    vec_push(&l->uses, ((struct lock_use){.addr = h->addr,
                                          .taken = h->event,
                                          .given_up = NONE,
                                          .at_first = l->done == 0}));
    u = &vec_last(&l->uses);
  }
  u->accesses++;
  u->ours |=
      f && f->line != line_in(w->s, w->t->trace, h->event, l->activation);
}

static void advise(struct lock_walk *w, struct advice a) {
  for (uint32_t i = 0; i < w->advice.len; i++) {
    struct advice *b = &w->advice.at[i];
    if (a.taken == b->taken && a.given_up == b->given_up && a.take == b->take &&
        a.hold == b->hold) {
      b->count++;
      return;
    }
  }
  a.count = 1;
  vec_push(&w->advice, a);
}

/* An execution is over: of the locks held in part, the one held the longest. */
static void end(struct lock_walk *w, struct lock_thread *l) {
  const struct lock_use *best = NULL;
  for (uint32_t i = 0; i < l->uses.len; i++) {
    const struct lock_use *u = &l->uses.at[i];
    bool in_part = u->accesses < l->done || u->given_up != NONE;
    if (u->ours && in_part && (!best || best->accesses < u->accesses))
      best = u;
  }
  l->run = NULL;
  if (!best || l->waits || !l->activation)
    return;
  const struct trace *t = w->t->trace;
  struct advice a = {.take = !best->at_first, .hold = best->given_up != NONE};
  a.taken = line_in(w->s, t, best->taken, l->activation);
  if (a.hold)
    a.given_up = line_in(w->s, t, best->given_up, l->activation);
  if ((!a.take || a.taken) && (!a.hold || a.given_up))
    advise(w, a);
}

static void pass(struct lock_walk *w, struct lock_thread *l, uint32_t node) {
  const struct run *r = w->run_of[node];
  if (!r)
    return;
  if (l->run != r)
    begin(w, l, r);
  for (uint32_t i = 0; i < l->held.len; i++)
    note(w, l, node, &l->held.at[i]);
  if (++l->done == length(r))
    end(w, l);
}

static void walk(struct lock_walk *w) {
  const struct trace *t = w->t->trace;
  const struct conflicts *c = conflicts_of(w->t);
  for (uint32_t i = 0, node = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    struct lock_thread *l = &w->threads[e->thread];
    l->waits |= waits(e);
    if (takes(e))
      take(l, e, i);
    else if (e->kind == EV_UNLOCK)
      give_up(l, e, i);
    if (node < c->nnodes && c->nodes[node].event == i)
      pass(w, l, node++);
  }
}

/* All executions of one trace, which begin at `first` of the subject's. */
static uint32_t walk_trace(struct lock_walk *w, uint32_t first) {
  const run_vec *v = &w->s->executions;
  uint32_t i = first;
  w->t = v->at[first].t;
  w->run_of =
      xcalloc((size_t)conflicts_of(w->t)->nnodes + 1, sizeof *w->run_of);
  for (; i < v->len && v->at[i].t == w->t; i++)
    for (uint32_t k = 0; k < length(&v->at[i]); k++)
      w->run_of[node_of(&v->at[i], k)] = &v->at[i];
  walk(w);
  for (uint32_t k = 0; k <= UINT8_MAX; k++) {
    vec_free(&w->threads[k].held);
    vec_free(&w->threads[k].uses);
    w->threads[k] = (struct lock_thread){0};
  }
  free(w->run_of);
  return i;
}

static void put_advice(const struct advice *a, const struct code_block *b,
                       struct buf *out) {
  if (a->take)
    buf_printf(out, "take the lock of line %u before line %u", a->taken,
               b->first);
  if (a->take && a->hold)
    buf_printf(out, " and hold it until line %u", b->last);
  else if (a->hold && a->taken)
    buf_printf(out, "hold the lock of line %u until line %u", a->taken,
               b->last);
  else if (a->hold)
    buf_printf(out, "hold the lock that line %u gives up until line %u",
               a->given_up, b->last);
}

/* Whether there was a lock to speak of. */
static bool put_lock(const struct subject *s, struct buf *out) {
  if (!s->words->scopes)
    return false;
  struct lock_walk *w = xcalloc(1, sizeof *w);
  const struct advice *best = NULL;
  w->s = s;
  for (uint32_t i = 0; i < s->executions.len;)
    i = walk_trace(w, i);
  for (uint32_t i = 0; i < w->advice.len; i++)
    if (!best || best->count < w->advice.at[i].count)
      best = &w->advice.at[i];
  if (best)
    put_advice(best, s->block, out);
  bool found = best != NULL;
  vec_free(&w->advice);
  free(w);
  return found;
}

void realise(const struct realise_words *w, const struct code_block *b,
             const struct realise_trace *t, uint32_t n, struct buf *out) {
  struct subject s = {.words = w, .block = b, .rounds_are_enough = true};
  for (uint32_t i = 0; i < n; i++)
    find_executions(&s, &t[i]);
  const run_vec *v =
      s.rounds_are_enough && has_pairs(&s.rounds) ? &s.rounds : &s.executions;
  if (has_pairs(v) && !put_lock(&s, out)) {
    if (all_on_one_word(v))
      put_one_word(&s, v, out);
    else
      buf_puts(out, "one lock around these lines, and around every other place "
                    "that touches the same data");
  }
  vec_free(&s.executions);
  vec_free(&s.rounds);
}
