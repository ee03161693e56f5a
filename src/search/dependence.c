/*
 * Dependence of steps, and how a step turns out when it is made elsewhere.
 * Flanagan and Godefroid (POPL 2005) call steps dependent when their order can
 * change the state or who is enabled; here also when it changes the history.
 */
#include "search/dependence.h"

#include <assert.h>
#include <string.h>

/* Did the step change nothing, as it turned out? */
static bool only_looks(const struct step_access *a) {
  switch (a->kind) {
  case EV_READ:
  case EV_ATOMIC_READ:
  case EV_FUTEX_WAIT:
  case EV_FD_POLL:
    return true;
  }
  return a->flags & RT_FAILED;
}

static bool has_location(const struct step_access *a) {
  return a->addr && a->kind != EV_STEP && a->kind != EV_YIELD &&
         a->kind != EV_CREATE && !(a->flags & RT_ISSUED);
}

/* Does b change something that a awaits? */
static bool ends_await(const struct step_access *a,
                       const struct step_access *b) {
  if (!a->set || !has_location(b) || only_looks(b))
    return false;
  const struct rt_set *s = rt_set(a->set);
  for (uint32_t i = 0; i < s->n; i++)
    if (access_overlap(s->at[i].addr, s->at[i].size, b->addr, b->size))
      return true;
  return false;
}

static bool conflict(const struct step_access *a, const struct step_access *b) {
  if (ends_await(a, b) || ends_await(b, a))
    return true;
  if (access_of_stack(a, b) || access_of_stack(b, a))
    return true;
  if (!has_location(a) || !has_location(b) || (only_looks(a) && only_looks(b)))
    return false;
  return access_overlap(a->addr, a->size, b->addr, b->size) ||
         (a->other && access_overlap(a->other, 1, b->addr, b->size)) ||
         (b->other && access_overlap(a->addr, a->size, b->other, 1)) ||
         (a->other && a->other == b->other);
}

static bool is_buffer_of(const struct step_access *a,
                         const struct step_access *b) {
  return a->kind == EV_COMMIT && a->thread == b->thread + RT_BUFFERS;
}

static bool forced(const struct step_access *commit,
                   const struct step_access *own) {
  if (own->flags & RT_ISSUED)
    return own->stores == commit->stores ||
           own->stores == commit->stores + rt_buffer_size();
  return own->drains && own->stores > commit->stores;
}

bool access_forced(const struct step_access *a, const struct step_access *b) {
  return is_buffer_of(a, b)   ? forced(a, b)
         : is_buffer_of(b, a) ? forced(b, a)
                              : false;
}

bool access_dependent(const struct step_access *a, const struct step_access *b,
                      bool real_time) {
  if (a->thread == b->thread)
    return true;
  if (is_buffer_of(a, b) || is_buffer_of(b, a))
    return access_forced(a, b);
  if (!access_may_depend(a, b))
    return false;
  if (a->flags & b->flags & RT_CREATES)
    return true;
  if (real_time && a->flags & b->flags & RT_JOINS &&
      (a->joined == b->joined || a->joined == ANY_THREAD ||
       b->joined == ANY_THREAD))
    return true;
  uint8_t both = a->flags | b->flags;
  if (real_time && (both & RT_RETURNS) && (both & RT_CALLS) &&
      (((a->flags & RT_RETURNS) && (b->flags & RT_CALLS)) ||
       ((a->flags & RT_CALLS) && (b->flags & RT_RETURNS))))
    return true;
  return conflict(a, b);
}

struct step_access access_of(const struct rt_logged *l) {
  return (struct step_access){.thread = l->thread,
                              .kind = l->kind,
                              .flags = l->flags,
                              .joined = l->joined,
                              .set = l->set,
                              .drains = l->drains,
                              .stores = l->stores,
                              .addr = l->addr,
                              .size = l->size,
                              .other = l->other,
                              .old = l->old,
                              .expected = l->expected,
                              .intrudes = l->intrudes,
                              .own = l->own,
                              .theirs = l->theirs};
}

bool access_same_answers(const struct step_access *a,
                         const struct step_access *b) {
  assert(a->nanswers <= ACCESS_ANSWERS && b->nanswers <= ACCESS_ANSWERS);
  return a->nanswers == b->nanswers &&
         !memcmp(a->answer, b->answer, a->nanswers);
}

bool access_releases(const struct step_access *a) {
  switch (a->kind) {
  case EV_ONCE: /* the routine has returned: others wait for that */
    return !(a->flags & RT_WAITS);
  case EV_UNLOCK:
  case EV_SIGNAL:
  case EV_BROADCAST:
  case EV_SEM_POST:
  case EV_COND_WAIT:
  case EV_FUTEX_WAKE:
  case EV_FD_READ: /* makes room */
  case EV_FD_WRITE:
  case EV_FD_CHANGE:
  case EV_FD_CLOSE: /* the other end is told */
    return true;
  }
  return false;
}

static bool writes_memory(const struct step_access *a) {
  return event_writes[a->kind] && !(a->flags & RT_FAILED);
}

/* Can it succeed or fail?  A step that waits until it can be made cannot. */
static bool is_attempt(const struct step_access *a) {
  return a->kind == EV_CAS || a->kind == EV_TRYLOCK || a->flags & RT_FAILED ||
         ((a->kind == EV_SEM_WAIT || a->kind == EV_FD_READ ||
           a->kind == EV_FD_WRITE) &&
          !(a->flags & RT_WAITS));
}

/*
 * Only a change by `first` can make a difference.  A CAS is decided by the
 * value that was there before; how other attempts turn out is unsure.  Whether
 * the call returns in this step is unsure whenever the step reads another
 * value.
 */
struct step_access access_reversed(const struct step_access *first,
                                   const struct step_access *second) {
  struct step_access a = *second;
  if (first->flags & a.flags & RT_JOINS)
    a.unsure |= RT_CALLS | RT_RETURNS;
  if (only_looks(first) || !conflict(first, second))
    return a;
  bool same_place = first->addr == a.addr && first->size == a.size &&
                    a.size <= 8 && writes_memory(first);
  if (a.kind == EV_CAS && same_place) {
    a.flags &= (uint8_t)~RT_FAILED;
    if (first->old != a.expected)
      a.flags |= RT_FAILED;
  } else if (is_attempt(&a)) {
    a.unsure |= RT_FAILED;
  }
  if (a.kind != EV_WRITE && a.kind != EV_ATOMIC_WRITE && a.kind != EV_FREE)
    a.unsure |= RT_RETURNS | RT_CREATES | RT_JOINS;
  return a;
}

struct step_access access_least(const struct step_access *a) {
  struct step_access b = *a;
  if (b.unsure & RT_FAILED)
    b.flags |= RT_FAILED;
  b.flags &= (uint8_t) ~(b.unsure & ACCESS_EDGES);
  return b;
}

struct step_access access_most(const struct step_access *a) {
  struct step_access b = *a;
  if (b.unsure & RT_FAILED)
    b.flags &= (uint8_t)~RT_FAILED;
  b.flags |= b.unsure & ACCESS_EDGES;
  if (b.unsure & RT_JOINS)
    b.joined = ANY_THREAD;
  return b;
}

/* Does everything that overlaps `then` overlap `first`, which is a write? */
static bool hides(const struct step_access *first,
                  const struct step_access *then) {
  return !only_looks(first) && first->addr <= then->addr &&
         then->addr + then->size <= first->addr + first->size;
}

bool access_no_stronger(const struct step_access *first,
                        const struct step_access *then,
                        const struct step_access *now, uint8_t *edges) {
  struct step_access most = access_most(now);
  *edges = most.flags & (uint8_t)~then->flags & ACCESS_EDGES;
  if (most.flags & RT_JOINS && most.joined != then->joined)
    *edges |= RT_JOINS;
  bool alike = now->kind == then->kind && now->addr == then->addr &&
               now->size == then->size && now->other == then->other &&
               now->set == then->set;
  return alike &&
         (only_looks(&most) || !only_looks(then) || hides(first, then));
}

bool access_waits(uint8_t kind) {
  switch (kind) {
  case EV_LOCK:
  case EV_RDLOCK:
  case EV_WRLOCK:
  case EV_SEM_WAIT:
  case EV_COND_WAKE:
  case EV_ONCE:
  case EV_FD_READ:
  case EV_FD_WRITE:
  case EV_FD_POLL:
    return true;
  }
  return false;
}
