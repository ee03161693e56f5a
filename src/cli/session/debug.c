/*
 * faultline replay --gdb.  gdb runs `faultline debug-run`, which loads the
 * object and follows the schedule.  Nothing else runs in that process, so every
 * start is the same execution.  The gdb commands are in
 * templates/faultline.gdb; they stop at the functions fl_debug_*, whose names
 * are visible without debug information.
 */
#include "cli/session/debug.h"
#include "cli/options.h"

#include "cli/commands.h"
#include "hunt/object.h"
#include "search/explore.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default"), used))
#define NOT_INLINED __attribute__((noinline)) /* for breakpoints */

enum { DEBUG_THREADS = 32, NEVER_MS = 1000000 };

extern const char template_gdb[];

/* The threads that could make the next step, and where they are; 0: not in code
 * of the object. */
EXPORTED uint32_t fl_debug_threads;
EXPORTED uint64_t fl_debug_places[DEBUG_THREADS];
EXPORTED NOT_INLINED void fl_debug_step(int thread, uint64_t pc);
EXPORTED NOT_INLINED void fl_debug_end(const char *how);

void fl_debug_step(int thread, uint64_t pc) {
  __asm__ volatile("" ::"r"(thread), "r"(pc) : "memory");
}

void fl_debug_end(const char *how) {
  __asm__ volatile("" ::"r"(how) : "memory");
}

static int pick(void *ctx, uint32_t enabled, int current) {
  struct replay *r = ctx;
  struct replay inner;
  replay_init(&inner, NULL, 0); /* only for its driver */
  int t = inner.driver.pick(r, enabled, current);
  fl_debug_threads = enabled;
  for (int i = 0; i < DEBUG_THREADS; i++) {
    struct rt_stand stand = {0};
    if (enabled >> i & 1)
      rt_stand(i, &stand);
    fl_debug_places[i] = stand.pc ? rt_base() + stand.pc : 0;
  }
  assert(t >= 0 && t < DEBUG_THREADS);
  fl_debug_step(t, fl_debug_places[t]);
  return t;
}

static const char *end_words(enum rt_end end) {
  switch (end) {
  case RT_DONE:
    return "every thread returned";
  case RT_FAULT:
    return "a fault";
  case RT_CUT:
    return "--max-steps";
  default:
    return "no thread can go on";
  }
}

static int follow(const struct fl_suite *suite, const struct schedule *s,
                  struct error *e) {
  struct client c = {0};
  path p = {0};
  struct replay r;
  if (suite) {
    struct object o;
    object_init(&o, suite);
    if (client_read(&c, s->client, &o.names, o.nargs, e))
      return e->code;
  }
  if (rt_prepare(suite, suite ? &c : NULL) != RT_DONE)
    return error_set(e, ERR_INPUT,
                     "the object cannot be made: it fails before "
                     "the threads begin");
  schedule_to_path(s, &p);
  replay_init(&r, p.at, p.len);
  r.driver.pick = pick;
  enum rt_end end = rt_run(&r.driver);
  fl_debug_threads = 0;
  fl_debug_end(end_words(end));
  replay_free(&r);
  vec_free(&p);
  return ERR_NONE;
}

/* debug-run OBJECT SUITE SCHEDULE; the suite is a number or "program". */
static int debug_run(struct settings *set, struct error *e) {
  const char *const *args = set->rest.args.at;
  struct schedule schedule = {0};
  struct rt_options o;
  struct probe probe = {0};
  if (set->rest.args.len != 3)
    return error_set(e, ERR_USAGE, "debug-run is what replay --gdb starts");
  struct lines *lines = lines_open(args[0], e);
  if (!lines || probe_object(&probe, args[0], lines, e) ||
      schedule_read(&schedule, args[2], e))
    goto out;
  settings_take_options(set, &schedule);
  settings_engine(set, &o);
  o.uses_tls = probe.has_tls || probe.needs_libc_tls;
  o.uses_fenv = probe.uses_fenv;
  o.uses_clock = probe.uses_clock;
  o.watchdog_ms = NEVER_MS;
  o.show_output = true;
  o.in_debugger = true;
  if (!rt_open(args[0], &o, e)) {
    rt_part_stores(probe.part_stores.at, probe.part_stores.len);
    rt_sites(probe.sites.at, probe.sites.len);
    bool program = !strcmp(args[1], "program");
    struct fl_suite *suite = program ? NULL : rt_suites();
    for (int i = atoi(args[1]); suite && i > 0; i--)
      suite = suite->next;
    if (!program && !suite)
      error_set(e, ERR_USAGE, "no suite %s", args[1]);
    else
      follow(suite, &schedule, e);
  }
out:
  schedule_free(&schedule);
  probe_free(&probe);
  if (lines)
    lines_close(lines);
  return e->code;
}

int command_debug_run(int argc, char **argv) {
  struct settings set;
  struct error e = {0};
  bool help;
  if (!settings_parse(&set, "replay", argc, argv, &help, &e) && !help)
    debug_run(&set, &e);
  settings_free(&set);
  return e.code ? command_complain(&e) : 0;
}

/* The exit status of gdb; 2 if it cannot be started. */
static int run_gdb(char **argv, const char *why) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0)
    die("cannot fork: %s", strerror(errno));
  if (!pid) {
    setenv("FAULTLINE_WHY", why, 1);
    execvp("gdb", argv);
    fprintf(stderr, "faultline: gdb: %s\n", strerror(errno));
    _exit(2);
  }
  int status;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int debug_session(struct session *s, const char *schedule, int suite,
                  const struct buf *report, struct error *e) {
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  struct buf script = {0};
  char *commands_file = xasprintf("%s/faultline.gdb", s->built.dir);
  char *why = xasprintf("%s/why.txt", s->built.dir);
  char *index = suite < 0 ? xstrdup("program") : xasprintf("%d", suite);
  int status = 2;
  buf_puts(&script, template_gdb);
  if (n < 0) {
    error_set(e, ERR_SYSTEM, "/proc/self/exe: %s", strerror(errno));
  } else if (!buf_write_file(&script, commands_file, e) &&
             !buf_write_file(report, why, e)) {
    self[n] = 0;
    char *argv[] = {(char *)"gdb",
                    (char *)"-q",
                    (char *)"-x",
                    commands_file,
                    (char *)"-ex",
                    (char *)"enable $fl_marker",
                    (char *)"-ex",
                    (char *)"run",
                    (char *)"-ex",
                    (char *)"disable $fl_marker",
                    (char *)"-ex",
                    (char *)"printf \"At the first step.  Commands: fl-step, "
                            "fl-threads, fl-why; break and continue work.\\n\"",
                    (char *)"--args",
                    self,
                    (char *)"debug-run",
                    s->built.so,
                    index,
                    (char *)(uintptr_t)schedule,
                    NULL};
    status = run_gdb(argv, why);
  }
  buf_free(&script);
  free(commands_file);
  free(why);
  free(index);
  return status;
}
