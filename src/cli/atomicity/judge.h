/*
 * Judges the executions of one client.  Under SC: are they serializable, and
 * does the monitor find one that is not robust?  Under TSO: are they
 * serializable, and equivalent to executions under SC?
 *
 *   client_judge_begin(j, …);
 *   client_judge_model(j, false); client_judge_execution(j, …); …
 *   client_judge_ran(j, …);
 *   if (client_judge_wants_tso(j, …)) the same with true
 *   client_judge_conclude(j, …); client_judge_end(j);
 */
#ifndef CLI_ATOMICITY_JUDGE_H
#define CLI_ATOMICITY_JUDGE_H

#include "cli/atomicity/int.h"
#include "cli/session/session.h"
#include "hunt/object.h"

enum { ABOUT_SC, ABOUT_TSO, ABOUT_ROBUST, ABOUTS };

struct client_judge {
  struct atomic_report *report;
  const struct built *built;
  const struct object *object;
  /* of the client */
  struct atomic_trace *trace;
  const struct client *client;
  const struct trace *now; /* the current execution */
  bool tso;                /* its memory model */
  bool incomplete;         /* some events or executions of it are missing */
  struct {
    bool ran;
    const char *missing; /* why not all executions were run; NULL: all were */
  } model[2];
  bool sc_no, tso_no, monitor_no, equivalent_no;
  bool blind;  /* the monitor cannot judge some executions */
  bool fenced; /* every transaction ends with a fence */
  bool full;   /* a buffer was full: with a longer one more can happen */
  struct buf text[ABOUTS]; /* executions that show a "no" */
};

void client_judge_init(struct client_judge *j, struct atomic_report *r,
                       const struct built *b, const struct object *o);
void client_judge_begin(struct client_judge *j, struct atomic_trace *t,
                        const struct client *c);
void client_judge_end(struct client_judge *j);

void client_judge_model(struct client_judge *j, bool tso);
void client_judge_execution(struct client_judge *j, const struct trace *t);
/* The search begins again with all executions. */
void client_judge_again(struct client_judge *j);
/* Are all answers known, so that the search can stop? */
bool client_judge_done(const struct client_judge *j);
void client_judge_ran(struct client_judge *j, uint64_t executions,
                      const char *missing);

/* Must executions under TSO be run?  `all`: even if those under SC give the
 * answers. */
bool client_judge_wants_tso(const struct client_judge *j, bool all);

/* Writes the answers into the trace, and an execution that shows the "no" to
 * `traces`, unless that is NULL. */
void client_judge_conclude(struct client_judge *j, struct buf *traces);

#endif
