/*
 * The target: one object as it was built, and how workers are to run it.  Every
 * question to a worker names one.
 */
#ifndef HUNT_TARGET_H
#define HUNT_TARGET_H

#include "hunt/settings.h"
#include "model/client.h"
#include "model/part_store.h"
#include "model/region.h"
#include "model/site.h"
#include "proc/pool.h"

struct parallel_search;
struct lines;

struct target {
  const struct settings *settings;
  /* what was built */
  const char *so;
  const char *native;                   /* stress: the same without hooks */
  bool uses_tls, uses_fenv, uses_clock; /* see struct rt_options */
  const struct part_store *part_stores; /* of the object's code (rt.h) */
  uint32_t npart_stores;
  const struct site *sites;
  uint32_t nsites;
  bool partial;        /* something escapes the runtime */
  struct lines *lines; /* debug information; NULL on other machines */
  /* which object */
  uint32_t suite; /* ignored when `program` */
  bool program;   /* a whole program with main() */
  /* how it is run */
  bool want_outcomes; /* results of the one client are counted */
  /* dpct: steps of each operation, from its structure tree; 0: not known */
  const uint32_t *estimates;
  uint32_t nestimates;
  const struct regions *regions; /* are run without interruption; or NULL */
  const uint64_t *fences; /* tso: loads that wait for the buffer (rt_fences) */
  uint32_t nfences;
  bool changed; /* its sources are, to see whether that is a repair */
  /* Clients with all operations of one of these are left out: it fails. */
  const struct client *known;
  uint32_t nknown;
  const char *known_ops; /* `bad(), or push() and pop()` */
  double latest;         /* of clock_now(): until then a fault is explained;
                            0: as long as it takes */
  bool *late;            /* set when time has ended some of that, or NULL */
  struct parallel_search *parallel; /* of the pool's workers here, or NULL */
};

/* Whether something that repairs it is tried: less effort is enough. */
static inline bool target_is_repaired(const struct target *t) {
  return t->regions || t->nfences || t->changed;
}

/* Runs a worker with a question about the target (worker_run), but not past
 * `latest`. */
enum worker_end target_ask(const struct target *t, struct worker *w,
                           int (*answer)(void *, struct work *),
                           void *question);
/* Time has ended a part of an answer. */
void target_is_late(const struct target *t);

/*
 * A target as it travels to another machine: the settings, the object's bytes,
 * the estimates, all that a search reads.  What is enforced stays here, as do
 * the debug information and the search that is shared by processes here.
 */
int target_write(const struct target *t, struct buf *out, struct error *e);
/* Is freed by target_free.  Its objects are files in memory, which have no name
 * that somebody would have to remove. */
struct target *target_read(const struct buf *from, struct error *e);
void target_free(struct target *t);

/* The same for a job whose arg is a struct target. */
extern const struct pool_travel target_travel;

#endif
