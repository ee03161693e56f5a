/*
 * A fuzz target is one file: `fuzz_one(text)` reads a text as the tool would
 * and aborts when what it sees cannot be.  Built by ctest it replays
 * corpus/<name>/ and mutations of these texts; built with clang and
 * -DFL_FUZZ=ON the same file is a libFuzzer program:
 *
 *   cmake --preset clang -DFL_FUZZ=ON -DFL_SANITIZE=fuzzer-no-link,address
 *   build/clang/fuzz_client tests/fuzz/corpus/client
 *
 * A text that made trouble joins the corpus.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* The text ends with a 0 that is not part of it. */
static void fuzz_one(const char *text, size_t len);

#define FUZZ_CHECK(X)                                                          \
  do {                                                                         \
    if (!(X))                                                                  \
      die("%s:%d: not true: %s", __FILE__, __LINE__, #X);                      \
  } while (0)

#ifdef FL_FUZZ

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  struct buf b = {0};
  buf_put(&b, data, len);
  fuzz_one(buf_text(&b), len);
  buf_free(&b);
  return 0;
}

#else

#include "base/rng.h"
#include "test.h"

#include <glob.h>
#include <stdlib.h>

enum { FUZZ_MUTATIONS = 2000, FUZZ_LEAST_TEXTS = 8 };

static void fuzz_mutate(struct buf *to, const struct buf *from,
                        struct rng *rng) {
  buf_clear(to);
  for (size_t i = 0; i < from->len; i++)
    switch (rng_below(rng, 40)) {
    case 0: /* left out */
      break;
    case 1: /* twice */
      buf_putc(to, from->at[i]);
      buf_putc(to, from->at[i]);
      break;
    case 2: /* something else */
      buf_putc(to, (char)rng_below(rng, 256));
      break;
    case 3: /* what stands elsewhere */
      buf_putc(to, from->at[rng_below(rng, from->len)]);
      break;
    default:
      buf_putc(to, from->at[i]);
    }
}

/* Seeds are fixed: mutation k of a file is the same everywhere. */
static void fuzz_replay(const char *name) {
  const char *root = getenv("SOURCE_DIR");
  if (!CHECK(root))
    return;
  char *pattern = xasprintf("%s/tests/fuzz/corpus/%s/*", root, name);
  glob_t files = {0};
  CHECK_INT(glob(pattern, 0, NULL, &files), 0);
  CHECK(files.gl_pathc >= FUZZ_LEAST_TEXTS);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    struct buf text = {0}, changed = {0};
    struct error e = {0};
    struct rng rng = {i};
    if (!CHECK_INT(buf_read_file(&text, files.gl_pathv[i], &e), 0))
      break;
    fuzz_one(buf_text(&text), text.len);
    for (int k = 0; k < FUZZ_MUTATIONS; k++) {
      fuzz_mutate(&changed, &text, &rng);
      fuzz_one(buf_text(&changed), changed.len);
    }
    buf_free(&text);
    buf_free(&changed);
  }
  globfree(&files);
  free(pattern);
}

TEST(the_corpus_and_what_is_near_it_do_no_harm) { fuzz_replay(FUZZ_NAME); }

TEST_MAIN

#endif
#endif
