/*
 * For test programs that run the engine: an object from a C text, opened in a
 * forked child (there is one engine in a process, and user code runs in it),
 * clients in the usual notation, and everything that a search finds.
 *
 *   static void body(void *arg) { engine_open(arg, NULL); …CHECK(…)… }
 *   TEST(…) { engine_child(body, engine_build("…", NULL)); }
 *
 * Checks that fail in the child fail in the parent too.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "scratch.h"

#include "base/arena.h"
#include "base/map128.h"
#include "base/rng.h"
#include "check/check.h"
#include "rt/rt.h"
#include "search/explore.h"
#include "search/generate.h"
#include "spec/implementation.h"

#include <sys/wait.h>

enum { ENGINE_MAX_OPS = 64, ENGINE_MAX_STEPS = 2000 };

/* Of the child. */
static struct {
  const struct fl_suite *suite;
  struct op_names names;
  const char *name[ENGINE_MAX_OPS];
  uint8_t nargs[ENGINE_MAX_OPS];
  struct gen_op gen[ENGINE_MAX_OPS];
  struct gen_object object;
} engine;

/* ---- building ---- */

static const char *engine_cc; /* NULL: gcc */

/* One source file, or a whole program when it has main(). */
__attribute__((unused)) static char *engine_build_file(const char *path,
                                                       const char *opt) {
  struct build b = {.cc = engine_cc, .opt = opt, .include = FL_SOURCE_INCLUDE};
  struct error e = {0};
  char *so = NULL;
  vec_push(&b.inputs, path);
  if (strlen(path) > 4 && !strcmp(path + strlen(path) - 4, ".cpp"))
    vec_push(&b.flags, "-std=c++20"); /* examples/cxx_semaphore.cpp */
  if (build_shared(&b, "out", &so, &e))
    die("%s", e.text);
  vec_free(&b.inputs);
  vec_free(&b.flags);
  return so;
}

__attribute__((unused)) static char *engine_build(const char *text,
                                                  const char *opt) {
  static unsigned count;
  char name[64];
  snprintf(name, sizeof name, "object%u.c", count++);
  scratch_write(name, text);
  return engine_build_file(name, opt);
}

/* ---- the child ---- */

/* Runs fn(arg) in a child; a child that dies is a failed check. */
__attribute__((unused)) static void
engine_child_at(const char *file, int line, void (*fn)(void *), void *arg) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0)
    die("cannot fork");
  if (!pid) {
    test_errors = 0;
    fn(arg);
    fflush(NULL);
    _exit(test_errors ? 1 : 0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (status) {
    test_errors++;
    fprintf(stderr, "%s:%d: the child %s %d\n", file, line,
            WIFSIGNALED(status) ? "was ended by signal" : "ended with status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
}
#define engine_child(fn, arg) engine_child_at(__FILE__, __LINE__, fn, arg)

static void engine_take_op(uint32_t i, const struct fl_op *op) {
  struct gen_op *to = &engine.gen[i];
  engine.name[i] = op->name;
  for (unsigned k = 0; k < op->nitems; k++) {
    const struct fl_item *item = &op->items[k];
    if (item->kind == FL_ITEM_BLOCKING)
      to->waits = true;
    if (item->kind == FL_ITEM_GROUP) /* one group at most, in our objects */
      to->group = 1 + (uint32_t)(item->text[0] & 31);
    if (item->kind != FL_ITEM_RANGE && item->kind != FL_ITEM_DATA)
      continue;
    struct gen_arg *a = &to->args[to->nargs++];
    int64_t *values = xcalloc((size_t)(item->hi - item->lo) + 1, 8);
    for (long long v = item->lo; v <= item->hi; v++)
      values[a->count++] = v;
    a->values = values;
  }
  to->returns = op->type != FL_TYPE_VOID;
  engine.nargs[i] = to->nargs;
}

__attribute__((unused)) static void
engine_open(const char *so, const struct rt_options *options) {
  struct rt_options o = {.max_steps = ENGINE_MAX_STEPS, .watchdog_ms = 10000};
  struct error e = {0};
  if (options) {
    o = *options;
    o.max_steps = o.max_steps ? o.max_steps : ENGINE_MAX_STEPS;
    o.watchdog_ms = o.watchdog_ms ? o.watchdog_ms : 10000;
  }
  const char *buffer = getenv("ENGINE_BUFFER"); /* the same test under TSO */
  if (buffer) {
    o.tso = true;
    o.buffer = (uint32_t)atoi(buffer);
  }
  if (rt_open(so, &o, &e))
    die("%s", e.text);
  engine.suite = rt_suites();
  uint32_t n = 0;
  if (engine.suite)
    for (const struct fl_op *p = engine.suite->ops; p; p = p->next)
      engine_take_op(n++, p);
  engine.names = (struct op_names){engine.name, n};
  engine.object = (struct gen_object){engine.gen, n};
}

__attribute__((unused)) static void engine_client(struct client *c,
                                                  const char *text) {
  struct error e = {0};
  if (client_read(c, text, &engine.names, engine.nargs, &e))
    die("%s", e.text);
}

__attribute__((unused)) static const char *engine_text(const struct client *c) {
  static struct buf b;
  buf_clear(&b);
  client_print(c, &engine.names, &b);
  return buf_text(&b);
}

/* ---- what a search finds ---- */

struct engine_record {
  struct history history;
  enum rt_end end;
  enum fault fault;
  bool explained; /* by the object run sequentially */
  struct hash128 outcome, digest;
};

struct engine_found {
  const struct client *client;
  bool keep;                    /* the path of each is looked for */
  VEC(struct engine_record) at; /* one of each digest */
  struct map128 index;
  enum explore_end end;
  uint64_t executions, cut, states, interleavings;
};

/* Results, which calls are pending, and how it ended. */
static struct hash128 engine_outcome(const struct engine_record *r) {
  struct value v[128];
  uint32_t n = r->history.client ? r->history.client->ncalls : 0;
  for (uint32_t i = 0; i < n && i < 126; i++)
    v[i] = hop_pending(&r->history.ops[i]) ? (struct value){99, 0}
                                           : r->history.ops[i].result;
  v[n] = (struct value){r->end, r->fault};
  return hash128(v, (n + 1) * sizeof *v, 0);
}

static enum judgement engine_note(void *ctx, enum rt_end end) {
  struct engine_found *f = ctx;
  const struct history *h = rt_history();
  struct engine_record r = {.history = *h, .end = end};
  if (end == RT_FAULT)
    r.fault = rt_fault()->kind;
  uint64_t how[2] = {end, r.fault};
  r.digest = hash128_join(history_digest(h), hash128(how, sizeof how, 0));
  bool fresh;
  map128_put(&f->index, r.digest, &fresh);
  if (!fresh)
    return JUDGE_GOOD;
  uint32_t n = h->client ? h->client->ncalls : 0;
  r.history.ops = xcalloc(n + 1, sizeof *r.history.ops);
  memcpy(r.history.ops, h->ops, n * sizeof *h->ops);
  r.outcome = engine_outcome(&r);
  vec_push(&f->at, r);
  return f->keep ? JUDGE_BAD : JUDGE_GOOD;
}

enum engine_search {
  ENGINE_DFS,
  ENGINE_STATEFUL,
  ENGINE_UNREDUCED,
  ENGINE_GUARDS /* stateful, critical sections as one step */
};

/* Everything that a search of the prepared client finds. */
__attribute__((unused)) static void engine_explore(struct engine_found *f,
                                                   const struct client *c,
                                                   enum engine_search how,
                                                   uint64_t max_executions) {
  *f = (struct engine_found){.client = c, .keep = how == ENGINE_GUARDS};
  struct explore x = {.judge = {engine_note, f},
                      .max_executions = max_executions,
                      .no_reduction = how == ENGINE_UNREDUCED,
                      .guards = how == ENGINE_GUARDS,
                      .all = true,
                      .graph = how != ENGINE_GUARDS};
  f->end = how == ENGINE_DFS ? explore_dfs(&x) : explore_stateful(&x);
  f->executions = x.executions;
  f->cut = x.cut;
  f->states = x.states;
  f->interleavings = x.interleavings;
  vec_free(&x.bad);
}

__attribute__((unused)) static void engine_free(struct engine_found *f) {
  for (uint32_t i = 0; i < f->at.len; i++)
    free(f->at.at[i].history.ops);
  vec_free(&f->at);
  map128_free(&f->index);
}

/* Fills in `explained`; the client must still be prepared.  How many are not.
 */
__attribute__((unused)) static uint32_t engine_check(struct engine_found *f) {
  struct spec *s = spec_implementation();
  struct check check = {0};
  uint32_t bad = 0;
  spec_implementation_client(s, f->client);
  for (uint32_t i = 0; i < f->at.len; i++) {
    struct engine_record *r = &f->at.at[i];
    r->explained = r->end != RT_FAULT;
    if (r->explained && r->end != RT_CUT) {
      check_linearize(&r->history, s, CRITERION_LINEARIZABLE, 0, &check);
      r->explained = check.answer == CHECK_YES;
    }
    bad += !r->explained;
  }
  check_free(&check);
  spec_free(s);
  return bad;
}

__attribute__((unused)) static uint32_t
engine_outcomes(const struct engine_found *f) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->at.len; i++) {
    bool before = false;
    for (uint32_t k = 0; k < i; k++)
      before |= hash128_equal(f->at.at[k].outcome, f->at.at[i].outcome);
    n += !before;
  }
  return n;
}

/* A driver that follows a path (struct replay) for one recorded run. */
__attribute__((unused)) static enum rt_end
engine_record_path(const uint8_t *at, uint32_t len, struct arena *a,
                   struct trace *t, path *taken) {
  struct replay r;
  replay_init(&r, at, len);
  enum rt_end end = rt_run_recorded(&r.driver, a, t);
  if (taken) {
    vec_clear(taken);
    for (uint32_t i = 0; i < r.taken.len; i++)
      vec_push(taken, r.taken.at[i]);
  }
  replay_free(&r);
  return end;
}

#endif
