/*
 * The engine under TSO against the machine of tests/tso_machine.h with accesses
 * of 1, 2, 4 and 8 bytes that overlap: a read may take its bytes from several
 * stores in the buffer and from memory.
 */
#include "tso_outcomes.h"

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
