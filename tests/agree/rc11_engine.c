/*
 * Programs of the C11 memory model as C: those of tests/litmus/c11.txt, and
 * random ones.  What the engine shows is compared with the axioms
 * (rc11_graphs), for programs without a data race:
 *
 *   sc   all outcomes are allowed, and with seq_cst everywhere there are all
 *   tso  all outcomes are allowed: what compilers to x86 rely on
 *   c11  the same outcomes, by as many graphs; by both exhaustive searches
 *
 *   test_agree_rc11_engine [FIRST [COUNT]]
 *
 * runs the random programs FIRST, FIRST + 1, … only.  A program that differs is
 * made smaller while it does, and printed.
 */
#include "engine.h"
#include "litmus_c11.h"
#include "random_rc11.h"

#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
enum { COUNT = 40 };
#else
enum { COUNT = 300 };
#endif
enum {
  BATCH = 150, /* programs in one object: compiling is what takes time */
  MOST_EXECUTIONS = 20000 /* where there are more, they prove less */
};

enum model { SC, TSO, C11, C11_STATES, NMODELS };
static const char *const model_words[] = {"sc", "tso", "c11",
                                          "c11 (search over states)"};
static bool is_c11(enum model m) { return m == C11 || m == C11_STATES; }

struct case_of {
  struct rc11_program program;
  unsigned number;
};

struct batch {
  const struct case_of *at;
  unsigned n;
  bool quiet;
};

/* ---- what the engine finds ---- */

struct found {
  const struct rc11_program *program;
  struct rc11_found all; /* outcomes only */
  uint64_t executions;
  char trouble[640]; /* how an execution ended that should not have */
};

static enum judgement note(void *ctx, enum rt_end end) {
  struct found *f = ctx;
  const struct history *h = rt_history();
  uint64_t results[RC11_PARTS] = {0};
  struct rc11_outcome o;
  if (end != RT_DONE) {
    snprintf(f->trouble, sizeof f->trouble, "end %d: %s", end,
             end == RT_FAULT ? rt_fault()->text : "");
    return JUDGE_STOP;
  }
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    results[i] = h->ops[i].result.bits;
  rc11_unpack(f->program, results, &o);
  if (!rc11_has_outcome(&f->all, &o))
    vec_push(&f->all.outcomes, o);
  return JUDGE_GOOD;
}

static const struct fl_suite *suite_of(unsigned number) {
  char name[16];
  snprintf(name, sizeof name, "o%u", number);
  const struct fl_suite *s = rt_suites();
  while (strcmp(s->name, name))
    s = s->next;
  return s;
}

static void read_client(struct client *c, const struct case_of *k,
                        const struct fl_suite *s) {
  static const uint8_t nargs[RC11_PARTS];
  const char *names[RC11_PARTS];
  struct buf text = {0};
  struct error e = {0};
  uint32_t n = 0;
  for (const struct fl_op *op = s->ops; op; op = op->next)
    names[n++] = op->name;
  rc11_client(&k->program, k->number, &text);
  if (client_read(c, buf_text(&text), &(struct op_names){names, n}, nargs, &e))
    die("%s", e.text);
  buf_free(&text);
}

static void search(const struct case_of *k, enum model model, struct found *f) {
  const struct fl_suite *s = suite_of(k->number);
  struct client client;
  struct explore x = {.judge = {note, f}, .max_executions = MOST_EXECUTIONS};
  *f = (struct found){.program = &k->program};
  read_client(&client, k, s);
  if (!is_c11(model))
    rt_set_c11(false);
  rt_set_tso(model == TSO);
  if (is_c11(model))
    rt_set_c11(true);
  enum rt_end end = rt_prepare(s, &client);
  if (end == RT_DONE && model == C11_STATES)
    f->all.all = explore_stateful(&x) == EXPLORE_ALL;
  else if (end == RT_DONE)
    f->all.all = explore_dfs(&x) == EXPLORE_ALL;
  else
    note(f, end);
  f->executions = x.executions;
  client_free(&client);
}

/* ---- comparing ---- */

/* With seq_cst everywhere there is nothing but sequential consistency. */
static bool all_is_sc(const struct rc11_program *p) {
  for (unsigned i = 0; i <= rc11_last(p); i++)
    for (unsigned k = 0; k < p->part[i].n; k++) {
      const struct rc11_statement *s = &p->part[i].at[k];
      if (s->kind != RC11_IF &&
          (s->order != RC11_SC ||
           (s->kind == RC11_CAS && s->failure != RC11_SC)))
        return false;
    }
  return true;
}

/* An await is one event of the axioms, and several of the engine. */
static bool has_await(const struct rc11_program *p) {
  for (unsigned i = 0; i <= rc11_last(p); i++)
    for (unsigned k = 0; k < p->part[i].n; k++)
      if (p->part[i].at[k].kind == RC11_AWAIT)
        return true;
  return false;
}

static bool within(const struct rc11_found *a, const struct rc11_found *b) {
  for (uint32_t i = 0; i < a->outcomes.len; i++)
    if (!rc11_has_outcome(b, &a->outcomes.at[i]))
      return false;
  return true;
}

static bool agrees(const struct case_of *k, enum model model,
                   const struct found *f, const struct rc11_found *axioms) {
  if (*f->trouble || !within(&f->all, axioms))
    return false;
  if (is_c11(model) && f->all.all && !has_await(&k->program) &&
      f->executions != axioms->graphs.len)
    return false;
  bool exact = is_c11(model) || (model == SC && all_is_sc(&k->program));
  return !exact || !f->all.all || within(axioms, &f->all);
}

static void print_outcomes(const struct rc11_program *p, const char *title,
                           const struct rc11_found *f,
                           const struct rc11_found *other) {
  fprintf(stderr, "  %s:", title);
  for (uint32_t i = 0; i < f->outcomes.len; i++) {
    const struct rc11_outcome *o = &f->outcomes.at[i];
    fprintf(stderr, rc11_has_outcome(other, o) ? " " : " !");
    for (unsigned r = 0; r < RC11_REGISTERS; r++)
      if (rc11_owner(p, r) != RC11_NONE)
        fprintf(stderr, "%u", o->reg[r]);
    fprintf(stderr, "/");
    for (unsigned l = 0; l < RC11_LOCATIONS; l++)
      if (rc11_uses(p, l))
        fprintf(stderr, "%u", o->memory[l]);
  }
  fprintf(stderr, "\n");
}

static void print_difference(const struct case_of *k, enum model model,
                             const struct found *f,
                             const struct rc11_found *axioms) {
  struct buf text = {0};
  rc11_print(&k->program, &text);
  fprintf(stderr, "program %u under %s: %s\n", k->number, model_words[model],
          buf_text(&text));
  if (*f->trouble)
    fprintf(stderr, "  %s\n", f->trouble);
  fprintf(stderr, "  %lu executions, %u graphs; ! is missing in the other\n",
          f->executions, axioms->graphs.len);
  print_outcomes(&k->program, "engine", &f->all, axioms);
  print_outcomes(&k->program, "axioms", axioms, &f->all);
  buf_free(&text);
}

/* What a program without a meaning does is nobody's affair. */
static bool compare(const struct case_of *k, bool quiet) {
  struct rc11_found axioms;
  bool same = true;
  rc11_graphs(&k->program, NULL, &axioms);
  for (int m = 0; m < NMODELS && same && !axioms.races.len; m++) {
    struct found f;
    search(k, (enum model)m, &f);
    same = agrees(k, (enum model)m, &f, &axioms);
    if (!same && !quiet)
      print_difference(k, (enum model)m, &f, &axioms);
    rc11_free(&f.all);
  }
  rc11_free(&axioms);
  return same;
}

/* ---- a batch: one object, one process ---- */

/* How far the child came, and which programs differ. */
static struct {
  unsigned next;
  bool differs[BATCH];
} * report;

static void run_batch(void *arg) {
  const struct batch *b = arg;
  for (; report->next < b->n; report->next++)
    report->differs[report->next] = !compare(&b->at[report->next], b->quiet);
}

static char *build_batch(const struct batch *b) {
  struct buf text = {0};
  buf_puts(&text, rc11_c_head);
  for (unsigned i = 0; i < b->n; i++)
    rc11_c(&b->at[i].program, b->at[i].number, &text);
  char *so = engine_build(buf_text(&text), "-O1");
  buf_free(&text);
  return so;
}

struct opened {
  const struct batch *batch;
  const char *so;
};

static void open_batch(void *arg) {
  const struct opened *o = arg;
  struct rt_options options = {.tso = true, .buffer = 4};
  engine_open(o->so, &options);
  run_batch((void *)o->batch);
}

/* Fills in report->differs.  A program at which the child dies differs, and
 * another child goes on behind it. */
static void compare_batch(const struct batch *b) {
  char *so = build_batch(b);
  struct opened opened = {b, so};
  memset(report, 0, sizeof *report);
  while (report->next < b->n) {
    unsigned before = test_errors;
    engine_child(open_batch, &opened);
    test_errors = before;
    if (report->next < b->n)
      report->differs[report->next++] = true;
  }
  free(so);
}

static bool differs(const struct case_of *k, bool quiet) {
  compare_batch(&(struct batch){k, 1, quiet});
  return report->differs[0];
}

static void show_smallest(struct case_of k) {
  struct case_of next = k;
  for (unsigned i = 0; rc11_simpler(&k.program, i, &next.program);)
    if (differs(&next, true)) {
      k = next;
      i = 0;
    } else {
      i++;
    }
  fprintf(stderr, "smallest: ");
  differs(&k, false);
}

/* How many differ; n of them are made smaller. */
static unsigned compare_all(const struct case_of *at, unsigned count,
                            unsigned n) {
  unsigned bad = 0;
  for (unsigned from = 0; from < count; from += BATCH) {
    struct batch b = {&at[from], count - from < BATCH ? count - from : BATCH,
                      false};
    bool wrong[BATCH];
    compare_batch(&b);
    memcpy(wrong, report->differs, sizeof wrong);
    for (unsigned i = 0; i < b.n; i++) {
      bad += wrong[i];
      if (wrong[i] && n) {
        n--;
        show_smallest(b.at[i]);
      }
    }
  }
  return bad;
}

/* ---- which programs ---- */

static void with_seq_cst(struct rc11_program *p) {
  for (unsigned i = 0; i <= rc11_last(p); i++)
    for (unsigned k = 0; k < p->part[i].n; k++) {
      struct rc11_statement *s = &p->part[i].at[k];
      if (s->kind != RC11_IF)
        s->order = RC11_SC;
      if (s->kind == RC11_CAS)
        s->failure = RC11_SC;
    }
}

static unsigned random_programs(unsigned first, unsigned count) {
  struct case_of *at = xcalloc(count, sizeof *at);
  for (unsigned i = 0; i < count; i++) {
    at[i].number = first + i;
    random_rc11(&at[i].program, first + i);
    if ((first + i) % 8 == 0)
      with_seq_cst(&at[i].program);
  }
  unsigned bad = compare_all(at, count, 3);
  free(at);
  return bad;
}

static unsigned litmus_programs(void) {
  struct litmus_list l;
  litmus_read(&l);
  struct case_of *at = xcalloc(l.tests.len, sizeof *at);
  for (uint32_t i = 0; i < l.tests.len; i++)
    at[i] = (struct case_of){l.tests.at[i].program, i};
  unsigned bad = compare_all(at, l.tests.len, 0);
  litmus_free(&l);
  free(at);
  return bad;
}

int main(int argc, char **argv) {
  unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : COUNT;
  report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  unsigned bad = argc > 1 ? 0 : litmus_programs();
  printf("litmus tests: %u differ\n", bad);
  unsigned worse = random_programs(first, count);
  printf("programs %u to %u: %u differ\n", first, first + count - 1, worse);
  return bad + worse != 0;
}
