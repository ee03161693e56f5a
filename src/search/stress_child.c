/*
 * The process that runs user code on real threads.
 *
 * Its threads are made once and wait for rounds: spinning at first, then
 * yielding the processor, then asleep.  All three are needed: on two
 * processors, two threads that spin would keep the main thread from preparing
 * the round that they wait for.
 */
#include "harness/parts.h"
#include "rt/cage.h"
#include "rt/machine.h"
#include "rt/native.h"
#include "search/stress_int.h"

#include "base/rng.h"
#include "base/slow.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  SPINS = 200, /* before giving the processor away */
  YIELDS = 20, /* before sleeping */
  MEET = 1000, /* spins at the start line before giving way */
  KEYS_SEEN = 64,
  PAGE = 4096,
  LEAKY = 4096, /* rounds of a process: bounds the memory that code leaks */
};

void stress_futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t ms,
                       bool shared) {
  struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
  syscall(SYS_futex, word, shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, value,
          ms ? &t : NULL, NULL, 0);
}

void stress_futex_wake(_Atomic uint32_t *word, bool shared) {
  syscall(SYS_futex, word, shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, INT_MAX,
          NULL, NULL, 0);
}

/* A number that one thread sets and others wait for. */
struct round_gate {
  _Alignas(64) _Atomic uint32_t value;
  _Atomic uint32_t sleepers;
};

static void gate_wait(struct round_gate *g, uint32_t value) {
  uint32_t seen;
  for (uint32_t n = 0; (seen = atomic_load(&g->value)) != value; n++)
    if (n < SPINS) {
      machine_pause();
    } else if (n < SPINS + YIELDS) {
      sched_yield();
    } else {
      /* Paired with the load in gate_set: either it sees us, or the kernel
       * sees its value and we do not sleep. */
      atomic_fetch_add(&g->sleepers, 1);
      stress_futex_wait(&g->value, seen, 0, false);
      atomic_fetch_sub(&g->sleepers, 1);
    }
}

static void gate_set(struct round_gate *g, uint32_t value) {
  atomic_store(&g->value, value);
  if (atomic_load(&g->sleepers))
    stress_futex_wake(&g->value, false);
}

struct stress_thread { /* a thread */
  struct stress_pool *pool;
  uint32_t number;
  struct stamper stamper;
  bool stale;                  /* its own data cannot be copied back (R1) */
  const void *keys[KEYS_SEEN]; /* pthread_getspecific of these at first */
  pthread_t handle;
};

struct stress_pool {
  struct stress *s;
  uint32_t n;
  struct round_gate start, finish;
  _Alignas(64) _Atomic uint32_t arrived;
  _Alignas(64) _Atomic uint32_t left;
  /* of the round */
  void *object;
  uint32_t slot;
  uint64_t number;
  struct stress_thread member[THREADS_MAX];
};

/* ---- calls ---- */

static uint64_t own_name(uint64_t address) {
  return value_address(address).bits;
}

static long long invoke_parts(const struct stress *s, const struct fl_op *op,
                              void *object, const struct call *c, char *text) {
  struct parts_call p = {.suite = s->suite,
                         .op = op,
                         .function = op->function,
                         .takes_object = s->suite->create && !s->suite->global,
                         .object = object,
                         .args = c->args,
                         .name = own_name};
  return parts_call(&p, text);
}

/*
 * Arguments that the function does not have are passed all the same: the
 * machine's calling convention leaves them unread in registers and, the last
 * one, on the caller's stack.
 */
static long long invoke(const struct stress *s, const struct fl_op *op,
                        void *object, const struct call *c, char *text) {
  typedef long long word;
  const int64_t *i = c->args;
  word a[FL_MAX_ARGS] = {i[0], i[1], i[2], i[3], i[4], i[5]};
  if (op->invoke)
    return op->invoke(object, a);
  if (parts_any(op))
    return invoke_parts(s, op, object, c, text);
  void (*f)(void) = op->function;
  if (s->suite->create && !s->suite->global)
    return ((word(*)(void *, word, word, word, word, word, word))f)(
        object, a[0], a[1], a[2], a[3], a[4], a[5]);
  return ((word(*)(word, word, word, word, word, word))f)(a[0], a[1], a[2],
                                                          a[3], a[4], a[5]);
}

/* Texts are copied before the return is stamped: as if by the operation. */
static int64_t keep_text(struct stress *s, uint32_t thread, const char *text) {
  if (!text)
    return 0;
  uint64_t *used = &s->shared->thread[thread].text_used;
  size_t size = strlen(text) + 1;
  if (size > TEXT_SIZE - *used) {
    s->shared->trouble = TROUBLE_TEXT;
    cage_exit(0);
  }
  memcpy(texts_of(s, thread) + *used, text, size);
  *used += size;
  return (int64_t)(*used - size + 1);
}

static inline void make_call(struct stress_thread *m, uint32_t id,
                             struct stress_record *rec) {
  struct stress_pool *p = m->pool;
  struct stress *s = p->s;
  const struct call *c = &s->client->calls[id];
  const struct fl_op *op = s->ops[c->op];
  volatile uint64_t *steps = &s->shared->thread[m->number].steps;
  ++*steps;
  rec->call = stamp_call(&m->stamper); /* L2, T1 */
  char text[PARTS_TEXT];
  long long raw = invoke(s, op, p->object, c, text);
  rec->raw = op->type == FL_TYPE_STRING
                 ? keep_text(s, m->number, (const char *)(uintptr_t)raw)
                 : raw;
  uint64_t ret = stamp_return(&m->stamper);
  rec->ret = ret; /* L2 */
  ++*steps;
  stamp_pass(&m->stamper, ret);
  if (m->stamper.moved) { /* T3 */
    m->stamper.moved = 0;
    s->shared->moved = 1;
  }
}

/* ---- pauses ---- */

/*
 * Short operations of two threads meet at a few offsets only, and with more
 * threads than processors each thread runs alone until the kernel's next tick.
 * So rounds differ in when threads begin, in how long they pause between calls
 * and in whether they yield.  Every fourth round has no pauses.
 */
struct pauses {
  struct rng rng;
  uint32_t longest; /* in spins, a power of two; 0: none */
  uint32_t yields;  /* one call in so many; 0: never */
};

static void pauses_begin(struct pauses *w, const struct stress_thread *m) {
  struct stress *s = m->pool->s;
  struct rng round = {s->seed ^ m->pool->number * 0x9e3779b97f4a7c15u};
  uint64_t style = rng_next(&round);
  *w = (struct pauses){{rng_next(&round) + m->number}, 0, 0};
  if (s->options.steady)
    return;
  if (style & 3)
    w->longest = 1u << (style >> 8 & 7);
  if ((style & 3) == 3 || m->pool->n > s->stamps.ncpus)
    w->yields = 1u << (style >> 16 & 7);
}

static void spin(uint64_t n) {
  while (n--)
    machine_pause();
}

static void pauses_make(struct pauses *w) {
  if (!w->longest && !w->yields)
    return;
  uint64_t r = rng_next(&w->rng);
  if (w->yields && !(r >> 32 & (w->yields - 1)))
    sched_yield();
  if (w->longest && r >> 63)
    spin(r & (w->longest - 1));
}

/* ---- threads ---- */

static void *tls_now(const struct stress *s) {
  void *block = NULL;
  if (s->tls_size && dlinfo(s->handle, RTLD_DI_TLS_DATA, &block))
    block = NULL;
  return block;
}

/* Copies the thread's own variables back; m->stale when that is not enough. */
static void reset_own(struct stress_thread *m, const uint8_t *tls) {
  const struct stress *s = m->pool->s;
  void *block = tls_now(s);
  if (block && memcmp(block, tls, s->tls_size))
    memcpy(block, tls, s->tls_size);
  for (unsigned k = 0; k < KEYS_SEEN; k++)
    m->stale |= pthread_getspecific(k) != m->keys[k];
}

static void begin_member(struct stress_thread *m) {
  for (unsigned k = 0; k < KEYS_SEEN; k++)
    m->keys[k] = pthread_getspecific(k);
}

static void run_thread(struct stress_thread *m) {
  struct stress_pool *p = m->pool;
  struct stress *s = p->s;
  const struct fl_suite *suite = s->suite;
  uint32_t first = s->layout.first[m->number];
  uint32_t count = s->layout.count[m->number];
  struct stress_record *rec = record_of(s, p->slot, m->number, 0);
  memset(rec, 0, count * sizeof *rec); /* into this processor's cache */
  struct pauses w;
  pauses_begin(&w, m);
  void *data = suite->thread_enter ? suite->thread_enter(p->object) : NULL;
  rt_native_thread(data);
  atomic_fetch_add(&p->arrived, 1);
  for (uint32_t n = 0; atomic_load(&p->arrived) != p->n; n++)
    if (n < MEET && p->n <= s->stamps.ncpus)
      machine_pause();
    else
      sched_yield();
  if (w.longest)
    spin(rng_below(&w.rng, 4 * w.longest));
  for (uint32_t i = 0; i < count; i++) {
    make_call(m, first + i, &rec[i]);
    pauses_make(&w);
  }
  if (suite->thread_leave)
    suite->thread_leave(p->object, data);
  reset_own(m, s->tls_fresh);
}

static void *thread_main(void *arg) {
  struct stress_thread *m = arg;
  struct stress_pool *p = m->pool;
  struct stress *s = p->s;
  m->stamper = (struct stamper){
      .counter = s->stamps.clock == STAMP_COUNTER ? &s->shared->counter : NULL,
      .margin = s->stamps.margin,
      .cpu = s->stamps.cpu[(m->number - 1) % s->stamps.ncpus],
  };
  begin_member(m);
  stamps_bind(&s->stamps, m->number - 1); /* (T3) tells when it failed */
  for (uint32_t round = 1;; round++) {
    gate_wait(&p->start, round);
    run_thread(m);
    if (atomic_fetch_sub(&p->left, 1) == 1)
      gate_set(&p->finish, round);
  }
  return NULL;
}

static void main_call(struct stress_thread *m, uint32_t id) {
  make_call(m, id, record_at(m->pool->s, m->pool->slot, id));
}

/* Whether the invariant held. */
static bool run_round(struct stress_pool *p, uint32_t round) {
  struct stress_thread *m = &p->member[0];
  const struct client *c = p->s->client;
  const struct fl_suite *suite = p->s->suite;
  p->object = suite->create ? suite->create() : NULL;
  void *data = suite->thread_enter ? suite->thread_enter(p->object) : NULL;
  rt_native_thread(data);
  for (uint32_t i = 0; i < c->ninit; i++)
    main_call(m, i);
  if (p->n) {
    atomic_store(&p->arrived, 0);
    atomic_store(&p->left, p->n);
    gate_set(&p->start, round);
    gate_wait(&p->finish, round);
  }
  for (uint32_t i = client_first_final(c); i < c->ncalls; i++)
    main_call(m, i);
  if (suite->thread_leave)
    suite->thread_leave(p->object, data);
  bool holds = !suite->invariant || suite->invariant(p->object);
  if (suite->destroy)
    suite->destroy(p->object);
  return holds;
}

/* A folder has a link from each of the folders in it: one for a thread. */
static bool has_own_threads(const struct stress_pool *p) {
  struct stat st;
  return stat("/proc/self/task", &st) || st.st_nlink != 2 + p->n + 1;
}

static bool is_as_loaded(const struct stress *s) {
  for (uint32_t i = 0; i < s->data.len; i++)
    if (memcmp(s->data.at[i].at, s->data.at[i].copy, s->data.at[i].size))
      return false;
  return true;
}

/* Copies everything back as it was after loading (R1); false: that is not
 * enough, the next round needs a fresh process. */
static bool reset(struct stress_pool *p, uint32_t *restores) {
  const struct stress *s = p->s;
  bool stale = !s->restorable, changed = false;
  reset_own(&p->member[0], s->tls_main);
  for (uint32_t t = 0; t <= p->n; t++)
    stale |= p->member[t].stale;
  for (uint32_t i = 0; i < s->data.len && !stale; i++) {
    const struct data_segment *g = &s->data.at[i];
    for (size_t at = 0; at < g->size; at += PAGE) {
      size_t n = g->size - at < PAGE ? g->size - at : PAGE;
      if (!memcmp(g->at + at, g->copy + at, n))
        continue;
      if (!changed && has_own_threads(p))
        return false;
      changed = true;
      memcpy(g->at + at, g->copy + at, n);
    }
  }
  *restores += changed;
  check_slow(stale || is_as_loaded(s)); /* R1 */
  return !stale && *restores < RESTORES_MAX;
}

static bool texts_left(const struct stress *s) {
  for (uint32_t t = 0; t < THREADS_MAX; t++)
    if (s->shared->thread[t].text_used > TEXT_ENOUGH)
      return false;
  return true;
}

/* Several threads may take several times the time of one. */
static void take_more_time(void) {
  struct rlimit cpu;
  if (!getrlimit(RLIMIT_CPU, &cpu)) {
    cpu.rlim_cur = cpu.rlim_max;
    cage_call(SYS_prlimit64, 0, RLIMIT_CPU, (long)&cpu, 0, 0);
  }
}

/* Signals and standard output as user code expects them. */
static void settle(const struct stress *s) {
  take_more_time();
  cage_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != s->owner)
    cage_exit(0);
  for (int i = 1; i < NSIG; i++)
    if (i != SIGSYS) /* the cage's */
      cage_default_signal(i);
  signal(SIGINT, SIG_IGN); /* from the terminal: the caller decides */
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int null = s->options.show_output ? -1 : open("/dev/null", O_WRONLY);
  if (null >= 0)
    dup2(null, STDOUT_FILENO);
}

static void start_pool(struct stress_pool *p, struct stress *s) {
  p->s = s;
  p->n = s->client->nthreads;
  for (uint32_t t = 0; t <= p->n; t++) {
    struct stress_thread *m = &p->member[t];
    m->pool = p;
    m->number = t;
    if (t && pthread_create(&m->handle, NULL, thread_main, m))
      die("cannot start %u threads", p->n);
  }
  /* Real time orders the main thread's calls and all others without a clock:
   * it makes its own while there are no others. */
  static _Atomic uint64_t own;
  p->member[0].stamper.counter = &own;
  begin_member(&p->member[0]);
}

_Noreturn void stress_child(struct stress *s) {
  static struct stress_pool pool;
  struct stress_shared *h = s->shared;
  uint32_t restores = 0;
  settle(s);
  /* Brings its pages into our page table, before a thread waits for one. */
  for (size_t at = 0; at < s->layout.texts_at && !s->short_lived; at += PAGE)
    (void)((volatile uint8_t *)h)[at];
  start_pool(&pool, s);
  for (uint32_t round = 1;; round++) {
    pool.slot = h->done;
    pool.number = h->first + h->done;
    struct round_end *end = round_end_of(s, pool.slot);
    h->moved = 0;
    end->invariant = run_round(&pool, round);
    end->moved = (uint8_t)h->moved;
    bool last = round >= LEAKY || !reset(&pool, &restores);
    h->done++;
    if (h->done < h->wanted && !last && !h->stop && texts_left(s))
      continue;
    atomic_store(&h->state, last ? BATCH_ENDED : BATCH_FULL);
    stress_futex_wake(&h->state, true);
    if (last)
      cage_exit(0);
    while (atomic_load(&h->state) == BATCH_FULL)
      stress_futex_wait(&h->state, BATCH_FULL, 0, true);
  }
}
