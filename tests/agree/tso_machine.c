/*
 * The engine under TSO against the brute-force machine of tests/tso_machine.h,
 * on random programs: dfs runs as many executions, and dfs, stateful (with and
 * without the reduction) and dpor find the same outcomes, with stores of all
 * widths, plain and atomic, and buffers of all sizes; and with accesses of
 * several sizes that overlap, where a read may take its bytes from several
 * stores in the buffer and from memory.
 */
#include "tso_machine.h"
#include "engine.h"

enum { PROGRAMS = 150, VARS = 2, MOST_OPS = 3 };

/* ---- a program as C ---- */

static const char *const types[] = {"unsigned char", "short", "int", "long"};

struct dress { /* how the operations are written */
  const char *type[VARS];
  bool atomic[VARS];
};

static void put_write(struct buf *b, const struct dress *d,
                      const struct tso_op *op, struct rng *rng) {
  static const char *const order[] = {"relaxed", "release"};
  if (d->atomic[op->var])
    buf_printf(b, "  atomic_store_explicit(&v%d, %d, memory_order_%s);\n",
               op->var, op->value, order[rng_below(rng, 2)]);
  else
    buf_printf(b, "  v%d = %d;\n", op->var, op->value);
}

static void put_op(struct buf *b, const struct dress *d,
                   const struct tso_op *op, struct rng *rng) {
  switch (op->kind) {
  case TSO_WRITE:
    put_write(b, d, op, rng);
    break;
  case TSO_SC_WRITE:
    buf_printf(b, "  __atomic_store_n((%s *)&v%d, %d, __ATOMIC_SEQ_CST);\n",
               d->type[op->var], op->var, op->value);
    break;
  case TSO_READ:
    if (d->atomic[op->var])
      buf_printf(b, "  r = r * 8 + (int)atomic_load(&v%d);\n", op->var);
    else
      buf_printf(b, "  r = r * 8 + (int)v%d;\n", op->var);
    break;
  case TSO_RMW:
    buf_printf(b,
               "  r = r * 8 + (int)__atomic_exchange_n((%s *)&v%d, %d, "
               "__ATOMIC_RELAXED);\n",
               d->type[op->var], op->var, op->value);
    break;
  case TSO_ADD:
    buf_printf(b,
               "  r = r * 8 + (int)__atomic_fetch_add((%s *)&v%d, %d, "
               "__ATOMIC_ACQ_REL);\n",
               d->type[op->var], op->var, op->value);
    break;
  case TSO_FENCE:
    buf_puts(b, "  atomic_thread_fence(memory_order_seq_cst);\n");
  }
}

static void put_program(struct buf *b, const struct tso_program *p,
                        struct rng *rng) {
  struct dress d;
  buf_puts(b, "#include <faultline.h>\n#include <stdatomic.h>\n");
  for (int v = 0; v < VARS; v++) {
    d.type[v] = types[rng_below(rng, 4)];
    d.atomic[v] = rng_below(rng, 2);
    buf_printf(b, d.atomic[v] ? "_Atomic %s v%d;\n" : "volatile %s v%d;\n",
               d.type[v], v);
  }
  buf_puts(b, "FL_OBJECT(machine)\n");
  for (unsigned t = 0; t < p->nthreads; t++) {
    buf_printf(b, "static int t%u(void) {\n  int r = 0;\n", t);
    for (const struct tso_op *op = p->thread[t]; op->kind != TSO_STOP; op++)
      put_op(b, &d, op, rng);
    buf_printf(b, "  return r;\n}\nFL_OP(int, t%u)\n", t);
  }
  buf_puts(b, "static int end(void) { return (int)v0 * 8 + (int)v1; }\n"
              "FL_OP(int, end)\n");
}

/* ---- random programs ---- */

static struct tso_op random_op(struct rng *rng) {
  uint8_t var = (uint8_t)rng_below(rng, VARS);
  uint8_t value = (uint8_t)(1 + rng_below(rng, 3));
  switch (rng_below(rng, 12)) {
  case 0:
    return (struct tso_op)TSO_F;
  case 1:
    return (struct tso_op)TSO_X(var, value);
  case 2:
    return (struct tso_op)TSO_A(var, 1);
  case 3:
    return (struct tso_op)TSO_SCW(var, value);
  case 4:
  case 5:
  case 6:
  case 7:
    return (struct tso_op)TSO_R(var);
  }
  return (struct tso_op)TSO_W(var, value);
}

static void random_machine(struct tso_program *p, struct rng *rng) {
  memset(p, 0, sizeof *p);
  p->nthreads = (uint8_t)(2 + rng_below(rng, 4) / 3);
  for (unsigned t = 0; t < p->nthreads; t++) {
    uint64_t n =
        p->nthreads == 3 ? 1 + rng_below(rng, 2) : 1 + rng_below(rng, MOST_OPS);
    for (uint64_t i = 0; i < n; i++)
      p->thread[t][i] = random_op(rng);
  }
}

/* ---- outcomes ---- */

struct outcomes {
  VEC(struct hash128) at;
};

static void add_outcome(struct outcomes *o, const int *results, uint32_t n) {
  struct hash128 h = hash128(results, n * sizeof *results, 0);
  for (uint32_t i = 0; i < o->at.len; i++)
    if (hash128_equal(o->at.at[i], h))
      return;
  vec_push(&o->at, h);
}

static bool same_outcomes(const struct outcomes *a, const struct outcomes *b) {
  for (uint32_t i = 0; i < a->at.len; i++) {
    bool there = false;
    for (uint32_t k = 0; k < b->at.len; k++)
      there |= hash128_equal(a->at.at[i], b->at.at[k]);
    if (!there)
      return false;
  }
  return a->at.len == b->at.len;
}

static void of_machine(const struct tso_program *p, const struct tso_result *r,
                       struct outcomes *o) {
  for (unsigned i = 0; i < r->noutcomes; i++) {
    int results[TSO_THREADS + 1] = {0};
    unsigned k = 0;
    for (unsigned t = 0; t < p->nthreads; t++)
      for (const struct tso_op *op = p->thread[t]; op->kind != TSO_STOP; op++)
        if (op->kind == TSO_READ || op->kind == TSO_RMW || op->kind == TSO_ADD)
          results[t] = results[t] * 8 + r->outcome[i].reg[k++];
    results[p->nthreads] =
        r->outcome[i].memory[0] * 8 + r->outcome[i].memory[1];
    add_outcome(o, results, p->nthreads + 1u);
  }
}

static enum judgement note(void *ctx, enum rt_end end) {
  struct outcomes *o = ctx;
  const struct history *h = rt_history();
  int results[TSO_THREADS + 1];
  CHECK_INT(end, RT_DONE);
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    results[i] = (int)h->ops[i].result.bits;
  add_outcome(o, results, h->client->ncalls);
  return JUDGE_GOOD;
}

/* ---- */

struct job {
  char *so;
  struct tso_program p;
  uint32_t buffer;
  unsigned number;
};

enum search { DFS, STATEFUL, UNREDUCED, DPOR, SEARCHES };
static const char *const search_name[] = {"dfs", "stateful", "unreduced",
                                          "dpor"};

static uint64_t explore(enum search how, struct outcomes *o) {
  struct explore x = {.judge = {note, o}, .no_reduction = how == UNREDUCED};
  enum explore_end end = how == DFS    ? explore_dfs(&x)
                         : how == DPOR ? explore_dpor(&x)
                                       : explore_stateful(&x);
  CHECK_INT(end, EXPLORE_ALL);
  CHECK_INT(x.blocked, 0);
  return x.executions;
}

static void compare(void *arg) {
  const struct job *job = arg;
  struct rt_options o = {.tso = job->buffer != 0, .buffer = job->buffer};
  engine_open(job->so, &o);
  struct client c;
  engine_client(&c, job->p.nthreads == 2 ? "{t0()} || {t1()}; end()"
                                         : "{t0()} || {t1()} || {t2()}; end()");
  CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
  struct tso_result r;
  tso_enumerate(
      &job->p,
      &(struct tso_options){.tso = job->buffer != 0, .buffer = job->buffer},
      &r);
  struct outcomes expected = {0};
  of_machine(&job->p, &r, &expected);
  for (int how = 0; how < SEARCHES; how++) {
    struct outcomes found = {0};
    uint64_t executions = explore((enum search)how, &found);
    if (how == DFS && job->buffer) /* under SC a fence is no step */
      CHECK_INT(executions, r.executions);
    bool same = same_outcomes(&found, &expected);
    CHECK(same);
    if (!same || test_errors)
      fprintf(stderr, "program %u, %s, buffer %u: %u outcomes, expected %u\n",
              job->number, search_name[how], job->buffer, found.at.len,
              expected.at.len);
    vec_free(&found.at);
  }
  vec_free(&expected.at);
  tso_result_free(&r);
}

TEST(all_searches_agree_with_the_machine) {
  struct rng rng = {20};
  for (unsigned i = 0; i < PROGRAMS; i++) {
    struct job job = {.number = i};
    struct buf text = {0};
    random_machine(&job.p, &rng);
    put_program(&text, &job.p, &rng);
    engine_cc = i % 4 == 3 ? "clang" : NULL;
    job.so = engine_build(buf_text(&text), i % 3 ? "-O1" : "-O0");
    job.buffer = (uint32_t)rng_below(&rng, 4);
    int before = (int)test_errors;
    engine_child(compare, &job);
    if ((int)test_errors != before) {
      fprintf(stderr, "%s\n", buf_text(&text));
      return;
    }
    free(job.so);
    buf_free(&text);
  }
}

/* ---- overlapping accesses of several sizes ---- */

enum { PACKS = 8, PACK = 12, BYTES = 8 };

static const char *const member[] = {
    [1] = "b", [2] = "h", [4] = "w", [8] = "l"};

static uint64_t word_of(uint8_t value, unsigned size) {
  uint64_t word = 0;
  for (unsigned k = 0; k < size; k++)
    word |= (uint64_t)tso_byte(value, k) << (8 * k);
  return word;
}

static void put_mixed_op(struct buf *b, unsigned program,
                         const struct tso_op *op, bool atomic) {
  struct buf place = {0};
  buf_printf(&place, "u%u.%s[%u]", program, member[op->size],
             op->var / op->size);
  const char *at = buf_text(&place);
  unsigned long long word = word_of(op->value, op->size);
  switch (op->kind) {
  case TSO_WRITE:
    if (atomic)
      buf_printf(b, "  __atomic_store_n(&%s, 0x%llx, __ATOMIC_RELAXED);\n", at,
                 word);
    else
      buf_printf(b, "  %s = 0x%llx;\n", at, word);
    break;
  case TSO_SC_WRITE:
    buf_printf(b, "  __atomic_store_n(&%s, 0x%llx, __ATOMIC_SEQ_CST);\n", at,
               word);
    break;
  case TSO_READ:
    if (atomic)
      buf_printf(b, "  r = r * P + __atomic_load_n(&%s, __ATOMIC_RELAXED);\n",
                 at);
    else
      buf_printf(b, "  r = r * P + %s;\n", at);
    break;
  case TSO_RMW:
    buf_printf(
        b,
        "  r = r * P + __atomic_exchange_n(&%s, 0x%llx, __ATOMIC_RELAXED);\n",
        at, word);
    break;
  default:
    buf_puts(b, "  __atomic_thread_fence(__ATOMIC_SEQ_CST);\n");
  }
  buf_free(&place);
}

static struct tso_op mixed_op(struct rng *rng) {
  struct tso_op op = random_op(rng);
  if (op.kind == TSO_ADD)
    op.kind = TSO_READ;
  /* Reads are rather wide, so that they have bytes of several stores. */
  bool wide = op.kind == TSO_READ && rng_below(rng, 4);
  op.size = (uint8_t)(wide ? 4 << rng_below(rng, 2) : 1 << rng_below(rng, 4));
  uint64_t bytes = op.size < BYTES && rng_below(rng, 4) ? 4 : BYTES;
  op.var = (uint8_t)(rng_below(rng, bytes / op.size) * op.size);
  op.value = (uint8_t)(1 + rng_below(rng, 3));
  return op;
}

static void put_mixed(struct buf *b, struct tso_program *p, unsigned program,
                      struct rng *rng) {
  buf_printf(b,
             "static volatile union { unsigned char b[8]; unsigned short h[4]; "
             "unsigned w[2]; uint64_t l[1]; } u%u;\n",
             program);
  memset(p, 0, sizeof *p);
  p->nthreads = (uint8_t)(2 + rng_below(rng, 4) / 3);
  for (unsigned t = 0; t < p->nthreads; t++) {
    uint64_t n =
        p->nthreads == 3 ? 1 + rng_below(rng, 2) : 2 + rng_below(rng, 2);
    buf_printf(b, "static uint64_t p%ut%u(void) {\n  uint64_t r = 0;\n",
               program, t);
    for (uint64_t i = 0; i < n; i++) {
      do /* clang makes one of two fences */
        p->thread[t][i] = mixed_op(rng);
      while (i && p->thread[t][i].kind == TSO_FENCE &&
             p->thread[t][i - 1].kind == TSO_FENCE);
      put_mixed_op(b, program, &p->thread[t][i], rng_below(rng, 2));
    }
    buf_printf(b, "  return r;\n}\nFL_OP(uint64_t, p%ut%u)\n", program, t);
  }
  buf_printf(b,
             "static uint64_t p%uend(void) { return u%u.l[0]; }\n"
             "FL_OP(uint64_t, p%uend)\n",
             program, program, program);
}

static uint64_t take_word(const uint8_t **at, unsigned size) {
  uint64_t word = 0;
  for (unsigned k = 0; k < size; k++)
    word |= (uint64_t) * (*at)++ << (8 * k);
  return word;
}

enum { PRIME = 1000003 };

static void of_mixed(const struct tso_program *p, const struct tso_result *r,
                     struct outcomes *o) {
  for (unsigned i = 0; i < r->noutcomes; i++) {
    uint64_t results[TSO_THREADS + 1] = {0};
    const uint8_t *at = r->outcome[i].reg, *memory = r->outcome[i].memory;
    for (unsigned t = 0; t < p->nthreads; t++)
      for (const struct tso_op *op = p->thread[t]; op->kind != TSO_STOP; op++)
        if (op->kind == TSO_READ || op->kind == TSO_RMW)
          results[t] = results[t] * PRIME + take_word(&at, op->size);
    results[p->nthreads] = take_word(&memory, BYTES);
    add_outcome(o, (const int *)results, 2 * (p->nthreads + 1u));
  }
}

static enum judgement note_mixed(void *ctx, enum rt_end end) {
  const struct history *h = rt_history();
  uint64_t results[TSO_THREADS + 1];
  CHECK_INT(end, RT_DONE);
  for (uint32_t i = 0; i < h->client->ncalls; i++)
    results[i] = h->ops[i].result.bits;
  add_outcome(ctx, (const int *)results, 2 * h->client->ncalls);
  return JUDGE_GOOD;
}

struct pack {
  char *so;
  struct tso_program p[PACK];
  uint32_t buffer, number;
};

static uint32_t partial; /* reads of bytes from several places */

static void see_partial(const struct tso_execution *x, void *unused) {
  (void)unused;
  for (unsigned i = 0; i < x->n; i++)
    partial += x->event[i].forwarded && x->event[i].size > 1;
}

static void compare_mixed(const struct tso_program *p, uint32_t buffer) {
  struct tso_result r;
  struct outcomes expected = {0};
  tso_enumerate(p,
                &(struct tso_options){
                    .tso = buffer != 0, .buffer = buffer, .seen = see_partial},
                &r);
  of_mixed(p, &r, &expected);
  for (int how = 0; how < SEARCHES; how++) {
    struct outcomes found = {0};
    struct explore x = {.judge = {note_mixed, &found},
                        .no_reduction = how == UNREDUCED};
    CHECK_INT(how == DFS    ? explore_dfs(&x)
              : how == DPOR ? explore_dpor(&x)
                            : explore_stateful(&x),
              EXPLORE_ALL);
    if (how == DFS && buffer)
      CHECK_INT(x.executions, r.executions);
    if (!CHECK(same_outcomes(&found, &expected)))
      fprintf(stderr, "%s: %u outcomes, expected %u\n", search_name[how],
              found.at.len, expected.at.len);
    vec_free(&found.at);
  }
  vec_free(&expected.at);
  tso_result_free(&r);
}

static void run_pack(void *arg) {
  const struct pack *k = arg;
  engine_open(k->so,
              &(struct rt_options){.tso = k->buffer != 0, .buffer = k->buffer});
  for (unsigned i = 0; i < PACK; i++) {
    struct buf text = {0};
    struct client c;
    for (unsigned t = 0; t < k->p[i].nthreads; t++)
      buf_printf(&text, "%s{p%ut%u()}", t ? " || " : "", i, t);
    buf_printf(&text, "; p%uend()", i);
    engine_client(&c, buf_text(&text));
    CHECK_INT(rt_prepare(engine.suite, &c), RT_DONE);
    unsigned before = (unsigned)test_errors;
    compare_mixed(&k->p[i], k->buffer);
    if ((unsigned)test_errors != before)
      fprintf(stderr, "pack %u, buffer %u, client %s\n", k->number, k->buffer,
              buf_text(&text));
    client_free(&c);
    buf_free(&text);
  }
  if (k->buffer)
    CHECK(partial > 0);
}

TEST(sizes_that_overlap) {
  struct rng rng = {4};
  for (unsigned n = 0; n < PACKS; n++) {
    struct pack k = {.number = n, .buffer = n % 4};
    struct buf text = {0};
    buf_printf(&text,
               "#include <faultline.h>\n#include <stdint.h>\n"
               "#define P %d\nFL_OBJECT(mixed)\n",
               PRIME);
    for (unsigned i = 0; i < PACK; i++)
      put_mixed(&text, &k.p[i], i, &rng);
    engine_cc = n % 4 == 3 ? "clang" : NULL;
    k.so = engine_build(buf_text(&text), n % 3 ? "-O1" : "-O0");
    unsigned before = (unsigned)test_errors;
    engine_child(run_pack, &k);
    if ((unsigned)test_errors != before)
      fprintf(stderr, "%s\n", buf_text(&text));
    free(k.so);
    buf_free(&text);
  }
}

TEST_MAIN
