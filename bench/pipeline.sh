#!/bin/bash
# The whole way for each faulty object of the papers (tests/clients/papers): a
# run without options finds the fault, makes its client small, and labels the
# tree of interleavings.  Processor seconds of each part, which other users of
# the machine do not change, and of their sum; "causes", the search for the
# lines that must be atomic, is on top.
set -u
cd "${SOURCE_DIR:-$(dirname "$0")/..}" || exit 2
tool=${FAULTLINE:-build/faultline}
report=$(mktemp) || exit 2
trap 'rm -f "$report"' EXIT

row() { # object, file, flags
  # shellcheck disable=SC2086
  "$tool" "tests/clients/papers/$2.c" --no-save --json "$report" -- $3 \
    >/dev/null 2>&1
  jq -r --arg name "$1" '.statistics.cpu_seconds as $c |
    [$name, $c.search, $c.minimize, $c.races, $c.search + $c.minimize + $c.races,
     $c.causes, (if .fault == "none" then "-" elif .minimal.proved then "proved"
     else "not proved" end), .client // "no fault found"] | @tsv' "$report" |
    awk -F'\t' '{ printf "%-16s %6.2f %6.2f %6.2f %6.2f %7.2f  %-10s %s\n",
      $1, $2, $3, $4, $5, $6, $7, $8 }'
}

echo "object           search shrink  label    all  causes             client"
row LockFreeList lock_free_list ''
row OptimisticQueue optimistic_queue ''
row PairSnapshot pair_snapshot ''
row Snark snark ''
row SimpleList simple_list ''
row "list with size" size_list ''
row BUList1 bu_list1 ''
row BUList2 bu_list2 ''
row BUList3 bu_list3 ''
row KStack k_stack ''
row TBStack treiber_no_retry ''
row TreiberStack treiber_reuse ''
row "Afek's stack" afek_stack ''
row "Snark, bug 2" snark -DFIX1
