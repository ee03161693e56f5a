/* What can be said of an execution, of a client, or of an object. */
#ifndef MODEL_VERDICT_H
#define MODEL_VERDICT_H

#include <stdbool.h>

enum verdict {
  VERDICT_PASS,
  VERDICT_VIOLATION, /* a history that is not linearizable */
  VERDICT_ERROR,     /* a fault that needs no specification, see enum fault */
  VERDICT_UNKNOWN,   /* a budget ended before the answer */
};

/* name, identifier in JSON, words in reports */
#define FAULTS(_)                                                              \
  _(NONE, "none", "no fault")                                                  \
  _(NOT_LINEARIZABLE, "not-linearizable", "not linearizable")                  \
  _(SEQUENTIAL, "sequential", "wrong without concurrency")                     \
  _(INVARIANT, "invariant", "invariant violated")                              \
  _(PROGRESS, "progress", "no progress")                                       \
  _(CRASH, "crash", "crash")                                                   \
  _(ABORT, "abort", "abort")                                                   \
  _(ASSERT, "assert", "assertion failed")                                      \
  _(EXIT, "exit", "exit called")                                               \
  _(DEADLOCK, "deadlock", "deadlock")                                          \
  _(LIVELOCK, "livelock", "livelock")                                          \
  _(ENDLESS, "endless-loop", "endless loop")                                   \
  _(STACK_OVERFLOW, "stack-overflow", "stack overflow")                        \
  _(USE_AFTER_FREE, "use-after-free", "use after free")                        \
  _(USE_AFTER_RETURN, "use-after-return", "use after return")                  \
  _(DOUBLE_FREE, "double-free", "double free")                                 \
  _(BAD_FREE, "bad-free", "free of what was not allocated")                    \
  _(OUT_OF_BOUNDS, "out-of-bounds", "access out of bounds")                    \
  _(LEAK, "leak", "memory leak")                                               \
  _(LOCK_MISUSE, "lock-misuse", "misuse of a lock")                            \
  _(OUT_OF_MEMORY, "out-of-memory", "out of memory")                           \
  _(DATA_RACE, "data-race", "data race")                                       \
  /* of the tool, see fault_is_doubt */                                        \
  _(UNMODELLED, "not-modelled", "cannot be checked")                           \
  _(DIVERGENCE, "divergence", "not deterministic")

enum fault {
#define FAULT_ENUM(name, id, words) FAULT_##name,
  FAULTS(FAULT_ENUM)
#undef FAULT_ENUM
      FAULT_COUNT
};

/* The execution says nothing about the object: the code did something that the
 * engine cannot follow, or came to a bound of it.  The verdict is UNKNOWN. */
static inline bool fault_is_doubt(enum fault f) {
  return f == FAULT_UNMODELLED || f == FAULT_DIVERGENCE;
}

extern const char *const verdict_name[]; /* "pass", "violation", … */
extern const char *const fault_id[FAULT_COUNT];
extern const char *const fault_words[FAULT_COUNT];

#endif
