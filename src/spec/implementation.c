/*
 * The object itself as its specification: what a call returns when the calls
 * so far are made one after the other, each by its own thread.  States are
 * nodes of a trie of call sequences; each edge is run once.  Nodes that leave
 * equal native states behind are one node.
 *
 * A call that is in no path, though a later one of its thread is, has failed
 * without a reason (check.h, K6): the client then does not make it.
 *
 * To run an edge, the calls up to its node are made again, from the beginning
 * or, since that takes the square of the length of a long history, from the
 * native state that a node on the way has kept.
 */
#include "spec/implementation.h"

#include "base/map128.h"
#include "base/vec.h"
#include "rt/rt.h"

#include <stdlib.h>
#include <string.h>

struct implementation_edge {
  uint32_t node, call;
  enum spec_answer answer;
  struct value result;
  uint32_t next;
};

/* Of so many nodes on a path one keeps its state, while there is memory. */
enum { KEEP_EVERY = 4 };
#define KEEP_BYTES ((uint64_t)256 << 20)

struct implementation_node {
  uint32_t parent, call; /* how it was first reached */
  uint32_t depth;
  struct hash128 digest;
  struct hash128 contents; /* of memory; of no other node where not known */
  struct snapshot kept;    /* or empty */
};

struct implementation {
  struct spec spec;
  const struct client *client;
  VEC(struct implementation_node) nodes;
  VEC(struct implementation_edge) edges;
  struct map128 edge_of, node_of;
  uint32_t *order; /* scratch: a path of calls … */
  bool *without;   /* … and calls that are not made */
  uint64_t kept;   /* bytes of native states */
  bool began;      /* the contents of the first node are known */
};

/* A driver that makes the calls of an order one after the other. */
struct serial {
  const struct client *client;
  const uint32_t *order;
  uint32_t len, next;
  const bool *without;
  bool waits;
  struct snapshot *keep; /* where to put the state behind the last, or NULL */
};

/* The client's threads that have calls left to make. */
static uint32_t busy_threads(const struct serial *s) {
  const struct client *c = s->client;
  uint32_t mask = 0;
  for (uint32_t i = c->ninit; i < client_first_final(c); i++)
    if (!rt_call_done(i) && !(s->without && s->without[i]))
      mask |= 1u << c->calls[i].thread;
  return mask;
}

static int pick(void *ctx, uint32_t enabled, int current) {
  (void)current;
  struct serial *s = ctx;
  while (s->next < s->len && rt_call_done(s->order[s->next]))
    s->next++;
  if (s->next == s->len) {
    if (s->keep)
      rt_save(s->keep);
    return RT_STOP;
  }
  int t = s->client->calls[s->order[s->next]].thread;
  if (t && enabled >> t & 1)
    return t;
  /*
   * A final call comes when all threads are done: they may still have to
   * leave.  A call that waits may be helped by threads that the object created
   * and by those that are leaving; the others may not begin their calls.
   */
  uint32_t others = enabled & ~busy_threads(s);
  if (others)
    return __builtin_ctz(others);
  s->waits = true;
  return RT_STOP;
}

/* The calls to be made from the last state that was kept on the way, which is
 * *from; NULL: from the beginning. */
static uint32_t path_to(struct implementation *m, uint32_t node,
                        const struct snapshot **from) {
  uint32_t n = 0;
  *from = NULL;
  for (; m->nodes.at[node].depth; node = m->nodes.at[node].parent) {
    if (m->nodes.at[node].kept.len) {
      *from = &m->nodes.at[node].kept;
      break;
    }
    m->order[n++] = m->nodes.at[node].call;
  }
  for (uint32_t i = 0; i < n / 2; i++) {
    uint32_t other = m->order[i];
    m->order[i] = m->order[n - 1 - i];
    m->order[n - 1 - i] = other;
  }
  return n;
}

/* Every call of the thread before this one that is not made by now. */
static void leave_out(struct implementation *m, uint32_t made) {
  const struct client *c = m->client;
  bool final = made >= client_first_final(c);
  for (uint32_t i = c->ninit; i < made; i++)
    m->without[i] |= final || c->calls[i].thread == c->calls[made].thread;
}

/* The calls that are not made when these are: NULL, there is none. */
static const bool *find_left_out(struct implementation *m,
                                 const struct implementation_edge *e) {
  memset(m->without, 0, m->client->ncalls * sizeof *m->without);
  leave_out(m, e->call);
  for (uint32_t i = e->node; m->nodes.at[i].depth; i = m->nodes.at[i].parent)
    leave_out(m, m->nodes.at[i].call);
  for (uint32_t i = e->node; m->nodes.at[i].depth; i = m->nodes.at[i].parent)
    m->without[m->nodes.at[i].call] = false;
  return memchr(m->without, true, m->client->ncalls) ? m->without : NULL;
}

static void run(struct implementation *m, struct implementation_edge *e) {
  const struct client *c = m->client;
  const struct snapshot *from;
  struct snapshot keep = {0};
  uint32_t depth = m->nodes.at[e->node].depth + 1;
  uint32_t len = path_to(m, e->node, &from);
  m->order[len++] = e->call;
  struct serial s = {.client = c,
                     .order = m->order,
                     .len = len,
                     .without = find_left_out(m, e)};
  if (depth % KEEP_EVERY == 0 && m->kept < KEEP_BYTES)
    s.keep = &keep;
  struct rt_driver driver = {pick, NULL, &s, .every = true,
                             .without = s.without};
  bool buffers = rt_buffering(false); /* what is meant is the code's text */
  struct rt_conditions conditions = rt_suspend_conditions();
  enum rt_end end = from ? rt_run_on(from, &driver) : rt_run(&driver);
  rt_resume_conditions(conditions);
  rt_buffering(buffers);
  if (rt_call_done(e->call)) {
    e->answer = SPEC_RETURNS;
    e->result = rt_history()->ops[e->call].result;
  } else if (end == RT_FAULT && rt_fault()->kind != FAULT_DEADLOCK &&
             rt_fault()->kind != FAULT_LIVELOCK) {
    e->answer = SPEC_FAULT;
  } else {
    e->answer = SPEC_WAITS;
  }
  if (e->answer != SPEC_RETURNS) {
    snapshot_free(&keep);
    return;
  }
  /* Final calls run in one go, so there is no state between them. */
  bool fresh = true;
  uint32_t *known = NULL;
  uint32_t which = end == RT_STOPPED ? depth : e->call;
  struct hash128 h = hash128(&which, sizeof which, 0), contents = {0};
  if (end == RT_STOPPED) {
    contents = rt_hash_contents();
    h = hash128_join(rt_hash(false), h);
    known = map128_put(&m->node_of, h, &fresh);
  } else {
    h = hash128_join(h, m->nodes.at[e->node].digest);
    contents = h;
  }
  if (fresh) {
    e->next = m->nodes.len;
    if (known)
      *known = e->next;
    m->kept += keep.cap;
    vec_push(&m->nodes, ((struct implementation_node){e->node, e->call, depth,
                                                      h, contents, keep}));
  } else {
    e->next = *known;
    snapshot_free(&keep);
  }
}

static enum spec_answer apply(struct spec *s, const struct client *c,
                              uint32_t state, uint32_t call,
                              struct value *result, uint32_t *next) {
  struct implementation *m = (struct implementation *)s;
  (void)c;
  uint32_t key[2] = {state, call};
  bool fresh;
  uint32_t *at = map128_put(&m->edge_of, hash128(key, sizeof key, 0), &fresh);
  if (fresh) {
    struct implementation_edge e = {.node = state, .call = call};
    *at = m->edges.len;
    run(m, &e);
    vec_push(&m->edges, e);
    *result = e.result;
    *next = e.next;
    return e.answer;
  }
  const struct implementation_edge *e = &m->edges.at[*at];
  *result = e->result;
  *next = e->next;
  return e->answer;
}

static struct hash128 digest(struct spec *s, uint32_t state) {
  return ((struct implementation *)s)->nodes.at[state].digest;
}

/* Those of the first node: nothing was called. */
static struct hash128 first_contents(struct implementation *m) {
  struct serial s = {.client = m->client};
  struct rt_driver driver = {pick, NULL, &s, .every = true};
  bool buffers = rt_buffering(false);
  struct rt_conditions conditions = rt_suspend_conditions();
  bool stopped = rt_run(&driver) == RT_STOPPED;
  rt_resume_conditions(conditions);
  rt_buffering(buffers);
  return stopped ? rt_hash_contents() : (struct hash128){0};
}

static struct hash128 contents(struct spec *s, uint32_t state) {
  struct implementation *m = (struct implementation *)s;
  if (!m->began)
    m->nodes.at[0].contents = first_contents(m);
  m->began = true;
  return m->nodes.at[state].contents;
}

static void forget_nodes(struct implementation *m) {
  for (uint32_t i = 0; i < m->nodes.len; i++)
    snapshot_free(&m->nodes.at[i].kept);
  vec_clear(&m->nodes);
  m->kept = 0;
}

static void implementation_free(struct spec *s) {
  struct implementation *m = (struct implementation *)s;
  forget_nodes(m);
  vec_free(&m->nodes);
  vec_free(&m->edges);
  map128_free(&m->edge_of);
  map128_free(&m->node_of);
  free(m->order);
  free(m->without);
  free(m);
}

struct spec *spec_implementation(void) {
  struct implementation *m = xcalloc(1, sizeof *m);
  m->spec = (struct spec){.name = "implementation",
                          .apply = apply,
                          .digest = digest,
                          .contents = contents,
                          .free = implementation_free,
                          .skips_init = true};
  return &m->spec;
}

void spec_implementation_client(struct spec *s, const struct client *c) {
  struct implementation *m = (struct implementation *)s;
  m->client = c;
  m->began = false;
  m->order = xrealloc(m->order, (c->ncalls + 1) * sizeof *m->order);
  m->without = xrealloc(m->without, (c->ncalls + 1) * sizeof *m->without);
  forget_nodes(m);
  vec_clear(&m->edges);
  map128_clear(&m->edge_of);
  map128_clear(&m->node_of);
  vec_push(&m->nodes, ((struct implementation_node){0}));
}
