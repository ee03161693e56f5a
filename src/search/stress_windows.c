/* Windows of a history: pairs of calls that overlap, and the clients they give.
 */
#include "search/stress_windows.h"

#include "base/slow.h"

#include <assert.h>
#include <stdlib.h>

enum { THREADS_MAX = CLIENT_MAX_THREADS + 1 };

/* The calls of one thread that play a part. */
struct call_range {
  uint32_t from, to;
};

static bool plays(const struct hint *h, uint32_t id) {
  const struct hop *o = &h->history->ops[id];
  return hop_called(o) && o->call <= h->end;
}

static void find_ranges(const struct hint *h,
                        struct call_range at[THREADS_MAX]) {
  const struct client *c = h->history->client;
  for (uint32_t t = 0; t < THREADS_MAX; t++)
    at[t] = (struct call_range){0, 0};
  for (uint32_t i = c->ninit; i < client_first_final(c); i++) {
    struct call_range *r = &at[c->calls[i].thread];
    if (!plays(h, i))
      continue;
    if (!r->to)
      r->from = i;
    r->to = i + 1;
  }
}

/* The last call of the range that was made by `time`; r.to: none. */
static uint32_t last_by(const struct history *h, struct call_range r,
                        uint32_t time) {
  uint32_t low = r.from, high = r.to; /* those below `low` were */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (h->ops[middle].call <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low == r.from ? r.to : low - 1;
}

/* The first call of the range that had not returned before `time`. */
static uint32_t first_open(const struct history *h, struct call_range r,
                           uint32_t time) {
  uint32_t i = last_by(h, r, time);
  if (i == r.to)
    return r.from;
  return h->ops[i].ret < time ? i + 1 : i;
}

struct call_start {
  uint32_t call, id;
};

static int latest_first(const void *a, const void *b) {
  const struct call_start *x = a, *y = b;
  if (x->call != y->call)
    return x->call < y->call ? 1 : -1;
  return x->id < y->id ? 1 : -1;
}

/* Calls that had begun before call `id`, or as it did, and go on in it. */
static void add_overlaps(const struct hint *h, const struct call_range at[],
                         uint32_t id, window_list *out) {
  const struct history *y = h->history;
  const struct client *c = y->client;
  const struct hop *o = &y->ops[id];
  for (uint32_t t = 1; t <= c->nthreads; t++) {
    if (t == c->calls[id].thread)
      continue;
    uint32_t other = last_by(y, at[t], o->call);
    if (other == at[t].to || hop_before(&y->ops[other], o))
      continue;
    if (y->ops[other].call == o->call && other > id)
      continue; /* it has found this one */
    vec_push(out, ((struct window){other, id}));
  }
}

static bool is_latest_first(const struct history *h, const window_list *l,
                            uint32_t from) {
  for (uint32_t i = from + 1; i < l->len; i++)
    if (h->ops[l->at[i - 1].second].call < h->ops[l->at[i].second].call)
      return false;
  return true;
}

void windows_find(const struct hint *h, window_list *out) {
  const struct client *c = h->history->client;
  struct call_range at[THREADS_MAX];
  VEC(struct call_start) starts = {0};
  find_ranges(h, at);
  for (uint32_t t = 1; t <= c->nthreads; t++)
    for (uint32_t i = at[t].from; i < at[t].to; i++)
      vec_push(&starts, ((struct call_start){h->history->ops[i].call, i}));
  if (starts.len)
    qsort(starts.at, starts.len, sizeof *starts.at, latest_first);
  uint32_t before = out->len;
  for (uint32_t i = 0; i < starts.len; i++)
    add_overlaps(h, at, starts.at[i].id, out);
  check_slow(is_latest_first(h->history, out, before)); /* W2 */
  vec_free(&starts);
}

/* Where the window begins in each thread. */
static void begin_window(const struct hint *h, struct window w,
                         const struct call_range at[], uint32_t begin[]) {
  const struct history *y = h->history;
  const struct client *c = y->client;
  for (uint32_t t = 1; t <= c->nthreads; t++)
    begin[t] = first_open(y, at[t], y->ops[w.second].call);
  begin[c->calls[w.first].thread] = w.first;
  begin[c->calls[w.second].thread] = w.second;
  for (uint32_t t = 1; t <= c->nthreads; t++) /* W1 */
    assert(begin[t] >= at[t].from && begin[t] <= at[t].to);
}

static void add_init(const struct hint *h, const uint32_t begin[],
                     struct client *out) {
  const struct client *c = h->history->client;
  for (uint32_t i = 0; i < h->len; i++) {
    uint32_t id = h->order[i], t = c->calls[id].thread;
    assert(id < client_first_final(c));
    if (!t || id < begin[t])
      client_add_init(out, c->calls[id]);
  }
}

void window_client(const struct hint *h, struct window w, uint32_t width,
                   bool init, struct client *out) {
  const struct client *c = h->history->client;
  struct call_range at[THREADS_MAX];
  uint32_t begin[THREADS_MAX] = {0};
  find_ranges(h, at);
  begin_window(h, w, at, begin);
  *out = (struct client){0};
  if (init)
    add_init(h, begin, out);
  for (uint32_t t = 1; t <= c->nthreads; t++) {
    bool own = t == c->calls[w.first].thread || t == c->calls[w.second].thread;
    uint32_t left = at[t].to - begin[t];
    uint32_t n = left < width ? left : width;
    if (!n || (width == 1 && !own))
      continue;
    uint32_t thread = out->nthreads + 1;
    for (uint32_t i = begin[t]; i < begin[t] + n; i++)
      client_add(out, thread, c->calls[i]);
  }
}
