/*
 * The newest frame, from one writer to one reader, neither of which ever waits:
 * the writer has a buffer, the reader has one, and they exchange theirs for the
 * third, which has a bit that says whether it is news.
 *
 * Wrong: two buffers are enough, are they not?  The writer fills the one that
 * is not shown and flips.  A reader that is slower than one frame reads a
 * buffer while the next but one frame is written into it.
 *
 * RUN: %s
 * VERDICT: pass
 * RUN: %s --memory-model=tso
 * VERDICT: pass
 * RUN: %s -- -DWRONG
 * FAULT: not-linearizable
 * BLAME: read
 */
#include <faultline.h>
#include <stdatomic.h>

enum { FRESH = 4 };

struct frame {
  int left, right; /* equal in every frame */
};

static struct frame frames[3];

#ifdef WRONG
static atomic_int shown;

static void publish(int picture) {
  int hidden = 1 - atomic_load(&shown);
  frames[hidden].left = picture;
  frames[hidden].right = picture;
  atomic_store(&shown, hidden);
}

static int newest(void) {
  struct frame *f = &frames[atomic_load(&shown)];
  return f->left * 10 + f->right; /* read */
}
#else
static int writers = 0, readers = 1; /* each belongs to its side */
static atomic_int between = 2;

static void publish(int picture) {
  frames[writers].left = picture;
  frames[writers].right = picture;
  writers = atomic_exchange(&between, writers | FRESH) & ~FRESH;
}

static int newest(void) {
  if (atomic_load(&between) & FRESH)
    readers = atomic_exchange(&between, readers) & ~FRESH;
  struct frame *f = &frames[readers];
  return f->left * 10 + f->right;
}
#endif

FL_OBJECT(video)
FL_OP(void, publish, FL_DATA(1, 3), FL_GROUP("writer"))
FL_OP(int, newest, FL_GROUP("reader"))
