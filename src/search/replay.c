/*
 * Following a path.  Code that was repaired since the path was recorded may
 * take other steps: a thread that is asked to step and cannot is passed over,
 * so the path is a preference and not a demand.
 */
#include "search/explore.h"

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

void replay_init(struct replay *r, const uint8_t *at, uint32_t len) {
  *r = (struct replay){.at = at, .len = len};
  r->driver = (struct rt_driver){pick, choose, r, .every = true};
}

void replay_free(struct replay *r) { vec_free(&r->taken); }

void path_to_schedule(const uint8_t *at, uint32_t len, struct schedule *out) {
  for (uint32_t i = 0; i < len; i++)
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
  for (uint32_t i = 0; i < len; i++) {
    if (at[i] & PATH_CHOICE || rt_is_buffer(at[i]))
      continue;
    n += last >= 0 && at[i] != last;
    last = at[i];
  }
  return n;
}

struct completion {
  struct replay r;
  path full;
};

static int complete_pick(void *ctx, uint32_t enabled, int current) {
  struct completion *c = ctx;
  int t = enabled & (enabled - 1) ? pick(&c->r, enabled, current)
                                  : __builtin_ctz(enabled);
  vec_push(&c->full, (uint8_t)t);
  return t;
}

static int complete_choose(void *ctx, int n) {
  struct completion *c = ctx;
  int k = choose(&c->r, n);
  vec_push(&c->full, (uint8_t)(PATH_CHOICE | k));
  return k;
}

void path_complete(path *p) {
  struct completion c = {0};
  replay_init(&c.r, p->at, p->len);
  struct rt_driver driver = {complete_pick, complete_choose, &c, .every = true};
  rt_run(&driver);
  replay_free(&c.r);
  vec_free(p);
  *p = c.full;
}
