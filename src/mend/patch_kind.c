/* What a kind of fault asks for, as a change of the sources. */
#include "mend/patch_int.h"
#include "source/waiting.h"

#include <string.h>

struct kind_spot {
  struct patch_source *source;
  struct wait_line at;
  uint32_t last;
};

/* The text of a spot; false: it is not known, or nobody may change it. */
static bool find(struct patch_sources *p, const struct code_block *b,
                 struct kind_spot *out) {
  struct patch_source *s = b->first ? patch_source_of(p, b->file) : NULL;
  const struct cfunction *f =
      s && b->function ? ctext_function(&s->c, b->function, b->first) : NULL;
  if (!f || f->broken || s->cxx ||
      ctext_hides_jumps(&s->c, f, buf_text(&s->expanded), s->path))
    return false;
  *out = (struct kind_spot){s, {&s->c, f, b->first}, b->last};
  return true;
}

static bool couple(struct patch_sources *p, const struct kind_found *k,
                   struct buf *what) {
  struct kind_spot gap;
  struct cregion r;
  const char *why;
  return find(p, &k->spots[SPOT_GAP], &gap) &&
         cregion_of_lines(gap.at.c, gap.at.f, gap.at.line, gap.last, &r,
                          &why) &&
         critical_couple(gap.at.c, &r, &gap.source->edits, what, &why);
}

static bool wake(struct patch_sources *p, const struct kind_found *k,
                 uint32_t which, struct buf *what) {
  struct kind_spot wait, change, signal;
  if (k->spots[SPOT_SIGNAL].first)
    return !which && find(p, &k->spots[SPOT_SIGNAL], &signal) &&
           waiting_wake_all(&signal.at, &signal.source->edits, what);
  if (!find(p, &k->spots[SPOT_WAIT], &wait) ||
      !find(p, &k->spots[SPOT_CHANGE], &change))
    return false;
  struct edits *e = &change.source->edits;
  if (k->marks[LOST_SIGNAL] != KIND_NO_EVENT)
    return !which && waiting_guard(&wait.at, &change.at, change.last, e, what);
  return waiting_wake(&wait.at, &change.at, which == 1, e, what);
}

bool patch_kind_edit(struct patch_sources *p, const struct kind_found *k,
                     uint32_t which, struct buf *what) {
  struct kind_spot wait;
  if (which >= PATCH_KIND_WAYS || (which && k->kind != KIND_LOST_WAKEUP))
    return false;
  switch (k->kind) {
  case KIND_COUPLING:
    return couple(p, k, what);
  case KIND_IF_FOR_WHILE:
    return find(p, &k->spots[SPOT_WAIT], &wait) &&
           waiting_loop(&wait.at, &wait.source->edits, what);
  case KIND_LOST_WAKEUP:
    return wake(p, k, which, what);
  case KIND_SHARED_LOCK:
    return find(p, &k->spots[SPOT_LOCK], &wait) &&
           waiting_exclude(&wait.at, &wait.source->edits, what);
  default:
    return false;
  }
}
