#include "campaign/coverage.h"

#include "base/clock.h"
#include "base/text.h"

#include <assert.h>

static void put_clients(struct buf *b, uint64_t n) {
  put_number(b, n);
  buf_puts(b, n == 1 ? " client" : " clients");
}

static void put_preemptions(const struct settings *set, struct buf *b) {
  if (set->bound_preemptions)
    buf_printf(b, " with at most %llu preemption%s",
               (unsigned long long)set->preemptions,
               set->preemptions == 1 ? "" : "s");
}

/* ---- all clients ---- */

static void say_all(const struct totals *t, const struct settings *set,
                    struct buf *b) {
  buf_puts(b, "all interleavings of all ");
  put_clients(b, t->swept);
  buf_printf(b,
             " of up to %u threads with up to %u calls each, after up to %u "
             "initial calls",
             (unsigned)set->threads, (unsigned)set->ops, (unsigned)set->init);
  put_preemptions(set, b);
}

static void say_some(const struct totals *t, const struct settings *set,
                     struct buf *b) {
  buf_puts(b, set->no_real_time ? "all orders of conflicting accesses, "
                                  "whatever the order of calls and returns, of "
                                : "all interleavings of ");
  put_clients(b, t->exhaustive + t->beyond);
  put_preemptions(set, b);
  if (t->full_calls)
    buf_printf(b,
               ", among them every client of up to %u concurrent calls after "
               "up to %u initial ones",
               t->full_calls, (unsigned)set->init);
}

static void say_sampled(const struct totals *t, const struct settings *set,
                        struct buf *b) {
  int search = set->search;
  bool more = t->exhaustive + t->beyond;
  if (search_is_exhaustive(search)) {
    put_number(b, t->sampled);
    buf_printf(b, "%s client%s sampled at random", more ? " more" : "",
               t->sampled == 1 ? "" : "s");
  } else {
    buf_printf(b, "%s interleavings of ", search_words[search]);
    put_clients(b, t->sampled);
  }
  put_preemptions(set, b);
}

static void say_found(const struct totals *t, struct buf *b) {
  buf_puts(b, "found in client ");
  put_number(b, t->statistics.clients);
  if (t->minimizing) {
    buf_puts(b, "; ");
    put_number(b, t->minimizing);
    buf_puts(b, " of the executions looked for a smaller one");
  }
}

/* What passed; nothing is written if nothing did. */
static void say_passed(const struct totals *t, const struct settings *set,
                       bool exhaustive, struct buf *b) {
  if (t->sequences) {
    put_number(b, t->sequences);
    buf_printf(b, " sequence%s of calls by one thread",
               t->sequences == 1 ? "" : "s");
  }
  if (b->len && t->exhaustive + t->beyond)
    buf_puts(b, "; ");
  if (exhaustive && t->swept)
    say_all(t, set, b);
  else if (t->exhaustive + t->beyond)
    say_some(t, set, b);
  if (t->sampled) {
    buf_puts(b, b->len ? "; " : "");
    say_sampled(t, set, b);
  }
}

void coverage_of_clients(const struct totals *t, const struct settings *set,
                         double deadline, struct coverage *c) {
  assert(t->exhaustive <= t->swept);
  struct buf all = {0}, passed = {0};
  c->exhaustive_clients = t->exhaustive + t->beyond;
  c->sampled_clients = t->sampled;
  c->threads = (uint32_t)set->threads;
  c->ops = (uint32_t)set->ops;
  c->init = (uint32_t)set->init;
  bool complete = t->all && t->exhaustive == t->swept && !set->no_real_time;
  /* A bound on preemptions leaves out executions. */
  c->exhaustive = complete && !set->bound_preemptions;
  uint64_t saved = t->statistics.replays;
  if (saved)
    buf_printf(&all, "%llu saved schedule%s; ", (unsigned long long)saved,
               saved == 1 ? " passes" : "s pass");
  say_passed(t, set, complete, &passed);
  if (!t->exhaustive && !t->beyond && !t->sampled && !t->found)
    buf_printf(&passed, "%sno concurrent client was tried",
               passed.len ? "; " : "");
  if (t->found) {
    say_found(t, &all);
    buf_puts(&all, passed.len ? "; no fault before it in " : "");
  }
  buf_puts(&all, buf_text(&passed));
  if (t->apart)
    buf_printf(&all, "; %s", t->apart);
  c->sentence = xstrdup(buf_text(&all));
  buf_free(&all);
  buf_free(&passed);
  bool timed = set->time > 0;
  const char *limit = NULL;
  if (timed && clock_now() >= deadline)
    limit = "--time";
  else if (set->max_executions &&
           statistics_runs(&t->statistics) >= set->max_executions)
    limit = "--max-executions";
  if (!t->found && !complete && limit)
    c->limit = xstrdup(limit);
}

void coverage_add_progress(struct coverage *c, uint64_t clients) {
  struct buf b = {0};
  assert(c->sentence);
  buf_printf(&b, "%s; FL_PROGRESS was decided on the states of ", c->sentence);
  put_clients(&b, clients);
  free(c->sentence);
  c->sentence = xstrdup(buf_text(&b));
  buf_free(&b);
}

void coverage_add_unreached(struct coverage *c, const unreached_list *list,
                            const reached_line_list *lines) {
  enum { FEW = 4 }; /* names */
  uint32_t all = 0, never = 0;
  for (uint32_t i = 0; i < lines->len; i++) {
    all += lines->at[i].can;
    never += lines->at[i].can && !lines->at[i].reached;
  }
  uint32_t n = list->len, named = n <= FEW ? n : FEW - 1;
  struct buf b = {0};
  assert(c->sentence && n);
  buf_printf(&b, "%s; ", c->sentence);
  for (uint32_t i = 0; i < named; i++)
    buf_printf(&b, "%s%s()",
               !i           ? ""
               : i + 1 == n ? " and "
                            : ", ",
               list->at[i].function);
  if (named < n)
    buf_printf(&b, " and %u more functions", (unsigned)(n - named));
  buf_printf(&b,
             " never ran: %u of %u lines (what reaches them: other values, or "
             "a smaller size of the object)",
             never, all);
  free(c->sentence);
  c->sentence = xstrdup(buf_text(&b));
  buf_free(&b);
}

void coverage_add_still(struct coverage *c) {
  char *old = c->sentence;
  assert(old);
  c->sentence = xasprintf("%s; no call changed the object, whatever its "
                          "arguments: other values, or an operation that is "
                          "missing, may",
                          old);
  free(old);
}

void coverage_add_unjudged(struct coverage *c) {
  char *old = c->sentence;
  assert(old);
  c->sentence = xasprintf(
      "%s; no operation returns a value and there is no FL_INVARIANT, so only "
      "crashes, endless waits and failed assertions could be found",
      old);
  free(old);
}

/* ---- one client ---- */

static const char *const limit_words[] = {
    [EXPLORE_EXECUTIONS] = "--max-executions",
    [EXPLORE_TIME] = "--time",
    [EXPLORE_STATES] = "--max-states",
    [EXPLORE_MEMORY] = "--memory",
};

/* What was searched of one client. */
static const char *one_part(bool complete, bool real_time) {
  if (complete && real_time)
    return "all interleavings";
  if (complete)
    return "all orders of conflicting accesses, whatever the order of calls "
           "and returns,";
  return "interleavings";
}

/* How many interleavings the graph has is no count of schedules: accesses that
 * cannot conflict are no branching points of it.  --json has the number. */
static void put_graph(const struct totals *t, struct buf *b) {
  buf_puts(b, ", in ");
  put_number(b, t->statistics.states);
  buf_printf(b, " state%s", t->statistics.states == 1 ? "" : "s");
  if (t->circles)
    buf_puts(b, "; some never end");
}

void coverage_of_one(const struct totals *t, const struct settings *set,
                     struct coverage *v, bool *limit_ended) {
  const char *what = t->program ? "program" : "client";
  bool drawn = !search_is_exhaustive(set->search);
  uint32_t nlimits = sizeof limit_words / sizeof *limit_words;
  const char *limit = t->end < nlimits ? limit_words[t->end] : NULL;
  if (t->end == EXPLORE_ALL && !drawn && t->statistics.cut)
    limit = "--max-steps";
  bool complete = t->end == EXPLORE_ALL && !drawn && !t->statistics.cut;
  bool real_time = !set->no_real_time || t->program;
  v->one_client = true;
  /* --no-real-time and a bound on preemptions leave out executions. */
  v->exhaustive = complete && real_time && !set->bound_preemptions;
  v->exhaustive_clients = v->exhaustive;
  v->sampled_clients = !v->exhaustive;
  v->limit = limit ? xstrdup(limit) : NULL;
  struct buf b = {0};
  buf_printf(&b, "%s%s%s of this %s", complete ? "" : search_words[set->search],
             complete ? "" : " ", one_part(complete, real_time), what);
  put_preemptions(set, &b);
  if (complete && t->interleavings)
    put_graph(t, &b);
  if (t->end == EXPLORE_BAD)
    buf_puts(&b, ", up to the first fault");
  if (t->apart)
    buf_printf(&b, "; %s", t->apart);
  v->sentence = xstrdup(buf_text(&b));
  buf_free(&b);
  /* Not a pass, whatever ended the search. */
  *limit_ended = !drawn && !complete && t->end != EXPLORE_BAD;
}
