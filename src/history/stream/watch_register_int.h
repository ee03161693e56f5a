/* Inside the watch of a register. */
#ifndef HISTORY_STREAM_WATCH_REGISTER_INT_H
#define HISTORY_STREAM_WATCH_REGISTER_INT_H

#include "history/stream/watch.h"

struct reg_group {
  datum value;
  datum old;      /* what its compare-and-set replaces; DATUM_NONE: a write */
  uint64_t call;  /* of its write; 0: the initial value */
  uint64_t first; /* f; WATCH_NEVER: nothing returned */
  uint64_t last;  /* s */
  bool open;      /* the write has not returned */
  bool crashed;   /* … and will not */
  uint32_t chain; /* WATCH_NONE: of a compare-and-set that nobody has seen */
  uint32_t next;  /* what replaced it, or WATCH_NONE */
};

struct reg_chain {
  uint64_t call;        /* of the write that it begins with */
  uint64_t first, last; /* F, S */
  uint32_t head;        /* its first group that is not forgotten */
  bool cut;             /* there were others before that, */
  uint64_t cut_last;    /* … with this greatest s */
};

struct register_watch {
  struct watch watch;
  struct value_map map; /* to groups */
  VEC(struct reg_group) groups;
  VEC(struct reg_chain) chains;
  VEC(uint32_t) free_groups, free_chains;
  uint32_t forget_at; /* when there are so many groups */
  /* Chains with a first return, in its order, and a tree of the greatest S: the
   * node i has the nodes 2i and 2i + 1, the leaves are from `size` on. */
  uint32_t *order;
  uint64_t *tree;
  uint32_t len, size;
  struct reg_chain gone[2]; /* forgotten ones with the greatest S, that first */
  uint32_t ngone;
};

/* watch_register.c */
void reg_forget(struct register_watch *r);

/* watch_register_past.c */
bool watch_register_past(struct watch *w, struct watch_past *out);

#endif
