/* The width of the terminal. */
#include "base/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>

enum { USUAL = 80, MOST = 1000 };

uint32_t terminal_width(int fd) {
  struct winsize w = {0};
  return !ioctl(fd, TIOCGWINSZ, &w) && w.ws_col ? w.ws_col : USUAL;
}

uint32_t terminal_columns(int fd) {
  const char *given = getenv("COLUMNS");
  unsigned long n = given ? strtoul(given, NULL, 10) : 0;
  return n > 0 && n <= MOST ? (uint32_t)n : terminal_width(fd);
}
