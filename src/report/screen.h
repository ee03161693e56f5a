/*
 * A screen is where the terminal report is written: a buffer with a width, and
 * colours that can be off.
 *
 * (W1) every text that is put is cleaned first (cell.h), so no byte of the
 *      user's code reaches the terminal as a control character.
 */
#ifndef REPORT_SCREEN_H
#define REPORT_SCREEN_H

#include "report/report.h"

enum ink { INK_PLAIN, INK_BOLD, INK_ERROR, INK_NOTE, INK_CARET, INK_THREAD };

struct screen {
  struct buf *out;
  struct text_style style;
};

/* How many lines a text has. */
uint32_t screen_lines(const struct buf *b);

/* With the width that the style means. */
struct screen screen_open(const struct text_style *style, struct buf *out);

/* The colour of thread t is INK_THREAD + t. */
void screen_put(struct screen *s, unsigned ink, const char *text);

/* How many columns screen_put would take. */
size_t screen_width(const struct screen *s, const char *text);

/* The same, shortened to `width` columns and padded to them when `pad`. */
void screen_put_fit(struct screen *s, unsigned ink, const char *text,
                    size_t width, bool pad);

/*
 * Puts words, broken into lines at spaces and ended by a newline.  `used`
 * columns of the first line are taken; later lines begin with `hang` spaces.
 */
void screen_wrap(struct screen *s, size_t used, size_t hang, const char *text);

/* The same on new lines, the first of which begins with `indent` spaces. */
void screen_paragraph(struct screen *s, size_t indent, size_t hang,
                      const char *text);

/* Puts clean text from column `used` on and ends the line; what does not fit
 * goes on in new lines from column `hang` on, in the middle of a word if it
 * must.  Nothing is left out. */
void screen_put_broken(struct screen *s, unsigned ink, const char *clean,
                       size_t used, size_t hang);

/* `Label: text`, with the label in bold, after an empty line. */
void screen_label(struct screen *s, const char *label, const char *text);

/* `Title:` on a line of its own, after an empty line. */
void screen_title(struct screen *s, const char *title);

/* The source lines of a place (and of `until`, unless NULL) with carets under
 * their columns; nothing when the file cannot be read. */
void screen_source(struct screen *s, const struct place *p,
                   const struct place *until);

/* The table of outcomes (text_outcomes.c). */
void screen_outcomes(struct screen *s, const struct story *story);
/* Which lines would have to be atomic, and why these (text_causes.c). */
void screen_causes(struct screen *s, const struct story *story);
void screen_nearest(struct screen *s, const struct story *story);
/* The blocks of a cause, in words. */
void screen_put_blocks(const struct cause *c, struct buf *b);
/* Where fences are missing (text_fences.c). */
void screen_fences(struct screen *s, const struct story *story);
/* What came of --patch (text_patch.c). */
void screen_patch(struct screen *s, const struct story *story);

/* The answer (text.c); not all notes: only what the interleaving does not
 * show. */
void screen_answer(struct screen *s, const struct story *story, bool all_notes);

/* How many lines the interleaving has when only libraries are folded. */
uint32_t screen_row_lines(const struct story *story);
/* The interleaving (text_rows.c), folded to `most` lines; 0: all rows. */
void screen_rows(struct screen *s, const struct story *story, uint32_t most);
/* The client (text_client.c): `Smallest failing client`; is it one of real
 * threads, of which only the beginning is shown? */
const char *screen_client_title(const struct finding *f);
bool screen_has_long_client(const struct finding *f);
/* What each call returned. */
void screen_results(struct screen *s, const struct story *story);
void screen_long_client(struct screen *s, const struct story *story);

/* The sections of a finding: all (text_whole.c), and on one screen
 * (text_brief.c). */
void screen_whole(struct screen *s, const struct story *story);
void screen_brief(struct screen *s, const struct story *story);

#endif
