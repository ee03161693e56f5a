/* Schedules and histories of faults, kept in a folder and tried first by the
 * next run. */
#ifndef CAMPAIGN_SAVED_H
#define CAMPAIGN_SAVED_H

#include "campaign/object_run.h"

/* Writes the finding's schedule and sets schedule_file; of real threads its
 * history, and sets history_file.
 * Trouble is a warning on stderr: the report is what matters. */
void saved_write(struct built *b, struct object_run *run);

/* The schedules saved for an object, oldest name first. */
typedef VEC(struct schedule) schedule_list;
void saved_read(const struct built *b, const struct suite_info *of,
                schedule_list *out);
void saved_free(schedule_list *list);

#endif
