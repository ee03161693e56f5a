#!/bin/bash
# Table 2, Figure 5 and Example 6 of "Interleaving-tree Based Fine-grained
# Linearizability Fault Localization" for the C versions of its objects
# (tests/clients/papers).  What a row of Table 2 needs is one set of options,
# $one; the same rows under others follow, among them the tree as the paper
# defines it: every access is a step, and any two threads race.
#
#   fgvt.sh [--quick]     without most of the other granularities
#
# Lines have the names that the sources give them in comments.
set -u
cd "${SOURCE_DIR:-$(dirname "$0")/../..}" || exit 2
tool=${FAULTLINE:-build/faultline}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
quick=
[ "${1-}" != --quick ] || quick=yes
set -f # a * in an option is for the tool
one='--race-sections --race-variables=*'
literal='--deciding-races=all --race-independent'

put() { # table, row, column, figure
  printf '%s\t%s\t%s\t%s\n' "$@"
}

run() { # file, client, options, flags; leaves $tmp/report
  # shellcheck disable=SC2086
  "$tool" explore "tests/clients/papers/$1.c" --client "$2" --no-save --quiet $3 \
    --json "$tmp/report" -- ${4-} >"$tmp/out" 2>&1
  if [ $? -ne 1 ] || [ "$(jq -r .tree.reason "$tmp/report")" != null ]; then
    echo "fgvt.sh: $1 $3: no tree" >&2
    cat "$tmp/out" >&2
    exit 2
  fi
  # Theorem 3, of two threads.
  [ -n "${4-}" ] || jq -r '.cdrs[].pattern |
    select(test("^(Wg|Bg)*(Bg|G)$") | not)' "$tmp/report" >>"$tmp/other_form"
}

# Those of these patterns that are among the found ones, by commas.
found() { # patterns
  local pattern all=
  for pattern in $1; do
    jq -e --arg p "$pattern" 'any(.cdrs[]; .pattern == $p)' "$tmp/report" \
      >/dev/null && all+="${all:+, }$pattern"
  done
  echo "${all:-not found}"
}

# The paper's names of those lines that the races of these patterns have.
related() { # file, patterns, NAME=TEXT…
  local pattern name all= lines
  lines=$(for pattern in $2; do
    jq -r --arg p "$pattern" '.cdrs[] | select(.pattern == $p) |
      .races[].accesses[].line' "$tmp/report"
  done | sort -un | while read -r line; do
    sed -n "${line}s,.*/\* \(.*\) \*/.*,\1,p" "tests/clients/papers/$1.c"
  done)
  shift 2
  for name; do
    grep -qxF -- "${name%%=*}" <<<"$lines" && all+="${all:+; }${name#*=}"
  done
  echo "${all:-none}"
}

object() { # row, file, client, patterns, NAME=TEXT…
  local row=$1 file=$2 client=$3 patterns=$4
  shift 4
  run "$file" "$client" "$one"
  put 'Table 2' "$row" CDRS "$(found "$patterns")"
  put 'Table 2' "$row" 'other patterns' "$(jq --arg p "$patterns" \
    '[.cdrs[].pattern | select(IN($p | split(" ")[]) | not)] | length' \
    "$tmp/report")"
  put 'Table 2' "$row" 'relating data races' \
    "$(related "$file" "$patterns" "$@")"
  jq -r --arg row "$row" '["states", .tree.states], ["failing", .tree.failing],
    ["seconds", (.statistics.cpu_seconds.races * 1000 | round / 1000)] |
    "What it costs\t\($row)\t\(.[0])\t\(.[1])"' "$tmp/report"
  if [ "$row" = PairSnapshot ]; then
    put 'The example' 'Figure 5: orders, none of them allowed' number \
      "$(jq '.refutations | length' "$tmp/report")"
    put 'The example' 'Figure 8: ways to fail' number \
      "$(jq .tree.failing "$tmp/report")"
    put 'The example' 'Example 6: pattern of the way' number \
      "$(jq -r '.cdrs[0].pattern' "$tmp/report")"
  fi
  granularity "as defined: $literal" "$literal"
  [ -z "$quick" ] || return
  granularity 'no options' ''
  granularity --race-independent --race-independent
  granularity '--deciding-races=shared --race-independent' \
    '--deciding-races=shared --race-independent'
  granularity '--race-sections --race-independent' \
    '--race-sections --race-independent'
  granularity '--deciding-races=all --race-variables=*' '--deciding-races=all --race-variables=*'
}

granularity() { # column, options; of the row's
  run "$file" "$client" "$2"
  put 'Table 2 under other options' "$row" "$1" "$(found "$patterns")"
}

object LockFreeList lock_free_list \
  'add(1); {remove_key(1)} || {remove_key(1)}' WgG \
  'F2=curr.next.get()' 'M3=attemptMark()'
object OptimisticQueue optimistic_queue \
  'offer(1); offer(2); {poll()} || {poll()}' G \
  'P10=head.getItem()' 'P7=casHead()'
object PairSnapshot pair_snapshot \
  '{write_cell(0, 2); write_cell(1, 2); write_cell(1, 1); write_cell(0, 1)} || {read_pair()}' \
  WgWgWgWgWgG '#1=d[i]=v' '#2=x=d[0]' '#3=y=d[1]' '#4=if(x==d[0])'
object Snark snark \
  'push_right(1); {pop_right()} || {push_right(2); pop_left()}' WgWgG \
  'O1=rh=RightHat' 'U7=DCAS(&RightHat)' 'left O6=DCAS(&LeftHat)' 'O3=if(rh.R==rh)'
object SimpleList simple_list \
  'add(1); {add(3)} || {add(4)}; contains(3); contains(4)' 'Bg BgG' \
  'S3=pred.next=node' 'S1=curr.val<v'
object LinkedList size_list \
  'add(1); add(5); {remove_key(1); add(9)} || {size()}' WgWgG \
  'Z2=node.next==tail' 'removed=synchronized(){} of remove' \
  'added=synchronized(){} of add'
put 'The example' 'Theorem 3: patterns of another form' number \
  "$(wc -l <"$tmp/other_form")"

[ -z "$quick" ] || exit 0
run snark 'push_right(1); push_right(2); {pop_right()} || {pop_left(); pop_left()} || {push_right(3); pop_right()}' \
  '' -DFIX1
jq -r '["states", .tree.states], ["failing", .tree.failing],
  ["seconds", (.statistics.cpu_seconds.races * 1000 | round / 1000)] |
  "What it costs\tSnark, bug 2: three threads\t\(.[0])\t\(.[1])"' "$tmp/report"
