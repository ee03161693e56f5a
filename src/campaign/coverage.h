/* The totals of a campaign, and the sentence of the report about them. */
#ifndef CAMPAIGN_COVERAGE_H
#define CAMPAIGN_COVERAGE_H

#include "base/map128.h"
#include "code/unreached.h"
#include "hunt/settings.h"
#include "model/result.h"
#include "search/explore.h"

struct totals {
  struct statistics statistics;
  uint64_t exhaustive; /* clients of the sweep, searched completely */
  uint64_t sampled;    /* clients not searched completely */
  uint64_t swept;      /* clients of the sweep */
  uint64_t sequences;  /* sequences of calls by one thread */
  bool still;          /* no call writes what others can see */
  uint64_t minimizing; /* executions, see struct hunt_report */
  uint64_t undecided, faults;
  uint64_t endless;     /* clients without a complete execution */
  uint64_t beyond;      /* clients beyond the sweep, searched completely */
  uint32_t calls, init; /* concurrent and initial, of the current client */
  uint32_t full_calls;  /* every client with up to so many concurrent calls
                           was searched completely */
  bool all_full;        /* so was every client so far */
  bool all;             /* the generator has no more clients */
  bool found;
  bool touched;      /* the engine saw accesses */
  bool left_out;     /* the engine left out executions (rt_left_out) … */
  bool all_left_out; /* … all those of some client */
  const char *apart; /* target->apart */
  struct chance chance;
  /* of the one client */
  enum explore_end end;
  bool program;
  uint64_t interleavings, circles;
  struct map128 histories;
  uint64_t progress; /* clients for which FL_PROGRESS was decided */
};

/* Coverage of the clients of an object. */
void coverage_of_clients(const struct totals *t, const struct settings *set,
                         double deadline, struct coverage *out);
/* Adds to the sentence that these functions never ran, and how many lines. */
void coverage_add_unreached(struct coverage *c, const unreached_list *list,
                            const reached_line_list *lines);
/* Adds that no call writes what others can see. */
void coverage_add_still(struct coverage *c);
/* Adds for how many clients FL_PROGRESS was decided. */
void coverage_add_progress(struct coverage *c, uint64_t clients);
/* Adds that no result could be wrong. */
void coverage_add_unjudged(struct coverage *c);
/* Coverage of the one client or of the program; *limit_ended: the search is not
 * complete, so a pass is unknown. */
void coverage_of_one(const struct totals *t, const struct settings *set,
                     struct coverage *out, bool *limit_ended);

#endif
