#include "cli/autopsy.h"

#include "cli/finding.h"
#include "cli/outside.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { SECOND_HANG = 2 };

struct corpse corpse_of(const struct worker *w, enum worker_end end) {
  const struct live_path *l = &w->shared->path;
  uint32_t len;
  const uint8_t *path = live_whole(l, &len);
  return (struct corpse){.end = end,
                         .status = w->status,
                         .client = w->board->client,
                         .path = path,
                         .len = len,
                         .only_choices = l->only_choices,
                         .statistics = {.executions = w->board->executions,
                                        .clients = w->board->clients}};
}

/* The schedule that was running, as far as it can be believed. */
static void take_schedule(const struct corpse *c, struct schedule *out) {
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

static bool sound_event(const struct trace *t, const struct event *e) {
  return e->kind < EV_COUNT && e->thread < RT_MAX_THREADS &&
         e->chain < t->nframes && e->activation < t->nactivations;
}

static bool sound_block(const struct trace *t, const struct block *b) {
  bool alloc = b->alloc_event == UINT32_MAX || b->alloc_event < t->nevents;
  bool free = b->free_event == UINT32_MAX || b->free_event < t->nevents;
  return alloc && free && b->alloc_chain < t->nframes &&
         b->free_chain < t->nframes;
}

/* False when memory was overwritten: then nothing of it can be believed. */
static bool is_sound(const struct trace *t) {
  for (uint32_t i = 1; i < t->nframes; i++)
    if (t->frames[i].parent >= i)
      return false;
  for (uint32_t i = 1; i < t->nactivations; i++)
    if (t->activations[i].parent >= i)
      return false;
  for (uint32_t i = 0; i < t->nevents; i++)
    if (!sound_event(t, &t->events[i]))
      return false;
  for (uint32_t i = 0; i < t->nblocks; i++)
    if (!sound_block(t, &t->blocks[i]))
      return false;
  return t->nevents > 0 && t->nframes > 0;
}

/* For worker_run: arg is the dead worker's memory, which may be in ruins. */
static int salvage(void *arg, struct shared *s) {
  struct trace from = ((struct shared *)arg)->trace;
  struct trace *to = arena_alloc(&s->arena, sizeof *to);
  from.history = (struct history){0}; /* is made at the end of a recording */
  from.nnotes = 0;
  if (!from.events || !from.frames || !from.activations ||
      !trace_copy(to, &from, &s->arena) || !is_sound(to))
    return ERR_INPUT;
  s->other = to;
  return ERR_NONE;
}

/* Calls and results, from the events. */
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
    /* A text's address is not to be believed. */
    if (e->kind == EV_RETURN && e->value[1] < VALUE_STRING) {
      o->ret = i;
      o->result = (struct value){e->value[1], e->value[0]};
    }
  }
  t->history = (struct history){.client = c, .ops = ops};
}

static void read_client(const struct session *s, struct run *r,
                        const struct hunt_order *order, const char *text) {
  if (order->program)
    return;
  struct arena *a = &r->worker.shared->arena;
  const struct suite_info *u = &s->about->suites[order->suite];
  const char **names = arena_alloc(a, (u->nops + 1) * sizeof *names);
  uint8_t *nargs = arena_alloc(a, u->nops + 1);
  struct error ignored = {0};
  for (uint32_t i = 0; i < u->nops; i++) {
    names[i] = u->ops[i].name;
    nargs[i] = (uint8_t)u->ops[i].nargs;
  }
  r->result.names = (struct op_names){names, u->nops};
  struct client c = {0};
  if (!client_read(&c, text, &r->result.names, nargs, &ignored))
    finding_share_client(&r->result.finding->client, &c, a);
  client_free(&c);
}

/* A schedule of dfs has only the steps with an alternative: take them all. */
static void schedule_of_trace(const struct trace *t, struct schedule *out) {
  uint32_t marks = 0;
  while (marks < out->turns.len && out->turns.at[marks].is_mark)
    marks++;
  out->turns.len = marks;
  for (uint32_t i = 0; i < t->nevents; i++)
    if (i == 0 || t->events[i].step != t->events[i - 1].step)
      schedule_add_step(out, t->events[i].thread);
}

static char *death_words(const struct session *s, const struct corpse *c) {
  if (c->end == WORKER_HANGS) {
    struct buf b = {0};
    buf_puts(&b, "the process sleeps in a call that Faultline does not model");
    for (uint32_t i = 0; i < s->probe.unknown.len && i < 4; i++)
      buf_printf(&b, "%s%s()", i ? ", " : "; it could be ",
                 s->probe.unknown.at[i]);
    return b.at;
  }
  if (WIFSIGNALED(c->status))
    return xasprintf("the process died of signal %d (%s), which could not be "
                     "caught: the code overwrote memory that is not its own, "
                     "or killed the process",
                     WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
  return xasprintf("the process ended with status %d", WEXITSTATUS(c->status));
}

/* The second try died too: what it had recorded until then is the story. */
static void tell_death(struct session *s, struct run *r, struct worker *second,
                       const struct hunt_order *order, const struct corpse *c,
                       const struct schedule *schedule) {
  char *words = death_words(s, c);
  session_plain_result(s, r, order);
  struct worker third = {0};
  enum worker_end how = worker_run(&third, salvage, second->shared);
  struct trace *t = how == WORKER_DONE ? third.shared->other : NULL;
  uint64_t base = second->shared->result.base;
  if (!t) {
    worker_release(&third);
    worker_map(&third);
  }
  worker_release(&r->worker);
  r->worker = third;
  struct arena *a = &third.shared->arena;
  struct finding *f = arena_alloc(a, sizeof *f);
  f->block = UINT32_MAX;
  f->fault = c->end == WORKER_HANGS ? FAULT_ENDLESS : FAULT_CRASH;
  f->detail = arena_strdup(a, words);
  r->result.finding = f;
  r->result.verdict = VERDICT_ERROR;
  r->result.base = base;
  read_client(s, r, order, schedule->client);
  if (t) {
    f->trace = *t;
    make_history(&f->trace, &f->client, a);
    f->pc = t->events[t->nevents - 1].pc;
    f->thread = t->events[t->nevents - 1].thread;
    f->chain = t->events[t->nevents - 1].chain;
  } else {
    f->trace.history.client = &f->client;
  }
  struct schedule whole = {0};
  schedule_copy(&whole, schedule);
  if (c->only_choices && t)
    schedule_of_trace(t, &whole);
  f->schedule.turns.at =
      arena_copy(a, whole.turns.at, whole.turns.len * sizeof *whole.turns.at);
  f->schedule.turns.len = whole.turns.len;
  schedule_free(&whole);
  free(words);
}

/* ---- */

bool autopsy_stopped(int status) {
  return WIFSIGNALED(status) && !outside_never(WTERMSIG(status));
}

/* Somebody else has sent the signal: with the same schedule it does not come
 * again, as it would if the code had raised it. */
static bool from_outside(const struct corpse *c, enum worker_end second) {
  return c->end == WORKER_DIED && autopsy_stopped(c->status) &&
         second != WORKER_DIED && second != WORKER_HANGS;
}

void autopsy_outside(struct session *s, struct run *r,
                     const struct hunt_order *order, int status) {
  char *why = outside_words(WTERMSIG(status));
  session_plain_result(s, r, order);
  r->result.verdict = VERDICT_UNKNOWN;
  r->result.reason = arena_strdup(&s->arena, why);
  r->result.coverage.sentence =
      arena_strdup(&s->arena, "the search was not finished");
  free(why);
}

void autopsy(struct session *s, struct run *r, const struct hunt_order *order,
             const struct corpse *c) {
  struct schedule schedule = {0};
  take_schedule(c, &schedule);
  struct hunt_order again = *order;
  again.replay_only = true;
  again.want_outcomes = false;
  again.saved = &schedule;
  again.nsaved = 1;
  again.only_choices = c->only_choices;
  struct statistics statistics = c->statistics;
  struct worker second = {.show_output = s->settings->show_output,
                          .hang_seconds = SECOND_HANG};
  enum worker_end how = worker_run(&second, hunt_run, &again);
  if (how == WORKER_DONE && second.shared->result.finding &&
      second.shared->result.finding->fault != FAULT_NONE) { /* caught now */
    worker_release(&r->worker);
    r->worker = second;
    r->result = second.shared->result;
    r->report = second.shared->other;
  } else {
    if (from_outside(c, how))
      autopsy_outside(s, r, order, c->status);
    else
      tell_death(s, r, &second, order, c, &schedule);
    worker_release(&second);
  }
  r->result.statistics.executions = statistics.executions;
  r->result.statistics.clients = statistics.clients;
  r->result.coverage.sentence =
      arena_strdup(&s->arena, "the search ended with the process that ran it");
  schedule_free(&schedule);
}
