/*
 * For tests of samplers: an object whose operations have a known number of
 * steps, every execution as a path, and PCT by its definition, computed over
 * all priorities and change points.
 */
#ifndef SAMPLED_H
#define SAMPLED_H

#include "engine.h"

static const char sampled_text[] =
    "#include <faultline.h>\n"
    "#include <pthread.h>\n"
    "#include <sched.h>\n"
    "static volatile int x, y, flag, count, stage;\n"
    "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    "static void s0(void) {}\n"
    "static void s1(void) { x = 1; }\n"
    "static void s2(void) { x = 1; x = 2; }\n"
    "static void s3(void) { x = 1; x = 2; x = 3; }\n"
    "static void s6(void) { for (int i = 0; i < 6; i++) x = i; }\n"
    /* a call whose length is decided by another one */
    "static void maybe(void) { if (flag) for (int i = 0; i < 9; i++) x = i; }\n"
    "static void set(void) { flag = 1; }\n"
    "static int inc(void) { int c = count; count = c + 1; return c; }\n"
    "static int get(void) { return count; }\n"
    "static void wait_counting(void) { for (int i = 0; !flag; i++) y = i; }\n"
    "static void wait_yielding(void) {\n"
    "  for (int i = 0; !flag; i++) { y = i; sched_yield(); }\n"
    "}\n"
    "static void *body(void *arg) { (void)arg; y = 1; y = 2; return 0; }\n"
    "static void spawn(void) {\n"
    "  pthread_t t;\n"
    "  pthread_create(&t, 0, body, 0);\n"
    "  x = 1;\n"
    "  pthread_join(t, 0);\n"
    "}\n"
    "static void locked(void) {\n"
    "  pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);\n"
    "}\n"
    /* stage 4 needs left, right, left, right: three orders */
    "static void left(void) {\n"
    "  if (stage == 0) stage = 1;\n"
    "  if (stage == 2) stage = 3;\n"
    "}\n"
    "static void right(void) {\n"
    "  if (stage == 1) stage = 2;\n"
    "  if (stage == 3) stage = 4;\n"
    "}\n"
    "static int reached(void) { return stage; }\n"
    /* eight accesses that race with nobody, then one that does */
    "static volatile int own;\n"
    "static volatile int order;\n"
    "static void late(void) {\n"
    "  for (int i = 0; i < 8; i++) own = i;\n"
    "  order = 1;\n"
    "}\n"
    "static int soon(void) {\n"
    "  return __atomic_exchange_n(&order, 2, __ATOMIC_RELAXED);\n"
    "}\n"
    "FL_OBJECT(sampled)\nFL_OP(void, s0)\nFL_OP(void, s1)\nFL_OP(void, s2)\n"
    "FL_OP(void, s3)\nFL_OP(void, s6)\nFL_OP(void, maybe)\nFL_OP(void, set)\n"
    "FL_OP(int, inc)\nFL_OP(int, get)\nFL_OP(void, wait_counting)\n"
    "FL_OP(void, wait_yielding)\nFL_OP(void, spawn)\nFL_OP(void, locked)\n"
    "FL_OP(void, left)\nFL_OP(void, right)\nFL_OP(int, reached)\n"
    "FL_OP(void, late)\nFL_OP(int, soon)\n";

enum { SAMPLED_CODES = 1 << 16, SAMPLED_THREADS = 4 };

struct sampled {
  struct client client;
  struct explore x;
  struct live_path live;
  uint64_t count[SAMPLED_CODES]; /* executions by path: digits base 4 */
  uint64_t seen;                 /* executions */
  uint64_t skip;                 /* the first ones are not counted */
  uint64_t hash;                 /* of all paths in order */
  uint64_t preempted[8];         /* executions by number of preemptions */
  uint32_t longest;
  /* by position: executions that leave a thread there that has more to do */
  uint64_t left_at[64];
  bool (*bad)(enum rt_end end);
};

/* Without blocking, a thread could go on if it steps again later. */
static bool sampled_again(const struct live_path *l, uint32_t from, uint8_t t) {
  for (uint32_t i = from; i < l->len; i++)
    if (l->at[i] == t)
      return true;
  return false;
}

static enum judgement sampled_judge(void *ctx, enum rt_end end) {
  struct sampled *s = ctx;
  uint32_t code = 0, preempted = 0;
  for (uint32_t i = 0; i < s->live.len; i++) {
    code = code * SAMPLED_THREADS + s->live.at[i] % SAMPLED_THREADS;
    if (i && s->live.at[i] != s->live.at[i - 1] &&
        sampled_again(&s->live, i, s->live.at[i - 1])) {
      preempted++;
      s->left_at[i < 64 ? i : 63]++;
    }
  }
  if (s->seen++ >= s->skip)
    s->count[code % SAMPLED_CODES]++;
  s->hash = hash64(s->live.at, s->live.len, s->hash);
  s->preempted[preempted < 8 ? preempted : 7]++;
  if (s->live.len > s->longest)
    s->longest = s->live.len;
  s->live.len = 0;
  return s->bad && s->bad(end) ? JUDGE_BAD : JUDGE_GOOD;
}

/* The last call's result in the history is `v`. */
__attribute__((unused)) static long long sampled_last_result(void) {
  const struct history *h = rt_history();
  return (long long)h->ops[h->client->ncalls - 1].result.bits;
}

__attribute__((unused)) static struct sampled *sampled_new(const char *client) {
  struct sampled *s = xcalloc(1, sizeof *s);
  engine_client(&s->client, client);
  CHECK_INT(rt_prepare(engine.suite, &s->client), RT_DONE);
  s->x.judge = (struct judge){sampled_judge, s};
  s->x.live = &s->live;
  s->x.all = true;
  s->x.seed = 1;
  return s;
}

__attribute__((unused)) static void sampled_free(struct sampled *s) {
  vec_free(&s->x.bad);
  client_free(&s->client);
  free(s);
}

/* ---- PCT by its definition ---- */

struct model {
  uint32_t n, steps[SAMPLED_THREADS], k, d;
  uint32_t point[8], priority[SAMPLED_THREADS];
  double weight, of_code[SAMPLED_CODES];
};

static uint32_t model_highest(const struct model *m, const uint32_t *left,
                              const uint32_t *priority) {
  uint32_t best = m->n;
  for (uint32_t t = 0; t < m->n; t++)
    if (left[t] && (best == m->n || priority[t] > priority[best]))
      best = t;
  return best;
}

static void model_run(struct model *m) {
  uint32_t left[SAMPLED_THREADS], priority[SAMPLED_THREADS], code = 0;
  memcpy(left, m->steps, sizeof left);
  memcpy(priority, m->priority, sizeof priority);
  for (uint32_t step = 1; step <= m->k; step++) {
    for (uint32_t i = 1; i < m->d; i++)
      if (m->point[i] == step)
        priority[model_highest(m, left, priority)] = i;
    uint32_t best = model_highest(m, left, priority);
    left[best]--;
    code = code * SAMPLED_THREADS + best + 1;
  }
  m->of_code[code % SAMPLED_CODES] += m->weight;
}

static void model_points(struct model *m, uint32_t i) {
  if (i == m->d) {
    model_run(m);
    return;
  }
  for (m->point[i] = 1; m->point[i] <= m->k; m->point[i]++)
    model_points(m, i + 1);
}

static void model_priorities(struct model *m, uint32_t t) {
  if (t == m->n) {
    model_points(m, 1);
    return;
  }
  for (uint32_t p = m->d; p < m->d + m->n; p++) {
    bool used = false;
    for (uint32_t o = 0; o < t; o++)
      used |= m->priority[o] == p;
    if (used)
      continue;
    m->priority[t] = p;
    model_priorities(m, t + 1);
  }
}

static struct model *model_new(uint32_t d, uint32_t n, const uint32_t *steps) {
  struct model *m = xcalloc(1, sizeof *m);
  m->n = n;
  m->d = d;
  m->weight = 1;
  for (uint32_t t = 0; t < n; t++) {
    m->steps[t] = steps[t];
    m->k += steps[t];
    m->weight /= t + 1;
  }
  for (uint32_t i = 1; i < d; i++)
    m->weight /= m->k;
  model_priorities(m, 0);
  return m;
}

/* Each path as often as the definition says, within five standard deviations;
 * what cannot be never is. */
__attribute__((unused)) static void sampled_compare(const struct sampled *s,
                                                    uint32_t d, uint32_t n,
                                                    const uint32_t *steps) {
  struct model *m = model_new(d, n, steps);
  double total = (double)(s->seen - s->skip), sum = 0;
  for (uint32_t c = 0; c < SAMPLED_CODES; c++) {
    double p = m->of_code[c], off = (double)s->count[c] - p * total;
    sum += p;
    if (!CHECK(off * off <= 25 * total * p * (1 - p) + 1e-6))
      fprintf(stderr, "  depth %u, path %x: %.0f of %.0f, expected %.1f\n", d,
              c, (double)s->count[c], total, p * total);
  }
  CHECK(sum > 0.999999 && sum < 1.000001);
  free(m);
}

struct sampled_case {
  const char *client;
  uint32_t n, steps[SAMPLED_THREADS];
};
static const struct sampled_case sampled_cases[] = {
    {"{s2()} || {s3()}", 2, {2, 3}},
    {"{s2(); s1()} || {s1(); s0()}", 2, {3, 2}},
    {"{s2()} || {s2()} || {s1()}", 3, {2, 2, 1}},
    {"{s3()} || {s1()} || {s3()}", 3, {3, 1, 3}},
};

#endif
