/* Chooses the monitor of a history, and has what all monitors need. */
#include "history/monitor/monitor_int.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

static const struct {
  const char *shape, *method;
  enum monitor_ending (*decide)(struct monitor *m);
} monitors[] = {
    {"register", "monitor: register", monitor_register},
    {"set", "monitor: set", monitor_set},
    {"multiset", "monitor: multiset", monitor_multiset},
    {"list", "monitor: list", monitor_list},
    {"queue", "monitor: queue", monitor_queue},
    {"stack", "monitor: stack", monitor_stack},
    {"pqueue", "monitor: pqueue", monitor_pqueue},
    {"max-pqueue", "monitor: max-pqueue", monitor_max_pqueue},
};

void *monitor_room(struct monitor *m, size_t count, size_t size) {
  m->bytes += count * size;
  return arena_room(&m->arena, count * size);
}

void *monitor_zeroed(struct monitor *m, size_t count, size_t size) {
  return memset(monitor_room(m, count, size), 0, count * size);
}

void monitor_blame(struct monitor *m, uint32_t op) {
  if (op != MONITOR_NONE)
    vec_push(&m->out->core, op);
}

static void put_value(datum d, struct buf *out) {
  struct buf b = {0};
  datum_print(d, &b);
  log_put_short(buf_text(&b), out);
  buf_free(&b);
}

enum monitor_ending monitor_say(struct monitor *m, const char *format, ...) {
  struct buf b = {0};
  va_list ap;
  va_start(ap, format);
  for (const char *f = format; *f; f++) {
    if (*f != '%') {
      buf_putc(&b, *f);
      continue;
    }
    f++;
    if (*f == 'o')
      log_print_op_short(m->p->log, m->p->ops[va_arg(ap, uint32_t)].op, &b);
    else if (*f == 'w')
      put_value(m->p->ops[va_arg(ap, const struct monitor_value *)->add].arg[0],
                &b);
    else if (*f == 'v')
      put_value(va_arg(ap, datum), &b);
    else
      buf_puts(&b, va_arg(ap, const char *));
  }
  va_end(ap);
  free(m->out->reason);
  m->out->reason = xstrdup(buf_text(&b));
  buf_free(&b);
  return MONITOR_NO;
}

/* Numbers below the size of the table have slots of their own: a history that
 * counts up walks through the table in order. */
static uint32_t slot_of(const struct monitor_numbering *s, datum d) {
  uint32_t x = d >> 2;
  uint64_t mixed = (x >> s->bits) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
  return (x ^ (uint32_t)mixed) & s->mask;
}

void numbering_init(struct monitor_numbering *s, struct monitor *m,
                    uint32_t most) {
  uint32_t size = 16;
  for (s->bits = 4; size < most + most / 2; s->bits++)
    size *= 2;
  s->slots = monitor_zeroed(m, size, sizeof *s->slots);
  s->mask = size - 1;
  s->data = monitor_room(m, (size_t)most + 1, sizeof *s->data);
  s->n = 0;
}

uint32_t numbering_put(struct monitor_numbering *s, datum d, bool *fresh) {
  uint32_t i = slot_of(s, d);
  for (; s->slots[i]; i = (i + 1) & s->mask)
    if (s->data[s->slots[i] - 1] == d) {
      *fresh = false;
      return s->slots[i] - 1;
    }
  *fresh = true;
  s->data[s->n] = d;
  s->slots[i] = ++s->n;
  return s->n - 1;
}

uint32_t numbering_get(const struct monitor_numbering *s, datum d) {
  for (uint32_t i = slot_of(s, d); s->slots[i]; i = (i + 1) & s->mask)
    if (s->data[s->slots[i] - 1] == d)
      return s->slots[i] - 1;
  return MONITOR_NONE;
}

static void insert_sort(struct by_time *a, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    struct by_time x = a[i];
    uint32_t k = i;
    for (; k && a[k - 1].time > x.time; k--)
      a[k] = a[k - 1];
    a[k] = x;
  }
}

static void radix_pass(struct by_time *to, const struct by_time *from,
                       uint32_t n, unsigned shift) {
  uint32_t start[2049] = {0};
  for (uint32_t i = 0; i < n; i++)
    start[(from[i].time >> shift & 2047) + 1]++;
  for (uint32_t i = 0; i < 2048; i++)
    start[i + 1] += start[i];
  for (uint32_t i = 0; i < n; i++)
    to[start[from[i].time >> shift & 2047]++] = from[i];
}

void by_time_sort(struct monitor *m, struct by_time *a, uint32_t n) {
  if (n < 64) {
    insert_sort(a, n);
    return;
  }
  struct by_time *b = monitor_room(m, n, sizeof *b), *from = a, *to = b;
  uint32_t all = 0;
  for (uint32_t i = 0; i < n; i++)
    all |= a[i].time;
  for (unsigned shift = 0; shift < 32 && all >> shift; shift += 11) {
    radix_pass(to, from, n, shift);
    struct by_time *t = from;
    from = to;
    to = t;
  }
  if (from != a)
    memcpy(a, from, n * sizeof *a);
}

static bool is_write(const struct type_op *o) {
  return (1u << ROLE_WRITE | 1u << ROLE_CAS | 1u << ROLE_ADD |
          1u << ROLE_APPEND) >>
             o->role &
         1;
}

static struct op_times times_of(const struct monitor *m, uint32_t i) {
  const struct log_op *o = m->p->ops[i].op;
  return m->times ? m->times[i] : (struct op_times){o->call, o->ret};
}

/* The times of the log, when there are few others between them. */
static void copy_times(struct monitor *m) {
  const struct log_problem *p = m->p;
  for (uint32_t i = 0; i < p->nops; i++) {
    struct op_times t = times_of(m, i);
    m->nwrites += is_write(&p->ops[i]);
    m->inv[i] = t.call + 1;
    m->res[i] = t.ret == LOG_PENDING ? MONITOR_NEVER : t.ret + 1;
  }
  m->end = p->log->end + 1;
}

/* New times, for a small part of a large log. */
static void number_times(struct monitor *m) {
  const struct log_problem *p = m->p;
  struct by_time *ret = monitor_room(m, (size_t)p->nops + 1, sizeof *ret);
  uint32_t n = 0, k = 0, time = 1;
  for (uint32_t i = 0; i < p->nops; i++) {
    struct op_times t = times_of(m, i);
    m->nwrites += is_write(&p->ops[i]);
    m->inv[i] = t.call;
    m->res[i] = MONITOR_NEVER;
    if (t.ret != LOG_PENDING)
      ret[n++] = (struct by_time){t.ret, i};
  }
  by_time_sort(m, ret, n);
  for (uint32_t i = 0; i < p->nops; i++) {
    for (; k < n && ret[k].time < m->inv[i]; k++)
      m->res[ret[k].id] = time++;
    m->inv[i] = time++;
  }
  for (; k < n; k++)
    m->res[ret[k].id] = time++;
  m->end = time;
}

static bool has_hints(const struct log_problem *p) {
  for (uint32_t i = 0; i < p->nops && !p->log->no_hints; i++)
    if (op_has_hint(&p->ops[i]))
      return true;
  return false;
}

static int by_number(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return a < b ? -1 : a > b;
}

static void sort_core(struct log_answer *out) {
  uint32_t n = 0;
  if (out->core.len)
    qsort(out->core.at, out->core.len, sizeof *out->core.at, by_number);
  for (uint32_t i = 0; i < out->core.len; i++)
    if (!n || out->core.at[n - 1] != out->core.at[i])
      out->core.at[n++] = out->core.at[i];
  out->core.len = n;
}

static enum monitor_ending
run(struct monitor *m, enum monitor_ending (*decide)(struct monitor *m)) {
  const struct log_problem *p = m->p;
  if (p->type->by_key && !ops_have_one_key(p))
    return monitor_refuse(m, "the history is not split by key");
  if (has_hints(p))
    return monitor_refuse(m, "the history gives an order of operations");
  m->inv = monitor_room(m, (size_t)p->nops + 1, sizeof *m->inv);
  m->res = monitor_room(m, (size_t)p->nops + 1, sizeof *m->res);
  bool dense = p->log->end / 4 <= p->nops + 16;
  if (dense)
    copy_times(m);
  else
    number_times(m);
  return decide(m);
}

/*
 * Adds operations that returned and are not in the order.  They fit anywhere in
 * their intervals: their result is not known, or they are failed
 * compare-and-sets of a value that never was there.  Let each operation of the
 * order take effect as early as it can, at its call or with the one before it;
 * then the others are put where they were called.
 */
static void place_rest(const struct monitor *m, struct log_answer *a) {
  uint32_t n = m->p->nops, nrest = 0, point = 0, k = 0;
  uint8_t *placed = xcalloc((size_t)n + 1, 1);
  uint32_t *rest = xmalloc(((size_t)n + 1) * sizeof *rest);
  number_vec whole = {0};
  for (uint32_t i = 0; i < a->order.len; i++)
    placed[a->order.at[i]] = 1;
  for (uint32_t i = 0; i < n; i++)
    if (!placed[i] && m->res[i] != MONITOR_NEVER)
      rest[nrest++] = i;
  for (uint32_t i = 0; i < a->order.len && nrest; i++) {
    uint32_t op = a->order.at[i];
    point = m->inv[op] > point ? m->inv[op] : point;
    for (; k < nrest && m->inv[rest[k]] < point; k++)
      vec_push(&whole, rest[k]);
    vec_push(&whole, op);
  }
  for (; k < nrest; k++)
    vec_push(&whole, rest[k]);
  if (nrest) {
    vec_clear(&a->order);
    for (uint32_t i = 0; i < whole.len; i++)
      vec_push(&a->order, whole.at[i]);
  }
  vec_free(&whole);
  free(rest);
  free(placed);
}

bool check_monitor(const struct log_problem *p, struct log_answer *out,
                   const char **why) {
  return check_monitor_order(p, false, out, why);
}

bool check_monitor_order(const struct log_problem *p, bool want_order,
                         struct log_answer *out, const char **why) {
  return check_monitor_part(p, NULL, want_order, out, why);
}

bool check_monitor_part(const struct log_problem *p,
                        const struct op_times *times, bool want_order,
                        struct log_answer *out, const char **why) {
  struct log_answer a = {.at = UINT32_MAX};
  struct monitor m = {
      .p = p, .times = times, .out = &a, .want_order = want_order};
  enum monitor_ending end =
      monitor_refuse(&m, "there is no monitor for this type of object");
  for (size_t i = 0; i < sizeof monitors / sizeof *monitors; i++)
    if (!strcmp(monitors[i].shape, p->type->shape)) {
      a.method = monitors[i].method;
      end = run(&m, monitors[i].decide);
    }
  a.bytes = m.bytes > m.early_bytes ? m.bytes : m.early_bytes;
  if (end == MONITOR_YES && m.has_order)
    place_rest(&m, &a);
  else
    vec_clear(&a.order);
  arena_free(&m.arena);
  if (end == MONITOR_REFUSED) {
    *why = m.why;
    log_answer_free(&a);
    return false;
  }
  a.verdict = end == MONITOR_YES ? LOG_LINEARIZABLE : LOG_VIOLATION;
  sort_core(&a);
  assert(a.verdict == LOG_LINEARIZABLE || (a.core.len && a.reason));
  log_answer_free(out);
  *out = a;
  return true;
}
