/* Leaves out all operations of a key, or on a value, together: X2 and X3. */
#include "history/explain/explain_int.h"

#include <string.h>

bool explain_is_container(const struct type *t) {
  static const char *const shapes[] = {"queue", "stack", "pqueue",
                                       "max-pqueue"};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(t->shape, shapes[i]))
      return true;
  return false;
}

bool explain_has_one_key(const struct explain_job *j) {
  for (uint32_t i = 1; i < j->core.len; i++)
    if (j->p->ops[j->core.at[i]].key != j->p->ops[j->core.at[0]].key)
      return false;
  return true;
}

/* The values that an operation concerns, at most two. */
static unsigned values_of(const struct type *t, const struct type_op *o,
                          datum v[2]) {
  unsigned n = 0;
  switch (o->role) {
  case ROLE_ADD:
  case ROLE_WRITE:
    v[n++] = o->arg[0];
    break;
  case ROLE_CAS:
    v[n++] = o->arg[0];
    v[n++] = o->arg[1];
    break;
  case ROLE_REMOVE:
  case ROLE_PEEK:
    if (!o->any_result && (t->empty == DATUM_NONE || o->result != t->empty))
      v[n++] = o->result;
    break;
  case ROLE_READ:
    if (!o->any_result)
      v[n++] = o->result;
    break;
  }
  return n;
}

bool explain_values_are_safe(const struct explain_job *j) {
  bool container = explain_is_container(j->p->type);
  if ((!container && strcmp(j->p->type->shape, "register")) ||
      !explain_has_one_key(j))
    return false;
  for (uint32_t i = 0; i < j->core.len; i++) {
    const struct type_op *o = &j->p->ops[j->core.at[i]];
    bool fits = container ? (o->role == ROLE_ADD && o->result != DATUM_FALSE) ||
                                o->role == ROLE_REMOVE || o->role == ROLE_PEEK
                          : o->role == ROLE_READ || o->role == ROLE_WRITE ||
                                (o->role == ROLE_CAS && !op_only_reads(o));
    if (!fits)
      return false;
  }
  return true;
}

bool explain_keys_are_safe(const struct explain_job *j) {
  if (!j->p->type->by_key)
    return false;
  for (uint32_t i = 0; i < j->core.len; i++)
    if (j->p->ops[j->core.at[i]].key == DATUM_NONE)
      return false;
  return true;
}

struct groups {
  VEC(datum) data;       /* sorted */
  VEC(uint32_t) leader;  /* of each of them: union-find */
  VEC(uint32_t) members; /* group of each operation of the core */
};

static int by_word(const void *x, const void *y) {
  datum a = *(const datum *)x, b = *(const datum *)y;
  return a < b ? -1 : a > b;
}

static uint32_t group_of(const struct groups *g, datum d) {
  datum *at = bsearch(&d, g->data.at, g->data.len, sizeof d, by_word);
  uint32_t i = (uint32_t)(at - g->data.at);
  while (g->leader.at[i] != i)
    i = g->leader.at[i];
  return i;
}

static unsigned data_of(const struct explain_job *j, enum grouping how,
                        uint32_t id, datum v[2]) {
  const struct type_op *o = &j->p->ops[id];
  if (how == BY_VALUE)
    return values_of(j->p->type, o, v);
  v[0] = o->key;
  return o->key != DATUM_NONE;
}

static void make_groups(const struct explain_job *j, enum grouping how,
                        struct groups *g) {
  datum v[2];
  for (uint32_t i = 0; i < j->core.len; i++)
    for (unsigned n = data_of(j, how, j->core.at[i], v); n--;)
      vec_push(&g->data, v[n]);
  if (g->data.len)
    qsort(g->data.at, g->data.len, sizeof *g->data.at, by_word);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < g->data.len; i++)
    if (!kept || g->data.at[kept - 1] != g->data.at[i])
      g->data.at[kept++] = g->data.at[i];
  g->data.len = kept;
  for (uint32_t i = 0; i < kept; i++)
    vec_push(&g->leader, i);
  for (uint32_t i = 0; i < j->core.len; i++)
    if (data_of(j, how, j->core.at[i], v) == 2)
      g->leader.at[group_of(g, v[0])] = group_of(g, v[1]);
  for (uint32_t i = 0; i < j->core.len; i++)
    vec_push(&g->members, data_of(j, how, j->core.at[i], v) ? group_of(g, v[0])
                                                            : UINT32_MAX);
}

static void free_groups(struct groups *g) {
  vec_free(&g->data);
  vec_free(&g->leader);
  vec_free(&g->members);
}

/* Tries to leave out the groups with the numbers [from, to). */
static bool try_groups(struct explain_job *j, enum grouping how, uint32_t from,
                       uint32_t to, bool safe) {
  struct groups g = {0};
  make_groups(j, how, &g);
  for (uint32_t i = 0; i < j->core.len; i++)
    j->leave[j->core.at[i]] = g.members.at[i] >= from && g.members.at[i] < to;
  free_groups(&g);
  return explain_try_without(j, safe);
}

static uint32_t count_groups(const struct explain_job *j, enum grouping how) {
  struct groups g = {0};
  make_groups(j, how, &g);
  uint32_t n = g.data.len;
  free_groups(&g);
  return n;
}

bool explain_drop_groups(struct explain_job *j, enum grouping how, bool safe) {
  bool any = false;
  uint32_t n = count_groups(j, how);
  for (uint32_t size = (n + 1) / 2; size && n > 1; size /= 2)
    for (uint32_t from = 0; from < n && !explain_is_over(j);) {
      if (try_groups(j, how, from, from + size, safe)) {
        any = true;
        n = count_groups(j, how); /* the next groups have these numbers now */
      } else {
        from += size;
      }
    }
  return any;
}
