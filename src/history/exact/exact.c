/*
 * Both exact engines in turns: each is exponential where the other is not.  The
 * frontier goes on where it stopped.  The depth-first search begins again with
 * more steps: its states need not be kept meanwhile, and what it did before is
 * a part of what it does now.
 *
 * Many histories have a witness straight ahead.  So a short depth-first run
 * comes first, unless the history is long: there it needs more memory than the
 * frontier.
 */
#include "history/log_engine.h"

#include <string.h>

enum { FIRST_STEPS = 100000, STEPS_AN_OPERATION = 64, GROWTH = 4 };
enum { SHORT = 200000, AHEAD_STEPS = 20000, AHEAD_AN_OPERATION = 10 };

/* Runs the depth-first search; returns whether its answer is final. */
static bool ahead(const struct log_problem *p, struct meter *m, uint64_t steps,
                  bool want_order, uint64_t bytes, struct log_answer *out) {
  depth_first_run(p, m, m->steps + steps, want_order, bytes, out);
  /* UNKNOWN with a limit that is not of the budget: all was searched, but the
   * type cut (T4). */
  return out->verdict != LOG_UNKNOWN || (out->limit && !m->limit);
}

static void run(const struct log_problem *p, struct frontier *f,
                struct meter *m, bool want_order, struct log_answer *out) {
  uint64_t turn = FIRST_STEPS + (uint64_t)p->nops * STEPS_AN_OPERATION;
  uint64_t depth_turn = AHEAD_STEPS + (uint64_t)p->nops * AHEAD_AN_OPERATION;
  bool deep = p->nops <= SHORT; /* the depth-first search comes next */
  bool room = true;             /* and it did not run out of memory */
  for (; !m->limit; deep = true) {
    if (deep && room) {
      if (ahead(p, m, depth_turn, want_order, frontier_bytes(f), out))
        return;
      depth_turn = turn;
      if (m->limit && !strcmp(m->limit, "memory")) {
        room = false; /* it is free again */
        m->limit = NULL;
        frontier_forget(f);
      }
      if (m->limit)
        break;
    }
    uint64_t stop = room ? m->steps + turn : UINT64_MAX;
    if (frontier_run(f, m, stop) != FRONTIER_PAUSED)
      break;
    turn *= GROWTH;
  }
  uint32_t reached = out->at; /* by the other one, if it ran */
  bool other = out->method && out->verdict == LOG_UNKNOWN;
  frontier_answer(f, m, want_order, out);
  if (out->verdict != LOG_UNKNOWN)
    return;
  out->method = "exact";
  if (other && reached != UINT32_MAX &&
      (out->at == UINT32_MAX ||
       p->ops[reached].op->ret > p->ops[out->at].op->ret))
    out->at = reached;
}

void check_exact(const struct log_problem *p, const struct log_budget *b,
                 bool want_order, struct log_answer *out) {
  struct meter m = {.budget = b};
  struct frontier *f = frontier_new(p);
  log_answer_free(out);
  *out = (struct log_answer){0};
  run(p, f, &m, want_order, out);
  frontier_free(f);
}
