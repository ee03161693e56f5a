/*
 * Frames: messages over a stream socket, each with a tag of numbers.  The other
 * side may be a process that runs the user's code, so every length that comes
 * from it is bounded.
 *
 * (M1) of a frame in the making, at most the head and its `len` bytes of body
 *      are read: the next frame stays in the socket.
 */
#ifndef PROC_FRAME_H
#define PROC_FRAME_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct frame_tag {
  uint32_t kind, slot, serial; /* the two sides agree on what these mean */
};

struct frame_head {
  uint32_t magic;
  struct frame_tag tag;
  uint64_t len;
};

/* The part of one frame that was received so far. */
struct frame_in {
  struct frame_head head;
  size_t have; /* of the head */
  struct buf body;
  uint64_t most; /* bytes that a body may have; 0: as many as MPI can send */
};

enum frame_state {
  FRAME_PART,    /* there is more to come */
  FRAME_WHOLE,   /* head and body are there; frame_next begins another */
  FRAME_CLOSED,  /* the other side is gone */
  FRAME_GARBLED, /* the bytes are no frame */
};

/* A function that makes system calls, like syscall(2).  In a process where the
 * user's code must not use the socket, our calls pass another way than the C
 * library's. */
typedef long frame_call(long number, long a, long b, long c, long d, long e);
void frame_calls_by(frame_call *call);

/* Reads without waiting, and nothing of the next frame (M1). */
enum frame_state frame_read(struct frame_in *in, int fd);
void frame_next(struct frame_in *in);
void frame_in_free(struct frame_in *in);

/* Adds a frame to the bytes to be sent. */
void frame_put(struct buf *out, struct frame_tag tag, const void *body,
               size_t len);

/* Bytes to be sent; the first `sent` of them were. */
struct frame_out {
  struct buf bytes;
  size_t sent;
};
/* Sends as much as it can without waiting; false: the other side is gone. */
bool frame_flush(struct frame_out *out, int fd);
bool frame_pending(const struct frame_out *out);
void frame_out_free(struct frame_out *out);

/* The same, waiting until it is done; false: the other side is gone. */
bool frame_send(int fd, struct frame_tag tag, const void *body, size_t len);
bool frame_receive(struct frame_in *in, int fd);
/* Until something comes, or a signal. */
void frame_wait(int fd);

#endif
