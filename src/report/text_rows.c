/*
 * The interleaving: a column for each thread while they fit, else a list in
 * which each thread has its own indentation.
 *
 * Columns are as wide as their rows want.  When that is too much, columns begin
 * where the widest would have to give way: a row has its line to itself, so it
 * may run on below the columns to its right, and where it begins tells whose it
 * is.
 *
 *     T1          T2          T3
 *     31 read  stack.top = &node#1
 *                 31 read  stack.top = &node#1
 *
 * A row is `31 read  s->top = 0`: the line of the source, what was done, where,
 * and the value.  Where even that is too long the name loses what stands in
 * front (`…top`), so that the value stays.
 */
#include "base/text.h"
#include "report/cell.h"
#include "report/screen.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
  INDENT = 2,
  GAP = 4, /* between columns; GAP_MIN when there is no room */
  GAP_MIN = 2,
  STEP_MIN = 10,  /* columns that begin closer together are hard to follow */
  LAST_FAIR = 44, /* of the last column, which cannot run on, … */
  LAST_MIN = 24,  /* … and when there is less room than that */
  WORD = 5,
  DEFAULT_ROWS = 120,
};

struct table {
  struct screen *s;
  const struct story *story;
  VEC(const struct story_row *) rows;
  uint8_t thread[32]; /* by column */
  uint32_t columns;
  size_t width[32];
  size_t gap;
  size_t lines;     /* columns that the source lines take */
  const char *file; /* the one file of all rows, or NULL */
};

/* `31` or `list.c:31`, clean; nothing when unknown. */
static void put_line(const struct table *t, const struct story_row *r,
                     struct buf *out) {
  const struct place *p = r->place;
  if (!p->line)
    return;
  if (!t->file && p->file) {
    cell_clean(base_name(p->file), t->s->style.utf8, out);
    buf_putc(out, ':');
  }
  buf_printf(out, "%" PRIu32, p->line);
}

static bool is_step(const struct story_row *r) {
  return r->kind == ROW_STEP || r->kind == ROW_WAIT;
}

/* The row in at most `width` columns. */
static void put_cell(const struct table *t, const struct story_row *r,
                     size_t width, struct buf *out) {
  bool utf8 = t->s->style.utf8;
  struct buf head = {0}, what = {0}, tail = {0}, all = {0}, line = {0};
  if (is_step(r)) {
    put_line(t, r, &line);
    size_t used = cell_width(buf_text(&line));
    if (used < t->lines) /* right-aligned */
      buf_spaces(&head, t->lines - used);
    buf_puts(&head, buf_text(&line));
    buf_printf(&head, "%s%-*s", t->lines ? " " : "", WORD, r->word);
    if (*r->what || *r->tail)
      buf_putc(&head, ' ');
  } else if (r->kind == ROW_FAULT) {
    buf_puts(&head, "*** ");
  } else if (r->kind == ROW_NOTE) {
    buf_puts(&head, "state: ");
  }
  cell_clean(r->what, utf8, &what);
  cell_clean(r->tail, utf8, &tail);
  if (r->times > 1) {
    buf_puts(&tail, utf8 ? " ×" : " x");
    story_number(r->times, &tail);
  }
  size_t fixed = cell_width(buf_text(&head)) + cell_width(buf_text(&tail));
  size_t name = cell_width(buf_text(&what)), least = name < 8 ? name : 8;
  size_t room = width > fixed + least ? width - fixed : least;
  buf_puts(&all, buf_text(&head));
  if (is_step(r))
    cell_fit_name(buf_text(&what), room, utf8, &all);
  else
    cell_fit_middle(buf_text(&what), room, utf8, &all);
  buf_puts(&all, buf_text(&tail));
  while (all.len && all.at[all.len - 1] == ' ')
    all.at[--all.len] = '\0';
  cell_fit(buf_text(&all), width, utf8, out);
  buf_free(&head);
  buf_free(&what);
  buf_free(&tail);
  buf_free(&all);
  buf_free(&line);
}

static unsigned ink_of(const struct story_row *r) {
  return r->kind == ROW_FAULT ? INK_ERROR : INK_THREAD + r->thread;
}

/* Notes and faults of the main thread, when all others are done, need no
 * column.
 */
static bool stands_alone(const struct table *t, const struct story_row *r) {
  return t->story->threads && r->part != STORY_THREADS &&
         (r->kind == ROW_NOTE || r->kind == ROW_FAULT);
}

static uint32_t column_of(const struct table *t, uint8_t thread) {
  for (uint32_t i = 0; i < t->columns; i++)
    if (t->thread[i] == thread)
      return i;
  return 0;
}

/* The columns that a row of column i may take: up to the right edge. */
static size_t room_of(const struct table *t, uint32_t column) {
  size_t before = INDENT;
  for (uint32_t i = 0; i < column; i++)
    before += t->width[i] + t->gap;
  return t->s->style.width - before;
}

/* The column that gives way: the last while it is very wide, then the widest,
 * then the last again.  False when none can. */
static bool narrow(struct table *t) {
  uint32_t last = t->columns - 1, widest = 0;
  for (uint32_t i = 1; i < last; i++)
    if (t->width[i] > t->width[widest])
      widest = i;
  bool can = last && t->width[widest] + t->gap > STEP_MIN &&
             t->width[last] <= LAST_FAIR;
  if (!can && t->width[last] <= LAST_MIN)
    return false;
  t->width[can ? widest : last]--;
  return true;
}

/* Wanted widths, then the widest give way; false when there are too many. */
static bool measure(struct table *t) {
  struct buf b = {0};
  for (uint32_t i = 0; i < t->columns; i++)
    t->width[i] = strlen(story_thread(t->thread[i]));
  for (uint32_t i = 0; i < t->rows.len; i++) {
    if (stands_alone(t, t->rows.at[i]))
      continue;
    size_t *w = &t->width[column_of(t, t->rows.at[i]->thread)];
    buf_clear(&b);
    put_cell(t, t->rows.at[i], t->s->style.width, &b);
    size_t wanted = cell_width(buf_text(&b));
    *w = wanted > *w ? wanted : *w;
  }
  buf_free(&b);
  size_t room = t->s->style.width - INDENT, taken = 0;
  for (uint32_t i = 0; i < t->columns; i++)
    taken += t->width[i];
  t->gap = taken + GAP * (t->columns - 1) <= room ? GAP : GAP_MIN;
  taken += t->gap * (t->columns - 1);
  for (; taken > room; taken--)
    if (!narrow(t))
      return false;
  return true;
}

static void put_columns(struct table *t) {
  struct screen *s = t->s;
  buf_spaces(s->out, INDENT);
  for (uint32_t i = 0; i < t->columns; i++) {
    bool last = i + 1 == t->columns;
    screen_put_fit(s, INK_THREAD + t->thread[i], story_thread(t->thread[i]),
                   t->width[i], !last);
    if (!last)
      buf_spaces(s->out, t->gap);
  }
  buf_putc(s->out, '\n');
}

static void put_row_in_column(struct table *t, const struct story_row *r) {
  bool alone = stands_alone(t, r);
  uint32_t column = alone ? 0 : column_of(t, r->thread);
  struct buf b = {0};
  buf_spaces(t->s->out, t->s->style.width - room_of(t, column));
  put_cell(t, r, alone ? t->s->style.width - INDENT : room_of(t, column), &b);
  screen_put(t->s, ink_of(r), buf_text(&b));
  buf_putc(t->s->out, '\n');
  buf_free(&b);
}

/* The thread's name stands at the first row of a group. */
static void put_row_in_list(struct table *t, const struct story_row *r,
                            bool first) {
  struct screen *s = t->s;
  struct buf b = {0};
  size_t indent = INDENT + 2 * (size_t)column_of(t, r->thread);
  size_t most = s->style.width / 3;
  indent = indent < most ? indent : most;
  buf_spaces(s->out, INDENT);
  screen_put_fit(s, INK_THREAD + r->thread,
                 first ? story_thread(r->thread) : "", 4, true);
  buf_spaces(s->out, indent);
  put_cell(t, r, s->style.width - INDENT - 4 - indent, &b);
  screen_put(s, ink_of(r), buf_text(&b));
  buf_putc(s->out, '\n');
  buf_free(&b);
}

/*
 * Which part of the execution is worth showing: what the threads do; what the
 * main thread does, when it fails or when there is nothing else.
 */
static bool shown(const struct story *s, const struct story_row *r) {
  if (r->part == STORY_THREADS || s->threads == 0)
    return true;
  const struct finding *f = s->result->finding;
  bool main_fails = f->fault > FAULT_INVARIANT && f->thread == 0;
  return r->kind == ROW_FAULT || r->kind == ROW_NOTE ||
         (main_fails && s->waiting.len == 0);
}

/* The file of all rows that are shown, if there is only one. */
static const char *only_file(const struct story *s) {
  const char *file = NULL;
  for (uint32_t i = 0; i < s->rows.len; i++) {
    const struct place *p = s->rows.at[i].place;
    if (!shown(s, &s->rows.at[i]) || !p->line || !p->file)
      continue;
    if (file && strcmp(file, p->file) != 0)
      return NULL;
    file = p->file;
  }
  return file;
}

static void collect(struct table *t) {
  struct buf b = {0};
  uint32_t seen = 0;
  t->file = only_file(t->story);
  for (uint32_t i = 0; i < t->story->rows.len; i++) {
    const struct story_row *r = &t->story->rows.at[i];
    if (!shown(t->story, r))
      continue;
    vec_push(&t->rows, r);
    if (!stands_alone(t, r))
      seen |= 1u << (r->thread & 31);
    buf_clear(&b);
    if (is_step(r))
      put_line(t, r, &b);
    size_t wide = cell_width(buf_text(&b));
    t->lines = wide > t->lines ? wide : t->lines;
  }
  for (uint8_t i = 0; i < 32; i++)
    if (seen & (1u << i))
      t->thread[t->columns++] = i;
  buf_free(&b);
}

/* Rows that are left out of a long story: its middle, nearer to its start. */
static void leave_out(const struct table *t, uint32_t *from, uint32_t *to) {
  uint32_t most = t->s->style.max_rows ? t->s->style.max_rows : DEFAULT_ROWS;
  *from = *to = 0;
  if (t->rows.len > most) {
    *from = most / 4;
    *to = t->rows.len - (most - most / 4);
    assert(*from < *to && *to <= t->rows.len);
  }
}

static void put_left_out(struct screen *s, uint32_t n) {
  struct buf b = {0};
  buf_puts(&b, s->style.utf8 ? "… " : "... ");
  story_number(n, &b);
  buf_puts(&b, " rows are left out here; --json has all events");
  screen_paragraph(s, INDENT, INDENT, buf_text(&b));
  buf_free(&b);
}

void screen_rows(struct screen *s, const struct story *story) {
  struct table t = {.s = s, .story = story};
  uint32_t from, to;
  collect(&t);
  if (t.rows.len == 0)
    goto out;
  assert(t.columns >= 1 && t.columns <= 32); /* else measure has no column */
  struct buf title = {0};
  buf_puts(&title, t.columns > 1 ? "Interleaving" : "Execution");
  if (t.file)
    buf_printf(&title, " (lines of %s)", base_name(t.file));
  buf_putc(&title, ':');
  screen_title(s, buf_text(&title));
  buf_free(&title);
  bool columns = measure(&t);
  if (columns)
    put_columns(&t);
  leave_out(&t, &from, &to);
  for (uint32_t i = 0; i < t.rows.len; i++) {
    const struct story_row *r = t.rows.at[i];
    if (i == from && to > from) {
      put_left_out(s, to - from);
      i = to - 1;
      continue;
    }
    if (columns)
      put_row_in_column(&t, r);
    else
      put_row_in_list(&t, r,
                      i == 0 || i == to || t.rows.at[i - 1]->group != r->group);
  }
  if (!story->finding_whole) {
    screen_paragraph(s, INDENT, INDENT,
                     "The recording was full: the last steps are missing.");
  }
out:
  vec_free(&t.rows);
}
