/*
 * How fast atomicity is monitored: on line under SC, in memory and from an STD
 * file; and traces without commits under TSO, by their length, threads and
 * variables.
 */
#include "atomicity/sc.h"
#include "atomicity/tso.h"
#include "base/buf.h"
#include "base/rng.h"
#include "base/vec.h"
#include "locked.h"
#include "read/std.h"

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

static void bench_tso(const char *name, uint32_t threads, uint32_t vars,
                      uint32_t n, bool fenced) {
  struct txn_event *e = xcalloc(n, sizeof *e);
  struct conflict_cycle c;
  n = tso_trace(threads, vars, n, fenced, 7, e);
  double start = now();
  enum tso_answer a = tso_trace_serializable(e, n, UINT64_C(2000000000), &c);
  printf("  %-8s %7u events, %u threads, %2u variables: %-16s %.3f s\n", name,
         n, threads, vars,
         a == TSO_YES  ? "serializable"
         : a == TSO_NO ? "not serializable"
                       : "given up",
         now() - start);
  conflict_cycle_free(&c);
  free(e);
}

/* Interleaved transactions: the first one that is wrong is found early or, at
 * the very end, late. */
static void bench_late(uint32_t threads, uint32_t vars, uint32_t n) {
  struct txn_event *e = xcalloc((size_t)n + 8, sizeof *e);
  struct conflict_cycle c;
  n = tso_trace(threads, vars, n, true, 9, e);
  uint32_t txn = e[n - 1].txn + 1;
  e[n++] = (struct txn_event){TXN_READ, 0, 0, txn, 0, 0};
  e[n++] = (struct txn_event){TXN_WRITE, 1, 0, txn + 1, 0, 0};
  e[n++] = (struct txn_event){TXN_WRITE, 0, 0, txn, 0, 0};
  double start = now();
  enum tso_answer a = tso_trace_serializable(e, n, UINT64_C(2000000000), &c);
  printf("  %-8s %7u events, %u threads, %2u variables: %-16s %.3f s\n", "late",
         n, threads, vars,
         a == TSO_YES  ? "serializable"
         : a == TSO_NO ? "not serializable"
                       : "given up",
         now() - start);
  conflict_cycle_free(&c);
  free(e);
}

int main(void) {
  enum { N = 5000000 };
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
  return 0;
}
