/*
 * The inside of the built-in types.  A type is a table of operations, by which
 * calls are understood, and a function that says what an operation does in a
 * state.  A new one is a table, that function and a line in TYPES (type.c).
 */
#ifndef SPEC_TYPE_INT_H
#define SPEC_TYPE_INT_H

#include "base/vec.h"
#include "spec/type.h"

/* How a result is to be understood. */
enum gives {
  GIVES_NOTHING, /* void: none, nil, true, ok, or its argument again */
  GIVES_VALUE,   /* what is there */
  GIVES_ITEM,    /* an element, or that there is none: nil, empty, … */
  GIVES_FLAG,    /* true or false; void: not known */
  GIVES_SUCCESS, /* true or false; void: true */
  GIVES_MAYBE,   /* a value; void: not known */
};

/*
 * Names are written without capitals, _ and -, and found whatever the file does
 * about these.  Those before a bar tell the type when the file does not.
 *
 * An argument is one letter: v, o the first value; n, p the second one; k the
 * key; e an element, the first value and the key at once; c a list and m a map,
 * as the first value.  Those behind a ? may be missing.
 */
struct op_def {
  const char *names, *args;
  uint8_t code, role, gives;
  bool reads;
};

enum { CODE_NOTHING = UINT16_MAX }; /* an operation that had no effect */

struct known_type;
/* apply: see below. */
typedef bool known_apply(struct known_type *k, uint32_t state,
                         const struct type_op *op, datum *answer,
                         uint32_t *next);

/* Several data. */
typedef VEC(datum) data_list;

struct named_def {
  const char *name;
  const struct op_def *def;
};

/* A type of ours; what follows it in memory is the type's own. */
struct known_type {
  struct type type;
  const struct op_def *defs; /* ends with names == NULL */
  /* What the operation returns, and the next state; false: it cannot come next
   * here.  An answer that is costly to make is made only when the result is
   * free; else the answer is op->result, or false. */
  known_apply *apply;
  /* The data that a state is made of: equal states, equal lists.  NULL: nobody
   * asks. */
  void (*contents)(struct known_type *k, uint32_t state, data_list *out);
  bool as_written; /* the text "1" is not the number 1: texts are appended to */
  bool java;       /* results are what Java prints */
  bool behind_key; /* operations come without their key, for messages */
  datum nil_is;    /* the value that nil means */
  bool only_nil;   /* false, "empty" and the like were given as values, so nil
                      alone says that there is nothing */
  datum *words;    /* that files write for true, nothing, …: made once */
  VEC(struct named_def) found; /* by index of the log's function */
};

/* Fills the common part; `size` is that of the whole. */
void *known_new(size_t size, const char *name, const char *shape,
                const struct op_def *defs, known_apply *apply);
void known_free(struct type *t);

/* type_args.c */
int known_prepare(struct type *t, const struct log *l, const struct log_op *op,
                  struct type_op *out, struct error *e);
uint32_t known_step(struct type *t, uint32_t state, const struct type_op *op,
                    uint32_t next[TYPE_NEXT]);
/* A value in one form: the text "1" as 1, nil as what it means. */
datum known_tidy(const struct known_type *k, datum d);
const struct op_def *known_find(const struct op_def *defs, const char *name,
                                bool characteristic);
/* ERR_INPUT with the place of the operation in its file before the text. */
int type_refuse(struct error *e, const struct log *l, const struct log_op *op,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The arguments of a call, whether they are one by one or in a list. */
struct given {
  datum at[8];
  uint32_t n; /* more than 8: only so many are there, n says how many */
};
void given_by(const struct log_op *op, struct given *g);

/* type_cell.c … each opens a type; `argument` as in type_open. */
typedef struct type *type_opener(const char *name, datum argument,
                                 struct error *e);
type_opener open_register, open_cas_register, open_kv_cell, open_list_cell,
    open_counter, open_lock, open_mutex;
type_opener open_queue, open_stack, open_deque, open_bounded_queue;
type_opener open_set, open_multiset, open_pqueue, open_max_pqueue,
    open_snapshot;
type_opener open_map; /* FL_SPEC's */
type_opener open_juc_queue, open_juc_pbq, open_juc_map, open_juc_set;

/* The type of a map whose keys each have an object of type `inner`. */
struct type *type_by_key(const char *name, struct type *inner);
/* A shared object. */
struct type *type_of_object(const char *path, datum argument, struct error *e);

/* The tables, for type_guess. */
extern const struct op_def register_defs[], cas_register_defs[], kv_cell_defs[],
    list_cell_defs[], counter_defs[], lock_defs[], queue_defs[], stack_defs[],
    deque_defs[], set_defs[], multiset_defs[], pqueue_defs[], max_pqueue_defs[],
    snapshot_defs[];
/* And of operations that FL_SPEC has. */
extern const struct op_def map_defs[], c_register_defs[];

#endif
