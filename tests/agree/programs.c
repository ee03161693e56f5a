/*
 * Random concurrent programs (program.h): dfs, stateful and dpor, under SC and
 * TSO, have exactly the outcomes that the machine of program_machine.h has,
 * with gcc and clang at three levels of optimisation.
 *
 *   test_agree_programs [FIRST [COUNT [all] [bad]]]
 *
 * runs the programs FIRST, FIRST + 1, …; each with one compiler and level, or
 * with all of them; bad: also with statements that are KNOWN_BAD, which makes
 * other programs of the same numbers.  A difference is made smaller while it
 * stays, and printed with the program.
 */
#include "engine.h"

#include "build/probe.h"
#include "program_machine.h"

#include <sys/mman.h>
#include <sys/time.h>

#ifdef __SANITIZE_ADDRESS__
enum { COUNT = 48 };
#else
enum { COUNT = 500 };
#endif
enum {
  BATCH = 24, /* programs in one object: compiling is what takes time */
  MOST_STATES = 20000,
  MOST_WAYS = 729, /* of LOOSE statements: six of three each */
  MOST_EXECUTIONS =
      20000, /* of dfs and dpor: where there are more, they prove less */
  HANGS = 60 /* seconds of the processor, for one program */
};

/* ---- one way to run a program ---- */

static const struct setting {
  const char *cc, *opt;
} settings[] = {{"gcc", "-O0"},   {"clang", "-O1"}, {"gcc", "-O2"},
                {"clang", "-O0"}, {"gcc", "-O1"},   {"clang", "-O2"}};
enum { NSETTINGS = sizeof settings / sizeof *settings };

enum search { DFS, STATEFUL, DPOR, NSEARCHES };
static const char *const search_words[] = {"dfs", "stateful", "dpor"};

static unsigned buffer_of(const struct program *p) { return 1 + p->number % 3; }

static unsigned flags_of(const struct program *p) {
  unsigned flags = 0;
  for (unsigned i = 0; i < p->nnodes; i++)
    flags |= kinds[p->node[i].kind].flags;
  return flags;
}

/* ---- the engine's outcomes ---- */

static enum ending ending_of(enum rt_end end) {
  if (end == RT_DONE)
    return ENDS;
  if (end != RT_FAULT)
    return OTHER;
  switch (rt_fault()->kind) {
  case FAULT_DEADLOCK:
  case FAULT_LIVELOCK:
    return STUCK;
  case FAULT_ASSERT:
    return ASSERTS;
  case FAULT_USE_AFTER_FREE:
    return FREED;
  default:
    return OTHER;
  }
}

static enum judgement note(void *ctx, enum rt_end end) {
  const struct history *h = rt_history();
  uint64_t results[MOST_THREADS + 1] = {0};
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    results[i] = h->ops[i].result.bits;
  enum ending ending = ending_of(end);
  if (ending == OTHER)
    fprintf(stderr, "end %d: %s\n", end,
            end == RT_FAULT ? rt_fault()->text : "");
  outcome_add(ctx, ending, results, h->client->ncalls);
  return JUDGE_GOOD;
}

/* False: there are more. */
static bool search_outcomes(enum search how, struct outcome_set *out) {
  struct explore x = {.judge = {note, out}};
  *out = (struct outcome_set){0};
  if (how != STATEFUL)
    x.max_executions = MOST_EXECUTIONS;
  enum explore_end end = how == DFS        ? explore_dfs(&x)
                         : how == STATEFUL ? explore_stateful(&x)
                                           : explore_dpor(&x);
  if (end != EXPLORE_ALL && end != EXPLORE_EXECUTIONS)
    outcome_add(out, OTHER, NULL, 0);
  return end == EXPLORE_ALL;
}

static void one_outcome(enum rt_end end, struct outcome_set *out) {
  *out = (struct outcome_set){0};
  outcome_add(out, ending_of(end), NULL, 0);
}

/* ---- comparing ---- */

static void print_outcomes(const char *title, const struct outcome_set *s,
                           const struct outcome_set *other, unsigned n) {
  fprintf(stderr, " * %s\n", title);
  for (unsigned i = 0; i < s->n; i++) {
    fprintf(stderr, " *  %s", outcome_in(other, &s->at[i]) ? " " : "!");
    for (unsigned k = 0; k < n && s->at[i].ending == ENDS; k++)
      fprintf(stderr, " %lu", s->at[i].result[k]);
    fprintf(stderr, s->at[i].ending == ENDS ? "\n" : " %s\n",
            ending_words[s->at[i].ending]);
  }
}

struct comparison {
  const struct program *program;
  const struct setting *setting;
  bool quiet;
};

static void print_difference(const struct comparison *c, bool tso,
                             enum search how, const struct outcome_set *found,
                             const struct outcome_set *expected) {
  const struct program *p = c->program;
  struct buf client = {0};
  put_client(p, &client);
  fprintf(stderr,
          "/* program %u: faultline explore --cc=%s --opt=%s --search=%s "
          "--memory-model=%s",
          p->number, c->setting->cc, c->setting->opt, search_words[how],
          tso ? "tso" : "sc");
  if (tso)
    fprintf(stderr, " --buffer=%u", buffer_of(p));
  fprintf(stderr, " --client '%s'\n", buf_text(&client));
  unsigned n = p->nclients + 1u;
  print_outcomes("the tool has (! only the tool)", found, expected, n);
  print_outcomes("the machine has (! only the machine)", expected, found, n);
  fprintf(stderr, " */\n");
  buf_free(&client);
}

/* An execution that ends while threads can go on. */
static bool has_fault(const struct outcome_set *s) {
  for (unsigned i = 0; i < s->n; i++)
    if (s->at[i].ending == ASSERTS || s->at[i].ending == FREED)
      return true;
  return false;
}

static unsigned ways_of(const struct kind *k) {
  unsigned n = 0;
  for (const char *c = k->machine; *c; c++)
    n += *c == '{';
  return n;
}

/* The next way to make the LOOSE statements; false: that was the last. */
static bool next_ways(struct program *p) {
  for (unsigned i = 0; i < p->nnodes; i++) {
    const struct kind *k = &kinds[p->node[i].kind];
    if (!(k->flags & LOOSE))
      continue;
    if (p->node[i].way < ways_of(k)) {
      p->node[i].way++;
      return true;
    }
    p->node[i].way = 1;
  }
  return false;
}

static void first_ways(struct program *p) {
  for (unsigned i = 0; i < p->nnodes; i++)
    p->node[i].way = (kinds[p->node[i].kind].flags & LOOSE) != 0;
}

/* A compiler makes each LOOSE statement in one way: is there one in which the
 * program has all of these outcomes and no others? */
static bool is_one_way(const struct program *p, unsigned buffer,
                       const struct outcome_set *found) {
  struct program one = *p;
  unsigned tried = 0;
  bool is = false;
  first_ways(&one);
  do {
    struct outcome_set expected;
    is = machine_outcomes(&one, buffer, MOST_STATES, &expected) &&
         outcomes_within(found, &expected) && outcomes_within(&expected, found);
    free(expected.at);
  } while (!is && ++tried < MOST_WAYS && next_ways(&one));
  return is || tried == MOST_WAYS;
}

/* Under one model.  A program may end before its first choice. */
static bool agree_under(const struct comparison *c, bool tso,
                        enum rt_end prepared) {
  struct outcome_set expected, found;
  unsigned buffer = tso ? buffer_of(c->program) : 0;
  bool exact = !(flags_of(c->program) & LOOSE), agrees = true;
  if (!machine_outcomes(c->program, buffer, MOST_STATES, &expected))
    die("program %u has too many states", c->program->number);
  for (int how = 0; how < NSEARCHES && agrees; how++) {
    bool all = true;
    if (prepared == RT_DONE)
      all = search_outcomes((enum search)how, &found);
    else
      one_outcome(prepared, &found);
    bool early = how == DPOR && has_fault(&expected);
    agrees = outcomes_within(&found, &expected) &&
             (!all || (early   ? has_fault(&found)
                       : exact ? outcomes_within(&expected, &found)
                               : is_one_way(c->program, buffer, &found)));
    if (!agrees && !c->quiet)
      print_difference(c, tso, (enum search)how, &found, &expected);
    free(found.at);
  }
  free(expected.at);
  return agrees;
}

static const struct fl_suite *suite_of(const struct program *p) {
  char name[16];
  snprintf(name, sizeof name, "o%u", p->number);
  const struct fl_suite *s = rt_suites();
  while (strcmp(s->name, name))
    s = s->next;
  return s;
}

static void read_client(struct client *c, const struct program *p,
                        const struct fl_suite *s) {
  static const uint8_t nargs[MOST_THREADS + 1];
  const char *names[MOST_THREADS + 1];
  struct buf text = {0};
  struct error e = {0};
  uint32_t n = 0;
  for (const struct fl_op *op = s->ops; op; op = op->next)
    names[n++] = op->name;
  put_client(p, &text);
  if (client_read(c, buf_text(&text), &(struct op_names){names, n}, nargs, &e))
    die("%s", e.text);
  buf_free(&text);
}

static bool agree(const struct comparison *c) {
  const struct fl_suite *s = suite_of(c->program);
  struct client client;
  bool sc_only = flags_of(c->program) & SC_ONLY;
  read_client(&client, c->program, s);
  for (int tso = 0; tso < (sc_only ? 1 : 2); tso++) {
    rt_set_tso(tso);
    if (!agree_under(c, tso, rt_prepare(s, &client)))
      return false;
  }
  client_free(&client);
  return true;
}

/* ---- a batch: one object, one process ---- */

struct batch {
  const struct program *program;
  unsigned n;
  const struct setting *setting;
  bool quiet;
};

/* How far the child came, and which programs differ. */
static struct {
  unsigned next;
  bool differs[BATCH];
} * report;

static void open_object(const char *so, unsigned buffer) {
  struct rt_options o = {.max_steps = ENGINE_MAX_STEPS,
                         .watchdog_ms = 2000,
                         .tso = true,
                         .buffer = buffer};
  static struct probe probe; /* the engine keeps a part of it */
  struct error e = {0};
  struct lines *lines = lines_open(so, &e);
  if (!lines || probe_object(&probe, so, lines, &e))
    die("%s", e.text);
  o.uses_tls = probe.has_tls || probe.needs_libc_tls;
  if (rt_open(so, &o, &e))
    die("%s", e.text);
  rt_part_stores(probe.part_stores.at, probe.part_stores.len);
  rt_sites(probe.sites.at, probe.sites.len);
}

static void run_batch(const struct batch *b, const char *so) {
  open_object(so, buffer_of(b->program));
  while (report->next < b->n) {
    unsigned i = report->next;
    struct comparison c = {&b->program[i], b->setting, b->quiet};
    /* Not of the clock: the machine may be busy. */
    struct itimerval most = {.it_value.tv_sec = HANGS};
    setitimer(ITIMER_PROF, &most, NULL);
    report->differs[i] = !agree(&c);
    report->next++;
  }
  fflush(NULL);
  _exit(0);
}

static char *build_batch(const struct batch *b) {
  static unsigned count;
  char name[32];
  struct buf text = {0};
  buf_puts(&text, program_head);
  buf_puts(&text, program_assembly);
  for (unsigned i = 0; i < b->n; i++)
    put_program(&b->program[i], &text);
  snprintf(name, sizeof name, "batch%u.c", count++);
  scratch_write(name, buf_text(&text));
  buf_free(&text);
  engine_cc = b->setting->cc;
  return engine_build_file(name, b->setting->opt);
}

/* Fills in report->differs.  A program at which the child dies differs, and
 * another child goes on behind it. */
static void compare_batch(const struct batch *b) {
  char *so = build_batch(b);
  memset(report, 0, sizeof *report);
  while (report->next < b->n) {
    fflush(NULL);
    pid_t pid = fork();
    if (!pid)
      run_batch(b, so);
    int status;
    waitpid(pid, &status, 0);
    if (report->next == b->n)
      break;
    if (!b->quiet)
      fprintf(stderr, "/* program %u: the engine's process ends: %d */\n",
              b->program[report->next].number, status);
    report->differs[report->next++] = true;
  }
  free(so);
}

static bool differs(const struct program *p, const struct setting *s,
                    bool quiet) {
  struct batch b = {p, 1, s, quiet};
  compare_batch(&b);
  return report->differs[0];
}

/* ---- making a difference smaller ---- */

static void drop_statement(struct program *p, unsigned t, unsigned i) {
  p->length[t]--;
  memmove(&p->line[t][i], &p->line[t][i + 1], p->length[t] - i);
}

/* The i-th simpler program; false: there is none.  A thread without statements
 * stays: it does nothing. */
static bool simpler(const struct program *p, unsigned i, struct program *out) {
  *out = *p;
  for (unsigned t = 0; t < p->nthreads; t++)
    for (unsigned k = 0; k < p->length[t]; k++) {
      uint8_t body = p->node[p->line[t][k]].body;
      if (i-- == 0) {
        drop_statement(out, t, k);
        return true;
      }
      if (body != NO_NODE && i-- == 0) {
        out->line[t][k] = body;
        return true;
      }
      if (body != NO_NODE && i-- == 0) {
        out->node[p->line[t][k]].body = p->node[body].body;
        return true;
      }
    }
  return false;
}

static void show_smallest(const struct program *p, const struct setting *s) {
  struct program small = *p, next;
  for (unsigned i = 0; simpler(&small, i, &next);)
    if (differs(&next, s, true)) {
      small = next;
      i = 0;
    } else {
      i++;
    }
  fprintf(stderr, "---- smallest:\n");
  differs(&small, s, false);
  struct buf text = {0};
  buf_puts(&text, program_head);
  buf_puts(&text, program_assembly);
  put_program(&small, &text);
  fprintf(stderr, "%s----\n", buf_text(&text));
  buf_free(&text);
}

/* ---- */

/* Small enough for the machine; the last statements go first. */
static void make_program(struct program *p, unsigned number) {
  struct outcome_set out;
  random_program(p, number);
  for (unsigned t = 0;; t = (t + 1) % p->nthreads) {
    bool small = machine_outcomes(p, buffer_of(p), MOST_STATES, &out);
    free(out.at);
    if (small)
      return;
    if (p->length[t])
      p->length[t]--;
  }
}

/* Programs that share a compiler, a level and the size of buffers. */
static unsigned compare_programs(unsigned first, unsigned count, bool all) {
  static struct program batch[BATCH];
  unsigned bad = 0, stride = 3 * NSETTINGS;
  for (unsigned from = 0; from < count; from += stride * BATCH)
    for (unsigned lane = 0; lane < stride; lane++) {
      struct batch b = {.program = batch};
      for (unsigned i = from + lane; i < count && b.n < BATCH; i += stride)
        make_program(&batch[b.n++], first + i);
      for (unsigned s = 0; b.n && s < (all ? NSETTINGS : 1); s++) {
        bool wrong[BATCH];
        b.setting = &settings[all ? s : lane % NSETTINGS];
        compare_batch(&b);
        memcpy(wrong, report->differs, sizeof wrong);
        for (unsigned i = 0; i < b.n; i++)
          if (wrong[i]) {
            bad++;
            show_smallest(&batch[i], b.setting);
          }
      }
    }
  return bad;
}

int main(int argc, char **argv) {
  unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : COUNT;
  bool all = false;
  for (int i = 3; i < argc; i++) {
    all |= !strcmp(argv[i], "all");
    if (!strcmp(argv[i], "bad"))
      program_without = 0;
  }
  report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  unsigned bad = compare_programs(first, count, all);
  printf("programs %u to %u: %u differ\n", first, first + count - 1, bad);
  return bad != 0;
}
