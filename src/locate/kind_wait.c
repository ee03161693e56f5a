/* Threads that sleep for ever, and threads that wake up to the wrong state. */
#include "locate/kinds_int.h"

/* The wait that thread `thread` is still in at the end, or KIND_NO_EVENT. */
static uint32_t last_wait(const struct kind_query *q, uint8_t thread) {
  for (uint32_t i = events_of(q); i-- > 0;) {
    const struct event *e = event_at(q, i);
    if (e->thread != thread || e->kind == EV_SHOW || e->kind == EV_FAULT)
      continue;
    bool waits =
        e->kind == EV_COND_WAIT || e->kind == EV_FUTEX_WAIT ||
        (e->kind == EV_SEM_WAIT && e->flags & EVENT_NO_VALUE); /* to the end */
    return waits && is_concurrent(e) ? i : KIND_NO_EVENT;
  }
  return KIND_NO_EVENT;
}

static bool is_signal(const struct event *e, const struct event *wait) {
  if (e->addr != wait->addr)
    return false;
  if (wait->kind == EV_COND_WAIT)
    return e->kind == EV_SIGNAL || e->kind == EV_BROADCAST;
  return e->kind == (wait->kind == EV_SEM_WAIT ? EV_SEM_POST : EV_FUTEX_WAKE);
}

/* The first signal of what `wait` waits for in (from, to). */
static uint32_t signal_in(const struct kind_query *q, uint32_t wait,
                          uint32_t from, uint32_t to) {
  for (uint32_t i = from + 1; i < to; i++)
    if (is_signal(event_at(q, i), event_at(q, wait)))
      return i;
  return KIND_NO_EVENT;
}

static bool writes_itself(const struct kind_query *q, uint32_t look,
                          uint32_t wait) {
  for (uint32_t i = look + 1; i < wait; i++)
    if (is_write(event_at(q, i)) &&
        event_at(q, i)->thread == event_at(q, look)->thread &&
        overlaps(event_at(q, i), event_at(q, look)))
      return true;
  return false;
}

/* Looks of the waiting call before its wait, since it was last woken: from the
 * last backwards.  KIND_NO_EVENT: there are no more. */
static uint32_t look_before(const struct kind_query *q, uint32_t wait,
                            uint32_t before) {
  const struct event *w = event_at(q, wait);
  for (uint32_t i = before; i-- > 0;) {
    const struct event *e = event_at(q, i);
    if (!same_call(e, w))
      continue;
    if (e->kind == EV_COND_WAKE || e->kind == EV_WAIT_OVER ||
        e->kind == EV_WAKE_UP || e->kind == EV_CALL)
      return KIND_NO_EVENT;
    if (is_plain_read(e))
      return i;
  }
  return KIND_NO_EVENT;
}

/* The thread that the signal woke instead of the one that waits since `wait`:
 * it waited too and goes on after it. */
static bool wakes_another(const struct kind_query *q, uint32_t signal,
                          uint32_t wait) {
  const struct event *s = event_at(q, signal);
  if (s->kind != EV_SIGNAL)
    return false;
  for (uint32_t i = signal + 1; i < events_of(q); i++) {
    const struct event *e = event_at(q, i);
    if (e->kind == EV_COND_WAKE && e->addr == s->addr &&
        e->thread != event_at(q, wait)->thread)
      return true;
  }
  return false;
}

/* Nobody signals after the change, or too early, or the wrong one. */
static bool is_lost(const struct kind_query *q, uint32_t wait, uint32_t change,
                    uint32_t *signal) {
  uint32_t end = events_of(q);
  *signal = signal_in(q, wait, change, end);
  if (event_at(q, wait)->kind == EV_SEM_WAIT) /* it keeps what is posted */
    return *signal == KIND_NO_EVENT;
  if (*signal == KIND_NO_EVENT)
    return change > wait;
  if (*signal < wait)
    return signal_in(q, wait, wait, end) == KIND_NO_EVENT;
  return wakes_another(q, *signal, wait);
}

/* The change at `change` is one that ends what the call waits for. */
static bool ends_wait(const struct kind_query *q, uint32_t wait, uint32_t look,
                      uint32_t change, bool decided) {
  const struct event *c = event_at(q, change);
  return is_concurrent(c) &&
         !equal_values(c->value, event_at(q, look)->value) &&
         (!decided || decisions_never(q->d, q->t, look, c->value, wait));
}

/* Of several changes with no signal between, the first: what comes behind it
 * may be of those who found the wait over, and took from what they found. */
static uint32_t first_of(const struct kind_query *q, uint32_t wait,
                         uint32_t look, uint32_t change, bool decided) {
  uint32_t first = change, from = look > wait ? look : wait;
  for (uint32_t i = change; i-- > from + 1;) {
    const struct event *e = event_at(q, i);
    if (is_signal(e, event_at(q, wait)))
      break;
    if (is_write(e) && same_spot(e, event_at(q, look)) &&
        e->thread != event_at(q, look)->thread &&
        ends_wait(q, wait, look, i, decided))
      first = i;
  }
  return first;
}

static bool take_lost(const struct kind_query *q, uint32_t wait, uint32_t look,
                      bool decided) {
  const struct event *r = event_at(q, look), *w = event_at(q, wait);
  uint32_t signal;
  uint32_t change = last_foreign_write(q, r, r->thread, look, events_of(q));
  if (change == KIND_NO_EVENT || !ends_wait(q, wait, look, change, decided) ||
      (look != wait && writes_itself(q, look, wait)) ||
      !is_lost(q, wait, change, &signal) ||
      (w->kind == EV_FUTEX_WAIT && signal != KIND_NO_EVENT))
    return false;
  if (signal == KIND_NO_EVENT)
    change = first_of(q, wait, look, change, decided);
  add_match(q, &(struct kind_found){.kind = KIND_LOST_WAKEUP,
                                    .marks = {wait, look, change, signal}});
  return true;
}

/* The call looked at the word of its futex and is to wait; then the word
 * becomes what an older look has shown, and that is what the futex compares
 * with. */
static bool take_stale(const struct kind_query *q, uint32_t wait,
                       uint32_t look) {
  const struct event *r = event_at(q, look), *w = event_at(q, wait);
  if (!same_spot(r, w) || equal_values(r->value, w->value))
    return false;
  uint32_t change = last_foreign_write(q, r, r->thread, look, wait);
  uint32_t signal = change == KIND_NO_EVENT ? KIND_NO_EVENT
                                            : signal_in(q, wait, change, wait);
  if (signal == KIND_NO_EVENT || !is_concurrent(event_at(q, change)) ||
      signal_in(q, wait, wait, events_of(q)) != KIND_NO_EVENT)
    return false;
  add_match(q, &(struct kind_found){.kind = KIND_LOST_WAKEUP,
                                    .marks = {wait, look, change, signal}});
  return true;
}

/*
 * A call waits to the end.  What it looked at before the wait is something
 * else now, changed by another thread; calls that see that do not wait.  And
 * after the change nobody signals, or somebody did before the wait began, or
 * the signal woke another thread.
 *
 *     T1 41 read nfree = 0
 *     T1 43 wait avail                  never woken
 *     T2 53 write nfree: 0 -> 1         and no signal of avail after it
 *
 * With a futex the word that it waits on is what was looked at; or a look came
 * before that, and the futex compares with what an older one has shown:
 *
 *     T1 353 load items = 1;  162 load items = 0       it is to wait
 *     T2 162 rmw items: 0 -> 1;  121 futex wake items
 *     T1 108 futex wait items = 1                      never woken
 *
 * A semaphore keeps what is posted: nobody posts at all after the change.
 */
void match_lost_wakeup(const struct kind_query *q) {
  for (uint8_t thread = 1; thread < 32; thread++) {
    uint32_t wait = last_wait(q, thread);
    if (wait == KIND_NO_EVENT)
      continue;
    if (event_at(q, wait)->kind == EV_FUTEX_WAIT) {
      bool found = take_lost(q, wait, wait, false);
      for (uint32_t look = look_before(q, wait, wait);
           look != KIND_NO_EVENT && !found; look = look_before(q, wait, look))
        found = take_stale(q, wait, look);
      continue;
    }
    uint32_t look = look_before(q, wait, wait);
    while (look != KIND_NO_EVENT && !take_lost(q, wait, look, true))
      look = look_before(q, wait, look);
  }
}

static bool is_wait(const struct event *e) {
  return e->kind == EV_COND_WAIT || e->kind == EV_SEM_WAIT ||
         e->kind == EV_FUTEX_WAIT;
}

static uint32_t wait_of(const struct kind_query *q, uint32_t wake) {
  const struct event *e = event_at(q, wake);
  for (uint32_t i = wake; i-- > 0;)
    if (same_call(event_at(q, i), e) && event_at(q, i)->addr == e->addr &&
        is_wait(event_at(q, i)))
      return i;
  return KIND_NO_EVENT;
}

/* The next event of the same call behind `from`. */
static uint32_t next_of_call(const struct kind_query *q, uint32_t from) {
  for (uint32_t i = from + 1; i < events_of(q); i++)
    if (same_call(event_at(q, i), event_at(q, from)))
      return i;
  return KIND_NO_EVENT;
}

/* Behind the wake-up the call waits again, or looks at the word of its futex.
 */
static bool comes_back(const struct kind_query *q, uint32_t wait,
                       uint32_t wake) {
  const struct event *w = event_at(q, wait);
  for (uint32_t i = next_of_call(q, wake); i != KIND_NO_EVENT;
       i = next_of_call(q, i)) {
    const struct event *e = event_at(q, i);
    if ((e->kind == w->kind && e->addr == w->addr) ||
        (w->kind == EV_FUTEX_WAIT && event_reads[e->kind] && overlaps(e, w)))
      return true;
  }
  return false;
}

/* Where the call comes back to the spot after it was woken; KIND_NO_EVENT: it
 * does not, or it looks again. */
static uint32_t use_after(const struct kind_query *q, uint32_t wake,
                          uint32_t look) {
  const struct event *r = event_at(q, look);
  uint32_t use = KIND_NO_EVENT;
  for (uint32_t i = wake + 1; i < events_of(q); i++) {
    const struct event *e = event_at(q, i);
    if (!same_call(e, r))
      continue;
    if (event_reads[e->kind] && kind_site(q->t, i) == kind_site(q->t, look))
      return KIND_NO_EVENT;
    if (use == KIND_NO_EVENT && (event_reads[e->kind] || is_write(e)) &&
        overlaps(e, r))
      use = i;
  }
  return use;
}

/* The wait ended without a reason, which a call has to expect. */
static void match_woken_alone(const struct kind_query *q, uint32_t wake) {
  uint32_t wait = wait_of(q, wake);
  if (wait == KIND_NO_EVENT || comes_back(q, wait, wake))
    return;
  struct kind_found found = {.kind = KIND_IF_FOR_WHILE,
                             .marks = {wait, wait, KIND_NO_EVENT, wake}};
  if (event_at(q, wait)->kind != EV_COND_WAIT) {
    add_match(q, &found);
    return;
  }
  uint32_t back = next_of_call(q, wake); /* with the mutex */
  for (uint32_t look = look_before(q, wait, wait);
       look != KIND_NO_EVENT && back != KIND_NO_EVENT;
       look = look_before(q, wait, look)) {
    uint64_t now[2];
    value_at(q, look, back, now);
    found.marks[IF_LOOK] = look;
    found.marks[IF_USE] = use_after(q, wake, look);
    if (!writes_itself(q, look, wait) &&
        equal_values(now, event_at(q, look)->value) &&
        decisions_always(q->d, q->t, look, now, wait))
      add_match(q, &found);
  }
}

/*
 * A call that looked, waited and was woken goes on without looking again,
 * although the spot has the value that it always waits for.
 *
 *     T1 32 read nfree = 0
 *     T1 33 wait avail
 *     T2    signals, and T3 takes: nfree = 0 again
 *     T1 33 wake up;  47 read nfree = 0       never line 32 again
 *
 * Or nobody has woken it:
 *
 *     T1 32 read nfree = 0
 *     T1 33 wait avail;  33 spurious wake-up
 *     T1 47 read nfree = 0                    never line 32 again
 */
void match_if_for_while(const struct kind_query *q) {
  for (uint32_t wake = 0; wake < events_of(q); wake++) {
    const struct event *e = event_at(q, wake);
    if (e->kind == EV_WAKE_UP && is_concurrent(e))
      match_woken_alone(q, wake);
    if (e->kind != EV_COND_WAKE || !is_concurrent(e))
      continue;
    uint32_t wait = wait_of(q, wake);
    if (wait == KIND_NO_EVENT)
      continue;
    for (uint32_t look = look_before(q, wait, wait); look != KIND_NO_EVENT;
         look = look_before(q, wait, look)) {
      uint64_t now[2];
      uint32_t use = use_after(q, wake, look);
      value_at(q, look, wake, now);
      if (use == KIND_NO_EVENT || writes_itself(q, look, wait) ||
          !equal_values(now, event_at(q, look)->value) ||
          last_foreign_write(q, event_at(q, look), e->thread, wait, wake) ==
              KIND_NO_EVENT ||
          !decisions_always(q->d, q->t, look, now, wait))
        continue;
      add_match(q, &(struct kind_found){.kind = KIND_IF_FOR_WHILE,
                                        .marks = {look, wait, use, wake}});
    }
  }
}
