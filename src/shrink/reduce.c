/* Reducing a client: calls, threads, values. */
#include "shrink/reduce.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { KEEP_MOST = 32, LOWER_TRIES = 16 };

static bool goes_on(const struct reduce *r) {
  return !r->goes_on || r->goes_on(r->ctx);
}

/* Takes the smaller client if it fails; frees it if not. */
static enum reduce_answer accept(struct reduce *r, struct client *c,
                                 struct client *smaller) {
  if (!smaller->ncalls || !smaller->nthreads) {
    client_free(smaller);
    return REDUCE_CORRECT; /* nothing runs */
  }
  r->checks++;
  enum reduce_answer a = r->check(r->ctx, smaller);
  if (a == REDUCE_FAILS) {
    client_free(c);
    *c = *smaller; /* A */
  } else {
    client_free(smaller);
  }
  return a;
}

/* ---- pieces ---- */

/* Without n calls from `at` on, which are all initial or all final. */
static bool drop(struct reduce *r, struct client *c, uint32_t at, uint32_t n) {
  struct client less;
  client_copy(&less, c);
  bool init = at < c->ninit;
  for (uint32_t i = at; i + n < c->ncalls; i++)
    less.calls[i] = less.calls[i + n];
  less.ncalls -= n;
  *(init ? &less.ninit : &less.nfinal) -= n;
  return accept(r, c, &less) == REDUCE_FAILS;
}

static void drop_pieces(struct reduce *r, struct client *c, bool init) {
  for (uint32_t n = init ? c->ninit : c->nfinal; n; n /= 2)
    for (uint32_t at = 0; goes_on(r);) {
      uint32_t first = init ? 0 : client_first_final(c);
      if (at + n > (init ? c->ninit : c->nfinal))
        break;
      if (!drop(r, c, first + at, n))
        at += n;
    }
}

void reduce_pieces(struct reduce *r, struct client *c) {
  drop_pieces(r, c, true);
  drop_pieces(r, c, false);
}

void reduce_to_few(struct reduce *r, struct client *c) {
  uint32_t n = c->ninit;
  for (uint32_t k = 1; k < n && k <= KEEP_MOST && goes_on(r); k++)
    if (drop(r, c, 0, n - k) || drop(r, c, k, n - k))
      return;
}

/* ---- serial instead of concurrent ---- */

static struct client without_thread_call(const struct client *c, uint32_t id,
                                         bool to_init) {
  struct client out = {0};
  uint32_t end = client_first_final(c), last = 0;
  for (uint32_t i = 0; i < c->ninit; i++)
    client_add_init(&out, c->calls[i]);
  if (to_init)
    client_add_init(&out, c->calls[id]);
  for (uint32_t i = c->ninit; i < end; i++) {
    if (i == id)
      continue;
    uint32_t t = c->calls[i].thread;
    client_add(&out, out.nthreads + (t != last), c->calls[i]);
    last = t;
  }
  if (!to_init)
    client_add_final(&out, c->calls[id]);
  for (uint32_t i = end; i < c->ncalls; i++)
    client_add_final(&out, c->calls[i]);
  return out;
}

static bool is_edge(const struct client *c, uint32_t id, bool first) {
  uint32_t t = c->calls[id].thread;
  if (first)
    return id == c->ninit || c->calls[id - 1].thread != t;
  return id + 1 == client_first_final(c) || c->calls[id + 1].thread != t;
}

/* True: one call was made serial. */
static bool make_one_serial(struct reduce *r, struct client *c) {
  for (int first = 1; first >= 0; first--)
    for (uint32_t id = c->ninit; id < client_first_final(c); id++) {
      if (!is_edge(c, id, first) || !goes_on(r))
        continue;
      struct client serial = without_thread_call(c, id, first);
      if (serial.nthreads < 2)
        client_free(&serial);
      else if (accept(r, c, &serial) == REDUCE_FAILS)
        return true;
    }
  return false;
}

/* The calls of thread `a` come behind those of thread `b`. */
static struct client merged(const struct client *c, uint32_t a, uint32_t b) {
  struct client out = {0};
  uint32_t end = client_first_final(c);
  for (uint32_t i = 0; i < c->ninit; i++)
    client_add_init(&out, c->calls[i]);
  for (uint32_t t = 1, to = 1; t <= c->nthreads; t++) {
    for (uint32_t i = c->ninit; i < end && t != a; i++)
      if (c->calls[i].thread == t)
        client_add(&out, to, c->calls[i]);
    for (uint32_t i = c->ninit; i < end && t == b; i++)
      if (c->calls[i].thread == a)
        client_add(&out, to, c->calls[i]);
    to += t != a;
  }
  for (uint32_t i = end; i < c->ncalls; i++)
    client_add_final(&out, c->calls[i]);
  return out;
}

/* True: there is a thread less. */
static bool merge_threads(struct reduce *r, struct client *c) {
  for (uint32_t a = 1; a <= c->nthreads && c->nthreads > 2; a++)
    for (uint32_t b = 1; b <= c->nthreads && goes_on(r); b++) {
      if (a == b)
        continue;
      struct client fewer = merged(c, a, b);
      if (accept(r, c, &fewer) == REDUCE_FAILS)
        return true;
    }
  return false;
}

void reduce_concurrent(struct reduce *r, struct client *c) {
  while (make_one_serial(r, c) || merge_threads(r, c))
    ;
}

/* ---- values ---- */

static int by_value(const void *x, const void *y) {
  int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
  return a < b ? -1 : a > b;
}

typedef VEC(int64_t) value_list;

static uint32_t place_of(const value_list *l, int64_t v) {
  uint32_t i = 0;
  while (i < l->len && l->at[i] != v)
    i++;
  return i;
}

/* Arguments with the same list of values stand for the same things. */
struct argument_group {
  const int64_t *values;
  uint32_t count;
  bool data;
};

static bool in_group(const struct reduce *r, const struct argument_group *g,
                     uint32_t op, uint32_t arg) {
  const int64_t *values;
  bool data;
  uint32_t n = r->domain(r->ctx, op, arg, &values, &data);
  return n == g->count && data == g->data &&
         !memcmp(values, g->values, n * sizeof *values);
}

/* The values of the group that the client has, each once. */
static void list_used(const struct reduce *r, const struct argument_group *g,
                      const struct client *c, value_list *out) {
  for (uint32_t i = 0; i < c->ncalls; i++)
    for (uint32_t k = 0; k < c->calls[i].nargs; k++)
      if (in_group(r, g, c->calls[i].op, k) &&
          place_of(out, c->calls[i].args[k]) == out->len)
        vec_push(out, c->calls[i].args[k]);
}

/* Renames the values of the group in `c`, numbered as they appear or in their
 * order; false: they are the first ones. */
static bool rename_group(const struct reduce *r, const struct argument_group *g,
                         bool as_they_appear, struct client *c) {
  value_list used = {0}, first = {0};
  bool changed = false;
  list_used(r, g, c, &used);
  for (uint32_t i = 0; i < g->count && first.len < used.len; i++)
    if (place_of(&first, g->values[i]) == first.len)
      vec_push(&first, g->values[i]);
  if (!as_they_appear && used.len) {
    qsort(used.at, used.len, sizeof *used.at, by_value);
    qsort(first.at, first.len, sizeof *first.at, by_value);
  }
  for (uint32_t i = 0; i < c->ncalls && first.len == used.len; i++)
    for (uint32_t k = 0; k < c->calls[i].nargs; k++) {
      int64_t *v = &c->calls[i].args[k];
      if (!in_group(r, g, c->calls[i].op, k))
        continue;
      int64_t to = first.at[place_of(&used, *v)];
      changed |= *v != to;
      *v = to;
    }
  vec_free(&used);
  vec_free(&first);
  return changed;
}

typedef VEC(struct argument_group) group_list;

static void find_groups(const struct reduce *r, const struct client *c,
                        group_list *out) {
  for (uint32_t i = 0; i < c->ncalls; i++)
    for (uint32_t k = 0; k < c->calls[i].nargs; k++) {
      struct argument_group g;
      bool known = false;
      g.count = r->domain(r->ctx, c->calls[i].op, k, &g.values, &g.data);
      for (uint32_t n = 0; n < out->len && !known; n++)
        known = in_group(r, &out->at[n], c->calls[i].op, k);
      if (g.count && !known)
        vec_push(out, g);
    }
}

/* Renames groups from..to together; true: it fails so. */
static bool rename_all(struct reduce *r, struct client *c,
                       const group_list *groups, uint32_t from, uint32_t to,
                       bool as_they_appear) {
  struct client renamed;
  bool changed = false;
  client_copy(&renamed, c);
  for (uint32_t i = from; i < to; i++)
    changed |= rename_group(r, &groups->at[i],
                            as_they_appear || groups->at[i].data, &renamed);
  if (changed)
    return accept(r, c, &renamed) == REDUCE_FAILS;
  client_free(&renamed);
  return false;
}

static bool replace(struct reduce *r, struct client *c,
                    const struct argument_group *g, int64_t from, int64_t to) {
  struct client other;
  client_copy(&other, c);
  for (uint32_t i = 0; i < c->ncalls; i++)
    for (uint32_t k = 0; k < c->calls[i].nargs; k++)
      if (c->calls[i].args[k] == from && in_group(r, g, c->calls[i].op, k))
        other.calls[i].args[k] = to;
  return accept(r, c, &other) == REDUCE_FAILS;
}

/* One value becomes the first that it can be and that no other is. */
static bool lower_value(struct reduce *r, struct client *c,
                        const struct argument_group *g, const value_list *used,
                        int64_t from) {
  for (uint32_t i = 0, tries = 0;
       i < g->count && g->values[i] != from && tries < LOWER_TRIES; i++) {
    if (place_of(used, g->values[i]) < used->len)
      continue;
    tries++;
    if (goes_on(r) && replace(r, c, g, from, g->values[i]))
      return true;
  }
  return false;
}

/* For values that cannot all be the first ones: keys of one hash, say. */
static bool lower_values(struct reduce *r, struct client *c,
                         const struct argument_group *g) {
  bool changed = false;
  for (bool again = true; again;) {
    value_list used = {0};
    again = false;
    list_used(r, g, c, &used);
    for (uint32_t i = 0; i < used.len && !again; i++)
      again = lower_value(r, c, g, &used, used.at[i]);
    changed |= again;
    vec_free(&used);
  }
  return changed;
}

bool reduce_values(struct reduce *r, struct client *c) {
  group_list groups = {0};
  if (!r->domain)
    return false;
  find_groups(r, c, &groups);
  bool changed = rename_all(r, c, &groups, 0, groups.len, false);
  for (uint32_t i = 0; i < groups.len && groups.len > 1 && !changed; i++)
    changed = rename_all(r, c, &groups, i, i + 1, false);
  for (uint32_t i = 0; i < groups.len; i++)
    changed |= rename_all(r, c, &groups, i, i + 1, true);
  for (uint32_t i = 0; i < groups.len; i++)
    changed |= lower_values(r, c, &groups.at[i]);
  vec_free(&groups);
  return changed;
}

void reduce_same_data(const struct reduce *r, struct client *c) {
  group_list groups = {0};
  find_groups(r, c, &groups);
  for (uint32_t i = 0; i < groups.len; i++)
    if (groups.at[i].data)
      rename_group(r, &groups.at[i], true, c);
  vec_free(&groups);
}

/* ---- one by one ---- */

bool reduce_calls(struct reduce *r, struct client *c) {
  bool proved = true;
  for (uint32_t id = c->ncalls; id--;) {
    struct client less;
    if (!goes_on(r))
      return false;
    client_without(&less, c, id);
    enum reduce_answer a = accept(r, c, &less);
    if (a == REDUCE_FAILS) {
      id = c->ncalls; /* what was needed may not be any more */
      proved = true;
    } else if (a == REDUCE_UNKNOWN) {
      proved = false;
    }
  }
  return proved; /* B */
}
