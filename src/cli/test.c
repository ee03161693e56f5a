/* test, explore, replay: the three commands that run an object. */
#include "campaign/saved.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/session/debug.h"
#include "cli/session/session.h"
#include "diagnose/traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int command_complain(const struct error *e) {
  struct buf text = {0}, out = {0};
  buf_printf(&text, "faultline: %s", e->text);
  if (strchr(e->text, '\n')) /* it has lines already */
    buf_printf(&out, "%s\n", text.at);
  else if (e->text[0])
    report_line(text.at, &(struct text_style){.utf8 = true}, &out);
  fputs(buf_text(&out), stderr);
  buf_free(&text);
  buf_free(&out);
  return e->code == ERR_REFUSED || e->code == ERR_INTERRUPTED ? 3 : 2;
}

static int no_harness(const struct session *s, struct error *e) {
  if (s->built.about->has_main)
    return error_set(e, ERR_INPUT,
                     "this is a program with main() and no harness: use "
                     "faultline explore");
  return error_set(e, ERR_INPUT,
                   "no harness: one of the files must include <faultline.h> "
                   "and declare FL_OBJECT and FL_OP");
}

/* ---- FL_CLIENT ---- */

/* The number of the schedule's object; the number of objects after an error. */
static uint32_t suite_of(const struct session *s, const struct schedule *of,
                         struct error *e) {
  const struct description *d = s->built.about;
  if (!of->object && d->nsuites == 1)
    return 0;
  for (uint32_t i = 0; of->object && i < d->nsuites; i++)
    if (!strcmp(d->suites[i].name, of->object))
      return i;
  if (of->object)
    error_set(e, ERR_INPUT, "no object is called %s", of->object);
  else
    error_set(
        e, ERR_INPUT,
        "there are several objects, but the line \"object: NAME\" is missing");
  return d->nsuites;
}

/* Tests the execution of the schedule, then all others of its client. */
static int test_schedule(struct session *s, const struct schedule *of,
                         bool expect_fault, struct error *e) {
  const struct settings *set = s->settings;
  struct settings own = *set;
  uint32_t suite = suite_of(s, of, e);
  if (suite == s->built.about->nsuites)
    return e->code;
  if (!of->client)
    return error_set(e, ERR_INPUT, "the line \"client: CLIENT\" is missing");
  if (set->object && strcmp(set->object, s->built.about->suites[suite].name))
    return ERR_NONE;
  own.client = of->client;
  settings_take_options(&own, of);
  struct target target;
  struct hunt_question q = {.target = &target,
                            .kind = HUNT_BEGIN,
                            .begin = {of, of->turns.len ? 1 : 0}};
  built_target(&s->built, &target);
  target.settings = &own;
  target.suite = suite;
  int err = session_hunt(s, &q, e);
  if (!err)
    s->runs.at[s->runs.len - 1].result.expect_fault = expect_fault;
  return err;
}

static int test_client(struct session *s, const struct client_info *c,
                       struct error *e) {
  struct schedule of = {0};
  struct buf text = {0};
  buf_printf(&text, "faultline-schedule 1\n%s", c->schedule);
  int err = schedule_parse(&of, &text, "FL_CLIENT", e);
  if (!err)
    err = test_schedule(s, &of, c->expect_fault, e);
  if (err) {
    struct error why = *e;
    *e = (struct error){0}; /* error_set keeps the first error */
    error_set(e, why.code, "%s:%d: %s%s", c->file, c->line,
              strstr(why.text, "FL_CLIENT") ? "" : "FL_CLIENT: ", why.text);
  }
  schedule_free(&of);
  buf_free(&text);
  return err;
}

/* Tests the clients of the harness, and no others. */
static int test_clients(struct session *s, struct error *e) {
  const struct description *d = s->built.about;
  for (uint32_t i = 0; i < d->nclients && !s->built.interrupted; i++)
    if (test_client(s, &d->clients[i], e))
      return e->code;
  if (!s->runs.len && !s->built.interrupted)
    return error_set(e, ERR_USAGE, "no FL_CLIENT is for an object called %s",
                     s->settings->object);
  return ERR_NONE;
}

/* ---- */

static int test_all(struct session *s, struct error *e) {
  const struct settings *set = s->settings;
  uint32_t matched = 0;
  if (!s->built.about->nsuites)
    return no_harness(s, e);
  if (s->built.about->nclients && !set->client && set->search != SEARCH_STRESS)
    return test_clients(s, e);
  for (uint32_t i = 0; i < s->built.about->nsuites; i++) {
    const struct suite_info *u = &s->built.about->suites[i];
    if (set->object && strcmp(set->object, u->name))
      continue;
    matched++;
    schedule_list saved = {0};
    if (!set->no_save && !set->client)
      saved_read(&s->built, u, &saved);
    struct target target;
    struct hunt_question q = {.target = &target};
    if (set->search == SEARCH_STRESS) {
      q.kind = HUNT_STRESS;
    } else {
      q.kind = HUNT_BEGIN;
      q.begin.saved = saved.at;
      q.begin.nsaved = saved.len;
    }
    built_target(&s->built, &target);
    target.suite = i;
    int err = session_hunt(s, &q, e);
    saved_free(&saved);
    if (err)
      return err;
    if (s->built.interrupted)
      break;
  }
  if (!matched)
    return error_set(e, ERR_USAGE, "no object is called %s", set->object);
  return ERR_NONE;
}

/* A call of an operation of the first object, as an example in a message. */
static const char *example_call(const struct session *s, uint32_t which) {
  static char text[2][200];
  const struct suite_info *u = &s->built.about->suites[0];
  const struct op_info *o = &u->ops[which < u->nops ? which : 0];
  size_t n =
      (size_t)snprintf(text[which], sizeof text[which], "%.100s(", o->name);
  for (uint32_t i = 0; i < o->nargs && i < FL_MAX_ARGS; i++)
    n += (size_t)snprintf(text[which] + n, sizeof text[which] - n, "%s%s",
                          i ? ", " : "", o->texts >> i & 1 ? "\"...\"" : "1");
  snprintf(text[which] + n, sizeof text[which] - n, ")");
  return text[which];
}

static int explore_client(struct session *s, const struct hunt_question *q,
                          struct error *e) {
  int err = session_hunt(s, q, e);
  if (err || !s->settings->traces || s->built.interrupted || !s->runs.len)
    return err;
  return traces_write(&s->runs.at[0], q->target, s->settings->traces, e);
}

static int explore_one(struct session *s, struct error *e) {
  const struct settings *set = s->settings;
  struct target target;
  struct hunt_question q = {.target = &target, .kind = HUNT_BEGIN};
  built_target(&s->built, &target);
  target.program = !s->built.about->nsuites;
  target.want_outcomes = true;
  if (target.program && !s->built.about->has_main)
    return error_set(e, ERR_INPUT,
                     "the files have neither a harness nor a main()");
  if (target.program && set->client)
    return error_set(e, ERR_USAGE, "--client needs a harness");
  if (target.program && set->search == SEARCH_DPCT)
    return error_set(e, ERR_USAGE,
                     "--search=dpct needs a harness: use --search=pct for a "
                     "program with main()");
  if (target.program)
    return session_hunt(s, &q, e);
  if (!set->client)
    return error_set(e, ERR_USAGE,
                     "give a client, e.g. --client '{%s} || {%s}'",
                     example_call(s, 0), example_call(s, 1));
  for (uint32_t i = 0; i < s->built.about->nsuites; i++)
    if (!set->object || !strcmp(set->object, s->built.about->suites[i].name)) {
      target.suite = i;
      return explore_client(s, &q, e);
    }
  return error_set(e, ERR_USAGE, "no object is called %s", set->object);
}

static int run_session(const struct settings *set,
                       int (*body)(struct session *, struct error *)) {
  struct session s;
  struct error e = {0};
  int err = session_open(&s, set, &e);
  if (!err)
    err = body(&s, &e);
  /* Objects that were tested before the error are reported. */
  int status = err && !s.runs.len ? session_report_trouble(&s, &e)
                                  : session_report(&s, &e);
  if (e.code)
    status = command_complain(&e);
  status = session_exit(&s, status);
  session_close(&s);
  return status;
}

static int with_settings(const char *name, int argc, char **argv,
                         int (*body)(struct session *, struct error *)) {
  struct settings set;
  struct error e = {0};
  bool help;
  int err = settings_parse(&set, name, argc, argv, &help, &e);
  int status = err    ? settings_exit(&set, command_complain(&e), false)
               : help ? 0
                      : run_session(&set, body);
  settings_free(&set);
  return status;
}

int command_test(int argc, char **argv) {
  return with_settings("test", argc, argv, test_all);
}

static int explore_controlled(struct session *s, struct error *e) {
  if (s->settings->search == SEARCH_STRESS)
    return error_set(e, ERR_USAGE,
                     "explore does not go with --search=stress, since real "
                     "threads do not show all outcomes: use faultline test");
  return explore_one(s, e);
}

int command_explore(int argc, char **argv) {
  return with_settings("explore", argc, argv, explore_controlled);
}

/* ---- replay ---- */

/* --gdb: the report is not printed, fl-why shows it. */
static int debug(struct session *s, const struct target *target,
                 const char *file, struct error *e) {
  struct buf text = {0};
  session_text(s, &(struct text_style){.utf8 = true, .whole = true}, &text);
  int status = debug_session(s, file, target->program ? -1 : (int)target->suite,
                             &text, e);
  buf_free(&text);
  return status;
}

static int replay_schedule(const struct settings *set, const char *file,
                           const struct schedule *schedule) {
  struct session s;
  struct error e = {0};
  int err = session_open(&s, set, &e);
  uint32_t suite = 0;
  bool program = !err && !s.built.about->nsuites;
  if (!err && !program)
    err = session_find_client(&s, schedule, file, &suite, &e);
  int status = 2;
  if (!err) {
    if (schedule->source && strcmp(schedule->source, s.built.hash))
      fprintf(stderr, "note: the sources have changed since the schedule was "
                      "saved\n");
    struct target target;
    struct hunt_question q = {.target = &target,
                              .kind = HUNT_REPLAY,
                              .replay = {.schedule = schedule}};
    built_target(&s.built, &target);
    target.suite = suite;
    target.program = program;
    err = session_hunt(&s, &q, &e);
    if (!err) {
      struct object_run *r = &s.runs.at[0];
      if (r->report && r->report->diverged)
        fprintf(stderr, "note: the schedule was not followed to its end, "
                        "because the code takes other steps now\n");
      status = set->gdb ? debug(&s, &target, file, &e) : session_report(&s, &e);
    }
  }
  if (err)
    session_report_trouble(&s, &e);
  if (e.code)
    status = command_complain(&e);
  status = session_exit(&s, status);
  session_close(&s);
  return status;
}

int command_replay(int argc, char **argv) {
  struct settings set;
  struct schedule schedule = {0};
  struct error e = {0};
  bool help;
  int status = 2;
  if (settings_parse(&set, "replay", argc, argv, &help, &e)) {
    status = settings_exit(&set, command_complain(&e), false);
  } else if (help) {
    status = 0;
  } else if (schedule_read(&schedule, set.rest.args.at[0], &e)) {
    status = settings_exit(&set, command_complain(&e), false);
  } else if (set.rest.args.len < 2) {
    error_set(&e, ERR_USAGE,
              "give a schedule and the sources; see faultline replay --help");
    status = settings_exit(&set, command_complain(&e), false);
  } else {
    const char *file = set.rest.args.at[0];
    set.rest.args.len--;
    memmove(set.rest.args.at, set.rest.args.at + 1,
            set.rest.args.len * sizeof *set.rest.args.at);
    set.no_save = true;
    set.search = SEARCH_AUTO; /* nothing is searched */
    settings_take_options(&set, &schedule);
    if (set.model_from ==
        MODEL_DEFAULT) /* the schedule names none: it is one of sc */
      set.model_from = MODEL_SCHEDULE;
    status = replay_schedule(&set, file, &schedule);
  }
  schedule_free(&schedule);
  settings_free(&set);
  return status;
}
