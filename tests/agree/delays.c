/*
 * Random retry loops that back off, with the code that only decides how long to
 * wait (code/delays.h) and without it: the same outcomes, and fewer states.
 * Some loops return, store or branch on what they count.
 */
#include "engine.h"

#include "build/probe.h"

#include <sys/mman.h>

enum { OPERATIONS = 10, OUTCOMES = 400, SEED = 20261119 };

/* What a child finds, in memory that the parent sees. */
struct side {
  uint64_t states, dead;
  uint32_t n[OPERATIONS], cut[OPERATIONS];
  struct hash128 outcome[OPERATIONS][OUTCOMES];
};
static struct side *sides; /* with all waits, and without those that are dead */

/* ---- random code ---- */

static const char *const tries[] = {
    "__atomic_exchange_n(&lock[%u], 1, 5)",
    "__atomic_load_n(&lock[%u], 5) || __atomic_exchange_n(&lock[%u], 1, 5)",
};
/* %s: the counter. */
static const char *const waits[] = {
    "for (unsigned i = d; i; i--) __builtin_ia32_pause();",
    "for (unsigned i = 0; i < d; i++) __builtin_ia32_pause();",
    "usleep(d);",
    "if (d > 3) sched_yield(); else __builtin_ia32_pause();",
    "for (unsigned i = d & 5; i; i /= 2) __builtin_ia32_pause();",
    "do __builtin_ia32_pause(); while (d-- > 4); d &= 7;",
    "rest(d);",
};
static const char *const grows[] = {
    "if (d < 9) d = d * 2 + 1;",
    "d = (d + 3) % 7;",
    "d = d < 5 ? d + 1 : 5;",
    "d ^= 3;",
};
/* What else becomes of the counter. */
static const char *const uses[] = {
    "",
    "",
    "",
    "if (d > 6) { lost[%u]++; break; }",
    "seen[%u] = (int)d;",
};

static void put_operation(struct buf *b, unsigned k, struct rng *r) {
#define ONE_OF(list) list[rng_below(r, sizeof(list) / sizeof *(list))]
  const char *use = ONE_OF(uses);
  bool returns = !rng_below(r, 5);
  buf_printf(b, "static int op%u(void) {\n  unsigned d = %u;\n  while (", k,
             (unsigned)rng_below(r, 3));
  buf_printf(b, ONE_OF(tries), k, k);
  buf_puts(b, ") {\n    ");
  buf_puts(b, ONE_OF(waits));
  buf_puts(b, "\n    ");
  buf_puts(b, ONE_OF(grows));
  buf_puts(b, "\n    ");
  buf_printf(b, use, k);
  buf_printf(b, "\n  }\n  int v = value[%u];\n  value[%u] = v + 1;\n", k, k);
  buf_printf(b, "  __atomic_store_n(&lock[%u], 0, 5);\n", k);
  buf_printf(b, "  return v%s + lost[%u] + seen[%u];\n}\n",
             returns ? " * 100 + (int)d" : "", k, k);
#undef ONE_OF
}

static char *random_object(uint64_t seed, const char *cc, const char *opt) {
  struct rng r = {seed};
  struct buf b = {0};
  buf_printf(&b,
             "#include <faultline.h>\n#include <sched.h>\n#include "
             "<unistd.h>\nstatic int lock[%d], value[%d], lost[%d], "
             "seen[%d];\n__attribute__((noinline)) static void rest(unsigned "
             "d) {\n  while (d--) __asm__ volatile(\"\");\n}\n",
             OPERATIONS, OPERATIONS, OPERATIONS, OPERATIONS);
  for (unsigned k = 0; k < OPERATIONS; k++)
    put_operation(&b, k, &r);
  buf_puts(&b, "FL_OBJECT(object)\nFL_BACKOFF(rest)\n");
  for (unsigned k = 0; k < OPERATIONS; k++)
    buf_printf(&b, "FL_OP(int, op%u)\n", k);
  engine_cc = cc;
  char *so = engine_build(b.at, opt);
  buf_free(&b);
  return so;
}

/* ---- one side ---- */

static void note_outcomes(struct side *s, unsigned k,
                          const struct engine_found *f) {
  for (uint32_t i = 0; i < f->at.len; i++) {
    struct hash128 h = f->at.at[i].outcome;
    bool known = f->at.at[i].end == RT_CUT;
    for (uint32_t m = 0; m < s->n[k]; m++)
      known |= hash128_equal(s->outcome[k][m], h);
    if (!known && CHECK(s->n[k] < OUTCOMES))
      s->outcome[k][s->n[k]++] = h;
  }
  s->states += f->states;
  s->cut[k] = f->end != EXPLORE_ALL || f->cut;
}

static bool all_waits;

static void explore_all(void *so) {
  static struct probe probe;
  struct rt_options o = {.all_waits = all_waits};
  struct side *s = &sides[!all_waits];
  struct error e = {0};
  struct lines *lines = lines_open(so, &e);
  if (!lines || probe_object(&probe, so, lines, &e))
    die("%s", e.text);
  for (uint32_t i = 0; i < probe.sites.len; i++)
    s->dead += probe.sites.at[i].kind == SITE_DEAD ||
               probe.sites.at[i].kind == SITE_GOTO;
  engine_open(so, &o);
  rt_sites(probe.sites.at, probe.sites.len);
  for (unsigned k = 0; k < OPERATIONS; k++) {
    struct client c = {0};
    struct engine_found f;
    char text[64];
    snprintf(text, sizeof text, "{op%u(); op%u()} || {op%u()}", k, k, k);
    engine_client(&c, text);
    CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
    engine_explore(&f, &c, ENGINE_STATEFUL, 0);
    note_outcomes(s, k, &f);
    engine_free(&f);
    client_free(&c);
  }
}

static bool same_outcomes(unsigned k) {
  if (sides[0].cut[k] || sides[1].cut[k])
    return true; /* it has no end that can be compared */
  uint32_t both = 0;
  for (uint32_t i = 0; i < sides[0].n[k]; i++)
    for (uint32_t m = 0; m < sides[1].n[k]; m++)
      both += hash128_equal(sides[0].outcome[k][i], sides[1].outcome[k][m]);
  return CHECK_INT(both, sides[0].n[k]) && CHECK_INT(both, sides[1].n[k]);
}

TEST(what_only_decides_how_long_to_wait_makes_no_other_outcome) {
  uint64_t states[2] = {0}, dead = 0, compared = 0;
  size_t size = 2 * sizeof *sides;
  sides = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1, 0);
  EACH_COMPILER(cc, opt) {
    if (!strcmp(opt, "-O0") || !strcmp(opt, "-O3"))
      continue; /* counters are on the stack */
    char *so = random_object(SEED + strlen(cc) + (uint64_t)opt[2], cc, opt);
    memset(sides, 0, size);
    for (int side = 0; side < 2; side++) {
      all_waits = !side;
      engine_child(explore_all, so);
      states[side] += sides[side].states;
    }
    dead += sides[1].dead;
    for (unsigned k = 0; k < OPERATIONS; k++) {
      compared += !sides[0].cut[k] && !sides[1].cut[k];
      if (!same_outcomes(k))
        fprintf(stderr, "  %s %s: op%u\n", cc, opt, k);
    }
    free(so);
  }
  printf("%llu operations, %llu and %llu states\n",
         (unsigned long long)compared, (unsigned long long)states[0],
         (unsigned long long)states[1]);
  CHECK(dead > 0);
  CHECK(compared > OPERATIONS);
  CHECK(states[1] < states[0]);
  munmap(sides, size);
}

TEST_MAIN
