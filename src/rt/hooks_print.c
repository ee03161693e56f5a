/*
 * Formatted output into memory: the text is made on the side, and the write of
 * the range is a step.  What the arguments point to is read by the C library,
 * unseen.
 */
#include "rt/hooks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As vsnprintf; `size` SIZE_MAX: sprintf's. */
static int format(char *to, size_t size, const char *text, va_list ap,
                  uint64_t pc) {
  if (!fl__on())
    return size == SIZE_MAX ? vsprintf(to, text, ap)
                            : vsnprintf(to, size, text, ap);
  char *made = NULL;
  int n = vasprintf(&made, text, ap);
  if (n < 0)
    return n;
  size_t out = (size_t)n + 1;
  bool cut = out > size;
  if (cut)
    out = size;
  /* The text waits on this thread's stack while others run, where snapshots
   * find it. */
  char *kept = __builtin_alloca(out ? out : 1);
  memcpy(kept, made, out);
  free(made);
  if (cut && out)
    kept[out - 1] = 0;
  fl__access(EV_WRITE, to, out, pc);
  memcpy(to, kept, out);
  return n;
}

WRAP(int, vsnprintf, (char *to, size_t size, const char *text, va_list ap)) {
  return format(to, size, text, ap, CALLER_PC);
}
WRAP(int, vsprintf, (char *to, const char *text, va_list ap)) {
  return format(to, SIZE_MAX, text, ap, CALLER_PC);
}
WRAP(int, snprintf, (char *to, size_t size, const char *text, ...)) {
  va_list ap;
  va_start(ap, text);
  int n = format(to, size, text, ap, CALLER_PC);
  va_end(ap);
  return n;
}
WRAP(int, sprintf, (char *to, const char *text, ...)) {
  va_list ap;
  va_start(ap, text);
  int n = format(to, SIZE_MAX, text, ap, CALLER_PC);
  va_end(ap);
  return n;
}
WRAP(int, __snprintf_chk,
     (char *to, size_t size, int flag, size_t room, const char *text, ...)) {
  (void)flag, (void)room;
  va_list ap;
  va_start(ap, text);
  int n = format(to, size, text, ap, CALLER_PC);
  va_end(ap);
  return n;
}
WRAP(int, __vsnprintf_chk,
     (char *to, size_t size, int flag, size_t room, const char *text,
      va_list ap)) {
  (void)flag, (void)room;
  return format(to, size, text, ap, CALLER_PC);
}
WRAP(int, __sprintf_chk,
     (char *to, int flag, size_t room, const char *text, ...)) {
  (void)flag, (void)room;
  va_list ap;
  va_start(ap, text);
  int n = format(to, SIZE_MAX, text, ap, CALLER_PC);
  va_end(ap);
  return n;
}
