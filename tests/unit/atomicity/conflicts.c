/*
 * The conflict relation for executions and the two for traces, clause by clause
 * (sections 4.1 and 5 of the paper, see atomicity/tso.h).
 *
 * An execution is written as a text: "w0x" is a write of thread 0 to x, "r" a
 * read, "c" the commit of its thread's oldest write that waits, "f0" a fence,
 * "m0x" a read-modify-write.
 */
#include "atomicity/tso.h"
#include "oracle/orient.h"
#include "test.h"

#include <string.h>

struct run {
  struct txn_event e[20];
  uint32_t n;
};

static struct run run_of(const char *text) {
  struct run r = {.n = 0};
  for (; *text; text += *text == ' ') {
    struct txn_event *e = &r.e[r.n];
    uint32_t t = (uint32_t)(text[1] - '0');
    *e = (struct txn_event){.kind = (uint8_t)(*text == 'w'   ? TXN_WRITE
                                              : *text == 'r' ? TXN_READ
                                              : *text == 'm' ? TXN_RMW
                                              : *text == 'f' ? TXN_FENCE
                                                             : TXN_COMMIT),
                            .thread = t,
                            .txn = r.n};
    if (e->kind == TXN_COMMIT) {
      bool done[20] = {false};
      for (uint32_t i = 0; i < r.n; i++)
        if (r.e[i].kind == TXN_COMMIT)
          done[r.e[i].issue] = true;
      while (done[e->issue] || r.e[e->issue].kind != TXN_WRITE ||
             r.e[e->issue].thread != t)
        e->issue++;
      e->object = r.e[e->issue].object;
      e->txn = r.e[e->issue].txn;
    } else if (e->kind != TXN_FENCE) {
      e->object = (uint32_t)(text[2] - 'x');
    }
    r.n++;
    text += strcspn(text, " ");
  }
  return r;
}

static bool conflict(const char *text, uint32_t i, uint32_t j) {
  struct run r = run_of(text);
  return tso_conflict(r.e, r.n, i, j);
}

static char relation(const char *text, uint32_t i, uint32_t j) {
  struct run r = run_of(text);
  bool buffered[20];
  tso_buffered(r.e, r.n, buffered);
  return "-du"[tso_trace_relation(r.e, buffered, i, j)];
}

/* ---- executions ---- */

/* (1): commits and reads of one variable, not two reads; issues never. */
TEST(of_different_threads_commits_and_reads) {
  CHECK(conflict("w0x c0 r1x", 1, 2));
  CHECK(conflict("r1x w0x c0", 0, 2));
  CHECK(conflict("w0x w1x c0 c1", 2, 3));
  CHECK(!conflict("r0x r1x", 0, 1));
  CHECK(!conflict("w0x c0 r1y", 1, 2));
  CHECK(!conflict("w0x r1x c0", 0, 1));
  CHECK(!conflict("w0x w1x c0 c1", 0, 1));
  CHECK(!conflict("w0x w1x c0 c1", 1, 2));
  CHECK(!conflict("f0 f1", 0, 1));
}

/* (i): a read from the buffer, and a commit of another thread between the issue
 * and the commit of the write that is read; in either order. */
TEST(exception_i_read_and_commit_in_parallel) {
  CHECK(!conflict("w0x r0x w1x c1 c0", 1, 3));
  CHECK(!conflict("w0x w1x c1 r0x c0", 2, 3));
  /* Not between: before the issue, behind the commit. */
  CHECK(conflict("w1x c1 w0x r0x c0", 1, 3));
  CHECK(conflict("w0x r0x c0 w1x c1", 1, 4));
  /* Not from the buffer: the write is committed before the read. */
  CHECK(conflict("w0x c0 w1x c1 r0x", 3, 4));
  CHECK(conflict("w0x c0 r0x w1x c1", 2, 4));
  /* Of two writes the newest counts. */
  CHECK(conflict("w0x w1x c1 w0x r0x c0 c0", 2, 4));
  CHECK(!conflict("w0x w0x w1x c1 r0x c0 c0", 3, 4));
  /* The newest is still in the buffer though the oldest is not. */
  CHECK(!conflict("w0x w0x c0 w1x c1 r0x c0", 4, 5));
  /* A write to another variable is no source. */
  CHECK(conflict("w0y w1x c1 r0x c0", 2, 3));
  /* Never committed in what was recorded: it is still in the buffer. */
  CHECK(!conflict("w0x w1x c1 r0x", 2, 3));
}

/* (2): all events of a thread. */
TEST(of_one_thread) {
  CHECK(conflict("r0x r0y", 0, 1));
  CHECK(conflict("r0x w0y", 0, 1));
  CHECK(conflict("w0x w0y", 0, 1));
  CHECK(conflict("w0x r0x", 0, 1));
  CHECK(conflict("w0x w0y c0 c0", 2, 3));
  CHECK(conflict("w0x c0 f0", 0, 2));
  CHECK(conflict("w0x c0 f0", 1, 2));
  CHECK(conflict("f0 r0x", 0, 1));
  CHECK(conflict("f0 w0x c0", 0, 2));
}

/* (ii): a commit and accesses of its thread, but for its own issue. */
TEST(exception_ii_commits_and_the_thread_itself) {
  CHECK(conflict("w0x c0", 0, 1));
  CHECK(!conflict("w0x w0y c0 c0", 1, 2));
  CHECK(!conflict("w0x w0y c0 c0", 0, 3));
  CHECK(!conflict("w0x r0x c0", 1, 2));
  CHECK(!conflict("r0y w0x c0", 0, 2));
  CHECK(!conflict("w0x c0 r0x", 1, 2));
  CHECK(!conflict("w0x c0 w0x c0", 1, 2));
}

/* (iii): a write and a later read of another variable; a buffered read and a
 * later read of another variable. */
TEST(exception_iii_program_order) {
  CHECK(!conflict("w0x r0y", 0, 1));
  CHECK(conflict("w0x r0x", 0, 1));
  CHECK(conflict("r0y w0x", 0, 1));
  CHECK(!conflict("w0x r0x r0y", 1, 2));
  CHECK(conflict("w0x r0x r0x", 1, 2));
  CHECK(conflict("w0x r0x w0y", 1, 2));
  CHECK(conflict("r0x r0y", 0, 1));
  /* The second read may be buffered: that does not matter. */
  CHECK(conflict("w0y r0x r0y", 1, 2));
}

/* Buffered is what may be read from the buffer: also when the write was
 * committed before; a fence ends it. */
TEST(buffered_reads) {
  CHECK(!conflict("w0x c0 r0x r0y", 2, 3));
  CHECK(conflict("w0x c0 f0 r0x r0y", 3, 4));
  CHECK(conflict("w0y c0 r0x r0z", 2, 3));
  CHECK(conflict("w1x c1 r0x r0y", 2, 3));
}

/* A read-modify-write is at once in memory, and a fence. */
TEST(read_modify_writes) {
  CHECK(conflict("m0x r1x", 0, 1));
  CHECK(conflict("m0x m1x", 0, 1));
  CHECK(!conflict("m0x r1y", 0, 1));
  CHECK(conflict("m0x r0y", 0, 1));
  CHECK(conflict("w0x c0 m0x r0x r0y", 3, 4)); /* not buffered */
}

/* ---- traces ---- */

TEST(directed_in_one_thread) {
  CHECK_INT(relation("r0x w0y", 0, 1), 'd');
  CHECK_INT(relation("w0x r0x", 0, 1), 'd');
  CHECK_INT(relation("w0x r0y", 0, 1), '-');
  CHECK_INT(relation("w0x r0x r0y", 1, 2), '-');
  CHECK_INT(relation("r0x r0y", 0, 1), 'd');
  CHECK_INT(relation("w0x f0", 0, 1), 'd');
}

TEST(of_different_threads_by_a_fence_or_a_read_from_memory) {
  CHECK_INT(relation("w0x w1x", 0, 1), 'u');
  CHECK_INT(relation("w0x r1x", 0, 1), 'u');
  CHECK_INT(relation("w0x f0 w1x", 0, 2), 'd');
  CHECK_INT(relation("w0x f0 r1x", 0, 2), 'd');
  CHECK_INT(relation("w0x f1 w1x", 0, 2), 'u'); /* of the wrong thread */
  CHECK_INT(relation("w0x w1x f0", 0, 1), 'u'); /* not between them */
  CHECK_INT(relation("r0x w1x", 0, 1), 'd');
  CHECK_INT(relation("w0x r0x w1x", 1, 2), 'u'); /* buffered */
  CHECK_INT(relation("w0x r0x f0 w1x", 1, 3), 'd');
  CHECK_INT(relation("w0x f0 r0x w1x", 2, 3), 'd'); /* not buffered */
  CHECK_INT(relation("r0x r1x", 0, 1), '-');
  CHECK_INT(relation("w0x w1y", 0, 1), '-');
}

TEST_MAIN
