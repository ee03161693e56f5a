/*
 * Random concurrent programs: a few threads of a few statements each, drawn
 * from program_kinds.h, and their text in C.
 *
 * A thread is an operation of an object, and its result what it has seen; or
 * it is started and joined by a statement of another one.  A last operation,
 * end(), sees all variables.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "program_kinds.h"

#include "base/buf.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 4, MOST_STATEMENTS = 4, MOST_NODES = 64, NO_NODE = 255 };

struct statement {
  uint8_t kind;
  uint8_t body;  /* a node, or NO_NODE: nothing */
  uint8_t child; /* the thread that it starts */
  uint8_t way;   /* LOOSE: which of its ways, from 1; 0: any of them */
  uint64_t chance;
};

struct program {
  unsigned number;
  struct statement node[MOST_NODES];
  uint8_t nnodes;
  uint8_t nthreads, nclients; /* those behind the client's are started */
  uint8_t length[MOST_THREADS];
  uint8_t line[MOST_THREADS][MOST_STATEMENTS]; /* nodes */
};

/* ---- choices ---- */

/* A number below n that depends on the statement and the letter alone. */
static unsigned draw(const struct statement *s, char letter, unsigned n) {
  struct rng rng = {s->chance ^ (uint64_t)letter << 32};
  return (unsigned)rng_below(&rng, n);
}

/* What a letter behind $ stands for. */
static const char *choice_text(const struct statement *s, char letter) {
  static char text[16];
  unsigned n = 0;
  switch (letter) {
  case 'p': /* plain variables */
    return draw(s, 'p', 2) ? "a" : "b";
  case 'q': /* the other one */
    return draw(s, 'p', 2) ? "b" : "a";
  case 'v': /* volatile */
    return draw(s, 'v', 2) ? "v" : "w";
  case 'x': /* atomic */
    return draw(s, 'x', 2) ? "x" : "y";
  case 'l': /* mutexes */
    return draw(s, 'l', 2) ? "m" : "n";
  case 'o': /* the other one */
    return draw(s, 'l', 2) ? "n" : "m";
  case 'j': /* small numbers */
    n = draw(s, 'j', 3);
    break;
  case 'k':
    n = 1 + draw(s, 'k', 3);
    break;
  case 'm': /* k in two bytes */
    n = 257 * (1 + draw(s, 'k', 3));
    break;
  case 'K': /* in the bits of f.b */
    n = 8 * (1 + draw(s, 'k', 3));
    break;
  case '1': /* offsets of 1, 2 and 4 bytes in u */
    n = draw(s, '1', 8);
    break;
  case '2':
    n = 2 * draw(s, '2', 4);
    break;
  case '4':
    n = 4 * draw(s, '4', 2);
    break;
  case 'i': /* a word of a pair, and its offset */
    n = draw(s, 'i', 2);
    break;
  case 'I':
    n = 8 * draw(s, 'i', 2);
    break;
  case 'C':
    n = s->child;
    break;
  default:
    die("no choice $%c", letter);
  }
  snprintf(text, sizeof text, "%u", n);
  return text;
}

/* Of `either { … }; either { … }; otherwise { … }`: what is inside of one. */
static const char *way_text(const struct kind *k, unsigned way, size_t *len) {
  const char *c = k->machine;
  while (way--)
    c = strchr(c, '{') + 1;
  *len = strcspn(c, "}");
  return c;
}

/* One of a statement's texts with its choices made. */
static void expand(const struct program *p, uint8_t node, bool machine,
                   struct buf *out) {
  if (node == NO_NODE)
    return;
  const struct statement *s = &p->node[node];
  const struct kind *k = &kinds[s->kind];
  const char *text = machine ? k->machine : k->c;
  size_t len = strlen(text);
  if (machine && s->way)
    text = way_text(k, s->way, &len);
  for (const char *c = text; c < text + len; c++)
    if (*c == '$' && c[1] == 'B')
      c++, expand(p, s->body, machine, out);
    else if (*c == '$' && c[1])
      buf_puts(out, choice_text(s, *++c));
    else if (*c == '@')
      buf_printf(out, "%u", p->number);
    else
      buf_putc(out, *c);
}

/* ---- making one ---- */

static bool may_stand(const struct program *p, unsigned thread, unsigned kind,
                      unsigned depth) {
  unsigned flags = kinds[kind].flags;
  return !(flags & STARTS) && (!depth || flags & SIMPLE) &&
         (thread >= p->nclients || !(flags & CHILD));
}

/* Kinds with one of these flags are left out. */
static unsigned program_without = KNOWN_BAD;

struct palette { /* few kinds in a program, so that threads meet */
  unsigned n;
  uint8_t kind[6];
};

static uint8_t add_node(struct program *p, struct statement s) {
  p->node[p->nnodes] = s;
  return p->nnodes++;
}

static uint8_t random_statement(struct program *p, unsigned thread,
                                const struct palette *from, unsigned depth,
                                struct rng *rng) {
  struct statement s = {.body = NO_NODE, .chance = rng_next(rng)};
  for (unsigned tries = 0;; tries++) {
    if (tries == 50)
      return NO_NODE;
    s.kind = from->kind[rng_below(rng, from->n)];
    if (may_stand(p, thread, s.kind, depth))
      break;
  }
  if (strstr(kinds[s.kind].c, "$B") && depth < 2)
    s.body = random_statement(p, thread, from, depth + 1, rng);
  return add_node(p, s);
}

/* Most are near each other in the table: those work on the same things. */
static void draw_palette(struct palette *out, unsigned without,
                         struct rng *rng) {
  enum { NEAR = 9 };
  uint64_t from = rng_below(rng, NKINDS - NEAR + 1);
  *out = (struct palette){.n = 2 + (unsigned)rng_below(rng, 5)};
  for (unsigned i = 0; i < out->n; i++)
    do
      out->kind[i] = (uint8_t)(rng_below(rng, 4) ? from + rng_below(rng, NEAR)
                                                 : rng_below(rng, NKINDS));
    while (kinds[out->kind[i]].flags & without);
}

static void random_threads(struct program *p, struct rng *rng) {
  static const uint8_t most[MOST_THREADS + 1] = {0, 0, 4, 3, 2};
  struct palette palette;
  draw_palette(&palette, program_without, rng);
  for (unsigned t = 0; t < p->nthreads; t++) {
    unsigned n = 1 + (unsigned)rng_below(rng, most[p->nthreads]);
    while (n--) {
      uint8_t node = random_statement(p, t, &palette, 0, rng);
      if (node != NO_NODE)
        p->line[t][p->length[t]++] = node;
    }
  }
}

/* A statement of the parent that starts thread t. */
static void start_thread(struct program *p, unsigned t, struct rng *rng) {
  struct statement s = {.child = (uint8_t)t, .chance = rng_next(rng)};
  unsigned parent = (unsigned)rng_below(rng, p->nclients);
  unsigned n = p->length[parent] == MOST_STATEMENTS ? MOST_STATEMENTS - 1
                                                    : p->length[parent];
  do
    s.kind = (uint8_t)rng_below(rng, NKINDS);
  while (!(kinds[s.kind].flags & STARTS) ||
         kinds[s.kind].flags & program_without);
  s.body = n ? p->line[parent][n - 1] : NO_NODE; /* the last one meanwhile */
  p->line[parent][n ? n - 1 : 0] = add_node(p, s);
  p->length[parent] = (uint8_t)(n ? n : 1);
}

__attribute__((unused)) static void random_program(struct program *p,
                                                   unsigned number) {
  struct rng rng = {number};
  memset(p, 0, sizeof *p);
  p->number = number;
  unsigned dice = (unsigned)rng_below(&rng, 10);
  p->nthreads = p->nclients = dice < 5 ? 2 : dice < 8 ? 3 : 4;
  if (rng_below(&rng, 4) == 0)
    p->nclients -= 1 + (p->nthreads == 4 && rng_below(&rng, 2));
  random_threads(p, &rng);
  for (unsigned t = p->nclients; t < p->nthreads; t++)
    start_thread(p, t, &rng);
}

/* ---- as C ---- */

static const char program_head[] =
    "#include <faultline.h>\n#include <assert.h>\n#include <errno.h>\n"
    "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n"
    "#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
    "#define see(V) (r = r * 1000 + (unsigned long)(V))\n"
    "#define NEXT __asm__ volatile(\"\" ::: \"memory\");\n"
    "struct pair { long word[2]; };\n"
    "struct bits { unsigned char a : 3, b : 5; };\n"
    "static const struct timespec soon = {0, 0};\n"
    "static __attribute__((noinline, unused)) unsigned long\n"
    "see_pair(unsigned long r, struct pair p) {\n"
    "  see(p.word[0]); see(p.word[1]); return r;\n}\n";

static const char program_assembly[] =
    "#define ASM static inline __attribute__((always_inline, unused))\n"
    "#define BARE static __attribute__((noinline, no_sanitize(\"thread\"), "
    "unused))\n"
    "ASM int asm_load(volatile void *p) { int v; __asm__ volatile("
    "\"movl %1, %0\" : \"=r\"(v) : \"m\"(*(int *)p) : \"memory\"); return v; "
    "}\n"
    "ASM void asm_store(volatile int *p, int v) { __asm__ volatile("
    "\"movl %1, %0\" : \"=m\"(*p) : \"r\"(v) : \"memory\"); }\n"
    "ASM void asm_increment(volatile int *p) { __asm__ volatile("
    "\"incl %0\" : \"+m\"(*p) : : \"memory\"); }\n"
    "ASM int asm_swap(void *p, int v) { __asm__ volatile("
    "\"xchgl %0, %1\" : \"+r\"(v), \"+m\"(*(int *)p) : : \"memory\"); "
    "return v; }\n"
    "ASM int asm_add(void *p, int v) { __asm__ volatile("
    "\"lock; xaddl %0, %1\" : \"+r\"(v), \"+m\"(*(int *)p) : : "
    "\"memory\"); return v; }\n"
    "ASM int asm_cas(void *p, int old, int v) { char ok; __asm__ volatile("
    "\"lock; cmpxchgl %3, %1; setz %0\" : \"=q\"(ok), \"+m\"(*(int *)p), "
    "\"+a\"(old) : \"r\"(v) : \"memory\"); return ok; }\n"
    "ASM void asm_mfence(void) { __asm__ volatile(\"mfence\" ::: \"memory\");"
    " }\n"
    "ASM void asm_lock_fence(void) { __asm__ volatile("
    "\"lock; addl %0, -8(%%rsp)\" : : \"i\"(0) : \"memory\", \"cc\"); }\n"
    "ASM void asm_pause(void) { __asm__ volatile(\"pause\"); }\n"
    "ASM int asm_block(void *p, volatile int *q, int v) { __asm__ volatile("
    "\"lock; xaddl %0, %1\\n\\tmovl %0, %2\" : \"+r\"(v), "
    "\"+m\"(*(int *)p), \"=m\"(*q) : : \"memory\"); return v; }\n"
    "ASM int asm_cas8(void *p, long old, long v) { char ok; "
    "int hi = (int)(old >> 32), lo = (int)old; __asm__ volatile("
    "\"lock; cmpxchg8b %1; setz %0\" : \"=q\"(ok), \"+m\"(*(long *)p), "
    "\"+a\"(lo), \"+d\"(hi) : \"b\"((int)v), \"c\"((int)(v >> 32)) : "
    "\"memory\"); return ok; }\n"
    "ASM unsigned char asm_byte(void *p, unsigned char v) { __asm__ volatile("
    "\"xchgb %0, %1\" : \"+q\"(v), \"+m\"(*(char *)p) : : \"memory\"); "
    "return v; }\n"
    "ASM void asm_copy(void *to, void *from) { long n = 2; __asm__ volatile("
    "\"rep movsq\" : \"+D\"(to), \"+S\"(from), \"+c\"(n) : : \"memory\"); "
    "}\n"
    "ASM void asm_clear(void *to) { long n = 2; __asm__ volatile("
    "\"rep stosq\" : \"+D\"(to), \"+c\"(n) : \"a\"(0L) : \"memory\"); }\n"
    "BARE int bare_load(int *p) { return *(volatile int *)p; }\n"
    "BARE void bare_store(int *p, int v) { *(volatile int *)p = v; }\n"
    "BARE void bare_add(int *p, int v) { *(volatile int *)p += v; }\n";

/* Not static: compilers must not know who else writes them. */
static const char program_variables[] =
    "int a@, b@;\n"
    "volatile int v@, w@;\n"
    "atomic_int x@, y@;\n"
    "unsigned long u@;\n"
    "struct bits f@;\n"
    "struct pair p@, q@;\n"
    "_Atomic(int *) g@;\n"
    "_Thread_local int z@;\n"
    "pthread_mutex_t m@ = PTHREAD_MUTEX_INITIALIZER;\n"
    "pthread_mutex_t n@ = PTHREAD_MUTEX_INITIALIZER;\n"
    "pthread_rwlock_t rw@ = PTHREAD_RWLOCK_INITIALIZER;\n"
    "pthread_cond_t c@ = PTHREAD_COND_INITIALIZER;\n"
    "pthread_once_t once@ = PTHREAD_ONCE_INIT;\n"
    "sem_t sem@;\n"
    "pthread_barrier_t bar@;\n"
    "static void init@(void) {\n"
    "  sem_init(&sem@, 0, 1);\n"
    "  pthread_barrier_init(&bar@, NULL, 2);\n}\n"
    "__attribute__((unused)) static void first@(void) { v@ = v@ + 1; }\n";

static void put_numbered(struct buf *out, const char *text, unsigned number) {
  for (; *text; text++)
    if (*text == '@')
      buf_printf(out, "%u", number);
    else
      buf_putc(out, *text);
}

static void put_thread(const struct program *p, unsigned t, struct buf *out) {
  bool started = t >= p->nclients;
  buf_printf(out, "__attribute__((unused)) static %s t%u_%u(%s) {\n",
             started ? "void *" : "unsigned long", t, p->number,
             started ? "void *of_parent" : "void");
  buf_puts(out, "  unsigned long r = 0;\n  int s = 0;\n  (void)s;\n");
  if (started)
    buf_puts(out, "  int *arg = of_parent;\n  (void)arg;\n");
  for (unsigned i = 0; i < p->length[t]; i++) {
    buf_puts(out, "  ");
    expand(p, p->line[t][i], false, out);
    buf_puts(out, " NEXT\n");
  }
  buf_printf(out, "  return %sr;\n}\n", started ? "(void *)" : "");
}

static const char program_end[] =
    "static unsigned long end@(void) {\n  unsigned long r = 0;\n"
    "  see(a@); see(b@); see(v@); see(w@); see(x@); see(y@); see(u@);\n"
    "  see(*(unsigned char *)&f@); see(p@.word[0]); see(p@.word[1]);\n"
    "  see(q@.word[0]); see(q@.word[1]); if (g@) see(*g@);\n"
    "  return r;\n}\n"
    "FL_OBJECT(o@, init@, NULL)\nFL_OP(unsigned long, end@)\n";

__attribute__((unused)) static void put_program(const struct program *p,
                                                struct buf *out) {
  put_numbered(out, program_variables, p->number);
  for (unsigned t = p->nthreads; t-- > 0;)
    put_thread(p, t, out);
  put_numbered(out, program_end, p->number);
  for (unsigned t = 0; t < p->nclients; t++)
    buf_printf(out, "FL_OP(unsigned long, t%u_%u)\n", t, p->number);
}

/* The client that runs it. */
__attribute__((unused)) static void put_client(const struct program *p,
                                               struct buf *out) {
  for (unsigned t = 0; t < p->nclients; t++)
    buf_printf(out, "%s{t%u_%u()}", t ? " || " : "", t, p->number);
  buf_printf(out, "; end%u()", p->number);
}

#endif
