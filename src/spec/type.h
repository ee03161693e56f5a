/*
 * A type is the sequential specification of a recorded history (model/log.h):
 * states, and whether an operation with its result can be the next one.
 *
 * States are numbers that a type hands out.
 * (T1) equal numbers behave equally.  A type gives equal states equal numbers
 *      as far as it can: the checkers' memos live on that.
 *                                             tests/unit/spec/type_naive.c
 * (T2) `step` is a function of state, name, arguments and result.
 * (T3) state numbers stay valid until `forget`.  A type keeps its states in
 *      a table of its own, in a form that shares what successive states have in
 *      common, so that a step costs little even when the object is large.
 * (T4) when more than TYPE_NEXT states could follow, `cut` is set for good: a
 *      history that then seems not to be linearizable is UNKNOWN.
 * (T5) an operation whose result is free has the result DATUM_NONE.
 */
#ifndef SPEC_TYPE_H
#define SPEC_TYPE_H

#include "base/err.h"
#include "model/log.h"

/* At most so many next states, of a non-deterministic type. */
enum { TYPE_NEXT = 8 };

/* What an operation does, as far as it matters for speed and for monitors.
 * Roles of one container: */
enum type_role {
  ROLE_OTHER,
  ROLE_READ,   /* result: the value; arg 0: the key, of a map */
  ROLE_WRITE,  /* arg: (key,) value */
  ROLE_CAS,    /* arg: (key,) old, new; result true or false */
  ROLE_ADD,    /* a container's insertion: arg value (, priority) */
  ROLE_REMOVE, /* its removal: result the value, or `empty` */
  ROLE_PEEK,   /* what ROLE_REMOVE would return */
  ROLE_INSERT, /* a set's or multiset's add(key) = whether it changed it */
  ROLE_DELETE, /* remove(key) = whether it was there */
  ROLE_CONTAINS,
  ROLE_DELETE_KEY, /* a map's delete(key) */
  ROLE_APPEND,     /* arg: key, text */
};

/*
 * One operation, prepared for stepping.  Files write the same thing in many
 * ways (`cas [1 2]`, `cas(1, 2)`; a write that returns nothing, or its argument
 * again; nil, :empty, "empty"): here it has one form, and steps and monitors
 * look at nothing else.
 */
struct type_op {
  const struct log_op *op;
  uint16_t code;   /* the type's own number of its operation */
  uint8_t role;    /* enum type_role */
  bool only_reads; /* changes no state */
  bool any_result; /* whatever it would have returned: it is pending, or the
                      file does not say (an add of a set that returns void) */
  uint16_t aux;    /* the type's own */
  datum key;       /* the part of the object that it concerns, when the type
                      is made of independent parts; DATUM_NONE: all of it */
  datum arg[2];    /* without the key of a map: the value that is written or
                      added (, its priority); CAS: old, new; INSERT, DELETE,
                      CONTAINS: the element, which is the key too.  DATUM_NONE
                      where there is none */
  datum result; /* void: DATUM_NONE; INSERT, DELETE, CONTAINS, CAS: DATUM_TRUE
                   or DATUM_FALSE; ADD: DATUM_TRUE; READ, REMOVE, PEEK: the
                   value, or the type's `empty` or `initial_value` */
};

struct type {
  const char *name;
  /* Shape, for the monitors: "register", "set", "multiset", "queue", "stack",
   * "deque", "pqueue" (the smallest first), "max-pqueue", "list", …  What the
   * monitor of a shape may rely on are the roles: an operation that it does not
   * know is ROLE_OTHER, or another role that it does not expect. */
  const char *shape;
  bool by_key;         /* operations with a key concern that key alone */
  datum empty;         /* what ROLE_REMOVE and ROLE_PEEK return when there is
                          nothing; DATUM_NONE: they wait */
  datum initial_value; /* of a register, or of each key of a map */
  uint32_t initial;    /* the state that a history begins in */
  bool cut;            /* T4 */

  /* Fills `out` from the operation; an operation, or arguments, that the type
   * does not have is ERR_INPUT with what exists. */
  int (*prepare)(struct type *t, const struct log *l, const struct log_op *op,
                 struct type_op *out, struct error *e);
  /* The states that can follow when the operation comes next and returns what
   * it returned; how many, at most TYPE_NEXT.  0: it cannot come next. */
  uint32_t (*step)(struct type *t, uint32_t state, const struct type_op *op,
                   uint32_t next[TYPE_NEXT]);
  /* What it would return there, for explanations; false: nothing to say. */
  bool (*answer)(struct type *t, uint32_t state, const struct type_op *op,
                 struct buf *out);
  /* Of a read that tells all of the state: the operation that makes it so.
   * False: it is none; NULL: there are none. */
  bool (*as_write)(struct type *t, const struct type_op *read,
                   struct type_op *out);
  void (*print_state)(struct type *t, uint32_t state, struct buf *out);
  /* Drops all states but the initial one and those in `keep`, which get new
   * numbers in place.  NULL: states are never dropped. */
  void (*forget)(struct type *t, uint32_t *keep, uint32_t n);
  uint64_t (*bytes)(const struct type *t); /* of the table of states */
  void (*free)(struct type *t);
};

/* The function of a type of the user's own that is being run, for handlers of
 * signals; false: none is. */
struct type_running {
  const char *object, *function;
  const char *operation; /* or NULL */
};
bool type_user_runs(struct type_running *out);

/*
 * By name: a built-in one (`faultline specs`), a class of java.util.concurrent
 * ("ArrayBlockingQueue" or "java.util.concurrent.ArrayBlockingQueue"), or a
 * shared object with the user's own ("./mine.so", faultline/spec.h).
 * `argument` is the capacity or the initial value, DATUM_NONE: the default.
 * NULL: *e says what exists.
 */
struct type *type_open(const char *name, datum argument, struct error *e);
/* One that is in the program itself (faultline/spec.h), under any name. */
struct fl_model;
struct type *type_of_model(const char *name, const struct fl_model *m,
                           datum argument, struct error *e);
void type_free(struct type *t);

/* Which built-in type a history without a name can only be of, from the names
 * of its operations; NULL: unclear, and *e says which ones fit. */
const char *type_guess(const struct log *l, struct error *e);

/* For `faultline specs`. */
struct type_info {
  const char *name, *operations, *meaning;
};
extern const struct type_info type_infos[]; /* ends with name == NULL */

#endif
