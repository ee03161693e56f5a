/*
 * The target: one object as it was built, and how workers run it.  Every
 * question to a worker names one.
 */
#ifndef HUNT_TARGET_H
#define HUNT_TARGET_H

#include "hunt/settings.h"
#include "model/client.h"
#include "model/known.h"
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
  const char *native; /* stress: the object built without hooks */
  bool uses_tls, uses_fenv, uses_clock; /* see struct rt_options */
  const struct part_store *part_stores; /* of the object's code (rt.h) */
  uint32_t npart_stores;
  const struct site *sites;
  uint32_t nsites;
  bool partial;        /* some of the code has no hooks */
  struct lines *lines; /* debug information; NULL on other machines */
  /* Appends "FILE:LINE: " for the place behind `pc`; or NULL. */
  void (*put_place)(struct lines *lines, uint64_t pc, struct buf *out);
  /* which object */
  uint32_t suite; /* ignored when `program` */
  bool program;   /* a whole program with main() */
  /* how it is run */
  bool want_outcomes; /* count the results of the one client */
  /* dpct: steps of each operation, from its structure tree; 0: not known */
  const uint32_t *estimates;
  uint32_t nestimates;
  const struct regions *regions; /* run without interruption; or NULL */
  const uint64_t *fences; /* tso: loads after an empty buffer (rt_fences) */
  uint32_t nfences;
  const struct added_wake *wake; /* or NULL */
  bool trial;                    /* tries a repair: a smaller search will do */
  /* What sets aside the faults that were found before. */
  const struct client *known; /* clients with one of these as a part are left
                                 out */
  uint32_t nknown;
  const struct known_fault *set_aside; /* executions that end so are good */
  uint32_t nset_aside;
  bool brief;        /* so are those that end in doubt; endless ones are cut
                        early */
  const char *apart; /* all that, and the known `regions`, in words; or NULL */
  double latest;     /* clock_now() when explaining a fault must end;
                        0: no limit */
  bool *late;        /* set if `latest` cut something short; or NULL */
  struct parallel_search *parallel; /* of workers on this machine, or NULL */
};

/* Asks a worker a question about the target (worker_run).  The worker ends
 * soon after `latest`. */
enum worker_end target_ask(const struct target *t, struct worker *w,
                           int (*answer)(void *, struct work *),
                           void *question);
/* Notes that `latest` cut an answer short. */
void target_is_late(const struct target *t);

/*
 * A target as it travels to another machine: the settings, the bytes of the
 * object and the estimates, all that a search reads.  Not sent: regions and
 * fences to enforce, the debug information and the parallel search.
 */
int target_write(const struct target *t, struct buf *out, struct error *e);
/* The caller frees it by target_free.  Its objects are files in memory, so
 * nothing is left on disk. */
struct target *target_read(const struct buf *from, struct error *e);
void target_free(struct target *t);

/* The same for a pool_job whose arg is a struct target. */
extern const struct pool_travel target_travel;

#endif
