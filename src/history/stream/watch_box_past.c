/*
 * The past of a box, for search: the values inside and the remembered ones that
 * were removed, with their operations; and for each shut span of gaps a fresh
 * value that covers just these gaps.
 *
 *   shut from 5 to 9 becomes  put(x) just before 5, remove() = x just after 9
 *   so that no other value can be inserted or removed in between
 */
#include "history/stream/watch_box_int.h"

/* Values that crashed removals took just before an event: each has a time of
 * its own there. */
enum { FIRST_GUESS = 3, MOST_GUESSES = 60 };

/* A removal that returned a value; if none has returned yet, an open one as if
 * it had. */
static struct watch_form got_form(const struct watch *w) {
  struct watch_form f = w->got.known ? w->got : w->getting;
  f.t.any_result = false;
  return f;
}

static void value_past(const struct box_watch *b, const struct box_value *v,
                       uint32_t *guesses, struct watch_past *out) {
  const struct watch *w = &b->watch;
  struct watch_form put = w->put, got = got_form(w);
  put.t.arg[1] = v->rank != v->value ? v->rank : DATUM_NONE;
  if (b->stack)
    put.t.arg[1] = w->put.t.arg[1];
  if (v->crashed)
    past_add(out, &put, v->value, v->call * PAST_SCALE, WATCH_NEVER);
  else if (!v->open)
    past_add(out, &put, v->value, v->call * PAST_SCALE, v->put * PAST_SCALE);
  for (uint32_t i = 0; i < v->looks.len; i++)
    past_add(out, &b->looked, v->value, v->looks.at[i].call * PAST_SCALE,
             v->looks.at[i].ret * PAST_SCALE);
  if (v->left != WATCH_NEVER)
    past_add(out, &got, v->value, v->taking * PAST_SCALE,
             v->left * PAST_SCALE - (v->guessed ? (*guesses)++ : 0));
}

static void shut_past(const struct box_watch *b, struct watch_past *out) {
  const struct watch *w = &b->watch;
  struct watch_form got = got_form(w);
  for (uint32_t i = 0; i < b->shut.len; i++) {
    uint64_t from = b->shut.at[i].from * PAST_SCALE;
    uint64_t to = b->shut.at[i].to * PAST_SCALE;
    past_add(out, &w->put, watch_fresh_value(i), from - 2, from - 1);
    past_add(out, &got, watch_fresh_value(i), to + 1, to + 2);
  }
}

bool watch_box_past(struct watch *w, struct watch_past *out) {
  const struct box_watch *b = (const struct box_watch *)w;
  uint32_t guesses = FIRST_GUESS;
  /* A value that was inserted again has left the map. */
  for (uint32_t i = 0; i < b->gone.len; i++)
    value_past(b, box_at(b, b->gone.at[i]), &guesses, out);
  for (uint32_t i = 0; i < b->map.size; i++) {
    uint32_t id = b->map.slots[i].id;
    if (id != WATCH_NONE &&
        (box_at(b, id)->left == WATCH_NEVER || box_at(b, id)->over))
      value_past(b, box_at(b, id), &guesses, out);
  }
  for (uint32_t i = 0; i < b->takers.len; i++)
    if (b->takers.at[i].crashed)
      past_add(out, &w->getting, DATUM_NONE, b->takers.at[i].call * PAST_SCALE,
               WATCH_NEVER);
  for (uint32_t i = 0; i < b->misses.len; i++) {
    const struct box_miss *m = &b->misses.at[i];
    past_add(out, m->looks ? &b->missed_look : &w->missed, DATUM_NONE,
             m->call * PAST_SCALE, m->ret * PAST_SCALE);
  }
  shut_past(b, out);
  return guesses < MOST_GUESSES;
}
