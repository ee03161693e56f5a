/*
 * The paper's own definition of serializability under TSO (atomicity/tso.h):
 * swaps of neighbours that are not in conflict, on all executions of small
 * programs. What swaps can reach is every order that keeps the order of
 * conflicts.
 */
#include "atomicity/tso.h"
#include "paper_rows.h"
#include "test.h"
#include "tso_traces.h"

enum { MOST_EVENTS = 8, NONE = 255 };

struct permuting {
  const struct txn_event *e;
  uint32_t n;
  bool conflict[MOST_EVENTS][MOST_EVENTS];
  uint8_t order[MOST_EVENTS];
  uint8_t source[MOST_EVENTS]; /* of the reads, in the execution itself */
  bool serial;                 /* some order is */
  uint32_t not_tso;            /* orders that the machine does not have */
};

/* Which write each read of the order reads; false: the machine does not allow
 * the order. */
static bool runs(const struct permuting *p, uint8_t *source) {
  uint8_t memory[TSO_VARS], buffer[TSO_THREADS][MOST_EVENTS];
  uint32_t len[TSO_THREADS] = {0};
  memset(memory, NONE, sizeof memory);
  memset(source, NONE, p->n);
  for (uint32_t k = 0; k < p->n; k++) {
    uint8_t i = p->order[k];
    const struct txn_event *e = &p->e[i];
    uint8_t *b = buffer[e->thread];
    uint32_t *n = &len[e->thread];
    switch (e->kind) {
    case TXN_WRITE:
      b[(*n)++] = i;
      break;
    case TXN_COMMIT:
      if (!*n || b[0] != e->issue)
        return false;
      memory[e->object] = b[0];
      memmove(b, b + 1, --*n);
      break;
    case TXN_FENCE:
      if (*n)
        return false;
      break;
    case TXN_READ:
      source[i] = memory[e->object];
      for (uint32_t j = 0; j < *n; j++)
        if (p->e[b[j]].object == e->object)
          source[i] = b[j];
      break;
    default:
      return false;
    }
  }
  return true;
}

static bool is_serial(const struct permuting *p) {
  for (uint32_t k = 2; k < p->n; k++)
    for (uint32_t j = 0; j + 1 < k; j++)
      if (p->e[p->order[j]].txn == p->e[p->order[k]].txn &&
          p->e[p->order[k - 1]].txn != p->e[p->order[k]].txn)
        return false;
  return true;
}

static void permute(struct permuting *p, uint32_t len, uint32_t used) {
  if (len == p->n) {
    uint8_t source[MOST_EVENTS];
    p->serial = p->serial || is_serial(p);
    p->not_tso += !runs(p, source) || memcmp(source, p->source, p->n);
    return;
  }
  for (uint32_t i = 0; i < p->n; i++) {
    bool ready = !(used >> i & 1);
    for (uint32_t j = 0; j < i && ready; j++)
      ready = used >> j & 1 || !p->conflict[j][i];
    if (!ready)
      continue;
    p->order[len] = (uint8_t)i;
    permute(p, len + 1, used | 1u << i);
  }
}

struct swaps_seen {
  uint32_t executions, serializable, not_tso, differ, not_of_trace;
};

static void see(const struct tso_execution *x, void *arg) {
  struct swaps_seen *s = arg;
  struct txn_event e[TSO_EVENTS], trace[TSO_EVENTS];
  struct permuting p = {.e = e, .n = convert(x, true, e)};
  struct conflict_cycle c;
  if (p.n > MOST_EVENTS || s->executions >= 1500)
    return;
  for (uint32_t i = 0; i < p.n; i++) {
    p.order[i] = (uint8_t)i;
    for (uint32_t j = i + 1; j < p.n; j++)
      p.conflict[i][j] = tso_conflict(e, p.n, i, j);
  }
  CHECK(runs(&p, p.source));
  permute(&p, 0, 0);
  bool acyclic = tso_serializable(e, p.n, &c);
  conflict_cycle_free(&c);
  uint32_t n = convert(x, false, trace);
  bool of_trace = tso_trace_serializable(trace, n, 0, &c) == TSO_YES;
  conflict_cycle_free(&c);
  s->executions++;
  s->serializable += acyclic;
  s->not_tso += p.not_tso != 0;
  s->differ += p.serial != acyclic;
  s->not_of_trace += of_trace && !acyclic;
}

TEST(swaps_and_conflict_graphs_agree) {
  static const struct shape shapes[] = {{2, 2, 2, 10, 0, false},
                                        {2, 3, 1, 10, 0, false},
                                        {3, 1, 1, 0, 0, false},
                                        {2, 3, 2, 30, 0, false}};
  struct swaps_seen s = {0};
  for (uint64_t seed = 1; s.executions < 1500; seed++) {
    struct rng r = {seed};
    struct tso_program p = random_program(&r, &shapes[seed % 4]);
    struct tso_result result;
    tso_enumerate(&p,
                  &(struct tso_options){.tso = true, .seen = see, .arg = &s},
                  &result);
    tso_result_free(&result);
  }
  CHECK_INT(s.not_tso, 0);
  CHECK_INT(s.differ, 0);
  CHECK_INT(s.not_of_trace, 0);
  CHECK(s.serializable > 100);
  CHECK(s.serializable < s.executions - 100);
  paper_row(PAPER_THEOREMS, "Proposition 1: 1,500 executions", "exceptions",
            s.not_tso);
  paper_row(PAPER_THEOREMS, "Theorem 1: 1,500 executions", "exceptions",
            s.differ);
  paper_row(PAPER_THEOREMS, "Proposition 2: 1,500 executions", "exceptions",
            s.not_of_trace);
}

TEST_MAIN
