/*
 * A read and a write of one variable as one atomic instruction: changes of the
 * text of a function that do to some of its lines what their author might.
 * Whether one repairs anything is for a search to say.
 *
 *     int x = a[i];               int x = atomic_exchange(&a[i], 0);
 *     a[i] = 0;            is
 *
 *     m = load(&map);             m = fetch_and(&map, ~bit);
 *     store(&map, m & ~bit);  is
 *
 *     m = load(&map);             again:; m = load(&map);
 *     m2 = f(m);           is     m2 = f(m);
 *     store(&map, m2);            if (!cas(&map, &m, m2)) goto again;
 *
 *     fetch_sub(&n, 1);           if (fetch_sub(&n, 1) - 1 == 0)
 *     if (load(&n) == 0)   is
 *
 *     int n; n++;          is     int _Atomic n; n++;
 *
 * A variable is known by the tokens that name it, `s->items[i]`.
 */
#ifndef SOURCE_INSTRUCTION_H
#define SOURCE_INSTRUCTION_H

#include "source/ctext.h"
#include "source/edit.h"

/* The ways to do it, counted by `which` from 0; `what` gets words about the
 * change.  False: there are no more. */
bool instruction_edit(const struct ctext *c, const struct cfunction *f,
                      uint32_t first, uint32_t last, uint32_t which,
                      struct edits *e, struct buf *what);

/* Whether the lines lie between two atomic writes of one other variable in
 * their function, as those of a home-made lock: then it is the lock that must
 * be mended. */
bool instruction_is_guarded(const struct ctext *c, const struct cfunction *f,
                            uint32_t first, uint32_t last);

#endif
