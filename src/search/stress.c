/*
 * The caller's side of stress: loads the object, starts the process that runs
 * it, makes histories of what was logged and hands them to the judge.
 */
#include "search/stress.h"
#include "base/clock.h"
#include "base/slow.h"
#include "harness/parts.h"
#include "rt/cage.h"
#include "search/stress_int.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  BATCH_CALLS = 1 << 15, /* about so many calls in a batch */
  BATCH_MAX = 512,       /* rounds */
  LOOK_MS = 20,          /* how often we look after the child */
  /* What is less is no address of anything (vm.mmap_min_addr): a number. */
  NO_ADDRESS = 1 << 16,
};

/* ---- loading ---- */

struct inspection {
  struct stress *s;
  uint64_t base;
  const uint8_t *image; /* of thread-local variables */
  size_t image_size;
};

static void keep_segment(struct stress *s, uint64_t lo, uint64_t hi) {
  struct data_segment g = {.at = (uint8_t *)lo, .size = hi - lo};
  g.copy = xmalloc(g.size);
  memcpy(g.copy, g.at, g.size);
  vec_push(&s->data, g);
}

static int inspect(struct dl_phdr_info *info, size_t size, void *ctx) {
  (void)size;
  struct inspection *x = ctx;
  if (info->dlpi_addr != x->base)
    return 0;
  uint64_t fixed = 0; /* read-only since it was relocated: up to here */
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_GNU_RELRO)
      fixed = x->base + p->p_vaddr + p->p_memsz;
    if (p->p_type == PT_TLS) {
      x->s->tls_size = p->p_memsz;
      x->image = (const uint8_t *)(x->base + p->p_vaddr);
      x->image_size = p->p_filesz;
    }
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uint64_t lo = x->base + p->p_vaddr, hi = lo + p->p_memsz;
    if (lo < fixed && fixed < hi)
      lo = fixed;
    if (p->p_type == PT_LOAD && (p->p_flags & PF_W) && hi > fixed && lo < hi)
      keep_segment(x->s, lo, hi);
  }
  return 1;
}

static void keep_tls(struct stress *s, const struct inspection *x) {
  if (!s->tls_size)
    return;
  s->tls_fresh = xcalloc(1, s->tls_size);
  memcpy(s->tls_fresh, x->image, x->image_size);
  s->tls_main = xmalloc(s->tls_size);
  void *block = NULL;
  if (dlinfo(s->handle, RTLD_DI_TLS_DATA, &block))
    block = NULL;
  memcpy(s->tls_main, block ? block : s->tls_fresh, s->tls_size);
}

struct mapping {
  uint64_t lo, hi;
};
typedef VEC(struct mapping) mapping_list;

/* Memory that belongs to no file: heaps and stacks.  Sanitizers of our own
 * code map terabytes, which any two small numbers side by side point into. */
#define SHADOW_SIZE (1ull << 36)
static void read_mappings(mapping_list *all) {
  FILE *f = fopen("/proc/self/maps", "r");
  char line[512];
  if (!f)
    die("/proc/self/maps: %s", strerror(errno));
  while (fgets(line, sizeof line, f)) {
    unsigned long long lo, hi, inode;
    char access[8];
    if (sscanf(line, "%llx-%llx %7s %*s %*s %llu", &lo, &hi, access, &inode) ==
            4 &&
        !inode && access[1] == 'w' && hi - lo < SHADOW_SIZE)
      vec_push(all, ((struct mapping){lo, hi}));
  }
  fclose(f);
}

/* Does a word of it look like an address of such memory? */
static bool refers(const struct stress *s, const uint8_t *at, size_t size,
                   const mapping_list *all) {
  for (size_t i = 0; i + 8 <= size; i += 8) {
    uint64_t word;
    memcpy(&word, at + i, 8);
    bool own = false;
    for (uint32_t k = 0; k < s->data.len; k++)
      own |= word - (uint64_t)s->data.at[k].at <= s->data.at[k].size;
    for (uint32_t k = 0; k < all->len && !own; k++)
      if (word >= all->at[k].lo && word < all->at[k].hi)
        return true;
  }
  return false;
}

static bool is_restorable(const struct stress *s) {
  mapping_list all = {0};
  read_mappings(&all);
  bool found =
      !all.len || (s->tls_size && (refers(s, s->tls_main, s->tls_size, &all) ||
                                   refers(s, s->tls_fresh, s->tls_size, &all)));
  for (uint32_t i = 0; i < s->data.len; i++)
    found |= refers(s, s->data.at[i].at, s->data.at[i].size, &all);
  vec_free(&all);
  return !found;
}

struct stress *stress_open(const char *so, const struct stress_options *o,
                           struct error *e) {
  struct stress *s = xcalloc(1, sizeof *s);
  if (o)
    s->options = *o;
  if (!s->options.watchdog_ms)
    s->options.watchdog_ms = 10000;
  char *path = strchr(so, '/') ? xstrdup(so) : xasprintf("./%s", so);
  s->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  free(path);
  if (!s->handle) {
    error_set(e, ERR_BUILD, "%s", dlerror());
    goto fail;
  }
  parts_settle(stress_suites(s)); /* before its data are copied */
  struct link_map *map;
  struct inspection x = {.s = s};
  if (dlinfo(s->handle, RTLD_DI_LINKMAP, &map) ||
      (x.base = map->l_addr, !dl_iterate_phdr(inspect, &x))) {
    error_set(e, ERR_BUILD, "%s: cannot find its segments", so);
    goto fail;
  }
  keep_tls(s, &x);
  s->restorable = is_restorable(s);
  return s;
fail:
  free(s);
  return NULL;
}

struct fl_suite *stress_suites(const struct stress *s) {
  struct fl_suite **head = dlsym(s->handle, "fl_suites");
  return head ? *head : NULL;
}

/* ---- the shared memory ---- */

static size_t align_to(size_t n, size_t to) { return (n + to - 1) / to * to; }

static void lay_out(struct stress_layout *l, const struct client *c) {
  memset(l, 0, sizeof *l);
  for (uint32_t i = 0; i < c->ncalls; i++) {
    uint32_t t = c->calls[i].thread;
    if (!l->count[t]++)
      l->first[t] = t ? i : 0;
  }
  for (uint32_t t = 0; t <= c->nthreads; t++) {
    l->records[t] = l->slot_size;
    l->slot_size += align_to(l->count[t] * sizeof(struct stress_record), 64);
  }
  uint32_t n = BATCH_CALLS / (c->ncalls + 1);
  l->slots = n < 1 ? 1 : n > BATCH_MAX ? BATCH_MAX : n;
  l->slots_at = align_to(sizeof(struct stress_shared), 64);
  l->ends_at = l->slots_at + l->slots * l->slot_size;
  l->texts_at =
      align_to(l->ends_at + l->slots * sizeof(struct round_end), 4096);
  l->size = l->texts_at + (size_t)(c->nthreads + 1) * TEXT_SIZE;
}

static void prepare(struct stress *s, const struct fl_suite *suite,
                    const struct client *c, uint64_t seed) {
  s->suite = suite;
  s->client = c;
  s->seed = seed;
  s->nops = 0;
  for (const struct fl_op *op = suite->ops; op; op = op->next)
    s->nops++;
  s->ops = xcalloc(s->nops + 1, sizeof *s->ops);
  uint32_t n = 0;
  for (const struct fl_op *op = suite->ops; op; op = op->next)
    s->ops[n++] = op;
  for (uint32_t i = 0; i < c->ncalls; i++)
    assert(c->calls[i].op < n);
  if (s->stamped_for != c->nthreads + 1) {
    stamps_init(&s->stamps, s->options.clock, c->nthreads);
    s->stamped_for = c->nthreads + 1;
  }
  lay_out(&s->layout, c);
  s->shared = mmap(NULL, s->layout.size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (s->shared == MAP_FAILED)
    die("no memory for %zu bytes of log", s->layout.size);
  s->owner = getpid();
}

/* ---- the process below ---- */

static void begin_batch(struct stress *s, const struct stress_run *r) {
  struct stress_shared *h = s->shared;
  const struct stress_layout *l = &s->layout;
  assert(!s->child || atomic_load(&h->state) == BATCH_FULL); /* L1 */
  uint64_t left = r->max_rounds - r->rounds;
  uint32_t used = h->done; /* slots of the batch before; the others are zero */
  used = used < l->slots ? used + 1 : l->slots;
  memset((uint8_t *)h + l->slots_at, 0, used * l->slot_size);
  memset(round_end_of(s, 0), 0, used * sizeof(struct round_end));
  for (uint32_t t = 0; t < THREADS_MAX; t++)
    h->thread[t].text_used = 0;
  h->done = 0;
  h->stop = 0;
  h->first = r->rounds;
  h->wanted = !r->max_rounds || left > l->slots ? l->slots : (uint32_t)left;
  if (h->wanted && s->short_lived)
    h->wanted = 1;
  atomic_store(&h->state, BATCH_RUN);
  if (s->child) {
    stress_futex_wake(&h->state, true);
    return;
  }
  fflush(NULL);
  s->child = cage_fork();
  if (s->child < 0)
    die("cannot fork");
  if (!s->child)
    stress_child(s);
}

static void end_child(struct stress *s) {
  if (!s->child)
    return;
  cage_kill(s->child, SIGKILL);
  waitpid(s->child, NULL, 0);
  s->child = 0;
}

static uint64_t progress(const struct stress *s) {
  uint64_t sum = s->shared->done;
  for (uint32_t t = 0; t < THREADS_MAX; t++)
    sum += s->shared->thread[t].steps;
  return sum;
}

enum batch_end { BATCH_GOOD, BATCH_DIED, BATCH_HANGS };

/* Until the child has filled its batch or something is wrong with it. */
static enum batch_end await_batch(struct stress *s, struct stress_run *r,
                                  int *status) {
  struct stress_shared *h = s->shared;
  uint64_t last = progress(s);
  for (uint32_t idle_ms = 0; atomic_load(&h->state) == BATCH_RUN;) {
    stress_futex_wait(&h->state, BATCH_RUN, LOOK_MS, true);
    if (atomic_load(&h->state) != BATCH_RUN)
      break;
    if (waitpid(s->child, status, WNOHANG) == s->child) {
      s->child = 0;
      return BATCH_DIED;
    }
    if (r->deadline > 0 && clock_now() > r->deadline)
      h->stop = 1;
    idle_ms += LOOK_MS;
    uint64_t now = progress(s);
    if (now != last) {
      idle_ms = 0;
      last = now;
      if (r->heartbeat)
        ++*r->heartbeat;
    }
    if (idle_ms > s->options.watchdog_ms)
      return BATCH_HANGS;
  }
  s->short_lived = h->done == 1 && h->state == BATCH_ENDED;
  if (atomic_load(&h->state) == BATCH_ENDED) {
    waitpid(s->child, status, 0);
    s->child = 0;
  }
  return BATCH_GOOD;
}

/* ---- from the log to a history ---- */

/* The user's code may have written over the text: it is bounded here. */
static struct value text_of(const struct stress *s, uint32_t thread,
                            uint64_t at) {
  if (!at || at > TEXT_SIZE)
    return value_string(NULL);
  char *text = xstrndup(texts_of(s, thread) + at - 1, TEXT_SIZE - at + 1);
  struct value v = value_string(text);
  free(text);
  return v;
}

/* False: the result is a pointer, which means nothing in this process. */
static bool value_of(const struct stress *s, uint32_t id, int64_t raw,
                     struct value *v) {
  const struct call *c = &s->client->calls[id];
  const struct fl_op *op = s->ops[c->op];
  unsigned unused = op->size && op->size < 8 ? 64 - 8 * op->size : 0;
  uint64_t bits = (uint64_t)raw;
  *v = value_void();
  switch (op->type) {
  case FL_TYPE_VOID:
    break;
  case FL_TYPE_BOOL:
    *v = value_bool((raw & 0xff) != 0);
    break;
  case FL_TYPE_INT:
    *v = value_int((int64_t)(bits << unused) >> unused);
    break;
  case FL_TYPE_UINT:
    *v = value_uint(bits << unused >> unused);
    break;
  case FL_TYPE_POINTER:
    *v = value_address(bits);
    return bits < NO_ADDRESS;
  case FL_TYPE_STRING:
    *v = text_of(s, c->thread, bits);
    break;
  case FL_TYPE_OTHER: /* settled: not in a suite that runs */
    break;
  }
  return true;
}

/* One thread's next event in time: its record `index`, call or return. */
struct event_cursor {
  uint32_t index;
  bool returns;
};

/* UINT64_MAX: it has none. */
static uint64_t time_of(const struct stress *s, uint32_t slot, uint32_t thread,
                        const struct event_cursor *at) {
  if (at->index == s->layout.count[thread])
    return UINT64_MAX;
  const struct stress_record *rec = record_of(s, slot, thread, at->index);
  uint64_t t = at->returns ? rec->ret : rec->call;
  return t ? t + (at->returns ? s->stamps.margin : 0) : UINT64_MAX;
}

static void take_event(const struct stress *s, uint32_t thread,
                       struct event_cursor *at, uint32_t rank,
                       struct hop *ops) {
  struct hop *o = &ops[s->layout.first[thread] + at->index];
  if (at->returns) {
    o->ret = rank;
    at->index++;
  } else {
    o->call = rank;
  }
  at->returns = !at->returns;
}

static void main_event(const struct stress *s, uint32_t slot, uint32_t id,
                       uint32_t *rank, struct hop *ops) {
  const struct stress_record *rec = record_at(s, slot, id);
  if (rec->call)
    ops[id].call = ++*rank;
  if (rec->ret)
    ops[id].ret = ++*rank;
}

/*
 * Stamps become ranks: equal stamps have equal ranks, and the order stays. Each
 * thread's stamps grow, so this is a merge.  The main thread's calls come
 * before and after all others.  T1 [110, 140]  T2 [120, 140], margin 5:  T1 [1,
 * 3]  T2 [2, 3]
 */
static void rank_events(const struct stress *s, uint32_t slot,
                        struct hop *ops) {
  const struct client *c = s->client;
  struct event_cursor at[THREADS_MAX] = {0};
  uint32_t rank = 0;
  uint64_t last = 0;
  for (uint32_t i = 0; i < c->ninit; i++)
    main_event(s, slot, i, &rank, ops);
  for (;;) {
    uint64_t least = UINT64_MAX;
    uint32_t who = 0;
    for (uint32_t t = 1; t <= c->nthreads; t++) {
      uint64_t time = time_of(s, slot, t, &at[t]);
      if (time < least) {
        least = time;
        who = t;
      }
    }
    if (!who)
      break;
    rank += least > last;
    last = least;
    take_event(s, who, &at[who], rank, ops);
  }
  for (uint32_t i = client_first_final(c); i < c->ncalls; i++)
    main_event(s, slot, i, &rank, ops);
}

static int make_history(const struct stress *s, uint32_t slot,
                        struct history *h, struct error *e) {
  const struct client *c = s->client;
  h->client = c;
  h->stuck = false;
  for (uint32_t i = 0; i < c->ncalls; i++) {
    const struct stress_record *rec = record_at(s, slot, i);
    h->ops[i] = (struct hop){HISTORY_PENDING, HISTORY_PENDING, value_void()};
    if (rec->ret && !value_of(s, i, rec->raw, &h->ops[i].result))
      return error_set(e, ERR_USAGE,
                       "%s returned a pointer to memory (0x%llx): such results "
                       "cannot be compared when real threads run",
                       s->ops[c->calls[i].op]->name,
                       (unsigned long long)rec->raw);
  }
  rank_events(s, slot, h->ops);
  check_slow((history_check_invariants(h), true)); /* R2 */
  return ERR_NONE;
}

static void copy_history(struct history *to, const struct history *from) {
  size_t size = from->client->ncalls * sizeof *from->ops;
  free(to->ops);
  *to = *from;
  to->ops = xmalloc(size + 1);
  memcpy(to->ops, from->ops, size);
}

/* ---- the run ---- */

static enum judgement judge(struct stress_run *r, const struct history *h,
                            bool invariant) {
  enum judgement j = r->judge.ended(r->judge.ctx, h, invariant);
  if (j == JUDGE_BAD && !r->bad_count++)
    copy_history(&r->history, h);
  if (r->heartbeat)
    ++*r->heartbeat;
  return j;
}

/* The user's code may have written any number there. */
static uint32_t rounds_done(const struct stress *s) {
  uint32_t n = s->shared->done;
  return n < s->layout.slots ? n : s->layout.slots;
}

/* STRESS_ALL: go on. */
static enum stress_end judge_batch(struct stress *s, struct stress_run *r,
                                   struct history *h, struct error *e) {
  uint32_t n = rounds_done(s);
  for (uint32_t i = 0; i < n; i++) { /* R3 */
    const struct round_end *end = round_end_of(s, i);
    r->rounds++;
    if (end->moved) {
      r->discarded++;
      continue;
    }
    if (make_history(s, i, h, e))
      return STRESS_ERROR;
    switch (judge(r, h, end->invariant)) {
    case JUDGE_GOOD:
      break;
    case JUDGE_BAD:
      if (!r->all)
        return STRESS_BAD;
      break;
    case JUDGE_STOP:
      return STRESS_STOPPED;
    }
  }
  return STRESS_ALL;
}

static bool may_wait(const struct fl_op *op) {
  for (unsigned i = 0; i < op->nitems; i++)
    if (op->items[i].kind == FL_ITEM_BLOCKING)
      return true;
  return false;
}

/* Does the unfinished round wait in operations that may, and nowhere else? */
static bool waits_lawfully(const struct stress *s, const struct history *h) {
  bool any = false;
  for (uint32_t i = 0; i < h->client->ncalls; i++) {
    const struct hop *o = &h->ops[i];
    if (!hop_called(o) || !hop_pending(o))
      continue;
    if (!may_wait(s->ops[h->client->calls[i].op]))
      return false;
    any = true;
  }
  return any;
}

/* The round in which the child died or hangs. */
static enum stress_end judge_unfinished(struct stress *s, struct stress_run *r,
                                        struct history *h, enum batch_end how,
                                        int status, struct error *e) {
  if (s->shared->trouble == TROUBLE_TEXT) {
    error_set(e, ERR_USAGE,
              "the results of one execution are texts of more "
              "than %d bytes",
              TEXT_ENOUGH);
    return STRESS_ERROR;
  }
  uint32_t slot = rounds_done(s);
  if (make_history(s, slot < s->layout.slots ? slot : 0, h, e))
    return STRESS_ERROR;
  if (how == BATCH_HANGS && waits_lawfully(s, h)) {
    r->rounds++;
    if (s->shared->moved) {
      r->discarded++;
      return STRESS_ALL;
    }
    enum judgement j = judge(r, h, true);
    return j == JUDGE_STOP             ? STRESS_STOPPED
           : j == JUDGE_BAD && !r->all ? STRESS_BAD
                                       : STRESS_ALL;
  }
  copy_history(&r->history, h);
  if (how == BATCH_HANGS)
    return STRESS_HUNG; /* R4 */
  r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return r->signal ? STRESS_CRASHED : STRESS_EXITED;
}

enum stress_end stress_run(struct stress *s, const struct fl_suite *suite,
                           const struct client *c, struct stress_run *r,
                           struct error *e) {
  prepare(s, suite, c, r->seed);
  r->clock = s->stamps.clock;
  r->margin = s->stamps.margin;
  struct history h = {.ops = xcalloc(c->ncalls + 1, sizeof *h.ops)};
  enum stress_end end = STRESS_ALL;
  while (end == STRESS_ALL && (!r->max_rounds || r->rounds < r->max_rounds)) {
    if (r->deadline > 0 && clock_now() > r->deadline) {
      end = STRESS_TIME;
      break;
    }
    int status = 0;
    r->processes += !s->child;
    begin_batch(s, r);
    enum batch_end how = await_batch(s, r, &status);
    if (how != BATCH_GOOD)
      end_child(s);
    end = judge_batch(s, r, &h, e);
    if (end == STRESS_ALL && how != BATCH_GOOD)
      end = judge_unfinished(s, r, &h, how, status, e);
  }
  if (end == STRESS_ALL && r->bad_count)
    end = STRESS_BAD;
  end_child(s);
  munmap(s->shared, s->layout.size);
  s->shared = NULL;
  free(s->ops);
  s->ops = NULL;
  free(h.ops);
  return end;
}

void stress_run_release(struct stress_run *r) {
  free(r->history.ops);
  r->history = (struct history){0};
}
