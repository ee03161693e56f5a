#!/bin/bash
# The tables of two papers.  Tables II and I of "Localization of Linearizability
# Faults on the Coarse-grained Level" are bench/shrink.sh, which comes last.
#
# Tables 1 and 2 of "Root Causing Linearizability Violations" for the C versions
# of its three libraries (tests/clients/papers), with the paper's line numbers,
# which the sources have in comments.  For each client: the failing outcomes, how
# many orders of conflicting accesses fail and are good, accesses and conflicts
# of the longest failing one, the seconds of processor time from source to answer
# (of the compiler too), and the ranked causes as blocks -> good orders that they take away, + when no execution of
# the client fails with them atomic.  Below it, what forbids single failing
# orders, with how many.  Then the same for whole libraries: the repair of all
# clients.  Then the other objects: does the block that is ranked first agree
# with what the known fix makes atomic?
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

blocks() { # file, "first-last first-last"
  local text= block
  for block in $2; do
    text+="[$(paper_line "$1" "${block%-*}"),$(paper_line "$1" "${block#*-}")]"
  done
  echo "$text"
}

# The causes of a list in the report, at most three.
causes() { # file, jq path
  local all= n=0
  while IFS=$'\t' read -r list takes verified; do
    all+="${all:+; }$(blocks "$1" "$list")->$takes${verified:+$verified}"
    n=$((n + 1))
    [ "$n" -lt 3 ] || break
  done < <(jq -r "$2"' | [([.blocks[] | "\(.first)-\(.last)"] | join(" ")),
    .eliminates, (if .verified then " +" else "" end)] | @tsv' "$report")
  echo "$all"
}

# Optimal eliminators of single failing orders.
singles() { # file
  local all=
  while IFS=$'\t' read -r list traces; do
    all+="${all:+ }$(blocks "$1" "$list")x$traces"
  done < <(jq -r '.eliminators[]? |
    [([.blocks[] | "\(.first)-\(.last)"] | join(" ")), .traces] | @tsv' "$report")
  echo "$all"
}

row() { # number, library, flags, client
  local file=tests/clients/papers/$2.c took TIMEFORMAT='%U %S'
  # shellcheck disable=SC2086
  took=$({ time "$tool" explore "$file" --client "$4" --no-save \
    --json "$report" -- $3 >/dev/null 2>&1; } 2>&1)
  took=$(awk '{ print $1 + $2 }' <<<"$took")
  all=$(awk -v x="$all" -v y="$took" 'BEGIN { print x + y }')
  printf '%2s  %-42s %-16s %s\n' "$1" "$4" \
    "$(jq -r '.fault // "none"' "$report")" \
    "$(jq -r '[.outcomes[]? | select(.allowed | not) |
      [.results[] | tostring] | join(",")] | join(" and ")' "$report")"
  printf '    %-9s %4s accesses %4s conflicts %5.2f s  %s\n' \
    "$(jq -r 'if .traces then "\(.traces.failing)/\(.traces.good)" else "-" end' "$report")" \
    "$(jq -r '.traces.events // "-"' "$report")" \
    "$(jq -r '.traces.conflicts // "-"' "$report")" \
    "$took" \
    "$(causes "$file" '.causes[]?')"
  while IFS= read -r i; do
    printf '    outcome %s alone: %s\n' \
      "$(jq -r ".failing_outcomes[$i].results | [.[] | tostring] | join(\",\")" "$report")" \
      "$(causes "$file" ".failing_outcomes[$i].causes[]?")"
  done < <(jq -r '(.failing_outcomes // []) | keys[]' "$report")
  printf '    single orders: %s\n' "$(singles "$file")"
}

# The repair of the whole library.
library() { # library, flags
  local file=tests/clients/papers/$1.c
  # shellcheck disable=SC2086
  "$tool" test "$file" --no-save --json "$report" -- $2 >/dev/null 2>&1
  printf '%-16s %-30s %s\n' "$1" "$2" "$(causes "$file" '.causes[0]?')"
}

# An object, and the lines that its known fix makes atomic.
object() { # object, flags, first line, last line (texts of them), the fix, which
  local file=tests/clients/papers/$1.c first last list verdict=other
  first=$(grep -nF -- "$3" "$file" | head -n "${6:-1}" | tail -n 1 | cut -d: -f1)
  last=$(grep -nF -- "$4" "$file" | head -n 1 | cut -d: -f1)
  # shellcheck disable=SC2086
  "$tool" test "$file" --no-save --json "$report" -- $2 >/dev/null 2>&1
  list=$(jq -r '.causes[0]?.blocks[]? | "\(.first)-\(.last)"' "$report")
  for block in $list; do
    local a=${block%-*} b=${block#*-}
    if [ "$a" -eq "$first" ] && [ "$b" -eq "$last" ]; then
      verdict=same
    elif [ "$a" -ge "$first" ] && [ "$b" -le "$last" ]; then
      verdict=inside
    elif [ "$a" -le "$first" ] && [ "$b" -ge "$last" ]; then
      verdict=covers
    fi
  done
  printf '%-18s %-34s %-9s %-20s %s\n' "$1" "$5" "$first-$last" \
    "$(echo $list)$(jq -r 'if .causes[0]?.verified then " +" else "" end' "$report")" \
    "$verdict"
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
printf 'all 27, from source to ranked answer: %.1f s of processor time\n' "$all"

echo 'Repairs of the libraries: of every client that was searched'
for library in rw_list optimistic_list ordered_avl; do
  library $library $a
  library $library $r
  library $library "$a $r"
done

echo 'Objects: the known fix, its lines, the block ranked first, and whether it'
echo 'is the same, inside of those lines, covers them, or is another'
object lock_free_list '' '/* M2 */' 'while (!attempt_mark' 'marks by a CAS of what M2 saw'
object optimistic_queue '' '/* P7 */' '/* P10 */' 'takes the item of the CAS'
object pair_snapshot '' '/* #2 */' '/* #4 */' 'reads versions too'
object snark '' 'rh = READ(d->right_hat);     /* O1 */' '/* O3 */' 'looks at the hat again'
object simple_list '' 'curr = pred->next;' '/* S3 */' 'validates under the lock'
object size_list '' '/* Z1 */' '/* Z2 */' 'counts under the lock'
object bu_list1 '' 'find(head, key, &pred, &curr);' '/* M5 */' 'helps, marks by a CAS' 2
object bu_list3 '' '/* D3 */' '/* D7 */' 'takes the lock before D3'
object k_stack '' '/* K1 */' '/* K5 */' 'repeats until the CAS succeeds'
object treiber_no_retry '' '/* top */' '/* cas */' 'repeats until the CAS succeeds'
object treiber_reuse '' '/* top */' '/* cas */' 'counts in the pointer'
object afek_stack '' '/* line 8 */' '/* line 9 */' 'swaps'

echo
echo 'Localization on the coarse-grained level: Tables II and I'
bash bench/shrink.sh
