#include "cli/session/further.h"

#include "base/clock.h"
#include "diagnose/enforce.h"

#include <assert.h>
#include <string.h>

enum {
  MOST_FAULTS = 12,  /* that are listed of an object */
  MOST_RUNS = 16,    /* of an object: some find what is known */
  LONG_TRACE = 1000, /* events: of a thread that goes round a loop */
};

/* What makes a fault the same as another. */
struct fault_identity {
  enum fault kind;
  uint16_t op;
  const struct place *place; /* of the access; line 0: not known */
  struct cause lines;        /* that end it; none: not known */
  struct known_fault known;
};

struct further {
  struct session *s;
  struct settings *set; /* of the target */
  struct target *target;
  const struct hunt_question *q;
  struct error *error;
  uint32_t first; /* run of the object */
  VEC(struct client) left_out;
  VEC(struct known_fault) aside;
  VEC(struct fault_identity) listed;
  struct cause atomic; /* all lines that are enforced */
  bool other_kinds;    /* the last search: of other kinds in these lines */
  bool ended;          /* the last run found nothing more */
  bool brief;
};

static struct object_run *last_run(struct further *x) {
  return &vec_last(&x->s->runs);
}

/* ---- the same fault ---- */

static bool share_line(struct cause a, struct cause b) {
  for (uint32_t i = 0; i < a.nblocks; i++)
    for (uint32_t k = 0; k < b.nblocks; k++)
      if (code_block_meets(&a.blocks[i], &b.blocks[k]))
        return true;
  return false;
}

static bool same_line(const struct place *a, const struct place *b) {
  return a->line && a->line == b->line && a->file && b->file &&
         !strcmp(a->file, b->file);
}

static bool is_same(const struct fault_identity *a,
                    const struct fault_identity *b) {
  if (a->kind != b->kind)
    return false;
  if (a->lines.nblocks && b->lines.nblocks)
    return share_line(a->lines, b->lines);
  return known_has_place(a->kind) && a->op == b->op &&
         same_line(a->place, b->place);
}

/* F2 */
static bool is_listed(const struct further *x,
                      const struct fault_identity *now) {
  for (uint32_t i = 0; i < x->listed.len; i++)
    if (is_same(&x->listed.at[i], now))
      return true;
  return false;
}

/* ---- setting it aside ---- */

static void leave_out(struct further *x, const struct client *c,
                      bool operations) {
  struct client own = {0};
  if (!operations)
    client_copy(&own, c);
  for (uint32_t i = 0; operations && i < c->ncalls; i++)
    if (!client_has_ops_of(
            &own, &(struct client){.calls = &c->calls[i], .ncalls = 1}, 1))
      client_add_init(&own, c->calls[i]);
  vec_push(&x->left_out, own);
}

/* Lines that end the fault; false: there are none. */
static bool add_lines(struct further *x, struct fault_identity *now) {
  struct object_run *r = last_run(x);
  const struct regions *regions;
  if ((!x->set->keep_going && !r->result.accepted) || x->other_kinds ||
      !r->repeatable || fault_is_doubt(now->kind) ||
      !enforce(&x->s->built, r, x->target, &now->lines, &regions))
    return false;
  x->target->regions = regions;
  if (x->set->search == SEARCH_DPOR) { /* it does not know of atomic lines */
    x->set->search = SEARCH_AUTO;
    x->set->no_real_time = false;
  }
  x->atomic = cause_join(&x->s->built.arena, x->atomic, now->lines);
  return true;
}

static uint32_t count_listed(const struct further *x, enum fault kind) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->listed.len; i++)
    n += x->listed.at[i].kind == kind;
  return n;
}

/* From the last run's finding: what it is, and what sets it aside. */
static struct fault_identity learn(struct further *x) {
  const struct object_run *r = last_run(x);
  const struct finding *f = r->result.finding;
  struct known_fault known;
  known_of_finding(&known, f);
  struct fault_identity now = {
      .kind = f->fault,
      .op = known.op,
      .known = known,
      .place = lines_place(x->s->built.lines, f->pc ? f->pc - 1 : 0)};
  bool brief = x->brief, alone = f->client.nthreads < 2;
  x->brief |= fault_is_doubt(f->fault);
  if (add_lines(x, &now))
    return now;
  /* Threads that go round for ever are cut early from now on.  What is refused,
   * or hangs outside of the engine, would take its time again and again. */
  if (r->repeatable && fault_is_doubt(f->fault) && !brief && !alone &&
      f->fault != FAULT_DIVERGENCE && f->trace.nevents >= LONG_TRACE)
    return now;
  if (r->repeatable && known_has_place(f->fault) && !fault_is_doubt(f->fault) &&
      !is_listed(x, &now))
    vec_push(&x->aside, known);
  else
    leave_out(x, &f->client,
              alone || !r->repeatable || fault_is_doubt(f->fault) ||
                  count_listed(x, f->fault));
  return now;
}

/* ---- the words for it ---- */

static void put_left_out(const struct further *x, struct buf *b) {
  const struct op_names *names = &x->s->runs.at[x->first].result.names;
  for (uint32_t i = 0; i < x->left_out.len; i++) {
    const struct client *c = &x->left_out.at[i];
    buf_puts(b, i ? ", or " : "without clients that have ");
    if (c->nthreads) {
      struct client part = *c;
      part.ncalls -= part.nfinal;
      part.nfinal = 0;
      client_print(&part, names, b);
      continue;
    }
    for (uint32_t k = 0; k < c->ncalls; k++)
      buf_printf(b, "%s%s()", k ? " and " : "", names->name[c->calls[k].op]);
  }
}

static void put_aside(const struct further *x, struct buf *b) {
  const char *word = "without executions that end in ";
  bool results = false;
  for (uint32_t i = 0; i < x->aside.len; i++) {
    const struct known_fault *k = &x->aside.at[i];
    results |= k->kind == FAULT_NOT_LINEARIZABLE;
    if (k->kind == FAULT_NOT_LINEARIZABLE)
      continue;
    buf_printf(b, "%s%s", word, fault_words[k->kind]);
    for (uint32_t n = 0; n < k->nplaces; n++) {
      const struct place *p = lines_place(x->s->built.lines, k->places[n] - 1);
      buf_printf(b, "%s%s:%u", n ? " and " : " at ", p->file ? p->file : "?",
                 p->line);
    }
    word = ", or ";
  }
  if (x->brief)
    buf_printf(b, "%sdoubt", word);
  if (results)
    buf_printf(b, "%swhatever the calls return", *word == ',' ? "; " : "");
}

/* The target as it is to be searched next. */
static void aim(struct further *x) {
  struct target *t = x->target;
  struct buf b = {0};
  t->known = x->left_out.at;
  t->nknown = x->left_out.len;
  t->set_aside = x->aside.at;
  t->nset_aside = x->aside.len;
  t->brief = x->brief;
  put_left_out(x, &b);
  if (x->aside.len || x->brief)
    buf_puts(&b, b.len ? "; " : "");
  put_aside(x, &b);
  if (x->atomic.nblocks) {
    buf_puts(&b, b.len ? "; with " : "with ");
    cause_print(x->atomic, &b);
    buf_puts(&b, " atomic");
  }
  t->apart = arena_strdup(&x->s->built.arena, buf_text(&b));
  buf_free(&b);
}

/* ---- the runs ---- */

static void drop_last(struct further *x) {
  worker_release(&last_run(x)->worker);
  x->s->runs.len--;
}

/* The last run of this object before `last` whose fault is not accepted. */
static struct object_run *not_accepted(struct further *x,
                                       struct object_run *last) {
  while (last-- > x->s->runs.at + x->first)
    if (!last->result.accepted)
      return last;
  return NULL;
}

/*
 * The last run found nothing more: that is a sentence of the one before.  If
 * all faults are accepted it stays, as the object's own result.
 */
static void join_last(struct further *x) {
  struct object_run *last = last_run(x), *before = not_accepted(x, last);
  bool pass = last->result.verdict == VERDICT_PASS;
  const char *how = pass ? last->result.coverage.sentence : last->result.reason;
  struct buf b = {0};
  x->ended = pass;
  if (!before)
    return;
  struct coverage *c = &before->result.coverage;
  buf_printf(&b, "%s%s", c->sentence ? c->sentence : "",
             c->sentence ? "; " : "");
  if (x->other_kinds)
    buf_printf(&b, "with these lines as they are, no fault of another kind%s%s",
               pass ? ": " : " was found, but ", how);
  else
    buf_printf(&b, "%s%s",
               pass ? "no other fault: " : "no other fault was found, but ",
               how);
  c->sentence = arena_strdup(&x->s->built.arena, buf_text(&b));
  buf_free(&b);
  if (!pass && !before->result.finding) { /* less is known than it says */
    before->result.verdict = last->result.verdict;
    before->result.reason = arena_strdup(&x->s->built.arena, how);
  }
  drop_last(x);
}

/* Many executions have no end: nothing is known of what those would show. */
static bool is_cut(const struct result *r) {
  return r->verdict == VERDICT_UNKNOWN && !r->finding && r->statistics.cut;
}

static bool goes_on(const struct further *x, const struct object_run *r) {
  const struct finding *f = r->result.finding;
  const struct settings *set = x->set;
  if (x->target->program || hunt_is_alone(x->q->kind) ||
      x->target->want_outcomes || x->s->built.interrupted ||
      x->listed.len >= MOST_FAULTS)
    return false;
  if (!f)
    return is_cut(&r->result) && !x->brief;
  return f->client.ncalls &&
         (set->keep_going || r->result.accepted || fault_is_doubt(f->fault));
}

/* F1 */
static int place_of(const struct result *r) {
  return r->accepted ? 2 : r->verdict == VERDICT_UNKNOWN;
}

static void put_in_order(struct further *x) {
  struct object_run *at = x->s->runs.at;
  for (uint32_t i = x->first + 1; i < x->s->runs.len; i++) {
    struct object_run r = at[i];
    uint32_t k = i;
    for (; k > x->first && place_of(&r.result) < place_of(&at[k - 1].result);
         k--)
      at[k] = at[k - 1];
    at[k] = r;
  }
}

/* Runs it once more; false: that was the last time. */
static bool run_again(struct further *x) {
  aim(x);
  if (session_hunt_once(x->s, x->q, x->error))
    return false;
  struct object_run *r = last_run(x);
  r->result.atomic = x->atomic;
  if (!r->result.finding) {
    join_last(x);
    return false;
  }
  bool more = goes_on(x, r);
  struct fault_identity now = learn(x);
  bool known = is_listed(x, &now);
  if (known)
    drop_last(x);
  else
    vec_push(&x->listed, now);
  return more || known;
}

/*
 * Lines that are never interrupted may have faults of another kind: a crash
 * where a value is lost, too.  The last search looks for these: the lines are
 * as they are, and what ends in a kind that was found counts as good.
 */
static bool turn_to_other_kinds(struct further *x) {
  if (!x->ended || x->other_kinds || !x->atomic.nblocks ||
      x->s->built.interrupted)
    return false;
  x->other_kinds = true;
  x->ended = false;
  x->target->regions = NULL;
  x->atomic = (struct cause){0};
  for (uint32_t i = 0; i < x->listed.len; i++) {
    const struct fault_identity *f = &x->listed.at[i];
    struct known_fault all = {.kind = f->kind, .op = KNOWN_ANY_OP};
    if (known_has_place(f->kind))
      all = f->known;
    if (f->lines.nblocks && !known_has(x->aside.at, x->aside.len, &all))
      vec_push(&x->aside, all);
  }
  return true;
}

/* A pass is the object's result only where all faults are accepted. */
static void settle(struct further *x) {
  struct object_run *at = x->s->runs.at, *clean = NULL;
  uint32_t accepted = 0, n = 0;
  for (uint32_t i = x->first; i < x->s->runs.len; i++, n++) {
    accepted += at[i].result.accepted != NULL;
    if (!at[i].result.finding)
      clean = &at[i];
  }
  if (clean && accepted + 1 == n)
    clean->result.naccepted = accepted;
  else if (clean && n > 1 && clean->result.verdict == VERDICT_PASS) {
    worker_release(&clean->worker);
    size_t behind = (size_t)(at + x->s->runs.len - (clean + 1));
    memmove(clean, clean + 1, behind * sizeof *clean);
    x->s->runs.len--;
  }
  put_in_order(x);
}

int session_further(struct session *s, struct settings *set,
                    struct target *target, struct hunt_question *q,
                    struct error *e) {
  struct further x = {.s = s,
                      .set = set,
                      .target = target,
                      .q = q,
                      .error = e,
                      .first = s->runs.len};
  double until = clock_now() + set->time, least = set->time / 4;
  bool more = !session_hunt_once(s, q, e) && goes_on(&x, last_run(&x));
  if (q->kind == HUNT_BEGIN)
    q->begin.nsaved = 0;
  if (more && last_run(&x)->result.finding)
    vec_push(&x.listed, learn(&x));
  x.brief |= more && !x.listed.len;
  /* The one client cannot be left out. */
  for (uint32_t runs = 1;
       more && runs < MOST_RUNS && !(set->client && x.left_out.len); runs++) {
    set->time = until - clock_now();
    if (set->time < least) /* a fault takes time to be explained, too */
      set->time = least;
    more = run_again(&x) || (!e->code && turn_to_other_kinds(&x));
  }
  settle(&x);
  for (uint32_t i = 0; i < x.left_out.len; i++)
    client_free(&x.left_out.at[i]);
  vec_free(&x.left_out);
  vec_free(&x.aside);
  vec_free(&x.listed);
  return e->code;
}
