/*
 * Loops that change memory in every round, and go on: each round is the same
 * steps with other values.
 *
 *     9 load n = -1, 12 rmw n: -1 -> -2, 9 load n = -2, 12 rmw n: -2 -> -3 …
 *
 * Of many such rounds two at the beginning and one at the end are shown, and
 * between them how many there are.
 */
#include "report/story_int.h"

#include <string.h>

enum {
  DRIFT_ROWS = 12,   /* of one round */
  DRIFT_ROUNDS = 16, /* fewer are shown */
  DRIFT_SHOWN = 2,   /* rounds at the beginning */
};

static bool is_step_of(const struct story_row *a, const struct story_row *b) {
  return a->kind == ROW_STEP && b->kind == ROW_STEP && a->thread == b->thread &&
         a->part == b->part && a->call == b->call && a->times == b->times &&
         a->place->line == b->place->line && a->word == b->word;
}

/* How many rounds of `len` rows begin at `at`. */
static uint32_t rounds_at(const struct story *s, uint32_t at, uint32_t len) {
  uint32_t i = at + len;
  while (i < s->rows.len && is_step_of(&s->rows.at[i - len], &s->rows.at[i]))
    i++;
  return (i - at) / len;
}

/* `lines 9, 12 repeat`, `line 9 repeats` */
static void put_round(const struct story *s, uint32_t at, uint32_t len,
                      struct buf *b) {
  uint32_t lines[DRIFT_ROWS], n = 0;
  for (uint32_t i = at; i < at + len; i++) {
    uint32_t line = s->rows.at[i].place->line, k = 0;
    while (k < n && lines[k] < line)
      k++;
    if (!line || (k < n && lines[k] == line))
      continue;
    memmove(&lines[k + 1], &lines[k], (n - k) * sizeof *lines);
    lines[k] = line;
    n++;
  }
  buf_puts(b, n == 1 ? "line " : n ? "lines " : "these steps");
  for (uint32_t i = 0; i < n; i++)
    buf_printf(b, "%s%u", i ? ", " : "", lines[i]);
  buf_puts(b, n == 1 ? " repeats" : " repeat");
}

/* ` (n = -1, -2, -3 and so on)`: the first location that each round changes. */
static void put_values(const struct story *s, uint32_t at, uint32_t len,
                       struct buf *b) {
  for (uint32_t i = at; i < at + len; i++) {
    const struct story_event *first = &s->events[s->rows.at[i].index];
    const struct story_event *second = &s->events[s->rows.at[i + len].index];
    if (!first->value || !second->value || !first->old || !first->location ||
        !strcmp(first->value, second->value) ||
        strcmp(first->location, second->location) != 0)
      continue;
    buf_printf(b, " (%s = %s", first->location, first->value);
    for (uint32_t k = 1; k <= DRIFT_SHOWN; k++)
      buf_printf(b, ", %s", s->events[s->rows.at[i + k * len].index].value);
    buf_puts(b, " and so on)");
    return;
  }
}

static struct story_row note_of(struct story *s, uint32_t at, uint32_t len,
                                uint32_t rounds) {
  struct story_row row = s->rows.at[at + DRIFT_SHOWN * len];
  struct buf b = {0};
  put_round(s, at, len, &b);
  buf_putc(&b, ' ');
  story_number(rounds, &b);
  buf_puts(&b, " times");
  row.kind = ROW_ROUNDS;
  row.place = &story_nowhere;
  row.word = row.tail = "";
  row.what = story_keep(s, &b);
  buf_free(&b);
  return row;
}

/* The loop that the execution is in when the recording ends. */
static void tell_last(struct story *s, uint32_t at, uint32_t len,
                      uint32_t rounds) {
  struct buf b = {0};
  if (at + (rounds + 1) * len <= s->rows.len &&
      s->rows.at[s->rows.len - 1].kind != ROW_FAULT)
    return;
  put_round(s, at, len, &b);
  put_values(s, at, len, &b);
  s->drift = story_keep(s, &b);
  buf_free(&b);
}

void story_fold_drift(struct story *s) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->rows.len;) {
    uint32_t len = 1, rounds = 0;
    for (; len <= DRIFT_ROWS; len++)
      if ((rounds = rounds_at(s, i, len)) >= DRIFT_ROUNDS)
        break;
    if (rounds < DRIFT_ROUNDS) {
      s->rows.at[kept++] = s->rows.at[i++];
      continue;
    }
    struct story_row note = note_of(s, i, len, rounds - DRIFT_SHOWN - 1);
    tell_last(s, i, len, rounds);
    for (uint32_t k = 0; k < DRIFT_SHOWN * len; k++)
      s->rows.at[kept++] = s->rows.at[i + k];
    s->rows.at[kept++] = note;
    i += (rounds - 1) * len;
    for (uint32_t k = 0; k < len; k++)
      s->rows.at[kept++] = s->rows.at[i++];
  }
  s->rows.len = kept;
}
