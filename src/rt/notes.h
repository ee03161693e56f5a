/*
 * What searches are told of each step while they ask for it (notes.c): the log
 * (rt_log), the trail (rt_trail) and the folds (rt_folds).
 *
 * The callers test E.log, E.trail or E.folds before they call.
 */
#ifndef RT_NOTES_H
#define RT_NOTES_H

#include "rt/fiber.h"

struct store;

enum { NOT_LOGGED = UINT32_MAX };

void fl__note(const struct rt_logged *what) FL_HIDDEN;
/* Something that happened in the last step. */
void fl__note_edge(uint8_t flags) FL_HIDDEN;
/* A step begins: returns where its note is, for the two functions below, or
 * NOT_LOGGED. */
uint32_t fl__note_step(int t, bool transit, bool issues) FL_HIDDEN;
void fl__note_choice(uint32_t at) FL_HIDDEN;
/* Before the step, so many calls had returned, and its stack ended at sp; 0: it
 * does not matter. */
void fl__complete_note(uint32_t at, const struct fiber_state *f,
                       uint32_t returned, uint64_t sp) FL_HIDDEN;
/* The oldest store of t's buffer is about to be committed. */
void fl__note_commit(int t, const struct store *s) FL_HIDDEN;

void fl__leave_trail(int t, uint8_t flag) FL_HIDDEN;
/* The pending access of t, which will be made without being a step. */
void fl__note_fold(int t) FL_HIDDEN;

#endif
