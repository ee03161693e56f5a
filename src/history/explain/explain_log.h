/*
 * Why a recorded history is not linearizable: few operations that no order
 * explains, whatever the others do.
 *
 * Not every part of a history says something about the whole: without enq(1),
 * deq() = 1 is wrong, and nothing is wrong with the whole.  So operations are
 * left out only where what is left is linearizable if the whole is:
 *
 * (X1) operations that change nothing;
 * (X2) all operations of a key, where keys are independent;
 * (X3) all operations of a value of a container, or of values of a register
 *      that compare-and-swaps connect;
 * (X4) of a register, what returned before some write was called, and the reads
 *      that were called before it returned;
 * (X5) operations without which, and with which as pending ones of unknown
 *      result, what is left is not linearizable.  Of types where results do not
 *      show values (counters, the user's): with all that were left out so, and
 *      it goes wrong with the same return; of the others too, where that turns
 *      out not to be so in the end;
 * (X6) of a long one, what returned before an operation was called that tells
 *      all of the state, and the reads that were called before it returned: one
 *      that found nothing, as in the beginning, where no change overlaps it; or
 *      a read of a counter, which then counts as a write of what it saw;
 * and by (X5) never the only one that brings in time a value which a result
 * has, nor the operation of (X4) or (X6).
 *
 * What is explained is the shortest prefix, where operations that are open at
 * its end are pending; the core has the return that it ends with.  Where some
 * of those would be needed, it is the whole, with the results that they had.
 *
 * The core is minimal when none of these can leave out any more, by itself or
 * with the operations of the same key or value.
 */
#ifndef HISTORY_EXPLAIN_EXPLAIN_LOG_H
#define HISTORY_EXPLAIN_EXPLAIN_LOG_H

#include "history/log_check.h"
#include "model/log_report.h"

/* Of a whole log: p->ops[i].op is &log->ops.at[i].  `a` is a violation.  When
 * the budget ends, the core is not minimal; the prefix may not be shortest. */
void explain_log(const struct log_problem *p, const struct log_answer *a,
                 const struct log_budget *b, struct log_explained *out);

/*
 * Of a log of a register that has all operations which returned at `since` or
 * later: by X4, leaves out of it and of the problem what only the operations
 * before them could explain.  If what is left is a violation, the whole is.
 * False: no write is fit for that, and nothing was left out.
 */
bool explain_forget_beginning(struct log *l, struct log_problem *p,
                              uint32_t since);

#endif
