/* Orders as they travel to other machines. */
#ifndef CLI_ORDER_H
#define CLI_ORDER_H

#include "cli/hunt.h"
#include "proc/pool.h"

/*
 * All that the worker's side reads of an order: the settings, the objects'
 * bytes, the estimates.  Saved schedules and conclusions stay with the session,
 * as does the gang, which is shared memory.
 */
int order_write(const struct hunt_order *o, struct buf *out, struct error *e);
/* The order is freed by order_free.  Its objects are files in memory, which
 * have no name that somebody would have to remove. */
struct hunt_order *order_read(const struct buf *from, struct error *e);
void order_free(struct hunt_order *o);

/* The same for a job whose arg is a struct hunt_order. */
extern const struct pool_travel order_travel;

#endif
