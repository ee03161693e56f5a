/*
 * What the executions of one client tell: under SC, whether they are
 * serializable, and of robustness what its monitor sees; under TSO, whether
 * they are serializable and equivalent to executions under SC.
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
  const struct trace *now; /* the execution that is being judged */
  bool tso;                /* the model that is being run … */
  bool incomplete;         /* … and something of it was not seen */
  struct {
    bool ran;
    const char *missing; /* why not all executions were run; NULL: all were */
  } model[2];
  bool sc_no, tso_no, monitor_no, equivalent_no;
  bool blind;  /* there are executions that the monitor cannot judge */
  bool fenced; /* every transaction ends with a fence */
  bool full;   /* a buffer was full: longer ones may do more */
  struct buf text[ABOUTS]; /* of executions that tell a "no" */
};

void client_judge_init(struct client_judge *j, struct atomic_report *r,
                       const struct built *b, const struct object *o);
void client_judge_begin(struct client_judge *j, struct atomic_trace *t,
                        const struct client *c);
void client_judge_end(struct client_judge *j);

void client_judge_model(struct client_judge *j, bool tso);
void client_judge_execution(struct client_judge *j, const struct trace *t);
/* All of them come again. */
void client_judge_again(struct client_judge *j);
/* Nothing more can be found out. */
bool client_judge_done(const struct client_judge *j);
void client_judge_ran(struct client_judge *j, uint64_t executions,
                      const char *missing);

/* Are executions under TSO to be run?  `all`: even if those under SC tell the
 * answers. */
bool client_judge_wants_tso(const struct client_judge *j, bool all);

/* The answers; and to `traces`, if it is not NULL, an execution that tells the
 * one that counts. */
void client_judge_conclude(struct client_judge *j, struct buf *traces);

#endif
