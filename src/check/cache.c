/* Answers by digest of the history. */
#include "check/check.h"

#include "base/map128.h"

struct check_cache {
  struct map128 answers; /* digest to answer + 1 */
  struct check check;
  uint64_t budget; /* the largest under which an answer was UNKNOWN */
};

struct check_cache *check_cache_new(void) {
  return xcalloc(1, sizeof(struct check_cache));
}

/* What the digest does not know of: the question. */
static struct hash128 key(const struct history *h, enum criterion criterion) {
  struct hash128 k = history_digest(h);
  k.hi ^= (uint64_t)criterion + 1;
  k.hi ^= h->stuck ? 0x9e3779b97f4a7c15u : 0;
  return k;
}

enum check_answer check_cached(struct check_cache *c, const struct history *h,
                               struct spec *s, enum criterion criterion,
                               uint64_t budget) {
  bool fresh;
  uint32_t *slot = map128_put(&c->answers, key(h, criterion), &fresh);
  /* A larger budget may find what a smaller one did not. */
  bool again = *slot == CHECK_UNKNOWN + 1 && c->budget &&
               (budget == 0 || budget > c->budget);
  if (!fresh && !again)
    return (enum check_answer)(*slot - 1);
  check_linearize(h, s, criterion, budget, &c->check);
  if (c->check.answer == CHECK_UNKNOWN && budget > c->budget)
    c->budget = budget;
  *slot = (uint32_t)c->check.answer + 1;
  return c->check.answer;
}

void check_cache_clear(struct check_cache *c) {
  map128_clear(&c->answers);
  c->budget = 0;
}

uint64_t check_cache_distinct(const struct check_cache *c) {
  return c->answers.len;
}

void check_cache_free(struct check_cache *c) {
  if (!c)
    return;
  map128_free(&c->answers);
  check_free(&c->check);
  free(c);
}
