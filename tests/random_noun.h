/*
 * Nouns by chance, made of their tables (base/pack.h): small numbers, short
 * texts, few of everything.  Indices are mostly 0, so that many are sound; what
 * has to fit together is put right by `mend`.
 */
#ifndef RANDOM_NOUN_H
#define RANDOM_NOUN_H

#include "base/pack.h"
#include "base/rng.h"
#include "test.h"

#include <stdlib.h>

struct random_nouns {
  struct rng rng;
  struct arena arena;
  void (*mend)(struct random_nouns *r, const struct noun *n, void *noun);
};

static void random_noun(struct random_nouns *r, const struct noun *n,
                        void *noun);

static char *random_text(struct random_nouns *r) {
  static const char *const texts[] = {"",    "a",         "push",
                                      "x.c", "two words", "\xc3\xa4\t\n"};
  return arena_strdup(&r->arena, texts[rng_below(&r->rng, 6)]);
}

static uint64_t random_number(struct random_nouns *r, const struct field *f) {
  uint64_t most = f->bound ? f->bound : 5;
  bool some = f->bound == 2 || !rng_below(&r->rng, 5);
  return some ? rng_below(&r->rng, most) : 0;
}

static void *random_several(struct random_nouns *r, const struct noun *of,
                            uint32_t n) {
  char *at = arena_alloc(&r->arena, ((size_t)n + 1) * of->size);
  for (uint32_t i = 0; i < n; i++)
    random_noun(r, of, at + (size_t)i * of->size);
  return at;
}

static void random_field(struct random_nouns *r, const struct field *f,
                         void *noun) {
  char *at = (char *)noun + f->at;
  void *p = NULL;
  uint64_t number = random_number(r, f);
  double real = (double)rng_below(&r->rng, 1000) / 8;
  uint32_t count = (uint32_t)rng_below(&r->rng, 4);
  switch (f->kind) {
  case FIELD_NUMBER:
    memcpy(at, &number, f->size);
    return;
  case FIELD_REAL:
    memcpy(at, &real, sizeof real);
    return;
  case FIELD_NOUN:
    random_noun(r, f->of, at);
    return;
  case FIELD_TEXT:
    p = rng_below(&r->rng, 3) ? random_text(r) : NULL;
    break;
  case FIELD_NAME:
    p = random_text(r);
    break;
  case FIELD_ONE:
    p = rng_below(&r->rng, 2) ? random_several(r, f->of, 1) : NULL;
    break;
  case FIELD_MANY:
    if (f->count)
      count = f->count(noun);
    else
      memcpy((char *)noun + f->count_at, &count, sizeof count);
    p = random_several(r, f->of, count);
    break;
  }
  memcpy(at, &p, sizeof p);
}

static void random_noun(struct random_nouns *r, const struct noun *n,
                        void *noun) {
  for (uint32_t i = 0; i < n->nfields; i++)
    random_field(r, &n->fields[i], noun);
  if (r->mend)
    r->mend(r, n, noun);
}

/* Unpacks in memory that is no more than it may be: more would be a crash. */
static void *unpack_bounded(const struct noun *n, const struct buf *bytes,
                            struct arena *a, char **memory) {
  size_t most = (bytes->len + 1) * NOUN_GROWTH + (1 << 14);
  *memory = xmalloc(most);
  arena_init_fixed(a, *memory, most);
  return noun_unpack(n, bytes->at, bytes->len, a);
}

/* Do these bytes make one that is packed as the same bytes? */
static bool repacks(const struct noun *n, const struct buf *bytes) {
  struct arena a;
  char *memory;
  struct buf again = {0};
  void *noun = unpack_bounded(n, bytes, &a, &memory);
  if (noun) {
    noun_pack(n, noun, &again);
    CHECK_INT((long long)again.len, (long long)bytes->len);
    CHECK(again.len == bytes->len &&
          !memcmp(buf_text(&again), buf_text(bytes), again.len)); /* B1 */
  }
  buf_free(&again);
  free(memory);
  return noun;
}

/* Every length that is too short, every byte changed; how many were refused. */
static uint32_t damage(const struct noun *n, const struct buf *bytes) {
  static const uint8_t change[] = {0x01, 0x80, 0xff};
  struct buf b = {0};
  uint32_t refused = 0;
  buf_put(&b, bytes->at, bytes->len);
  for (size_t i = 0; i < bytes->len; i++)
    for (int k = 0; k < 3; k++) {
      b.at[i] = (char)(bytes->at[i] ^ change[k]);
      refused += !repacks(n, &b);
      b.at[i] = bytes->at[i];
    }
  while (b.len--)
    CHECK(!repacks(n, &b));
  b.len = 0;
  buf_free(&b);
  return refused;
}

/* Round trips of some, and damage to the first that are sound. */
static void try_noun(struct random_nouns *r, const struct noun *n,
                     uint32_t rounds) {
  uint32_t sound = 0, damaged = 0, refused = 0;
  for (uint32_t i = 0; i < rounds; i++) {
    struct buf b = {0};
    void *noun = arena_alloc(&r->arena, n->size);
    random_noun(r, n, noun);
    noun_pack(n, noun, &b);
    bool ok = repacks(n, &b);
    sound += ok;
    if (ok && b.len < 20000 && damaged++ < 3)
      refused += damage(n, &b);
    arena_reset(&r->arena);
    buf_free(&b);
  }
  CHECK(sound >= rounds / 10);
  CHECK(refused > 0);
}

#endif
