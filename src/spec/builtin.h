/*
 * A built-in specification: a type of recorded histories (type.h) for the
 * engine's clients.  FL_SPEC gives each operation of a suite a role; a role is
 * an operation of the type, and says what it returns in the terms of C.
 *
 * Arguments of clients are integers and become data; what the type answers, a
 * datum, becomes a value of the operation's declared type.  A new type is a
 * table of roles (builtin_roles.c) and one line in SPEC_TYPES.
 *
 * (S3) every operation of the suite has a role when the type is opened.
 * (S4) no operation waits for the type's sake: `empty` and `capacity` are
 *      looked at here, in builtin.c.
 * (S5) a role of RESULT_FLAG is answered by true or false; one of RESULT_NUMBER
 *      or RESULT_DATA by a number, or by nil when there is nothing.
 */
#ifndef SPEC_BUILTIN_H
#define SPEC_BUILTIN_H

#include "spec/spec.h"
#include "spec/type_int.h"

/* type, roles, settings, meaning */
#define SPEC_TYPES(_)                                                          \
  _(stack, "push pop top size is_empty clear drain", "empty capacity full ok", \
    "last in, first out")                                                      \
  _(queue, "enqueue dequeue front size is_empty clear drain",                  \
    "empty capacity full ok", "first in, first out")                           \
  _(deque,                                                                     \
    "push_left push_right pop_left pop_right left right size is_empty clear "  \
    "drain",                                                                   \
    "empty capacity full ok", "a queue with two ends")                         \
  _(set, "add remove contains count_range size is_empty clear drain", "ok",    \
    "add and remove tell whether they changed the set")                        \
  _(map,                                                                       \
    "put get remove contains put_if_absent get_or_add replace exchange take "  \
    "cas count_range size is_empty clear drain",                               \
    "absent ok",                                                               \
    "put, put_if_absent, remove and replace tell whether the key was new, "    \
    "was there; exchange and take return the old value, get_or_add the one "   \
    "that is there then")                                                      \
  _(register, "read write cas exchange cas_fetch", "initial ok",               \
    "one value; cas(expected, new) tells whether it wrote, cas_fetch returns " \
    "what it saw")                                                             \
  _(counter,                                                                   \
    "inc dec add sub get reset fetch_inc fetch_dec fetch_add fetch_sub "       \
    "inc_fetch dec_fetch add_fetch sub_fetch",                                 \
    "initial ok",                                                              \
    "a number; fetch_inc returns the old one, inc_fetch the new one")          \
  _(pqueue, "insert remove_min min remove_max max size is_empty clear drain",  \
    "empty capacity full ok", "a priority queue: the smallest comes first")    \
  _(exchanger, "exchange", "empty",                                            \
    "two calls that overlap get each other's value; alone, a call returns "    \
    "`empty` or waits")                                                        \
  _(rendezvous, "put take", "empty full ok",                                   \
    "a put hands its value to a take that overlaps it; alone, they return "    \
    "`full` and `empty` or wait")                                              \
  _(barrier, "wait", "parties leader ok",                                      \
    "as many calls as there are parties, which all overlap, return together; " \
    "one of them returns `leader`")

/* What a role returns, apart from nothing, which every role may. */
enum role_result {
  RESULT_STATUS, /* `ok`, or true */
  RESULT_FLAG,   /* a bool, or 0 and 1 */
  RESULT_NUMBER, /* how many */
  RESULT_RANGE,  /* how many elements or keys are not below the first argument
                    and not above the second */
  RESULT_ALL,    /* how many there were; or a text of them, in the order in
                    which they would have been removed: "3 1" */
  RESULT_DATA,   /* a value that was stored, or that there is none */
};

/* An argument that the type's operation takes and the role does not. */
enum role_implies { IMPLIES_NOTHING, IMPLIES_ONE, IMPLIES_INITIAL };

struct spec_role {
  const char *names; /* the main one, then aliases, separated by spaces */
  const char *op;    /* the type's operation */
  enum role_result result;
  uint8_t data;  /* bit i: argument i is only stored and handed back */
  bool compares; /* its arguments meet stored values, so stored values are no
                    mere data any more */
  bool total;    /* of RESULT_DATA: there is always something */
  bool negates;  /* the type's argument is the negative: sub is add */
  enum role_implies implies;
};

struct builtin_type {
  const struct spec_role *roles; /* ends with names == NULL */
  const struct op_def *defs;     /* the operations that `op` names */
  type_opener *open;
  bool cell; /* one value, which begins as `initial` */
  /* Not NULL: calls take effect together (builtin_meet.c). */
  enum spec_answer (*choose)(struct spec *s, const struct client *c,
                             uint32_t state, uint32_t call,
                             const struct value *wanted, uint32_t which,
                             struct value *result, uint32_t *next);
};

/* An operation of the suite with its role. */
struct bound_op {
  const struct spec_role *role;
  uint32_t nargs;
  struct type_op op; /* all but the arguments of a call */
  const char *slots; /* op_def's letters of these */
  enum fl_type type;
  unsigned size;
  bool waits_none, waits_full;
  struct value ok, full, leader;
  struct value none; /* `empty`, or a map's `absent` */
  /* FL_OUT beside what it returns: an element is `ok` and its value there. */
  const struct fl_item *out;
  char *prefix;      /* … `ok` as a text, with a comma */
  uint32_t reach;    /* FL_OUT_OF_ORDER(k): k + 1; 0: it returns the next
                        element */
  bool per_producer; /* FL_PER_PRODUCER: reach is 1, and does not count */
  struct type_op remove,
      back; /* with a reach: the next one out, and in again */
};

struct builtin {
  struct spec spec; /* first: a builtin is a spec */
  const struct builtin_type *about;
  struct bound_op *ops; /* by index of the operation */
  uint32_t nops;
  uint32_t capacity; /* UINT32_MAX: no limit */
  int64_t initial;
  uint32_t parties; /* of a barrier */
  bool has_leader;  /* … one of whose calls returns `leader` */
  struct known_type *type;
  struct type_op size_op;       /* with a capacity: how many there are */
  bool tagged;                  /* an element is the list [thread, value] */
  const struct fl_suite *texts; /* elements are texts (FL_STRING) of it */
  data_list contents;           /* scratch */
  data_list passed;             /* scratch of builtin_choose */
  VEC(int64_t) words;           /* scratch */
};

struct builtin *builtin_new(const char *name, const struct builtin_type *about,
                            uint32_t nops);
/* Opens the type when capacity and initial value are known. */
void builtin_open(struct builtin *b);
/* Gives `o` its role, which says how many arguments it takes. */
void builtin_bind(const struct builtin *b, const struct spec_role *role,
                  struct bound_op *o);

/* An element as the operation hands it back. */
struct value builtin_answer(const struct builtin *b, const struct bound_op *o,
                            int64_t v);

/* The operation, its result asked for. */
struct type_op builtin_asked(const struct op_def *def);
/* The value of an element. */
datum builtin_element(const struct builtin *b, datum d);
/* builtin_reach.c.  False: the role takes no element. */
bool builtin_give_reach(struct builtin *b, struct bound_op *o, uint32_t reach,
                        bool per_producer);
enum spec_answer builtin_choose(struct spec *spec, const struct client *c,
                                uint32_t state, uint32_t call,
                                const struct value *wanted, uint32_t which,
                                struct value *result, uint32_t *next);

/* `v` as the engine would give it for a result of the declared type. */
struct value builtin_value(enum fl_type type, unsigned size, int64_t v);

#define SPEC_TYPE_DECLARE(name, roles, settings, meaning)                      \
  extern const struct builtin_type builtin_##name;
SPEC_TYPES(SPEC_TYPE_DECLARE)
#undef SPEC_TYPE_DECLARE

#endif
