/* A checker, as the files of the library see it. */
#ifndef LIB_INT_H
#define LIB_INT_H

#include "base/buf.h"
#include "faultline/check.h"
#include "history/log_check.h"
#include "history/stream/online.h"

struct fl_check {
  struct type *type;
  double seconds;
  struct log_budget limits; /* without a deadline */
  struct online *online;    /* NULL: the history is kept, in the next two */
  struct log log;
  struct log_builder builder;
  struct buf text; /* of the last answer */
  bool busy; /* a call is inside.  Who comes in and finds this set knows that
                the call before did not return: the checker is broken (L1) */
};

/* lib/value.c */
/* ERR_INPUT: a kind that there is not, or nested too deeply. */
int datum_from(const struct fl_datum *from, datum *to, struct error *e);

/* lib/verdict.c: the answer about a history that was kept. */
int library_answer(struct fl_check *c, struct fl_check_result *r,
                   struct error *e);

#endif
