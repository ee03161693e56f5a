/*
 * Channels: what the engine keeps for pipes, eventfd counters, socket pairs and
 * epoll sets.  They lie at fixed addresses, so that an address says which
 * channel it is; a pair of sockets is two channels, one for each direction.
 */
#ifndef MODEL_CHANNEL_H
#define MODEL_CHANNEL_H

#include <stdint.h>

/* name, word in reports */
#define CHANNEL_KINDS(_)                                                       \
  _(PIPE, "pipe")                                                              \
  _(EVENTFD, "eventfd")                                                        \
  _(SOCKET, "socket")                                                          \
  _(EPOLL, "epoll")

enum channel_kind {
#define CHANNEL_ENUM(name, word) CHANNEL_##name,
  CHANNEL_KINDS(CHANNEL_ENUM)
#undef CHANNEL_ENUM
      CHANNEL_KIND_COUNT
};

enum {
  CHANNELS_EACH = 32, /* of each kind */
  CHANNELS = CHANNEL_KIND_COUNT * CHANNELS_EACH,
};
#define CHANNEL_BASE 0x217800000000ull
#define CHANNEL_SIZE (UINT64_C(128) << 10)
#define CHANNEL_SPAN (CHANNEL_SIZE * CHANNELS)

/* No memory: stands for the table of descriptors, which lies before them. */
#define CHANNEL_TABLE (CHANNEL_BASE - 4096)
#define CHANNEL_TABLE_SPAN (CHANNEL_SPAN + 4096)

/* Numbers: those of a kind follow each other. */
static inline uint32_t channel_at(uint64_t addr) {
  return (uint32_t)((addr - CHANNEL_BASE) / CHANNEL_SIZE);
}

#endif
