/* What all watches share: open operations, the past, a map of values. */
#include "history/stream/watch.h"

#include <string.h>

struct watch *watch_new(struct type *t) {
  if (!strcmp(t->shape, "queue"))
    return watch_queue(t);
  if (!strcmp(t->shape, "register"))
    return watch_register(t);
  if (!strcmp(t->shape, "stack") || !strcmp(t->shape, "pqueue") ||
      !strcmp(t->shape, "max-pqueue"))
    return watch_box(t);
  if (!strcmp(t->shape, "set") || !strcmp(t->shape, "multiset"))
    return watch_set(t);
  if (!strcmp(t->shape, "list"))
    return watch_list(t);
  return NULL;
}

void watch_free(struct watch *w) {
  if (!w)
    return;
  vec_free(&w->open);
  free(w->processes.slots);
  buf_free(&w->why);
  w->kind->free(w);
}

void form_learn(struct watch_form *f, const struct log_op *op,
                const struct type_op *t) {
  f->known = true;
  f->op = *op;
  f->t = *t;
}

void past_add(struct watch_past *p, const struct watch_form *f, datum value,
              uint64_t call, uint64_t ret) {
  struct watch_past_op x = {.op = f->op, .t = f->t, .call = call, .ret = ret};
  bool gets =
      x.t.role == ROLE_READ || x.t.role == ROLE_REMOVE || x.t.role == ROLE_PEEK;
  x.op.process = WATCH_NONE; /* no real process */
  if (value != DATUM_NONE && gets) {
    x.op.result = x.t.result = value;
  } else if (value != DATUM_NONE) {
    for (int i = 0; i < LOG_ARGS; i++)
      if (x.op.arg[i] == x.t.arg[0])
        x.op.arg[i] = value; /* shown in reports only */
    x.t.arg[0] = value;
  }
  vec_push(&p->ops, x);
}

void watch_open(struct watch *w, struct watch_op x) {
  value_map_put(&w->processes, datum_number(x.process), w->open.len);
  vec_push(&w->open, x);
}

void watch_close(struct watch *w, uint32_t k) {
  struct watch_op last = vec_last(&w->open);
  value_map_drop(&w->processes, datum_number(w->open.at[k].process));
  w->open.len--;
  if (k == w->open.len)
    return;
  w->open.at[k] = last;
  value_map_put(&w->processes, datum_number(last.process), k);
}

static uint32_t home(const struct value_map *m, datum value) {
  uint64_t mixed = value * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(mixed >> 32) & (m->size - 1);
}

static uint32_t find(const struct value_map *m, datum value) {
  uint32_t i = home(m, value);
  while (m->slots[i].id != WATCH_NONE && m->slots[i].value != value)
    i = (i + 1) & (m->size - 1);
  return i;
}

static void resize(struct value_map *m, uint32_t size) {
  struct value_map to = {xmalloc(size * sizeof *to.slots), m->n, size};
  for (uint32_t i = 0; i < size; i++)
    to.slots[i].id = WATCH_NONE;
  for (uint32_t i = 0; i < m->size; i++)
    if (m->slots[i].id != WATCH_NONE)
      to.slots[find(&to, m->slots[i].value)] = m->slots[i];
  free(m->slots);
  *m = to;
}

void value_map_put(struct value_map *m, datum value, uint32_t id) {
  if (m->n * 2 >= m->size)
    resize(m, m->size ? m->size * 2 : 8);
  uint32_t i = find(m, value);
  m->n += m->slots[i].id == WATCH_NONE;
  m->slots[i] = (struct value_slot){value, id};
}

uint32_t value_map_get(const struct value_map *m, datum value) {
  return m->size ? m->slots[find(m, value)].id : WATCH_NONE;
}

/* Values after the hole move up, so that searches still find them. */
void value_map_drop(struct value_map *m, datum value) {
  uint32_t hole = find(m, value), mask = m->size - 1;
  for (uint32_t i = (hole + 1) & mask; m->slots[i].id != WATCH_NONE;
       i = (i + 1) & mask) {
    uint32_t from = home(m, m->slots[i].value);
    if (((i - from) & mask) >= ((i - hole) & mask)) {
      m->slots[hole] = m->slots[i];
      hole = i;
    }
  }
  m->slots[hole].id = WATCH_NONE;
  m->n--;
  if (m->size > 64 && m->n * 16 < m->size)
    resize(m, m->size / 4);
}
