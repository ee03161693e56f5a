/* Completions for bash, zsh and fish, from the tables of the options. */
#include "cli/commands.h"

#include "base/buf.h"
#include "cli/help/topics.h"
#include "spec/type.h"

#include <stdlib.h>
#include <string.h>

struct shell {
  const char *name;
  void (*begin)(struct buf *b);
  /* called for each command of the help, with its options */
  void (*command)(struct buf *b, const struct cli_command *c,
                  const struct opt_command *t);
  void (*end)(struct buf *b);
};

/* Text in single quotes, with a backslash before characters of `special`. */
static void put_text(struct buf *b, const char *s, const char *special) {
  for (; *s; s++) {
    if (*s == '\'')
      buf_puts(b, "'\\''");
    else if (*s == '\n')
      buf_putc(b, ' ');
    else
      buf_printf(b, "%s%c", strchr(special, *s) ? "\\" : "", *s);
  }
}

/* What can follow an option. */
enum value {
  VALUE_NONE,  /* a flag */
  VALUE_OTHER, /* a number, a client, a name: nothing to complete */
  VALUE_WORDS, /* one of put_words() */
  VALUE_TYPE,  /* the same, or a file */
  VALUE_FILE,
  VALUE_FOLDER,
  VALUE_COMPILER, /* a program */
};

static enum value value_of(const struct opt *o) {
  const char *arg = o->arg ? o->arg : "";
  if (o->kind == OPT_FLAG)
    return VALUE_NONE;
  if (o->kind == OPT_ENUM || !strcmp(arg, "LEVEL"))
    return VALUE_WORDS;
  return !strcmp(arg, "TYPE")       ? VALUE_TYPE
         : !strcmp(arg, "FILE")     ? VALUE_FILE
         : !strcmp(arg, "DIR")      ? VALUE_FOLDER
         : !strcmp(arg, "COMPILER") ? VALUE_COMPILER
                                    : VALUE_OTHER;
}

static void put_words(struct buf *b, const struct opt *o) {
  if (o->kind == OPT_ENUM)
    for (const char *const *c = opt_offered(o), *const *at = c; *at; at++)
      buf_printf(b, "%s%s", at == c ? "" : " ", *at);
  else if (value_of(o) == VALUE_TYPE)
    for (const struct type_info *t = type_infos; t->name; t++)
      buf_printf(b, "%s%s", t == type_infos ? "" : " ", t->name);
  else
    buf_puts(b, "0 1 2 3 s g");
}

/* ---- bash ---- */

static void put_command_names(struct buf *b, const char *between) {
  const char *before = "";
  for (const struct cli_command *c = commands; c->name; c++)
    if (!c->hidden || !strcmp(c->name, "help")) {
      buf_printf(b, "%s%s", before, c->name);
      before = between;
    }
}

/* The words after `help`: commands and topics, each name once. */
static void put_help_words(struct buf *b) {
  put_command_names(b, " ");
  for (size_t i = 0; topic_names[i]; i++)
    if (!commands_find(topic_names[i]))
      buf_printf(b, " %s", topic_names[i]);
}

static void bash_begin(struct buf *b) {
  buf_puts(
      b, "# Completion of faultline for bash.\n"
         "_faultline() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} command=test options= words=\n"
         "  local prev=${COMP_WORDS[COMP_CWORD - 1]} action= word\n"
         "  if [[ $cur == = ]]; then\n"
         "    cur=\n"
         "  elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then\n"
         "    prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "  fi\n"
         "  COMPREPLY=()\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD - 1}\"; do\n"
         "    [[ $word != -- ]] || return 0 # the compiler's flags\n"
         "  done\n"
         "  case ${COMP_WORDS[1]} in\n  ");
  put_command_names(b, "|");
  buf_puts(b, ") command=${COMP_WORDS[1]} ;;\n  esac\n"
              "  if ((COMP_CWORD == 1)) && [[ $cur != -* ]]; then\n"
              "    mapfile -t COMPREPLY < <(compgen -A file -W '");
  put_command_names(b, " ");
  buf_puts(b, "' -- \"$cur\")\n"
              "    compopt -o filenames 2>/dev/null\n"
              "    return 0\n"
              "  elif [[ $command == help ]]; then\n"
              "    COMPREPLY=($(compgen -W '");
  put_help_words(b);
  buf_puts(b, "' -- \"$cur\"))\n    return\n  fi\n  case $command in\n");
}

static void bash_command(struct buf *b, const struct cli_command *c,
                         const struct opt_command *t) {
  buf_printf(b, "  %s)\n    options='--help", c->name);
  for (const struct opt *o = t->opts; o->name; o++)
    if (o->help)
      buf_printf(b, " --%s%s", o->name, o->kind == OPT_FLAG ? "" : "=");
  buf_puts(b, "'\n    case $prev in\n");
  for (const struct opt *o = t->opts; o->name; o++) {
    if (!o->help || o->kind == OPT_FLAG)
      continue;
    buf_puts(b, "    ");
    if (o->letter)
      buf_printf(b, "-%c | ", o->letter);
    buf_printf(b, "--%s) ", o->name);
    switch (value_of(o)) {
    case VALUE_WORDS:
    case VALUE_TYPE:
      buf_puts(b, "words='");
      put_words(b, o);
      buf_puts(b, value_of(o) == VALUE_TYPE ? "' action=file ;;\n" : "' ;;\n");
      break;
    case VALUE_FILE:
      buf_puts(b, "action=file ;;\n");
      break;
    case VALUE_FOLDER:
      buf_puts(b, "action=directory ;;\n");
      break;
    case VALUE_COMPILER:
      buf_puts(b, "action=command ;;\n");
      break;
    case VALUE_NONE:
    case VALUE_OTHER:
      buf_puts(b, "action=none ;;\n");
    }
  }
  buf_puts(b, "    esac\n    ;;\n");
}

static void bash_end(struct buf *b) {
  buf_puts(b, "  esac\n"
              "  if [[ $action == none ]]; then\n"
              "    compopt +o default 2>/dev/null\n"
              "  elif [[ $words$action ]]; then\n"
              "    mapfile -t COMPREPLY < <(compgen ${action:+-A $action} "
              "${words:+-W \"$words\"} -- \"$cur\")\n"
              "    if [[ $action ]]; then\n"
              "      compopt -o filenames 2>/dev/null\n"
              "    else\n"
              "      compopt +o default 2>/dev/null\n"
              "    fi\n"
              "  elif [[ $cur == -* ]]; then\n"
              "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
              "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace "
              "2>/dev/null\n"
              "  fi\n"
              "  return 0\n"
              "}\n"
              "complete -o default -F _faultline faultline\n");
}

/* ---- zsh ---- */

static void zsh_begin(struct buf *b) {
  buf_puts(b, "#compdef faultline\n"
              "# Completion of faultline for zsh.\n"
              "_faultline() {\n"
              "  local -a names=(\n");
  for (const struct cli_command *c = commands; c->name; c++)
    if (!c->hidden || !strcmp(c->name, "help")) {
      buf_printf(b, "    '%s:", c->name);
      put_text(b, c->help, "");
      buf_puts(b, "'\n");
    }
  buf_puts(b, "  )\n  local -a topics=(");
  for (size_t i = 0; topic_names[i]; i++)
    if (!commands_find(topic_names[i]))
      buf_printf(b, "%s%s", i ? " " : "", topic_names[i]);
  buf_puts(b, ")\n"
              "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
              "    _describe command names\n"
              "    _files\n"
              "    return\n"
              "  fi\n"
              "  local command=$words[2]\n"
              "  case $command in\n"
              "  help)\n"
              "    _describe command names\n"
              "    _describe topic topics\n"
              "    ;;\n");
}

static void zsh_value(struct buf *b, const struct opt *o) {
  if (value_of(o) == VALUE_NONE)
    return;
  buf_printf(b, ":%s:", o->arg ? o->arg : "VALUE");
  switch (value_of(o)) {
  case VALUE_WORDS:
    buf_putc(b, '(');
    put_words(b, o);
    buf_putc(b, ')');
    break;
  case VALUE_TYPE:
    buf_puts(b, "{compadd -- ");
    put_words(b, o);
    buf_puts(b, "; _files}");
    break;
  case VALUE_FILE:
    buf_puts(b, "_files");
    break;
  case VALUE_FOLDER:
    buf_puts(b, "_files -/");
    break;
  case VALUE_COMPILER:
    buf_puts(b, "_command_names -e");
    break;
  case VALUE_NONE:
  case VALUE_OTHER:
    buf_putc(b, ' ');
  }
}

static void zsh_case(struct buf *b, const char *pattern,
                     const struct opt_command *t) {
  buf_printf(b, "  %s)\n    _arguments -s -S \\\n", pattern);
  for (const struct opt *o = t->opts; o->name; o++) {
    if (!o->help)
      continue;
    bool value = o->kind != OPT_FLAG;
    for (int form = o->letter ? 0 : 1; form < 2; form++) {
      if (form)
        buf_printf(b, "      '--%s%s[", o->name, value ? "=" : "");
      else
        buf_printf(b, "      '-%c%s[", o->letter, value ? "+" : "");
      put_text(b, o->help, "[]:\\");
      buf_putc(b, ']');
      zsh_value(b, o);
      buf_puts(b, "' \\\n");
    }
  }
  buf_puts(b, "      '--help[help]' '*:file:_files'\n    ;;\n");
}

/* Another first word is a file or an option of test, whose case is the last. */
static void zsh_command(struct buf *b, const struct cli_command *c,
                        const struct opt_command *t) {
  if (strcmp(c->name, "test"))
    zsh_case(b, c->name, t);
}

static void zsh_test(void *b, const struct opt_command *t) {
  zsh_case(b, "*", t);
}

static void zsh_end(struct buf *b) {
  command_visit(commands_find("test"), zsh_test, b);
  buf_puts(b, "  esac\n}\n_faultline \"$@\"\n");
}

/* ---- fish ---- */

static void fish_begin(struct buf *b) {
  buf_puts(b, "# Completion of faultline for fish.\n"
              "function __faultline_command\n"
              "    set -l words (commandline -opc)\n"
              "    switch \"$words[2]\"\n"
              "        case ");
  put_command_names(b, " ");
  buf_puts(b, "\n            test \"$words[2]\" = \"$argv[1]\"\n"
              "        case '*'\n"
              "            test \"$argv[1]\" = test\n"
              "    end\n"
              "end\n"
              "function __faultline_first\n"
              "    test (count (commandline -opc)) -eq 1\n"
              "end\n");
}

static void fish_value(struct buf *b, const struct opt *o) {
  switch (value_of(o)) {
  case VALUE_WORDS:
  case VALUE_TYPE:
    buf_puts(b, value_of(o) == VALUE_TYPE ? " -r -F -a '" : " -x -a '");
    put_words(b, o);
    buf_putc(b, '\'');
    break;
  case VALUE_FILE:
    buf_puts(b, " -r -F");
    break;
  case VALUE_FOLDER:
    buf_puts(b, " -x -a '(__fish_complete_directories)'");
    break;
  case VALUE_COMPILER:
    buf_puts(b, " -x -a '(__fish_complete_command)'");
    break;
  case VALUE_OTHER:
    buf_puts(b, " -x");
    break;
  case VALUE_NONE:
    break;
  }
}

static void fish_command(struct buf *b, const struct cli_command *c,
                         const struct opt_command *t) {
  buf_printf(b, "complete -c faultline -n __faultline_first -a %s -d '",
             c->name);
  put_text(b, c->help, "\\");
  buf_printf(b,
             "'\ncomplete -c faultline -n '__faultline_command %s' -l help "
             "-d 'help'\n",
             c->name);
  for (const struct opt *o = t->opts; o->name; o++) {
    if (!o->help)
      continue;
    buf_printf(b, "complete -c faultline -n '__faultline_command %s'", c->name);
    if (o->letter)
      buf_printf(b, " -s %c", o->letter);
    buf_printf(b, " -l %s", o->name);
    fish_value(b, o);
    buf_puts(b, " -d '");
    put_text(b, o->help, "\\");
    buf_puts(b, "'\n");
  }
}

static void fish_end(struct buf *b) {
  buf_puts(b, "complete -c faultline -n '__faultline_command help' -x -a '");
  put_help_words(b);
  buf_puts(b, "'\n");
}

/* ---- */

static const struct shell shells[] = {
    {"bash", bash_begin, bash_command, bash_end},
    {"zsh", zsh_begin, zsh_command, zsh_end},
    {"fish", fish_begin, fish_command, fish_end},
};

struct option_visit {
  struct buf *b;
  const struct shell *shell;
  const struct cli_command *command;
};

static void visit(void *ctx, const struct opt_command *t) {
  struct option_visit *v = ctx;
  v->shell->command(v->b, v->command, t);
}

int command_completion(int argc, char **argv) {
  const struct shell *s = NULL;
  for (size_t i = 0; argc == 2 && i < sizeof shells / sizeof *shells; i++)
    if (!strcmp(argv[1], shells[i].name))
      s = &shells[i];
  if (!s) {
    struct error e = {0};
    error_set(&e, ERR_USAGE, "usage: faultline completion bash|zsh|fish");
    return command_complain(&e);
  }
  struct buf b = {0};
  unsetenv("FAULTLINE_OPTIONS");
  s->begin(&b);
  for (const struct cli_command *c = commands; c->name; c++)
    if (!c->hidden)
      command_visit(strcmp(c->name, "selftest") ? c : commands_find("test"),
                    visit, &(struct option_visit){&b, s, c});
  s->end(&b);
  fputs(buf_text(&b), stdout);
  buf_free(&b);
  return 0;
}
