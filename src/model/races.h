/*
 * The races that decide whether an execution fails: the critical data race
 * sequences (CDRS) of "Interleaving-tree Based Fine-grained Linearizability
 * Fault Localization" (Chen, Zhang, Wu and Zhang), read off the tree of all
 * interleavings of one client.
 *
 * A node of the tree leads to good executions only, to bad ones only, or to
 * both.  It is a race when two of its threads lead to different ones.  On the
 * way of a failing execution from the root, the races that it passes make a
 * word, the pattern; with the last one no good execution is left.
 *
 * (R1) a pattern is of the form (Wg|Bg|WBg)*(Bg|WBg|G).
 * (R2) patterns are sorted: the shortest first, then by their letters.
 */
#ifndef MODEL_RACES_H
#define MODEL_RACES_H

#include "model/steps.h"

struct place;

enum race_leads { LEADS_NOWHERE, LEADS_GOOD, LEADS_BAD, LEADS_BOTH };

/*
 * Name, letter in patterns: what the winners of a race lead to.  Good ones or
 * both; bad ones or both; all three (it takes three threads); good or bad.
 * RACE_NONE: the node is no race, or none that this thread takes part in.
 */
#define RACES(_)                                                               \
  _(NONE, "")                                                                  \
  _(WG, "Wg")                                                                  \
  _(BG, "Bg")                                                                  \
  _(WBG, "WBg")                                                                \
  _(G, "G")

enum race_kind {
#define RACE_ENUM(name, letter) RACE_##name,
  RACES(RACE_ENUM)
#undef RACE_ENUM
      RACE_COUNT
};
extern const char *const race_letter[RACE_COUNT];

/* One who takes part. */
struct rival {
  struct step step;
  struct step about;     /* the same, or the access of its critical section that
                            the others' conflict with */
  enum race_leads leads; /* when it wins */
  bool wins;             /* here */
  /* in the user's words; NULL when unknown */
  const struct place *place;
  char *location;
};

struct race {
  enum race_kind kind;
  struct rival *at; /* the winner first, the others by thread */
  uint32_t len;
};

/* One pattern, with the races of an execution that has it. */
struct cdrs {
  char *pattern;
  uint64_t count;     /* failing executions that have it */
  struct race *races; /* of that with the fewest switches */
  uint32_t nraces;    /* 0: not looked for */
};

/* The part of the graph that is worth a drawing (report/dot.c). */
struct drawn_node {
  enum race_leads leads;
  enum race_kind kind;
  bool critical; /* a race of the execution that is told first */
  bool on_way;   /* that execution passes here */
  bool end;      /* no steps follow; else they may be left out */
};
struct drawn_edge {
  uint32_t from, to;
  struct step step;
  uint32_t more; /* steps of that thread or of others that were left out */
  bool on_way;
  const struct place *place;
  char *location;
};
struct drawing {
  struct drawn_node *nodes;
  uint32_t nnodes;
  struct drawn_edge *edges;
  uint32_t nedges;
  bool condensed; /* only what is around that execution */
};

/* Is it a pattern (R1)?  `word` has enum race_kind, n of them. */
bool race_word_is_sound(const uint8_t *word, uint32_t n);
/* By R2. */
int race_word_compare(const uint8_t *a, uint32_t na, const uint8_t *b,
                      uint32_t nb);

struct races_found {
  struct cdrs *at;
  uint32_t len;
  uint32_t shown;     /* the one to tell first: of the shortest, with the last
                         race between good and bad, with the most executions */
  bool cut;           /* there are more patterns */
  uint64_t failing;   /* executions; UINT64_MAX - 1: more than that */
  uint64_t explained; /* those that have a pattern, of `at` or not */
  uint64_t states;
  bool circles;        /* executions that go round were counted as if they did
                          not */
  bool sections;       /* a critical section was one event */
  const char *between; /* "conflicts", "real-time" or "any" steps race */
  const char *steps;   /* "conflicting", "shared" or "all" accesses branch */
  char *reason;        /* why there is no answer, or NULL */
  uint64_t base;       /* where the object was loaded */
  struct drawing drawing;
};

#endif
