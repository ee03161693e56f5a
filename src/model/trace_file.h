/*
 * Traces as files: JSON lines, one event a line, in the order of time, any
 * number of traces in a file.  docs/trace.md is the format's page.
 *
 * In a trace that was read, program counters stand for places: a pc p is
 * places[p - 1] of the file, 0 is unknown.  Inlined calls are frames and
 * activations like others; only, what the code was inlined into twice in one
 * activation cannot be told apart.
 *
 * (T1) the events of an operation lie in one thread, and no other operation of
 *      that thread has an event between them.
 * (T2) an operation that has returned has no further events.
 * (T3) what is read or written has at least one byte; nothing reaches round
 *      the end of memory.
 * (T4) every `end` has its `begin` in the same thread, and the other way round.
 * (T5) under TSO, a commit is that of its thread's oldest store in the buffer.
 */
#ifndef MODEL_TRACE_FILE_H
#define MODEL_TRACE_FILE_H

#include "base/arena.h"
#include "model/place.h"
#include "model/trace.h"
#include "model/verdict.h"

enum { TRACE_FILE_VERSION = 1 };

/* What a file says of a trace beside its events. */
struct trace_about {
  const char *object; /* NULL when unknown */
  enum verdict verdict;
  const char *const *op_names; /* by call; NULL when unknown */
  uint32_t nops;
  bool tso; /* stores may wait in a buffer; without commits, nothing is known of
               when they leave it */
};

struct stored_trace {
  struct trace trace; /* of its history nothing is known */
  struct trace_about about;
  uint32_t line; /* of the file, where it begins */
};

/* `struct trace_file f = {0}` is empty; everything in it lives in its arena. */
struct trace_file {
  struct arena arena;
  struct stored_trace *traces;
  uint32_t ntraces;
  struct place *places; /* distinct; equal names are equal pointers */
  uint32_t nplaces;
};

/* Where the code at a pc of the trace is; NULL when nowhere. */
struct trace_places {
  const struct place *(*place)(void *ctx, uint64_t pc);
  void *ctx;
};

/* The text of one trace. */
void trace_file_print(const struct trace *t, const struct trace_about *about,
                      const struct trace_places *places, struct buf *out);

/* For trace_places: ctx is a struct trace_file. */
const struct place *trace_file_place(void *ctx, uint64_t pc);

/*
 * Reads a file, or a text that is called `path`.  What cannot be understood is
 * ERR_INPUT with file, line and reason; then `f` is empty.
 */
int trace_file_read(struct trace_file *f, const char *path, struct error *e);
int trace_file_parse(struct trace_file *f, const char *text, size_t len,
                     const char *path, struct error *e);
void trace_file_free(struct trace_file *f);

#endif
