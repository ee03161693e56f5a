/*
 * Inside the library.  Values (model/datum.h) are shared by all checkers of the
 * process, and making them is for one thread at a time: so one lock stands
 * around everything, and when the last checker goes they go too.
 */
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
  struct online *online;    /* or */
  struct log log;
  struct log_builder builder;
  struct buf text; /* of the last answer */
  struct error error;
};

/* lib/value.c */
/* ERR_INPUT: a kind that there is not, or nested too deeply. */
int datum_from(const struct fl_datum *from, datum *to, struct error *e);

/* lib/verdict.c: of what is in the log. */
int library_answer(struct fl_check *c, struct fl_check_result *r);

#endif
