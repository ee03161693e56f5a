/*
 * Inside the reader of traces: what is known of the file and of the trace that
 * is being read.  trace_file_read.c has lines and headers, trace_file_event.c
 * events and what must hold between them, trace_file_fields.c the fields of an
 * event.
 */
#ifndef MODEL_TRACE_FILE_INT_H
#define MODEL_TRACE_FILE_INT_H

#include "model/trace_file.h"

#include "base/json_tree.h"
#include "base/map128.h"
#include "base/vec.h"

enum { NOT_RETURNED = 0 };

struct op_state {
  uint32_t op, thread;
  uint32_t returned; /* the line, or NOT_RETURNED */
};

struct trace_reader {
  struct trace_file *f;
  struct error *e;
  const char *path;
  uint32_t line;
  struct json_tree json;              /* of the line */
  struct map128 texts, places, names; /* of the file: interned + 1 */
  VEC(const char *) text;
  VEC(struct place) place;
  uint64_t nnames;
  VEC(struct stored_trace) traces;
  /* of the running trace */
  VEC(struct event) events;
  VEC(struct frame) frames;
  VEC(struct activation) activations;
  VEC(struct op_state) ops;
  VEC(const char *) op_names;
  struct map128 op_of, frame_of, activation_of;
  uint32_t running[256]; /* by thread: its operation's index in ops + 1 */
  uint32_t depth[256], begin_line[256]; /* of blocks */
  bool seen[256];                       /* has had an event, or was created */
  VEC(uint32_t) stores[256];            /* issued, in their order */
  uint32_t committed[256];              /* how many of these are */
};

/* An error in the line that is being read. */
int trace_fail(struct trace_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* trace_file_fields.c.  A field that is not there leaves *out as it is. */
int trace_get_number(struct trace_reader *r, const struct json_node *o,
                     const char *key, uint64_t max, uint64_t *out);
/* *out is interned in the file's arena. */
int trace_get_text(struct trace_reader *r, const struct json_node *o,
                   const char *key, const char **out);
int trace_get_memory(struct trace_reader *r, const struct json_node *o,
                     struct event *e);
/* *pc is 0 when nothing is said. */
int trace_get_place(struct trace_reader *r, const struct json_node *o,
                    uint64_t *pc);
int trace_get_calls(struct trace_reader *r, const struct json_node *o,
                    uint32_t *chain);
/* Of the code that made the event, and of the code of each of its "calls".
 * Without numbers, calls from one place are one activation. */
int trace_get_activations(struct trace_reader *r, const struct json_node *o,
                          struct event *e);

/* trace_file_event.c */
int trace_read_event(struct trace_reader *r, const struct json_node *o,
                     const char *type);
int trace_check_blocks_end(struct trace_reader *r);

#endif
