/* Between the files that make patches; nobody else includes this. */
#ifndef MEND_PATCH_INT_H
#define MEND_PATCH_INT_H

#include "mend/patch.h"
#include "mend/places.h"
#include "source/critical.h"

#include <sys/stat.h>

/* One source of the user's. */
struct patch_source {
  const char *path;
  bool cxx; /* C++: only PATCH_EXACT changes it, whose lock outlives throws */
  struct stat file;
  struct buf text, expanded;
  struct ctext c;
  struct edits edits;
  VEC(struct cregion) regions; /* that the new mutex is locked around */
};

struct patch_sources {
  VEC(struct patch_source) list;
  char *mutex; /* a name that none of them has */
};

/* False: e says which cannot be read. */
bool patch_sources_open(struct patch_sources *p, const struct built *b,
                        const char *object, struct error *e);
void patch_sources_close(struct patch_sources *p);
void patch_source_clear(struct patch_source *s); /* no edits, no regions */
/* Declares the new mutex, which `users` of them use; defines it for the first
 * one.  False: there is no place for it. */
bool patch_source_declare(const struct patch_sources *p, struct patch_source *s,
                          uint32_t users, bool first_user);
/* The same for a lock that follows lines. */
bool patch_source_declare_lines(const struct patch_sources *p,
                                struct patch_source *s, uint32_t users,
                                bool first_user);
/* The source that a file is, or NULL. */
struct patch_source *patch_source_of(struct patch_sources *p, const char *file);
/* Says that a function which is changed has an #if: "; for these …". */
void patch_sources_condition(const struct patch_sources *p, struct buf *what);

/* Ways to make lines atomic, the gentlest first. */
enum patch_form {
  PATCH_KIND,   /* what the kind of fault asks for (patch_kind.c) */
  PATCH_WIDEN_ALONE, /* critical sections that are there hold what meets them */
  PATCH_WIDEN,  /* a critical section that is there holds them all */
  PATCH_BORROW, /* the lock that other code holds where it uses their data */
  PATCH_WRAP,   /* a new mutex around them, and wherever their data is used */
  PATCH_FEW,    /* … as far as clients that failed show it */
  PATCH_LOOP,   /* the same, around the loop that they are in */
  PATCH_BODY,   /* a new mutex around the operations that use the data */
  PATCH_FORMS,  /* which are tried one after the other */
  /* A lock that follows the printed lines (source/line_locks.h), and every
   * other place where their data is used: to check what a report says. */
  PATCH_EXACT = PATCH_FORMS, /* by statements, or by critical sections */
  PATCH_INSTRUCTION,         /* one atomic instruction (source/instruction.h) */
};

struct patch_plan {
  enum patch_form form;
  uint32_t which; /* of the locks that are there, or the instructions */
  struct cause cause;
  const struct kind_found *kind;
  const struct places *places;
};

/*
 * Changes the sources: their edits.  `what` gets words about what is done.
 * False: it cannot be done this way, and `why` says why, or is empty when there
 * is nothing to be said.
 */
bool patch_sources_edit(struct patch_sources *p, const struct patch_plan *plan,
                        struct buf *what, struct buf *why);

/* Whether a block of the cause is under a lock already, be it home-made. */
bool patch_is_guarded(struct patch_sources *p, struct cause c);

/* PATCH_EXACT, for patch_sources_edit, which has cleared the edits. */
bool patch_sources_follow(struct patch_sources *p,
                          const struct patch_plan *plan, struct buf *what,
                          struct buf *why);

/* PATCH_KIND, for patch_sources_edit; false: there is no such change. */
enum { PATCH_KIND_WAYS = 2 };
bool patch_kind_edit(struct patch_sources *p, const struct kind_found *k,
                     uint32_t which, struct buf *what);

/* What is known while a patch is made. */
struct patch_maker {
  struct built *b;
  struct object_run *r;
  const struct target *target;
  struct patch_file *file;
  struct patch *out;
  struct patch_sources sources;
  struct cause cause;
  VEC(char *) clients; /* of which the places are known */
  struct worker finder;
  struct places places;
  struct buf what, why;
  struct buf tried;         /* all changes so far, one text behind the other */
  failing_clients *failing; /* gets those of all copies */
  uint32_t searches;
  char *refused; /* why no change could be made */
  char *failed;  /* what the last search found */
  bool interrupted;
  bool late; /* target->latest */
};

/* Where else the data of the cause is used, as `clients` show it. */
bool patch_find_places(struct patch_maker *m);
void patch_maker_free(struct patch_maker *m);

/*
 * Compiles and searches the changed sources (patch_search.c): whether no fault
 * is found, and out->covered says in what.  Else `failed` says what is, and
 * *more that `clients` has a new one, which may show more places.
 */
bool patch_search(struct patch_maker *m, bool *more);

#endif
