/*
 * The object under test, as it was loaded: its address, its writable data, its
 * thread-local variables, and those of the libraries that it uses.
 */
#ifndef RT_MODULE_H
#define RT_MODULE_H

#include "rt/attributes.h"

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TLS_MODULES = 64 };

/* A loaded library with thread-local variables. */
struct tls_module {
  size_t id, size;
  bool restored; /* between executions; the C library's must not be */
};

int fl__module_open(const char *so, struct error *e) FL_HIDDEN;

#endif
