#include "locate/trace_set.h"

#include "locate/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- frames ---- */

struct framing {
  struct trace_set *x;
  struct trace_file *file;
  const struct stored_trace *stored;
  struct section_trace *s;
  uint32_t instances;
};

static const char *op_name(struct framing *g, uint32_t op) {
  const struct trace_about *about = &g->stored->about;
  if (op < about->nops && about->op_names[op])
    return about->op_names[op];
  char name[32];
  snprintf(name, sizeof name, "operation %u", op);
  return arena_strdup(&g->x->arena, name);
}

/* `copy` holds the activation, which is all that is known of an instance. */
static struct section_frame frame_at(struct framing *g, uint32_t activation,
                                     uint64_t pc) {
  const struct place *p = trace_file_place(g->file, pc);
  struct section_frame f = {
      .copy = activation, .pc = pc, .role = PLACE_UNKNOWN};
  if (p && p->line) {
    f.role = p->file ? place_role(p) : PLACE_OBJECT;
    f.file = p->file ? p->file : "";
    f.function = p->function ? p->function : "";
    f.line = p->line;
    f.column = p->column;
  }
  return f;
}

static void push_activations(struct framing *g, const struct event *e) {
  const struct trace *t = &g->stored->trace;
  uint32_t from = g->s->frames.len;
  uint64_t pc = e->pc;
  for (uint32_t a = e->activation; a; a = t->activations[a].parent) {
    vec_push(&g->s->frames, frame_at(g, a, pc));
    pc = t->activations[a].call_pc;
  }
  for (uint32_t to = g->s->frames.len; from + 1 < to; from++, to--) {
    struct section_frame inner = g->s->frames.at[from];
    g->s->frames.at[from] = g->s->frames.at[to - 1];
    g->s->frames.at[to - 1] = inner;
  }
}

/* The frames of a node, from the outside in, not yet with instances. */
static void push_frames(struct framing *g, uint32_t node) {
  const struct conflicts *c = g->s->conflicts;
  const struct node *n = &c->nodes[node];
  const struct operation *op = &c->ops[n->op];
  struct section_frame whole = {.file = TRACE_SET_ACCESSES,
                                .copy = n->op,
                                .line = n->pos - c->nodes[op->first].pos + 1};
  whole.function = node == op->first
                       ? op_name(g, op->id)
                       : section_frames(g->s, op->first)->function;
  vec_push(&g->s->frames, whole);
  push_activations(g, &g->stored->trace.events[n->event]);
}

/* An instance goes on from the thread's node before, or it is a new one: a
 * file may use one number for two executions of a function. */
static void number_frames(struct framing *g, uint32_t node) {
  const struct conflicts *c = g->s->conflicts;
  const struct node *n = &c->nodes[node];
  bool same = n->pos > 1;
  uint32_t before = same ? node_at(c, n->thread, n->pos - 1) : 0;
  struct section_frame *f = g->s->frames.at + g->s->at[node];
  for (uint32_t i = 0; i < section_depth(g->s, node); i++) {
    const struct section_frame *b = section_frames(g->s, before);
    same = same && i < section_depth(g->s, before) && b[i].copy == f[i].copy;
    f[i].instance = same ? b[i].instance : g->instances++;
  }
}

static void find_frames(struct framing *g) {
  const struct conflicts *c = g->s->conflicts;
  g->s->at = xcalloc((size_t)c->nnodes + 1, sizeof *g->s->at);
  for (uint32_t i = 0; i < c->nnodes; i++) {
    push_frames(g, i);
    g->s->at[i + 1] = g->s->frames.len;
    number_frames(g, i);
  }
}

/* ---- traces ---- */

bool conflicts_have_cycle(const struct conflicts *c) {
  uint32_t *unit = xcalloc((size_t)c->nnodes + 1, sizeof *unit);
  for (uint32_t i = 0; i < c->nnodes; i++)
    unit[i] = c->nodes[i].op;
  bool some = conflicts_cyclic(c, unit);
  free(unit);
  return some;
}

static struct hash128 hash_frames(const struct section_trace *s,
                                  uint32_t node) {
  struct hash128 h = {0, 0};
  for (uint32_t i = 0; i < section_depth(s, node); i++) {
    const struct section_frame *f = section_frames(s, node) + i;
    const char *file = f->file ? f->file : "";
    const char *function = f->function ? f->function : "";
    h = hash128_join(h, hash128(file, strlen(file), 0));
    h = hash128_join(h, hash128(function, strlen(function), f->line));
  }
  return h;
}

/* T1.  Addresses do not matter: two files need not have the same ones, and
 * everything that is computed from a trace is a function of the order. */
static struct hash128 class_of(const struct located *t) {
  const struct conflicts *c = &t->conflicts;
  struct hash128 sum = {c->nnodes, t->bad};
  for (uint32_t i = 0; i < c->nnodes; i++) {
    const struct node *n = &c->nodes[i];
    uint64_t key[] = {c->thread_ids[n->thread], c->ops[n->op].id, n->pos,
                      n->writes};
    struct hash128 before = {0, 0};
    for (uint32_t k = 0; k < c->nthreads; k++) {
      uint32_t reached[] = {c->thread_ids[k], clock_of(c, i)[k]};
      before.lo += reached[1] ? hash64(reached, sizeof reached, 0) : 0;
      before.hi += reached[1] ? hash64(reached, sizeof reached, 1) : 0;
    }
    struct hash128 h = hash128_join(hash128(key, sizeof key, 0), before);
    h = hash128_join(h, hash_frames(&t->section, i));
    sum.lo += h.lo;
    sum.hi += h.hi;
  }
  return sum;
}

static uint32_t count_calls(const struct trace *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->nevents; i++)
    n += t->events[i].kind == EV_CALL || t->events[i].kind == EV_RETURN;
  return n;
}

/* Without a cycle, it is the real-time order which a failing trace breaks. */
static void find_conflicts(struct conflicts *c, const struct trace *t,
                           bool bad) {
  struct accesses accesses = {0};
  accesses_from_trace(t, &accesses);
  conflicts_init(c, accesses.at, accesses.len, 0);
  if (bad && !conflicts_have_cycle(c)) {
    conflicts_free(c);
    conflicts_init(c, accesses.at, accesses.len, CONFLICTS_REAL_TIME);
  }
  free(accesses.at);
}

static void add_trace(struct trace_set *x, struct trace_file *f,
                      const struct stored_trace *stored, bool bad) {
  struct located *t = xcalloc(1, sizeof *t);
  struct framing g = {
      .x = x, .file = f, .stored = stored, .s = &t->section, .instances = 0};
  bool fresh;
  t->bad = bad;
  t->given = !bad;
  t->outcome = ANY_OUTCOME;
  t->calls = count_calls(&stored->trace);
  t->section.conflicts = &t->conflicts;
  find_conflicts(&t->conflicts, &stored->trace, bad);
  find_frames(&g);
  map128_put(&x->known, class_of(t), &fresh);
  if (fresh)
    vec_push(&x->traces, t);
  else
    located_free(t);
}

static bool has_failed(const struct stored_trace *t) {
  return t->about.verdict == VERDICT_VIOLATION ||
         t->about.verdict == VERDICT_ERROR;
}

int trace_set_read(struct trace_set *x, const char *path, bool good,
                   struct error *e) {
  struct trace_file f;
  int err = trace_file_read(&f, path, e);
  if (err)
    return err;
  vec_push(&x->files, f);
  for (uint32_t i = 0; i < f.ntraces; i++) {
    const struct stored_trace *t = &f.traces[i];
    if (good && has_failed(t))
      return error_set(e, ERR_INPUT,
                       "%s:%u: this trace fails, so it is no good trace", path,
                       t->line);
    add_trace(x, &vec_last(&x->files), t,
              !good && t->about.verdict != VERDICT_PASS);
  }
  return 0;
}

void trace_set_find_rounds(struct trace_set *x, struct loops *loops) {
  for (uint32_t i = 0; i < x->traces.len; i++)
    section_learn_loops(&x->traces.at[i]->section, loops);
  for (uint32_t i = 0; i < x->traces.len; i++)
    section_find_rounds(&x->traces.at[i]->section, loops);
}

void trace_set_free(struct trace_set *x) {
  for (uint32_t i = 0; i < x->traces.len; i++)
    located_free(x->traces.at[i]);
  vec_free(&x->traces);
  for (uint32_t i = 0; i < x->files.len; i++)
    trace_file_free(&x->files.at[i]);
  vec_free(&x->files);
  map128_free(&x->known);
  arena_free(&x->arena);
}
