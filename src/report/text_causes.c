/*
 * Which lines would have to be atomic, best first, and why: what fails without
 * that, what is left with it, and that less is not enough.
 */
#include "report/screen.h"

#include "base/text.h"

#include <assert.h>

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 5, SHOWN_SMALLER = 3, SHOWN_OUTCOMES = 4 };
enum { INDENT = 5, LONG_CLIENT = 100 };

static const char *file_words(const char *file) {
  return file ? base_name(file) : "?";
}

/* ---- words ---- */

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }
static const char *fail(uint64_t n) { return n == 1 ? "fails" : "fail"; }

static void put_place(const struct code_block *k, bool with_file,
                      struct buf *b) {
  story_put_lines(k, b);
  if (with_file)
    buf_printf(b, " of %s", file_words(k->file));
  if (k->function)
    buf_printf(b, "%s in %s()", with_file ? "," : "", k->function);
}

static void put_block(const struct code_block *k, bool with_file,
                      struct buf *b) {
  put_place(k, with_file, b);
  story_put_loop(k, b);
}

/* The file once, behind the first block, where it is one for all. */
void screen_put_blocks(const struct cause *c, struct buf *b) {
  for (uint32_t i = 0; i < c->nblocks; i++) {
    const struct code_block *k = &c->blocks[i];
    bool again = i && k->file && c->blocks[0].file &&
                 !strcmp(k->file, c->blocks[0].file);
    buf_puts(b, i ? "; and " : "");
    put_block(k, !again, b);
  }
}

static bool has_many_lines(const struct ranked_cause *c) {
  return c->cause.nblocks > 1 || c->lines > 1;
}

static const char *them(const struct ranked_cause *c) {
  return has_many_lines(c) ? "them" : "it";
}

/* `this client still fails`; a long one is cut between two calls. */
static void put_client(const struct story *story, const char *client,
                       enum fault fault, struct buf *b) {
  size_t len = strlen(client), cut = len;
  if (len > LONG_CLIENT)
    for (cut = LONG_CLIENT; cut && client[cut - 1] != ' ';)
      cut--;
  if (!strcmp(client, story->client))
    buf_puts(b, "this client");
  else
    buf_put(b, client, cut);
  buf_printf(b, "%s still fails",
             cut < len ? "... (--json has all of it)" : "");
  if (fault != FAULT_NOT_LINEARIZABLE && fault != FAULT_NONE &&
      fault != story->result->finding->fault)
    buf_printf(b, " (%s)", story_fault_words(fault));
}

/* A sentence of its own below a cause. */
static void put_sentence(struct screen *s, struct buf *b) {
  if (!b->len)
    return;
  if (b->at[b->len - 1] != '.')
    buf_puts(b, ".");
  screen_paragraph(s, INDENT, INDENT, buf_text(b));
  buf_clear(b);
}

/* ---- one cause ---- */

/* The schedules that are left when the lines are atomic were counted.  If none
 * of them fails, every failing schedule is interrupted inside the lines.  (A
 * failing schedule in which a thread has to wait inside is interrupted there
 * too, or is a deadlock, which is counted.) */
static void put_schedules(const struct ranked_cause *c,
                          const struct causes_found *all, struct buf *b) {
  const struct tally *left = &c->schedules;
  if (!left->all || !all->schedules.all)
    return;
  if (!left->bad)
    buf_printf(b, "%s failing schedule is interrupted inside %s: with ",
               all->schedules.bad == 1 ? "The" : "Every",
               has_many_lines(c) ? "these lines" : "this line");
  else
    buf_puts(b, "With ");
  buf_printf(b, "%s atomic ", them(c));
  story_count(left->all, b);
  buf_printf(b, " schedule%s %s left, and ", plural(left->all),
             left->all == 1 ? "is" : "are");
  if (left->bad)
    story_count(left->bad, b);
  else
    buf_puts(b, "none");
  buf_printf(b, " %s", fail(left->bad ? left->bad : 1));
}

/* What the engine did. */
static void put_enforced(const struct story *story,
                         const struct ranked_cause *c, struct buf *b) {
  if (c->enforced) {
    buf_printf(b, "Searched again without interrupting %s: no fault in %s",
               them(c), c->covered ? c->covered : "what was searched");
  } else if (c->still_bad) {
    buf_puts(b, "Not enough: ");
    put_client(story, c->still_bad, c->still_fault, b);
  }
}

static void put_waits(const struct ranked_cause *c, struct buf *b) {
  if (c->waits)
    buf_puts(b, "A thread inside may have to wait for a lock; executions in "
                "which it would were left out");
}

/* What came of doing it. */
static void put_verified(const struct ranked_cause *c, struct buf *b) {
  const char *lines = has_many_lines(c) ? "these lines" : "this line";
  if (c->verified && !c->fix)
    buf_printf(b,
               "Verified: with a lock in exactly %s, compiled and searched "
               "again, no fault in %s",
               lines, c->verified_in ? c->verified_in : "the search");
  else if (c->carried_fails)
    buf_printf(b, "Not verified: %s", c->carried_fails);
}

/* The block of the smaller cause that the whole one does not have. */
static const struct code_block *smaller_block(const struct cause *less,
                                              const struct cause *whole) {
  for (uint32_t i = 0; i < less->nblocks; i++) {
    bool there = false;
    for (uint32_t k = 0; k < whole->nblocks; k++)
      there |= !code_block_compare(&less->blocks[i], &whole->blocks[k]);
    if (!there)
      return &less->blocks[i];
  }
  return NULL;
}

static bool same_proof(const struct smaller_cause *a,
                       const struct smaller_cause *b) {
  return a->still_bad && b->still_bad && !strcmp(a->still_bad, b->still_bad) &&
         a->still_fault == b->still_fault;
}

/* The block of the whole cause that the smaller one does without. */
static const struct code_block *spared_block(const struct cause *less,
                                             const struct cause *whole) {
  return smaller_block(whole, less);
}

/* Whether a block of the cause is a loop, and this is one round of it. */
static bool is_round_of(const struct code_block *k, const struct cause *c) {
  for (uint32_t i = 0; i < c->nblocks; i++)
    if (code_block_covers(&c->blocks[i], k) &&
        c->blocks[i].loop_first != k->loop_first)
      return true;
  return false;
}

/* `with line 41 or line 42 alone`, `with lines 8-9 in f() instead`, `without
 * line 8 in f()` */
static void put_less(const struct ranked_cause *c, uint32_t from, uint32_t end,
                     struct buf *b) {
  bool one = c->cause.nblocks == 1;
  const char *before = "";
  for (uint32_t i = from; i < end; i++) {
    const struct cause *less = &c->smaller[i].cause;
    const struct code_block *k = smaller_block(less, &c->cause);
    const struct code_block *block = k ? k : spared_block(less, &c->cause);
    const char *with = k ? "with " : "without ";
    if (!block) /* a worker may send the same cause as a smaller one */
      continue;
    buf_puts(b, i > from ? " or " : "");
    if (strcmp(with, before))
      buf_puts(b, with);
    before = with;
    if (k && one)
      story_put_lines(k, b);
    else
      put_place(block, false, b);
    if (k && is_round_of(k, &c->cause))
      story_put_loop(k, b);
    bool last =
        i + 1 == end || !smaller_block(&c->smaller[i + 1].cause, &c->cause);
    if (k && last)
      buf_puts(b, one ? " alone" : " instead");
  }
}

static void put_smaller(const struct story *story, const struct ranked_cause *c,
                        struct buf *b) {
  uint32_t groups = 0;
  if (!c->nsmaller)
    return;
  buf_puts(b, c->smallest ? "No smaller block is enough, all were tried: "
                          : "Less is not enough: ");
  for (uint32_t i = 0, next; i < c->nsmaller; i = next) {
    buf_puts(b, i ? "; " : "");
    if (groups++ == SHOWN_SMALLER) {
      buf_puts(b, "and so on");
      break;
    }
    next = i + 1;
    while (next < c->nsmaller && same_proof(&c->smaller[i], &c->smaller[next]))
      next++;
    put_less(c, i, next, b);
    buf_puts(b, ", ");
    put_client(story,
               c->smaller[i].still_bad ? c->smaller[i].still_bad : "a client",
               c->smaller[i].still_fault, b);
  }
}

static void put_fix(const struct ranked_cause *c, struct buf *b) {
  for (uint32_t i = 0; i < c->cause.nblocks; i++) {
    const char *file = c->cause.blocks[i].file;
    if (file && place_is_system(file)) {
      buf_printf(b, "This is code of a library: %s", file);
      return;
    }
  }
  if (c->fix)
    buf_printf(b, "To make %s atomic, %s", them(c), c->fix);
}

static void put_price(const struct ranked_cause *c,
                      const struct causes_found *all, struct buf *b) {
  if (!all->good || (all->len == 1 && !c->eliminates))
    return;
  if (!c->eliminates) {
    buf_puts(b, ": no correct order is lost");
    return;
  }
  buf_puts(b, ": ");
  story_number(c->eliminates, b);
  buf_puts(b, " of ");
  story_number(all->good, b);
  buf_printf(b, " correct order%s %s lost", plural(all->good),
             c->eliminates == 1 ? "is" : "are");
}

/* Of an alternative, in short. */
static void put_left(const struct ranked_cause *c, struct buf *b) {
  const struct tally *left = &c->schedules;
  if (!left->all)
    return;
  buf_puts(b, ", leaves ");
  story_count(left->all, b);
  buf_printf(b, " schedule%s", plural(left->all));
  if (left->bad) {
    buf_puts(b, " of which ");
    story_count(left->bad, b);
    buf_printf(b, " %s", fail(left->bad));
  }
}

/* The operations of this execution that come to a block of the cause. */
static uint64_t operations_in(const struct story *story,
                              const struct cause *c) {
  const struct finding *f = story->result->finding;
  uint64_t ops = 0;
  for (uint32_t i = 0; i < f->trace.nevents; i++) {
    uint32_t call = f->trace.events[i].call;
    if (call >= f->client.ncalls || f->client.calls[call].op >= 64)
      continue;
    for (const struct place *p = story->events[i].place; p; p = p->next)
      for (uint32_t k = 0; k < c->nblocks; k++)
        if (code_block_has_line(&c->blocks[k], p->file, p->function, p->line))
          ops |= UINT64_C(1) << f->client.calls[call].op;
  }
  return ops;
}

/* What could be changed instead: the best cause in other operations, and which
 * of the two forbids less. */
static void put_other_side(const struct story *story, struct buf *b) {
  const struct causes_found *all = &story->result->finding->causes;
  const struct ranked_cause *c = &all->at[0], *other = NULL;
  uint64_t own = operations_in(story, &c->cause), ops;
  for (uint32_t i = 1; i < all->len && !other; i++)
    if (cause_is_enough(&all->at[i]) &&
        (ops = operations_in(story, &all->at[i].cause)) && !(ops & own))
      other = &all->at[i];
  if (!other || !own || !cause_is_enough(c))
    return;
  buf_puts(b, "Or change the other side, ");
  for (uint32_t i = 0; i < other->cause.nblocks; i++) {
    buf_puts(b, i ? "; and " : "");
    put_place(&other->cause.blocks[i], false, b);
  }
  if (other->eliminates == c->eliminates) {
    buf_puts(b, ": as many correct orders are lost then");
  } else {
    buf_puts(b, ": ");
    story_number(other->eliminates, b);
    buf_printf(b, " correct order%s %s lost then, here ",
               plural(other->eliminates),
               other->eliminates == 1 ? "is" : "are");
    if (c->eliminates)
      story_number(c->eliminates, b);
    else
      buf_puts(b, "none");
  }
}

static void put_cause(struct screen *s, const struct story *story,
                      uint32_t at) {
  const struct causes_found *all = &story->result->finding->causes;
  assert(at < all->len);
  const struct ranked_cause *c = &all->at[at];
  struct buf b = {0};
  buf_printf(&b, "%" PRIu32 ". ", c->rank);
  screen_put_blocks(&c->cause, &b);
  put_price(c, all, &b);
  if (at)
    put_left(c, &b);
  if (at && all->at[at - 1].rank == c->rank)
    buf_puts(&b, ", equally good");
  screen_paragraph(s, 2, INDENT, buf_text(&b));
  buf_clear(&b);
  if (!at) {
    put_schedules(c, all, &b);
    put_sentence(s, &b);
  }
  put_enforced(story, c, &b);
  put_sentence(s, &b);
  put_waits(c, &b);
  put_sentence(s, &b);
  put_verified(c, &b);
  put_sentence(s, &b);
  put_smaller(story, c, &b);
  put_sentence(s, &b);
  put_fix(c, &b);
  put_sentence(s, &b);
  if (!at)
    put_other_side(story, &b);
  put_sentence(s, &b);
  buf_free(&b);
}

/* ---- one outcome ---- */

/* Two threads make the same call: which of them got the result? */
static bool has_twin(const struct story *story, uint32_t call) {
  const struct client *c = &story->result->finding->client;
  uint8_t own = c->calls[call].thread;
  for (uint32_t i = 0; own && i < c->ncalls; i++) {
    uint8_t other = c->calls[i].thread;
    if (other && other != own && !strcmp(story->calls[i], story->calls[call]))
      return true;
  }
  return false;
}

static void put_results(const struct story *story,
                        const struct outcome_causes *o, struct buf *b) {
  const struct client *c = &story->result->finding->client;
  bool some = false;
  for (uint32_t i = 0; i < o->nresults && i < c->ncalls; i++) {
    struct buf v = {0};
    story_put_value(story, o->results[i], &v);
    if (v.len && i >= c->ninit) {
      buf_puts(b, some ? "; " : "");
      if (has_twin(story, i))
        buf_printf(b, "%s ", story_thread(c->calls[i].thread));
      buf_printf(b, "%s = %s", story->calls[i], v.at);
      some = true;
    }
    buf_free(&v);
  }
  if (!some)
    buf_puts(b, "no results");
}

static void put_outcome(struct screen *s, const struct story *story,
                        const struct outcome_causes *o) {
  struct buf b = {0};
  put_results(story, o, &b);
  buf_puts(&b, ": ");
  for (uint32_t i = 0; i < o->len && o->at[i].rank == 1; i++) {
    buf_puts(&b, i ? "; or " : "");
    for (uint32_t k = 0; k < o->at[i].cause.nblocks; k++) {
      buf_puts(&b, k ? " and " : "");
      put_block(&o->at[i].cause.blocks[k], false, &b);
    }
  }
  if (!o->len)
    buf_puts(&b, "nothing that has lines");
  screen_paragraph(s, INDENT, INDENT + 2, buf_text(&b));
  buf_free(&b);
}

/* Is the best cause of this outcome the best of all?  Then nothing is said. */
static bool same_answer(const struct outcome_causes *o,
                        const struct causes_found *c) {
  return o->len && cause_equal(o->at[0].cause, c->at[0].cause) &&
         (o->len == 1 || o->at[1].rank > 1);
}

static void put_outcomes(struct screen *s, const struct story *story,
                         const struct causes_found *c) {
  bool differ = false;
  for (uint32_t i = 0; i < c->noutcomes; i++)
    differ |= !same_answer(&c->by_outcome[i], c);
  if (c->noutcomes < 2 || !differ)
    return;
  struct buf b = {0};
  screen_paragraph(s, 2, 2, "The best for each failing outcome by itself:");
  for (uint32_t i = 0; i < c->noutcomes && i < SHOWN_OUTCOMES; i++)
    put_outcome(s, story, &c->by_outcome[i]);
  if (c->noutcomes > SHOWN_OUTCOMES) {
    buf_printf(&b, "and %" PRIu32 " more outcomes; --json has all",
               c->noutcomes - SHOWN_OUTCOMES);
    screen_paragraph(s, 2, 2, buf_text(&b));
  }
  buf_free(&b);
}

/* ---- all ---- */

/* What is true of all causes below. */
static void put_promise(const struct causes_found *c, struct buf *b) {
  bool all = true;
  for (uint32_t i = 0; i < c->len; i++)
    all &= cause_is_enough(&c->at[i]);
  if (!cause_is_enough(&c->at[0]))
    buf_puts(b, "No lines were found that prevent the fault; these come "
                "nearest:");
  else if (!all)
    buf_puts(b,
             "Lines that prevent the fault when they are atomic, best first:");
  else
    buf_printf(b, "No order fails with %s atomic:",
               c->len > 1                  ? "one of these"
               : has_many_lines(&c->at[0]) ? "these lines"
                                           : "this line");
}

/* The executions that were run, and how many of them fail. */
static void put_failing(const struct causes_found *c, struct buf *b) {
  const struct tally *t = &c->schedules;
  uint64_t orders = c->bad + c->good - c->given;
  if (t->all) {
    buf_puts(b, "All schedules of this client, counted on ");
    story_number(t->states, b);
    buf_printf(b, " state%s: ", plural(t->states));
    story_count(t->all, b);
    buf_puts(b, ", of which ");
    story_count(t->bad, b);
    buf_printf(b, " %s. ", fail(t->bad));
  }
  buf_puts(b, c->complete ? "" : "At least ");
  story_number(c->bad, b);
  buf_puts(b, " of ");
  story_number(orders, b);
  buf_printf(b, " order%s of conflicting accesses", plural(orders));
  if (c->clients > 1)
    buf_printf(b, ", of this client and %" PRIu32 " other%s,", c->clients - 1,
               plural(c->clients - 1));
  buf_printf(b, " %s", fail(c->bad));
  if (c->mixed) {
    buf_puts(b, ", ");
    story_number(c->mixed, b);
    buf_puts(b, " of them only in some of their schedules");
  }
  buf_puts(b, ". ");
  put_promise(c, b);
}

/* Good traces of files. */
static void put_given(struct screen *s, const struct causes_found *c) {
  struct buf b = {0};
  if (!c->given)
    return;
  buf_puts(&b, "Of the correct orders ");
  story_number(c->given, &b);
  buf_printf(&b, " %s from the files given", c->given == 1 ? "is" : "are");
  if (c->foreign) {
    buf_puts(&b, "; ");
    story_number(c->foreign, &b);
    buf_printf(&b, " of these never come%s to a source file that is named here",
               c->foreign == 1 ? "s" : "");
  }
  buf_putc(&b, '.');
  screen_paragraph(s, 2, 2, buf_text(&b));
  buf_free(&b);
}

/* The best cause is in the test: the calls that it makes, and what of them was
 * seen.  Nobody is told to make a test atomic. */
static void put_composition(struct screen *s, const struct story *story) {
  const struct causes_found *c = &story->result->finding->causes;
  const struct tally *all = &c->schedules, *left = &c->at[0].schedules;
  struct buf b = {0};
  screen_title(s, "Calls that the test makes:");
  buf_printf(&b, "%s. ", story->composition);
  if (all->all && left->all && !left->bad) {
    buf_printf(&b,
               "%s failing schedule of this client is interrupted in these "
               "calls or between them. ",
               all->bad == 1 ? "The" : "Every");
  }
  buf_puts(&b, "No lines of the object are known that would prevent the fault "
               "by being atomic");
  if (story->result->finding->fault == FAULT_NOT_LINEARIZABLE)
    buf_puts(&b, ": each call may be right by itself, and only the test takes "
                 "them for one operation");
  buf_putc(&b, '.');
  screen_paragraph(s, 2, 2, buf_text(&b));
  buf_free(&b);
}

void screen_causes(struct screen *s, const struct story *story) {
  const struct causes_found *c = &story->result->finding->causes;
  if (!c->len)
    return;
  if (story->composition) {
    put_composition(s, story);
    return;
  }
  struct buf b = {0};
  screen_title(s, "Which lines must be atomic:");
  put_failing(c, &b);
  screen_paragraph(s, 2, 2, buf_text(&b));
  const struct cause *lock = story_broken_lock(story->result->finding);
  if (lock) {
    buf_clear(&b);
    buf_puts(&b, "The cause is the lock, ");
    screen_put_blocks(lock, &b);
    if (story->result->finding->kind.lock_fails)
      buf_puts(&b, "; its lines let two in even when nobody interrupts them");
    buf_puts(&b, ". What follows are lines that would not need it.");
    screen_paragraph(s, 2, 2, buf_text(&b));
  }
  uint32_t shown = s->style.all_causes || c->len < SHOWN ? c->len : SHOWN;
  for (uint32_t i = 0; i < shown; i++)
    put_cause(s, story, i);
  if (c->len > shown) {
    buf_clear(&b);
    buf_printf(&b, "and %" PRIu32 " more; --all-causes shows them",
               c->len - shown);
    screen_paragraph(s, 2, 2, buf_text(&b));
  }
  if (c->cut)
    screen_paragraph(s, 2, 2,
                     "There were too many to keep them all: those that seemed "
                     "to lose the most correct orders were dropped.");
  buf_free(&b);
  put_given(s, c);
  put_outcomes(s, story, c);
}

void screen_nearest(struct screen *s, const struct story *story) {
  if (!story->nearest)
    return;
  screen_title(s, "Nearest passing schedule:");
  screen_paragraph(s, 2, 2, story->nearest);
}
