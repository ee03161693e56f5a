/* The graph of an execution under C11, inside writes.c and writes_sc.c. */
#ifndef RT_WRITES_INT_H
#define RT_WRITES_INT_H

#include "rt/writes.h"

enum {
  C11_THREADS = RT_BUFFERS,
  C11_EVENTS = 4096,
  C11_WRITES = 4096,
  C11_LOCATIONS = 512,
  C11_OBJECTS = 128,
  C11_SC = 256,
  C11_CHOICES = 32,
  C11_TOUCHES = 8192,
  C11_NONE = UINT16_MAX,
};

enum c11_kind {
  C11_READ = 1,
  C11_WRITE = 2,
  C11_RMW = C11_READ | C11_WRITE,
  C11_FENCE = 4,
  C11_SYNC = 5,  /* on a synchronization object */
  C11_PLAIN = 6, /* plain accesses, any number of them */
};

struct c11_view {
  uint16_t seen[C11_THREADS]; /* so many events of each thread */
  uint64_t calls;             /* mask of the first 64 calls: those returned */
};

struct c11_event {
  uint8_t thread, kind, order;
  uint8_t failed;  /* a compare-and-swap that did not write */
  uint16_t seq;    /* of its thread, from 1 */
  uint16_t at;     /* location, or C11_NONE */
  uint16_t before; /* the event before it at the location, or C11_NONE */
  uint16_t from;   /* read: the write that it reads */
  uint16_t write;  /* write: itself */
  uint16_t sc;     /* its number among the SC events, or C11_NONE */
  uint16_t object; /* sync: the object, or C11_NONE … */
  uint16_t nth;    /* … and how many events on it came before */
  uint16_t seen[C11_THREADS]; /* what happens before it, and itself */
  uint64_t addr, size;        /* plain: where; size 0: in several places */
};

struct c11_write {
  uint16_t event; /* or C11_NONE: the initial one */
  uint16_t next;  /* in mo, or C11_NONE */
  uint32_t place; /* in mo: 0, 1, … */
  uint8_t glued;  /* to the one before (V2) */
  uint64_t value[2];
  struct c11_view carried;
};

struct c11_location {
  uint64_t addr;
  uint32_t size;
  uint16_t first, last; /* writes in mo */
  uint16_t events;      /* the last event there, or C11_NONE */
  uint8_t dead;         /* freed, or accessed in another size since */
  uint8_t whose;  /* … by this thread: who comes later must be behind … */
  uint16_t since; /* … this event of it; 0: all are */
};

struct c11_object {
  uint64_t addr;
  uint32_t events;
  struct c11_view view;
};

struct c11_thread {
  struct c11_view now;     /* what happens before its next event */
  struct c11_view pending; /* what an acquire fence would add */
  struct c11_view fenced;  /* at its last release fence */
  uint16_t seq;
  uint16_t progress; /* how often it read another write than before */
  /* Locations of a futile round: one of them is to be read anew. */
  uint8_t must;
  uint16_t round[SPIN_MAX];
};

/* A plain access, the thread's last one of this kind to these bytes. */
struct c11_touch {
  uint64_t addr, size;
  uint16_t seq; /* of the thread's C11_PLAIN event */
  uint8_t thread, writes;
};

struct c11_graph {
  uint32_t nevents, nwrites, nlocations, nobjects, nsc, ntouches;
  struct c11_event event[C11_EVENTS];
  struct c11_write write[C11_WRITES];
  struct c11_location location[C11_LOCATIONS];
  struct c11_object object[C11_OBJECTS];
  struct c11_thread thread[C11_THREADS];
  struct c11_touch touch[C11_TOUCHES];
  uint16_t sc[C11_SC];                /* their events */
  uint64_t edge[C11_SC][C11_SC / 64]; /* psc, by number of the SC event */
};

extern struct c11_graph fl__c11 FL_HIDDEN;
#define G fl__c11

/* An event that may come next.  Places are doubled, so that there is one
 * between two writes. */
struct c11_candidate {
  int thread;
  uint8_t kind, order;
  uint16_t at;
  uint32_t reads, writes;     /* doubled places */
  const uint16_t *before;     /* what its thread has seen so far … */
  uint16_t seen[C11_THREADS]; /* … and with what it reads, without itself */
};

/* Is psc without a circle when this comes? */
bool fl__c11_sc_allows(const struct c11_candidate *c) FL_HIDDEN;
/* It comes, as the next event: its number among the SC events, C11_NONE when it
 * is none, or -1: no room. */
int fl__c11_sc_add(const struct c11_candidate *c) FL_HIDDEN;

static inline bool c11_hb(const struct c11_event *a, const uint16_t *seen) {
  return seen[a->thread] >= a->seq;
}

#endif
