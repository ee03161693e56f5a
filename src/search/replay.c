/*
 * Paths: following one, its marks, and its form as a schedule.
 *
 * Code that was repaired since the path was recorded may make other steps.  So
 * the path is a preference: a thread that is asked to step and cannot is passed
 * over, and the replay has diverged.
 */
#include "search/explore.h"

#include <stddef.h>

static void took(struct replay *r, uint8_t what) { vec_push(&r->taken, what); }

static int pick(void *ctx, uint32_t enabled, int current) {
  struct replay *r = ctx;
  while (r->next < r->len) {
    uint8_t t = r->at[r->next];
    if (!(t & PATH_CHOICE) && t < 32 && enabled >> t & 1) {
      r->next++;
      took(r, t);
      return t;
    }
    r->next++;
    r->diverged = true;
  }
  int t = enabled >> current & 1 ? current : __builtin_ctz(enabled);
  took(r, (uint8_t)t);
  return t;
}

static int choose(void *ctx, int n) {
  struct replay *r = ctx;
  int k = 0;
  if (r->next < r->len && r->at[r->next] & PATH_CHOICE) {
    k = r->at[r->next++] & ~PATH_CHOICE;
    if (k >= n) {
      k = 0;
      r->diverged = true;
    }
  } else if (r->next < r->len) {
    r->diverged = true;
  }
  took(r, (uint8_t)(PATH_CHOICE | k));
  return k;
}

/* ---- marks ---- */

static void put_number(path *p, uint32_t n) {
  for (int i = 0; i < 3; i++, n >>= 7)
    vec_push(p, (uint8_t)(n & 0x7f));
}

static uint32_t get_number(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 7 | (uint32_t)at[2] << 14;
}

static void put_mark(path *p, const struct rt_mark *m) {
  vec_push(p, (uint8_t)(PATH_MARK + m->whose));
  put_number(p, m->first);
  put_number(p, m->n);
}

struct rt_mark path_mark(const uint8_t *at) {
  return (struct rt_mark){(uint8_t)(at[0] - PATH_MARK), get_number(at + 1),
                          get_number(at + 4)};
}

uint32_t path_marks(const uint8_t *at, uint32_t len) {
  uint32_t n = 0;
  while (n + PATH_MARK_BYTES <= len && (at[n] & 0xc0) == PATH_MARK)
    n += PATH_MARK_BYTES;
  return n;
}

static void append(path *p, const uint8_t *at, uint32_t len) {
  for (uint32_t i = 0; i < len; i++)
    vec_push(p, at[i]);
}

void path_put_marks(path *p) {
  rt_mark_list marks = {0};
  path with = {0};
  if (!rt_has_marks())
    return;
  rt_marks(&marks);
  for (uint32_t i = 0; i < marks.len; i++)
    put_mark(&with, &marks.at[i]);
  append(&with, p->at, p->len);
  vec_free(&marks);
  vec_free(p);
  *p = with;
}

void live_begin(struct live_path *l) {
  path marks = {0};
  if (!l || (!l->nmarks && !rt_has_marks()))
    return;
  path_put_marks(&marks);
  uint32_t n = marks.len <= LIVE_MARKS_MAX ? marks.len : 0;
  l->nmarks = 0;
  for (uint32_t i = 0; i < n; i++)
    l->marks[LIVE_MARKS_MAX - n + i] = marks.at[i];
  l->nmarks = n;
  vec_free(&marks);
}

const uint8_t *live_whole(const struct live_path *l, uint32_t *len) {
  uint32_t n = l->nmarks, steps = l->len;
  n = n < LIVE_MARKS_MAX ? n : LIVE_MARKS_MAX;
  *len = n + (steps < LIVE_PATH_MAX ? steps : LIVE_PATH_MAX);
  return (const uint8_t *)l + offsetof(struct live_path, at) - n;
}

void live_take(const struct live_path *l, path *out) {
  uint32_t n;
  const uint8_t *at = live_whole(l, &n);
  append(out, at, n);
}

/* Gives the engine the marks of the path; those that it had are kept. */
static void take_marks(struct replay *r) {
  rt_mark_list marks = {0};
  uint32_t n = path_marks(r->at, r->len);
  if (!n)
    return;
  for (uint32_t i = 0; i < n; i += PATH_MARK_BYTES)
    vec_push(&marks, path_mark(r->at + i));
  append(&r->taken, r->at, n);
  r->next = n;
  r->has_marks = true;
  rt_marks(&r->found);
  rt_set_marks(&marks);
  vec_free(&marks);
}

void replay_init(struct replay *r, const uint8_t *at, uint32_t len) {
  *r = (struct replay){.at = at, .len = len};
  r->driver = (struct rt_driver){pick, choose, r, .every = true};
  r->watched = rt_watch_progress(true);
  take_marks(r);
}

void replay_free(struct replay *r) {
  rt_watch_progress(r->watched);
  if (r->has_marks)
    rt_set_marks(&r->found);
  vec_free(&r->found);
  vec_free(&r->taken);
}

/* ---- schedules ---- */

void path_to_schedule(const uint8_t *at, uint32_t len, struct schedule *out) {
  uint32_t marks = path_marks(at, len);
  for (uint32_t i = 0; i < marks; i += PATH_MARK_BYTES) {
    struct rt_mark m = path_mark(at + i);
    schedule_add_mark(out, m.whose, m.first, m.n);
  }
  for (uint32_t i = marks; i < len; i++)
    if (at[i] & PATH_CHOICE)
      schedule_add_choice(out, at[i] & (uint8_t)~PATH_CHOICE);
    else if (rt_is_buffer(at[i]))
      schedule_add_step(out, (uint8_t)(SCHEDULE_COMMIT | rt_owner(at[i])));
    else
      schedule_add_step(out, at[i]);
}

void schedule_to_path(const struct schedule *s, path *out) {
  vec_clear(out);
  for (uint32_t i = 0; i < s->turns.len; i++) {
    const struct turn *t = &s->turns.at[i];
    if (t->is_mark) {
      put_mark(out, &(struct rt_mark){t->thread, t->first, t->steps});
      continue;
    }
    uint8_t thread = t->thread & (uint8_t)~SCHEDULE_COMMIT;
    if (t->thread & SCHEDULE_COMMIT)
      thread = (uint8_t)(thread + RT_BUFFERS);
    uint8_t what = t->is_choice ? (uint8_t)(PATH_CHOICE | t->thread) : thread;
    for (uint32_t k = 0; k < t->steps && out->len < LIVE_PATH_MAX; k++)
      vec_push(out, what);
  }
}

uint32_t path_switches(const uint8_t *at, uint32_t len) {
  uint32_t n = 0;
  int last = -1;
  for (uint32_t i = path_marks(at, len); i < len; i++) {
    if (at[i] & PATH_CHOICE || rt_is_buffer(at[i]))
      continue;
    n += last >= 0 && at[i] != last;
    last = at[i];
  }
  return n;
}
