/* Between the files that explain a fault; nobody else includes this. */
#ifndef DIAGNOSE_DIAGNOSE_INT_H
#define DIAGNOSE_DIAGNOSE_INT_H

#include "diagnose/diagnose.h"

/* A client that fails, with one of its failing executions. */
struct blamed {
  char *client;
  path path; /* empty: none is known */
};

enum diagnose_kind {
  DIAGNOSE_KINDS,  /* which patterns does a failing execution have? */
  DIAGNOSE_COUNT,  /* how many executions has a client, how many fail? */
  DIAGNOSE_RACES,  /* which races decide? */
  DIAGNOSE_CENSUS, /* where do executions switch, what do they return? */
};

/* Who names the variables of --race-variables: the worker asks the parent's
 * namer, which it has since it was forked. */
struct race_names {
  struct story_namer *namer;
  uint64_t base; /* where the object is loaded in the namer's trace */
  uint32_t at;   /* the event of that trace at which things are named */
};

/* What a worker is asked. */
struct diagnose_question {
  const struct target *target;
  enum diagnose_kind kind;
  const char *client;
  const path *failing; /* DIAGNOSE_KINDS: one of its executions */
  const struct race_names *names; /* DIAGNOSE_RACES */
};

enum { TRACE_GOOD, TRACE_FAILING, TRACE_KINDS };

/* Some of the traces of a client, as files have them. */
struct traces_part {
  char *text[TRACE_KINDS]; /* NULL: none */
  uint32_t next;           /* of what comes next; 0: that was all … */
  bool complete;           /* … and these are all that the client has */
};

/* What it answers: the part that was asked for. */
struct diagnose_answer {
  bool late; /* time has ended a part of it */
  struct causes_found causes;
  struct kinds_found kinds;
  struct tally tally;
  struct races_found races;
  struct census census;
  struct traces_part traces;
};

extern const struct noun noun_diagnose_answer;
enum worker_end diagnose_worker(struct worker *w,
                                const struct diagnose_question *q);
/* Of a worker that has done it. */
static inline struct diagnose_answer *diagnose_answer(const struct worker *w) {
  return w->answer;
}

/* Are the states of the finding's client something to ask about? */
bool diagnose_has_states(const struct built *b, const struct finding *f,
                         const struct target *t);
/* Asks about the client of the finding; true: the worker has answered.  Nothing
 * is searched, and the scheduler runs the client, whatever it was that found
 * it. */
bool diagnose_client(struct worker *w, const struct object_run *r,
                     const struct target *t, enum diagnose_kind kind,
                     const struct race_names *names);

/*
 * Which lines must be atomic for clients not to fail?  One process answers for
 * more and more clients (causes_ask.c), since collecting their traces is what
 * takes the time.  It ends with causes_ask_close.
 */
struct causes_asker {
  struct target target;
  struct pool *pool;
};
void causes_ask_open(struct causes_asker *a, const struct target *t);
/* Of all clients so far and these, in the memory of `to`; NULL: there is no
 * answer. */
const struct causes_found *causes_ask(struct causes_asker *a,
                                      const struct blamed *more, uint32_t n,
                                      struct arena *to);
/* The traces of one client, from a number on; NULL: there is no answer. */
const struct traces_part *traces_ask(struct causes_asker *a,
                                     const struct blamed *client, uint32_t from,
                                     struct arena *to);
void causes_ask_close(struct causes_asker *a);
/* Its side in the process (causes.c); an item begins with one of these. */
enum { ASK_CAUSES, ASK_TRACES };
int causes_open(void *target, struct work *work);
int causes_item(void *target, struct work *work, const struct buf *item,
                struct buf *answer);

/* In the worker. */
struct hunt;
void hunt_kinds(struct hunt *h, const char *client, const path *failing,
                struct kinds_found *out);
/* All executions of a client that is explored completely. */
void hunt_count(struct hunt *h, const char *client, struct tally *out);
void hunt_races(struct hunt *h, const char *client,
                const struct race_names *names, struct races_found *out);
void hunt_census(struct hunt *h, const char *client, struct census *out);

#endif
