/*
 * How often a loop goes round, where its code alone tells: θ of the CGVT paper
 * for a loop whose number of iterations is known.
 *
 *     for (int i = 0; i < 4; i++) x = a[i];            4
 *     while (p) p = p->next;                           not known
 *     for (i = 0; i < 4; i++) if (x == i) break;       not known: two ways out
 *
 * Nobody but flow_shape.c includes this.
 */
#ifndef CODE_ROUNDS_H
#define CODE_ROUNDS_H

#include "code/flow_int.h"

struct round_counter;

/* Follows the numbers of a function; `dead` blocks are left out. */
struct round_counter *rounds_of(const struct flow *f,
                                const struct flow_graph *g,
                                const uint8_t *dead);

/* Of the loop that is made of the blocks `in` and entered at its header only.
 * 0: the code does not tell. */
uint32_t rounds_count(struct round_counter *r, const uint8_t *in,
                      uint32_t header);

void rounds_free(struct round_counter *r);

#endif
