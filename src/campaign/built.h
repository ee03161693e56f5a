/*
 * A built object: the sources compiled, its debug information, the accesses
 * that escape the hooks, its operations.  The process that holds it never loads
 * the object.
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
  VEC(char *) warnings; /* sentences; the caller prints them */
  struct worker describer;
  struct description *about;        /* the answer of `describer` */
  bool interrupted;                 /* by the user: begin nothing more */
  bool notes_reached;               /* which code is reached … */
  struct rt_reached reached_before; /* … and of the object around this one */
  struct arena arena;               /* for texts of results */
};

/* The folder of faultline.h. */
const char *built_include(void);
/* Sets compiler, flags, sources and the folder of faultline.h. */
void built_compiler(const struct settings *s, struct build *b);
/* Builds, inspects, checks the harness against the debug information. */
int built_open(struct built *b, const struct settings *set, struct error *e);
void built_close(struct built *b);

/* Adds a warning, unless it is there already; takes `text`. */
void built_warn(struct built *b, char *text);

/* The settings of one object: its harness may choose the memory model.  `of` is
 * NULL for a whole program. */
void built_settings(const struct settings *all, const struct suite_info *of,
                    struct settings *out);
/* Does some of the code have no hooks? */
bool built_partial(const struct built *b);
/* Appends "FILE:LINE: " for the place behind `pc`, if it is known. */
void built_put_place(struct lines *lines, uint64_t pc, struct buf *out);
/* The target for the first object. */
void built_target(const struct built *b, struct target *t);
/* D-PCT: estimates the steps of each operation of an object from its structure
 * tree; *out lives in b->arena. */
int built_estimate(struct built *b, uint32_t suite, uint32_t **out,
                   struct error *e);

/* The error of a worker that ended without a result; ERR_NONE: it has one. */
int built_worker_trouble(const struct worker *w, enum worker_end end,
                         struct error *e);

#endif
