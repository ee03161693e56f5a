/* Between the files that look for causes; nobody else includes this. */
#ifndef DIAGNOSE_CAUSES_INT_H
#define DIAGNOSE_CAUSES_INT_H

#include "diagnose/diagnose_int.h"
#include "hunt/inside.h"
#include "locate/trace_set.h"

#include "locate/rank.h"
#include "locate/section.h"
#include "model/loops.h"

/* One class of traces; equal orders of conflicts are one. */
struct located {
  struct conflicts conflicts;
  struct section_trace section;
  bool bad;         /* some execution of it fails … */
  bool mixed;       /* … and another one does not: calls overlap otherwise */
  uint32_t outcome; /* of the first client's: an index; else UINT32_MAX */
  struct causes causes; /* what repairs it, if `known`; `cut`: not all */
  struct causes lines;  /* the same, with the lines of accesses alone */
  bool known, cut;
};

struct collected {
  path path;
  bool bad;
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
  VEC(struct located *) traces; /* section_trace points into its neighbour */
  struct map128 known;
  VEC(char *) clients; /* whose traces these are */
  bool incomplete;     /* not all of one of them */
  uint32_t settled;    /* traces whose rounds of loops are told apart … */
  uint32_t nloops;     /* … by so many loops */
  struct scopes *scopes;
  struct lines *lines;
  struct loops loops;
  struct trace_set given;     /* good traces of files */
  uint32_t number;            /* of the client whose traces are looked at … */
  const struct client *first; /* … if it is number 0, else NULL */
  VEC(struct failing) failing;
  bool cut; /* not all of the smallest repairs are known */
  VEC(struct trace_cause) single; /* in the memory of `own` */
  struct arena *shared, own;
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
