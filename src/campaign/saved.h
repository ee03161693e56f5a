/* Schedules and histories of faults, saved in a folder.  The next run tries the
 * schedules first. */
#ifndef CAMPAIGN_SAVED_H
#define CAMPAIGN_SAVED_H

#include "campaign/object_run.h"

/* Saves the schedule of the finding and sets schedule_file; for real threads,
 * saves the history and sets history_file.  A file that cannot be written is
 * only a warning on stderr. */
void saved_write(struct built *b, struct object_run *run);

typedef VEC(struct schedule) schedule_list;
/* The schedules saved for an object with the same options, in the order of
 * their file names. */
void saved_read(const struct built *b, const struct suite_info *of,
                schedule_list *out);
void saved_free(schedule_list *list);

#endif
