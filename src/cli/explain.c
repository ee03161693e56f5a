/*
 * `faultline explain`: traces from files, of this tool or of another, to the
 * lines that must be atomic.  What a run does with the traces of a client that
 * it has executed (causes.c) is done here with what the files say: the blocks
 * come from the places and calls of the events.
 *
 * An access that has no place in the source is known by its operation: each
 * access has a frame for that outside of all others, whose "lines" are the
 * numbers of the accesses in the operation, from 1.  It is blamed when nothing
 * better is there.
 */
#include "base/json.h"
#include "base/map128.h"
#include "base/opt.h"
#include "cli/commands.h"
#include "locate/section.h"
#include "model/result.h"
#include "model/trace_file.h"
#include "report/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  MOST_CAUSES = 64, /* kept while traces are combined */
  MOST_ELIMINATORS = 10000,
  MOST_CHAINS = 1000000,
  SHOWN = 5,
};

/* Instead of a file, in a block of accesses of an operation. */
static const char ACCESSES[] = "(accesses)";

struct explained {
  struct conflicts conflicts;
  struct section_trace section;
  bool bad;
};

struct explain {
  VEC(struct trace_file) files; /* names live in them */
  VEC(struct explained *) traces;
  struct map128 known; /* classes of traces that were seen */
  struct arena arena;
  uint32_t serializable; /* failing ones in which nothing is interrupted */
  struct causes_found found;
};

/* ---- frames ---- */

struct framing {
  struct explain *x;
  struct trace_file *file;
  const struct stored_trace *stored;
  struct section_trace *s;
  uint32_t instances;
};

static const char *op_name(struct framing *g, uint32_t op) {
  const struct trace_about *about = &g->stored->about;
  if (op < about->nops && about->op_names[op])
    return about->op_names[op];
  char name[32];
  snprintf(name, sizeof name, "operation %u", op);
  return arena_strdup(&g->x->arena, name);
}

/* `copy` holds the activation, which is all that is known of an instance. */
static struct section_frame frame_at(struct framing *g, uint32_t activation,
                                     uint64_t pc) {
  const struct place *p = trace_file_place(g->file, pc);
  struct section_frame f = {.copy = activation};
  if (p && p->line) {
    f.file = p->file ? p->file : "";
    f.function = p->function ? p->function : "";
    f.line = p->line;
  }
  return f;
}

static void push_activations(struct framing *g, const struct event *e) {
  const struct trace *t = &g->stored->trace;
  uint32_t from = g->s->frames.len;
  uint64_t pc = e->pc;
  for (uint32_t a = e->activation; a; a = t->activations[a].parent) {
    vec_push(&g->s->frames, frame_at(g, a, pc));
    pc = t->activations[a].call_pc;
  }
  for (uint32_t to = g->s->frames.len; from + 1 < to; from++, to--) {
    struct section_frame inner = g->s->frames.at[from];
    g->s->frames.at[from] = g->s->frames.at[to - 1];
    g->s->frames.at[to - 1] = inner;
  }
}

/* The frames of a node, from the outside in, not yet with instances. */
static void push_frames(struct framing *g, uint32_t node) {
  const struct conflicts *c = g->s->conflicts;
  const struct node *n = &c->nodes[node];
  const struct operation *op = &c->ops[n->op];
  struct section_frame whole = {.file = ACCESSES,
                                .copy = n->op,
                                .line = n->pos - c->nodes[op->first].pos + 1};
  whole.function = node == op->first
                       ? op_name(g, op->id)
                       : section_frames(g->s, op->first)->function;
  vec_push(&g->s->frames, whole);
  push_activations(g, &g->stored->trace.events[n->event]);
}

/* An instance goes on from the thread's node before, or it is a new one: a
 * file may use one number for two executions of a function. */
static void number_frames(struct framing *g, uint32_t node) {
  const struct conflicts *c = g->s->conflicts;
  const struct node *n = &c->nodes[node];
  bool same = n->pos > 1;
  uint32_t before = same ? node_at(c, n->thread, n->pos - 1) : 0;
  struct section_frame *f = g->s->frames.at + g->s->at[node];
  for (uint32_t i = 0; i < section_depth(g->s, node); i++) {
    const struct section_frame *b = section_frames(g->s, before);
    same = same && i < section_depth(g->s, before) && b[i].copy == f[i].copy;
    f[i].instance = same ? b[i].instance : g->instances++;
  }
}

static void find_frames(struct framing *g) {
  const struct conflicts *c = g->s->conflicts;
  g->s->at = xcalloc((size_t)c->nnodes + 1, sizeof *g->s->at);
  for (uint32_t i = 0; i < c->nnodes; i++) {
    push_frames(g, i);
    g->s->at[i + 1] = g->s->frames.len;
    number_frames(g, i);
  }
}

/* ---- traces ---- */

/* Whether operations are interrupted such that no order of whole ones has the
 * same conflicts: then, and only then, there are eliminators. */
static bool has_cycle(const struct conflicts *c) {
  uint32_t *unit = xcalloc((size_t)c->nnodes + 1, sizeof *unit);
  for (uint32_t i = 0; i < c->nnodes; i++)
    unit[i] = c->nodes[i].op;
  bool some = conflicts_cyclic(c, unit);
  free(unit);
  return some;
}

static struct hash128 hash_frames(const struct section_trace *s,
                                  uint32_t node) {
  struct hash128 h = {0, 0};
  for (uint32_t i = 0; i < section_depth(s, node); i++) {
    const struct section_frame *f = section_frames(s, node) + i;
    const char *file = f->file ? f->file : "";
    const char *function = f->function ? f->function : "";
    h = hash128_join(h, hash128(file, strlen(file), 0));
    h = hash128_join(h, hash128(function, strlen(function), f->line));
  }
  return h;
}

/*
 * Traces count once if their threads did the same at the same lines and every
 * access came after the same others.  Addresses do not matter: two files need
 * not have the same ones, and everything that is computed here is a function
 * of the order.
 */
static struct hash128 class_of(const struct explained *t) {
  const struct conflicts *c = &t->conflicts;
  struct hash128 sum = {c->nnodes, t->bad};
  for (uint32_t i = 0; i < c->nnodes; i++) {
    const struct node *n = &c->nodes[i];
    uint64_t key[] = {c->thread_ids[n->thread], c->ops[n->op].id, n->pos,
                      n->writes};
    struct hash128 before = {0, 0};
    for (uint32_t k = 0; k < c->nthreads; k++) {
      uint32_t reached[] = {c->thread_ids[k], clock_of(c, i)[k]};
      before.lo += reached[1] ? hash64(reached, sizeof reached, 0) : 0;
      before.hi += reached[1] ? hash64(reached, sizeof reached, 1) : 0;
    }
    struct hash128 h = hash128_join(hash128(key, sizeof key, 0), before);
    h = hash128_join(h, hash_frames(&t->section, i));
    sum.lo += h.lo;
    sum.hi += h.hi;
  }
  return sum;
}

static void free_explained(struct explained *t) {
  section_trace_free(&t->section);
  conflicts_free(&t->conflicts);
  free(t);
}

/* Without a cycle, it is the real-time order which a failing trace breaks. */
static void find_conflicts(struct conflicts *c, const struct trace *t,
                           bool bad) {
  struct accesses accesses = {0};
  accesses_from_trace(t, &accesses);
  conflicts_init(c, accesses.at, accesses.len, 0);
  if (bad && !has_cycle(c)) {
    conflicts_free(c);
    conflicts_init(c, accesses.at, accesses.len, CONFLICTS_REAL_TIME);
  }
  free(accesses.at);
}

static void add_trace(struct explain *x, struct trace_file *f,
                      const struct stored_trace *stored, bool bad) {
  struct explained *t = xcalloc(1, sizeof *t);
  struct framing g = {
      .x = x, .file = f, .stored = stored, .s = &t->section, .instances = 0};
  bool fresh;
  t->bad = bad;
  t->section.conflicts = &t->conflicts;
  find_conflicts(&t->conflicts, &stored->trace, bad);
  find_frames(&g);
  map128_put(&x->known, class_of(t), &fresh);
  if (fresh)
    vec_push(&x->traces, t);
  else
    free_explained(t);
}

static bool has_failed(const struct stored_trace *t) {
  return t->about.verdict == VERDICT_VIOLATION ||
         t->about.verdict == VERDICT_ERROR;
}

/* Files of good traces hold no others; those of failing ones may. */
static int add_file(struct explain *x, const char *path, bool good,
                    struct error *e) {
  struct trace_file f;
  int err = trace_file_read(&f, path, e);
  if (err)
    return err;
  vec_push(&x->files, f);
  for (uint32_t i = 0; i < f.ntraces; i++) {
    const struct stored_trace *t = &f.traces[i];
    if (good && has_failed(t))
      return error_set(e, ERR_INPUT,
                       "%s:%u: a failing trace among the good ones", path,
                       t->line);
    add_trace(x, &vec_last(&x->files), t,
              !good && t->about.verdict != VERDICT_PASS);
  }
  return 0;
}

static int read_all(struct explain *x, const struct opt_words *bad,
                    const struct opt_words *good, struct error *e) {
  int err = 0;
  for (uint32_t i = 0; i < bad->len && !err; i++)
    err = add_file(x, bad->at[i], false, e);
  for (uint32_t i = 0; i < x->traces.len; i++)
    x->found.bad += x->traces.at[i]->bad;
  if (!err && !x->found.bad)
    err = error_set(e, ERR_INPUT, "%s: the verdict of every trace is \"pass\"",
                    bad->at[0]);
  for (uint32_t i = 0; i < good->len && !err; i++)
    err = add_file(x, good->at[i], true, e);
  x->found.good = x->traces.len - x->found.bad;
  return err;
}

static void explain_free(struct explain *x) {
  for (uint32_t i = 0; i < x->traces.len; i++)
    free_explained(x->traces.at[i]);
  vec_free(&x->traces);
  for (uint32_t i = 0; i < x->files.len; i++)
    trace_file_free(&x->files.at[i]);
  vec_free(&x->files);
  map128_free(&x->known);
  arena_free(&x->arena);
}

/* ---- causes ---- */

static void add_causes(struct explain *x, struct explained *t,
                       struct causes *all) {
  struct eliminators e = {0};
  struct causes one = {0};
  eliminate(&t->conflicts,
            (struct eliminate_limits){.results = MOST_ELIMINATORS,
                                      .steps = MOST_CHAINS},
            &e);
  causes_of_trace(&e, section_block, &t->section, &x->arena, &one);
  x->found.complete &= !e.cut;
  x->found.complete &= combine_add(all, &one, MOST_CAUSES, &x->arena);
  eliminators_free(&e);
  causes_free(&one);
}

static void keep_causes(struct explain *x, const struct ranked *ranked,
                        uint32_t n) {
  struct causes_found *found = &x->found;
  found->at = arena_alloc(&x->arena, (n + 1) * sizeof *found->at);
  for (uint32_t i = 0; i < n; i++)
    if (ranked[i].cause.nblocks && !ranked[i].misses)
      found->at[found->len++] =
          (struct ranked_cause){.cause = ranked[i].cause,
                                .rank = ranked[i].rank,
                                .eliminates = ranked[i].eliminates,
                                .events = ranked[i].events,
                                .lines = ranked[i].lines};
}

static void rank(struct explain *x, const struct causes *all) {
  VEC(struct rank_trace) good = {0}, bad = {0};
  for (uint32_t i = 0; i < x->traces.len; i++) {
    struct explained *t = x->traces.at[i];
    struct rank_trace r = {&t->conflicts, &t->section};
    if (!t->bad)
      vec_push(&good, r);
    else if (has_cycle(&t->conflicts))
      vec_push(&bad, r);
  }
  struct rank_input in = {.good = good.at,
                          .ngood = good.len,
                          .bad = bad.at,
                          .nbad = bad.len,
                          .units = section_units};
  struct ranked *ranked = xcalloc((size_t)all->len + 1, sizeof *ranked);
  rank_causes(all, &in, ranked);
  keep_causes(x, ranked, all->len);
  free(ranked);
  vec_free(&good);
  vec_free(&bad);
}

static void find_causes(struct explain *x) {
  struct causes all = {0};
  combine_begin(&all);
  x->found.complete = true;
  for (uint32_t i = 0; i < x->traces.len; i++) {
    struct explained *t = x->traces.at[i];
    if (t->bad && has_cycle(&t->conflicts))
      add_causes(x, t, &all);
    else
      x->serializable += t->bad;
  }
  rank(x, &all);
  causes_free(&all);
}

/* ---- reports ---- */

static const char *last_part(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

static bool counts_accesses(const struct code_block *k) {
  return !strcmp(k->file, ACCESSES);
}

/* "operation 3" is no function. */
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
    buf_printf(b, " of %s%s", last_part(k->file),
               k->function[0] ? ", in " : "");
  else
    buf_puts(b, k->function[0] ? " of " : "");
  if (k->function[0])
    buf_printf(b, "%s%s", k->function, is_function(k->function) ? "()" : "");
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
  if (all->good) {
    buf_puts(b, ": takes away ");
    story_number(c->eliminates, b);
    buf_puts(b, " of the ");
    put_count(all->good, " good one", " good ones", b);
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
    buf_printf(b, " serializable: no atomic block would forbid %s.",
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
    buf_puts(&b, " Operations are interrupted, but the search for what must be "
                 "atomic was too long and was given up.");
  else if (c->bad - x->serializable == 1)
    buf_puts(&b, x->serializable
                     ? " The other could not if one of these were atomic:"
                     : " It could not if one of these were atomic:");
  else
    buf_printf(&b, " None of %s could if one of these were atomic:",
               x->serializable ? "the others" : "these");
  put_sentence(s, &b, 2);
  for (uint32_t i = 0; i < c->len && i < SHOWN; i++)
    put_cause(s, &c->at[i], c, &b);
  if (c->len > SHOWN) {
    put_count(c->len - SHOWN, " more is", " more are", &b);
    buf_puts(&b, " in the JSON report.");
    put_sentence(s, &b, 2);
  }
  if (c->len && !c->complete) {
    buf_puts(&b, "There may be others: not all were looked for.");
    put_sentence(s, &b, 2);
  }
  buf_free(&b);
}

static bool nothing_atomic(const struct explain *x) {
  return x->serializable == x->found.bad;
}

static void put_text(const struct explain *x, FILE *to) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  struct buf out = {0};
  struct screen s = {.out = &out,
                     .style = {.width = 80,
                               .colour = isatty(fileno(to)) && !(no && *no) &&
                                         !(term && !strcmp(term, "dumb"))}};
  setlocale(LC_CTYPE, "");
  s.style.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
  if (nothing_atomic(x))
    screen_wrap(&s, 0, 2, "serializable: nothing has to be atomic");
  else
    put_causes(&s, x);
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

static void put_json_cause(struct json *j, const struct ranked_cause *r) {
  json_object(j, NULL);
  json_uint(j, "rank", r->rank);
  json_uint(j, "eliminates", r->eliminates);
  json_array(j, "blocks");
  for (uint32_t k = 0; k < r->cause.nblocks; k++) {
    const struct code_block *b = &r->cause.blocks[k];
    json_object(j, NULL);
    json_string(j, "of", counts_accesses(b) ? "accesses" : "lines");
    put_name(j, "file", counts_accesses(b) ? "" : b->file);
    put_name(j, "function", b->function);
    json_uint(j, "first", b->first);
    json_uint(j, "last", b->last);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
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
  json_end_object(&j);
}

/* ---- the command ---- */

static int report(const struct explain *x, const char *json, struct error *e) {
  put_text(x, json && !strcmp(json, "-") ? stderr : stdout);
  if (json) {
    struct buf out = {0};
    put_json(x, &out);
    buf_write_file(&out, json, e);
    buf_free(&out);
  }
  return nothing_atomic(x) ? 0 : x->found.len ? 1 : 3;
}

static int explain_files(const struct opt_words *bad,
                         const struct opt_words *good, const char *json,
                         struct error *e) {
  struct explain x = {0};
  int status = 2;
  if (!bad->len)
    error_set(e, ERR_USAGE, "explain wants a file of failing traces");
  else if (!read_all(&x, bad, good, e)) {
    find_causes(&x);
    status = report(&x, json, e);
  }
  explain_free(&x);
  return status;
}

int command_explain(int argc, char **argv) {
  struct opt_words good = {0};
  const char *json = NULL;
  struct opt opts[] = {
      {"good-traces", 0, OPT_LIST, &good, "FILE",
       "linearizable traces, to rank the answers; may be repeated", "Input"},
      {"json", 0, OPT_STRING, &json, "FILE",
       "write the answers as JSON; - is standard output", "Output"},
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
      struct buf b = {0};
      opt_help(&c, &b);
      fputs(buf_text(&b), stdout);
      buf_free(&b);
    } else {
      status = explain_files(&rest.args, &good, json, &e);
    }
  }
  if (e.code)
    status = command_complain(&e);
  opt_rest_free(&rest);
  vec_free(&good);
  return status;
}
