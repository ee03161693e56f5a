/*
 * Enumeration of clients.  A shape (numbers of calls in threads, of initial
 * calls and of threads, and the lengths of threads in ascending order) gives
 * slots for calls.  A depth-first walk fills them in lexicographic order of
 * (operation, indices of values).  Two rules keep one client of each class
 * under renaming:
 *
 *   values   a renamable value is one used in an earlier slot, or the next
 *            fresh one of its list: restricted growth strings, one for each way
 *            to identify values (1 1, 1 2; not 2 1);
 *   threads  no order of the threads, with the values then renamed by first
 *            use, gives a smaller sequence.
 *
 * The second is tested whenever a thread is complete, since a prefix that can
 * be made smaller is the prefix of no smallest client.
 */
#include "search/generate.h"

#include "base/err.h"
#include "base/slow.h"
#include "search/generate_object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct call_slot {
  uint32_t op;
  uint32_t arg[CLIENT_MAX_ARGS]; /* indices of values */
  uint32_t thread;
};

enum {
  UNSET = UINT32_MAX,
  OBSERVED = 3,    /* calls that are observed, at least (G10) */
  ROLE_VALUES = 8, /* combinations of values that are tried to learn a role */
};

struct enumeration {
  uint32_t weight; /* of the shape: 2 * inside + init (G3) */
  uint32_t inside; /* calls in threads */
  uint32_t threads, init;
  uint32_t calls; /* inside + init */
  bool ended;
  uint32_t length[CLIENT_MAX_THREADS + 1], first[CLIENT_MAX_THREADS + 1];
  uint32_t depth;         /* the slot to be filled or advanced next */
  struct call_slot *slot; /* `calls` of them */
  uint32_t *used;         /* used[slot * nclasses + class], before that slot */
  /* The renaming of one order of the threads: old index to new one. */
  uint32_t *name;  /* name[class * names + old], UNSET when not yet seen */
  uint32_t names;  /* room for the values of a class in one client */
  uint32_t *fresh; /* by class: the next new index */
  uint32_t *trail; /* places that were named, in order, to undo it */
  uint32_t ntrail;
};

/* ---- shapes ---- */

/* The smallest ascending lengths of threads p … that sum up to `sum` and begin
 * with at least `min`; false when there are none. */
static bool fill_lengths(struct generator *g, uint32_t p, uint32_t min,
                         uint32_t sum) {
  struct enumeration *s = g->at;
  for (; p <= s->threads; p++) {
    uint32_t rest = s->threads - p;
    while (min <= g->limits.ops && sum > min + rest * g->limits.ops)
      min++;
    if (min > g->limits.ops || min * (rest + 1) > sum)
      return false;
    s->length[p] = min;
    sum -= min;
  }
  return true;
}

static bool next_lengths(struct generator *g) {
  uint32_t sum = 0;
  for (uint32_t p = g->at->threads; p >= 1; p--) {
    sum += g->at->length[p];
    if (fill_lengths(g, p, g->at->length[p] + 1, sum))
      return true;
  }
  return false;
}

/* The next numbers of calls (G3). */
static bool next_numbers(struct generator *g) {
  struct enumeration *s = g->at;
  const struct gen_limits *l = &g->limits;
  uint32_t most = l->threads * l->ops;
  do {
    s->inside++; /* and two initial calls less */
    if (2 * s->inside > s->weight) {
      s->weight++;
      s->inside = s->weight > l->init + 4 ? (s->weight - l->init + 1) / 2 : 2;
    }
    if (s->weight > 2 * most + l->init)
      return false;
  } while (s->inside > most || 2 * s->inside > s->weight);
  s->init = s->weight - 2 * s->inside; /* G3 */
  s->calls = s->inside + s->init;
  return true;
}

static bool next_shape(struct generator *g) {
  struct enumeration *s = g->at;
  if (s->threads && next_lengths(g))
    return true;
  do {
    if (s->threads++ == 0 || s->threads > g->limits.threads ||
        s->threads > s->inside) {
      if (!next_numbers(g))
        return false;
      s->threads = 2; /* G4 */
    }
  } while (!fill_lengths(g, 1, 1, s->inside));
  return true;
}

/* Is the shape one that is wanted (G10)? */
static bool fits(const struct generator *g) {
  const struct enumeration *s = g->at;
  return !g->limits.observe ||
         (s->threads == 2 && s->length[1] == 1 && s->length[2] >= OBSERVED);
}

static void lay_out(struct generator *g) {
  struct enumeration *s = g->at;
  uint32_t n = 0;
  s->length[0] = s->init;
  for (uint32_t t = 0; t <= s->threads; t++) {
    s->first[t] = n;
    for (uint32_t i = 0; i < s->length[t]; i++)
      s->slot[n++].thread = t;
  }
  assert(n == s->calls && s->init <= g->limits.init);
  assert(s->threads >= 2 && s->length[1] >= 1); /* G4 */
  s->depth = 0;
  s->slot[0].op = UNSET;
}

/* ---- slots ---- */

static bool group_elsewhere(const struct generator *g, uint32_t group,
                            uint32_t thread) {
  const struct enumeration *s = g->at;
  for (uint32_t i = s->init; i < s->first[thread]; i++)
    if (g->object.ops[s->slot[i].op].group == group)
      return true;
  return false;
}

static bool allowed(const struct generator *g, uint32_t op, uint32_t thread) {
  const struct own_op *o = &g->object.ops[op];
  if (!o->usable)
    return false;
  if (g->limits.observe && thread &&
      (o->role == ROLE_READS) != (thread == 1)) /* G10 */
    return false;
  if (thread == 0)
    return !o->waits;                                        /* G6 */
  return !o->group || !group_elsewhere(g, o->group, thread); /* G5 */
}

/* The next combination of values for the slot's operation. */
static bool next_args(const struct generator *g, struct call_slot *slot,
                      const uint32_t *used) {
  const struct own_op *o = &g->object.ops[slot->op];
  uint32_t nclasses = g->object.nclasses, limit[CLIENT_MAX_ARGS];
  uint32_t now[nclasses + 1];
  memcpy(now, used, nclasses * sizeof *now);
  for (uint32_t k = 0; k < o->nargs; k++) {
    limit[k] = own_choices(&o->args[k], now);
    own_use(&o->args[k], slot->arg[k], now);
  }
  for (uint32_t k = o->nargs; k-- > 0;) {
    if (++slot->arg[k] < limit[k])
      return true;
    slot->arg[k] = 0;
  }
  return false;
}

static bool next_in_slot(const struct generator *g, struct call_slot *slot,
                         const uint32_t *used) {
  if (slot->op != UNSET && next_args(g, slot, used))
    return true;
  uint32_t op = slot->op == UNSET ? 0 : slot->op + 1;
  while (op < g->object.nops && !allowed(g, op, slot->thread))
    op++;
  slot->op = op;
  memset(slot->arg, 0, sizeof slot->arg);
  return op < g->object.nops;
}

static void use_slot(const struct generator *g, const struct call_slot *slot,
                     uint32_t *used) {
  const struct own_op *o = &g->object.ops[slot->op];
  for (uint32_t k = 0; k < o->nargs; k++)
    own_use(&o->args[k], slot->arg[k], used);
}

/* ---- the smallest order of threads ---- */

static uint32_t rename_index(struct enumeration *s, uint32_t klass,
                             uint32_t old) {
  if (klass == NO_CLASS)
    return old;
  assert(old < s->names);
  uint32_t place = klass * s->names + old;
  if (s->name[place] == UNSET) {
    s->name[place] = s->fresh[klass]++;
    s->trail[s->ntrail++] = place;
  }
  return s->name[place];
}

static void undo_names(struct enumeration *s, uint32_t to) {
  while (s->ntrail > to) {
    uint32_t place = s->trail[--s->ntrail];
    s->name[place] = UNSET;
    s->fresh[place / s->names]--;
  }
}

/* The calls of thread t, renamed, against those of thread p as they are. */
static int compare_threads(struct generator *g, uint32_t t, uint32_t p) {
  struct enumeration *s = g->at;
  for (uint32_t i = 0; i < s->length[p]; i++) {
    const struct call_slot *a = &s->slot[s->first[t] + i];
    const struct call_slot *b = &s->slot[s->first[p] + i];
    if (a->op != b->op)
      return a->op < b->op ? -1 : 1;
    const struct own_op *o = &g->object.ops[a->op];
    for (uint32_t k = 0; k < o->nargs; k++) {
      uint32_t index = rename_index(s, o->args[k].klass, a->arg[k]);
      if (index != b->arg[k])
        return index < b->arg[k] ? -1 : 1;
    }
  }
  return 0;
}

static bool same_calls(const struct generator *g, uint32_t t, uint32_t u) {
  const struct enumeration *s = g->at;
  for (uint32_t i = 0; i < s->length[t]; i++) {
    const struct call_slot *a = &s->slot[s->first[t] + i];
    const struct call_slot *b = &s->slot[s->first[u] + i];
    if (a->op != b->op || memcmp(a->arg, b->arg, sizeof a->arg) != 0)
      return false;
  }
  return true;
}

/* Thread t would be tried at a place where an equal one was tried before. */
static bool tried(const struct generator *g, uint32_t t, uint32_t taken) {
  const struct enumeration *s = g->at;
  for (uint32_t u = 1; u < t; u++)
    if (!(taken >> u & 1) && s->length[u] == s->length[t] &&
        same_calls(g, u, t))
      return true;
  return false;
}

/* No order of threads p … last is smaller; the `taken` threads stand before. */
static bool smallest_from(struct generator *g, uint32_t p, uint32_t last,
                          uint32_t taken) {
  struct enumeration *s = g->at;
  bool ok = true;
  for (uint32_t t = 1; t <= last && ok && p <= last; t++) {
    if (taken >> t & 1 || s->length[t] != s->length[p] || tried(g, t, taken))
      continue;
    uint32_t mark = s->ntrail;
    int order = compare_threads(g, t, p);
    if (order < 0)
      ok = false;
    else if (order == 0)
      ok = smallest_from(g, p + 1, last, taken | UINT32_C(1) << t);
    undo_names(s, mark);
  }
  return ok;
}

static bool smallest(struct generator *g, uint32_t last) {
  struct enumeration *s = g->at;
  uint32_t end = s->first[last] + s->length[last];
  const uint32_t *initially = s->used + s->init * g->object.nclasses;
  const uint32_t *now = s->used + end * g->object.nclasses;
  for (uint32_t c = 0; c < g->object.nclasses; c++) {
    s->fresh[c] = initially[c]; /* initial calls come first in every order */
    for (uint32_t i = 0; i < now[c]; i++)
      s->name[c * s->names + i] = i < initially[c] ? i : (uint32_t)UNSET;
  }
  s->ntrail = 0;
  return smallest_from(g, 1, last, 0);
}

/* ---- the walk ---- */

static struct call call_of(const struct generator *g,
                           const struct call_slot *slot) {
  const struct own_op *o = &g->object.ops[slot->op];
  struct call call = {.op = (uint16_t)slot->op, .nargs = (uint8_t)o->nargs};
  for (uint32_t k = 0; k < o->nargs; k++)
    call.args[k] = o->args[k].values[slot->arg[k]];
  return call;
}

/* Does the initial call in slot `depth` change the object (G7)? */
static bool changes(const struct generator *g, uint32_t depth) {
  struct client init = {0};
  if (!g->limits.changes)
    return true;
  for (uint32_t i = 0; i <= depth; i++)
    client_add_init(&init, call_of(g, &g->at->slot[i]));
  bool does = g->limits.changes(g->limits.ctx, &init);
  client_free(&init);
  return does;
}

/* All slots are filled: does the client have as many different values as it can
 * have?  Else G8 leaves it out. */
static bool is_distinct(const struct generator *g) {
  const struct enumeration *s = g->at;
  uint32_t n = g->object.nclasses, places[n + 1], room[n + 1];
  memset(places, 0, sizeof places);
  if (!g->limits.distinct)
    return true;
  for (uint32_t i = 0; i < s->calls; i++) {
    const struct own_op *o = &g->object.ops[s->slot[i].op];
    for (uint32_t k = 0; k < o->nargs; k++)
      if (o->args[k].klass != NO_CLASS) {
        places[o->args[k].klass]++;
        room[o->args[k].klass] = o->args[k].count;
      }
  }
  const uint32_t *used = s->used + s->calls * n;
  for (uint32_t c = 0; c < n; c++)
    if (places[c] && used[c] < places[c] && used[c] < room[c])
      return false;
  return true;
}

/* Are the calls up to slot `depth` free of operations that are not wanted
 * together (G11)? */
static bool is_without(const struct generator *g, uint32_t depth) {
  struct client c = {0};
  if (!g->limits.nwithout)
    return true;
  for (uint32_t i = 0; i <= depth; i++)
    if (g->at->slot[i].thread)
      client_add(&c, g->at->slot[i].thread, call_of(g, &g->at->slot[i]));
    else
      client_add_init(&c, call_of(g, &g->at->slot[i]));
  bool is = !client_has_part_of(&c, g->limits.without, g->limits.nwithout);
  client_free(&c);
  return is;
}

/* Slot `depth` was filled: can it stay? */
static bool accept(struct generator *g, uint32_t depth) {
  const struct enumeration *s = g->at;
  uint32_t t = s->slot[depth].thread;
  bool complete = depth + 1 == s->first[t] + s->length[t];
  if (!is_without(g, depth) || (t == 0 && !changes(g, depth)))
    return false;
  if (depth + 1 == s->calls && !is_distinct(g))
    return false;
  return t < 2 || !complete || smallest(g, t);
}

/* The next filling of the current shape. */
static bool next_filling(struct generator *g) {
  struct enumeration *s = g->at;
  uint32_t nclasses = g->object.nclasses;
  for (;;) {
    struct call_slot *slot = &s->slot[s->depth];
    uint32_t *used = s->used + s->depth * nclasses;
    if (!next_in_slot(g, slot, used)) {
      if (s->depth == 0)
        return false;
      s->depth--;
      continue;
    }
    memcpy(used + nclasses, used, nclasses * sizeof *used);
    use_slot(g, slot, used + nclasses);
    if (!accept(g, s->depth))
      continue;
    if (s->depth + 1 == s->calls)
      return true;
    s->slot[++s->depth].op = UNSET;
  }
}

static void write_client(const struct generator *g, struct client *out) {
  const struct enumeration *s = g->at;
  *out = (struct client){0};
  for (uint32_t i = 0; i < s->calls; i++) {
    const struct call_slot *slot = &s->slot[i];
    if (slot->thread)
      client_add(out, slot->thread, call_of(g, slot));
    else
      client_add_init(out, call_of(g, slot));
  }
}

bool generator_next(struct generator *g, struct client *out) {
  struct enumeration *s = g->at;
  while (!s->ended && (!s->calls || !next_filling(g))) {
    do
      s->ended = g->limits.threads < 2 || !next_shape(g);
    while (!s->ended && !fits(g));
    if (!s->ended)
      lay_out(g);
  }
  if (s->ended)
    return false;
  write_client(g, out);
  if (g->limits.final)
    own_add_final(&g->object, &g->limits, out);
  check_slow((generated_check_invariants(&g->object, &g->limits, out), true));
  return true;
}

/* If all operations have a group, each thread needs a group of its own (G5). */
static uint32_t most_threads(const struct own_object *o) {
  uint32_t groups = 0;
  for (uint32_t i = 0; i < o->nops; i++) {
    if (!o->ops[i].usable)
      continue;
    if (!o->ops[i].group)
      return CLIENT_MAX_THREADS;
    bool seen = false;
    for (uint32_t k = 0; k < i; k++)
      seen |= o->ops[k].usable && o->ops[k].group == o->ops[i].group;
    groups += !seen;
  }
  return groups;
}

/* ---- what operations do ---- */

/* The call of `op` with combination k of its values; false: there are fewer. */
static bool nth_call(const struct own_object *o, uint32_t op, uint64_t k,
                     struct call *out) {
  const struct own_op *p = &o->ops[op];
  *out = (struct call){.op = (uint16_t)op, .nargs = (uint8_t)p->nargs};
  for (uint32_t i = 0; i < p->nargs; k /= p->args[i++].count)
    out->args[i] = p->args[i].values[k % p->args[i].count];
  return k == 0;
}

static bool last_changes(const struct generator *g, const struct call *before,
                         const struct call *last) {
  struct client init = {0};
  if (before)
    client_add_init(&init, *before);
  client_add_init(&init, *last);
  bool does = g->limits.changes(g->limits.ctx, &init);
  client_free(&init);
  return does;
}

/* Does this call change what the constructor or one other call leaves? */
static bool ever_changes(const struct generator *g, const struct call *call) {
  const struct own_object *o = &g->object;
  bool does = last_changes(g, NULL, call);
  struct call before;
  for (uint32_t i = 0; i < o->nops && !does; i++)
    for (uint64_t k = 0; k < ROLE_VALUES && !does; k++)
      does = o->ops[i].usable && !o->ops[i].waits &&
             nth_call(o, i, k, &before) && last_changes(g, &before, call);
  return does;
}

static void learn_role(struct generator *g, uint32_t op) {
  bool does = false;
  struct call call;
  for (uint64_t k = 0; k < ROLE_VALUES && !does; k++)
    does = nth_call(&g->object, op, k, &call) && ever_changes(g, &call);
  g->object.ops[op].role = does ? ROLE_CHANGES : ROLE_READS;
}

static void learn_roles(struct generator *g) {
  for (uint32_t i = 0; i < g->object.nops; i++) {
    const struct own_op *o = &g->object.ops[i];
    if (o->usable && !o->waits && o->returns)
      learn_role(g, i);
  }
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

struct generator *generator_new(const struct gen_object *o,
                                const struct gen_limits *limits) {
  struct generator *g = xcalloc(1, sizeof *g);
  own_object_init(&g->object, o);
  g->limits = *limits;
  struct gen_limits *l = &g->limits;
  l->threads =
      least(least(l->threads, CLIENT_MAX_THREADS), most_threads(&g->object));
  l->ops = least(l->ops, CLIENT_MAX_CALLS);
  l->init = least(l->init, CLIENT_MAX_CALLS);
  uint32_t calls = l->init + l->threads * l->ops, classes = g->object.nclasses;
  struct enumeration *s = g->at = xcalloc(1, sizeof *s);
  s->weight = 3; /* one less than {a} || {b} has */
  if (g->limits.changes)
    learn_roles(g);
  s->names = calls * CLIENT_MAX_ARGS + 1;
  s->slot = xcalloc(calls + 1, sizeof *s->slot);
  s->used = xcalloc((size_t)(calls + 1) * classes + 1, sizeof *s->used);
  s->name = xcalloc((size_t)s->names * classes + 1, sizeof *s->name);
  s->fresh = xcalloc(classes + 1, sizeof *s->fresh);
  s->trail = xcalloc((size_t)s->names * classes + 1, sizeof *s->trail);
  return g;
}

void generator_free(struct generator *g) {
  if (!g)
    return;
  own_object_free(&g->object);
  free(g->at->slot);
  free(g->at->used);
  free(g->at->name);
  free(g->at->fresh);
  free(g->at->trail);
  free(g->at);
  free(g);
}
