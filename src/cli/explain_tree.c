/* faultline explain-tree: prints the structure tree of a function. */
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/session/session.h"
#include "code/flow.h"

#include <stdio.h>
#include <string.h>

/* Suggests an operation, since the user most likely means one. */
static int no_function(const struct session *s, const char *name,
                       struct error *e) {
  const char *names[64] = {0};
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->built.about->nsuites; i++)
    for (uint32_t k = 0; k < s->built.about->suites[i].nops && n < 63; k++)
      names[n++] = s->built.about->suites[i].ops[k].name;
  const char *near = opt_nearest(name, names);
  return error_set(e, ERR_USAGE,
                   "the object has no function \"%s\"%s%s%s (it may have been "
                   "inlined)",
                   name, near ? "; did you mean " : "", near ? near : "",
                   near ? "?" : "");
}

static int show_tree(struct session *s, const char *function, struct error *e) {
  struct flow *f = flow_open(s->built.lines, e);
  if (!f)
    return e->code;
  struct flow_tree t = {0};
  uint64_t entry = flow_find(f, function);
  if (!entry || !flow_tree_of(f, entry, &t)) {
    no_function(s, function, e);
  } else {
    struct buf b = {0};
    buf_printf(&b, "%s: ", function);
    flow_brief(&t, &b);
    buf_putc(&b, '\n');
    uint32_t theta = (uint32_t)s->settings->theta;
    flow_print(&t, s->built.lines, theta, &b);
    uint32_t sum = flow_sum(&t, theta);
    buf_printf(&b, "%s: about %u step%s", function, sum, sum == 1 ? "" : "s");
    if (flow_has_open_loop(&t) && theta == 1)
      buf_puts(&b, ", with one round of each loop of unknown length");
    else if (flow_has_open_loop(&t))
      buf_printf(&b, ", with %u rounds of each loop of unknown length", theta);
    buf_putc(&b, '\n');
    fputs(buf_text(&b), stdout);
    buf_free(&b);
  }
  flow_tree_free(&t);
  flow_close(f);
  return e->code;
}

int command_explain_tree(int argc, char **argv) {
  struct settings set;
  struct session s;
  struct error e = {0};
  bool help, open = false;
  int err = settings_parse(&set, "explain-tree", argc, argv, &help, &e);
  if (!err && !help && set.rest.args.len < 2)
    err = error_set(
        &e, ERR_USAGE,
        "give a function and the sources; see faultline explain-tree --help");
  if (!err && !help) {
    const char *function = set.rest.args.at[0];
    set.rest.args.len--;
    memmove(set.rest.args.at, set.rest.args.at + 1,
            set.rest.args.len * sizeof *set.rest.args.at);
    open = true;
    if (!session_open(&s, &set, &e))
      show_tree(&s, function, &e);
  }
  if (open)
    session_close(&s);
  int status = e.code ? command_complain(&e) : 0;
  settings_free(&set);
  return status;
}
