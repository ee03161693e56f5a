/*
 * The user's own types run in this process.  They may crash, end the process or
 * never return.  Then an error names the type and the process ends, since there
 * is no way back into the search.
 */
#include "base/clock.h"
#include "base/tidy.h"
#include "cli/check/int.h"
#include "spec/type.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { GRACE = 1 }; /* seconds after --time: a step may take long */

static char stack[64 << 10]; /* for handlers: the crash may be an overflow */

static void put(const char *text) {
  ssize_t n = write(STDERR_FILENO, text, strlen(text));
  (void)n;
}

/* Calls only functions that are allowed in a signal handler. */
static _Noreturn void blame(const struct type_running *r, const char *what,
                            int status) {
  put("faultline: ");
  put(r->object);
  put(": ");
  put(r->function);
  if (r->operation) {
    put(" of ");
    put(r->operation);
  }
  put(what);
  _exit(status);
}

static void crashed(int signal_number) {
  struct type_running r;
  if (type_user_runs(&r))
    blame(&r, " crashed\n", 2);
  tidy_crash(signal_number);
}

static void is_late(int signal_number) {
  struct type_running r;
  (void)signal_number;
  if (type_user_runs(&r))
    blame(&r, " did not return within --time\n", 3);
}

/* The type has called exit(), whose status would look like an answer. */
static void has_left(void) {
  struct type_running r;
  if (type_user_runs(&r))
    blame(&r, " ended the process\n", 2);
}

void check_guard(const struct check_settings *s) {
  static bool begun; /* children inherit it, and the atexit handler */
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction a = {.sa_handler = crashed, .sa_flags = SA_ONSTACK};
  if (!begun)
    atexit(has_left);
  begun = true;
  sigaltstack(&own, NULL);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigaction(faults[i], &a, NULL);
  if (!s->deadline)
    return;
  /* Again every second: between two steps the handler does nothing. */
  double left = s->deadline - clock_now();
  left = (left > 0 ? left : 0) + GRACE;
  struct itimerval timer = {
      .it_interval.tv_sec = 1,
      .it_value.tv_sec = (time_t)left,
      .it_value.tv_usec = (suseconds_t)((left - (double)(time_t)left) * 1e6)};
  a = (struct sigaction){.sa_handler = is_late, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &a, NULL);
  setitimer(ITIMER_REAL, &timer, NULL);
}
