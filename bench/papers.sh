#!/bin/bash
# Tables 1 and 2 of "Root Causing Linearizability Violations" for the C versions
# of its three libraries (tests/clients/papers), with the paper's line numbers,
# which the sources have in comments.  For each client: how many orders of
# conflicting accesses fail and are good, the seconds from source to answer, and
# the ranked causes as blocks -> good orders that they take away, + when no
# client fails with them atomic.
set -u
cd "${SOURCE_DIR:-$(dirname "$0")/..}" || exit 2
tool=${FAULTLINE:-build/faultline}
report=$(mktemp) || exit 2
trap 'rm -f "$report"' EXIT
a=-DADD_SHRUNK r=-DREMOVE_SHRUNK
all=0

paper_line() { # file, line
  local n
  n=$(sed -n "$2s,.*/\* line \([0-9]*\).*,\1,p" "$1")
  echo "${n:-($2)}"
}

row() { # number, library, flags, client
  local file=tests/clients/papers/$2.c begun ended causes= n=0
  begun=$(date +%s.%N)
  # shellcheck disable=SC2086
  "$tool" explore "$file" --client "$4" --no-save --json "$report" -- $3 \
    >/dev/null 2>&1
  ended=$(date +%s.%N)
  all=$(awk -v x="$all" -v a="$begun" -v b="$ended" 'BEGIN { print x + b - a }')
  while IFS=$'\t' read -r blocks takes verified; do
    local text=
    for block in $blocks; do
      text+="[$(paper_line "$file" "${block%-*}"),$(paper_line "$file" "${block#*-}")]"
    done
    causes+="${causes:+; }$text->$takes${verified:+$verified}"
    n=$((n + 1))
    [ "$n" -lt 3 ] || break
  done < <(jq -r '.causes[]? | [([.blocks[] | "\(.first)-\(.last)"] | join(" ")),
    .eliminates, (if .verified then " +" else "" end)] | @tsv' "$report")
  printf '%2s  %-44s %-16s %-9s %5.2f  %s\n' "$1" "$4" \
    "$(jq -r '.fault // "none"' "$report")" \
    "$(jq -r 'if .traces then "\(.traces.failing)/\(.traces.good)" else "-" end' "$report")" \
    "$(awk -v a="$begun" -v b="$ended" 'BEGIN { print b - a }')" "$causes"
}

echo "RWLockCoarseGrainedListIntSet"
row 1 rw_list $a '{c(1); r(1); a(1)} || {a(1)}'
row 2 rw_list $a '{a(0); a(1)} || {a(0)}'
row 3 rw_list $a '{a(0); a(0)} || {a(1)}'
row 4 rw_list $r '{a(0); a(0); r(0)} || {r(0)}'
row 5 rw_list $r '{a(0); a(0)} || {a(1); r(1)}'
row 6 rw_list $r '{r(0)} || {a(0); r(0)}'
row 7 rw_list "$a $r" '{a(0); r(0)} || {r(0); a(1)}'
row 8 rw_list "$a $r" '{a(1); r(1)} || {a(0)}'
row 9 rw_list "$a $r" '{c(0); a(1); r(1); c(0)} || {r(1)}'
echo "OptimisticListSortedSetWaitFreeContains"
row 1 optimistic_list $a '{a(0); a(0)} || {a(1)}'
row 2 optimistic_list $a '{a(0); a(1)} || {a(0)}'
row 3 optimistic_list $a '{a(0)} || {c(1); a(0)}'
row 4 optimistic_list $r '{c(0); a(1); r(1); c(0)} || {r(1)}'
row 5 optimistic_list $r '{a(0); r(0)} || {r(0); a(1)}'
row 6 optimistic_list $r '{a(0); a(0)} || {a(1); r(1)}'
row 7 optimistic_list "$a $r" '{a(0); a(0); r(0)} || {r(0)}'
row 8 optimistic_list "$a $r" '{a(0)} || {a(0); r(1)}'
row 9 optimistic_list "$a $r" '{c(1); r(1); a(1)} || {a(1)}'
echo "LogicalOrderingAVL"
row 1 ordered_avl $a '{a(1, 0)} || {a(1, 1); r(1, 1)}'
row 2 ordered_avl $a '{r(1, 1); r(0, 1)} || {a(1, 1); a(1, 0)}'
row 3 ordered_avl $a '{r(0, 0); r(1, 0)} || {a(0, 0); a(0, 1)}'
row 4 ordered_avl $r '{a(1, 0); a(0, 0); r(0, 0)} || {r(1, 0)}'
row 5 ordered_avl $r '{a(1, 0); r(1, 0)} || {r(1, 0)}'
row 6 ordered_avl $r '{a(0, 1); r(0, 1); r(0, 0)} || {r(0, 1)}'
row 7 ordered_avl "$a $r" '{a(0, 1); r(0, 1)} || {a(0, 0)}'
row 8 ordered_avl "$a $r" '{r(1, 0)} || {a(1, 0); a(1, 1); a(1, 0)}'
row 9 ordered_avl "$a $r" '{r(1, 0); a(0, 1)} || {a(0, 0); r(0, 0)}'
printf 'all 27, from source to ranked answer: %.1f s\n' "$all"
