/*
 * A JSON writer.  Commas and indentation are its business; the caller opens,
 * names, writes and closes.  Strings are escaped; bytes that are not UTF-8
 * become U+FFFD.  Integers keep all 64 bits.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct json {
  struct buf *out;
  unsigned depth;
  bool comma;   /* a value stands before this place in the same container */
  bool compact; /* all on one line */
};

/* `name` is NULL inside an array and at the top. */
void json_object(struct json *j, const char *name);
void json_array(struct json *j, const char *name);
void json_end_object(struct json *j);
void json_end_array(struct json *j);
void json_string(struct json *j, const char *name, const char *value);
void json_int(struct json *j, const char *name, int64_t value);
void json_uint(struct json *j, const char *name, uint64_t value);
void json_double(struct json *j, const char *name, double value);
void json_bool(struct json *j, const char *name, bool value);
void json_null(struct json *j, const char *name);

#endif
