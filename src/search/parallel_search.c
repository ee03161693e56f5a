/*
 * The memory that members of a parallel search share.  There are no locks: a
 * member that is killed holds nothing that another could wait for without
 * looking at `stop`.
 *
 * An idle member sets its bit in `asking` and sleeps on its box.  A member that
 * has work takes the bit away (so that one alone answers), writes into the box
 * and wakes its owner.  `busy` counts members that have work; it is increased
 * for the taker before the box is opened, so that it is 0 only when all is
 * done.
 */
#include "search/parallel_search.h"

#include "base/err.h"
#include "search/explore.h"
#include "search/visited.h"

#include <assert.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum box_state { BOX_EMPTY, BOX_FULL };

struct box {
  _Alignas(64) _Atomic uint32_t state;
  struct parallel_written written;
  struct parallel_work work;
};

/* In the shared memory: the user's code may write anything there, so nothing
 * here is asserted, and numbers are bounded where they are read. */
struct parallel_shared {
  uint32_t members;              /* of this search */
  _Alignas(64) _Atomic int stop; /* explore_end + 1; 0: it goes on */
  _Atomic uint32_t over;         /* no member has work any more */
  _Atomic uint32_t differs;      /* N4 */
  _Alignas(64) _Atomic uint64_t asking;
  _Atomic uint32_t busy, inside;
  _Alignas(64) _Atomic uint64_t sum[PARALLEL_SUMS];
};

/* Where that is: each process has its own copy, from before the fork. */
struct parallel_search {
  size_t span;
  uint32_t most;      /* members that there is room for */
  uint64_t log_words; /* of each */
  struct visited visited;
  struct box *boxes;
  uint64_t *logs;
  struct parallel_shared *s;
};

enum {
  PAGE = 4096,
  WAIT_NS = 10 * 1000 * 1000, /* then the heartbeat is due */
  NAP_NS = 200 * 1000,
};
#define LOG_BYTES (16ull << 30) /* when no memory budget says less */

static size_t whole_pages(size_t n) { return (n + PAGE - 1) / PAGE * PAGE; }

struct parallel_search *parallel_map(uint32_t members, uint64_t max_states,
                                     uint64_t max_memory) {
  assert(members);
  if (members > PARALLEL_MOST)
    members = PARALLEL_MOST;
  size_t head = whole_pages(sizeof(struct parallel_shared));
  size_t boxes = whole_pages(members * sizeof(struct box));
  size_t log = whole_pages(max_memory ? max_memory : LOG_BYTES);
  size_t table = visited_span(max_states);
  size_t span = head + boxes + table + members * log;
  char *p = mmap(NULL, span, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  struct parallel_search *g = xcalloc(1, sizeof *g);
  g->s = (struct parallel_shared *)p;
  g->span = span;
  g->most = members;
  g->log_words = log / sizeof(uint64_t);
  g->boxes = (struct box *)(p + head);
  visited_at(&g->visited, p + head + boxes, max_states);
  g->logs = (uint64_t *)(p + head + boxes + table);
  parallel_reset(g, members);
  return g;
}

void parallel_unmap(struct parallel_search *g) {
  if (g)
    munmap(g->s, g->span);
  free(g);
}

void parallel_reset(struct parallel_search *g, uint32_t members) {
  g->s->members = members < g->most ? members : g->most;
  g->s->differs = false;
  g->s->over = false;
  g->s->inside = 0;
  g->s->asking = 0;
  g->s->busy = 1; /* member 0 begins at the root, whenever it comes */
  for (int i = 0; i < PARALLEL_SUMS; i++)
    g->s->sum[i] = 0;
  for (uint32_t i = 0; i < g->most; i++) {
    g->boxes[i].state = BOX_EMPTY;
    g->boxes[i].written = (struct parallel_written){0};
  }
  visited_clear(&g->visited);
  madvise(g->logs, g->most * g->log_words * sizeof *g->logs, MADV_REMOVE);
  g->s->stop = 0;
}

static void futex_wait(_Atomic uint32_t *at, uint32_t value, long ns) {
  struct timespec t = {0, ns};
  syscall(SYS_futex, at, FUTEX_WAIT, value, &t, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *at) {
  syscall(SYS_futex, at, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void wake_all(struct parallel_search *g) {
  for (uint32_t i = 0; i < g->most; i++)
    futex_wake(&g->boxes[i].state);
}

void parallel_stop(struct parallel_search *g, int end) {
  int none = 0;
  if (atomic_compare_exchange_strong(&g->s->stop, &none, end + 1))
    wake_all(g);
}

int parallel_stopped(const struct parallel_search *g) {
  return atomic_load_explicit(&g->s->stop, memory_order_relaxed) - 1;
}

void parallel_abort(struct parallel_search *g) {
  g->s->stop = EXPLORE_STOPPED + 1; /* N3: whatever it was before */
  wake_all(g);
}

uint64_t parallel_add(struct parallel_search *g, enum parallel_sum what,
                      int64_t n) {
  return atomic_fetch_add(&g->s->sum[what], (uint64_t)n) + (uint64_t)n;
}

struct visited parallel_visited(const struct parallel_search *g) {
  return g->visited;
}

uint64_t *parallel_log(struct parallel_search *g, uint32_t member,
                       uint64_t *most) {
  assert(member < g->most);
  *most = g->log_words;
  return g->logs + member * g->log_words;
}

struct parallel_written *parallel_written(struct parallel_search *g,
                                          uint32_t member) {
  assert(member < g->most);
  return &g->boxes[member].written;
}

void parallel_enter(struct parallel_search *g) { g->s->inside++; }
void parallel_leave(struct parallel_search *g) { g->s->inside--; }
uint32_t parallel_members(const struct parallel_search *g) {
  uint32_t n = g->s->members;
  return n < g->most ? n : g->most;
}
bool parallel_alone(const struct parallel_search *g) {
  return g->s->inside == 1;
}

struct parallel_work *parallel_asked(struct parallel_search *g, uint32_t *who) {
  uint64_t asking = atomic_load_explicit(&g->s->asking, memory_order_relaxed);
  if (!asking)
    return NULL;
  *who = (uint32_t)__builtin_ctzll(asking);
  if (*who >= g->most)
    return NULL;
  if (!(atomic_fetch_and(&g->s->asking, ~(1ull << *who)) >> *who & 1))
    return NULL; /* another member was faster */
  return &g->boxes[*who].work;
}

void parallel_give(struct parallel_search *g, uint32_t who) {
  g->s->busy++;
  g->boxes[who].state = BOX_FULL;
  futex_wake(&g->boxes[who].state);
}

void parallel_keep(struct parallel_search *g, uint32_t who) {
  atomic_fetch_or(&g->s->asking, 1ull << who);
}

void parallel_ask(struct parallel_search *g, uint32_t member, bool had_work) {
  assert(member < g->most);
  g->boxes[member].state = BOX_EMPTY;
  atomic_fetch_or(&g->s->asking, 1ull << member);
  if (had_work && --g->s->busy == 0) {
    g->s->over = true;
    wake_all(g);
  }
}

enum parallel_wait parallel_wait(struct parallel_search *g, uint32_t member,
                                 const struct parallel_work **work) {
  struct box *box = &g->boxes[member];
  if (box->state == BOX_EMPTY && !g->s->over && parallel_stopped(g) < 0)
    futex_wait(&box->state, BOX_EMPTY, WAIT_NS);
  if (g->s->over || parallel_stopped(g) >= 0)
    return PARALLEL_OVER;
  if (box->state == BOX_EMPTY)
    return PARALLEL_AGAIN;
  *work = &box->work;
  return PARALLEL_WORK;
}

void parallel_nap(void) {
  struct timespec t = {0, NAP_NS};
  nanosleep(&t, NULL);
}

void parallel_differ(struct parallel_search *g) {
  g->s->differs = true;
  parallel_stop(g, EXPLORE_STOPPED);
}

bool parallel_differs(const struct parallel_search *g) { return g->s->differs; }
