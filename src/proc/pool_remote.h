/*
 * Slots on other machines.  `mpirun -n 4 faultline-mpi …` starts a relay on
 * each rank (mpi_main.c); a relay starts `faultline`, to which it is connected
 * by a socket that $FAULTLINE_RELAY names.  On rank 0 that is the session,
 * which has one slot for each other rank; there it is a server, which does
 * items in a pool of its own.  Nothing here knows MPI, so that the process
 * into which the user's code is loaded is the same as without it.
 *
 * (R1) the relay brings frames in order, whole, or not at all: mpi_main.c.
 *      Not asserted: MPI has it so.
 * (R2) every frame carries the number of the pool that it is about, so a late
 *      frame of a pool that was closed is recognised.
 * (R3) a rank that is lost stays lost.
 */
#ifndef PROC_POOL_REMOTE_H
#define PROC_POOL_REMOTE_H

#include "base/wire.h"
#include "proc/pool.h"

/*
 * To be called by main().  True when this process was started as a server: it
 * has served with the two functions of `job` until it was told to end, and
 * *status is its exit status.
 */
bool remote_begin(const struct pool_job *job, int *status);
/* The parts of remote_begin, for tests. */
void pool_remote_init(int fd, uint32_t ranks);
int pool_remote_serve(int fd, uint32_t rank, const struct pool_job *job);

/* How many slots other ranks offer, those of lost ones included; 0 without a
 * cluster. */
uint32_t remote_slots(void);

void message_write(const struct pool_message *m, struct buf *out);
bool message_read(struct pool_message *m, struct wire *from);
void message_clear(struct pool_message *m);

/* ---- for pool.c: slots count from 0 here ---- */

struct remote;
/* NULL without a cluster, or when the job does not travel. */
struct remote *remote_open(const struct pool_job *job);
void remote_give(struct remote *r, uint32_t slot, const void *item, size_t len);
bool remote_usable(const struct remote *r, uint32_t slot);
int remote_fd(const struct remote *r);      /* -1 when the relay is gone */
bool remote_writes(const struct remote *r); /* it wants POLLOUT */
/* Sends what can be sent, receives what is there; true when there is news. */
bool remote_news(struct remote *r, struct pool_message *m);
bool remote_over(const struct remote *r); /* the cluster ends */
const char *remote_lost(const struct remote *r);
void remote_close(struct remote *r);
/* In a process that was forked: the relay is its parent's. */
void remote_forget(void);

#endif
