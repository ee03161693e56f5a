/*
 * A log (model/log.h) as a history of the engine (model/history.h): the object
 * under test says which operations there are and what they return, and the log
 * becomes what the threads of a client saw.
 */
#ifndef MODEL_LOG_CLIENT_H
#define MODEL_LOG_CLIENT_H

#include "model/history.h"
#include "model/log.h"

/* The object's operations, by which the log's are known. */
struct history_names {
  struct op_names ops;
  const uint8_t *nargs;
  const uint8_t *kinds; /* enum value_kind of what each returns */
};

/* What was read; times are those of the log. */
struct history_read {
  struct client client;
  struct history history;
  char *object; /* its name in the log, or NULL */
};

/* ERR_INPUT has source, line and reason; `out` is empty then. */
int log_to_history(struct history_read *out, const struct log *l,
                   const struct history_names *names, struct error *e);
void history_read_free(struct history_read *h);

#endif
