#!/bin/bash
# The phrases that docs/terms.md replaces do not come back, in what the program
# prints and in the pages.
cd "$(dirname "$0")/../.." || exit 2

# Phrase (an extended regular expression), and what is said instead.
banned='forbids none>no correct order is lost
(is|are) still open>the races that follow decide
a fifth of>sampled at random
[0-9,]+ (good|bad) ones>correct ones, failing ones
dearer>more correct orders are lost
for want of>unprotected
what was told>what was printed
its bury>waited for
(the|a) (jury|corpse)>checker, worker that died
could with (one of )?these>no order fails with these'
failures=0
while IFS='>' read -r phrase instead; do
  [ -n "$phrase" ] || continue
  # Strings of the program; the pages, but for the table that says so and
  # the measurements in a paper's words.
  found=$(
    grep -rnE --include='*.c' --include='*.h' "\"[^\"]*($phrase)[^\"]*\"" \
      src/report src/cli src/campaign src/hunt src/model src/build src/history \
      src/atomicity src/lib src/rt
    grep -nE "$phrase" README.md docs/*.md | grep -Ev '^docs/(terms|papers).md:'
  )
  [ -z "$found" ] || {
    echo "say \"$instead\" instead of \"$phrase\":"
    echo "$found"
    failures=$((failures + 1))
  }
done <<<"$banned"
[ "$failures" -eq 0 ] && echo "no banned words"
exit "$((failures > 0))"
