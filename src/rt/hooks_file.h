/* What the functions on descriptors share (hooks_file.c, hooks_poll.c). */
#ifndef RT_HOOKS_FILE_H
#define RT_HOOKS_FILE_H

#include "rt/channel.h"
#include "rt/hooks.h"

/* Sets errno; -1. */
int fl__file_fails(int err) FL_HIDDEN;

/* A step on the table of descriptors, or on all that it leads to. */
void fl__table_point(enum event_kind kind, uint64_t pc) FL_HIDDEN;
void fl__all_point(enum event_kind kind, uint64_t pc) FL_HIDDEN;

/*
 * A step on the channel of a descriptor: the one that it reads from, or writes
 * to.  NULL: it has none, or there is no such descriptor.
 */
struct channel *fl__channel_point(enum event_kind kind, int fd, bool out,
                                  uint64_t pc) FL_HIDDEN;

/* The step that was made has only looked: an attempt failed. */
void fl__only_looked(const struct channel *c) FL_HIDDEN;

/* Sleeps in a call on a file, which stays open, until can(); `function` is for
 * the report. */
void fl__file_sleep(enum event_kind kind, int file, struct channel *c,
                    uint64_t other, const char *function, uint64_t pc,
                    bool (*can)(struct fiber_state *f)) FL_HIDDEN;

/* Ends a thread's stay in a call: it lets go of the file. */
void fl__file_leave(int file, uint64_t pc) FL_HIDDEN;

/* Would `function` wait for something from outside?  Then it is refused. */
void fl__refuse_to_wait(const char *function, int fd, short events,
                        uint64_t pc) FL_HIDDEN;

#endif
