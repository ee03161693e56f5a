/*
 * The statements of random programs, a line each: what the compiler gets, and
 * what the machine of program_machine.h makes of it.  A reader who believes
 * each line, and that file, believes the comparison.
 *
 * In both texts $ and a letter stand for a choice, the same in both
 * (choice_text in program.h); $B is a statement inside of this one.  In C, @ is
 * the program's number, r the thread's register and see(V) is r = r * 1000 + V.
 *
 * The machine's operations are separated by ; and work on the thread's value v:
 *   read A, write A           the bytes of A: one step each
 *   set K, add K, and K, shift K, is K, bits MASK K     v alone: no step
 *   see                       r = r * 1000 + v
 *   if { … }, ifzero { … }    when v is not 0, when it is
 *   loop { … again … }        again goes back to the beginning
 *   either { … } … otherwise { … }    the machine may do any of them
 *   keep, kept                v is put aside, and taken again
 * An A is a variable, with +OFFSET:SIZE when not the whole of it is meant; s
 * and z are the thread's own stack and thread-local variable, arg the one that
 * its parent shares with it, ^ the block that the thread's pointer points to.
 */
#ifndef PROGRAM_KINDS_H
#define PROGRAM_KINDS_H

enum {
  SIMPLE = 1,     /* may stand inside of another statement */
  STARTS = 2,     /* starts a thread */
  CHILD = 4,      /* only in a thread that another starts */
  LOOSE = 8,      /* compilers are free: no other outcomes, but perhaps fewer */
  SC_ONLY = 16,   /* docs/tso.md: the stack is outside of the model */
  KNOWN_BAD = 32, /* the engine is known to be wrong: not in `make check` */
  FAULTY = 64,    /* may end an execution early: dpor then need not see what the
                     other threads would have done (only that there is a fault) */
};

#define BYTE "*(volatile unsigned char *)((char *)&u@ + $1)"
#define HALF "*(volatile unsigned short *)((char *)&u@ + $2)"
#define WORD "*(volatile unsigned *)((char *)&u@ + $4)"

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
  _(await, 0, "while (!atomic_load(&$x@)) { }", "await $x")                    \
  _(assertion, SIMPLE | FAULTY, "assert(atomic_load(&$x@) != $k);",            \
    "read $x; assertnot $k")                                                   \
  /* Inline assembly (program_assembly of program.h), and functions without    \
   * hooks. */                                                                 \
  _(asm_load, SIMPLE, "see(asm_load(&$v@));", "read $v; see")                  \
  _(asm_store, SIMPLE, "asm_store(&$v@, $k);", "set $k; write $v")             \
  _(asm_after, SIMPLE, "$v@ = $k; see(asm_load(&$v@));",                       \
    "set $k; write $v; read $v; see")                                          \
  _(asm_before, SIMPLE, "asm_store(&$v@, $k); see($v@);",                      \
    "set $k; write $v; read $v; see")                                          \
  _(asm_increment, SIMPLE, "asm_increment(&$v@);",                             \
    "read $v; add 1; write $v")                                                \
  _(asm_swap, SIMPLE, "see(asm_swap(&$x@, $k));", "set $k; swap $x; see")      \
  _(asm_add, SIMPLE, "see(asm_add(&$x@, $k));", "fetchadd $x $k; see")         \
  _(asm_cas, SIMPLE, "see(asm_cas(&$x@, $j, $k));", "cas $x $j $k; see")       \
  _(asm_mfence, SIMPLE, "asm_mfence();", "fence")                              \
  _(asm_lock_fence, SIMPLE, "asm_lock_fence();", "fence")                      \
  _(asm_block, SIMPLE, "see(asm_block(&$x@, &$v@, $k));",                      \
    "fetchadd $x $k; write $v; see")                                           \
  _(asm_await, 0, "while (!asm_load(&$x@)) asm_pause();", "await $x")          \
  _(asm_cas8, SIMPLE, "see(asm_cas8(&u@, $j, $k));", "cas u:8 $j $k; see")     \
  _(asm_byte, SIMPLE, "see(asm_byte((char *)&u@ + $1, $k));",                  \
    "set $k; swap u+$1:1; see")                                                \
  _(asm_copy, SIMPLE, "asm_copy(&q@, &p@);",                                   \
    "read p:8; write q:8; read p+8:8; write q+8:8")                            \
  _(asm_clear, SIMPLE, "asm_clear(&p@);",                                      \
    "set 0; write p:8; write p+8:8")                                           \
  _(bare_load, SIMPLE, "see(bare_load(&$p@));", "read $p; see")                \
  _(bare_store, SIMPLE, "bare_store(&$p@, $k);", "set $k; write $p")           \
  _(bare_add, SIMPLE, "bare_add(&$p@, $k);", "read $p; add $k; write $p")      \
  /* Overlapping accesses of several sizes. */                                 \
  _(load_1, SIMPLE, "see(" BYTE ");", "read u+$1:1; see")                      \
  _(load_2, SIMPLE, "see(" HALF ");", "read u+$2:2; see")                      \
  _(load_4, SIMPLE, "see(" WORD ");", "read u+$4:4; see")                      \
  _(load_8, SIMPLE, "see(*(volatile unsigned long *)&u@);", "read u:8; see")   \
  _(store_1, SIMPLE, BYTE " = $k;", "set $k; write u+$1:1")                    \
  _(store_2, SIMPLE, HALF " = 257 * $k;", "set $m; write u+$2:2")              \
  _(store_4, SIMPLE, WORD " = 257 * $k;", "set $m; write u+$4:4")              \
  _(store_8, SIMPLE, "*(volatile unsigned long *)&u@ = 257 * $k;",             \
    "set $m; write u:8")                                                       \
  _(atomic_1, SIMPLE,                                                          \
    "see(__atomic_fetch_add((unsigned char *)&u@ + $1, $k, 5));",              \
    "fetchadd u+$1:1 $k; see")                                                 \
  _(atomic_8, SIMPLE, "see(__atomic_exchange_n(&u@, $k, 5));",                 \
    "set $k; swap u:8; see")                                                   \
  /* A store to a bit field is a read and a write of the byte. */              \
  _(bits_load_a, SIMPLE, "see(f@.a);", "read f; and 7; see")                   \
  _(bits_load_b, SIMPLE, "see(f@.b);", "read f; shift 3; see")                 \
  _(bits_store_a, SIMPLE, "f@.a = $k;", "read f; bits 7 $k; write f")          \
  _(bits_store_b, SIMPLE, "f@.b = $k;", "read f; bits 248 $K; write f")        \
  /* Structs of two words: memcpy goes word by word; how an assignment is      \
   * made is up to the compiler. */                                            \
  _(word_store, SIMPLE, "p@.word[$i] = $k;", "set $k; write p+$I:8")           \
  _(word_load, SIMPLE, "see(q@.word[$i]);", "read q+$I:8; see")                \
  _(memory_copy, SIMPLE, "memcpy(&q@, &p@, sizeof p@);",                       \
    "read p:8; write q:8; read p+8:8; write q+8:8")                            \
  _(memory_set, SIMPLE, "memset(&p@, 0, sizeof p@);",                          \
    "set 0; write p:8; write p+8:8")                                           \
  _(struct_copy, SIMPLE | LOOSE, "q@ = p@;",                                   \
    "either { read p:8; write q:8; read p+8:8; write q+8:8 };"                 \
    "either { read p+8:8; write q+8:8; read p:8; write q:8 };"                 \
    "otherwise { read p:8; keep; read p+8:8; write q+8:8; kept; write q:8 }")  \
  _(struct_value, SIMPLE | LOOSE,                                              \
    "r = see_pair(r, p@);",                                                    \
    "either { read p:8; see; read p+8:8; see };"                               \
    "otherwise { read p+8:8; keep; read p:8; see; kept; see }")                \
  /* Mutexes. */                                                               \
  _(lock, SIMPLE, "pthread_mutex_lock(&$l@); $B pthread_mutex_unlock(&$l@);",  \
    "lock $l; $B; unlock $l")                                                  \
  _(lock_both, 0,                                                              \
    "pthread_mutex_lock(&$l@); pthread_mutex_lock(&$o@); $B "                  \
    "pthread_mutex_unlock(&$o@); pthread_mutex_unlock(&$l@);",                 \
    "lock $l; lock $o; $B; unlock $o; unlock $l")                              \
  _(trylock, SIMPLE,                                                           \
    "if (!pthread_mutex_trylock(&$l@)) { see(1); $B "                          \
    "pthread_mutex_unlock(&$l@); } else { see(0); }",                          \
    "trylock $l; see; if { $B; unlock $l }")                                   \
  _(timedlock, SIMPLE,                                                         \
    "if (!pthread_mutex_timedlock(&$l@, &soon)) { see(1); $B "                 \
    "pthread_mutex_unlock(&$l@); } else { see(0); }",                          \
    "trylock $l; see; if { $B; unlock $l }")                                   \
  /* Reader-writer locks: either side may go first. */                         \
  _(read_lock, 0,                                                              \
    "pthread_rwlock_rdlock(&rw@); $B pthread_rwlock_unlock(&rw@);",            \
    "rdlock; $B; rdunlock")                                                    \
  _(write_lock, 0,                                                             \
    "pthread_rwlock_wrlock(&rw@); $B pthread_rwlock_unlock(&rw@);",            \
    "wrlock; $B; wrunlock")                                                    \
  _(try_read_lock, 0,                                                          \
    "if (!pthread_rwlock_tryrdlock(&rw@)) { see(1); $B "                       \
    "pthread_rwlock_unlock(&rw@); } else { see(0); }",                         \
    "tryrdlock; see; if { $B; rdunlock }")                                     \
  _(timed_write_lock, 0,                                                       \
    "if (!pthread_rwlock_timedwrlock(&rw@, &soon)) { see(1); $B "              \
    "pthread_rwlock_unlock(&rw@); } else { see(0); }",                         \
    "trywrlock; see; if { $B; wrunlock }")                                     \
  /* Condition variables: a wait lets the mutex go and joins the waiters, is   \
   * woken, and takes the mutex. */                                            \
  _(wait_if, 0,                                                                \
    "pthread_mutex_lock(&m@); if (!v@) pthread_cond_wait(&c@, &m@); "          \
    "see(v@); pthread_mutex_unlock(&m@);",                                     \
    "lock m; read v; ifzero { wait m; woken; lock m };"                        \
    "read v; see; unlock m")                                                   \
  _(wait_while, 0,                                                             \
    "pthread_mutex_lock(&m@); while (!v@) pthread_cond_wait(&c@, &m@); "       \
    "pthread_mutex_unlock(&m@);",                                              \
    "lock m; loop { read v; ifzero { wait m; woken; lock m; again } };"        \
    "unlock m")                                                                \
  _(wait_timed, 0,                                                             \
    "pthread_mutex_lock(&m@); if (!v@) "                                       \
    "see(pthread_cond_timedwait(&c@, &m@, &soon) != 0); "                      \
    "see(v@); pthread_mutex_unlock(&m@);",                                     \
    "lock m; read v; ifzero { wait m; wokenorlate; lock m; kept; see };"       \
    "read v; see; unlock m")                                                   \
  _(signal_under, 0,                                                           \
    "pthread_mutex_lock(&m@); v@ = $k; pthread_cond_signal(&c@); "             \
    "pthread_mutex_unlock(&m@);",                                              \
    "lock m; set $k; write v; signal; unlock m")                               \
  _(signal_alone, SIMPLE, "pthread_cond_signal(&c@);", "signal")               \
  _(broadcast, SIMPLE, "pthread_cond_broadcast(&c@);", "broadcast")            \
  /* Semaphores (1 at first), barriers (of 2), once. */                        \
  _(sem_wait, 0, "sem_wait(&sem@);", "semwait")                                \
  _(sem_post, SIMPLE, "sem_post(&sem@);", "sempost")                           \
  _(sem_trywait, SIMPLE, "see(!sem_trywait(&sem@));", "semtry; see")           \
  _(sem_timedwait, SIMPLE, "see(!sem_timedwait(&sem@, &soon));",               \
    "semtry; see")                                                             \
  _(sem_getvalue, SIMPLE, "{ int n; sem_getvalue(&sem@, &n); see(n); }",       \
    "semget; see")                                                             \
  _(barrier, 0, "see(pthread_barrier_wait(&bar@) != 0);",                      \
    "arrive; leave; see")                                                      \
  _(once, SIMPLE,                                                              \
    "pthread_once(&once@, first@);",                                           \
    "once; if { read v; add 1; write v; oncedone }")                           \
  /* Memory from malloc: who gets the pointer by an exchange owns it. */       \
  _(publish, SIMPLE,                                                           \
    "{ int *h = malloc(4); *h = $k; h = atomic_exchange(&g@, h); "             \
    "if (h) { see(*h); free(h); } }",                                          \
    "malloc; set $k; write ^; swapp g; if { read ^; see; free }")              \
  _(peek, SIMPLE | FAULTY, "{ int *h = atomic_load(&g@); if (h) see(*h); }",   \
    "readp g; if { read ^; see }")                                             \
  _(poke, SIMPLE | FAULTY, "{ int *h = atomic_load(&g@); if (h) *h = $k; }",   \
    "readp g; if { set $k; write ^ }")                                         \
  /* Threads that threads start, and what they share with them. */             \
  _(start_on_stack, STARTS | SC_ONLY,                                          \
    "s = $k; NEXT { pthread_t h; void *end; "                                  \
    "pthread_create(&h, NULL, t$C_@, &s); $B "                                 \
    "pthread_join(h, &end); see(end); }",                                      \
    "set $k; write s; start $C s; $B; join $C; see")                           \
  _(start_thread_local, STARTS | SC_ONLY,                                      \
    "z@ = $k; NEXT { pthread_t h; void *end; "                                 \
    "pthread_create(&h, NULL, t$C_@, (void *)&z@); $B "                        \
    "pthread_join(h, &end); see(end); }",                                      \
    "set $k; write z; start $C z; $B; join $C; see")                           \
  _(start, STARTS,                                                             \
    "{ pthread_t h; void *end; pthread_create(&h, NULL, t$C_@, NULL); $B "     \
    "pthread_join(h, &end); see(end); }",                                      \
    "start $C 0; $B; join $C; see")                                            \
  _(own_load, SIMPLE | SC_ONLY, "see(s);", "read s; see")                      \
  _(own_add, SIMPLE | SC_ONLY, "s += $k;", "read s; add $k; write s")          \
  _(local_load, SIMPLE | SC_ONLY, "see(z@);", "read z; see")                   \
  _(local_add, SIMPLE | SC_ONLY, "z@ += $k;", "read z; add $k; write z")       \
  _(parents_load, SIMPLE | CHILD, "if (arg) see(*arg);",                       \
    "arg; if { read ^; see }")                                                 \
  _(parents_store, SIMPLE | CHILD, "if (arg) *arg = $k;",                      \
    "arg; if { set $k; write ^ }")

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
