/*
 * A criterion says which orders of the calls may explain the results
 * (docs/readings.md).  Initial calls come first and final calls last under each
 * of them.  The definition, one pair of calls at a time: check/order.h.
 */
#ifndef MODEL_CRITERION_H
#define MODEL_CRITERION_H

/* its number; its name in options and reports; what an object is; the orders
 * that may explain the results */
#define CRITERIA(_)                                                            \
  _(LINEARIZABLE, "linearizability", "linearizable", "that real time allows")  \
  _(SEQUENTIAL, "sequential", "sequentially consistent",                       \
    "that keeps the order of each thread")                                     \
  _(QUIESCENT, "quiescent", "quiescently consistent",                          \
    "that quiescent consistency allows")                                       \
  _(HAPPENS_BEFORE, "happens-before", "consistent with happens-before",        \
    "that happens-before allows")

#define CRITERION_ENUM(id, name, property, orders) CRITERION_##id,
enum criterion { CRITERIA(CRITERION_ENUM) };
#undef CRITERION_ENUM

struct criterion_words {
  const char *name, *property, *orders;
};
extern const struct criterion_words criterion_words[]; /* by number; ends with
                                                          a NULL name */
extern const char *const criterion_name[];             /* ends with NULL */

/* By name; what is no name is linearizability. */
enum criterion criterion_named(const char *name);

#endif
