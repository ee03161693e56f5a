/* Which operations of a file never return: check_unreturned.c. */
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
  struct value_map places; /* of processes */
};

struct unreturned {
  struct open_calls open; /* until it is known */
  VEC(uint64_t) never;    /* calls that do not return, by event */
  bool known;
};

/* An event has come.  True: it has turned out which never return; some of those
 * are open. */
bool unreturned_follow(struct unreturned *u, const struct log_event *ev,
                       uint64_t event, const char *path,
                       const struct check_settings *s);
bool unreturned_has(const struct unreturned *u, uint64_t event);
void unreturned_free(struct unreturned *u);

#endif
