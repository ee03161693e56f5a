/*
 * The statements of random programs, a line each: what the compiler gets, and
 * what the machine of program_machine.h makes of it.  A reader who believes
 * each line, and that file, believes the comparison.
 *
 * In both texts $ and a letter stand for a choice, the same in both (choice_text
 * in program.h); $B is a statement inside of this one.  In C, @ is the
 * program's number, r the thread's register and see(V) is r = r * 1000 + V.
 *
 * The machine's operations are separated by ; and work on the thread's value v:
 *   read A, write A           the bytes of A: one step each
 *   set K, add K, and K, shift K, is K, bits MASK K     v alone: no step
 *   see                       r = r * 1000 + v
 *   if { … }, ifzero { … }    when v is not 0, when it is
 *   loop { … again … }        again goes back to the beginning
 *   either { … } or { … }     the machine may do the one or the other
 * An A is a variable, with +OFFSET:SIZE when not the whole of it is meant; s
 * and z are the thread's own stack and thread-local variable, arg the one that
 * its parent shares with it, ^ the block that the thread's pointer points to.
 */
#ifndef PROGRAM_KINDS_H
#define PROGRAM_KINDS_H

enum {
  SIMPLE = 1,  /* may stand inside of another statement */
  PARENT = 2,  /* only in a thread that starts another */
  CHILD = 4,   /* only in a thread that another starts */
  LOOSE = 8,   /* compilers are free: no other outcomes, but perhaps fewer */
  SC_ONLY = 16, /* docs/tso.md: the stack is outside of the model */
  KNOWN_BAD = 32, /* the engine is known to be wrong: not in `make check` */
};

#define BYTE(O) "*(volatile unsigned char *)((char *)&u@ + " O ")"
#define HALF(O) "*(volatile unsigned short *)((char *)&u@ + " O ")"
#define WORD(O) "*(volatile unsigned *)((char *)&u@ + " O ")"
#define ATOM(T, O) "(" T " *)((char *)&u@ + " O ")"

/* name, flags, C, machine */
#define KINDS(_)                                                               \
  _(plain_load, SIMPLE, "see($p@);", "read $p; see")                           \
  _(plain_store, SIMPLE, "$p@ = $k;", "set $k; write $p")                      \
  _(plain_add, SIMPLE, "$p@ += $k;", "read $p; add $k; write $p")              \
  _(plain_copy, SIMPLE, "$p@ = $q@;", "read $q; write $p")                     \
  _(volatile_load, SIMPLE, "see($v@);", "read $v; see")                        \
  _(volatile_store, SIMPLE, "$v@ = $k;", "set $k; write $v")                   \
  _(volatile_add, SIMPLE, "$v@ = $v@ + $k;", "read $v; add $k; write $v")      \
  _(relaxed_load, SIMPLE,                                                      \
    "see(atomic_load_explicit(&$x@, memory_order_relaxed));", "read $x; see")  \
  _(atomic_load, SIMPLE, "see(atomic_load(&$x@));", "read $x; see")            \
  _(release_store, SIMPLE,                                                     \
    "atomic_store_explicit(&$x@, $k, memory_order_release);",                  \
    "set $k; write $x")                                                        \
  _(atomic_store, SIMPLE, "atomic_store(&$x@, $k);", "set $k; swap $x")        \
  _(exchange, SIMPLE, "see(atomic_exchange(&$x@, $k));",                       \
    "set $k; swap $x; see")                                                    \
  _(fetch_add, SIMPLE,                                                         \
    "see(atomic_fetch_add_explicit(&$x@, $k, memory_order_relaxed));",         \
    "fetchadd $x $k; see")                                                     \
  _(cas, SIMPLE,                                                               \
    "{ int e = $j; see(atomic_compare_exchange_strong(&$x@, &e, $k)); }",      \
    "cas $x $j $k; see")                                                       \
  _(fence, SIMPLE, "atomic_thread_fence(memory_order_seq_cst);", "fence")      \
  _(choice, SIMPLE, "if (atomic_load(&$x@) == $k) { $B }",                     \
    "read $x; is $k; if { $B }")                                               \
  _(await, 0, "while (!atomic_load(&$x@)) { }", "await $x")                      \
  _(assertion, SIMPLE, "assert(atomic_load(&$x@) != $k);",                     \
    "read $x; assertnot $k")

struct kind {
  const char *name;
  unsigned flags;
  const char *c, *machine;
};

static const struct kind kinds[] = {
#define KIND_ROW(name, flags, c, machine) {#name, flags, c, machine},
    KINDS(KIND_ROW)
#undef KIND_ROW
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

#endif
