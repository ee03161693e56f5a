#include "campaign/autopsy.h"

#include "hunt/finding.h"
#include "model/nouns.h"
#include "proc/outside.h"
#include "rt/cage.h"

#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { SECOND_HANG = 2, SECOND_MOST = 30 }; /* seconds */

struct dead_worker dead_worker_of(const struct worker *w, enum worker_end end,
                                  struct arena *a) {
  const struct live_path *l = &w->shared->path;
  const struct board *b = w->board;
  uint32_t len;
  const uint8_t *path = live_whole(l, &len);
  char *client = arena_copy(a, b->client, sizeof b->client);
  client[sizeof b->client - 1] = 0;
  return (struct dead_worker){
      .end = end,
      .status = w->status,
      .garbled = w->garbled,
      .hang = w->hang,
      .client = client,
      .path = arena_copy(a, path, len),
      .len = len,
      .only_choices = l->only_choices != 0,
      .statistics = {.executions = b->executions, .clients = b->clients}};
}

/* The schedule that was running.  Bytes that are no thread are skipped, since
 * the code may have overwritten the path. */
static void take_schedule(const struct dead_worker *c, struct schedule *out) {
  uint32_t marks = path_marks(c->path, c->len);
  for (uint32_t i = 0; i < marks; i += PATH_MARK_BYTES) {
    struct rt_mark m = path_mark(c->path + i);
    schedule_add_mark(out, m.whose, m.first, m.n);
  }
  for (uint32_t i = marks; i < c->len; i++)
    if (c->path[i] & PATH_CHOICE)
      schedule_add_choice(out, c->path[i] & (uint8_t)~PATH_CHOICE);
    else if (c->path[i] <= SCHEDULE_MAX_THREAD)
      schedule_add_step(out, c->path[i]);
  out->client = xstrdup(c->client);
}

/* ---- the recording of a second worker that died too ---- */

/* A copy of the n things at `at`; NULL: n is 0, or they are not in the room. */
static void *copy_from_room(const struct recording *from, const void *at,
                            uint32_t n, size_t size, struct arena *a) {
  size_t offset = (uintptr_t)at - (uintptr_t)from->room;
  if (!n || offset > sizeof from->room || offset % _Alignof(max_align_t) ||
      n > (sizeof from->room - offset) / size)
    return NULL;
  return arena_copy(a, from->room + offset, n * size);
}

static void clear_strings(struct trace *t) {
  for (uint32_t i = 0; i < t->nevents; i++) {
    struct event *e = &t->events[i];
    if (e->kind == EV_RETURN && e->value[1] == VALUE_STRING)
      e->value[0] = 0;
  }
}

/* Copies the recorded trace and checks the copy.  False: there is none, or the
 * code has overwritten it. */
static bool copy_recording(const struct recording *from, uint32_t ncalls,
                           struct trace *to, struct arena *a) {
  struct trace t;
  memcpy(&t, &from->trace, sizeof t); /* once: it may still change */
  *to = (struct trace){.nevents = t.nevents,
                       .nframes = t.nframes,
                       .nactivations = t.nactivations};
  to->events = copy_from_room(from, t.events, t.nevents, sizeof *t.events, a);
  to->frames = copy_from_room(from, t.frames, t.nframes, sizeof *t.frames, a);
  to->activations = copy_from_room(from, t.activations, t.nactivations,
                                   sizeof *t.activations, a);
  to->blocks = copy_from_room(from, t.blocks, t.nblocks, sizeof *t.blocks, a);
  to->nblocks = to->blocks ? t.nblocks : 0;
  if (!to->events || !to->frames || !to->activations ||
      !trace_is_sound(to, ncalls))
    return false;
  clear_strings(to);
  return true;
}

/* Makes the history of the calls and returns among the events. */
static void make_history(struct trace *t, const struct client *c,
                         struct arena *a) {
  struct hop *ops = arena_alloc(a, (c->ncalls + 1) * sizeof *ops);
  for (uint32_t i = 0; i < c->ncalls; i++)
    ops[i].call = ops[i].ret = HISTORY_PENDING;
  for (uint32_t i = 0; i < t->nevents; i++) {
    const struct event *e = &t->events[i];
    if (e->call >= c->ncalls)
      continue;
    struct hop *o = &ops[e->call];
    if (e->kind == EV_CALL)
      o->call = i;
    /* A string is an address in the dead process: leave the call pending. */
    if (e->kind == EV_RETURN && e->value[1] < VALUE_STRING) {
      o->ret = i;
      o->result = (struct value){e->value[1], e->value[0]};
    }
  }
  t->history = (struct history){.client = c, .ops = ops};
}

static void read_client(struct built *b, struct object_run *r,
                        const struct target *t, const char *text) {
  if (t->program)
    return;
  struct arena *a = &b->arena;
  const struct suite_info *u = &b->about->suites[t->suite];
  const char **names = arena_alloc(a, (u->nops + 1) * sizeof *names);
  uint8_t *nargs = arena_alloc(a, u->nops + 1);
  struct error ignored = {0};
  for (uint32_t i = 0; i < u->nops; i++) {
    names[i] = u->ops[i].name;
    nargs[i] = (uint8_t)u->ops[i].nargs;
  }
  r->result.names = (struct op_names){names, u->nops, u->ntexts, u->texts};
  struct client c = {0};
  if (!client_read(&c, text, &r->result.names, nargs, &ignored))
    finding_share_client(&r->result.finding->client, &c, a);
  client_free(&c);
}

/* Replaces the turns of a schedule that has only the steps with an alternative
 * (dfs) by all steps of the trace; the marks stay. */
static void schedule_of_trace(const struct trace *t, struct schedule *out) {
  uint32_t marks = 0;
  while (marks < out->turns.len && out->turns.at[marks].is_mark)
    marks++;
  out->turns.len = marks;
  for (uint32_t i = 0; i < t->nevents; i++)
    if (i == 0 || t->events[i].step != t->events[i - 1].step)
      schedule_add_step(out, t->events[i].thread);
}

static char *garbled_words(void) {
  return xstrdup("the answer of the process cannot be read: the code overwrote "
                 "memory or wrote to a file that is not its own");
}

static char *death_words(const struct built *b, const struct dead_worker *c,
                         enum fault *fault) {
  uint64_t pc;
  bool hangs = c->end == WORKER_HANGS;
  char *refused = hangs || c->garbled ? NULL : cage_words(c->status, &pc);
  bool late = hangs && (c->hang == HANG_LATE || c->hang == HANG_STILL);
  /* abort() of the user's code is caught: this one is of rt/own_assert.c. */
  bool damaged = !hangs && !c->garbled && WIFSIGNALED(c->status) &&
                 WTERMSIG(c->status) == SIGABRT;
  *fault = refused || late || damaged ? FAULT_UNMODELLED
           : hangs                    ? FAULT_ENDLESS
                                      : FAULT_CRASH;
  if (refused)
    return refused;
  if (hangs && c->hang == HANG_BLIND)
    return xstrdup("the code is in an endless loop, and has blocked the signal "
                   "by which such loops are found");
  if (late)
    return xstrdup("the process did not end in time");
  if (c->end == WORKER_HANGS) {
    struct buf words = {0};
    buf_puts(&words,
             "the process sleeps in a call that Faultline does not model");
    for (uint32_t i = 0; i < b->probe.unknown.len && i < 4; i++)
      buf_printf(&words, "%s%s()", i ? ", " : "; it could be ",
                 b->probe.unknown.at[i]);
    return words.at;
  }
  if (c->garbled)
    return garbled_words();
  if (damaged)
    return xstrdup("the engine's own state is damaged: the code overwrote "
                   "memory that is not its own, or this is a bug of Faultline "
                   "(--show-output prints the assertion that failed)");
  if (WIFSIGNALED(c->status))
    return xasprintf("the process died of signal %d (%s), which could not be "
                     "caught: the code overwrote memory that is not its own, "
                     "or killed the process",
                     WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
  return xasprintf("the process ended with status %d", WEXITSTATUS(c->status));
}

static void take_schedule_of(struct finding *f, const struct dead_worker *c,
                             const struct schedule *from, struct arena *a) {
  struct schedule whole = {0};
  schedule_copy(&whole, from);
  if (c->only_choices && f->trace.nevents)
    schedule_of_trace(&f->trace, &whole);
  f->schedule.turns.at =
      arena_copy(a, whole.turns.at, whole.turns.len * sizeof *whole.turns.at);
  f->schedule.turns.len = whole.turns.len;
  schedule_free(&whole);
}

/* The second worker died too: makes the finding of its recording. */
static void report_death(struct built *b, struct object_run *r,
                         const struct worker *second, const struct target *t,
                         const struct dead_worker *c,
                         const struct schedule *schedule) {
  struct arena *a = &b->arena;
  enum fault fault;
  char *words = death_words(b, c, &fault);
  object_run_plain(b, r, t);
  struct finding *f = arena_alloc(a, sizeof *f);
  f->block = UINT32_MAX;
  f->fault = fault;
  f->detail = arena_strdup(a, words);
  r->result.finding = f;
  r->result.verdict = fault_is_doubt(fault) ? VERDICT_UNKNOWN : VERDICT_ERROR;
  r->result.base = second->recording->base;
  read_client(b, r, t, schedule->client);
  if (copy_recording(second->recording, f->client.ncalls, &f->trace, a)) {
    const struct event *last = &f->trace.events[f->trace.nevents - 1];
    make_history(&f->trace, &f->client, a);
    f->pc = last->pc;
    f->thread = last->thread;
    f->chain = last->chain;
  } else {
    f->trace = (struct trace){.history.client = &f->client};
  }
  take_schedule_of(f, c, schedule, a);
  free(words);
}

/* ---- */

bool autopsy_stopped(int status) {
  return WIFSIGNALED(status) && !outside_never(WTERMSIG(status));
}

/* Did the first worker end for a reason outside the code: a signal from another
 * process, or an answer garbled on the way?  Then the second worker, with the
 * same schedule, does not end so. */
static bool is_from_outside(const struct dead_worker *c,
                            enum worker_end second) {
  return c->end == WORKER_DIED && (c->garbled || autopsy_stopped(c->status)) &&
         second != WORKER_DIED && second != WORKER_HANGS;
}

static void set_inconclusive(struct built *b, struct object_run *r,
                             const struct target *t, char *why) {
  object_run_plain(b, r, t);
  r->result.verdict = VERDICT_UNKNOWN;
  r->result.reason = arena_strdup(&b->arena, why);
  r->result.coverage.sentence =
      arena_strdup(&b->arena, "the search was not finished");
  free(why);
}

void autopsy_outside(struct built *b, struct object_run *r,
                     const struct target *t, int status) {
  set_inconclusive(b, r, t, outside_words(WTERMSIG(status)));
}

void autopsy_garbled(struct built *b, struct object_run *r,
                     const struct target *t) {
  set_inconclusive(b, r, t, garbled_words());
}

void autopsy(struct built *b, struct object_run *r, const struct target *t,
             const struct dead_worker *c) {
  struct schedule schedule = {0};
  assert(c->end == WORKER_DIED || c->end == WORKER_HANGS);
  assert(c->client && (c->path || !c->len));
  take_schedule(c, &schedule);
  struct hunt_question again = {
      .target = t, .kind = HUNT_REPLAY, .replay = {&schedule, c->only_choices}};
  struct statistics statistics = c->statistics;
  struct worker second = {.show_output = t->settings->show_output,
                          .records = true,
                          .hang_seconds = SECOND_HANG,
                          .max_seconds = SECOND_MOST};
  enum worker_end how = hunt_worker(&second, &again);
  const struct result *result =
      how == WORKER_DONE ? &hunt_answer(&second)->result : NULL;
  if (result && result->finding && result->finding->fault != FAULT_NONE) {
    worker_release(&r->worker); /* the second worker has the finding */
    r->worker = second;
    r->result = *result;
    r->report = &hunt_answer(&second)->report;
  } else {
    if (!is_from_outside(c, how))
      report_death(b, r, &second, t, c, &schedule);
    else if (c->garbled)
      autopsy_garbled(b, r, t);
    else
      autopsy_outside(b, r, t, c->status);
    worker_release(&second);
  }
  r->result.statistics.executions = statistics.executions;
  r->result.statistics.clients = statistics.clients;
  r->result.coverage.sentence =
      arena_strdup(&b->arena, "the search ended with the process that ran it");
  schedule_free(&schedule);
}
