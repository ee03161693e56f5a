/*
 * Command-line options from a table, one table a command.  Parsing, the help
 * text and the suggestion for a mistyped name all come from the same lines:
 *
 *   const struct opt opts[] = {
 *     {"seed", 's', OPT_UINT64, &seed, "N", "seed of all choices", "Search"},
 *     {"json", 0, OPT_STRING, &json, "FILE", "write the report", "Output"},
 *     {"color", 0, OPT_ENUM, &color, "WHEN", "use colours", "Output",
 *      .choices = (const char *const[]){"auto", "always", "never", NULL}},
 *     {0}};
 *
 * Accepted: --name=value, --name value, -n value, -nvalue, --flag, --no-flag,
 * bundled flags -vq.  An option given twice: the last one counts, except that
 * an OPT_LIST collects.  Options and arguments may be mixed; "--" ends them
 * and what follows is kept apart.  --help and -h always exist.
 *
 * (O1) options of one group stand together in the table.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum opt_kind {
  OPT_FLAG,   /* bool */
  OPT_INT,    /* int */
  OPT_UINT64, /* uint64_t; decimal or 0x… */
  OPT_DOUBLE, /* double */
  OPT_STRING, /* const char *: points into argv */
  OPT_LIST,   /* struct opt_words */
  OPT_ENUM,   /* int: index into choices */
  OPT_SIZE,   /* uint64_t: bytes, with an optional K, M, G or T (1024) */
};

struct opt_words {
  const char **at;
  uint32_t len, cap;
};

struct opt {
  const char *name; /* without dashes; NULL ends the table */
  char letter;      /* or 0 */
  enum opt_kind kind;
  void *store;       /* keeps its value when the option is not given */
  const char *arg;   /* how the help names the value; NULL for flags */
  const char *help;  /* NULL: not shown in the help */
  const char *group; /* heading in the help; NULL: "Options" */
  /* OPT_ENUM: ends with NULL; listed in the help unless it names one of them */
  const char *const *choices;
  /* those choices that the help and completions name; NULL: all */
  const char *const *offered;
  int64_t min, max; /* of numbers; both 0: as the type allows */
  bool *given;      /* set to true when the option is given */
};

struct opt_command {
  const char *usage; /* "faultline FILE... [options]"; lines by '\n' */
  const char *about; /* what it does; wrapped */
  const struct opt *opts;
  const char *notes; /* behind the options, printed as it is; or NULL */
};

struct opt_rest {
  bool help;              /* --help was given: print opt_help, exit 0 */
  struct opt_words args;  /* arguments that are not options */
  struct opt_words after; /* what stands behind "--" */
  bool dashes;            /* there was a "--" */
};

/*
 * Parses argv[1 … argc).  Trouble is ERR_USAGE, with the nearest name where one
 * is near.  Stops at --help, which wins over whatever else is wrong behind it.
 */
int opt_parse(const struct opt_command *c, int argc, char **argv,
              struct opt_rest *rest, struct error *e);
void opt_rest_free(struct opt_rest *rest);

/* The help text, at most 80 columns. */
void opt_help(const struct opt_command *c, struct buf *out);

/* The choices of an OPT_ENUM that the help names. */
const char *const *opt_offered(const struct opt *o);

/*
 * From now on opt_help() writes nothing and hands the table to `visit` instead:
 * man pages and completions are made of the same lines as the help.  The tables
 * are local to the commands, since they point to their variables; so --help is
 * the way to them.
 */
void opt_help_visit(void (*visit)(void *ctx, const struct opt_command *c),
                    void *ctx);

/*
 * Words as a shell splits them, with '…', "…" and \; appended to `out`, each
 * allocated.  Nothing is expanded.  ERR_USAGE when a quote does not end.
 */
int opt_split(const char *text, struct opt_words *out, struct error *e);

/*
 * The word of the list (ends with NULL) that `word` was meant to be, or NULL
 * when none is near.
 */
const char *opt_nearest(const char *word, const char *const *words);

#endif
