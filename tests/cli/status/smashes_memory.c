/*
 * Overwrites what can be written in the process, except for the stack that it
 * stands on: the tool's own memory in the worker is gone, and the parent must
 * neither die nor believe any of it.
 */
#include <faultline.h>

#include <stdint.h>
#include <stdio.h>

static int calls;

__attribute__((no_sanitize_thread)) static void smash(void) {
  static struct range { uintptr_t from, to; } ranges[400];
  char line[512], rights[8];
  unsigned long from, to;
  int n = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (n < 400 && fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 &&
        rights[1] == 'w')
      ranges[n++] = (struct range){from, to};
  for (int i = 0; i < n; i++) {
    /* The beginning of a mapping holds what matters; not all of a gigabyte. */
    uintptr_t end = ranges[i].to - ranges[i].from > 1 << 20
                        ? ranges[i].from + (1 << 20)
                        : ranges[i].to;
    for (volatile char *p = (char *)ranges[i].from; p < (char *)end; p += 64)
      *p = 'A';
  }
}

static int get(void) {
  if (++calls == 3)
    smash();
  return calls;
}

FL_OBJECT(thing)
FL_OP(int, get)
