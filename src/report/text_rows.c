/*
 * The interleaving: a column for each thread while every row fits, else a
 * numbered list with the thread in front.
 *
 * A row has its line to itself: it may run on below the columns to its right,
 * and where it begins tells whose it is.  So a column has to begin early enough
 * for the longest row of its thread, and a few columns behind the one before.
 *
 *     T1          T2          T3
 *     31 read  stack.top = &node#1
 *                 31 read  stack.top = &node#1
 *
 * A row is `31 read  s->top = 0`: the line of the source, what was done, where,
 * and the value.  Where that is too long the name loses its middle
 * (`the_only…top`); a value is never cut.
 */
#include "base/text.h"
#include "report/cell.h"
#include "report/fold.h"
#include "report/screen.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
  INDENT = 2,
  GAP = 4,         /* between columns, where there is room */
  STEP_MIN = 10,   /* columns that begin closer together are hard to follow */
  NAME_LEAST = 16, /* columns of a name that had to be cut */
  FILE_MOST = 14,  /* columns of the name of a file in front of a line */
  WORD = 5,
  DEFAULT_ROWS = 120,
};

/* A line of the interleaving: its text in three parts, all clean. */
struct row_cell {
  const struct fold_line *line;
  char *head, *name, *tail; /* the name may be cut */
  size_t head_width, name_width, tail_width;
  bool alone; /* needs no column */
};

struct table {
  struct screen *s;
  const struct story *story;
  fold_list lines;
  struct row_cell *cells;
  uint8_t thread[32]; /* by column */
  uint32_t columns;
  size_t start[32];
  size_t digits;    /* columns that line numbers take */
  const char *file; /* the file of most rows, which is not named */
  bool others;      /* there are rows of other files */
};

static bool is_step(const struct story_row *r) {
  return r->kind == ROW_STEP || r->kind == ROW_WAIT;
}

static bool in_file(const struct table *t, const struct place *p) {
  return !p->file || (t->file && !strcmp(t->file, p->file));
}

/* ---- the text of a line ---- */

/* `list.c:`, unless it is the file of the title. */
static void put_file(const struct table *t, const struct place *p,
                     struct buf *out) {
  struct buf clean = {0};
  if (in_file(t, p))
    return;
  cell_clean(base_name(p->file), t->s->style.utf8, &clean);
  cell_fit_middle(buf_text(&clean), FILE_MOST, t->s->style.utf8, out);
  buf_putc(out, ':');
  buf_free(&clean);
}

/* `31` or `list.c:31`, right-aligned; nothing when unknown. */
static void put_line(const struct table *t, const struct place *p,
                     struct buf *out) {
  struct buf b = {0};
  if (p->line) {
    put_file(t, p, &b);
    buf_printf(&b, "%" PRIu32, p->line);
  }
  size_t used = cell_width(buf_text(&b));
  if (used < t->digits)
    buf_spaces(out, t->digits - used);
  buf_puts(out, buf_text(&b));
  if (t->digits)
    buf_putc(out, ' ');
  buf_free(&b);
}

static const char *dots(const struct table *t) {
  return t->s->style.utf8 ? "…" : "...";
}

static void tell_row(const struct table *t, const struct story_row *r,
                     struct buf *head, struct buf *name, struct buf *tail) {
  bool utf8 = t->s->style.utf8;
  if (is_step(r)) {
    put_line(t, r->place, head);
    buf_printf(head, "%-*s", WORD, r->word);
    if (*r->what || *r->tail)
      buf_putc(head, ' ');
    cell_clean(r->what, utf8, name);
  } else {
    buf_puts(head, r->kind == ROW_FAULT  ? "*** "
                   : r->kind == ROW_NOTE ? "state: "
                                         : "");
    cell_clean(r->what, utf8, tail);
  }
  cell_clean(r->tail, utf8, tail);
  if (r->times > 1) {
    buf_puts(tail, utf8 ? " ×" : " x");
    story_number(r->times, tail);
  }
}

/* `24-31`: the lines that so many steps of one file are in. */
static void put_range(const struct table *t, const struct story_row *rows,
                      uint32_t n, struct buf *out) {
  const struct place *first = NULL;
  uint32_t from = UINT32_MAX, to = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct place *p = rows[i].place;
    if (!p->line)
      continue;
    first = first ? first : p;
    if (!p->file || !first->file || strcmp(p->file, first->file) != 0)
      continue;
    from = p->line < from ? p->line : from;
    to = p->line > to ? p->line : to;
  }
  if (!to)
    return;
  struct place p = *first;
  p.line = from;
  put_line(t, &p, out);
  if (to > from) {
    out->at[--out->len] = '\0'; /* the space behind the line */
    buf_printf(out, "-%" PRIu32 " ", to);
  }
}

/* `get() … 7 accesses, returns 1; put() … 5 accesses` */
static void put_calls(const struct table *t, const struct fold_line *l,
                      struct buf *out) {
  for (uint32_t i = 0, n; i < l->rows; i += n) {
    const struct story_row *r = &l->row[i];
    for (n = 1;
         r->kind == ROW_STEP && i + n < l->rows && r[n].kind == ROW_STEP;)
      n++;
    if (r->kind == ROW_STEP) {
      buf_printf(out, "%s%s ", i ? " " : "", dots(t));
      fold_put_count(t->story, r, n, out);
    } else {
      buf_puts(out, !i ? "" : r->kind == ROW_RETURN ? ", " : "; ");
      cell_clean(r->what, t->s->style.utf8, out);
    }
  }
}

/* `T2 and T3` */
static void put_threads(const struct fold_line *l, struct buf *out) {
  uint32_t seen = 0, left = 0;
  for (uint32_t i = 0; i < l->rows; i++)
    seen |= 1u << (l->row[i].thread & 31);
  for (uint32_t m = seen; m; m &= m - 1)
    left++;
  for (uint8_t i = 0, said = 0; i < 32; i++)
    if (seen & (1u << i)) {
      left--;
      buf_puts(out, !said ? "" : left ? ", " : " and ");
      buf_puts(out, story_thread(i));
      said = 1;
    }
}

static void tell_folded(const struct table *t, const struct fold_line *l,
                        struct buf *head, struct buf *name, struct buf *tail) {
  uint32_t steps = 0;
  while (steps < l->rows && l->row[steps].kind == ROW_STEP)
    steps++;
  if (l->kind == LINE_CUT) {
    buf_printf(tail, "%s ", dots(t));
    story_number(l->rows, tail);
    buf_puts(tail, " rows of ");
    put_threads(l, tail);
    return;
  }
  put_range(t, l->row, steps, head);
  if (l->kind == LINE_CALL) {
    put_calls(t, l, tail);
    return;
  }
  if (l->kind == LINE_LIBRARY) {
    cell_clean(l->row->library, t->s->style.utf8, name);
    buf_putc(tail, ' ');
  }
  buf_printf(tail, "%s ", dots(t));
  fold_put_count(t->story, l->row, l->rows, tail);
}

/* Notes and faults of the main thread, when all others are done, need no
 * column. */
static bool stands_alone(const struct table *t, const struct fold_line *l) {
  const struct story_row *r = l->row;
  return l->kind == LINE_CUT ||
         (t->story->threads && r->part != STORY_THREADS &&
          (r->kind == ROW_NOTE || r->kind == ROW_FAULT));
}

static struct row_cell cell_of(const struct table *t,
                               const struct fold_line *l) {
  struct buf head = {0}, name = {0}, tail = {0};
  struct row_cell c = {.line = l, .alone = stands_alone(t, l)};
  if (l->kind == LINE_ROW)
    tell_row(t, l->row, &head, &name, &tail);
  else
    tell_folded(t, l, &head, &name, &tail);
  for (struct buf *b = tail.len   ? &tail
                       : name.len ? &name
                                  : &head;
       b->len && b->at[b->len - 1] == ' ';)
    b->at[--b->len] = '\0';
  c.head_width = cell_width(buf_text(&head));
  c.name_width = cell_width(buf_text(&name));
  c.tail_width = cell_width(buf_text(&tail));
  c.head = xstrdup(buf_text(&head));
  c.name = xstrdup(buf_text(&name));
  c.tail = xstrdup(buf_text(&tail));
  buf_free(&head);
  buf_free(&name);
  buf_free(&tail);
  return c;
}

static size_t wanted(const struct row_cell *c, bool cut) {
  size_t name = cut && c->name_width > NAME_LEAST ? NAME_LEAST : c->name_width;
  return c->head_width + name + c->tail_width;
}

/* A text that FL_SHOW printed may be of any length: it is broken. */
static bool may_break(const struct row_cell *c) {
  return c->alone || c->line->row->kind == ROW_NOTE;
}

/* ---- columns ---- */

static uint32_t column_of(const struct table *t, uint8_t thread) {
  for (uint32_t i = 0; i < t->columns; i++)
    if (t->thread[i] == thread)
      return i;
  return 0;
}

/* Where the columns begin; false when they do not fit.  With `cut` names give
 * way, too. */
static bool place_columns(struct table *t, bool cut) {
  size_t most[32];
  for (uint32_t i = 0; i < t->columns; i++)
    most[i] = strlen(story_thread(t->thread[i]));
  for (uint32_t i = 0; i < t->lines.len; i++) {
    const struct row_cell *c = &t->cells[i];
    size_t *w = &most[column_of(t, c->line->row->thread)];
    size_t own = wanted(c, cut);
    if (!may_break(c))
      *w = own > *w ? own : *w;
  }
  t->start[0] = INDENT;
  for (uint32_t i = 1; i < t->columns; i++)
    t->start[i] = t->start[i - 1] + most[i - 1] + GAP;
  for (uint32_t i = t->columns; i-- > 0;) {
    if (most[i] + INDENT > t->s->style.width)
      return false;
    size_t limit = t->s->style.width - most[i];
    if (i + 1 < t->columns && t->start[i + 1] < limit + STEP_MIN)
      limit = t->start[i + 1] < STEP_MIN ? 0 : t->start[i + 1] - STEP_MIN;
    if (t->start[i] > limit)
      t->start[i] = limit;
  }
  return t->start[0] == INDENT;
}

static void put_columns(struct table *t) {
  size_t at = 0;
  for (uint32_t i = 0; i < t->columns; i++) {
    const char *name = story_thread(t->thread[i]);
    buf_spaces(t->s->out, t->start[i] - at);
    screen_put(t->s, INK_THREAD + t->thread[i], name);
    at = t->start[i] + strlen(name);
  }
  buf_putc(t->s->out, '\n');
}

/* ---- lines ---- */

static unsigned ink_of(const struct row_cell *c) {
  if (c->line->kind == LINE_CUT)
    return INK_PLAIN;
  return c->line->row->kind == ROW_FAULT ? INK_ERROR
                                         : INK_THREAD + c->line->row->thread;
}

/* The text from column `start` on, the name cut if it must be; what is too long
 * all the same goes on below. */
static void put_text(struct table *t, const struct row_cell *c, size_t start) {
  size_t room = t->s->style.width - start;
  size_t rest = c->head_width + c->tail_width;
  size_t least = c->name_width < NAME_LEAST ? c->name_width : NAME_LEAST;
  struct buf b = {0};
  buf_puts(&b, c->head);
  cell_fit_name(c->name, rest + least <= room ? room - rest : least,
                t->s->style.utf8, &b);
  buf_puts(&b, c->tail);
  screen_put_broken(t->s, ink_of(c), buf_text(&b), start, start + INDENT);
  buf_free(&b);
}

static void put_in_column(struct table *t, const struct row_cell *c) {
  size_t start =
      c->alone ? INDENT : t->start[column_of(t, c->line->row->thread)];
  buf_spaces(t->s->out, start);
  put_text(t, c, start);
}

/* `  12  T2    31 read  s->top = 0` */
static void put_in_list(struct table *t, const struct row_cell *c,
                        uint32_t number, size_t digits) {
  struct screen *s = t->s;
  struct buf b = {0};
  uint8_t thread = c->line->row->thread;
  buf_printf(&b, "%*" PRIu32 "  ", (int)(INDENT + digits), number);
  buf_puts(s->out, b.at);
  screen_put_fit(s, INK_THREAD + thread,
                 c->line->kind == LINE_CUT ? "" : story_thread(thread), 4,
                 true);
  buf_spaces(s->out, 2);
  put_text(t, c, b.len + 6);
  buf_free(&b);
}

/* ---- all ---- */

/* The file of most rows; whether there are others. */
static void choose_file(struct table *t) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < t->lines.len; i++) {
    const char *file = t->lines.at[i].row->place->file;
    uint32_t same = 0;
    if (!file || !t->lines.at[i].row->place->line ||
        (t->file && !strcmp(file, t->file)))
      continue;
    for (uint32_t k = i; k < t->lines.len; k++) {
      const struct place *p = t->lines.at[k].row->place;
      same += p->line && p->file && !strcmp(p->file, file);
    }
    if (same > best) {
      best = same;
      t->file = file;
    }
  }
  for (uint32_t i = 0; i < t->lines.len; i++) {
    const struct place *p = t->lines.at[i].row->place;
    t->others |= p->line && !in_file(t, p);
  }
}

static void make_cells(struct table *t) {
  uint32_t seen = 0;
  t->cells = xcalloc(t->lines.len + 1, sizeof *t->cells);
  for (uint32_t i = 0; i < t->lines.len; i++) {
    const struct fold_line *l = &t->lines.at[i];
    char number[16];
    if (is_step(l->row) && l->row->place->line) {
      int n = snprintf(number, sizeof number, "%" PRIu32, l->row->place->line);
      t->digits = (size_t)n > t->digits ? (size_t)n : t->digits;
    }
    if (!stands_alone(t, l))
      seen |= 1u << (l->row->thread & 31);
  }
  for (uint8_t i = 0; i < 32; i++)
    if (seen & (1u << i))
      t->thread[t->columns++] = i;
  for (uint32_t i = 0; i < t->lines.len; i++)
    t->cells[i] = cell_of(t, &t->lines.at[i]);
}

/* Rows that are left out of a long story: its middle, nearer to its start. */
static void leave_out(const struct table *t, uint32_t *from, uint32_t *to) {
  uint32_t most = t->s->style.max_rows ? t->s->style.max_rows : DEFAULT_ROWS;
  *from = *to = 0;
  if (t->lines.len > most) {
    *from = most / 4;
    *to = t->lines.len - (most - most / 4);
    assert(*from < *to && *to <= t->lines.len);
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

static void put_title(const struct table *t) {
  struct buf title = {0};
  buf_puts(&title, t->columns > 1 ? "Interleaving" : "Execution");
  if (t->file)
    buf_printf(&title, " (lines of %s%s)", base_name(t->file),
               t->others ? ", other files are named" : "");
  buf_putc(&title, ':');
  screen_title(t->s, buf_text(&title));
  buf_free(&title);
}

uint32_t screen_row_lines(const struct story *story) {
  fold_list lines = {0};
  fold_rows(story, UINT32_MAX, &lines);
  uint32_t n = lines.len;
  vec_free(&lines);
  return n;
}

void screen_rows(struct screen *s, const struct story *story, uint32_t most) {
  struct table t = {.s = s, .story = story};
  uint32_t from, to;
  if (most)
    fold_rows(story, most, &t.lines);
  else
    fold_none(story, &t.lines);
  if (t.lines.len == 0)
    goto out;
  choose_file(&t);
  make_cells(&t);
  assert(t.columns <= 32);
  put_title(&t);
  bool columns = place_columns(&t, false) || place_columns(&t, true);
  if (columns)
    put_columns(&t);
  leave_out(&t, &from, &to);
  size_t digits = t.lines.len < 10 ? 1 : t.lines.len < 100 ? 2 : 3;
  for (uint32_t i = 0; i < t.lines.len; i++) {
    if (i == from && to > from) {
      put_left_out(s, to - from);
      i = to - 1;
    } else if (columns) {
      put_in_column(&t, &t.cells[i]);
    } else {
      put_in_list(&t, &t.cells[i], i + 1, digits);
    }
  }
  if (!story->finding_whole) {
    screen_paragraph(s, INDENT, INDENT,
                     "The recording was full: the last steps are missing.");
  }
out:
  for (uint32_t i = 0; t.cells && i < t.lines.len; i++) {
    free(t.cells[i].head);
    free(t.cells[i].name);
    free(t.cells[i].tail);
  }
  free(t.cells);
  vec_free(&t.lines);
}
