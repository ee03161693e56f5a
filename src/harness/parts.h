/*
 * Arguments and results of operations that are more than a number: texts
 * (FL_STRING), output parameters (FL_OUT), and what a printer says of a result
 * (FL_RESULT).
 *
 * An argument of a client is a number all the same: that of a text is
 * CLIENT_TEXTS plus the place of its first mention in the suite, so that equal
 * texts have equal numbers in all operations.
 *
 * What an operation returns and what it writes to its output parameters is one
 * result: a text that names them one after the other, `true, 3`.  Of a function
 * that returns nothing and has one output parameter, it is the value there.
 *
 * (P1) a bool that is false stands alone: what else was written is no result.
 * (P2) an output parameter that was not written is left out: its bytes are all
 *      PARTS_FILL before the call.
 */
#ifndef HARNESS_PARTS_H
#define HARNESS_PARTS_H

#include "base/buf.h"

#include <faultline.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  PARTS_ROOM = 512, /* bytes of all results of a call */
  PARTS_TEXT = 512, /* of the text that names them */
  PARTS_FILL = 0xa5,
};

/* ---- tables ---- */

/* The domain of an argument of clients?  Output parameters have none. */
static inline bool parts_is_argument(const struct fl_item *i) {
  return i->kind == FL_ITEM_RANGE || i->kind == FL_ITEM_LIST ||
         i->kind == FL_ITEM_DATA || i->kind == FL_ITEM_STRING;
}
uint32_t parts_arguments(const struct fl_op *o);
/* Number `arg` of these, or NULL. */
const struct fl_item *parts_argument(const struct fl_op *o, uint32_t arg);
/* Parameters behind the object, and which of them are pointers. */
uint32_t parts_parameters(const struct fl_op *o, uint32_t *pointers);

/* Does a call need parts_call()? */
bool parts_any(const struct fl_op *o);
/* The only output parameter beside a bool or an integer that is returned, if it
 * holds a number; or NULL. */
const struct fl_item *parts_beside(const struct fl_op *o);
/* What is wrong with its table, or NULL; the caller frees it. */
char *parts_trouble(const struct fl_op *o);
/* Gives the operations of all suites the types of their results. */
void parts_settle(struct fl_suite *suites);

/* All texts that are arguments, in order; *n of them; the caller frees the
 * array. */
const char **parts_texts(const struct fl_suite *s, uint32_t *n);
/* NULL: the number is none of a text. */
const char *parts_text(const struct fl_suite *s, int64_t number);
int64_t parts_number(const struct fl_suite *s, const char *text);

/* ---- calls ---- */

struct parts_call {
  const struct fl_suite *suite;
  const struct fl_op *op;
  void (*function)(void); /* the operation's, or one with its signature */
  bool takes_object;
  const void *object;
  const int64_t *args;
  uint64_t (*name)(uint64_t address); /* of a pointer: bits of a value */
};

/* The words of the arguments that are no output parameters. */
void parts_words(const struct fl_suite *s, const struct fl_op *o,
                 const int64_t *args, long long *words);

/* The result as the machine's word: of a text its address, which is `text`
 * (of PARTS_TEXT bytes) or the function's own. */
long long parts_call(const struct parts_call *c, char *text);

#endif
