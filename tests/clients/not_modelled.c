/*
 * What is not modelled says so, in one sentence, and is no fault of the code.
 *
 * RUN: %s -- -DCODE='socket(AF_UNIX,SOCK_STREAM,0)'
 * EXIT: 3
 * VERDICT: unknown
 * OUTPUT: socket\(\) reaches out of the process, which is not modelled
 * RUN: %s -- -DCODE='poll(&input,1,-1)'
 * EXIT: 3
 * OUTPUT: poll\(\) of a file that is no pipe, eventfd or socket pair
 * RUN: %s -- -DCODE='raise(SIGUSR1)'
 * EXIT: 3
 * OUTPUT: raise\(\) would run a signal handler, and signals are not modelled
 * RUN: %s -- -DCODE='kill(getpid(),SIGUSR1)'
 * EXIT: 3
 * OUTPUT: kill\(\) would run a signal handler
 * RUN: %s -- -DCODE='dlopen("libm.so.6",RTLD_NOW)!=0'
 * EXIT: 3
 * OUTPUT: dlopen\(\) loads code without hooks
 * RUN: %s -- -DCODE='waitpid(-1,0,0)'
 * EXIT: 3
 * OUTPUT: waitpid\(\) waits for another process
 * RUN: %s -- -DCODE='sigqueue(getpid(),SIGUSR1,(union sigval){0})'
 * EXIT: 3
 * OUTPUT: sigqueue\(\) sends or awaits a signal
 * RUN: %s -- -DCODE='swapcontext(&here,&here)'
 * EXIT: 3
 * OUTPUT: swapcontext\(\) switches to another stack
 * RUN: %s -- -DCODE='mess()'
 * EXIT: 3
 * OUTPUT: fcntl\(\) with command [0-9]+ is not modelled for a pipe
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <faultline.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static int n;
static ucontext_t here;
static struct pollfd input = {.fd = 0, .events = POLLIN};

static void handle(int number) {
  (void)number;
  n++;
}
static void create(void) { signal(SIGUSR1, handle); }

int mess(void);
int mess(void) {
  int fd[2];
  return pipe(fd) || fcntl(fd[0], F_SETOWN, 1);
}

static int f(void) {
  n++;
  return CODE;
}

FL_OBJECT(unmodelled, create)
FL_OP(int, f)
