/* Clients that are parts of others. */
#include "model/client.h"

/* Operations of one role, in the order of their calls. */
struct role {
  const struct call *at;
  uint32_t len;
};

static struct role initial(const struct client *c) {
  return (struct role){c->calls, c->ninit};
}

static struct role thread(const struct client *c, uint32_t t) {
  uint32_t first = c->ninit, end = client_first_final(c);
  while (first < end && c->calls[first].thread != t)
    first++;
  uint32_t last = first;
  while (last < end && c->calls[last].thread == t)
    last++;
  return (struct role){c->calls + first, last - first};
}

static bool has_role(struct role r, struct role part) {
  uint32_t k = 0;
  for (uint32_t i = 0; i < r.len && k < part.len; i++)
    k += r.at[i].op == part.at[k].op;
  return k == part.len;
}

/* Are threads t … of the part among those of `c` that are not in `used`? */
static bool has_threads(const struct client *c, const struct client *part,
                        uint32_t t, uint64_t used) {
  if (t > part->nthreads)
    return true;
  struct role of = thread(part, t);
  for (uint32_t k = 1; k <= c->nthreads; k++)
    if (!(used >> k & 1) && has_role(thread(c, k), of) &&
        has_threads(c, part, t + 1, used | 1ull << k))
      return true;
  return false;
}

bool client_has_part_of(const struct client *c, const struct client *others,
                        uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const struct client *o = &others[i];
    if (o->nthreads
            ? has_role(initial(c), initial(o)) && has_threads(c, o, 1, 0)
            : client_has_ops_of(c, o, 1))
      return true;
  }
  return false;
}
