/*
 * A readers-writer lock in one word: a bit for the writer, and the number of
 * readers above it; with the pair that it protects.
 *
 * Wrong: a reader looks for the writer's bit and then counts itself.  A writer
 * that comes in between sees no reader, and both are inside.  Of the lines that
 * could be made atomic, those of the pair come first, since that forbids least;
 * those of read_lock() are further down the list.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: enter
 */
#include <faultline.h>
#include <stdatomic.h>

enum { WRITER = 1, READER = 2 };

static atomic_uint word;
static int left, right; /* always equal outside of the lock */

static void read_lock(void) {
#ifdef WRONG
  while (atomic_load(&word) & WRITER) /* enter */
    ;
  atomic_fetch_add(&word, READER);
#else
  unsigned w;
  do {
    while ((w = atomic_load(&word)) & WRITER)
      ;
  } while (!atomic_compare_exchange_weak(&word, &w, w + READER));
#endif
}

static void read_unlock(void) { atomic_fetch_sub(&word, READER); }

static void write_lock(void) {
  unsigned nobody;
  do
    nobody = 0;
  while (!atomic_compare_exchange_weak(&word, &nobody, WRITER));
}

static void write_unlock(void) { atomic_fetch_sub(&word, WRITER); }

static void set(int value) {
  write_lock();
  left = value;
  right = value;
  write_unlock();
}

static int get(void) {
  read_lock();
  int pair = left * 10 + right;
  read_unlock();
  return pair;
}

FL_OBJECT(pair)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, get)
