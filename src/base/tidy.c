#include "base/tidy.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Who does not find room is not tidied up in a hurry. */
enum { MOST_FILES = 32, MOST_PROCESSES = 1024 };
static const char *volatile files[MOST_FILES];
static volatile pid_t processes[MOST_PROCESSES];
static volatile pid_t owner; /* who has registered them */

static void forget(void) {
  memset((void *)files, 0, sizeof files);
  memset((void *)processes, 0, sizeof processes);
}

/* A forked process has a copy of its parent's. */
static void own(void) {
  if (owner != getpid())
    forget();
  owner = getpid();
}

void tidy_file(const char *path) {
  own();
  for (int i = 0; i < MOST_FILES; i++)
    if (!files[i]) {
      files[i] = path;
      return;
    }
}

void tidy_file_done(const char *path) {
  for (int i = 0; i < MOST_FILES; i++)
    if (files[i] == path)
      files[i] = NULL;
}

void tidy_process(pid_t pid) {
  own();
  for (int i = 0; i < MOST_PROCESSES; i++)
    if (!processes[i]) {
      processes[i] = pid;
      return;
    }
}

void tidy_process_done(pid_t pid) {
  for (int i = 0; i < MOST_PROCESSES; i++)
    if (processes[i] == pid)
      processes[i] = 0;
}

void tidy_nothing(void) {
  forget();
  signal(SIGALRM, SIG_DFL);
}

/* Removing a folder takes more than a handler may do: another program. */
static void remove_files(void) {
  char *argv[MOST_FILES + 4] = {(char *)"rm", (char *)"-rf", (char *)"--"};
  int n = 3;
  for (int i = 0; i < MOST_FILES; i++)
    if (files[i])
      argv[n++] = (char *)files[i];
  if (n == 3)
    return;
  pid_t pid = _Fork();
  if (!pid) {
    execv("/bin/rm", argv);
    _exit(127);
  }
  if (pid > 0)
    waitpid(pid, NULL, 0);
}

void tidy_now(void) {
  if (owner != getpid())
    return;
  for (int i = 0; i < MOST_PROCESSES; i++)
    if (processes[i])
      kill(processes[i], SIGKILL);
  remove_files();
}

static void end(int number) {
  static const char words[] = "faultline: interrupted\n";
  (void)number;
  tidy_now();
  if (write(STDERR_FILENO, words, sizeof words - 1) < 0)
    _exit(3);
  _exit(3);
}

void tidy_hurry(void) {
  struct sigaction a = {.sa_handler = end};
  struct itimerval once = {.it_value = {TIDY_MS / 1000, TIDY_MS % 1000 * 1000}};
  sigfillset(&a.sa_mask);
  sigaction(SIGALRM, &a, NULL);
  setitimer(ITIMER_REAL, &once, NULL);
}
