/* `faultline check FILE…`: are recorded histories linearizable? */
#include "base/clock.h"
#include "base/opt.h"
#include "base/terminal.h"
#include "cli/check/int.h"
#include "cli/commands.h"
#include "history/read/read.h"
#include "proc/phase.h"

#include <dirent.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TABLE_DEPTHS = 5 }; /* as in the paper */

struct check_command {
  struct check_settings *s;
  FILE *to;
  struct error e; /* of the first history that cannot be checked; ends all */
  bool violation, unknown;
  bool alone; /* there is one file only */
  uint32_t nhistories;
  VEC(struct buf) json;
  VEC(struct log_case) cases; /* with texts of their own */
  struct log_page page;
  struct buf orders;
  struct check_table *table;
};

/* ---- output ---- */

static void take(void *ctx, struct check_result *r) {
  struct check_command *c = ctx;
  static const char *const words[] = {"linearizable", "violation", "unknown"};
  if (c->e.code)
    return;
  if (r->error) {
    error_set(&c->e, r->error, "%s", buf_text(&r->text));
    return;
  }
  c->nhistories++;
  c->violation |= r->verdict == LOG_VIOLATION;
  c->unknown |= r->verdict == LOG_UNKNOWN;
  phase_count(1, 0);
  if (r->verdict == LOG_VIOLATION)
    phase_fault();
  phase_pause();
  fputs(buf_text(&r->text), c->to);
  fflush(c->to);
  phase_resume();
  if (c->s->json) {
    vec_push(&c->json, r->json);
    r->json = (struct buf){0};
  }
  if (c->s->junit || c->s->tap)
    vec_push(&c->cases, ((struct log_case){words[r->verdict],
                                           xstrdup(buf_text(&r->text))}));
  if (c->s->html)
    log_page_add(&c->page, &r->html, words[r->verdict]);
  if (c->s->order)
    buf_put(&c->orders, buf_text(&r->order), r->order.len);
  if (c->table)
    check_table_add(c->table, &r->depths);
}

static void write_files(struct check_command *c) {
  struct buf b = {0};
  if (c->s->json) {
    log_json_document(c->json.at, c->json.len, &b);
    buf_write_file(&b, c->s->json, &c->e);
  }
  if (c->s->junit && !c->e.code) {
    buf_clear(&b);
    log_report_junit(c->cases.at, c->cases.len, &b);
    buf_write_file(&b, c->s->junit, &c->e);
  }
  if (c->s->tap && !c->e.code) {
    buf_clear(&b);
    log_report_tap(c->cases.at, c->cases.len, &b);
    buf_write_file(&b, c->s->tap, &c->e);
  }
  buf_clear(&b);
  if (c->s->html && !c->e.code) {
    log_page_finish(&c->page, &b);
    buf_write_file(&b, c->s->html, &c->e);
  }
  if (c->s->order && !c->e.code)
    buf_write_file(&c->orders, c->s->order, &c->e);
  buf_clear(&b);
  if (c->table && !c->e.code) {
    check_table_print(c->table, &b);
    fputs(buf_text(&b), c->to);
  }
  buf_free(&b);
}

static void check_free(struct check_command *c) {
  for (uint32_t i = 0; i < c->json.len; i++)
    buf_free(&c->json.at[i]);
  vec_free(&c->json);
  for (uint32_t i = 0; i < c->cases.len; i++)
    free((char *)(uintptr_t)c->cases.at[i].text);
  vec_free(&c->cases);
  buf_free(&c->page.data);
  buf_free(&c->orders);
  if (c->table)
    check_table_free(c->table);
}

/* ---- input ---- */

static const char *is_over(void *ctx, uint64_t operations) {
  return check_is_over(ctx, operations);
}

/* Reads one history ahead, since the report of a history depends on whether the
 * file has several. */
static void read_file(struct check_command *c, struct check_jobs *jobs,
                      const char *path, struct error *e) {
  if (c->s->method == CHECK_ONLINE) {
    check_stream(c->s, path, take, c, e);
    return;
  }
  if (c->alone && c->s->method == CHECK_AUTO && !c->s->order && !c->s->html &&
      !c->s->depth_table && check_stream_first(c->s, path, take, c))
    return;
  struct reader *r = reader_open(path, (enum read_format)c->s->format, e);
  if (!r)
    return;
  reader_set_limit(r, is_over, c->s);
  struct log held, next;
  uint32_t n = 0;
  int got;
  while ((got = reader_log(r, &next, e)) > 0 && !c->e.code) {
    if (n++)
      check_jobs_add(jobs, &held, true);
    held = next;
  }
  if (got > 0) {
    log_free(&next);
  }
  if (n && got == 0)
    check_jobs_add(jobs, &held, n > 1);
  else if (n)
    log_free(&held);
  else if (got == 0)
    error_set(e, ERR_INPUT, "%s: the file has no history", path);
  reader_close(r);
}

static bool is_history(const struct dirent *d) {
  static const char *const ends[] = {".jsonl", ".json", ".edn", ".log",
                                     ".txt",   ".gz",   NULL};
  size_t len = strlen(d->d_name);
  for (int i = 0; ends[i] && d->d_name[0] != '.'; i++) {
    size_t n = strlen(ends[i]);
    if (len > n && !strcmp(d->d_name + len - n, ends[i]))
      return true;
  }
  return false;
}

static int wanted(const struct dirent *d) { return is_history(d); }

/* Reads a file, or the files of a folder in the order of their names. */
static void read_path(struct check_command *c, struct check_jobs *jobs,
                      const char *path, struct error *e) {
  struct stat st;
  struct dirent **names;
  if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
    read_file(c, jobs, path, e);
    return;
  }
  c->alone = false;
  int n = scandir(path, &names, wanted, alphasort);
  if (n < 0)
    error_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
  if (n == 0)
    error_set(e, ERR_INPUT,
              "%s: no history files in this folder (.jsonl, .json, .edn, .log, "
              ".txt, .gz)",
              path);
  for (int i = 0; i < n; i++) {
    char *file = xasprintf("%s/%s", path, names[i]->d_name);
    if (!e->code && !c->e.code)
      read_file(c, jobs, file, e);
    free(file);
    free(names[i]);
  }
  if (n >= 0)
    free(names);
}

static bool use_colour(const struct check_settings *s, FILE *to) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  if (s->color)
    return s->color == 1;
  return isatty(fileno(to)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

/* Counts the output files that are standard output. */
static int to_stdout(const struct check_settings *s) {
  const char *const files[] = {s->json, s->junit, s->tap};
  int n = 0;
  for (int i = 0; i < 3; i++)
    n += files[i] && !strcmp(files[i], "-");
  return n;
}

static int check_files(struct check_settings *s, const struct opt_rest *rest,
                       struct error *e) {
  const struct opt_words *files = &rest->args;
  struct check_command c = {.s = s, .alone = files->len == 1};
  c.to = to_stdout(s) ? stderr : stdout;
  setlocale(LC_CTYPE, "");
  s->style =
      (struct text_style){.width = terminal_columns(fileno(c.to)),
                          .colour = use_colour(s, c.to) && !s->junit && !s->tap,
                          .utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
                          .quiet = s->quiet};
  if (s->time > 0)
    s->deadline = clock_now() + s->time;
  check_guard(s);
  if (check_is_harness(s->spec) &&
      check_harness_open(s->spec, &rest->after, e)) {
    check_harness_close();
    return 0;
  }
  phases_open(s->verbose);
  phase_units("history", "operation");
  phase_begin("check");
  phase_budget(s->time);
  phase_watch();
  if (s->depth_table)
    c.table = check_table_new((uint32_t)s->depth);
  struct check_jobs *jobs = check_jobs_start(s, take, &c);
  for (uint32_t i = 0; i < files->len && !e->code && !c.e.code; i++)
    read_path(&c, jobs, files->at[i], e);
  check_jobs_finish(jobs);
  phase_end();
  if (!e->code && !c.e.code)
    write_files(&c);
  if (c.e.code)
    *e = c.e; /* an earlier history than that of *e */
  int status = c.violation ? 1 : c.unknown ? 3 : 0;
  check_free(&c);
  check_harness_close();
  return status;
}

/* ---- options ---- */

static int settle(struct check_settings *s, const struct opt_rest *rest,
                  struct error *e) {
  if (!rest->args.len)
    return error_set(e, ERR_USAGE,
                     "give a file of histories, or - for standard input");
  if (s->time_given && !(s->time > 0))
    return error_set(e, ERR_USAGE,
                     "--time: give a number of seconds greater than 0");
  if (to_stdout(s) > 1)
    return error_set(e, ERR_USAGE,
                     "--json, --junit and --tap: only one of them can be -");
  if (s->depth_table && !s->depth)
    s->depth = TABLE_DEPTHS;
  if (s->depth && s->method == CHECK_AUTO && !s->depth_table)
    s->method = CHECK_HITTING;
  if (s->depth && s->method != CHECK_HITTING && !s->depth_table)
    return error_set(e, ERR_USAGE,
                     "--depth needs --method=hitting or --depth-table");
  if (s->method == CHECK_ONLINE && (s->depth_table || s->order))
    return error_set(e, ERR_USAGE,
                     "--method=online keeps no history, so --linearization and "
                     "--depth-table do not go with it");
  if (s->order && s->depth_table)
    return error_set(e, ERR_USAGE,
                     "--linearization and --depth-table do not "
                     "go together");
  if (!s->jobs) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    s->jobs = cores > 0 ? (uint64_t)cores : 1;
  }
  return ERR_NONE;
}

static const char notes[] =
    "A FILE holds one history or several; a folder stands for its files, - "
    "for\nstandard input.  docs/history.md describes the formats, "
    "docs/check.md the\nanswers.\n\nExit status: 0 all histories are "
    "linearizable, 1 one is not, 2 usage error or\nunreadable file, 3 one is "
    "undecided.\n";

#define CHECK_METHOD_NAME(id, name) name,
static const char *const methods[] = {CHECK_METHODS(CHECK_METHOD_NAME) NULL};

int command_check(int argc, char **argv) {
  struct check_settings s = {0};
  struct opt opts[] = {
      {"format", 0, OPT_ENUM, &s.format, "FORMAT",
       "the format of the files (default: recognised by content)", "Input",
       .choices = read_format_name},
      {"spec", 0, OPT_STRING, &s.spec, "TYPE",
       "the type of the object (see faultline specs), or a harness "
       "(stack.c,harness.c), or ./mine.so; default: the type that the file "
       "names, or the names of its operations suggest",
       "Input"},
      {"spec-arg", 0, OPT_STRING, &s.argument, "VALUE",
       "the capacity of the object, or its initial contents", "Input"},
      {"initial", 0, OPT_STRING, &s.argument, "VALUE", "the same as --spec-arg",
       "Input"},
      {"method", 0, OPT_ENUM, &s.method, "METHOD",
       "how the answer is found (docs/check.md)", "Search", .choices = methods},
      {"depth", 0, OPT_UINT64, &s.depth, "D",
       "use hitting families of depth 1 to D", "Search", .min = 1, .max = 64},
      {"depth-table", 0, OPT_FLAG, &s.depth_table, NULL,
       "print tables: sizes of hitting families, and depths at which witnesses "
       "are found",
       "Search"},
      {"no-monitor", 0, OPT_FLAG, &s.no_monitor, NULL,
       "search even where a polynomial monitor can decide", "Search"},
      {"no-partition", 0, OPT_FLAG, &s.no_partition, NULL,
       "do not split histories by key", "Search"},
      {"jobs", 'j', OPT_UINT64, &s.jobs, "N",
       "check with N processes (default: one per core)", "Search", .min = 1,
       .max = 1024},
      {"time", 0, OPT_DOUBLE, &s.time, "SECONDS",
       "stop after this time, for all files together", "Search",
       .given = &s.time_given},
      {"memory", 0, OPT_SIZE, &s.memory, "SIZE",
       "memory of one process; a history that needs more is undecided",
       "Search"},
      {"verbose", 'v', OPT_FLAG, &s.verbose, NULL,
       "say how many histories were checked, and how long it took", "Output"},
      {"json", 0, OPT_STRING, &s.json, "FILE",
       "write the answers as JSON; - is standard output", "Output"},
      {"junit", 0, OPT_STRING, &s.junit, "FILE",
       "write the answers as JUnit XML, one test case per history", "Output"},
      {"tap", 0, OPT_STRING, &s.tap, "FILE", "write the answers as TAP",
       "Output"},
      {"html", 0, OPT_STRING, &s.html, "FILE",
       "write one page with the timelines of all violations", "Output"},
      {"linearization", 0, OPT_STRING, &s.order, "FILE",
       "write the order that explains each history, as a sequential history",
       "Output"},
      {"quiet", 'q', OPT_FLAG, &s.quiet, NULL, "print one line per history",
       "Output"},
      {"color", 0, OPT_ENUM, &s.color, "WHEN", "use colours and bold letters",
       "Output",
       .choices = (const char *const[]){"auto", "always", "never", NULL}},
      {0}};
  struct opt_command c = {
      "faultline check FILE... [options]",
      "Tells whether recorded histories are linearizable, and if not, why.",
      opts, notes};
  struct opt_rest rest = {0};
  struct error e = {0};
  int status = 0;
  if (!opt_parse(&c, argc, argv, &rest, &e)) {
    if (rest.help) {
      command_show_help(&c);
    } else if (!settle(&s, &rest, &e)) {
      status = check_files(&s, &rest, &e);
    }
  }
  if (e.code)
    status = command_complain(&e);
  opt_rest_free(&rest);
  return status;
}
