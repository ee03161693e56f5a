/*
 * The answer when the kind of fault is known (model/kind.h): its name or the
 * sentence that people would say, with the lines of its evidence.
 *     cpool_get() sleeps for ever: cpool_put() changes cpool#1.nfree at line 53
 *     and does not signal
 */
#include "base/text.h"
#include "report/story_int.h"

#include <inttypes.h>
#include <string.h>

static const uint32_t *marks(const struct teller *t) {
  return t->f->kind.marks;
}

static const struct event *event_of(const struct teller *t, uint32_t mark) {
  return &t->f->trace.events[marks(t)[mark]];
}

static const struct story_event *words_of(const struct teller *t,
                                          uint32_t mark) {
  return &t->s->events[marks(t)[mark]];
}

static const struct place *place_at(const struct teller *t, uint32_t mark) {
  return words_of(t, mark)->place;
}

static bool same_file(const struct place *a, const struct place *b) {
  return a->file && b->file && !strcmp(a->file, b->file);
}

/* `line 53`, `pool.c:53` */
static void put_line(struct teller *t, uint32_t mark) {
  const struct place *p = place_at(t, mark);
  if (same_file(p, t->s->place) || !p->file)
    buf_printf(&t->b, "line %" PRIu32, p->line);
  else
    buf_printf(&t->b, "%s:%" PRIu32, base_name(p->file), p->line);
}

/* `pop()`: the function with the access, or else the operation; a library's own
 * function is nobody's name for it. */
static void put_function(struct teller *t, uint32_t mark) {
  const struct place *p = place_at(t, mark);
  bool own = p->file && !place_is_system(p->file);
  if (p->function && own && !begins(p->function, "fl__"))
    buf_printf(&t->b, "%s()", p->function);
  else
    story_operation(t->r, event_of(t, mark)->call, &t->b);
}

/* `pop()`: the function that both are in, or else the operation. */
static void put_function_of(struct teller *t, uint32_t a, uint32_t b) {
  const struct place *p = place_at(t, a), *q = place_at(t, b);
  if (p->function && q->function && !strcmp(p->function, q->function))
    put_function(t, a);
  else
    story_operation(t->r, event_of(t, a)->call, &t->b);
}

static void put_location(struct teller *t, uint32_t mark) {
  const char *location = words_of(t, mark)->location;
  buf_puts(&t->b, location ? location : "it");
}

static void put_thread(struct teller *t, uint32_t mark) {
  buf_puts(&t->b, story_thread(event_of(t, mark)->thread));
}

/* ` = 0`, when the value has words */
static void put_value(struct teller *t, uint32_t mark) {
  if (words_of(t, mark)->value)
    buf_printf(&t->b, " = %s", words_of(t, mark)->value);
}

/* The name of a lock, without the C library's fields. */
static void put_lock(struct teller *t, uint32_t mark) {
  const struct event *e = event_of(t, mark);
  story_put_lock(t->n, e->addr, 0, marks(t)[mark], &t->b);
}

static void note(struct teller *t, uint32_t mark) {
  answer_note(t, place_at(t, mark), &t->b);
}

/* A note: `T2 in put(): write n: 0 -> 1` */
static void note_deed(struct teller *t, uint32_t mark, const char *before) {
  const struct event *e = event_of(t, mark);
  const struct story_event *w = words_of(t, mark);
  if (marks(t)[mark] == KIND_NO_EVENT)
    return;
  buf_puts(&t->b, before);
  answer_put_actor(t, e->thread, e->call, &t->b);
  buf_printf(&t->b, ": %s %s", event_word[e->kind],
             w->location ? w->location : "");
  if (w->value && w->old)
    buf_printf(&t->b, ": %s -> %s", w->old, w->value);
  else if (w->value)
    buf_printf(&t->b, " = %s", w->value);
  note(t, mark);
}

/* ---- the kinds ---- */

static void say_lost_wakeup(struct teller *t) {
  uint8_t wait = event_of(t, LOST_WAIT)->kind;
  const char *wakes = wait == EV_FUTEX_WAIT ? "wake it"
                      : wait == EV_SEM_WAIT ? "post"
                                            : "signal";
  uint32_t signal = marks(t)[LOST_SIGNAL];
  put_function(t, LOST_WAIT);
  buf_puts(&t->b, " sleeps for ever: ");
  put_function(t, LOST_CHANGE);
  buf_puts(&t->b, " changes ");
  put_location(t, LOST_CHANGE);
  buf_puts(&t->b, " at ");
  put_line(t, LOST_CHANGE);
  if (signal == KIND_NO_EVENT) {
    buf_printf(&t->b, " and does not %s", wakes);
  } else if (signal < marks(t)[LOST_WAIT]) {
    buf_printf(&t->b, " and %s at ",
               wait == EV_FUTEX_WAIT ? "wakes" : "signals");
    put_line(t, LOST_SIGNAL);
    buf_puts(&t->b, " between its look at ");
    put_line(t, LOST_LOOK);
    buf_puts(&t->b, " and its wait");
  } else {
    buf_puts(&t->b, ", and the signal at ");
    put_line(t, LOST_SIGNAL);
    buf_puts(&t->b, " wakes another thread");
  }
}

static void note_lost_wakeup(struct teller *t) {
  if (marks(t)[LOST_LOOK] != marks(t)[LOST_WAIT])
    note_deed(t, LOST_LOOK, "it waits since ");
  note_deed(t, LOST_CHANGE, "then ");
  note_deed(t, LOST_SIGNAL, "");
}

/* Nobody woke it: what the call has to expect. */
static void say_woken_alone(struct teller *t) {
  uint8_t wait = event_of(t, IF_WAIT)->kind;
  bool interrupted = event_of(t, IF_WAKE)->value[0] == WAKE_UP_EINTR;
  put_function(t, IF_WAIT);
  if (wait == EV_COND_WAIT) {
    buf_puts(&t->b, " does not look again after its wait: ");
    put_location(t, IF_LOOK);
    put_value(t, IF_LOOK);
    buf_puts(&t->b, " still after a spurious wake-up (while instead of if, ");
    put_line(t, IF_LOOK);
    buf_puts(&t->b, ")");
    return;
  }
  buf_puts(&t->b, " does not wait again after ");
  buf_puts(&t->b, interrupted ? "a signal has interrupted its wait (EINTR): "
                              : "a spurious wake-up: ");
  buf_puts(&t->b, wait == EV_SEM_WAIT ? "sem_wait" : "the futex wait");
  buf_puts(&t->b, " at ");
  put_line(t, IF_WAIT);
  buf_puts(&t->b, " needs a loop");
}

static void say_if_for_while(struct teller *t) {
  if (event_of(t, IF_WAKE)->kind == EV_WAKE_UP) {
    say_woken_alone(t);
    return;
  }
  put_function(t, IF_WAIT);
  buf_puts(&t->b, " does not look again after its wait: ");
  put_location(t, IF_LOOK);
  put_value(t, IF_LOOK);
  buf_puts(&t->b, " is so again when it wakes up (while instead of if, ");
  put_line(t, IF_LOOK);
  buf_puts(&t->b, ")");
}

static void say_early_publication(struct teller *t) {
  const char *block = words_of(t, EARLY_STORE)->value;
  put_function(t, EARLY_STORE);
  if (block && *block == '&') {
    buf_printf(&t->b, " publishes %s at ", block + 1);
  } else {
    buf_puts(&t->b, " sets ");
    put_location(t, EARLY_STORE);
    buf_puts(&t->b, " at ");
  }
  put_line(t, EARLY_STORE);
  buf_puts(&t->b, " before it writes ");
  put_location(t, EARLY_READ);
  if (marks(t)[EARLY_FILL] != KIND_NO_EVENT) {
    buf_puts(&t->b, " at ");
    put_line(t, EARLY_FILL);
  }
}

static void note_early_publication(struct teller *t) {
  note_deed(t, EARLY_READ, "too early: ");
  note_deed(t, EARLY_FILL, "");
}

static void say_broken_lock(struct teller *t) {
  buf_puts(&t->b, "the lock ");
  put_location(t, BROKEN_SET);
  buf_puts(&t->b, " lets two in: ");
  put_function_of(t, BROKEN_TEST, BROKEN_SET);
  buf_puts(&t->b, " finds it free at ");
  put_line(t, BROKEN_TEST);
  buf_puts(&t->b, " and sets it at ");
  put_line(t, BROKEN_SET);
  buf_puts(&t->b, ", after ");
  put_thread(t, BROKEN_SET_OTHER);
  buf_puts(&t->b, " did");
}

static void note_broken_lock(struct teller *t) {
  note_deed(t, BROKEN_SET_OTHER, "in between ");
  note_deed(t, BROKEN_INSIDE, "both are inside: ");
  note_deed(t, BROKEN_INSIDE_OTHER, "both are inside: ");
}

static void say_broken_flags(struct teller *t) {
  buf_puts(&t->b, "the lock of ");
  put_location(t, BROKEN_SET);
  buf_puts(&t->b, " and ");
  put_location(t, BROKEN_SET_OTHER);
  buf_puts(&t->b, " lets two in: ");
  put_function_of(t, BROKEN_TEST, BROKEN_SET);
  buf_puts(&t->b, " sets the one at ");
  put_line(t, BROKEN_SET);
  buf_puts(&t->b, " and looks at the other at ");
  put_line(t, BROKEN_TEST);
  buf_puts(&t->b, ", and ");
  put_thread(t, BROKEN_SET_OTHER);
  buf_puts(&t->b, " does so meanwhile");
}

static void note_broken_flags(struct teller *t) {
  note_deed(t, BROKEN_TEST, "");
  note_deed(t, BROKEN_TEST_OTHER, "");
  note_deed(t, BROKEN_INSIDE, "both are inside: ");
  note_deed(t, BROKEN_INSIDE_OTHER, "both are inside: ");
}

static void say_coupling(struct teller *t) {
  put_function_of(t, COUPLE_UNLOCK, COUPLE_LOCK);
  buf_puts(&t->b, " gives ");
  put_lock(t, COUPLE_UNLOCK);
  buf_puts(&t->b, " back at ");
  put_line(t, COUPLE_UNLOCK);
  buf_puts(&t->b, " before it takes ");
  put_lock(t, COUPLE_LOCK);
  buf_puts(&t->b, " at ");
  put_line(t, COUPLE_LOCK);
  buf_puts(&t->b, ": in between ");
  put_thread(t, COUPLE_CHANGE);
  buf_puts(&t->b, " changes ");
  put_location(t, COUPLE_READ);
}

static void note_coupling(struct teller *t) {
  note_deed(t, COUPLE_READ, "before, ");
  note_deed(t, COUPLE_CHANGE, "in between ");
}

static void say_two_locks(struct teller *t) {
  const struct place *a = place_at(t, TWO_FIRST), *b = place_at(t, TWO_SECOND);
  bool one = a->function && b->function && !strcmp(a->function, b->function);
  put_function(t, TWO_FIRST);
  if (!one) {
    buf_puts(&t->b, " and ");
    put_function(t, TWO_SECOND);
  }
  buf_printf(&t->b, " touch%s ", one ? "es" : "");
  put_location(t, TWO_FIRST);
  buf_puts(&t->b, " under different locks: ");
  put_lock(t, TWO_FIRST_LOCK);
  buf_puts(&t->b, " (");
  put_line(t, TWO_FIRST_LOCK);
  buf_puts(&t->b, ") and ");
  put_lock(t, TWO_SECOND_LOCK);
  buf_puts(&t->b, " (");
  put_line(t, TWO_SECOND_LOCK);
  buf_puts(&t->b, ")");
}

static void note_two_locks(struct teller *t) {
  note_deed(t, TWO_FIRST, "");
  note_deed(t, TWO_SECOND, "then ");
}

static void say_shared_lock(struct teller *t) {
  put_function(t, SHARED_WRITE);
  buf_puts(&t->b, " writes ");
  put_location(t, SHARED_WRITE);
  buf_puts(&t->b, " at ");
  put_line(t, SHARED_WRITE);
  buf_puts(&t->b, " under a shared lock, ");
  put_lock(t, SHARED_WRITE_LOCK);
  buf_puts(&t->b, " (");
  put_line(t, SHARED_WRITE_LOCK);
  buf_puts(&t->b, ")");
}

static void note_shared_lock(struct teller *t) {
  note_deed(t, SHARED_OTHER_LOCK, "which is shared with ");
  note_deed(t, SHARED_OTHER, "");
}

static void say_aba(struct teller *t) {
  buf_puts(&t->b, "ABA: ");
  put_function(t, ABA_SWAP);
  buf_puts(&t->b, " replaces ");
  put_location(t, ABA_SWAP);
  buf_puts(&t->b, " at ");
  put_line(t, ABA_SWAP);
  buf_puts(&t->b, " though it changed since ");
  put_line(t, ABA_READ);
  buf_puts(&t->b, " and came back");
}

static void note_aba(struct teller *t) {
  note_deed(t, ABA_AWAY, "it changes: ");
  note_deed(t, ABA_BACK, "it comes back: ");
  note_deed(t, ABA_STALE, "what is out of date then: ");
  note_deed(t, ABA_CHANGE, "since ");
}

static void say_double_success(struct teller *t) {
  put_thread(t, DOUBLE_LOOK);
  buf_puts(&t->b, " and ");
  put_thread(t, DOUBLE_LOOK_OTHER);
  buf_puts(&t->b, " both find ");
  put_location(t, DOUBLE_LOOK);
  put_value(t, DOUBLE_LOOK);
  buf_puts(&t->b, " at ");
  put_line(t, DOUBLE_LOOK);
  buf_puts(&t->b, " of ");
  put_function(t, DOUBLE_LOOK);
  buf_puts(&t->b, ", after both have changed it at ");
  put_line(t, DOUBLE_CHANGE);
}

static void note_double_success(struct teller *t) {
  note_deed(t, DOUBLE_CHANGE, "");
  note_deed(t, DOUBLE_CHANGE_OTHER, "then ");
  note_deed(t, DOUBLE_LOOK, "and last ");
}

static void say_torn(struct teller *t) {
  bool read = event_of(t, TORN_FIRST)->kind == EV_READ ||
              event_of(t, TORN_FIRST)->kind == EV_ATOMIC_READ;
  bool read_other = event_of(t, TORN_OTHER_FIRST)->kind == EV_READ ||
                    event_of(t, TORN_OTHER_FIRST)->kind == EV_ATOMIC_READ;
  buf_printf(&t->b, "torn %s: ", read || read_other ? "read" : "write");
  put_function(t, TORN_FIRST);
  buf_printf(&t->b, " %s ", read ? "reads" : "writes");
  put_location(t, TORN_FIRST);
  buf_puts(&t->b, " and ");
  put_location(t, TORN_SECOND);
  buf_puts(&t->b, " in two steps at ");
  put_line(t, TORN_FIRST);
  buf_puts(&t->b, ", ");
  put_function(t, TORN_OTHER_FIRST);
  buf_printf(&t->b, " %s them in between", read_other ? "reads" : "writes");
}

static void note_torn(struct teller *t) {
  note_deed(t, TORN_OTHER_FIRST, "in between ");
}

static void say_check_then_act(struct teller *t) {
  put_function_of(t, CHECK_LOOK, CHECK_ACT);
  buf_puts(&t->b, " checks ");
  put_location(t, CHECK_LOOK);
  buf_puts(&t->b, " at ");
  put_line(t, CHECK_LOOK);
  buf_puts(&t->b, " and acts on it at ");
  put_line(t, CHECK_ACT);
  buf_puts(&t->b, ": in between ");
  put_thread(t, CHECK_CHANGE);
  buf_puts(&t->b, " changes it");
}

static void note_check_then_act(struct teller *t) {
  note_deed(t, CHECK_CHANGE, "in between ");
  note_deed(t, CHECK_ACT, "all the same ");
}

static void say_false_state(struct teller *t) {
  put_function(t, FALSE_SECOND);
  buf_puts(&t->b, " returns on a state that never was: ");
  put_location(t, FALSE_FIRST);
  put_value(t, FALSE_FIRST);
  buf_puts(&t->b, " of ");
  put_line(t, FALSE_FIRST);
  buf_puts(&t->b, " with ");
  put_location(t, FALSE_SECOND);
  put_value(t, FALSE_SECOND);
  buf_puts(&t->b, " of ");
  put_line(t, FALSE_SECOND);
}

static void note_false_state(struct teller *t) {
  note_deed(t, FALSE_CHANGE, "in between ");
}

static void say_unprotected(struct teller *t) {
  const char *block = words_of(t, UNPROTECTED_READ)->value;
  buf_printf(&t->b, "use after free of %s in ",
             block && *block == '&' ? block + 1 : "a block");
  put_function(t, UNPROTECTED_USE);
  buf_puts(&t->b, ": ");
  put_thread(t, UNPROTECTED_FREE);
  buf_puts(&t->b, " can free it between ");
  put_line(t, UNPROTECTED_READ);
  buf_puts(&t->b, " and ");
  put_line(t, UNPROTECTED_USE);
}

static void note_unprotected(struct teller *t) {
  note_deed(t, UNPROTECTED_READ, "its pointer is from ");
}

/* Where the sentence is about, where it ends, the sentence, its notes. */
static const struct kind_teller {
  uint8_t place, until;
  void (*say)(struct teller *);
  void (*note)(struct teller *);
} tellers[KIND_COUNT] = {
    [KIND_LOST_WAKEUP] = {LOST_WAIT, LOST_WAIT, say_lost_wakeup,
                          note_lost_wakeup},
    [KIND_IF_FOR_WHILE] = {IF_LOOK, IF_USE, say_if_for_while, NULL},
    [KIND_EARLY_PUBLICATION] = {EARLY_STORE, EARLY_FILL, say_early_publication,
                                note_early_publication},
    [KIND_BROKEN_LOCK] = {BROKEN_TEST, BROKEN_SET, say_broken_lock,
                          note_broken_lock},
    [KIND_BROKEN_FLAGS] = {BROKEN_TEST, BROKEN_SET, say_broken_flags,
                           note_broken_flags},
    [KIND_COUPLING] = {COUPLE_UNLOCK, COUPLE_LOCK, say_coupling, note_coupling},
    [KIND_TWO_LOCKS] = {TWO_FIRST, TWO_FIRST, say_two_locks, note_two_locks},
    [KIND_SHARED_LOCK] = {SHARED_WRITE_LOCK, SHARED_WRITE, say_shared_lock,
                          note_shared_lock},
    [KIND_ABA] = {ABA_READ, ABA_SWAP, say_aba, note_aba},
    [KIND_DOUBLE_SUCCESS] = {DOUBLE_CHANGE, DOUBLE_LOOK, say_double_success,
                             note_double_success},
    [KIND_TORN] = {TORN_FIRST, TORN_SECOND, say_torn, note_torn},
    [KIND_CHECK_THEN_SET] = {CHECK_LOOK, CHECK_ACT, say_check_then_act,
                             note_check_then_act},
    [KIND_CHECK_THEN_ACT] = {CHECK_LOOK, CHECK_ACT, say_check_then_act,
                             note_check_then_act},
    [KIND_FALSE_STATE] = {FALSE_FIRST, FALSE_SECOND, say_false_state,
                          note_false_state},
    [KIND_UNPROTECTED] = {UNPROTECTED_USE, UNPROTECTED_USE, say_unprotected,
                          note_unprotected},
};

/* `in all 16 failing orders and in none of 446 correct ones` */
static void note_evidence(struct teller *t) {
  const struct kind_found *k = &t->f->kind;
  const char *how = k->same == k->bad ? "failing " : "";
  buf_printf(&t->b, "%s: in ", kind_words[k->kind]);
  if (k->same > 1) {
    buf_puts(&t->b, "all ");
    story_number(k->same, &t->b);
    buf_printf(&t->b, " %sorders", how);
  } else {
    buf_printf(&t->b, "the one %sorder", how);
  }
  if (k->same != k->bad)
    buf_puts(&t->b, " with this fault");
  else if (!k->complete)
    buf_printf(&t->b, " that w%s seen", k->same > 1 ? "ere" : "as");
  if (k->good) {
    buf_puts(&t->b, " and in ");
    if (k->good_with)
      story_number(k->good_with, &t->b);
    else
      buf_puts(&t->b, "none");
    buf_puts(&t->b, " of ");
    story_number(k->good, &t->b);
    buf_puts(&t->b, " correct ones");
  }
  for (uint32_t i = 0; i < k->held.nblocks; i++) {
    buf_puts(&t->b, i ? " and " : "; with ");
    story_put_lines(&k->held.blocks[i], &t->b);
    story_put_loop(&k->held.blocks[i], &t->b);
  }
  if (k->held.nblocks)
    buf_puts(&t->b, " atomic, this client passes");
  if (k->woken) {
    buf_puts(&t->b, "; with a wake-up after each change of ");
    put_location(t, LOST_LOOK);
    buf_puts(&t->b, ", this client passes");
  }
  answer_note(t, &story_nowhere, &t->b);
}

/* A fault that needs no specification has a name and a place of its own. */
static bool stays(const struct teller *t) {
  return t->f->fault != FAULT_NOT_LINEARIZABLE;
}

static bool has_lines(const struct teller *t) {
  for (uint32_t i = 0; i < kind_marks[t->f->kind.kind]; i++)
    if (marks(t)[i] != KIND_NO_EVENT && !place_at(t, i)->line)
      return false;
  return true;
}

static void set_place(struct teller *t, const struct kind_teller *k) {
  const struct place *p = place_at(t, k->place);
  t->s->place = p;
  t->s->until = NULL;
  if (marks(t)[k->until] != KIND_NO_EVENT &&
      same_file(place_at(t, k->until), p) &&
      place_at(t, k->until)->line != p->line)
    t->s->until = place_at(t, k->until);
}

void answer_kind(struct teller *t) {
  const struct kind_teller *k = &tellers[t->f->kind.kind];
  if (!k->say || !has_lines(t))
    return;
  struct story old = *t->s;
  memset(&t->s->notes, 0, sizeof t->s->notes);
  set_place(t, k);
  k->say(t);
  t->s->message = story_keep(t->s, &t->b);
  if (k->note)
    k->note(t);
  if (stays(t) && t->f->kind.kind != KIND_UNPROTECTED)
    vec_push(&t->s->notes, ((struct story_note){old.place, old.message}));
  for (uint32_t i = 0; stays(t) && i < old.notes.len; i++)
    vec_push(&t->s->notes, old.notes.at[i]);
  vec_free(&old.notes);
  note_evidence(t);
}
