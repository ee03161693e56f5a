/*
 * Checks parts of a history by several processes.  They inherit the history by
 * fork and send their answers through pipes.  Parts that are not linearizable
 * or not decided are left to the process that asked: which of them counts, and
 * how far the others must be checked, depends on the parts before.  So are
 * parts of a worker that ended early.
 */
#include "history/exact/partition_int.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEAST_OPS = 100000 }; /* with fewer, a fork costs more than it saves */

/* What a worker sends about a part; its order follows. */
struct part_message {
  uint32_t part, norder;
  const char *method; /* static text: the same address in both processes */
  uint64_t steps, bytes;
};

struct part_worker {
  pid_t pid;
  int fd;
};

/* ---- shares ---- */

/* Gives each part, in order, to the worker with the fewest operations so far.
 */
static void share_out(const struct part_job *j, uint32_t workers,
                      uint16_t *of) {
  uint64_t *load = xcalloc(workers, sizeof *load);
  for (uint32_t k = 0; k < j->s->parts.len; k++) {
    const struct key_part *part = &j->s->parts.at[k];
    uint32_t least = 0;
    for (uint32_t w = 1; w < workers; w++)
      if (load[w] < load[least])
        least = w;
    load[least] += part->end - part->begin;
    of[k] = (uint16_t)least;
  }
  free(load);
}

/* ---- the workers ---- */

static bool write_all(int fd, const void *from, size_t n) {
  for (const char *at = from; n;) {
    ssize_t wrote = write(fd, at, n);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      return false;
    at += wrote;
    n -= (size_t)wrote;
  }
  return true;
}

static void tell(struct buf *b, uint32_t k, const struct log_answer *a) {
  struct part_message t = {.part = k,
                           .norder = a->order.len,
                           .method = a->method,
                           .steps = a->steps,
                           .bytes = a->bytes};
  buf_put(b, &t, sizeof t);
  buf_put(b, a->order.at, a->order.len * sizeof *a->order.at);
}

/* Checks the parts of worker `me` in order, as one process would. */
static void work(const struct part_job *from, const uint16_t *of, uint32_t me,
                 struct buf *out) {
  struct part_job j = *from;
  struct log_answer whole = {.at = UINT32_MAX};
  for (uint32_t k = 0; k < j.s->parts.len; k++) {
    struct log_answer a = {0};
    if (of[k] != me)
      continue;
    part_check(&j, &whole, k, &a);
    if (a.verdict == LOG_LINEARIZABLE)
      tell(out, k, &a);
    part_combine(&j, &whole, k, &a);
    log_answer_free(&a);
  }
  log_answer_free(&whole);
  vec_free(&j.orders);
}

static bool start(const struct part_job *j, const uint16_t *of, uint32_t me,
                  struct part_worker *w) {
  int fds[2];
  if (pipe(fds))
    return false;
  w->pid = fork();
  if (!w->pid) {
    struct buf b = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    close(fds[0]);
    work(j, of, me, &b);
    _exit(write_all(fds[1], b.at, b.len) ? 0 : 1);
  }
  close(fds[1]);
  w->fd = fds[0];
  if (w->pid < 0)
    close(fds[0]);
  return w->pid > 0;
}

/* ---- answers ---- */

static void understand(const struct buf *b, const struct part_job *j,
                       struct part_done *done) {
  struct part_message t;
  for (size_t at = 0; b->len - at >= sizeof t;) {
    memcpy(&t, b->at + at, sizeof t);
    at += sizeof t;
    size_t bytes = t.norder * sizeof(uint32_t);
    if (b->len - at < bytes || t.part >= j->s->parts.len)
      return; /* the worker ended early */
    struct log_answer *a = &done[t.part].answer;
    *a = (struct log_answer){.verdict = LOG_LINEARIZABLE,
                             .method = t.method,
                             .steps = t.steps,
                             .bytes = t.bytes,
                             .at = UINT32_MAX};
    vec_reserve(&a->order, t.norder);
    if (bytes)
      memcpy(a->order.at, b->at + at, bytes);
    a->order.len = t.norder;
    at += bytes;
    done[t.part].linearizable = true;
  }
}

static void hear(const struct part_worker *w, const struct part_job *j,
                 struct part_done *done) {
  struct buf b = {0};
  char chunk[65536];
  ssize_t n;
  while ((n = read(w->fd, chunk, sizeof chunk)) > 0 ||
         (n < 0 && errno == EINTR))
    if (n > 0)
      buf_put(&b, chunk, (size_t)n);
  close(w->fd);
  while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  understand(&b, j, done);
  buf_free(&b);
}

/* Whether a monitor decides the parts: that is quicker than to send answers.
 * One part stands for all. */
static bool is_quick(const struct part_job *j) {
  struct log_answer a = {0};
  const char *why;
  if (j->o->no_monitor || j->o->want_order || j->hints)
    return false;
  struct log_problem q = part_problem(j, j->s->parts.len / 2);
  bool decided = check_monitor(&q, &a, &why);
  log_answer_free(&a);
  return decided;
}

struct part_done *parts_by_processes(const struct part_job *j) {
  uint32_t n = j->s->parts.len;
  uint32_t workers = j->o->jobs < n ? j->o->jobs : n;
  if (workers < 2 || j->p->nops < LEAST_OPS || j->o->budget.steps ||
      is_quick(j))
    return NULL;
  struct part_done *done = xcalloc(n, sizeof *done);
  uint16_t *of = xcalloc(n, sizeof *of);
  struct part_worker *all = xcalloc(workers, sizeof *all);
  struct buf own = {0};
  uint32_t started = 1; /* worker 0 is this process */
  share_out(j, workers, of);
  while (started < workers && start(j, of, started, &all[started]))
    started++;
  work(j, of, 0, &own);
  understand(&own, j, done);
  for (uint32_t w = 1; w < started; w++)
    hear(&all[w], j, done);
  buf_free(&own);
  free(all);
  free(of);
  return done;
}

void parts_done_free(struct part_done *done, uint32_t n) {
  for (uint32_t k = 0; done && k < n; k++)
    log_answer_free(&done[k].answer);
  free(done);
}
