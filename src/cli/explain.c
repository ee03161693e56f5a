/*
 * `faultline explain`: from traces in files to the lines that must be atomic.
 * A test does the same with the traces of its client (diagnose/causes.c); here
 * they are read from files (locate/trace_set.h).
 */
#include "cli/explain/int.h"

#include "base/opt.h"
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_CAUSES = 1000, /* kept while traces are combined */
  MOST_ELIMINATORS = 10000,
  MOST_CHAINS = 1000000,
};

static int read_all(struct explain *x, const struct opt_words *bad,
                    const struct opt_words *good, struct error *e) {
  int err = 0;
  for (uint32_t i = 0; i < bad->len && !err; i++)
    err = trace_set_read(&x->traces, bad->at[i], false, e);
  for (uint32_t i = 0; i < x->traces.traces.len; i++)
    x->found.bad += x->traces.traces.at[i]->bad;
  if (!err && !x->found.bad)
    err = error_set(e, ERR_INPUT, "%s: the verdict of every trace is \"pass\"",
                    bad->at[0]);
  for (uint32_t i = 0; i < good->len && !err; i++)
    err = trace_set_read(&x->traces, good->at[i], true, e);
  x->found.good = x->traces.traces.len - x->found.bad;
  return err;
}

/* ---- causes ---- */

static void add_causes(struct explain *x, const struct rank_trace *t,
                       struct combine_limit limit, struct causes *all) {
  struct eliminators e = {0};
  struct causes one = {0};
  eliminate(t->conflicts,
            (struct eliminate_limits){.results = MOST_ELIMINATORS,
                                      .steps = MOST_CHAINS},
            &e);
  causes_of_trace(&e, section_block, (void *)t->data, &x->traces.arena, &one);
  x->found.complete &= !e.cut;
  x->found.complete &= combine_add(all, &one, limit, &x->traces.arena);
  eliminators_free(&e);
  causes_free(&one);
}

static void keep_causes(struct explain *x, const struct ranked *ranked,
                        uint32_t n) {
  struct causes_found *found = &x->found;
  found->at = arena_alloc(&x->traces.arena, (n + 1) * sizeof *found->at);
  for (uint32_t i = 0; i < n; i++)
    if (ranked[i].cause.nblocks && !ranked[i].misses)
      found->at[found->len++] =
          (struct ranked_cause){.cause = ranked[i].cause,
                                .rank = ranked[i].rank,
                                .eliminates = ranked[i].eliminates,
                                .events = ranked[i].events,
                                .lines = ranked[i].lines};
}

/* Failing traces in which something is interrupted, and good ones. */
struct explain_traces {
  VEC(struct rank_trace) good, bad;
};

static void sort_traces(struct explain *x, struct explain_traces *out) {
  for (uint32_t i = 0; i < x->traces.traces.len; i++) {
    struct read_trace *t = x->traces.traces.at[i];
    struct rank_trace r = {&t->conflicts, &t->section};
    if (!t->bad)
      vec_push(&out->good, r);
    else if (conflicts_have_cycle(&t->conflicts))
      vec_push(&out->bad, r);
    else
      x->serializable++;
  }
}

static uint32_t price(void *ctx, struct cause c) { return rank_price(c, ctx); }

static void find_causes(struct explain *x) {
  struct causes all = {0};
  struct explain_traces t = {0};
  trace_set_find_rounds(&x->traces, &x->loops);
  sort_traces(x, &t);
  struct rank_input in = {.good = t.good.at,
                          .ngood = t.good.len,
                          .bad = t.bad.at,
                          .nbad = t.bad.len,
                          .units = section_units};
  struct combine_limit limit = {MOST_CAUSES, price, &in};
  combine_begin(&all);
  x->found.complete = true;
  for (uint32_t i = 0; i < t.bad.len; i++)
    add_causes(x, &t.bad.at[i], limit, &all);
  struct ranked *ranked = xcalloc((size_t)all.len + 1, sizeof *ranked);
  rank_causes(&all, &in, ranked);
  keep_causes(x, ranked, all.len);
  free(ranked);
  causes_free(&all);
  vec_free(&t.good);
  vec_free(&t.bad);
}

/* ---- the command ---- */

static int check_files(const struct explain_files *f, struct error *e) {
  const char *const files[] = {f->json, f->cases.junit, f->cases.sarif,
                               f->cases.tap};
  int standard = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    standard += files[i] && !strcmp(files[i], "-");
  if (standard > 1)
    return error_set(
        e, ERR_USAGE,
        "--json, --junit, --sarif and --tap: one of them can be -");
  return ERR_NONE;
}

static int explain_files(const struct opt_words *bad,
                         const struct opt_words *good,
                         const struct explain_files *files, struct error *e) {
  struct explain x = {0};
  struct buf name = {0};
  int status = 2;
  if (check_files(files, e))
    return status;
  if (!bad->len)
    error_set(e, ERR_USAGE, "explain wants a file of failing traces");
  else if (!read_all(&x, bad, good, e)) {
    find_causes(&x);
    for (uint32_t i = 0; i < bad->len; i++)
      buf_printf(&name, "%s%s", i ? " " : "", bad->at[i]);
    explain_report(&x, buf_text(&name), files, e);
    status = explain_status(&x);
  }
  buf_free(&name);
  trace_set_free(&x.traces);
  loops_free(&x.loops);
  return status;
}

int command_explain(int argc, char **argv) {
  struct opt_words good = {0};
  struct explain_files files = {0};
  struct opt opts[] = {
      {"good-traces", 0, OPT_LIST, &good, "FILE",
       "linearizable traces, to rank the answers; may be repeated", "Input"},
      {"all-causes", 0, OPT_FLAG, &files.all_causes, NULL,
       "all answers, not the best five", "Output"},
      {"json", 0, OPT_STRING, &files.json, "FILE",
       "write the answers as JSON; - is standard output", "Output"},
      {"junit", 0, OPT_STRING, &files.cases.junit, "FILE",
       "write them as JUnit's XML, as one case", "Output"},
      {"sarif", 0, OPT_STRING, &files.cases.sarif, "FILE",
       "write the lines as SARIF 2.1.0, for code scanning and editors",
       "Output"},
      {"tap", 0, OPT_STRING, &files.cases.tap, "FILE",
       "write the answers as TAP; of all these one can be -", "Output"},
      {0}};
  struct opt_command c = {
      "faultline explain TRACE.jsonl... [--good-traces FILE]...",
      "Which lines must be atomic, so that none of the failing traces in the "
      "files could happen.  The format is that of docs/trace.md.",
      opts,
      "Exit status: 0 nothing has to be atomic, 1 lines were found, 2 usage "
      "or a file\nthat cannot be understood, 3 the search was given up.\n"};
  struct opt_rest rest = {0};
  struct error e = {0};
  int status = 0;
  if (!opt_parse(&c, argc, argv, &rest, &e)) {
    if (rest.help) {
      command_show_help(&c);
    } else {
      status = explain_files(&rest.args, &good, &files, &e);
    }
  }
  if (e.code)
    status = command_complain(&e);
  opt_rest_free(&rest);
  vec_free(&good);
  return status;
}
