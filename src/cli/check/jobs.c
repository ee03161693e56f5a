/*
 * This process reads histories; child processes, forked with a batch of them in
 * memory, check them.  Results come back through pipes and are passed on in the
 * order of the histories.  If all histories fit one batch, it is divided among
 * the children at the end.  A small batch is checked here, and so is a single
 * history, which may be divided by key (history/exact/partition_jobs.c).
 */
#include "cli/check/int.h"
#include "proc/phase.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH_LOGS = 64, BATCH_OPS = 200000, SMALL_OPS = 500 };

struct queued {
  struct log log;
  bool several;
};

struct child {
  pid_t pid;
  int fd; /* -1: at its end */
  uint32_t nlogs;
  struct buf bytes;
};

struct check_jobs {
  const struct check_settings *s;
  check_sink *sink;
  void *ctx;
  struct check_type type;
  VEC(struct queued) batch;
  uint64_t batch_ops;
  VEC(struct child) children; /* the oldest first */
};

struct check_jobs *check_jobs_start(const struct check_settings *s,
                                    check_sink *sink, void *ctx) {
  struct check_jobs *j = xcalloc(1, sizeof *j);
  j->s = s;
  j->sink = sink;
  j->ctx = ctx;
  return j;
}

static void run_here(struct check_jobs *j, struct log *l, bool several) {
  struct check_result r;
  check_one(j->s, l, several, &j->type, &r);
  j->sink(j->ctx, &r);
  check_result_free(&r);
}

/* ---- results as bytes ---- */

static void put_buf(struct buf *out, const struct buf *b) {
  size_t len = b->len;
  buf_put(out, &len, sizeof len);
  buf_put(out, buf_text(b), len);
}

static bool get(const struct buf *from, size_t *at, void *to, size_t n) {
  if (from->len - *at < n)
    return false;
  memcpy(to, from->at + *at, n);
  *at += n;
  return true;
}

static bool get_buf(const struct buf *from, size_t *at, struct buf *b) {
  size_t len;
  *b = (struct buf){0};
  if (!get(from, at, &len, sizeof len) || from->len - *at < len)
    return false;
  buf_put(b, from->at + *at, len);
  *at += len;
  return true;
}

static void pack(const struct check_result *r, struct buf *out) {
  buf_put(out, r, offsetof(struct check_result, text));
  put_buf(out, &r->text);
  put_buf(out, &r->json);
  put_buf(out, &r->html);
  put_buf(out, &r->order);
}

static bool unpack(const struct buf *from, size_t *at, struct check_result *r) {
  *r = (struct check_result){0};
  return get(from, at, r, offsetof(struct check_result, text)) &&
         get_buf(from, at, &r->text) && get_buf(from, at, &r->json) &&
         get_buf(from, at, &r->html) && get_buf(from, at, &r->order);
}

/* ---- processes ---- */

static void write_all(int fd, const struct buf *b) {
  for (size_t at = 0; at < b->len;) {
    ssize_t n = write(fd, b->at + at, b->len - at);
    if (n <= 0)
      _exit(2);
    at += (size_t)n;
  }
}

static _Noreturn void run_child(struct check_jobs *j, uint32_t n, int fd) {
  struct check_settings alone = *j->s;
  phase_silence();
  check_guard(j->s); /* timers are not inherited */
  alone.jobs = 1;
  for (uint32_t i = 0; i < n; i++) {
    struct check_result r;
    struct buf b = {0};
    check_one(&alone, &j->batch.at[i].log, j->batch.at[i].several, &j->type,
              &r);
    pack(&r, &b);
    write_all(fd, &b);
    buf_free(&b);
    check_result_free(&r);
  }
  _exit(0);
}

/* Passes on the results of a child; a missing result is an error. */
static void pass_results(struct check_jobs *j, struct child *c) {
  size_t at = 0;
  int status = 0;
  waitpid(c->pid, &status, 0);
  for (uint32_t i = 0; i < c->nlogs; i++) {
    struct check_result r;
    if (!unpack(&c->bytes, &at, &r)) {
      check_result_free(&r);
      r = (struct check_result){.error = ERR_SYSTEM};
      buf_printf(&r.text, "a process that checked histories died (%s %d)",
                 WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    bool error = r.error;
    j->sink(j->ctx, &r);
    check_result_free(&r);
    if (error)
      break;
  }
  buf_free(&c->bytes);
}

static void drain(struct child *c) {
  char chunk[65536];
  ssize_t n = read(c->fd, chunk, sizeof chunk);
  if (n > 0) {
    buf_put(&c->bytes, chunk, (size_t)n);
  } else {
    close(c->fd);
    c->fd = -1;
  }
}

static uint32_t busy(const struct check_jobs *j) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < j->children.len; i++)
    n += j->children.at[i].fd >= 0;
  return n;
}

/* Waits until fewer than `most` children work, and passes on results. */
static void wait_for(struct check_jobs *j, uint32_t most) {
  while (busy(j) >= most && busy(j)) {
    struct pollfd *fds = xcalloc(j->children.len, sizeof *fds);
    for (uint32_t i = 0; i < j->children.len; i++)
      fds[i] = (struct pollfd){.fd = j->children.at[i].fd, .events = POLLIN};
    if (poll(fds, j->children.len, -1) > 0)
      for (uint32_t i = 0; i < j->children.len; i++)
        if (fds[i].revents)
          drain(&j->children.at[i]);
    free(fds);
  }
  while (j->children.len && j->children.at[0].fd < 0) {
    struct child first = j->children.at[0];
    j->children.len--;
    memmove(j->children.at, j->children.at + 1,
            j->children.len * sizeof *j->children.at);
    pass_results(j, &first);
  }
}

static void clear_batch(struct check_jobs *j, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    j->batch_ops -= j->batch.at[i].log.ops.len;
    log_free(&j->batch.at[i].log);
  }
  j->batch.len -= n;
  if (j->batch.len)
    memmove(j->batch.at, j->batch.at + n, j->batch.len * sizeof *j->batch.at);
}

/* Starts a child with the first `n` histories of the batch. */
static void send(struct check_jobs *j, uint32_t n) {
  assert(n && n <= j->batch.len);
  int fds[2];
  wait_for(j, (uint32_t)j->s->jobs);
  if (pipe(fds))
    die("cannot make a pipe to a process");
  pid_t pid = fork();
  if (pid < 0)
    die("cannot start a process");
  if (!pid) {
    close(fds[0]);
    run_child(j, n, fds[1]);
  }
  close(fds[1]);
  vec_push(&j->children,
           ((struct child){.pid = pid, .fd = fds[0], .nlogs = n}));
  clear_batch(j, n);
}

/* Divides the batch among as many children as there are jobs. */
static void divide_batch(struct check_jobs *j) {
  for (uint32_t left = (uint32_t)j->s->jobs; j->batch.len; left--)
    send(j, left > 1 ? (j->batch.len + left - 1) / left : j->batch.len);
}

void check_jobs_add(struct check_jobs *j, struct log *l, bool several) {
  if (j->s->jobs <= 1) {
    run_here(j, l, several);
    log_free(l);
    return;
  }
  if (j->batch.len &&
      (j->batch.len == BATCH_LOGS || j->batch_ops + l->ops.len > BATCH_OPS))
    send(j, j->batch.len);
  vec_push(&j->batch, ((struct queued){*l, several}));
  j->batch_ops += l->ops.len;
}

void check_jobs_finish(struct check_jobs *j) {
  bool shared = j->batch.len > 1 && j->batch_ops >= SMALL_OPS;
  if (j->batch.len && (j->children.len || (shared && j->s->jobs > 1)))
    divide_batch(j);
  wait_for(j, 1);
  for (uint32_t i = 0; i < j->batch.len; i++)
    run_here(j, &j->batch.at[i].log, j->batch.at[i].several);
  clear_batch(j, j->batch.len);
  vec_free(&j->batch);
  vec_free(&j->children);
  check_type_free(&j->type);
  free(j);
}
