/* Which lines would have to be atomic, best first. */
#include "report/screen.h"

#include <string.h>

enum { SHOWN = 5 };

static const char *last_part(const char *file) {
  const char *slash = file ? strrchr(file, '/') : NULL;
  return slash ? slash + 1 : file ? file : "?";
}

static void put_block(const struct code_block *k, struct buf *b) {
  if (k->first == k->last)
    buf_printf(b, "line %u", k->first);
  else
    buf_printf(b, "lines %u-%u", k->first, k->last);
  buf_printf(b, " of %s", last_part(k->file));
  if (k->function)
    buf_printf(b, ", in %s()", k->function);
}

static void put_cause(struct screen *s, const struct ranked_cause *c,
                      const struct causes_found *all) {
  struct buf b = {0};
  buf_printf(&b, "%u. ", c->rank);
  for (uint32_t i = 0; i < c->cause.nblocks; i++) {
    buf_puts(&b, i ? "; and " : "");
    put_block(&c->cause.blocks[i], &b);
  }
  if (all->good) {
    buf_puts(&b, ": takes away ");
    story_number(c->eliminates, &b);
    buf_puts(&b, " of the ");
    story_number(all->good, &b);
    buf_puts(&b, " good ones");
  }
  if (c->verified) {
    buf_printf(&b, ". With %s atomic no fault was found in %s",
               c->cause.nblocks > 1 || c->lines > 1 ? "them" : "it",
               c->covered);
  } else if (c->still_bad) {
    buf_printf(&b, ". Not enough: %s still fails", c->still_bad);
    if (c->still_fault != FAULT_NOT_LINEARIZABLE)
      buf_printf(&b, " (%s)", story_fault_words(c->still_fault));
  }
  if (c->waits)
    buf_puts(&b, "; a thread had to wait inside, and others ran meanwhile");
  if (c->fix)
    buf_printf(&b, ". To make %s so, %s", c->lines > 1 ? "them" : "it", c->fix);
  buf_spaces(s->out, 2);
  screen_wrap(s, 2, 5, buf_text(&b));
  buf_free(&b);
}

void screen_causes(struct screen *s, const struct story *story) {
  const struct causes_found *c = &story->result->finding->causes;
  if (!c->len)
    return;
  struct buf b = {0};
  buf_puts(&b, c->complete ? "" : "at least ");
  story_number(c->bad, &b);
  buf_puts(&b, " of ");
  story_number(c->bad + c->good, &b);
  buf_printf(&b,
             " orders of conflicting accesses fail. %s could if one of "
             "these were atomic:",
             c->complete ? "None" : "None of these");
  screen_title(s, "Which lines must be atomic:");
  if (b.at[0] >= 'a' && b.at[0] <= 'z')
    b.at[0] = (char)(b.at[0] - 'a' + 'A');
  buf_spaces(s->out, 2);
  screen_wrap(s, 2, 2, buf_text(&b));
  buf_free(&b);
  for (uint32_t i = 0; i < c->len && i < SHOWN; i++)
    put_cause(s, &c->at[i], c);
}
