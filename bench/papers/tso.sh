#!/bin/bash
# The examples and theorems of "On Atomicity in Presence of Non-atomic Writes".
#
#   tso.sh [--quick]     without the theorems on random cases and the steps
#
# The examples are programs (tests/clients/tso_atomic_pool.c, tso_theorem2.c) and
# an execution (tests/unit/atomicity/paper.c).  The theorems are compared with
# brute force in tests/agree/atomicity_tso.c and atomicity_swaps.c, which print
# what they have counted (tests/paper_rows.h).
set -u
cd "${SOURCE_DIR:-$(dirname "$0")/../..}" || exit 2
tool=${FAULTLINE:-build/faultline}
tests=$(dirname "$tool")/tests
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
quick=
[ "${1-}" != --quick ] || quick=yes

# "yes no -" for SC-serializable, TSO-serializable, robust.
program() { # table, row, file, client, flags of the compiler
  "$tool" atomicity "tests/clients/$3.c" --client "$4" --memory-model=tso \
    --no-reduction --json "$tmp/report" -- ${5-} >"$tmp/out" 2>&1
  [ $? -le 1 ] || { cat "$tmp/out" >&2; exit 2; }
  jq -r --arg at "$1	$2" '.traces[0] |
    [["SC-serializable", .sc_serializable.holds],
     ["TSO-serializable", .tso_serializable.holds],
     ["robust", .robust.holds]][] | $at + "\t" + .[0] + "\t" +
    (if .[1] == null then "unknown" elif .[1] then "yes" else "no" end)' \
    "$tmp/report"
}

counted() { # test
  FAULTLINE_PAPER_ROWS=1 "$tests/test_$1" >"$tmp/out" 2>&1 ||
    { cat "$tmp/out" >&2; exit 2; }
  grep $'\t' "$tmp/out"
}

pool='{take_head()} || {take_tail()}'
program 'Figure 1' '1 task' tso_atomic_pool "$pool" -DTASKS=1
program 'Figure 1' '2 tasks' tso_atomic_pool "$pool"
program 'Figure 1' '1 task, fences after the claims' tso_atomic_pool "$pool" \
  '-DTASKS=1 -DFENCE'
program 'Figure 1' '2 tasks, fences after the claims' tso_atomic_pool "$pool" \
  -DFENCE
counted unit_atomicity_paper
after='Programs after Theorem 2'
program "$after" 'left' tso_theorem2 '{left1()} || {left2()}'
program "$after" 'right' tso_theorem2 '{right1()} || {right2()}'
program "$after" 'left, each transaction fenced (Theorem 3)' tso_theorem2 \
  '{fenced1()} || {fenced2()}'
[ -z "$quick" ] || exit 0
counted agree_atomicity_swaps
counted agree_atomicity_tso
