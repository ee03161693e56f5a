/* Objects of random operations: what the searches are compared on. */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include "base/buf.h"
#include "base/rng.h"

enum { RANDOM_FUNCTIONS = 5 };

static const char *const random_statements[] = {
    "r += a;",
    "a = r;",
    "a = a + 1;",
    "b = a;",
    "r += b;",
    "b ^= 1;",
    "r += atomic_load(&x);",
    "atomic_store(&x, r & 3);",
    "r += atomic_fetch_add(&x, 1);",
    "{ int e = 0; if (atomic_compare_exchange_strong(&y, &e, 1)) r += 4; }",
    "r += atomic_exchange(&y, 0);",
    "own[k] += 1; r += (int)own[k];",
    "own[k] = r;",
    "pthread_mutex_lock(&m); a += 2; r += a; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); b = 3; pthread_mutex_unlock(&m);",
    "if (!pthread_mutex_trylock(&m)) { r += 8; pthread_mutex_unlock(&m); }",
    "{ int *q = malloc(4); *q = r; q = atomic_exchange(&p, q);\n"
    "    if (q) { r += *q; free(q); } }",
    "{ int *q = malloc(8); q[1] = r; r += q[1]; free(q); }",
    "while (atomic_flag_test_and_set(&l)); c++; r += c;\n"
    "  atomic_flag_clear(&l);",
    "if (r & 1) a = 0; else r += x;",
    "for (int i = 0; i < 2; i++) r += i + b;",
    "bytes[0] = (unsigned char)r; bytes[1] = 1; r += *(short *)bytes;",
    "sched_yield();",
};

/* Mostly disciplined, so that guards are found and then sometimes lost. */
static const char *const random_sections[] = {
    "pthread_mutex_lock(&m); a += 2; r += a; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); a = b; b = r; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); r += a + b; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m2); c++; r += c; pthread_mutex_unlock(&m2);",
    "pthread_mutex_lock(&m2); r += c; pthread_mutex_unlock(&m2);",
    "pthread_mutex_lock(&m); pthread_mutex_lock(&m2); c += a;\n"
    "  pthread_mutex_unlock(&m2); a++; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); a++; pthread_mutex_lock(&m2);\n"
    "  pthread_mutex_unlock(&m); c++; pthread_mutex_unlock(&m2);",
    "pthread_mutex_lock(&m); a++; r += atomic_load(&x); r += b;\n"
    "  pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); atomic_store(&x, a); b++;\n"
    "  pthread_mutex_unlock(&m);",
    "{ int *q = malloc(4); *q = r; pthread_mutex_lock(&m); a++;\n"
    "  q = atomic_exchange(&p, q); if (q) { r += *q; free(q); }\n"
    "  pthread_mutex_unlock(&m); }",
    "if (k == 3) { pthread_mutex_lock(&m2); pthread_mutex_lock(&m); a += c;\n"
    "  pthread_mutex_unlock(&m); pthread_mutex_unlock(&m2); }",
    "if (k == 2) r += b;",
    "if (k == 1) c = 7;",
    "if (k == 2 && !pthread_mutex_trylock(&m)) { r += a;\n"
    "  pthread_mutex_unlock(&m); }",
    "if (k == 1) { pthread_mutex_lock(&m); a++; held = 1; return r; }",
    "if (held) { held = 0; a++; pthread_mutex_unlock(&m); }",
    "r += atomic_fetch_add(&x, 1);",
    /* What is a mutex in one execution is data in another. */
    "if (atomic_load(&x) & 1) { pthread_mutex_t *q = malloc(sizeof *q);\n"
    "  pthread_mutex_init(q, NULL); pthread_mutex_lock(q); r += 4;\n"
    "  pthread_mutex_unlock(q); pthread_mutex_lock(&m); a++;\n"
    "  pthread_mutex_unlock(&m); free(q); }",
    "if (!(atomic_load(&x) & 1)) { long *q = malloc(sizeof(pthread_mutex_t));\n"
    "  q[0] = r; r += (int)q[0]; atomic_fetch_add(&x, 1); free(q); }",
};

static void random_program_of(struct rng *rng, const char *const *statements,
                              uint64_t nstatements, struct buf *out) {
  buf_puts(
      out,
      "#include <faultline.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
      "#include <stdlib.h>\n#include <sched.h>\n"
      "static int a, b, c;\nstatic long own[4];\n"
      "static atomic_int x, y;\n"
      "static _Atomic(int *) p;\n"
      "static _Alignas(8) unsigned char bytes[8];\n"
      "static atomic_flag l = ATOMIC_FLAG_INIT;\n"
      "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
      "static pthread_mutex_t m2 = PTHREAD_MUTEX_INITIALIZER;\n"
      "static _Thread_local int held;\n"
      "FL_OBJECT(random)\n");
  for (int f = 0; f < RANDOM_FUNCTIONS; f++) {
    buf_printf(out, "static int f%d(int k) {\n  int r = 0;\n  (void)k;\n", f);
    uint64_t n = 1 + rng_below(rng, 3);
    while (n--)
      buf_printf(out, "  %s\n", statements[rng_below(rng, nstatements)]);
    buf_printf(out, "  return r;\n}\nFL_OP(int, f%d, FL_INT(0, 3))\n", f);
  }
}

static inline void random_program(struct rng *rng, struct buf *out) {
  random_program_of(rng, random_statements,
                    sizeof random_statements / sizeof *random_statements, out);
}

static inline void random_locks(struct rng *rng, struct buf *out) {
  random_program_of(rng, random_sections,
                    sizeof random_sections / sizeof *random_sections, out);
}

#endif
