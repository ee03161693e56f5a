/*
 * The nearest good execution in one sentence: which two steps come the other
 * way round than in the failing one, and which results it has then.  The same,
 * but T2 runs line 42 before T1 runs line 35.  Then …
 */
#include "report/story_int.h"

#include "base/text.h"

#include <assert.h>

#include <inttypes.h>
#include <string.h>

struct nearest {
  struct story *s;
  const struct story_namer *n;
  const struct finding *f;
  const struct neighbour *is;
  struct buf b;
};

/* `line 42`, `list.c:42` where there are several files. */
static void put_line(struct nearest *t, const struct place *p) {
  bool one = t->s->file && p->file && !strcmp(t->s->file, p->file);
  if (one || !p->file)
    buf_printf(&t->b, "line %" PRIu32, p->line);
  else
    buf_printf(&t->b, "%s:%" PRIu32, base_name(p->file), p->line);
}

/* The steps of the thread in a row, in the good execution. */
struct stretch {
  const struct place *first, *last; /* with lines, or NULL */
  /* Calls, or EVENT_NO_CALL: that it began with, begun last, ended after. */
  uint32_t started, begun, ended;
  uint32_t commits;              /* stores that left its buffer */
  const struct place *committed; /* the last of them */
  bool steps;                    /* it did something else as well */
};

static struct stretch stretch_of(const struct nearest *t) {
  const struct trace *tr = &t->is->trace;
  struct stretch r = {
      .started = EVENT_NO_CALL, .begun = EVENT_NO_CALL, .ended = EVENT_NO_CALL};
  for (uint32_t i = t->is->event;
       i < tr->nevents && tr->events[i].thread == t->is->passing; i++) {
    const struct event *e = &tr->events[i];
    bool of_call = e->call < t->f->client.ncalls;
    if (e->kind == EV_COMMIT) { /* its line ran before */
      const struct place *p = story_place_in(tr, t->n, e->pc, e->chain);
      r.committed = p->line ? p : r.committed;
      r.commits++;
      continue;
    }
    r.steps = true;
    if (e->kind == EV_CALL && of_call) {
      r.started = i == t->is->event ? e->call : r.started;
      r.begun = e->call;
      r.ended = EVENT_NO_CALL;
    } else if (e->kind == EV_RETURN && of_call) {
      r.ended = e->call;
    } else {
      const struct place *p = story_place_in(tr, t->n, e->pc, e->chain);
      r.last = p->line ? p : r.last;
      r.first = r.first ? r.first : r.last;
    }
  }
  return r;
}

/* … which began with a call: `runs all of pop()` */
static void put_calls(struct nearest *t, const struct stretch *r) {
  const char *const *calls = t->s->calls;
  bool all = r->ended != EVENT_NO_CALL;
  if (all && r->started == r->begun) {
    buf_printf(&t->b, "runs all of %s", calls[r->begun]);
    return;
  }
  if (r->started == r->begun)
    buf_printf(&t->b, "begins %s", calls[r->begun]);
  else
    buf_printf(&t->b, "runs all calls from %s to %s", calls[r->started],
               calls[r->begun]);
  if (!all && r->last) {
    buf_puts(&t->b, r->started == r->begun ? " and gets to " : ", there to ");
    put_line(t, r->last);
  }
}

/* … which went on with one: `runs line 42 and returns from pop()` */
static void put_rest(struct nearest *t, const struct stretch *r) {
  bool later = r->begun != EVENT_NO_CALL, all = r->ended != EVENT_NO_CALL;
  if (!r->last || (later && all)) {
    buf_puts(&t->b, "goes on");
    if (all)
      buf_printf(&t->b, " until it returns from %s", t->s->calls[r->ended]);
    return;
  }
  buf_puts(&t->b, r->first->line == r->last->line ? "runs " : "goes on to ");
  put_line(t, r->last);
  if (later)
    buf_printf(&t->b, " in %s", t->s->calls[r->begun]);
  else if (all)
    buf_printf(&t->b, " and returns from %s", t->s->calls[r->ended]);
}

/* `T1's store of line 33 reaches memory`, `T1's next 4 stores, up to that of
 * line 33, reach memory` */
static void put_commits(struct nearest *t, const struct stretch *r) {
  bool several = r->commits > 1;
  buf_printf(&t->b, "%s's ", story_thread(t->is->passing));
  if (several)
    buf_printf(&t->b, "next %" PRIu32 " stores", r->commits);
  else
    buf_puts(&t->b, "store");
  if (r->committed) {
    buf_puts(&t->b, several ? ", up to that of " : " of ");
    put_line(t, r->committed);
    buf_puts(&t->b, several ? "," : "");
  }
  buf_puts(&t->b, several ? " reach memory" : " reaches memory");
}

static void put_first(struct nearest *t) {
  struct stretch r = stretch_of(t);
  const struct place *last = r.steps ? r.last : r.committed;
  t->s->nearest_place = last ? last : &story_nowhere;
  if (!r.steps && r.commits) {
    put_commits(t, &r);
    return;
  }
  buf_printf(&t->b, "%s ", story_thread(t->is->passing));
  if (r.started != EVENT_NO_CALL)
    put_calls(t, &r);
  else
    put_rest(t, &r);
}

/* ` before T1 runs line 35` */
static void put_second(struct nearest *t) {
  const struct trace *tr = &t->f->trace;
  buf_printf(&t->b, " before %s", story_thread(t->is->failing));
  for (uint32_t i = t->is->event; i < tr->nevents; i++) {
    const struct event *e = &tr->events[i];
    if (e->thread != t->is->failing || e->kind == EV_SHOW)
      continue;
    if (e->kind == EV_COMMIT) {
      buf_puts(&t->b, "'s store");
      if (t->s->events[i].place->line) {
        buf_puts(&t->b, " of ");
        put_line(t, t->s->events[i].place);
      }
      buf_puts(&t->b, " reaches memory");
      return;
    }
    const struct place *p = t->s->events[i].place;
    bool of_call = e->call < t->f->client.ncalls;
    if (of_call && (e->kind == EV_CALL || e->kind == EV_RETURN)) {
      buf_printf(&t->b, " %s %s",
                 e->kind == EV_CALL ? "begins" : "returns from",
                 t->s->calls[e->call]);
      return;
    }
    if (p->line) {
      buf_puts(&t->b, " runs ");
      put_line(t, p);
      return;
    }
  }
  buf_puts(&t->b, " goes on");
}

/* Which of the thread's calls that read the same it is: `second `; nothing
 * when there is one. */
static const char *ordinal(const struct nearest *t, uint32_t call) {
  static const char *const word[] = {"first ", "second ", "third ", "fourth "};
  const struct client *c = &t->f->client;
  uint32_t before = 0, all = 0;
  for (uint32_t i = c->ninit; i < c->ncalls; i++) {
    bool same = c->calls[i].thread == c->calls[call].thread &&
                !strcmp(t->s->calls[i], t->s->calls[call]);
    all += same;
    before += same && i < call;
  }
  if (all < 2)
    return "";
  return before < sizeof word / sizeof *word ? word[before] : "later ";
}

/* `the final pop()`, `T2's second pop()` */
static void put_whose(struct nearest *t, uint32_t call) {
  uint8_t thread = t->f->client.calls[call].thread;
  if (thread)
    buf_printf(&t->b, "%s's %s", story_thread(thread), ordinal(t, call));
  else
    buf_printf(&t->b, "the %sfinal ", ordinal(t, call));
  buf_puts(&t->b, t->s->calls[call]);
}

/* `T2's pop() returns 1 instead of 0`; false when it does the same. */
static bool put_result(struct nearest *t, uint32_t call, const char *lead,
                       const char *now) {
  const struct history *h = &t->is->trace.history;
  const char *before = t->s->results[call];
  bool returns = h->ops ? !hop_pending(&h->ops[call]) : *now != '\0';
  bool waits = !returns && before && h->ops && hop_called(&h->ops[call]);
  if (!waits && (!returns || (before && !strcmp(before, now))))
    return false;
  buf_puts(&t->b, lead);
  put_whose(t, call);
  if (waits)
    buf_puts(&t->b, " waits");
  else
    buf_printf(&t->b, " returns%s%s", *now ? " " : "", now);
  if (before && *before)
    buf_printf(&t->b, " instead of %s%s", waits ? "returning " : "", before);
  return true;
}

/* The calls that return something else, or return in one execution only. */
static uint32_t put_results(struct nearest *t) {
  enum { MOST = 3 };
  uint32_t said = 0;
  struct buf now = {0};
  for (uint32_t i = 0; i < t->f->client.ncalls && said < MOST; i++) {
    buf_clear(&now);
    story_put_value(t->s, t->is->results[i], &now);
    said += put_result(t, i, said ? ", " : " Then ", buf_text(&now));
  }
  buf_free(&now);
  if (said)
    buf_puts(&t->b, ".");
  return said;
}

void story_make_nearest(struct story *s, const struct story_namer *n) {
  const struct finding *f = s->result->finding;
  struct nearest t = {.s = s, .n = n, .f = f, .is = &f->near};
  if (!f->near.found)
    return;
  assert(f->near.event < f->trace.nevents);
  assert(f->near.event < f->near.trace.nevents);
  buf_puts(&t.b, "The same, but ");
  put_first(&t);
  put_second(&t);
  buf_puts(&t.b, ".");
  if (f->fault != FAULT_NOT_LINEARIZABLE)
    buf_puts(&t.b, " Then there is no fault.");
  else if (!put_results(&t))
    buf_puts(&t.b, " Then an order explains the same results.");
  s->nearest = story_keep(s, &t.b);
  buf_free(&t.b);
}
