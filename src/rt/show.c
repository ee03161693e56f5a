/* FL_SHOW prints the object to stdout; this file catches the text. */
#include "rt/show.h"

#include "base/err.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int caught = -1, kept = -1;

void fl__show_begin(void) {
  assert(caught < 0);
  fflush(stdout);
  caught = memfd_create("show", MFD_CLOEXEC);
  kept = dup(STDOUT_FILENO);
  if (caught < 0 || kept < 0 || dup2(caught, STDOUT_FILENO) < 0)
    die("cannot catch the output of FL_SHOW");
}

void fl__show_end(char **text) {
  enum { MOST = 4096 };
  assert(caught >= 0);
  fflush(stdout);
  dup2(kept, STDOUT_FILENO);
  free(*text);
  *text = xcalloc(1, MOST + 1);
  ssize_t n = pread(caught, *text, MOST, 0);
  (*text)[n > 0 ? n : 0] = 0;
  close(caught);
  close(kept);
  caught = kept = -1;
}
