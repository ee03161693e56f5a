/* What a campaign has done so far, and the sentence that says so. */
#ifndef CAMPAIGN_COVERAGE_H
#define CAMPAIGN_COVERAGE_H

#include "base/map128.h"
#include "hunt/settings.h"
#include "model/result.h"
#include "search/explore.h"

struct totals {
  struct statistics statistics;
  uint64_t exhaustive, sampled; /* clients */
  uint64_t swept;               /* clients of the generator */
  uint64_t sequences;           /* of calls by one thread */
  uint64_t minimizing;          /* executions, see struct hunt_report */
  uint64_t undecided, faults;
  uint64_t endless;     /* clients of which no execution came to its end */
  uint64_t beyond;      /* random clients that were exhausted */
  uint32_t calls, init; /* of the present client: in threads, initial ones */
  uint32_t full_calls;  /* every client with up to so many calls in threads,
                           and all that limits allow before, was exhausted */
  bool all_full;        /* every client so far */
  bool all;             /* the generator has no more */
  bool found;
  bool touched;      /* accesses were seen */
  bool left_out;     /* an execution was, see rt_left_out … */
  bool all_left_out; /* … and every one of some client */
  const char *apart; /* of struct target */
  struct chance chance;
  /* of the one client */
  enum explore_end end;
  bool program;
  uint64_t interleavings, circles;
  struct map128 histories;
};

/* Of all clients. */
void coverage_of_clients(const struct totals *t, const struct settings *set,
                         double deadline, struct coverage *out);
/* Of the one client, or the program; *limit_ended: the verdict is open. */
void coverage_of_one(const struct totals *t, const struct settings *set,
                     struct coverage *out, bool *limit_ended);

#endif
