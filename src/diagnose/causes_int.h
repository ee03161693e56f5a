/* Between the files that look for causes; nobody else includes this. */
#ifndef DIAGNOSE_CAUSES_INT_H
#define DIAGNOSE_CAUSES_INT_H

#include "diagnose/diagnose_int.h"
#include "hunt/inside.h"
#include "locate/trace_set.h"

#include "model/loops.h"

struct collected {
  path path;
  bool bad;
};

/* The execution that a class of traces is known by. */
struct kept {
  path path;
  bool failed; /* it ended in a fault, and not in results */
};

/* A combination of results that the first client had, in failing traces. */
struct failing {
  struct hash128 hash;
  struct value *results;
};

struct collector {
  struct judge judge;
  struct live_path live;
  VEC(struct collected) paths;
  located_list traces;   /* section_trace points into its neighbour */
  VEC(struct kept) kept; /* of each of these */
  struct blame blame;    /* with those of files behind them */
  struct map128 known;
  VEC(char *) clients; /* whose traces these are */
  bool incomplete;     /* not all of one of them */
  uint32_t settled;    /* traces whose rounds of loops are told apart … */
  uint32_t nloops;     /* … by so many loops */
  struct scopes *scopes;
  struct lines *lines;
  struct loops loops;
  struct trace_set given;     /* good traces of files */
  double seconds;             /* for all of them so far */
  uint32_t number;            /* of the client whose traces are looked at … */
  const struct client *first; /* … if it is number 0, else NULL */
  VEC(struct failing) failing;
  struct arena *shared; /* the answer's */
};

/* A process that is asked again and again, about more and more clients: traces
 * are collected once. */
struct causes_server {
  struct hunt h;
  struct result result;
  struct collector *collector;
  struct client first;
};

#endif
