#define _GNU_SOURCE

#include "base/progress.h"
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static uint64_t now; /* nanoseconds */
static uint64_t test_clock(void) { return now; }

enum { MS = 1000000 };

/* A terminal of our own: what is written to *slave arrives at the result. */
static int open_terminal(int *slave, unsigned short width) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  grantpt(master);
  unlockpt(master);
  *slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  struct winsize w = {.ws_row = 24, .ws_col = width};
  ioctl(*slave, TIOCSWINSZ, &w);
  return master;
}

static const char *drain(int master) {
  static char text[1000];
  ssize_t n = read(master, text, sizeof text - 1);
  text[n > 0 ? n : 0] = 0;
  return text;
}

static void start(struct progress *p, int fd) {
  setenv("TERM", "xterm", 1);
  progress_init(p, fd);
  p->clock = test_clock;
  now = p->due - 2000 * (uint64_t)MS;
}

TEST(waits_two_seconds_then_draws_five_times_a_second) {
  int slave, master = open_terminal(&slave, 80);
  struct progress p;
  start(&p, slave);
  CHECK(!progress_due(&p));
  now += 1999 * (uint64_t)MS;
  CHECK(!progress_due(&p));
  now += MS;
  CHECK(progress_due(&p));
  progress_show(&p, "%d clients", 3);
  CHECK_STR(drain(master), "\r\033[K3 clients");
  now += 199 * MS;
  CHECK(!progress_due(&p));
  now += MS;
  CHECK(progress_due(&p));
  close(slave);
  close(master);
}

TEST(clears_what_it_drew_and_only_that) {
  int slave, master = open_terminal(&slave, 80);
  struct progress p;
  start(&p, slave);
  progress_clear(&p);
  CHECK_STR(drain(master), "");
  progress_show(&p, "x");
  drain(master);
  progress_clear(&p);
  CHECK_STR(drain(master), "\r\033[K");
  progress_clear(&p);
  CHECK_STR(drain(master), "");
  close(slave);
  close(master);
}

TEST(never_wraps) {
  int slave, master = open_terminal(&slave, 10);
  struct progress p;
  start(&p, slave);
  progress_show(&p, "é23456789abc");
  CHECK_STR(drain(master), "\r\033[Ké23456789");
  close(slave);
  close(master);
}

/* Continuous integration: a line of its own, every 30 seconds. */
static void shows_lines(int to, int from) {
  struct progress p;
  progress_init(&p, to);
  p.clock = test_clock;
  now = p.due - 30000 * (uint64_t)MS;
  now += 29999 * (uint64_t)MS;
  CHECK(!progress_due(&p));
  now += MS;
  CHECK(progress_due(&p));
  progress_show(&p, "%d clients", 3);
  progress_clear(&p);
  const char *text = drain(from);
  CHECK(!strncmp(text, "faultline: 3 clients", 20));
  CHECK(text[strlen(text) - 1] == '\n' && !strchr(text, '\033'));
  now += 29999 * (uint64_t)MS;
  CHECK(!progress_due(&p));
  now += MS;
  CHECK(progress_due(&p));
}

TEST(writes_lines_without_a_terminal) {
  int fds[2];
  CHECK_INT(pipe2(fds, O_NONBLOCK), 0);
  setenv("TERM", "xterm", 1);
  shows_lines(fds[1], fds[0]);
  close(fds[0]);
  close(fds[1]);
}

TEST(writes_lines_on_a_dumb_terminal) {
  int slave, master = open_terminal(&slave, 80);
  setenv("TERM", "dumb", 1);
  shows_lines(slave, master);
  close(slave);
  close(master);
}

TEST(takes_other_times_from_the_environment) {
  int fds[2];
  struct progress p;
  CHECK_INT(pipe2(fds, O_NONBLOCK), 0);
  setenv("FAULTLINE_PROGRESS_MS", "100", 1);
  progress_init(&p, fds[1]);
  unsetenv("FAULTLINE_PROGRESS_MS");
  p.clock = test_clock;
  now = p.due - 1;
  CHECK(!progress_due(&p));
  now++;
  CHECK(progress_due(&p));
  progress_show(&p, "x");
  now += 100 * MS - 1;
  CHECK(!progress_due(&p));
  now++;
  CHECK(progress_due(&p));
  close(fds[0]);
  close(fds[1]);
}

TEST_MAIN
