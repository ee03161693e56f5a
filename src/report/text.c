/*
 * The terminal report: the answer first, then what is needed to believe it,
 * then how to see it again and what was searched.
 */
#include "base/text.h"
#include "report/cell.h"
#include "report/screen.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- the answer ---- */

/* `name:` in at most half a line; returns its columns. */
static size_t put_object(struct screen *s, const char *object) {
  size_t width = screen_width(s, object), most = s->style.width / 2;
  screen_put_fit(s, INK_BOLD, object, most, false);
  screen_put(s, INK_BOLD, ":");
  return (width < most ? width : most) + 1;
}

/* `file:line:col:`; the object's name where there is no place. */
static size_t put_place(struct screen *s, const struct place *p,
                        const char *object) {
  struct buf b = {0};
  if (p->file && p->line && p->column)
    buf_printf(&b, "%s:%" PRIu32 ":%" PRIu32 ":", p->file, p->line, p->column);
  else if (p->file && p->line)
    buf_printf(&b, "%s:%" PRIu32 ":", p->file, p->line);
  else
    return put_object(s, object);
  size_t used = screen_width(s, buf_text(&b));
  screen_put(s, INK_BOLD, buf_text(&b));
  buf_free(&b);
  return used;
}

static void put_message(struct screen *s, const struct place *p,
                        const char *object, const char *kind, unsigned ink,
                        const char *text) {
  size_t used = put_place(s, p, object);
  if (*kind) {
    buf_putc(s->out, ' ');
    screen_put(s, ink, kind);
    used += 1 + strlen(kind);
  }
  buf_putc(s->out, ' ');
  screen_wrap(s, used + 1, 4, text);
}

static bool is_whole(const struct screen *s) {
  return s->style.whole || s->style.all_causes;
}

/* Does a row that is never left out stand for the note, or is it only about
 * numbers? */
static bool is_in_rows(const struct story *s, const struct story_note *n) {
  for (uint32_t i = 0; i < s->rows.len; i++)
    if (s->rows.at[i].weight == WEIGHT_DECISIVE &&
        s->rows.at[i].place == n->place)
      return true;
  return !n->place->line;
}

void screen_answer(struct screen *s, const struct story *story,
                   bool all_notes) {
  const struct result *r = story->result;
  if (!*story->message)
    return;
  bool is_error = r->verdict == VERDICT_VIOLATION ||
                  r->verdict == VERDICT_ERROR || !r->finding;
  is_error &= r->verdict != VERDICT_UNKNOWN;
  bool doubt = r->finding && fault_is_doubt(r->finding->fault);
  put_message(s, story->place, r->object,
              r->accepted ? "accepted:"
              : is_error  ? "error:"
              : doubt     ? "inconclusive:"
                          : "",
              r->accepted ? INK_NOTE : INK_ERROR, story->message);
  screen_source(s, story->place, story->until);
  for (uint32_t i = 0; i < story->notes.len; i++) {
    const struct story_note *n = &story->notes.at[i];
    if (all_notes || !is_in_rows(story, n))
      put_message(s, n->place, r->object, "note:", INK_NOTE, n->text);
  }
}

/* ---- the end ---- */

/* The length of the shell word at p: blanks in quotes do not end it. */
static size_t shell_word(const char *p) {
  char quote = 0;
  size_t n = 0;
  for (; p[n] && (quote || p[n] != ' '); n++) {
    if (p[n] == '\\' && quote != '\'' && p[n + 1])
      n++;
    else if (!quote && (p[n] == '\'' || p[n] == '"'))
      quote = p[n];
    else if (p[n] == quote)
      quote = 0;
  }
  return n;
}

/* A command stays one that can be pasted: lines end with a backslash, and no
 * word is shortened. */
static void put_command(struct screen *s, const char *command) {
  struct buf word = {0};
  size_t used = 2;
  buf_spaces(s->out, 2);
  for (const char *p = command; *p;) {
    size_t n = shell_word(p);
    if (used > 2 && used + 1 + n + 2 > s->style.width) {
      buf_puts(s->out, " \\\n      ");
      used = 6;
    } else if (used > 2) {
      buf_putc(s->out, ' ');
      used++;
    }
    buf_clear(&word);
    buf_put(&word, p, n);
    screen_put(s, INK_PLAIN, buf_text(&word));
    used += n;
    p += n;
    p += strspn(p, " ");
  }
  buf_putc(s->out, '\n');
  buf_free(&word);
}

static void put_count(struct buf *b, uint64_t n, const char *word) {
  story_number(n, b);
  buf_printf(b, " %s%s", word, n == 1 ? "" : "s");
}

/* `no fault found in`, `violation after`: what the counts belong to. */
static void put_verdict(const struct result *r, struct buf *b) {
  const struct finding *f = r->finding;
  if (r->naccepted)
    buf_printf(b, "%u accepted fault%s, %s", r->naccepted,
               r->naccepted == 1 ? "" : "s",
               r->verdict == VERDICT_PASS ? "no other found in"
                                          : "else inconclusive after");
  else if (r->verdict == VERDICT_PASS)
    buf_puts(b, f ? "passes in" : "no fault found in");
  else if (r->verdict == VERDICT_UNKNOWN)
    buf_puts(b, "inconclusive after");
  else if (r->verdict == VERDICT_VIOLATION)
    buf_puts(b, "violation after");
  else
    buf_printf(b, "%s after", f ? story_fault_words(f->fault) : "error");
}

/* The coverage, in the words of the search or in ours. */
static void put_coverage(const struct coverage *c, struct buf *b) {
  if (c->sentence) {
    buf_puts(b, c->sentence);
  } else if (c->one_client) {
    buf_printf(b, "%s of the given client",
               c->exhaustive ? "all interleavings" : "some interleavings");
  } else {
    buf_puts(b, "all interleavings of ");
    put_count(b, c->exhaustive_clients, "client");
    buf_puts(b, "; ");
    put_count(b, c->sampled_clients, "more client");
    buf_puts(b, " sampled at random");
  }
  if (c->limit)
    buf_printf(b, "; stopped by %s", c->limit);
  if (c->estimate)
    buf_printf(b, " after %s", c->estimate);
}

/* A sentence of its own under the summary line. */
static void put_remark(struct screen *s, struct buf *b) {
  if (b->len && b->at[0] >= 'a' && b->at[0] <= 'z')
    b->at[0] = (char)(b->at[0] - 'a' + 'A');
  buf_puts(b, ".");
  screen_paragraph(s, 2, 2, buf_text(b));
  buf_clear(b);
}

/* `1/1,352`: the bound as the fraction that it is. */
static void put_chance(const struct chance *c, struct buf *b) {
  double one_in = 1 / c->bound;
  buf_printf(b,
             "each execution meets a given bug of depth %" PRIu32
             " with a probability of at least 1/",
             c->depth);
  if (one_in < 1e18)
    story_count((uint64_t)(one_in + 0.5), b);
  else
    buf_printf(b, "%.2g", one_in);
  buf_printf(b, " (PCT's bound for %" PRIu32 " threads and %" PRIu64 " steps)",
             c->threads, c->steps);
}

/* The memory model, if it is not the default, and whether the harness asked for
 * it. */
static void put_model(const struct result *r, struct buf *b) {
  const char *is = r->memory_model, *asked = r->memory_model_asked;
  bool other = is && asked && strcmp(is, asked);
  if (!is || (!strcmp(is, "sc") && !other))
    return;
  buf_printf(b, ", memory model %s", is);
  if (other)
    buf_printf(b, " (FL_MEMORY_MODEL says %s)", asked);
  else if (asked)
    buf_puts(b, " (FL_MEMORY_MODEL)");
}

/* The same of the criterion. */
static void put_criterion(const struct result *r, struct buf *b) {
  const char *is = r->criterion, *asked = r->criterion_asked;
  bool other = is && asked && strcmp(is, asked);
  if (!is || (criterion_named(is) == CRITERION_LINEARIZABLE && !other))
    return;
  buf_printf(b, ", criterion %s", is);
  if (other)
    buf_printf(b, " (FL_CRITERION says %s)", asked);
  else if (asked)
    buf_puts(b, " (FL_CRITERION)");
}

static void put_summary(struct screen *s, const struct result *r) {
  struct buf b = {0};
  put_verdict(r, &b);
  buf_putc(&b, ' ');
  if (r->statistics.clients) {
    put_count(&b, r->statistics.clients, "client");
    buf_puts(&b, ", ");
  }
  put_count(&b, r->statistics.executions, "execution");
  if (r->statistics.cut) {
    buf_puts(&b, " (and ");
    story_number(r->statistics.cut, &b);
    buf_puts(&b, " cut at --max-steps)");
  }
  if (r->statistics.blocked) {
    buf_puts(&b, " (and ");
    story_number(r->statistics.blocked, &b);
    buf_puts(&b, " blocked)");
  }
  put_model(r, &b);
  put_criterion(r, &b);
  buf_printf(&b, ", seed %" PRIu64, r->seed);
  size_t used = put_object(s, r->object);
  buf_putc(s->out, ' ');
  screen_wrap(s, used + 1, 4, buf_text(&b));
  buf_clear(&b);
  /* Behind a fault, how much was searched before it is a number for -v. */
  const char *sentence = r->coverage.sentence;
  bool brief = !is_whole(s) && r->finding && sentence &&
               begins(sentence, "found in client");
  if (!brief) {
    put_coverage(&r->coverage, &b);
    put_remark(s, &b);
  }
  if (r->chance.depth && r->chance.bound > 0 && !brief) {
    put_chance(&r->chance, &b);
    put_remark(s, &b);
  }
  if (r->partial) {
    buf_puts(&b, "this run is partial: some accesses are not seen, see the "
                 "warnings");
    put_remark(s, &b);
  }
  if (r->expect_fault && r->finding && r->finding->fault != FAULT_NONE) {
    buf_puts(&b, "this fault was expected (FL_EXPECT_FAULT)");
    put_remark(s, &b);
  }
  buf_free(&b);
}

/* Where the rest is.  Like the path of a diagnostic, that of the page is of no
 * use when shortened. */
static void put_rest(struct screen *s, const struct result *r) {
  const char *path = r->finding->html_file;
  struct buf clean = {0};
  if (!path && !r->finding->trace.nevents)
    return; /* this is all */
  if (path || !is_whole(s))
    buf_putc(s->out, '\n');
  if (path)
    cell_clean(path, s->style.utf8, &clean);
  if (path && is_whole(s))
    buf_printf(s->out, "Full report: %s\n", buf_text(&clean));
  else if (path)
    buf_printf(s->out, "Full report: %s, or run again with -v\n",
               buf_text(&clean));
  else if (!is_whole(s))
    buf_puts(s->out, "Full report: run again with -v\n");
  buf_free(&clean);
}

struct screen screen_open(const struct text_style *style, struct buf *out) {
  struct screen s = {out, *style};
  if (s.style.width == 0)
    s.style.width = 80;
  if (s.style.width < 40)
    s.style.width = 40;
  return s;
}

void report_line(const char *text, const struct text_style *style,
                 struct buf *out) {
  struct screen s = screen_open(style, out);
  screen_wrap(&s, 0, 4, text);
}

/* `Because: …` and where that is said; with -v the line that would accept it.
 */
static void put_acceptance(struct screen *s, const struct result *r) {
  struct buf b = {0};
  if (r->accepted) {
    buf_printf(&b, "because %s (%s)", r->accepted, r->accepted_by);
    screen_paragraph(s, 4, 4, buf_text(&b));
  } else if (r->accept_line && is_whole(s)) {
    screen_title(s, "To accept it, add to the file of --accept:");
    buf_printf(s->out, "  %s because REASON\n", r->accept_line);
  }
  buf_free(&b);
}

/* An accepted fault is no news. */
static bool is_short(const struct result *r, const struct screen *s) {
  return r->accepted && !is_whole(s);
}

void report_text(const struct story *story, const struct text_style *style,
                 struct buf *out) {
  const struct result *r = story->result;
  struct screen s = screen_open(style, out);
  if (is_short(r, &s)) {
    put_message(&s, story->place, r->object, "accepted:", INK_NOTE,
                story->message);
    put_acceptance(&s, r);
    return;
  }
  bool brief = r->finding && !style->quiet && !is_whole(&s);
  if (brief)
    screen_brief(&s, story);
  else
    screen_answer(&s, story, true);
  if (r->finding && !style->quiet && !brief)
    screen_whole(&s, story);
  put_acceptance(&s, r);
  if (r->finding && r->replay_command) {
    screen_title(&s, "Replay:");
    put_command(&s, r->replay_command);
  }
  if (r->finding && !style->quiet)
    put_rest(&s, r);
  if (r->finding && r->finding->history_file) {
    screen_title(&s, "History:");
    put_command(&s, r->finding->history_file);
  }
  if (style->quiet)
    return;
  screen_outcomes(&s, story);
  if (r->finding || story->outcomes)
    buf_putc(out, '\n');
  put_summary(&s, r);
}
