/*
 * A log is a recorded history: the operations of some system, each with the
 * interval from its call to its return.  Unlike a history of the engine
 * (history.h), whose operations are calls of a client, it may have millions of
 * operations, thousands of processes, and values that a file has written.
 *
 * It comes as a stream of events in the order of time (log_event), and is kept
 * as an array of operations (struct log).
 *
 * (L1) ops are sorted by call; calls and returns are distinct numbers below
 *      log->end: positions in the stream, so all times are distinct.
 * (L2) an operation that did not return has ret == LOG_PENDING: it may have
 *      taken effect at any time after its call, or never.
 * (L3) one that is known not to have taken effect is not in the log:
 *      log_builder.c leaves it out.
 * (L4) the intervals of one process do not overlap.
 */
#ifndef MODEL_LOG_H
#define MODEL_LOG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/datum.h"

#include <stdbool.h>
#include <stdint.h>

#define LOG_PENDING UINT32_MAX
#define LOG_NO_HINT UINT64_MAX
enum { LOG_ARGS = 3 };

/* What a file has written as [a b], without saying whether a is a key: it was
 * taken for one. */
enum log_pairs { LOG_PAIR_GIVEN = 1, LOG_PAIR_RETURNED = 2 };

struct log_op {
  uint32_t call, ret;
  uint32_t process; /* as the file numbers it: any number, with gaps */
  uint32_t line;    /* of the file, of its call; 0: not from a file */
  uint16_t f;       /* index into log->functions */
  uint8_t nargs;    /* more than LOG_ARGS: arg[0] is the list of all of them */
  uint8_t failed : 1; /* it returned, and said that it did not succeed: what
                         that means is the type's (a CAS that saw another
                         value) */
  uint8_t pairs : 2;  /* enum log_pairs */
  uint8_t alone : 1;  /* the file names no process: it has one of its own */
  uint32_t column;    /* of the line, where its name stands */
  datum arg[LOG_ARGS];
  datum result;   /* DATUM_NONE: void, or pending */
  uint64_t order; /* a known position (revision, sequence number): of two
                     operations that have one, the smaller takes effect first;
                     LOG_NO_HINT: none */
};

struct log_note {    /* a fault or another remark, for pictures */
  uint32_t from, to; /* times; to == LOG_PENDING: to the end */
  const char *text;  /* in the log's arena */
};

struct log {
  VEC(struct log_op) ops;
  VEC(const char *) functions; /* names, in the arena */
  VEC(struct log_note) notes;
  uint32_t end;        /* the time behind the last event */
  uint32_t nprocesses; /* how many there are, not a bound of their numbers */
  bool no_hints;       /* it is known that no operation has an `order` */
  /* What the file says of itself, or NULL: the type ("register", a class of
   * Java), and what it begins with (capacity, initial value). */
  const char *type;
  datum type_argument;
  uint32_t type_line, type_column; /* where it does; 0: not in a file */
  const char *object; /* the object under test, as the file names it, or NULL */
  bool stuck; /* the file says that pending operations wait, and all may */
  const char *source; /* the file's name; NULL: not from a file */
  uint32_t index;     /* of the histories of the file, from 1 */
  /* It was not read to its end, and has no operations: "time" or "memory" was
   * over after so many. */
  const char *stopped;
  uint32_t stopped_at;
  struct arena arena;
};

void log_free(struct log *l);
/* The index of a name, added if it is not there yet. */
uint16_t log_function(struct log *l, const char *name, size_t len);
/* `enq(1) = true`, `read() = 3`, `cas(1, 2)` */
void log_print_op(const struct log *l, const struct log_op *op,
                  struct buf *out);
/* For sentences: of what is long only the beginning and the end. */
void log_print_op_short(const struct log *l, const struct log_op *op,
                        struct buf *out);
void log_put_short(const char *text, struct buf *out);
/* The object has no keys: [a b] is one value. */
void log_join_pairs(struct log *l);
void log_op_join_pairs(struct log_op *op);
void log_check_invariants(const struct log *l); /* asserts L1 to L4 */

enum log_event_kind {
  LOG_CALL,
  LOG_OK,   /* returned */
  LOG_FAIL, /* returned, without success: see log_op.failed */
  LOG_DROP, /* known not to have taken effect: its call counts no more */
  LOG_INFO, /* will never return: pending */
  LOG_NOTE, /* a remark at this time */
  LOG_HEAD, /* a new history begins: type and type_argument may be set */
};

struct log_event {
  enum log_event_kind kind;
  uint8_t nargs;
  bool pair;  /* see log_pairs */
  bool alone; /* LOG_CALL, see log_op */
  bool stuck; /* LOG_HEAD, see struct log */
  uint32_t process;
  uint32_t line,
      column;    /* LOG_CALL: of the name; else where the event begins */
  const char *f; /* LOG_CALL: its name, valid until the next event; elsewhere
                    it may be NULL */
  uint32_t flen;
  uint32_t name; /* LOG_CALL: its number plus one, the same for the same name in
                    all that is added to a log; 0: it has none */
  datum arg[LOG_ARGS]; /* LOG_CALL; of a return: DATUM_NONE, or the argument as
                          the return repeats it, nargs of them */
  datum result;        /* LOG_OK, LOG_FAIL */
  uint64_t order;      /* of a call or a return; LOG_NO_HINT */
  const char *text;    /* LOG_NOTE, LOG_HEAD (the type): until the next event */
  uint32_t tlen;
  datum type_argument;
  datum object; /* LOG_HEAD: a text, or there is none */
};

/*
 * Builds a log from events.  An event that cannot be (a return without a call,
 * a second call of a process that has not returned) is ERR_INPUT; who reads the
 * file adds its name and line.  log_end comes also after an error, and then
 * log_free.
 */
struct log_builder {
  struct log *log;
  void *open; /* calls without a return, by process */
};
void log_begin(struct log_builder *b, struct log *l);
int log_add(struct log_builder *b, const struct log_event *ev, struct error *e);
/* Forgets the operations that returned before `time`; indices change. */
void log_forget(struct log_builder *b, uint32_t time);
int log_end(struct log_builder *b, struct error *e); /* sorts, checks; frees */

#endif
