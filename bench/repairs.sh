#!/bin/bash
# What "Root Causing Linearizability Violations" has no table of (its tables are
# bench/papers/root-causing.sh): the repairs of its three libraries, of all clients
# that were searched, with the paper's line numbers, which the sources have in
# comments, and + when no client fails with them atomic; then of the other objects
# of the papers: does the block that is ranked first agree with what the known fix
# makes atomic?
set -u
cd "${SOURCE_DIR:-$(dirname "$0")/..}" || exit 2
tool=${FAULTLINE:-build/faultline}
report=$(mktemp) || exit 2
trap 'rm -f "$report"' EXIT
a=-DADD_SHRUNK r=-DREMOVE_SHRUNK

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
    .eliminates, (if .enforced then " +" else "" end)] | @tsv' "$report")
  echo "$all"
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
    "$(echo $list)$(jq -r 'if .causes[0]?.enforced then " +" else "" end' "$report")" \
    "$verdict"
}

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
