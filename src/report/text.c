/*
 * The terminal report: the answer first, then what is needed to believe it,
 * then how to see it again and what was searched.
 */
#include "report/cell.h"
#include "report/races.h"

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

static void put_answer(struct screen *s, const struct story *story) {
  const struct result *r = story->result;
  if (!*story->message)
    return;
  bool is_error = r->verdict == VERDICT_VIOLATION ||
                  r->verdict == VERDICT_ERROR || !r->finding;
  is_error &= r->verdict != VERDICT_UNKNOWN;
  bool doubt = r->finding && fault_is_doubt(r->finding->fault);
  put_message(s, story->place, r->object,
              is_error ? "error:"
              : doubt  ? "inconclusive:"
                       : "",
              INK_ERROR, story->message);
  screen_source(s, story->place, story->until);
  for (uint32_t i = 0; i < story->notes.len; i++)
    put_message(s, story->notes.at[i].place, r->object, "note:", INK_NOTE,
                story->notes.at[i].text);
}

/* ---- calls and results ---- */

static void put_result(const struct story *s, uint32_t call, struct buf *out) {
  const struct history *h = &s->result->finding->trace.history;
  buf_puts(out, s->calls[call]);
  if (s->results[call]) {
    if (*s->results[call])
      buf_printf(out, " = %s", s->results[call]);
  } else if (h->ops && hop_called(&h->ops[call])) {
    buf_puts(out, " (does not return)");
  } else {
    buf_puts(out, " (not called)");
  }
}

/* The calls [from, to) on one line, behind the thread's name. */
static void put_results(struct screen *s, const struct story *story,
                        const char *who, unsigned ink, uint32_t from,
                        uint32_t to) {
  if (from == to)
    return;
  assert(from < to && to <= story->result->finding->client.ncalls);
  struct buf b = {0};
  for (uint32_t i = from; i < to; i++) {
    buf_puts(&b, i > from ? "; " : "");
    put_result(story, i, &b);
  }
  buf_spaces(s->out, 2);
  screen_put_fit(s, ink, who, 8, true);
  screen_wrap(s, 10, 10, buf_text(&b));
  buf_free(&b);
}

static void put_all_results(struct screen *s, const struct story *story) {
  const struct client *c = &story->result->finding->client;
  if (c->ncalls == 0 || !story->result->finding->trace.history.ops)
    return;
  screen_title(s, "Results:");
  put_results(s, story, "before", INK_PLAIN, 0, c->ninit);
  uint32_t end = client_first_final(c);
  for (uint32_t i = c->ninit, next; i < end; i = next) {
    uint8_t thread = c->calls[i].thread;
    for (next = i; next < end && c->calls[next].thread == thread;)
      next++;
    put_results(s, story, story_thread(thread), INK_THREAD + thread, i, next);
  }
  put_results(s, story, "after", INK_PLAIN, end, c->ncalls);
}

static void refutation_text(const struct story *story,
                            const struct refutation *r, struct buf *out) {
  struct buf b = {0};
  assert(r->order.len);
  uint32_t last = r->order.at[r->order.len - 1];
  for (uint32_t i = 0; i + 1 < r->order.len; i++) {
    put_result(story, r->order.at[i], &b);
    buf_puts(&b, "; ");
  }
  buf_printf(&b, "%s %s should ", r->order.len > 1 ? "then" : "first",
             story->calls[last]);
  if (r->waits) {
    buf_puts(&b, "wait");
  } else {
    buf_puts(&b, "return ");
    size_t empty = b.len;
    story_put_value(story, r->expected, &b);
    if (b.len == empty)
      buf_puts(&b, "nothing");
  }
  const char *had = story->results[last];
  if (had)
    buf_printf(&b, ", returned %s", *had ? had : "nothing");
  else
    buf_puts(&b, ", did not return");
  buf_puts(out, buf_text(&b));
  buf_free(&b);
}

/* Orders that differ only in whose of two equal calls comes first read the
 * same: one of them is enough. */
static bool said_before(const struct story *story, uint32_t at,
                        const char *text) {
  const refutation_list *l = &story->result->finding->refutations;
  struct buf b = {0};
  bool same = false;
  for (uint32_t i = 0; i < at && !same; i++) {
    buf_clear(&b);
    if (l->at[i].order.len)
      refutation_text(story, &l->at[i], &b);
    same = strcmp(buf_text(&b), text) == 0;
  }
  buf_free(&b);
  return same;
}

static void put_refutation(struct screen *s, const struct story *story,
                           uint32_t at) {
  const struct refutation *r = &story->result->finding->refutations.at[at];
  struct buf b = {0};
  if (r->order.len)
    refutation_text(story, r, &b);
  if (b.len && !said_before(story, at, b.at)) {
    screen_paragraph(s, 2, 6, b.at);
  }
  buf_free(&b);
}

static void put_why(struct screen *s, const struct story *story) {
  const struct finding *f = story->result->finding;
  if (f->refutations.len == 0)
    return;
  const char *criterion = story->result->criterion;
  if (f->fault == FAULT_SEQUENTIAL)
    screen_title(s, "What is wrong:");
  else if (criterion && strncmp(criterion, "seq", 3) == 0)
    screen_title(s,
                 "Why no order that keeps each thread's order explains them:");
  else
    screen_title(s, "Why no order that real time allows explains them:");
  for (uint32_t i = 0; i < f->refutations.len; i++)
    put_refutation(s, story, i);
  if (f->more_refutations) {
    struct buf b = {0};
    buf_puts(&b, "and ");
    story_count(f->more_refutations, &b);
    buf_puts(&b, f->more_refutations == 1 ? " more order" : " more orders");
    screen_paragraph(s, 2, 2, buf_text(&b));
    buf_free(&b);
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
  if (r->verdict == VERDICT_PASS)
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
  buf_printf(&b, ", seed %" PRIu64, r->seed);
  size_t used = put_object(s, r->object);
  buf_putc(s->out, ' ');
  screen_wrap(s, used + 1, 4, buf_text(&b));
  buf_clear(&b);
  put_coverage(&r->coverage, &b);
  put_remark(s, &b);
  if (r->chance.depth) {
    put_chance(&r->chance, &b);
    put_remark(s, &b);
  }
  if (r->partial) {
    buf_puts(&b, "this run is partial: something escapes the runtime, see the "
                 "warnings");
    put_remark(s, &b);
  }
  if (r->expect_fault && r->finding && r->finding->fault != FAULT_NONE) {
    buf_puts(&b, "this fault was expected (FL_EXPECT_FAULT)");
    put_remark(s, &b);
  }
  buf_free(&b);
}

/* ---- clients of real threads ---- */

enum { MANY_CALLS = 40, FIRST_CALLS = 3 };

static bool has_many_calls(const struct finding *f) {
  return f->real_threads && f->client.ncalls > MANY_CALLS;
}

/* One line a thread: its first calls, and how many more. */
static void put_beginnings(struct screen *s, const struct story *story) {
  const struct client *c = &story->result->finding->client;
  for (uint32_t i = 0, next; i < c->ncalls; i = next) {
    uint8_t thread = c->calls[i].thread;
    struct buf b = {0};
    for (next = i; next < c->ncalls && c->calls[next].thread == thread;)
      next++;
    for (uint32_t k = i; k < next && k < i + FIRST_CALLS; k++) {
      buf_puts(&b, k > i ? "; " : "");
      put_result(story, k, &b);
    }
    if (next - i > FIRST_CALLS) {
      buf_puts(&b, "; and ");
      put_count(&b, next - i - FIRST_CALLS, "more call");
    }
    buf_spaces(s->out, 2);
    screen_put_fit(s, INK_THREAD + thread,
                   thread         ? story_thread(thread)
                   : i < c->ninit ? "before"
                                  : "after",
                   8, true);
    screen_wrap(s, 10, 10, buf_text(&b));
    buf_free(&b);
  }
}

/* How far the longest explanation goes. */
static void put_short_why(struct screen *s, const struct story *story) {
  const struct finding *f = story->result->finding;
  if (!f->refutations.len)
    return;
  struct refutation last = f->refutations.at[0];
  uint32_t explained = (uint32_t)last.order.len - 1;
  uint32_t call = last.order.at[explained];
  last.order.at += explained;
  last.order.len = 1;
  struct buf b = {0}, text = {0};
  refutation_text(story, &last, &text);
  put_count(&b, explained, "call");
  buf_printf(&b, " can be put in order; then %s:%s",
             story_thread(f->client.calls[call].thread),
             buf_text(&text) + strlen("first"));
  screen_title(s, "How far an order explains them:");
  screen_paragraph(s, 2, 6, buf_text(&b));
  buf_free(&b);
  buf_free(&text);
}

static void put_long_client(struct screen *s, const struct story *story) {
  screen_title(s, "Failing client, shortened, with its results:");
  put_beginnings(s, story);
  put_short_why(s, story);
}

static const char *client_title(const struct finding *f) {
  if (f->fault == FAULT_NONE)
    return "Client:";
  if (fault_is_doubt(f->fault))
    return f->minimal_checked ? "Smallest client that comes there"
                              : "Client that comes there";
  return f->minimal_checked ? "Smallest failing client" : "Failing client";
}

/* How large it was, and whether it is known that it cannot be smaller. */
static void put_client_title(struct screen *s, const struct finding *f) {
  const struct minimal *m = &f->minimal;
  struct buf b = {0};
  buf_puts(&b, client_title(f));
  if (f->fault != FAULT_NONE && m->from > f->client.ncalls) {
    buf_puts(&b, " (shrunk from ");
    put_count(&b, m->from, "call");
    buf_puts(&b, " to ");
    story_number(f->client.ncalls, &b);
    buf_printf(&b, "; %sproved minimal)", f->minimal_checked ? "" : "not ");
  } else if (f->fault != FAULT_NONE && (m->tried || f->minimal_checked)) {
    buf_printf(&b, " (%sproved minimal)", f->minimal_checked ? "" : "not ");
  }
  if (f->fault != FAULT_NONE)
    buf_putc(&b, ':');
  screen_title(s, buf_text(&b));
  buf_free(&b);
}

static void put_type(struct screen *s, const struct finding *f) {
  static const char *const words[] = {
      NULL, "The concurrent calls show the fault by themselves (type 1).",
      "The concurrent calls do not show the fault: their results are "
      "explained. Only the calls after them do (type 2)."};
  assert(f->minimal.type < sizeof words / sizeof *words);
  if (!words[f->minimal.type])
    return;
  screen_paragraph(s, 2, 2, words[f->minimal.type]);
}

static void put_evidence(struct screen *s, const struct story *story) {
  const struct finding *f = story->result->finding;
  if (has_many_calls(f)) {
    put_long_client(s, story);
    return;
  }
  if (f->client.ncalls) {
    put_client_title(s, f);
    screen_paragraph(s, 2, 6, story->client);
    put_type(s, f);
  }
  screen_rows(s, story);
  put_all_results(s, story);
  put_why(s, story);
  screen_nearest(s, story);
  screen_races(s, story);
  screen_causes(s, story);
  screen_fences(s, story);
  screen_patch(s, story);
}

/* Like the path of a diagnostic, it is of no use when shortened. */
static void put_page(struct screen *s, const char *path) {
  struct buf clean = {0};
  cell_clean(path, s->style.utf8, &clean);
  buf_printf(s->out, "\nReport: %s\n", buf_text(&clean));
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

void report_text(const struct story *story, const struct text_style *style,
                 struct buf *out) {
  const struct result *r = story->result;
  struct screen s = screen_open(style, out);
  put_answer(&s, story);
  if (r->finding && !style->quiet)
    put_evidence(&s, story);
  if (r->finding && r->replay_command) {
    screen_title(&s, "Replay:");
    put_command(&s, r->replay_command);
  }
  if (r->finding && r->finding->html_file && !style->quiet)
    put_page(&s, r->finding->html_file);
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
