/*
 * The rows of an execution as lines of a report that has to be short: the calls
 * of libraries fold into a line each, and where that is not enough, steps that
 * decide nothing.
 *
 * (F1) every row that is shown is in exactly one line, and the lines are in the
 *      order of the rows.
 * (F2) a line with several rows has none that is decisive; all but LINE_CUT are
 *      of one thread.
 */
#ifndef REPORT_FOLD_H
#define REPORT_FOLD_H

#include "report/story.h"

enum fold_kind {
  LINE_ROW,     /* the row itself */
  LINE_LIBRARY, /* 31 std::queue::push … 6 accesses */
  LINE_STEPS,   /* 24-31 … 12 accesses */
  LINE_CALL,    /* push(1) … 6 accesses, returns; pop() … 2 accesses */
  LINE_CUT,     /* … 35 rows */
};

struct fold_line {
  enum fold_kind kind;
  const struct story_row *row; /* the first … */
  uint32_t rows;               /* … of so many that are side by side */
};

typedef VEC(struct fold_line) fold_list;

/* The rows that are worth showing, unfolded. */
void fold_none(const struct story *s, fold_list *out);

/* The same in at most `most` lines, as far as the decisive rows allow. */
void fold_rows(const struct story *s, uint32_t most, fold_list *out);

/* `6 accesses`: the steps among so many rows; nothing when there are none. */
void fold_put_count(const struct story *s, const struct story_row *rows,
                    uint32_t n, struct buf *out);

#endif
