/* faultline shrink, in the parent process. */
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/session/session.h"
#include "hunt/shrink.h"

#include <string.h>

static bool is_history(const char *name) {
  static const char *const ends[] = {".jsonl", ".history", ".json"};
  size_t n = strlen(name);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t k = strlen(ends[i]);
    if (n > k && !strcmp(name + n - k, ends[i]))
      return true;
  }
  return false;
}

/* Moves the name of the history from the sources to set->history. */
static int find_history(struct settings *set, struct error *e) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < set->rest.args.len; i++) {
    const char *name = set->rest.args.at[i];
    if (!is_history(name))
      set->rest.args.at[n++] = set->rest.args.at[i];
    else if (set->history)
      return error_set(e, ERR_USAGE, "give one history, not two: %s and %s",
                       set->history, name);
    else
      set->history = name;
  }
  set->rest.args.len = n;
  if (set->history && set->client)
    return error_set(e, ERR_USAGE, "give a history (%s) or --client, not both",
                     set->history);
  if (!n)
    return error_set(e, ERR_USAGE, "give the sources of the object as well");
  return ERR_NONE;
}

/* How long random clients run: by the scheduler, or by real threads. */
static int choose_search(struct settings *set, struct error *e) {
  bool coin = set->search == SEARCH_RANDOM;
  if (set->search != SEARCH_AUTO && set->search != SEARCH_DPCT && !coin)
    return error_set(e, ERR_USAGE,
                     "--search: shrink takes dpct or random, not %s",
                     search_name[set->search]);
  if (coin && (set->coarse == COARSE_B || set->history || set->client))
    return error_set(e, ERR_USAGE,
                     "--search=random applies only to random clients that the "
                     "scheduler runs");
  /* B needs the object without hooks, the others the estimates of D-PCT. */
  if (set->coarse == COARSE_B)
    set->search = SEARCH_STRESS;
  else if (!coin)
    set->search = SEARCH_DPCT;
  return ERR_NONE;
}

static int shrink_object(struct session *s, struct error *e) {
  const struct settings *set = s->settings;
  if (!s->built.about->nsuites)
    return error_set(e, ERR_INPUT,
                     "no harness: one of the files must include <faultline.h> "
                     "and declare FL_OBJECT and FL_OP");
  uint32_t suite = 0;
  while (set->object && strcmp(set->object, s->built.about->suites[suite].name))
    if (++suite == s->built.about->nsuites)
      return error_set(e, ERR_USAGE, "no object is called %s", set->object);
  struct target target;
  struct hunt_question q = {.target = &target, .kind = HUNT_SHRINK};
  built_target(&s->built, &target);
  target.suite = suite;
  return session_hunt(s, &q, e);
}

static int run(const struct settings *set) {
  struct session s;
  struct error e = {0};
  int err = session_open(&s, set, &e);
  if (!err)
    err = shrink_object(&s, &e);
  int status = err ? session_report_trouble(&s, &e) : session_report(&s, &e);
  if (e.code)
    status = command_complain(&e);
  status = session_exit(&s, status);
  session_close(&s);
  return status;
}

int command_shrink(int argc, char **argv) {
  struct settings set;
  struct error e = {0};
  bool help;
  int status = 0;
  if (settings_parse(&set, "shrink", argc, argv, &help, &e)) {
    status = settings_exit(&set, command_complain(&e), false);
  } else if (!help && (find_history(&set, &e) || choose_search(&set, &e))) {
    status = settings_exit(&set, command_complain(&e), false);
  } else if (!help) {
    status = run(&set);
  }
  settings_free(&set);
  return status;
}
