/*
 * Sequential specifications of your own for `faultline check`: a shared object
 * that defines one variable,
 *
 *   #include <faultline/spec.h>
 *   const struct fl_model fl_model = {
 *       .version = FL_MODEL_VERSION,
 *       .operations = "deposit withdraw balance",
 *       .init = …, .apply = …, .hash = …, .equal = …, .print = …,
 *       .release = …,
 *   };
 *
 *   cc -shared -fPIC -o account.so account.c
 *   faultline check --spec=./account.so history.jsonl
 *
 * A state is an object of yours behind a pointer.  It is never changed once it
 * was handed out: apply makes new ones.
 */
#ifndef FAULTLINE_SPEC_H
#define FAULTLINE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FL_MODEL_VERSION 1

enum fl_datum_kind {
  FL_DATUM_NONE, /* nothing was said: void, or not known */
  FL_DATUM_NIL,  /* null, nil */
  FL_DATUM_BOOL, /* number is 0 or 1 */
  FL_DATUM_NUMBER,
  FL_DATUM_TEXT,   /* text, of len bytes, and a NUL */
  FL_DATUM_SYMBOL, /* the same, without quotes in the file: :timed-out */
  FL_DATUM_LIST,   /* items, len of them */
  FL_DATUM_MAP     /* keys and values in turn, sorted by key; len of both */
};

struct fl_datum {
  enum fl_datum_kind kind;
  int64_t number;
  const char *text;
  const struct fl_datum *items;
  size_t len;
};

struct fl_operation {
  const char *name;
  uint32_t process;
  size_t nargs;
  const struct fl_datum *args;
  struct fl_datum result;
  bool pending; /* it did not return: whatever it would have returned, or void.
                   It may also never take effect; that is not your concern */
  bool failed;  /* it returned, and the file says: without success */
};

struct fl_model {
  uint32_t version; /* FL_MODEL_VERSION */

  /* Names, separated by spaces.  NULL: whatever the history has. */
  const char *operations;

  /* The state that a history begins in; `argument` is what the command
   * line or the file says, else of the kind FL_DATUM_NONE. */
  void *(*init)(const struct fl_datum *argument);

  /*
   * The states that can follow when the operation comes next and returns what
   * it returned.  Writes at most `max` of them, which belong to the caller,
   * and returns how many there are; 0: the operation cannot come next.  More
   * than one: the type is non-deterministic.  More than `max`: those that were
   * not written are not tried, and a violation is then reported as unknown.
   */
  size_t (*apply)(const void *state, const struct fl_operation *op, void **next,
                  size_t max);

  uint64_t (*hash)(const void *state);
  bool (*equal)(const void *a, const void *b);

  /* For reports: the state as a text, cut to `size` bytes with its NUL. */
  void (*print)(const void *state, char *text, size_t size);

  /* Frees a state. */
  void (*release)(void *state);

  /* The rest may be NULL. */

  /* Whether the operation leaves every state as it is: it is then tried once,
   * not in every order. */
  bool (*only_reads)(const struct fl_operation *op);

  /* Which argument is the key, when the object is a map of independent parts
   * and the operation concerns one of them; -1: it concerns all. */
  int (*key)(const struct fl_operation *op);

  /* Bytes that a state takes, for the limit of memory. */
  size_t (*bytes)(const void *state);
};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const struct fl_model fl_model;

#ifdef __cplusplus
}
#endif

#endif
