/* The operations of a file that never return (unreturned.c). */
#ifndef CLI_CHECK_UNRETURNED_H
#define CLI_CHECK_UNRETURNED_H

#include "cli/check/int.h"
#include "history/read/read.h"
#include "history/stream/watch.h"

struct open_call {
  uint32_t process;
  uint64_t event; /* its number in the file, from 1 */
};

struct open_calls {
  VEC(struct open_call) at;
  struct value_map places; /* process -> index into `at` */
};

struct unreturned {
  struct open_calls open; /* while !known */
  VEC(uint64_t) never;    /* calls that do not return, by event */
  bool known;             /* `never` is complete */
};

/* Follows an event.  True: the operations that never return have just become
 * known, and some of them may be open. */
bool unreturned_follow(struct unreturned *u, const struct log_event *ev,
                       uint64_t event, const char *path,
                       const struct check_settings *s);
bool unreturned_has(const struct unreturned *u, uint64_t event);
void unreturned_free(struct unreturned *u);

#endif
