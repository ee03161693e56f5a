/*
 * What was built: sources compiled into an object, and what is known about it:
 * debug information, what escapes the hooks, its operations.  The process that
 * has it never loads the object.
 */
#ifndef CAMPAIGN_BUILT_H
#define CAMPAIGN_BUILT_H

#include "build/compile.h"
#include "build/probe.h"
#include "debug/lines.h"
#include "hunt/describe.h"
#include "hunt/hunt.h"

struct built {
  const struct settings *settings;
  struct build build;
  char *dir, *so;
  char *native; /* --search=stress: the object without hooks; or NULL */
  char hash[17];
  struct lines *lines;
  struct probe probe;
  VEC(char *) warnings; /* sentences, for whoever prints them */
  struct worker describer;
  struct description *about; /* what the describer answered */
  bool interrupted;          /* by the user: nothing more is begun */
  struct arena arena;        /* of texts that are added to results */
};

/* The folder of faultline.h. */
const char *built_include(void);
/* How sources are compiled: the compiler, its flags, the harness's header. */
void built_compiler(const struct settings *s, struct build *b);
/* Builds, inspects, checks the harness against the debug information. */
int built_open(struct built *b, const struct settings *set, struct error *e);
void built_close(struct built *b);

/* Keeps a sentence, which it takes. */
void built_warn(struct built *b, char *text);

/* The settings with which an object is run: its harness may have a say.  NULL:
 * a whole program. */
void built_settings(const struct settings *all, const struct suite_info *of,
                    struct settings *out);
/* Does something escape the runtime? */
bool built_partial(const struct built *b);
/* The first object of it, as workers run it. */
void built_target(const struct built *b, struct target *t);
/* Steps of each operation of an object, in the memory of `b` (estimates of
 * dpct, from structure trees). */
int built_estimate(struct built *b, uint32_t suite, uint32_t **out,
                   struct error *e);

/* What a worker's end means when it did not bring a result. */
int built_worker_trouble(const struct worker *w, enum worker_end end,
                         struct error *e);

#endif
