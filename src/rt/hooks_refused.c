/*
 * What is not modelled says so: the functions of rt/refused.h, and signals that
 * would run a handler of the code's.
 */
#include "rt/refused.h"

#include "rt/fault.h"
#include "rt/hooks.h"
#include "rt/signals.h"

#include <signal.h>

/* Never returns, so that it does not matter which arguments there are. */
#define REFUSE(NAME, WHY)                                                      \
  WRAP(void, NAME, (void)) { fl__refuse(CALLER_PC, #NAME "() " REFUSED_##WHY); }
REFUSED(REFUSE)

void fl__refuse_handler(const char *function, int number, uint64_t pc) {
  struct sigaction a;
  if (fl__on() && !sigaction(number, NULL, &a) && a.sa_handler != SIG_DFL &&
      a.sa_handler != SIG_IGN && !fl__own_signal(number))
    fl__refuse(pc,
               "%s() would run a signal handler, and signals are not "
               "modelled",
               function);
}

WRAP(int, raise, (int number)) {
  fl__refuse_handler("raise", number, CALLER_PC);
  return raise(number);
}
