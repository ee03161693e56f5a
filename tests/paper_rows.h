/*
 * Figures for the tables of docs/papers.md: a test prints what it has counted,
 * as bench/papers/run wants it, when FAULTLINE_PAPER_ROWS is set.
 */
#ifndef PAPER_ROWS_H
#define PAPER_ROWS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static inline void paper_row(const char *table, const char *row,
                             const char *column, uint64_t figure) {
  if (getenv("FAULTLINE_PAPER_ROWS"))
    printf("%s\t%s\t%s\t%" PRIu64 "\n", table, row, column, figure);
}

static inline void paper_answer(const char *table, const char *row,
                                const char *column, int yes) {
  if (getenv("FAULTLINE_PAPER_ROWS"))
    printf("%s\t%s\t%s\t%s\n", table, row, column, yes ? "yes" : "no");
}

#define PAPER_THEOREMS "Propositions and theorems: exceptions in random cases"

#endif
