/* A block that a lock covers in part. */
#include "locate/realise_int.h"

#include "locate/rivals.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

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
  bool over; /* a timed wait, which never gave the lock back */
};

struct lock_advice {
  uint32_t taken, given_up; /* lines; 0 is unknown, or none */
  bool take, hold;
  uint32_t nested; /* line of another lock that then is held or taken beside */
  uint32_t count;
};

struct lock_walk {
  const struct realise_subject *s;
  const struct realise_trace *t;
  const struct run **run_of; /* of each node, or NULL */
  struct lock_thread threads[UINT8_MAX + 1];
  VEC(struct lock_advice) advice;
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
static uint32_t line_at(const struct realise_subject *s, uint64_t pc,
                        bool in_block) {
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
static uint32_t block_activation(const struct realise_subject *s,
                                 const struct trace *t, const struct event *e) {
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
static uint32_t line_in(const struct realise_subject *s, const struct trace *t,
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
  const struct section_frame *f =
      realise_frame(w->s->block, w->t->section, node);
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

static void advise(struct lock_walk *w, struct lock_advice a) {
  for (uint32_t i = 0; i < w->advice.len; i++) {
    struct lock_advice *b = &w->advice.at[i];
    if (a.taken == b->taken && a.given_up == b->given_up && a.take == b->take &&
        a.hold == b->hold) {
      b->nested = b->nested ? b->nested : a.nested;
      b->count++;
      return;
    }
  }
  a.count = 1;
  vec_push(&w->advice, a);
}

/*
 * Another lock that would be held together with this one, which it is not now:
 * one that was given back before this was taken, or taken after this was given
 * back.  Two locks that are taken in two orders are a deadlock.
 */
static uint32_t find_nested(const struct lock_walk *w,
                            const struct lock_thread *l,
                            const struct lock_use *best) {
  for (uint32_t i = 0; i < l->uses.len; i++) {
    const struct lock_use *u = &l->uses.at[i];
    bool before = u->given_up != NONE && u->given_up < best->taken;
    bool after = best->given_up != NONE && best->given_up < u->taken;
    if (before || after)
      return line_in(w->s, w->t->trace, u->taken, l->activation);
  }
  return 0;
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
  struct lock_advice a = {.take = !best->at_first,
                          .hold = best->given_up != NONE};
  a.taken = line_in(w->s, t, best->taken, l->activation);
  if (a.hold)
    a.given_up = line_in(w->s, t, best->given_up, l->activation);
  a.nested = find_nested(w, l, best);
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
    if (takes(e) && !l->over)
      take(l, e, i);
    else if (e->kind == EV_UNLOCK)
      give_up(l, e, i);
    l->over = e->kind == EV_WAIT_OVER;
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

/* "the lock of line 85, lock(&l->lock)," */
static void put_lock(const struct realise_subject *s, uint32_t line,
                     struct buf *out) {
  struct buf call = {0};
  buf_printf(out, "the lock of line %u", line);
  if (s->words->call)
    s->words->call(s->words->ctx, s->block->file, line, &call);
  if (call.len)
    buf_printf(out, ", %s,", call.at);
  buf_free(&call);
}

static void put_advice(const struct realise_subject *s,
                       const struct lock_advice *a, struct buf *out) {
  const struct code_block *b = s->block;
  if (a->take) {
    buf_puts(out, "move ");
    put_lock(s, a->taken, out);
    buf_printf(out, " up to line %u", b->first);
  }
  if (a->take && a->hold) {
    buf_printf(out, " and hold it until line %u", b->last);
  } else if (a->hold && a->taken) {
    buf_puts(out, "hold ");
    put_lock(s, a->taken, out);
    buf_printf(out, " until line %u", b->last);
  } else if (a->hold) {
    buf_printf(out, "hold the lock that line %u gives up until line %u",
               a->given_up, b->last);
  }
  if (a->nested) {
    buf_puts(out, "; it is then held together with ");
    put_lock(s, a->nested, out);
    buf_puts(out, out->at[out->len - 1] == ',' ? "" : ",");
    buf_puts(out,
             " which is a deadlock if others take the two the other way round");
  }
}

/* A lock cannot be taken where its owner is not known yet. */
static bool is_possible(const struct realise_subject *s,
                        const struct lock_advice *a) {
  return !a->take || !s->words->moves ||
         s->words->moves(s->words->ctx, s->block->file, a->taken,
                         s->block->first);
}

bool realise_lock(const struct realise_subject *s, struct buf *out) {
  if (!s->words->scopes)
    return false;
  struct lock_walk *w = xcalloc(1, sizeof *w);
  const struct lock_advice *best = NULL;
  w->s = s;
  for (uint32_t i = 0; i < s->executions.len;)
    i = walk_trace(w, i);
  for (uint32_t i = 0; i < w->advice.len; i++)
    if ((!best || best->count < w->advice.at[i].count) &&
        is_possible(s, &w->advice.at[i]))
      best = &w->advice.at[i];
  if (best)
    put_advice(s, best, out);
  bool found = best != NULL;
  vec_free(&w->advice);
  free(w);
  return found;
}

/* ---- locks that others hold ---- */

/* The locks that were held at every access of some kind so far. */
struct common {
  VEC(struct held) at;
  bool any;                          /* there was such an access */
  const struct realise_trace *first; /* whose events took them … */
  uint32_t access;                   /* … before this event of it */
};

struct others {
  struct common rivals, inside;
};

static bool has_lock(const struct lock_thread *l, uint64_t addr) {
  for (uint32_t i = 0; i < l->held.len; i++)
    if (l->held.at[i].addr == addr)
      return true;
  return false;
}

static void meet(struct common *c, const struct lock_thread *l,
                 const struct realise_trace *t, uint32_t access) {
  uint32_t kept = 0;
  if (!c->any) {
    c->first = t;
    c->access = access;
  }
  for (uint32_t i = 0; !c->any && i < l->held.len; i++)
    vec_push(&c->at, l->held.at[i]);
  for (uint32_t i = 0; i < c->at.len; i++)
    if (has_lock(l, c->at.at[i].addr))
      c->at.at[kept++] = c->at.at[i];
  c->at.len = kept;
  c->any = true;
}

static void look_at_others(struct others *o, const struct code_block *b,
                           const struct realise_trace *t) {
  const struct conflicts *c = conflicts_of(t);
  struct rivals r;
  struct lock_thread *threads = xcalloc(UINT8_MAX + 1, sizeof *threads);
  rivals_find(&r, t->trace, t->section, (struct cause){b, 1});
  for (uint32_t i = 0, node = 0; i < t->trace->nevents; i++) {
    const struct event *e = &t->trace->events[i];
    struct lock_thread *l = &threads[e->thread];
    if (takes(e))
      take(l, e, i);
    else if (e->kind == EV_UNLOCK)
      give_up(l, e, i);
    if (node >= c->nnodes || c->nodes[node].event != i)
      continue;
    if (r.inside[node])
      meet(&o->inside, l, t, i);
    else if (r.of[node])
      meet(&o->rivals, l, t, i);
    node++;
  }
  for (uint32_t k = 0; k <= UINT8_MAX; k++)
    vec_free(&threads[k].held);
  free(threads);
  rivals_free(&r);
}

/* The line in the block's file at which an event happened; 0: unknown. */
static uint32_t line_in_file(const struct realise_subject *s, uint64_t pc) {
  struct scope scopes[SCOPES_AT_MOST];
  uint32_t n = pc ? scopes_at(s->words->scopes, pc, scopes) : 0;
  while (n-- > 0)
    if (scopes[n].file && s->block->file &&
        !strcmp(scopes[n].file, s->block->file))
      return scopes[n].line;
  return 0;
}

/* Whether an activation is one of those that an event is in. */
static bool is_active(const struct trace *t, uint32_t activation,
                      uint32_t event) {
  uint32_t a = t->events[event].activation;
  while (a && a != activation)
    a = t->activations[a].parent;
  return a != 0;
}

/* The line that took a lock, in the function that has not returned by then: a
 * function that only locks is called by who is meant. */
static uint32_t line_taken(const struct realise_subject *s,
                           const struct common *c, uint32_t event) {
  const struct trace *t = c->first->trace;
  uint64_t pc = t->events[event].pc;
  uint32_t a = t->events[event].activation;
  for (; a && !is_active(t, a, c->access); a = t->activations[a].parent)
    pc = t->activations[a].call_pc;
  return a ? line_in_file(s, pc) : 0;
}

static bool is_among(const struct common *c, uint64_t addr) {
  for (uint32_t i = 0; i < c->at.len; i++)
    if (c->at.at[i].addr == addr)
      return true;
  return false;
}

/* A lock of `c` that the others do not have, and the line that takes it. */
static uint32_t find_lock(const struct realise_subject *s,
                          const struct common *c,
                          const struct common *without) {
  for (uint32_t i = 0; i < c->at.len; i++) {
    const struct held *h = &c->at.at[i];
    const struct event *e = &c->first->trace->events[h->event];
    uint32_t line = line_taken(s, c, h->event);
    /* A lock for readers need not be enough. */
    if (line && e->kind != EV_RDLOCK && !is_among(without, h->addr))
      return line;
  }
  return 0;
}

bool realise_others(const struct realise_subject *s,
                    const struct realise_trace *t, uint32_t n,
                    struct buf *out) {
  struct others o = {0};
  for (uint32_t i = 0; s->words->scopes && i < n; i++)
    look_at_others(&o, s->block, &t[i]);
  uint32_t theirs = find_lock(s, &o.rivals, &o.inside);
  uint32_t ours =
      !theirs && o.rivals.any ? find_lock(s, &o.inside, &o.rivals) : 0;
  if (theirs || ours) {
    buf_puts(out, "take ");
    put_lock(s, theirs ? theirs : ours, out);
    buf_puts(out, theirs ? " for these lines too: all others that touch the "
                           "same data hold it"
                         : " wherever else the same data is touched");
  }
  vec_free(&o.rivals.at);
  vec_free(&o.inside.at);
  return theirs || ours;
}
