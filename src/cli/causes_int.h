/* Between the files that look for causes; nobody else includes this. */
#ifndef CLI_CAUSES_INT_H
#define CLI_CAUSES_INT_H

#include "cli/hunt_int.h"

#include "locate/rank.h"
#include "locate/section.h"

/* One class of traces; equal orders of conflicts are one. */
struct located {
  struct conflicts conflicts;
  struct section_trace section;
  bool bad;
  struct arena arena; /* of the trace, when it is kept */
  struct trace trace;
};

struct collected {
  path path;
  bool bad;
};

struct collector {
  struct judge judge;
  struct live_path live;
  VEC(struct collected) paths;
  VEC(struct located *) traces; /* section_trace points into its neighbour */
  struct map128 known;
  struct scopes *scopes;
  uint32_t kept[2]; /* traces, good and bad */
};

/* How the blocks of a cause could be made atomic, in words; in the arena, or
 * NULL (realisation.c). */
char *realisation(const struct collector *c, const struct cause *cause,
                  struct arena *a);

#endif
