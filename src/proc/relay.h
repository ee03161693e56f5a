/*
 * The protocol between a relay (mpi_main.c) and the `faultline` that it started
 * (pool_remote.h): frames, whose tag is the kind, the rank that they go to or
 * come from, and the number of the pool that they are about.
 */
#ifndef PROC_RELAY_H
#define PROC_RELAY_H

#include "proc/frame.h"

enum relay_frame {
  /* to a server */
  RELAY_OPEN = 1, /* a pool, with the order */
  RELAY_ITEM,
  RELAY_CLOSE,
  /* to the session */
  RELAY_NEWS, /* a struct pool_message */
  /* from the relay to the session */
  RELAY_LOST, /* the rank is gone; the body is the name of its machine */
  RELAY_OVER, /* all ranks are about to end */
};

#define RELAY_ENV "FAULTLINE_RELAY" /* socket, rank, number of ranks */

#endif
