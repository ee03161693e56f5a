/* Which signals come from outside, and the words for them. */
#include "proc/outside.h"

#include "base/err.h"

#include <signal.h>
#include <string.h>

bool outside_never(int number) {
  return number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
         number == SIGILL || number == SIGABRT || number == SIGTRAP ||
         number == SIGSYS;
}

char *outside_words(int number) {
  const char *name = sigabbrev_np(number); /* not of real-time signals */
  return xasprintf("the run was stopped from outside (%s%s)%s",
                   name ? "SIG" : "", name ? name : strsignal(number),
                   number == SIGKILL ? ": is there enough memory?" : "");
}
