/* The report of `faultline explain`. */
#include "cli/explain/int.h"

#include "base/json.h"
#include "base/terminal.h"
#include "base/text.h"
#include "report/screen.h"

#include <assert.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN = 5 };

static bool counts_accesses(const struct code_block *k) {
  return !strcmp(k->file, TRACE_SET_ACCESSES);
}

/* Unlike "operation 3". */
static bool is_function(const char *name) { return !strchr(name, ' '); }

static void put_block(const struct code_block *k, struct buf *b) {
  const char *what = counts_accesses(k) ? "access" : "line";
  if (k->first == k->last)
    buf_printf(b, "%s %u", what, k->first);
  else
    buf_printf(b, "%s%s %u-%u", what, counts_accesses(k) ? "es" : "s", k->first,
               k->last);
  if (counts_accesses(k))
    buf_puts(b, " of ");
  else if (k->file[0])
    buf_printf(b, " of %s%s", base_name(k->file),
               k->function[0] ? ", in " : "");
  else
    buf_puts(b, k->function[0] ? " of " : "");
  if (k->function[0])
    buf_printf(b, "%s%s", k->function, is_function(k->function) ? "()" : "");
  story_put_loop(k, b);
}

static void put_count(uint64_t n, const char *one, const char *many,
                      struct buf *b) {
  story_number(n, b);
  buf_puts(b, n == 1 ? one : many);
}

static void put_sentence(struct screen *s, struct buf *b, size_t hang) {
  if (b->len && b->at[0] >= 'a' && b->at[0] <= 'z')
    b->at[0] = (char)(b->at[0] - 'a' + 'A');
  buf_spaces(s->out, 2);
  screen_wrap(s, 2, hang, buf_text(b));
  buf_clear(b);
}

static void put_cause(struct screen *s, const struct ranked_cause *c,
                      const struct causes_found *all, struct buf *b) {
  buf_printf(b, "%u. ", c->rank);
  for (uint32_t i = 0; i < c->cause.nblocks; i++) {
    buf_puts(b, i ? "; and " : "");
    put_block(&c->cause.blocks[i], b);
  }
  if (all->good && !c->eliminates) {
    buf_puts(b, ": no correct order is lost");
  } else if (all->good) {
    buf_puts(b, ": ");
    story_number(c->eliminates, b);
    buf_puts(b, " of ");
    put_count(all->good, " correct order ", " correct orders ", b);
    buf_puts(b, c->eliminates == 1 ? "is lost" : "are lost");
  }
  put_sentence(s, b, 5);
}

static void put_counts(const struct explain *x, struct buf *b) {
  const struct causes_found *c = &x->found;
  if (c->good) {
    story_number(c->bad, b);
    buf_puts(b, " of ");
  }
  put_count(c->bad + c->good, " order of conflicting accesses ",
            " orders of conflicting accesses ", b);
  buf_puts(b, c->bad == 1 ? "fails." : "fail.");
  if (x->serializable) {
    buf_puts(b, " Of these ");
    put_count(x->serializable, " is", " are", b);
    buf_printf(b, " serializable: no atomic block can prevent %s.",
               x->serializable == 1 ? "it" : "them");
  }
}

static void put_causes(struct screen *s, const struct explain *x) {
  const struct causes_found *c = &x->found;
  struct buf b = {0};
  screen_put(s, INK_BOLD, "Which lines must be atomic:");
  buf_putc(s->out, '\n');
  put_counts(x, &b);
  if (!c->len)
    buf_puts(&b, " Operations are interrupted, but the search for the lines "
                 "that must be atomic took too long and was stopped.");
  else if (c->bad - x->serializable == 1)
    buf_puts(&b, x->serializable
                     ? " The other cannot happen if one of these is atomic:"
                     : " It cannot happen if one of these is atomic:");
  else
    buf_printf(&b, " None of %s can happen if one of these is atomic:",
               x->serializable ? "the others" : "these");
  put_sentence(s, &b, 2);
  uint32_t shown = s->style.all_causes || c->len < SHOWN ? c->len : SHOWN;
  for (uint32_t i = 0; i < shown; i++)
    put_cause(s, &c->at[i], c, &b);
  if (c->len > shown) {
    put_count(c->len - shown, " more", " more", &b);
    buf_puts(&b, ": see --all-causes or the JSON report.");
    put_sentence(s, &b, 2);
  }
  if (c->len && !c->complete) {
    buf_puts(&b, "There may be others: the search was not complete.");
    put_sentence(s, &b, 2);
  }
  buf_free(&b);
}

static void put_answer(const struct explain *x, struct screen *s) {
  if (nothing_atomic(x))
    screen_wrap(s, 0, 2, "serializable: nothing has to be atomic");
  else
    put_causes(s, x);
}

static void put_text(const struct explain *x, bool all_causes, FILE *to) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  struct buf out = {0};
  struct screen s = {.out = &out,
                     .style = {.width = terminal_columns(fileno(to)),
                               .all_causes = all_causes,
                               .colour = isatty(fileno(to)) && !(no && *no) &&
                                         !(term && !strcmp(term, "dumb"))}};
  setlocale(LC_CTYPE, "");
  s.style.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
  put_answer(x, &s);
  fputs(buf_text(&out), to);
  fflush(to);
  buf_free(&out);
}

static void put_name(struct json *j, const char *key, const char *name) {
  if (name[0])
    json_string(j, key, name);
  else
    json_null(j, key);
}

static void put_json_blocks(struct json *j, const struct cause *c) {
  json_array(j, "blocks");
  for (uint32_t k = 0; k < c->nblocks; k++) {
    const struct code_block *b = &c->blocks[k];
    json_object(j, NULL);
    json_string(j, "of", counts_accesses(b) ? "accesses" : "lines");
    put_name(j, "file", counts_accesses(b) ? "" : b->file);
    put_name(j, "function", b->function);
    json_uint(j, "first", b->first);
    json_uint(j, "last", b->last);
    json_loop(j, b);
    json_end_object(j);
  }
  json_end_array(j);
}

static void put_json_cause(struct json *j, const struct ranked_cause *r) {
  json_object(j, NULL);
  json_uint(j, "rank", r->rank);
  json_uint(j, "eliminates", r->eliminates);
  put_json_blocks(j, &r->cause);
  json_end_object(j);
}

/* What forbids single traces, and the answer for each of these. */
static void put_json_singles(struct json *j, const struct causes_found *c) {
  json_array(j, "eliminators");
  for (uint32_t i = 0; i < c->nsingle; i++) {
    json_object(j, NULL);
    json_uint(j, "traces", c->single[i].traces);
    json_uint(j, "eliminates", c->single[i].eliminates);
    put_json_blocks(j, &c->single[i].cause);
    json_end_object(j);
  }
  json_end_array(j);
  json_bool(j, "eliminators_complete", !c->single_cut);
  json_answers(j, c);
}

static void put_json(const struct explain *x, struct buf *out) {
  struct json j = {.out = out};
  json_object(&j, NULL);
  json_uint(&j, "faultline", 1);
  json_bool(&j, "serializable", nothing_atomic(x));
  json_array(&j, "causes");
  for (uint32_t i = 0; i < x->found.len; i++)
    put_json_cause(&j, &x->found.at[i]);
  json_end_array(&j);
  json_object(&j, "traces");
  json_uint(&j, "failing", x->found.bad);
  json_uint(&j, "serializable", x->serializable);
  json_uint(&j, "good", x->found.good);
  json_end_object(&j);
  json_bool(&j, "complete", x->found.complete);
  put_json_singles(&j, &x->found);
  json_end_object(&j);
}

/* ---- for continuous integration: one case ---- */

/* "lines 4-5 of stack.c, in pop() must be atomic".  The places of the case are
 * the lines of the first cause. */
static void put_first(const struct cause *c, struct buf *b,
                      struct ci_case *out) {
  struct ci_lines *lines = xcalloc(c->nblocks + 1, sizeof *lines);
  for (uint32_t i = 0; i < c->nblocks; i++) {
    const struct code_block *k = &c->blocks[i];
    buf_puts(b, i ? "; and " : "");
    put_block(k, b);
    if (!counts_accesses(k) && k->file[0])
      lines[out->nlines++] = (struct ci_lines){
          k->file,
          k->function[0] && is_function(k->function) ? k->function : NULL,
          k->first, k->last};
  }
  buf_puts(b, " must be atomic");
  out->lines = lines;
}

static void write_case(const struct explain *x, const char *name,
                       const struct case_files *f, struct error *e) {
  static const enum ci_outcome outcome[] = {CI_PASS, CI_FAIL, CI_OPEN, CI_OPEN};
  struct buf text = {0}, message = {0};
  struct screen s = {.out = &text, .style = {.width = 80, .utf8 = true}};
  int status = explain_status(x);
  struct ci_case one = {.name = name, .outcome = outcome[status]};
  put_answer(x, &s);
  assert(status != 1 || x->found.len);
  if (status == 1)
    put_first(&x->found.at[0].cause, &message, &one);
  else
    buf_puts(&message, "the search for the lines that must be atomic took too "
                       "long and was stopped");
  one.message = buf_text(&message);
  one.text = buf_text(&text);
  struct ci_cases cases = {.command = "faultline explain",
                           .fault = "not-atomic",
                           .meaning = "lines that must be atomic are not",
                           .at = &one,
                           .n = 1};
  cases_write(&cases, f, status, e);
  free((void *)one.lines);
  buf_free(&text);
  buf_free(&message);
}

void explain_report(const struct explain *x, const char *name,
                    const struct explain_files *f, struct error *e) {
  bool out = (f->json && !strcmp(f->json, "-")) || cases_on_stdout(&f->cases);
  put_text(x, f->all_causes, out ? stderr : stdout);
  if (f->json) {
    struct buf b = {0};
    put_json(x, &b);
    buf_write_file(&b, f->json, e);
    buf_free(&b);
  }
  write_case(x, name, &f->cases, e);
}
