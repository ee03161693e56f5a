/*
 * Code that only decides how long a thread waits: the loop of pauses in which a
 * lock backs off, and the counter that doubles in each round.  To the search
 * all waits are alike, but each value of the counter would make another state.
 *
 *     for (;; n = n * 8 + 7) {        the loop of pauses runs once, and n is
 *       if (!exchange(&lock, 1))      never computed
 *         break;
 *       for (i = n; i; i--)
 *         pause();
 *     }
 *
 * What is found is dead code, as long as pauses, yields and calls of
 * FL_BACKOFF functions count for nothing: instructions of which nothing
 * depends that a thread stores, calls, returns or decides.  A loop is left out
 * only if it pauses or yields, and a counter ends it.  Values on the stack are
 * not followed: at -O0 nothing is found.
 *
 * (A) an object has the same outcomes without this code.
 *                                               tests/agree/delays.c
 */
#ifndef CODE_DELAYS_H
#define CODE_DELAYS_H

#include "code/code.h"
#include "model/site.h"

struct delay_search;

/* `backoffs`: entries of the FL_BACKOFF functions, sorted or not; with `clock`
 * the length of a sleep matters.  `l` must live as long. */
struct delay_search *delays_new(const uint64_t *backoffs, uint32_t n,
                                bool clock, struct lines *l);
void delays_free(struct delay_search *s);

/* Called for each instruction of a function, in order … */
void delays_visit(struct delay_search *s, const struct code_insn *i);
/* … and at its end: adds the instructions to leave out, by SITE_DEAD and
 * SITE_GOTO, in order of addresses. */
void delays_end(struct delay_search *s, site_list *out);

#endif
