/* Tables of the nouns that processes hand to each other. */
#include "model/nouns.h"

#include "base/pack_table.h"

#include <assert.h>
#include <string.h>

/* ---- values ---- */

static void pack_bits(const void *noun, struct buf *out) {
  const struct value *v = noun;
  if (v->kind == VALUE_STRING)
    pack_text(out, (const char *)(uintptr_t)v->bits);
  else
    wire_put(out, v->bits);
}

static void unpack_bits(void *noun, struct unpacking *u) {
  struct value *v = noun;
  v->bits = v->kind == VALUE_STRING ? (uint64_t)(uintptr_t)unpack_text(u)
                                    : wire_get(&u->from);
}

static const struct field value_fields[] = {
    BELOW(struct value, kind, VALUE_STRING + 1),
};
const struct noun noun_value = {NOUN(struct value, value_fields),
                                .pack = pack_bits, .unpack = unpack_bits};

/* ---- clients ---- */

static const struct field call_fields[] = {
    NUMBER(struct call, op),
    BELOW(struct call, thread, CLIENT_MAX_THREADS + 1),
    BELOW(struct call, nargs, CLIENT_MAX_ARGS + 1),
    NUMBER(struct call, origin),
    NUMBER(struct call, args[0]),
    NUMBER(struct call, args[1]),
    NUMBER(struct call, args[2]),
    NUMBER(struct call, args[3]),
    NUMBER(struct call, args[4]),
    NUMBER(struct call, args[5]),
};
static const struct noun noun_call = {NOUN(struct call, call_fields)};
static_assert(CLIENT_MAX_ARGS == 6, "every argument has its line above");

static bool client_sound(void *noun) { return client_is_sound(noun); }

static const struct field client_fields[] = {
    MANY(struct client, calls, ncalls, noun_call),
    NUMBER(struct client, ninit),
    NUMBER(struct client, nfinal),
    NUMBER(struct client, nthreads),
};
const struct noun noun_client = {NOUN(struct client, client_fields),
                                 .sound = client_sound};

bool client_fits(const struct client *c, const struct op_names *names) {
  for (uint32_t i = 0; i < c->ncalls; i++)
    if (c->calls[i].op >= names->count)
      return false;
  return true;
}

/* ---- histories ---- */

static const struct field hop_fields[] = {
    NUMBER(struct hop, call),
    NUMBER(struct hop, ret),
    INSIDE(struct hop, result, noun_value),
    NUMBER(struct hop, before),
};
static const struct noun noun_hop = {NOUN(struct hop, hop_fields)};

static uint32_t calls_of(const struct history *h) {
  return h->client ? h->client->ncalls : 0;
}

static uint32_t hops(const void *noun) { return calls_of(noun); }

static const struct field history_fields[] = {
    ONE(struct history, client, noun_client),
    AS_MANY(struct history, ops, hops, noun_hop),
    FLAG(struct history, stuck),
    FLAG(struct history, partial),
};
const struct noun noun_history = {NOUN(struct history, history_fields)};

/* ---- traces ---- */

/* The address of a text is of no use to others; the history has the text. */
static void pack_value(const void *noun, struct buf *out) {
  const struct event *e = noun;
  bool is_text = e->kind == EV_RETURN && e->value[1] == VALUE_STRING;
  wire_put(out, is_text ? 0 : e->value[0]);
  wire_put(out, e->value[1]);
}

static void unpack_value(void *noun, struct unpacking *u) {
  struct event *e = noun;
  e->value[0] = wire_get(&u->from);
  e->value[1] = wire_get(&u->from);
  u->from.bad |=
      e->kind == EV_RETURN && e->value[1] == VALUE_STRING && e->value[0];
}

static const struct field event_fields[] = {
    BELOW(struct event, kind, EV_COUNT),
    BELOW(struct event, thread, NOUN_THREADS),
    NUMBER(struct event, order),
    NUMBER(struct event, flags),
    NUMBER(struct event, step),
    NUMBER(struct event, call),
    NUMBER(struct event, chain),
    NUMBER(struct event, activation),
    NUMBER(struct event, issue),
    NUMBER(struct event, pc),
    NUMBER(struct event, addr),
    NUMBER(struct event, size),
    NUMBER(struct event, old[0]),
    NUMBER(struct event, old[1]),
};
static const struct noun noun_event = {NOUN(struct event, event_fields),
                                       .pack = pack_value,
                                       .unpack = unpack_value};

static const struct field frame_fields[] = {
    NUMBER(struct frame, call_pc),
    NUMBER(struct frame, parent),
};
static const struct noun noun_frame = {NOUN(struct frame, frame_fields)};

static const struct field activation_fields[] = {
    NUMBER(struct activation, call_pc),
    NUMBER(struct activation, parent),
};
static const struct noun noun_activation = {
    NOUN(struct activation, activation_fields)};

static const struct field block_fields[] = {
    NUMBER(struct block, base),
    NUMBER(struct block, size),
    NUMBER(struct block, elem_size),
    NUMBER(struct block, alloc_event),
    NUMBER(struct block, free_event),
    NUMBER(struct block, alloc_pc),
    NUMBER(struct block, free_pc),
    NUMBER(struct block, alloc_chain),
    NUMBER(struct block, free_chain),
    NUMBER(struct block, alloc_call),
    BELOW(struct block, alloc_thread, NOUN_THREADS),
    BELOW(struct block, free_thread, NOUN_THREADS),
};
static const struct noun noun_block = {NOUN(struct block, block_fields)};

static bool is_call(uint32_t call, uint32_t ncalls) {
  return call == EVENT_NO_CALL || call < ncalls;
}

static bool event_is_sound(const struct trace *t, uint32_t i, uint32_t ncalls) {
  const struct event *e = &t->events[i];
  return e->kind < EV_COUNT && e->thread < NOUN_THREADS &&
         is_call(e->call, ncalls) && e->chain < t->nframes &&
         e->activation < t->nactivations && (!e->issue || e->issue < i);
}

/* What was freed before the recording says so by event 0. */
static bool block_is_sound(const struct trace *t, const struct block *b,
                           uint32_t ncalls) {
  bool alloc = b->alloc_event == UINT32_MAX || b->alloc_event < t->nevents;
  bool free = b->free_event == UINT32_MAX || b->free_event < t->nevents ||
              !b->free_event;
  return alloc && free && t->events && b->alloc_chain < t->nframes &&
         b->free_chain < t->nframes && b->alloc_call <= ncalls &&
         b->alloc_thread < NOUN_THREADS && b->free_thread < NOUN_THREADS &&
         b->base + b->size >= b->base;
}

bool trace_is_sound(const struct trace *t, uint32_t ncalls) {
  for (uint32_t i = 0; i < t->nframes; i++)
    if (t->frames[i].parent >= i + !i)
      return false;
  for (uint32_t i = 0; i < t->nactivations; i++)
    if (t->activations[i].parent >= i + !i)
      return false;
  for (uint32_t i = 0; i < t->nevents; i++)
    if (!event_is_sound(t, i, ncalls))
      return false;
  for (uint32_t i = 0; i < t->nblocks; i++)
    if (!block_is_sound(t, &t->blocks[i], ncalls))
      return false;
  return true;
}

static bool trace_sound(void *noun) {
  const struct trace *t = noun;
  return trace_is_sound(t, calls_of(&t->history));
}

static const struct field trace_fields[] = {
    MANY(struct trace, events, nevents, noun_event),
    MANY(struct trace, frames, nframes, noun_frame),
    MANY(struct trace, activations, nactivations, noun_activation),
    MANY(struct trace, blocks, nblocks, noun_block),
    MANY(struct trace, notes, nnotes, noun_name),
    INSIDE(struct trace, history, noun_history),
    FLAG(struct trace, truncated),
};
const struct noun noun_trace = {NOUN(struct trace, trace_fields),
                                .sound = trace_sound};

/* ---- schedules ---- */

static const struct field turn_fields[] = {
    FLAG(struct turn, is_choice), FLAG(struct turn, is_mark),
    NUMBER(struct turn, thread),  NUMBER(struct turn, steps),
    NUMBER(struct turn, first),
};
static const struct noun noun_turn = {NOUN(struct turn, turn_fields)};

/* Whoever follows it makes a list of all its steps. */
#define MOST_TURNS (UINT64_C(1) << 26)

static bool turn_is_sound(const struct turn *t) {
  if (!t->steps || (t->first && !t->is_mark))
    return false;
  if (t->is_mark)
    return !t->is_choice && t->thread <= 2 * SCHEDULE_MAX_THREAD + 1;
  if (t->is_choice)
    return t->steps == 1;
  return t->thread < 2 * SCHEDULE_COMMIT &&
         t->thread % SCHEDULE_COMMIT <= SCHEDULE_MAX_THREAD;
}

static bool schedule_sound(void *noun) {
  const struct schedule *s = noun;
  uint64_t steps = 0;
  for (uint32_t i = 0; i < s->turns.len; i++) {
    const struct turn *t = &s->turns.at[i];
    if (!turn_is_sound(t))
      return false;
    steps += t->is_mark ? 1 : t->steps;
  }
  return steps <= MOST_TURNS;
}

static const struct field schedule_fields[] = {
    TEXT(struct schedule, object),           TEXT(struct schedule, client),
    TEXT(struct schedule, source),           TEXT(struct schedule, options),
    LIST(struct schedule, turns, noun_turn),
};
const struct noun noun_schedule = {NOUN(struct schedule, schedule_fields),
                                   .sound = schedule_sound};

/* ---- findings ---- */

static const struct field waiting_fields[] = {
    BELOW(struct waiting, thread, NOUN_THREADS),
    BELOW(struct waiting, kind, EV_COUNT),
    FLAG(struct waiting, spins),
    NUMBER(struct waiting, holder),
    NUMBER(struct waiting, pc),
    NUMBER(struct waiting, addr),
    NUMBER(struct waiting, call),
};
static const struct noun noun_waiting = {NOUN(struct waiting, waiting_fields)};

static const struct field refutation_fields[] = {
    LIST(struct refutation, order, noun_u32),
    INSIDE(struct refutation, expected, noun_value),
    FLAG(struct refutation, waits),
    LIST(struct refutation, also, noun_value),
    BELOW(struct refutation, bound, BOUND_MOST + 1),
    FLAG(struct refutation, alone),
    BELOW(struct refutation, reading, READING_TOGETHER + 1),
    NUMBER(struct refutation, reach),
};
static const struct noun noun_refutation = {
    NOUN(struct refutation, refutation_fields)};

static uint32_t near_results(const void *noun) {
  const struct neighbour *n = noun;
  return calls_of(&n->trace.history);
}

static const struct field near_fields[] = {
    FLAG(struct neighbour, found),
    NUMBER(struct neighbour, event),
    BELOW(struct neighbour, failing, NOUN_THREADS),
    BELOW(struct neighbour, passing, NOUN_THREADS),
    INSIDE(struct neighbour, trace, noun_trace),
    AS_MANY(struct neighbour, results, near_results, noun_value),
};
static const struct noun noun_near = {NOUN(struct neighbour, near_fields)};

static const struct field minimal_fields[] = {
    NUMBER(struct minimal, from),         FLAG(struct minimal, tried),
    BELOW(struct minimal, type, 3),       REAL(struct minimal, locate_seconds),
    REAL(struct minimal, reduce_seconds), NUMBER(struct minimal, pc),
    NUMBER(struct minimal, checks),
};
static const struct noun noun_minimal = {NOUN(struct minimal, minimal_fields)};

static bool waiting_is_sound(const struct finding *f) {
  for (uint32_t i = 0; i < f->waiting.len; i++) {
    const struct waiting *w = &f->waiting.at[i];
    if (!is_call(w->call, f->client.ncalls) ||
        (w->holder >= NOUN_THREADS && w->holder != UINT8_MAX))
      return false;
  }
  return true;
}

static bool refutations_are_sound(const struct finding *f) {
  for (uint32_t i = 0; i < f->refutations.len; i++) {
    const struct refutation *r = &f->refutations.at[i];
    for (uint32_t k = 0; k < r->order.len; k++)
      if (r->order.at[k] >= f->client.ncalls)
        return false;
    if (!r->order.len)
      return false;
  }
  return true;
}

static bool same_client(const struct client *a, const struct client *b) {
  return !a->calls == !b->calls && a->ninit == b->ninit &&
         a->nfinal == b->nfinal && a->nthreads == b->nthreads &&
         a->ncalls == b->ncalls &&
         (!a->ncalls ||
          !memcmp(a->calls, b->calls, a->ncalls * sizeof *a->calls));
}

static bool near_is_sound(const struct finding *f) {
  const struct neighbour *n = &f->near;
  const struct client *c = n->trace.history.client;
  return !n->found ||
         (n->event < f->trace.nevents && n->event < n->trace.nevents &&
          n->results && (c ? client_equal(c, &f->client) : !f->client.ncalls));
}

/* The trace is one of the finding's client: they share it. */
static bool finding_sound(void *noun) {
  struct finding *f = noun;
  struct history *h = &f->trace.history;
  if (h->client && !same_client(h->client, &f->client))
    return false;
  if (h->client)
    h->client = &f->client;
  bool chain = f->chain < f->trace.nframes || !f->chain;
  bool block = f->block < f->trace.nblocks || f->block == UINT32_MAX;
  return chain && block && f->other <= f->trace.nevents && waiting_is_sound(f) && refutations_are_sound(f) &&
         near_is_sound(f);
}

static const struct field finding_fields[] = {
    BELOW(struct finding, fault, FAULT_COUNT),
    INSIDE(struct finding, client, noun_client),
    INSIDE(struct finding, trace, noun_trace),
    INSIDE(struct finding, again, noun_trace),
    INSIDE(struct finding, schedule, noun_schedule),
    TEXT(struct finding, detail),
    NUMBER(struct finding, pc),
    NUMBER(struct finding, chain),
    BELOW(struct finding, thread, NOUN_THREADS),
    NUMBER(struct finding, addr),
    NUMBER(struct finding, block),
    NUMBER(struct finding, other),
    NUMBER(struct finding, round),
    LIST(struct finding, waiting, noun_waiting),
    LIST(struct finding, refutations, noun_refutation),
    NUMBER(struct finding, more_refutations),
    INSIDE(struct finding, near, noun_near),
    FLAG(struct finding, minimal_checked),
    FLAG(struct finding, only_late),
    INSIDE(struct finding, minimal, noun_minimal),
    FLAG(struct finding, real_threads),
    ONE(struct finding, after, noun_history),
};
const struct noun noun_finding = {NOUN(struct finding, finding_fields),
                                  .sound = finding_sound};

/* ---- results ---- */

static const struct field result_fields[] = {
    NAME(struct result, object),
    TEXT(struct result, spec),
    BELOW(struct result, verdict, VERDICT_UNKNOWN + 1),
    TEXT(struct result, reason),
    ONE(struct result, finding, noun_finding),
    NUMBER(struct result, statistics.executions),
    NUMBER(struct result, statistics.cut),
    NUMBER(struct result, statistics.blocked),
    NUMBER(struct result, statistics.events),
    NUMBER(struct result, statistics.states),
    NUMBER(struct result, statistics.transitions),
    NUMBER(struct result, statistics.interleavings),
    NUMBER(struct result, statistics.clients),
    NUMBER(struct result, statistics.histories),
    NUMBER(struct result, statistics.replays),
    REAL(struct result, statistics.seconds),
    NUMBER(struct result, coverage.threads),
    NUMBER(struct result, coverage.ops),
    NUMBER(struct result, coverage.init),
    NUMBER(struct result, coverage.exhaustive_clients),
    NUMBER(struct result, coverage.sampled_clients),
    FLAG(struct result, coverage.one_client),
    FLAG(struct result, coverage.exhaustive),
    TEXT(struct result, coverage.sentence),
    TEXT(struct result, coverage.limit),
    TEXT(struct result, coverage.estimate),
    NUMBER(struct result, chance.depth),
    NUMBER(struct result, chance.threads),
    NUMBER(struct result, chance.steps),
    REAL(struct result, chance.bound),
    NUMBER(struct result, seed),
    NAME(struct result, search),
    NAME(struct result, criterion),
    NAME(struct result, criterion_from),
    TEXT(struct result, criterion_asked),
    NAME(struct result, memory_model),
    NAME(struct result, memory_model_from),
    TEXT(struct result, memory_model_asked),
    NAME(struct result, heap),
    TEXT(struct result, shrink.version),
    NUMBER(struct result, shrink.histories),
    NUMBER(struct result, shrink.failing),
    NUMBER(struct result, shrink.wrong),
    REAL(struct result, shrink.check_seconds),
    FLAG(struct result, expect_fault),
    FLAG(struct result, partial),
    MANY(struct result, names.name, names.count, noun_name),
    MANY(struct result, names.texts, names.ntexts, noun_name),
    TEXT(struct result, replay_command),
    NUMBER(struct result, base),
};

static bool history_fits(const struct history *h, const struct op_names *n) {
  return !h || !h->client || client_fits(h->client, n);
}

static bool result_sound(void *noun) {
  const struct result *r = noun;
  const struct finding *f = r->finding;
  if (!f)
    return r->verdict == VERDICT_PASS || r->verdict == VERDICT_UNKNOWN;
  return client_fits(&f->client, &r->names) &&
         history_fits(&f->near.trace.history, &r->names) &&
         history_fits(f->after, &r->names);
}

const struct noun noun_result = {NOUN(struct result, result_fields),
                                 .sound = result_sound};
