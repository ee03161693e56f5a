/* The table of the commands, and help on them. */
#include "cli/commands.h"

#include "base/buf.h"
#include "base/vec.h"
#include "cli/help/topics.h"

#include <string.h>

const struct cli_command commands[] = {
#define COMMAND_ROW(id, name, help) {name, help, command_##id, false},
#define HIDDEN_ROW(id, name, help) {name, help, command_##id, true},
    COMMANDS(COMMAND_ROW) HIDDEN_COMMANDS(HIDDEN_ROW){0}
#undef COMMAND_ROW
#undef HIDDEN_ROW
};

/* Commands without options, or with those of another program. */
static const struct opt no_options[] = {{0}};
static const struct {
  const char *name;
  struct opt_command table;
} plain[] = {
    {"cc",
     {"faultline cc [compiler options] FILE...",
      "Compiles and links like gcc, but adds the hooks of Faultline: "
      "CC='faultline cc' make. Linking makes a shared object of the given "
      "name, which faultline NAME tests; the programs that a configure script "
      "builds and runs are linked as usual. The environment variable "
      "FAULTLINE_CC names another compiler; while FAULTLINE_CC_PASS is set, "
      "the compiler gets all arguments unchanged.",
      no_options, NULL}},
    {"cxx",
     {"faultline cxx [compiler options] FILE...",
      "Does what faultline cc does, for C++: CXX='faultline cxx' make. The "
      "environment variable FAULTLINE_CXX names a compiler other than g++.",
      no_options, NULL}},
    {"selftest",
     {"faultline selftest [options of test] [-- compiler flags]",
      "Compiles a racy counter with your compiler and flags, and looks for its "
      "fault. Exit status: 0 the fault was found, 1 it was not (then results "
      "with this compiler mean nothing), 2 error.",
      no_options, NULL}},
    {"specs",
     {"faultline specs",
      "Lists the types of FL_SPEC and of faultline check --spec.", no_options,
      NULL}},
    {"help",
     {"faultline help [COMMAND | TOPIC]",
      "Prints the help of a command, as COMMAND --help does, or a page of the "
      "documentation. Without a word, it lists the commands and the pages.",
      no_options, NULL}},
};

const struct cli_command *commands_find(const char *name) {
  if (!strcmp(name, "c++"))
    name = "cxx";
  for (const struct cli_command *c = commands; c->name; c++)
    if (!strcmp(name, c->name))
      return c;
  return NULL;
}

void commands_usage(FILE *to) {
  fputs("faultline finds linearizability violations in concurrent objects (C "
        "and C++).\n\nUsage: faultline FILE... [options] [-- compiler flags]\n "
        "      faultline COMMAND ...\n\n",
        to);
  for (const struct cli_command *c = commands; c->name; c++)
    if (!c->hidden)
      fprintf(to, "  %-12s %s\n", c->name, c->help);
  fputs(
      "\nA FILE is a C or C++ source, an object file or a shared object; one "
      "of them is\nthe harness, which includes <faultline.h>.  faultline help "
      "COMMAND lists the\noptions of a command; faultline help TOPIC explains:",
      to);
  for (size_t i = 0; topic_names[i]; i++)
    fprintf(to, "%s%s", i == 0 ? "\n" : ", ", topic_names[i]);
  fputs(".\n", to);
}

int command_unknown(const char *word, const char *what) {
  VEC(const char *) names = {0};
  bool topics = strstr(what, "topic");
  for (const struct cli_command *c = commands; c->name; c++)
    if (!c->hidden || !strcmp(c->name, "help"))
      vec_push(&names, c->name);
  for (size_t i = 0; topics && topic_names[i]; i++)
    vec_push(&names, topic_names[i]);
  vec_push(&names, NULL);
  const char *near = opt_nearest(word, names.at);
  fprintf(stderr, "faultline: no %s \"%s\"%s%s%s\n", what, word,
          near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  vec_free(&names);
  return 2;
}

static const struct opt_command *plain_table(const struct cli_command *c) {
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (!strcmp(plain[i].name, c->name))
      return &plain[i].table;
  return NULL;
}

struct table_visit {
  void (*visit)(void *ctx, const struct opt_command *t);
  void *ctx;
  bool seen;
};

static void pass_on(void *ctx, const struct opt_command *t) {
  struct table_visit *v = ctx;
  v->seen = true;
  v->visit(v->ctx, t);
}

bool command_visit(const struct cli_command *c,
                   void (*visit)(void *ctx, const struct opt_command *t),
                   void *ctx) {
  static char help[] = "--help";
  struct table_visit v = {visit, ctx, false};
  char *argv[] = {(char *)(uintptr_t)c->name, help, NULL};
  if (plain_table(c)) {
    visit(ctx, plain_table(c));
    return true;
  }
  opt_help_visit(pass_on, &v);
  c->run(2, argv);
  opt_help_visit(NULL, NULL);
  return v.seen;
}

int commands_run(const struct cli_command *c, int argc, char **argv) {
  /* The compiler answers `cc --help`. */
  if (argc == 2 && !strcmp(argv[1], "--help") && plain_table(c) &&
      strcmp(c->name, "cc") && strcmp(c->name, "cxx")) {
    char *args[] = {argv[1], argv[0], NULL};
    return command_help(2, args);
  }
  return c->run(argc, argv);
}

void command_show_help(const struct opt_command *c) {
  struct buf b = {0};
  opt_help(c, &b);
  fputs(buf_text(&b), stdout);
  buf_free(&b);
}

int command_help(int argc, char **argv) {
  static char option[] = "--help";
  if (argc < 2 || !strcmp(argv[1], "--help")) {
    commands_usage(stdout);
    return 0;
  }
  const struct cli_command *c = commands_find(argv[1]);
  struct buf b = {0};
  if (!c) {
    if (!topic_print(argv[1], &b))
      return command_unknown(argv[1], "command or topic");
    fputs(buf_text(&b), stdout);
    buf_free(&b);
    return 0;
  }
  if (!plain_table(c)) {
    char *args[] = {argv[1], option, NULL};
    return c->run(2, args);
  }
  command_show_help(plain_table(c));
  return 0;
}
