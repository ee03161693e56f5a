/*
 * How fast atomicity is monitored: on line under SC, in memory and from an STD
 * file; and traces without commits under TSO, by their length, threads and
 * variables.
 */
#include "../tests/hard_traces.h"
#include "atomicity/sc.h"
#include "atomicity/tso.h"
#include "base/buf.h"
#include "base/rng.h"
#include "base/vec.h"
#include "history/read/std.h"
#include "locked.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of the processor: the machine may be shared. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- SC ---- */

static void locked_trace(uint32_t nthreads, uint32_t n, struct step *to) {
  struct rng r = {1};
  uint32_t i = 0;
  for (; i + LOCKED_LENGTH <= n; i += LOCKED_LENGTH)
    locked_transaction(&r, nthreads, to + i);
  for (; i < n; i++)
    to[i] = (struct step){TXN_READ, 0, LOCKED_LOCKS, false};
}

/*
 * Transactions of all threads overlap: they switch after every event.  All read
 * 1,000 shared variables, which are written at the start, and each writes 100
 * of its own.
 */
static void overlapping_trace(uint32_t nthreads, uint32_t n, struct step *to) {
  struct rng r = {1};
  uint32_t i = 0, shared = 1000, last = (n - shared) / (12 * nthreads) * 12;
  for (; i < shared; i++)
    to[i] = (struct step){TXN_WRITE, 0, i, false};
  for (; i < n; i++) {
    uint32_t t = (i - shared) % nthreads, place = (i - shared) / nthreads;
    bool write = rng_below(&r, 3) == 0;
    uint32_t x = (uint32_t)(write ? shared + t * 100 + rng_below(&r, 100)
                                  : rng_below(&r, shared));
    uint8_t kind = write ? TXN_WRITE : TXN_READ;
    if (place < last && place % 12 == 0)
      kind = TXN_BEGIN;
    else if (place < last && place % 12 == 11)
      kind = TXN_END;
    to[i] = (struct step){kind, t, x, false};
  }
}

static void bench_memory(const char *name, uint32_t nthreads, uint32_t n,
                         const struct step *s) {
  uint64_t total = 0;
  struct sc_monitor *m = sc_monitor_new();
  bool ok = true;
  double start = now();
  while (total < 30000000 && ok) {
    for (uint32_t i = 0; i < n && ok; i++)
      ok = sc_monitor_event(m, s[i].kind, s[i].thread, s[i].object);
    total += n;
  }
  double took = now() - start;
  printf("  %-11s %2u threads: %s, %" PRIu64 " events, %.2f s, "
         "%.1f million events/s\n",
         name, nthreads, ok ? "serializable" : "NOT SERIALIZABLE", total, took,
         (double)total / took / 1e6);
  sc_monitor_free(m);
}

static uint64_t monitor_file(const char *path, bool *ok, struct error *e) {
  struct std_event ev;
  struct sc_monitor *m = sc_monitor_new();
  struct std_reader *r = std_open(path, e);
  uint64_t total = 0;
  while (r && *ok && std_next(r, &ev, e) > 0) {
    *ok = sc_monitor_event(m, ev.kind, ev.thread, ev.object);
    total++;
  }
  if (r)
    std_close(r);
  sc_monitor_free(m);
  return total;
}

static void bench_file(uint32_t nthreads, uint32_t n, const struct step *s) {
  char path[] = "/tmp/faultline-bench-XXXXXX";
  int fd = mkstemp(path);
  FILE *f = fdopen(fd, "w");
  for (uint32_t i = 0; i < n; i++) {
    static const char *const words[] = {[TXN_READ] = "r", [TXN_WRITE] = "w"};
    if (s[i].kind == TXN_RMW) {
      fprintf(f, "T%u|%s(L%u)|%u\n", s[i].thread, s[i].release ? "rel" : "acq",
              s[i].object, i % 1000);
    } else if (s[i].kind == TXN_BEGIN || s[i].kind == TXN_END) {
      fprintf(f, "T%u|%s|%u\n", s[i].thread,
              s[i].kind == TXN_BEGIN ? "begin" : "end", i % 1000);
    } else {
      fprintf(f, "T%u|%s(V%u)|%u\n", s[i].thread, words[s[i].kind], s[i].object,
              i % 1000);
    }
  }
  fclose(f);
  struct error e = {0};
  bool ok = true;
  uint64_t total = 0;
  double best = 1e9;
  for (int k = 0; k < 5; k++) { /* the best: others use the processor too */
    double start = now();
    total = monitor_file(path, &ok, &e);
    double took = now() - start;
    best = took < best ? took : best;
  }
  printf("  %-11s %2u threads: %s, %" PRIu64 " events, %.2f s, "
         "%.1f million events/s%s%s\n",
         "STD file", nthreads, ok ? "serializable" : "NOT SERIALIZABLE", total,
         best, (double)total / best / 1e6, e.code ? " " : "", e.text);
  unlink(path);
}

/* ---- TSO ---- */

/*
 * Transactions of about four accesses to variables.  Fenced: each ends with a
 * fence and they run one after the other, so that nothing is wrong.  Owned:
 * no fences; each thread writes its own variables, and reads all.
 */
static uint32_t tso_trace(uint32_t nthreads, uint32_t nvars, uint32_t n,
                          bool fenced, uint64_t seed, struct txn_event *e) {
  struct rng r = {seed};
  uint32_t i = 0, txn = 0;
  while (i + 8 < n) {
    uint32_t t = (uint32_t)rng_below(&r, nthreads);
    uint32_t len = fenced ? 4 : 1;
    for (uint32_t k = 0; k < len; k++) {
      uint32_t x = (uint32_t)rng_below(&r, nvars);
      bool write = rng_below(&r, 2);
      e[i++] = (struct txn_event){.kind = write ? TXN_WRITE : TXN_READ,
                                  .thread = t,
                                  .object = x,
                                  .txn = txn};
    }
    if (fenced)
      e[i++] = (struct txn_event){.kind = TXN_FENCE, .thread = t, .txn = txn};
    txn++;
  }
  return i;
}

static double decide(const struct txn_event *e, uint32_t n,
                     enum tso_answer *answer) {
  struct conflict_cycle c;
  double start = now();
  *answer = tso_trace_serializable(e, n, UINT64_C(2000000000), &c);
  conflict_cycle_free(&c);
  return now() - start;
}

static void bench_trace(const char *name, uint32_t threads, uint32_t vars,
                        const struct txn_event *e, uint32_t n) {
  enum tso_answer a;
  double took = decide(e, n, &a);
  printf("  %-8s %7u events, %2u threads, %3u variables: %-16s %.3f s\n", name,
         n, threads, vars,
         a == TSO_YES  ? "serializable"
         : a == TSO_NO ? "not serializable"
                       : "given up",
         took);
}

static void bench_tso(const char *name, uint32_t threads, uint32_t vars,
                      uint32_t n, bool fenced) {
  struct txn_event *e = xcalloc(n, sizeof *e);
  bench_trace(name, threads, vars, e,
              tso_trace(threads, vars, n, fenced, 7, e));
  free(e);
}

/* Nothing is wrong but for three events at the end. */
static void bench_late(uint32_t threads, uint32_t vars, uint32_t n) {
  struct txn_event *e = xcalloc((size_t)n + 8, sizeof *e);
  n = tso_trace(threads, vars, n, true, 9, e);
  uint32_t txn = e[n - 1].txn + 1;
  e[n++] = (struct txn_event){TXN_READ, 0, 0, txn, 0, 0};
  e[n++] = (struct txn_event){TXN_WRITE, 1, 0, txn + 1, 0, 0};
  e[n++] = (struct txn_event){TXN_WRITE, 0, 0, txn, 0, 0};
  bench_trace("late", threads, vars, e, n);
  free(e);
}

static void bench_ladder(uint32_t threads, uint32_t vars, uint32_t n) {
  struct txn_event *e = xcalloc(n, sizeof *e);
  bench_trace("ladder", threads, vars, e, ladder_trace(threads, vars, n, e));
  free(e);
}

/* Of so many hard traces, the serializable one that takes longest; its number,
 * or 0. */
static uint64_t hardest(uint32_t threads, uint32_t vars, uint32_t n,
                        uint32_t traces, uint32_t *yes, double *most) {
  struct txn_event *e = xcalloc(n, sizeof *e);
  uint64_t which = 0;
  *most = 0;
  *yes = 0;
  for (uint64_t seed = 1; seed <= traces; seed++) {
    enum tso_answer a;
    hard_trace(threads, vars, n, 10, 10, seed, e);
    double took = decide(e, n, &a);
    *yes += a == TSO_YES;
    if (a == TSO_YES && took > *most) {
      *most = took;
      which = seed;
    }
  }
  free(e);
  return which;
}

static void bench_hardest(uint32_t threads, uint32_t vars, uint32_t n,
                          uint32_t traces) {
  double most;
  uint32_t yes;
  hardest(threads, vars, n, traces, &yes, &most);
  printf("  hard     %7u events, %2u threads, %3u variables: "
         "%4u of %4u are, at most %.6f s\n",
         n, threads, vars, yes, traces, most);
}

/* The hardest small trace with every access done so many times. */
static void bench_wide(uint32_t threads, uint32_t vars, uint32_t from,
                       uint32_t to) {
  enum { N = 24 };
  struct txn_event e[N], *wide = xcalloc((size_t)N * to, sizeof *wide);
  double most;
  uint32_t yes;
  uint64_t seed = hardest(threads, vars, N, 3000, &yes, &most);
  hard_trace(threads, vars, N, 10, 10, seed, e);
  for (uint32_t times = from; seed && times <= to; times *= 2)
    bench_trace("wide", threads, vars, wide, hard_wide(e, N, times, wide));
  free(wide);
}

static void bench_search(void) {
  for (uint32_t k = 2; k <= 4; k++)
    bench_ladder(k, 12, 100000);
  for (uint32_t n = 25000; n <= 200000; n *= 2)
    bench_ladder(3, 12, n);
  for (uint32_t m = 6; m <= 24; m *= 2)
    bench_ladder(3, m, 100000);
  for (uint32_t k = 2; k <= 3; k++)
    bench_wide(k, 10, 5000, 5000);
  bench_wide(4, 10, 1250, 10000);
  for (uint32_t k = 4; k <= 16; k += 4)
    bench_hardest(k, 3 * k, 8 * k, 1000);
  for (uint32_t n = 20; n <= 160; n *= 2)
    bench_hardest(4, 10, n, 1000);
  for (uint32_t m = 10; m <= 80; m *= 2)
    bench_hardest(8, m, 60, 1000);
}

int main(void) {
  enum { N = 5000000 };
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct step *s = xcalloc(N, sizeof *s);
  printf("SC, on line:\n");
  for (uint32_t t = 2; t <= 16; t *= 2) {
    locked_trace(t, N, s);
    bench_memory("locked", t, N, s);
  }
  for (uint32_t t = 2; t <= 16; t *= 2) {
    overlapping_trace(t, N, s);
    bench_memory("overlapping", t, N, s);
  }
  for (uint32_t t = 2; t <= 16; t *= 2) {
    locked_trace(t, N, s);
    bench_file(t, N, s);
  }
  free(s);
  printf("TSO, traces without commits:\n");
  for (uint32_t k = 2; k <= 4; k++)
    bench_tso("fenced", k, 10, 100000, true);
  for (uint32_t n = 12500; n <= 200000; n *= 2)
    bench_tso("fenced", 3, 10, n, true);
  for (uint32_t m = 5; m <= 80; m *= 2)
    bench_tso("fenced", 3, m, 100000, true);
  for (uint32_t k = 2; k <= 4; k++)
    bench_late(k, 10, 100000);
  for (uint32_t k = 2; k <= 4; k++)
    bench_tso("single", k, 10, 100000, false);
  bench_search();
  return 0;
}
