/*
 * The C11 memory model on small programs, from its axioms: RC11 (Lahav,
 * Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential consistency in C/C++11",
 * PLDI 2017) with the release sequences of C++20.
 *
 * A program is written like a client: what is done before the threads start,
 * the threads, what is done after they have ended.
 *
 *   x = 1; {y.rel = 1; a = z.rlx} || {if (b == 0) {z.sc = b + 1}}; c = x
 *
 * Locations are u to z and start with 0, registers are a to t, each of one
 * thread.  An access without an order is plain; orders are rlx, acq, rel, ar
 * and sc.  Read-modify-writes give the old value:
 *
 *   a = x.swap(1).ar     x.add(2).rlx     a = x.cas(0, 1).acq.rlx
 *
 * the two orders are those of success and failure.  `fence.sc` is a fence,
 * `await x.acq == 1` a loop that ends when it reads 1: it is one read.
 *
 * A graph is a way to run the program: the events of each thread, for each read
 * the write that it reads from (rf), and an order of the writes of each
 * location (mo).  A graph in which an await waits for ever is none.
 *
 * (RC1) graphs: all that the axioms allow, each once.
 * (RC2) outcomes: what the registers and locations of the graphs hold at the
 *       end, each once.
 * (RC3) races: pairs of accesses of two threads to one location, one of them
 *       plain, one a write, that happens-before does not order in some graph.
 *       A program with a race has no meaning; its outcomes are those with plain
 *       accesses as the weakest atomic ones.
 */
#ifndef ORACLE_RC11_H
#define ORACLE_RC11_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>

#define RC11_ORDERS(_)                                                         \
  _(PLAIN, "", "plain")                                                        \
  _(RELAXED, ".rlx", "relaxed")                                                \
  _(ACQUIRE, ".acq", "acquire")                                                \
  _(RELEASE, ".rel", "release")                                                \
  _(ACQ_REL, ".ar", "acq_rel")                                                 \
  _(SC, ".sc", "seq_cst")

#define RC11_ORDER(NAME, SUFFIX, WORD) RC11_##NAME,
enum rc11_order { RC11_ORDERS(RC11_ORDER) RC11_NORDERS };
#undef RC11_ORDER

enum rc11_kind {
  RC11_LOAD,
  RC11_STORE,
  RC11_SWAP,
  RC11_ADD,
  RC11_CAS,
  RC11_FENCE,
  RC11_AWAIT,
  RC11_IF
};

enum {
  RC11_THREADS = 4,
  RC11_PARTS = RC11_THREADS + 2, /* and what is before and after them */
  RC11_STATEMENTS = 8,           /* of a part */
  RC11_REGISTERS = 20,
  RC11_LOCATIONS = 6,
  RC11_NONE = 0xff
};

/* `plus`, or a register and `plus`. */
struct rc11_operand {
  uint8_t reg, plus;
};

struct rc11_statement {
  enum rc11_kind kind;
  enum rc11_order order, failure; /* failure: of a compare-and-swap */
  uint8_t location, into;         /* a register, or RC11_NONE */
  struct rc11_operand value;      /* what is written, added, compared with */
  struct rc11_operand expected;   /* by a compare-and-swap or an await */
  uint8_t tested;                 /* of an if: a register … */
  bool unequal;                   /* … != value; else == */
  uint8_t body;                   /* of an if: so many statements follow */
};

struct rc11_program {
  uint8_t nthreads;
  struct {
    uint8_t n;
    struct rc11_statement at[RC11_STATEMENTS];
  } part[RC11_PARTS]; /* 0: before the threads; nthreads + 1: after them */
};

/* ---- text (rc11_text.c) ---- */

/* 0, or -1 and a sentence in `e`. */
int rc11_read(struct rc11_program *p, const char *text, struct error *e);
void rc11_print(const struct rc11_program *p, struct buf *out);

/* The last part of a program: what is done after its threads have ended. */
static inline unsigned rc11_last(const struct rc11_program *p) {
  return p->nthreads + 1u;
}

/* The part that assigns a register, or RC11_NONE. */
unsigned rc11_owner(const struct rc11_program *p, unsigned reg);
bool rc11_uses(const struct rc11_program *p, unsigned location);
char rc11_register_name(unsigned reg);
char rc11_location_name(unsigned location);

/*
 * As C: an object `oN` with an operation for each part, `firstN`, `t1_N`, …,
 * `endN`, of which the last reads what all locations hold in the end.  Several
 * programs make one file: rc11_c_head comes before them.
 */
extern const char rc11_c_head[];
void rc11_c(const struct rc11_program *p, unsigned number, struct buf *out);
/* The client that runs it. */
void rc11_client(const struct rc11_program *p, unsigned number,
                 struct buf *out);
/* The line of rc11_c's text, counted from 1, with this statement. */
unsigned rc11_c_line(const struct rc11_program *p, unsigned part,
                     unsigned statement);

/* ---- what a program can do ---- */

struct rc11_outcome {
  uint8_t reg[RC11_REGISTERS], memory[RC11_LOCATIONS];
};

/* From the results of the client's calls, in their order. */
void rc11_unpack(const struct rc11_program *p, const uint64_t *results,
                 struct rc11_outcome *o);

struct rc11_race {
  uint8_t part[2], statement[2]; /* the first part is the smaller one */
};

struct rc11_found {
  VEC(struct hash128) graphs;        /* sorted, RC1 */
  VEC(struct rc11_outcome) outcomes; /* sorted, RC2 */
  VEC(struct rc11_race) races;       /* RC3 */
  bool all; /* false: there are more than were asked for */
};

struct rc11_rules {
  uint32_t most; /* graphs, or steps of rc11_steps; 0: no bound */
  /* C11's text: a release sequence goes on with any write of its thread. */
  bool old_sequences;
  /* As GenMC has it: a failed compare-and-swap has the order of success. */
  bool failure_as_success;
};

/* From the axioms: every rf and every mo is tried. */
void rc11_graphs(const struct rc11_program *p, const struct rc11_rules *r,
                 struct rc11_found *f);

/*
 * The same by steps: the graph grows by one event at a time, and views say what
 * can be read and where a write can stand.  It shares no code with rc11_graphs.
 * C++20's sequences only.
 */
void rc11_steps(const struct rc11_program *p, const struct rc11_rules *r,
                struct rc11_found *f);

bool rc11_has_outcome(const struct rc11_found *f, const struct rc11_outcome *o);
bool rc11_has_race(const struct rc11_found *f, const struct rc11_race *r);
void rc11_free(struct rc11_found *f);

/* ---- for the two of them ---- */

/*
 * What a graph is known by: for each part which statements ran and what they
 * read, for each location its writes in mo.  A write is told by its part and
 * statement; the one that a location starts with has RC11_NONE for both.
 */
struct rc11_key {
  struct {
    uint8_t nran, ran[RC11_STATEMENTS][3]; /* statement, part and statement */
  } part[RC11_PARTS];
  struct {
    uint8_t n, write[RC11_THREADS * RC11_STATEMENTS + 2][2];
  } mo[RC11_LOCATIONS];
};

void rc11_add(struct rc11_found *f, const struct rc11_key *k,
              const struct rc11_outcome *o);
void rc11_add_race(struct rc11_found *f, struct rc11_race r);
void rc11_sort(struct rc11_found *f);

static inline unsigned rc11_value(struct rc11_operand o, const uint8_t *reg) {
  return o.plus + (o.reg == RC11_NONE ? 0u : reg[o.reg]);
}

/* What a read-modify-write stores; RC11_NONE: a failed compare-and-swap. */
static inline unsigned rc11_stored(const struct rc11_statement *s, unsigned old,
                                   const uint8_t *reg) {
  unsigned v = rc11_value(s->value, reg);
  if (s->kind == RC11_CAS && old != rc11_value(s->expected, reg))
    return RC11_NONE;
  return s->kind == RC11_ADD ? old + v : v;
}

/* The statement behind an if at `i`. */
static inline unsigned rc11_branch(const struct rc11_statement *s, unsigned i,
                                   const uint8_t *reg) {
  bool equal = reg[s->tested] == rc11_value(s->value, reg);
  return i + 1 + (equal == s->unequal ? s->body : 0);
}

#endif
