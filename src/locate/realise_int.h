/* Between the files of realise; nobody else includes this. */
#ifndef LOCATE_REALISE_INT_H
#define LOCATE_REALISE_INT_H

#include "locate/realise.h"

/* Accesses of one thread, one after the other: by_thread[from … to). */
struct run {
  const struct realise_trace *t;
  uint32_t from, to;
};

typedef VEC(struct run) run_vec;

struct realise_subject {
  const struct realise_words *words;
  const struct code_block *block;
  run_vec executions;
  run_vec rounds; /* the executions, cut where a loop begins again */
  bool rounds_are_enough;
};

static inline const struct conflicts *
conflicts_of(const struct realise_trace *t) {
  return t->section->conflicts;
}

static inline uint32_t node_of(const struct run *r, uint32_t i) {
  return conflicts_of(r->t)->by_thread[r->from + i];
}

static inline const struct event *event_of(const struct realise_trace *t,
                                           uint32_t node) {
  return &t->trace->events[conflicts_of(t)->nodes[node].event];
}

static inline const struct event *access_of(const struct run *r, uint32_t i) {
  return event_of(r->t, node_of(r, i));
}

static inline uint32_t length(const struct run *r) { return r->to - r->from; }

static inline bool covers(const struct code_block *b, const char *file,
                          const char *function, uint32_t line) {
  struct code_block place = {file, function, line, line};
  return code_block_covers(b, &place);
}

/* The frame in which a node is in the block: the outermost, as in section.h. */
const struct section_frame *realise_frame(const struct code_block *b,
                                          const struct section_trace *s,
                                          uint32_t node);

/* Whether all runs touch one word each, of one size (realise_word.c). */
bool realise_is_word(const run_vec *v);
void realise_word(const struct realise_subject *s, const run_vec *v,
                  struct buf *out);

/* Whether there is a lock to speak of (realise_lock.c). */
bool realise_lock(const struct realise_subject *s, struct buf *out);

/* Whether there is a lock that everybody else who touches the data holds, and
 * the block does not, or the other way round (realise_lock.c). */
bool realise_others(const struct realise_subject *s,
                    const struct realise_trace *t, uint32_t n, struct buf *out);

#endif
