/* Inside the watch of a register: watch_register.c explains groups and chains.
 */
#ifndef HISTORY_STREAM_WATCH_REGISTER_INT_H
#define HISTORY_STREAM_WATCH_REGISTER_INT_H

#include "history/stream/watch.h"

struct reg_group {
  datum value;
  datum old;      /* what its compare-and-set replaces; DATUM_NONE: a write */
  uint64_t call;  /* of its write; 0: the initial value */
  uint64_t first; /* f, the first return; WATCH_NEVER: nothing returned */
  uint64_t last;  /* s, the last call of an operation that returned */
  bool open;      /* the write has not returned */
  bool crashed;   /* … and will not */
  uint32_t chain; /* WATCH_NONE: an open compare-and-set that may not have taken
                     effect */
  uint32_t next;  /* the group that replaced it, or WATCH_NONE */
};

struct reg_chain {
  uint64_t call;        /* of the write that it begins with */
  uint64_t first, last; /* F, S */
  uint32_t head;        /* its first group that is not forgotten */
  bool cut;             /* groups before the head were forgotten */
  uint64_t cut_last;    /* their greatest s */
};

struct register_watch {
  struct watch watch;
  struct value_map map; /* to groups */
  VEC(struct reg_group) groups;
  VEC(struct reg_chain) chains;
  VEC(uint32_t) free_groups, free_chains;
  uint32_t forget_at; /* number of groups at which some are forgotten */
  /* (R4) Chains that have a first return, sorted by it, and a tree of their
   * greatest S: node i has the children 2i and 2i + 1; the leaves begin at
   * `size`. */
  uint32_t *order;
  uint64_t *tree;
  uint32_t len, size;
  struct reg_chain gone[2]; /* the forgotten chains with the greatest S */
  uint32_t ngone;
};

/* watch_register.c */
void reg_forget(struct register_watch *r);

/* watch_register_past.c */
bool watch_register_past(struct watch *w, struct watch_past *out);

#endif
