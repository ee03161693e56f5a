/*
 * `faultline check`: recorded histories from files.  cli/check.c has the
 * options and reads the files, one.c checks one history, jobs.c checks
 * histories in several processes, stream.c while reading, late.c explains a
 * violation that stream.c found, table.c makes the tables of depths, guard.c
 * handles crashes of the user's types, harness.c has types of harnesses.
 */
#ifndef CLI_CHECK_INT_H
#define CLI_CHECK_INT_H

#include "base/err.h"
#include "history/log_check.h"
#include "model/log.h"
#include "report/log_report.h"

#define CHECK_METHODS(_)                                                       \
  _(AUTO, "auto")                                                              \
  _(EXACT, "exact")                                                            \
  _(FRONTIER, "frontier")                                                      \
  _(LINEARIZE, "linearize")                                                    \
  _(MONITOR, "monitor")                                                        \
  _(HITTING, "hitting")                                                        \
  _(ONLINE, "online")

#define CHECK_METHOD_ENUM(id, name) CHECK_##id,
enum check_method { CHECK_METHODS(CHECK_METHOD_ENUM) };
#undef CHECK_METHOD_ENUM

struct check_settings {
  int format, method, color;
  const char *spec;
  const char *argument; /* of the specification, or NULL */
  uint64_t depth;       /* 0: not given */
  bool depth_table, no_monitor, no_partition, quiet, verbose;
  uint64_t jobs;
  double time; /* seconds for all histories; 0: no limit */
  bool time_given;
  double deadline; /* by clock_now(); 0: none */
  uint64_t memory;
  const char *json, *html, *order, *junit, *tap;
  struct text_style style;
};

enum { CHECK_TABLE_DEPTHS = 8 };
/* One history in the tables of depths. */
struct check_depths {
  char type[64];
  uint32_t ops, level;
  uint64_t pairs;
  bool linearizable;
  bool cut;       /* --time or --memory cut it short: not in the tables */
  uint32_t depth; /* linearizability depth; 0: not determined, or none */
  uint32_t ndepths;
  uint64_t distinct[CHECK_TABLE_DEPTHS];
  bool witness[CHECK_TABLE_DEPTHS];
};

/* harness.c: --spec names sources, separated by commas. */
bool check_is_harness(const char *spec);
/* Once, in the process that starts the others. */
struct opt_words;
int check_harness_open(const char *spec, const struct opt_words *flags,
                       struct error *e);
void check_harness_close(void);
struct type *check_harness_type(datum argument, struct error *e);

/* The result of one history: its pieces of the reports. */
struct check_result {
  int error; /* code of an error of the user's input; `text` is the message */
  enum log_verdict verdict;
  struct check_depths depths;
  struct buf text, json, html, order;
};
void check_result_free(struct check_result *r);

/* The type of the last history, which the next one may have, too. */
struct check_type {
  char *name;
  datum argument;
  struct type *type;
};
void check_type_free(struct check_type *t);
/* `name` is the type that the file names, or NULL.  Then the operations of `l`
 * decide, if it is not NULL.  Returns NULL with an error in *e, or if the type
 * is not known. */
struct type *check_type_open(const struct check_settings *s, const char *name,
                             datum argument, const struct log *l,
                             struct check_type *cached, struct error *e);

/* Checks one history; `several`: the file has others.  If the type has no keys,
 * the log is changed: pairs of key and value become one value. */
void check_one(const struct check_settings *s, struct log *l, bool several,
               struct check_type *cached, struct check_result *out);

/*
 * Explains a violation of a long history of a register by its end alone.  The
 * violation was found while reading, at the return at time `bad`.  `log` has
 * all operations that returned at `since` or later.  False: the end alone does
 * not explain it, and *out is empty.
 */
struct check_end {
  struct log *log;
  uint32_t since, bad;
  uint64_t operations, pending, steps; /* of the whole history */
};
bool check_end(const struct check_settings *s, const struct check_end *end,
               struct check_type *cached, struct check_result *out);

struct online_answer;
/* The same, after reading the end of the history from the file again. */
bool check_late(const struct check_settings *s, const char *path,
                const struct online_answer *a, struct check_end *end,
                struct check_type *cached, struct check_result *out);

/* If a type of the user crashes or does not return before --time ends, the
 * process ends with an error (status 2 or 3). */
void check_guard(const struct check_settings *s);

/* The limit that ends the check of a history with so many operations in memory:
 * "time", "memory", or NULL. */
const char *check_is_over(const struct check_settings *s, uint64_t operations);

/*
 * Checks histories and passes the results to `sink` in the same order.  With
 * one job this process does it, else child processes do, several histories
 * each.
 */
struct check_jobs;
typedef void check_sink(void *ctx, struct check_result *r);
struct check_jobs *check_jobs_start(const struct check_settings *s,
                                    check_sink *sink, void *ctx);
void check_jobs_add(struct check_jobs *j, struct log *l, bool several);
void check_jobs_finish(struct check_jobs *j); /* frees it */

/* Checks the histories of a file while reading them, in memory that does not
 * grow with their length. */
void check_stream(const struct check_settings *s, const char *path,
                  check_sink *sink, void *ctx, struct error *e);

/* The same for a long file of one history of an object with few states, which
 * no monitor decides.  False, and sink was not called: it is no such file, the
 * check takes long, or a violation needs more of the history to be explained.
 */
bool check_stream_first(const struct check_settings *s, const char *path,
                        check_sink *sink, void *ctx);

/* The paper's Tables 1 to 3. */
struct check_table;
struct check_table *check_table_new(uint32_t depths);
void check_table_add(struct check_table *t, const struct check_depths *d);
void check_table_print(const struct check_table *t, struct buf *out);
void check_table_free(struct check_table *t);

#endif
