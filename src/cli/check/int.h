/*
 * `faultline check`: recorded histories from files.  check.c has the options
 * and reads, check_one.c decides about one history, check_jobs.c does so in
 * several processes, check_stream.c while it reads, check_late.c explains what
 * that found, check_table.c makes the tables of depths, check_guard.c blames
 * the user's types.
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
  double time; /* seconds for all; 0: no end */
  bool time_given;
  double deadline; /* of the monotonic clock; 0: none */
  uint64_t memory;
  const char *json, *html, *order, *junit, *tap;
  struct text_style style;
};

/* One history for the tables of depths; CHECK_TABLE_DEPTHS of them. */
enum { CHECK_TABLE_DEPTHS = 8 };
struct check_depths {
  char type[64];
  uint32_t ops, level;
  uint64_t pairs;
  bool linearizable;
  bool cut; /* time or memory was over: it does not count */
  uint32_t ndepths;
  uint64_t distinct[CHECK_TABLE_DEPTHS];
  bool witness[CHECK_TABLE_DEPTHS];
};

/* What came of one history: pieces of the reports that were asked for. */
struct check_result {
  int error; /* of the user's input: `text` says it */
  enum log_verdict verdict;
  struct check_depths depths;
  struct buf text, json, html, order;
};
void check_result_free(struct check_result *r);

/* A type that the next history may need again. */
struct check_type {
  char *name;
  datum argument;
  struct type *type;
};
void check_type_free(struct check_type *t);
/* `name`: what the file says, or NULL; `l`: whose operations may tell, or NULL.
 * NULL: *e, or nothing told it. */
struct type *check_type_open(const struct check_settings *s, const char *name,
                             datum argument, const struct log *l,
                             struct check_type *cached, struct error *e);

/* Where the type has no keys, the log's pairs are joined. */
void check_one(const struct check_settings *s, struct log *l, bool several,
               struct check_type *cached, struct check_result *out);

/*
 * The violation of a long register that has been found while it was read, with
 * the return at time `bad`, explained by its end alone: `l` has all operations
 * that returned at `since` or later.  False: that is not enough, and nothing
 * was said.
 */
struct check_end {
  struct log *log;
  uint32_t since, bad;
  uint64_t operations, pending, steps; /* of the whole */
};
bool check_end(const struct check_settings *s, const struct check_end *end,
               struct check_type *cached, struct check_result *out);

/* Reads the file again for that. */
struct online_answer;
bool check_late(const struct check_settings *s, const char *path,
                const struct online_answer *a, struct check_end *end,
                struct check_type *cached, struct check_result *out);

/* A type of the user's own that crashes, or is still in one of its functions
 * when the time is over, ends the process with a sentence (status 2 or 3). */
void check_guard(const struct check_settings *s);

/* Why a history of so many operations, which are in memory, cannot be checked:
 * "time", "memory", or NULL. */
const char *check_is_over(const struct check_settings *s, uint64_t operations);

/*
 * Histories go in, results come out in the same order.  With one job all is
 * done in place; else by processes, some histories each.
 */
struct check_jobs;
typedef void check_sink(void *ctx, struct check_result *r);
struct check_jobs *check_jobs_start(const struct check_settings *s,
                                    check_sink *sink, void *ctx);
void check_jobs_add(struct check_jobs *j, struct log *l, bool several);
void check_jobs_finish(struct check_jobs *j); /* frees */

/* The histories of a file one after the other, while they are read: in memory
 * that does not grow with their length. */
void check_stream(const struct check_settings *s, const char *path,
                  check_sink *sink, void *ctx, struct error *e);

/* The same for a long file of one history that no monitor decides, of an object
 * with few states; false, and nothing was said: it is no such file, or takes
 * long, or is a violation of which more has to be known. */
bool check_stream_first(const struct check_settings *s, const char *path,
                        check_sink *sink, void *ctx);

/* The paper's Tables 1 to 3. */
struct check_table;
struct check_table *check_table_new(uint32_t depths);
void check_table_add(struct check_table *t, const struct check_depths *d);
void check_table_print(const struct check_table *t, struct buf *out);
void check_table_free(struct check_table *t);

#endif
