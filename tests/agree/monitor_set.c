/*
 * The monitors of sets and multisets, one key of them, against search.
 */
#include "monitor_logs.h"

enum { ROUNDS = 150000 };

static const char *const names[] = {"add", "remove", "contains"};

/* Results are those of some order, or not. */
static void fill(struct log *l, struct rng *r, bool multiset) {
  bool there = false;
  uint32_t wrong = (uint32_t)rng_below(r, 40), adds = 0;
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct log_op *o = &l->ops.at[i];
    uint32_t what = (uint32_t)rng_below(r, 3);
    if (multiset && what == 0 && adds++ && rng_below(r, 10))
      what = 1 + (uint32_t)rng_below(r, 2);
    o->f = monitor_name(l, names[what]);
    o->arg[o->nargs++] = datum_number(1);
    bool takes_effect = !monitor_pends(o) || rng_below(r, 2);
    bool yes = what == 0 ? multiset || !there : there;
    if (takes_effect && what < 2)
      there = what == 0;
    if (monitor_pends(o))
      continue;
    if (rng_below(r, 100) < wrong && !(multiset && what == 0))
      yes = !yes;
    o->result = datum_bool(yes);
  }
}

static void fill_set(struct log *l, struct rng *r) { fill(l, r, false); }
static void fill_multiset(struct log *l, struct rng *r) { fill(l, r, true); }

TEST(sets) { monitor_rounds("set", "set", fill_set, ROUNDS); }
TEST(multisets) {
  monitor_rounds("multiset", "multiset", fill_multiset, ROUNDS);
}

TEST_MAIN
