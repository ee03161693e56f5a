/*
 * Ends that the code under test asks for.  In a whole program exit() is an
 * ending like any other; inside an operation it is a finding, as abort() and a
 * failed assertion are everywhere.
 */
#include "rt/hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void end(const char *name, int status, uint64_t pc) {
  if (!E.suite && !E.reference)
    fl__exit_program(status);
  fl__fault(FAULT_EXIT, pc, 0, "%s(%d) was called%s", name, status,
            E.reference ? "" : " inside an operation");
}

/* A fault, or while the object is being loaded, a message and the real end. */
#define FAIL(KIND, PC, ...)                                                    \
  do {                                                                         \
    if (fl__on() || E.reference)                                               \
      fl__fault(KIND, PC, 0, __VA_ARGS__);                                     \
    fputs("faultline: while the object was loaded: ", stderr);                 \
    fprintf(stderr, __VA_ARGS__);                                              \
    fputc('\n', stderr);                                                       \
    abort();                                                                   \
  } while (0)

WRAP(_Noreturn void, exit, (int status)) {
  if (!fl__on() && !E.reference)
    exit(status);
  end("exit", status, CALLER_PC);
}
WRAP(_Noreturn void, _exit, (int status)) {
  if (!fl__on() && !E.reference)
    _exit(status);
  end("_exit", status, CALLER_PC);
}
WRAP(_Noreturn void, _Exit, (int status)) {
  if (!fl__on() && !E.reference)
    _Exit(status);
  end("_Exit", status, CALLER_PC);
}
WRAP(_Noreturn void, quick_exit, (int status)) {
  if (!fl__on() && !E.reference)
    quick_exit(status);
  end("quick_exit", status, CALLER_PC);
}
WRAP(_Noreturn void, abort, (void)) {
  FAIL(FAULT_ABORT, CALLER_PC, "abort() was called");
}
WRAP(_Noreturn void, __assert_fail,
     (const char *assertion, const char *file, unsigned line,
      const char *function)) {
  (void)file; /* the place comes from the pc, like every other */
  (void)line;
  (void)function;
  FAIL(FAULT_ASSERT, CALLER_PC, "assertion \"%s\" failed", assertion);
}
WRAP(_Noreturn void, __assert,
     (const char *assertion, const char *file, int line)) {
  (void)file;
  (void)line;
  FAIL(FAULT_ASSERT, CALLER_PC, "assertion \"%s\" failed", assertion);
}
WRAP(_Noreturn void, __assert_perror_fail,
     (int error, const char *file, unsigned line, const char *function)) {
  (void)file;
  (void)line;
  (void)function;
  const char *text = strerrordesc_np(error);
  FAIL(FAULT_ASSERT, CALLER_PC, "unexpected error: %s",
       text ? text : "unknown");
}
WRAP(_Noreturn void, __stack_chk_fail, (void)) {
  FAIL(FAULT_OUT_OF_BOUNDS, CALLER_PC,
       "stack smashing: a function wrote past its local variables");
}
