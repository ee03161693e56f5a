/*
 * Why a recorded history is not linearizable: its core, few operations that no
 * order explains, whatever the other operations do.
 *
 * Not every part of a history says something about the whole: without enq(1),
 * deq() = 1 is wrong although the whole is right.  So operations are left out
 * only where the rest is linearizable if the whole is:
 *
 * (X1) operations that change nothing;
 *        write(1)  read() = 1  write(2)  read() = 1      the first read goes
 * (X2) all operations of a key, where keys are independent;
 * (X3) all operations on a value of a container, or on values of a register
 *      that compare-and-sets connect;
 *        enq(1)  enq(2)  enq(3)  deq() = 3  deq() = 2      1 goes
 * (X4) for a register: operations that returned before some write was called,
 *      and reads that were called before it returned;
 * (X5) operations without which the rest is not linearizable, nor with them as
 *      pending operations of unknown result.  For types whose results show no
 *      values (counters, user types): with all operations that were left out
 *      so, and the rest fails at the same return.  For the other types, too, if
 *      the weaker rule turns out to be wrong in the end;
 * (X6) for a long core: operations that returned before one was called that
 *      shows the whole state, and reads that were called before it returned.
 *      Such an operation returned "empty", as in the initial state, and no
 *      change overlaps it; or it is a read of a counter, which then counts as a
 *      write of its result.
 *        inc() × 100  get() = 100  get() = 99      becomes set(100)  get() = 99
 * X5 never leaves out the only operation that can have brought a value which
 * a result shows, nor the operation of (X4) or (X6).
 *
 * These rules are decided by search (explain_is_bad), not asserted.
 *
 * The core explains the shortest bad prefix, in which operations that are open
 * at its end are pending; the core has the return that the prefix ends with. If
 * some open operations would be needed, the core explains the whole history,
 * with the results that they had.
 *
 * The core is minimal if none of the rules leaves out any more, neither single
 * operations nor those of one key or value.
 */
#ifndef HISTORY_EXPLAIN_EXPLAIN_LOG_H
#define HISTORY_EXPLAIN_EXPLAIN_LOG_H

#include "history/log_check.h"
#include "model/log_report.h"

/* Explains a whole log: p->ops[i].op is &log->ops.at[i].  `a` is a violation.
 * If the budget ends, the core may not be minimal, nor the prefix shortest. */
void explain_log(const struct log_problem *p, const struct log_answer *a,
                 const struct log_budget *b, struct log_explained *out);

/*
 * For a log of a register that lacks operations which returned before `since`:
 * by (X4), leaves out of the log and the problem what only the lacking
 * operations could explain.  If the rest is a violation, so is the whole.
 * False: no write fits, and nothing was left out.
 */
bool explain_forget_beginning(struct log *l, struct log_problem *p,
                              uint32_t since);

#endif
