#include "hunt/doubt.h"

#include "base/buf.h"

void result_doubts_cut(struct result *r, uint64_t endless_clients) {
  const struct statistics *s = &r->statistics;
  unsigned long long n = endless_clients, all = s->executions + s->cut;
  if (n)
    r->reason = xasprintf("no execution of %llu client%s came to its end%s", n,
                          n == 1 ? "" : "s", s->cut ? " (--max-steps)" : "");
  else if (s->cut > s->executions)
    r->reason = xasprintf("%llu of %llu executions were cut at --max-steps",
                          (unsigned long long)s->cut, all);
  else
    return;
  r->verdict = VERDICT_UNKNOWN;
}

void result_doubts(struct result *r, uint64_t undecided, const char *limit) {
  if (!r->statistics.executions)
    r->reason = xasprintf("no execution came to its end%s: nothing was checked",
                          r->statistics.cut ? " (--max-steps)" : "");
  else if (undecided)
    r->reason = xasprintf(
        "%llu histor%s too hard to check%s%s%s", (unsigned long long)undecided,
        undecided == 1 ? "y was" : "ies were", limit ? ": " : "",
        limit ? limit : "", limit ? " ended that" : "");
  else
    return;
  r->verdict = VERDICT_UNKNOWN;
}
