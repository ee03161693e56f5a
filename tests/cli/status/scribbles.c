/*
 * Call number AT does DO: writes over all memory that the process shares with
 * others, or something that is no answer into all its open files.
 */
#include <faultline.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef AT
#define AT 3
#endif
#ifndef BYTE
#define BYTE 0x41
#endif
#ifndef LENGTH
#define LENGTH 0
#endif

static int calls;

static struct { unsigned long from, to; } at[64];

static void scribble(void) {
  FILE *f = fopen("/proc/self/maps", "r");
  char line[512], how[8];
  int n = 0;
  while (f && n < 64 && fgets(line, sizeof line, f))
    if (sscanf(line, "%lx-%lx %7s", &at[n].from, &at[n].to, how) == 3 &&
        !strcmp(how, "rw-s"))
      n++;
  if (f)
    fclose(f);
  for (int i = 0; i < n; i++) {
    unsigned long size = at[i].to - at[i].from, most = 1 << 20;
    memset((void *)at[i].from, BYTE, size < most ? size : most);
  }
}

/* By a copy of the descriptor: with itself, the cage refuses it. */
static void put_everywhere(const void *bytes, size_t n) {
  for (int fd = 3; fd < 64; fd++) {
    int copy = (int)syscall(SYS_dup, fd);
    if (syscall(SYS_write, copy, bytes, n) < 0)
      errno = 0;
    syscall(SYS_close, copy);
  }
}

static void garbage(void) {
  static const char text[] = "This is no answer to anything that was asked.";
  put_everywhere(text, sizeof text);
}

/* As a frame begins (src/proc/frame.h). */
static void forge(void) {
  static const struct {
    unsigned magic, kind, slot, serial;
    unsigned long long length;
  } head = {0x464c4652, 1, 0, 0, LENGTH};
  put_everywhere(&head, sizeof head);
}

static int op(void) {
  if (++calls == AT)
    DO();
  return calls;
}

FL_OBJECT(thing)
FL_OP(int, op)
