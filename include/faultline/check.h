/*
 * Is what my threads saw linearizable?  The checker of `faultline check` as a
 * library: tell it which operations were called and what they returned, and
 * ask.  cc test.c $(pkg-config --cflags --libs faultline-check)
 *
 *   struct fl_check_options o = fl_check_options_init();
 *   o.spec = "queue";
 *   struct fl_check *c = fl_check_new(&o, NULL, 0);
 *   struct fl_datum one = fl_number(1);
 *   fl_check_begin(c, 7, "enqueue", &one, 1);  // thread 7, just before it
 *   enqueue(q, 1);
 *   fl_check_end(c, 7, fl_none());             // just after it
 *   …
 *   struct fl_check_result r = fl_check_result_init();
 *   fl_check_result(c, &r);                    // r.verdict, r.text
 *   fl_check_free(c);
 *
 * Every function may be called from any thread: one lock stands around each of
 * them, and the order in which events come through it is the order of time.
 * Where that would disturb what is measured, let each thread note its
 * operations with times of its own and give them all to fl_check_add.
 *
 * Functions that return an int return one of enum fl_check_code.  The library
 * copies data and texts that it is given.  Texts of a result are valid until
 * the next fl_check_result or fl_check_free of the same checker.  The library
 * never ends the process: where memory runs out the call returns
 * FL_CHECK_ERROR, and so does every later call with the same checker, of which
 * only the handle can then be freed.
 *
 * Structs that grow with later versions begin with their size.  Set it by
 * fl_check_…_init(), or by `.size = sizeof o` among other designated
 * initializers.  A program that was compiled with an older, shorter struct goes
 * on working: fields that it does not know are zero.  A newer, longer one is
 * refused if it asks for something that this library does not know.  A struct
 * fl_datum never changes.
 */
#ifndef FAULTLINE_CHECK_H
#define FAULTLINE_CHECK_H

#include <faultline/spec.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FL_CHECK_API __attribute__((visibility("default")))
#else
#define FL_CHECK_API
#endif

struct fl_check; /* a history and its checker */

enum fl_check_code {
  FL_CHECK_OK = 0,
  FL_CHECK_BAD = 1,   /* online: a violation is known, now or since before */
  FL_CHECK_ERROR = -1 /* nothing was done; fl_check_error says why */
};

enum fl_check_verdict {
  FL_CHECK_LINEARIZABLE,
  FL_CHECK_VIOLATION,
  FL_CHECK_UNKNOWN /* a limit ended it */
};

/* All zero but the size and a specification: the whole history is kept, and
 * there are no limits. */
struct fl_check_options {
  size_t size; /* sizeof(struct fl_check_options) */

  /* One of `faultline specs`, a shared object, or your own functions. */
  const char *spec;
  const struct fl_model *model; /* faultline/spec.h; then `spec` is its name */
  const struct fl_datum *argument; /* capacity, initial value; NULL: none */

  /* Online: each return is checked at once, and what is settled is forgotten.
   * fl_check_end then tells the first violation when it happens. */
  bool online;
  bool whole; /* online: not key by key, nor with a queue whose insertions are
                 in order only as far as removals ask for it: so operations on
                 all of it (size, clear) may come */
  uint32_t window; /* online: an operation that stays open while so many others
                      come and go may be given up; 0: 65536 */

  /* Limits of each answer; online, of all events together.  0: none. */
  double seconds;  /* not online */
  uint64_t memory; /* bytes, about */
  uint64_t steps;  /* questions to the specification */
};

/* NULL: `error`, if any, has a sentence. */
FL_CHECK_API struct fl_check *fl_check_new(const struct fl_check_options *o,
                                           char *error, size_t size);
FL_CHECK_API void fl_check_free(struct fl_check *c); /* NULL: nothing */
/* Why the calling thread's last call with this checker (NULL: to fl_check_new)
 * failed; "" if it did not fail, or if the thread has since called a function
 * with another checker.  Each thread has a text of its own, which is valid
 * until the thread's next call. */
FL_CHECK_API const char *fl_check_error(const struct fl_check *c);

/* A process calls an operation; it has no other one open. */
FL_CHECK_API int fl_check_begin(struct fl_check *c, uint32_t process,
                                const char *name, const struct fl_datum *args,
                                size_t nargs);
/* It returned. */
FL_CHECK_API int fl_check_end(struct fl_check *c, uint32_t process,
                              struct fl_datum result);
/* It returned and says that it failed: a compare-and-set that saw another
 * value. */
FL_CHECK_API int fl_check_end_failed(struct fl_check *c, uint32_t process,
                                     struct fl_datum result);
/* It is known not to have taken effect: as if it had not been called. */
FL_CHECK_API int fl_check_drop(struct fl_check *c, uint32_t process);
/* It will never return, and may take effect at any time, or never.  The process
 * calls no more: who goes on has a new number. */
FL_CHECK_API int fl_check_crash(struct fl_check *c, uint32_t process);

/* Whole operations, in any order.  Those of one array have the same size. */
#define FL_CHECK_NEVER UINT64_MAX
struct fl_check_op {
  size_t size; /* sizeof(struct fl_check_op) */
  uint32_t process;
  const char *name;
  const struct fl_datum *args;
  size_t nargs;
  struct fl_datum result;
  bool failed;
  uint64_t call, ret; /* any clock; equal times are taken as concurrent.
                         FL_CHECK_NEVER: it did not return */
  uint64_t order; /* a known position from 1 (revision, sequence number): of two
                     operations that have one, the smaller takes effect first;
                     0: not known.  Not online */
};
/* They come behind what was added before.  After an error some of them may have
 * been added. */
FL_CHECK_API int fl_check_add(struct fl_check *c, const struct fl_check_op *ops,
                              size_t n);
/* The first history of a file of any format that `faultline check` reads. */
FL_CHECK_API int fl_check_add_file(struct fl_check *c, const char *path);

struct fl_check_result {
  size_t size; /* sizeof(struct fl_check_result), set by the caller */
  enum fl_check_verdict verdict;
  const char *text;   /* the answer in words, a line or more */
  const char *method; /* what decided: "monitor: queue", "frontier", "online" */
  const char *limit;  /* UNKNOWN: "time", "memory", "steps", "next states" (too
                         many can follow), "window", "length" (2^32 events on
                         one queue, online); else NULL */
  uint64_t event;     /* VIOLATION: the history up to this event, from 1, is the
                         shortest that is none; 0: not known */
};
/* The answer about all that was added so far; an operation that is open may
 * still return.  More can be added afterwards. */
FL_CHECK_API int fl_check_result(struct fl_check *c, struct fl_check_result *r);

FL_CHECK_API uint64_t fl_check_bytes(struct fl_check *c); /* held, about */

/* All zero but the size. */
static inline struct fl_check_options fl_check_options_init(void) {
  struct fl_check_options o;
  memset(&o, 0, sizeof o);
  o.size = sizeof o;
  return o;
}
static inline struct fl_check_op fl_check_op_init(void) {
  struct fl_check_op op;
  memset(&op, 0, sizeof op);
  op.size = sizeof op;
  return op;
}
static inline struct fl_check_result fl_check_result_init(void) {
  struct fl_check_result r;
  memset(&r, 0, sizeof r);
  r.size = sizeof r;
  return r;
}

/* Data. */
static inline struct fl_datum fl_datum_of(enum fl_datum_kind kind, int64_t i) {
  struct fl_datum d;
  d.kind = kind;
  d.number = i;
  d.text = NULL;
  d.items = NULL;
  d.len = 0;
  return d;
}
static inline struct fl_datum fl_none(void) {
  return fl_datum_of(FL_DATUM_NONE, 0);
}
static inline struct fl_datum fl_nil(void) {
  return fl_datum_of(FL_DATUM_NIL, 0);
}
static inline struct fl_datum fl_bool(bool b) {
  return fl_datum_of(FL_DATUM_BOOL, b ? 1 : 0);
}
static inline struct fl_datum fl_number(int64_t i) {
  return fl_datum_of(FL_DATUM_NUMBER, i);
}
static inline struct fl_datum fl_text(const char *text, size_t len) {
  struct fl_datum d = fl_datum_of(FL_DATUM_TEXT, 0);
  d.text = text;
  d.len = len;
  return d;
}

#ifdef __cplusplus
}
#endif

#endif
