#!/bin/bash
# Tables 1 and 2 of "Root Causing Linearizability Violations", measured
# (bench/papers/run): the C versions of its three libraries, with the paper's line
# numbers, which the sources have in comments.  Eliminators are those of single
# failing orders, which is what the paper's tool was given.
#
#   bench/papers/root-causing.sh [--quick]
#
# --quick: the clients of the paper only; without samples of other clients, and
# without accesses to the words of locks.
set -u
cd "${SOURCE_DIR:-$(dirname "$0")/../..}" || exit 2
tool=${FAULTLINE:-build/faultline}
quick=${1:-}
report=$(mktemp) || exit 2
trap 'rm -f "$report" "$report.full"' EXIT
add=-DADD_SHRUNK remove=-DREMOVE_SHRUNK

put() { # table, row, column, figure
  printf '%s\t%s\t%s\t%s\n' "$@"
}

# "27:26" for each line of the source that the paper calls 26: a map for jq.
paper_lines() { # file
  sed -n 's,.*/\* line \([0-9]*\).*,\1,;t p;s/.*//;:p;p' "$1" |
    awk 'BEGIN { printf "{" }
      $1 { printf "%s\"%d\": %d", n++ ? ", " : "", NR, $1 } END { print "}" }'
}

# The report of a client, with lines as the paper numbers them: `answers` is a
# list of the sequences that the paper calls results.  A line that the paper does
# not number is in round brackets.
explore() { # file, flags, client
  local flags=$2
  rm -f "$report.full"
  # shellcheck disable=SC2086 # flags are words
  "$tool" explore "$1" --client "$3" --no-save --no-html --deciding-races=off \
    --json "$report.full" -- $flags >/dev/null 2>&1
  [ -s "$report.full" ] || { echo "no report of $3" >&2; exit 2; }
  jq --argjson paper "$(paper_lines "$1")" '
    def line: tostring as $l | $paper[$l] // "(\($l))" | tostring;
    def short: if . == true then "T" elif . == false then "F"
      elif . == -1 then "N" else tostring end;
    ([.eliminators[]? | {eliminates, lines: ([.blocks[] |
      "[\(.first | line),\(.last | line)]"] | join(""))}]) as $all |
    { failing: (.traces.failing // 0), good: (.traces.good // 0),
      average: .traces.average, seconds: .traces.seconds,
      outcomes: ([.outcomes[]? | select(.allowed | not) |
        [.results[] | short] | join(",")] | sort | join(" and ")),
      eliminators: $all, enforced: .causes[0]?.enforced,
      answers: [.answers[]? | {traces, list: [.eliminators[] |
        {rank} + $all[.eliminator]]}] }' "$report.full" >"$report"
  rm -f "$report.full"
}

# Each eliminator of the paper: how many good traces it takes away.
eliminators() { # table, number, eliminators, column
  local one
  for one in $3; do
    put "$1: good traces lost" "$2 $one" "$4" \
      "$(jq -r --arg one "$one" '.good as $good |
        [.eliminators[] | select(.lines == $one)][0] |
        if . then "\(.eliminates) of \($good)" else "no eliminator" end' \
        "$report")"
  done
}

row() { # library, file, number, flags, client, the paper's eliminators
  local file=tests/clients/papers/$2.c one="Table 1, $1" two="Table 2, $1"
  local name="$3 $5" begun took
  begun=$(date +%s.%N)
  explore "$file" "$4" "$5"
  took=$(awk -v a="$begun" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f", b - a }')
  put "$one" "$name" 'Non-lin. Out.' "$(jq -r .outcomes "$report")"
  put "$one" "$name" '# bugs' "$(jq .failing "$report")"
  put "$one" "$name" '# valid' "$(jq .good "$report")"
  put "$one" "$name" '# ev.' "$(jq '.average.events | round' "$report")"
  put "$one" "$name" '# conf.' "$(jq '.average.conflicts | round' "$report")"
  put "$one" "$name" 'Total(s)' "$took"
  put "$one" "$name" 'Tr. Elim(s)' \
    "$(jq '.seconds.elimination * 10000 | round / 10000' "$report")"
  put "$two" "$name" '# res.' \
    "$(jq '[.answers[].list | map(.lines)] | unique | length' "$report")"
  put "$two" "$name" 'first' "$(first)"
  eliminators "$two" "$3" "$6" 'good traces'
}

# Those that are first for some failing trace, most frequent first.
first() {
  jq -r '[.answers[] | .traces as $n |
    .list[] | select(.rank == 1) | {lines, eliminates, n: $n}] |
    group_by(.lines) | map({text: "\(.[0].lines)->\(.[0].eliminates)",
    n: (map(.n) | add)}) | sort_by(-.n) | map(.text) | join("; ")' "$report"
}

# The same with accesses to the words of locks, as a Java program has them.
locks() { # library, file, number, flags, client
  [ -z "$quick" ] || return 0
  explore "tests/clients/papers/$2.c" "$4 -include bench/papers/lock_words.h" \
    "$5"
  put "Table 2, $1" "$3 $5" 'first, locks as accesses' \
    "$(first), of $(jq .good "$report")"
}

# Random clients of two threads with 1 to 3 calls each, one a line.
random_clients() { # operations
  perl -e '
    my ($state, @ops) = (1, @ARGV);
    sub draw { $state = ($state * 1103515245 + 12345) % 2**31;
      return int(($state >> 8) % $_[0]) }
    for (1 .. 1000) {
      print join(" || ", map { "{" . join("; ", map {
        $ops[draw(scalar @ops)] } 0 .. draw(3)) . "}" } 1, 2), "\n" }' "$@"
}

# As Violat samples them: random clients until three fail.
sample() { # library, file, what is shrunk, flags, operations
  local drawn=0 fail=0 enough=0 list= client row="$1, $3"
  [ -z "$quick" ] || return 0
  while [ "$fail" -lt 3 ] && IFS= read -r client; do
    drawn=$((drawn + 1))
    explore "tests/clients/papers/$2.c" "$4" "$client" </dev/null
    [ -n "$(jq -r .outcomes "$report")" ] || continue
    fail=$((fail + 1))
    list+="${list:+, }$client"
    [ "$(jq .enforced "$report")" != true ] || enough=$((enough + 1))
  done < <(random_clients "${@:5}")
  put 'Sampled clients' "$row" 'clients' "$list"
  put 'Sampled clients' "$row" 'drawn' "$drawn"
  put 'Sampled clients' "$row" 'first cause is enough' "$enough of $fail"
}

rw() {
  row RWLockCoarseGrainedListIntSet rw_list "$@"
  locks RWLockCoarseGrainedListIntSet rw_list "$@"
}
optimistic() {
  row OptimisticListSortedSetWaitFreeContains optimistic_list "$@"
  locks OptimisticListSortedSetWaitFreeContains optimistic_list "$@"
}
tree() { row LogicalOrderingAVL ordered_avl "$@"; }
rw 1 $add '{c(1); r(1); a(1)} || {a(1)}' '[27,35]'
rw 2 $add '{a(0); a(1)} || {a(0)}' '[27,35]'
rw 3 $add '{a(0); a(0)} || {a(1)}' '[27,35]'
rw 4 $remove '{a(0); a(0); r(0)} || {r(0)}' '[48,54]'
rw 5 $remove '{a(0); a(0)} || {a(1); r(1)}' '[48,54]'
rw 6 $remove '{r(0)} || {a(0); r(0)}' '[48,54]'
rw 7 "$add $remove" '{a(0); r(0)} || {r(0); a(1)}' '[48,54] [27,35]'
rw 8 "$add $remove" '{a(1); r(1)} || {a(0)}' '[27,35]'
rw 9 "$add $remove" '{c(0); a(1); r(1); c(0)} || {r(1)}' '[48,54]'
optimistic 1 $add '{a(0); a(0)} || {a(1)}' '[55,56] [43,44][55,56] [43,51]'
optimistic 2 $add '{a(0); a(1)} || {a(0)}' '[51,56] [55,56]'
optimistic 3 $add '{a(0)} || {c(1); a(0)}' '[51,56]'
optimistic 4 $remove '{c(0); a(1); r(1); c(0)} || {r(1)}' '[78,80]'
optimistic 5 $remove '{a(0); r(0)} || {r(0); a(1)}' '[78,80]'
optimistic 6 $remove '{a(0); a(0)} || {a(1); r(1)}' '[78,80] [43,44][55,56]'
optimistic 7 "$add $remove" '{a(0); a(0); r(0)} || {r(0)}' '[78,80]'
optimistic 8 "$add $remove" '{a(0)} || {a(0); r(1)}' '[51,56] [55,56]'
optimistic 9 "$add $remove" '{c(1); r(1); a(1)} || {a(1)}' '[51,56]'
tree 1 $add '{a(1, 0)} || {a(1, 1); r(1, 1)}' '[271,279][448,451] [265,271]'
tree 2 $add '{r(1, 1); r(0, 1)} || {a(1, 1); a(1, 0)}' '[271,279][448,451] [430,436] [289,290] [290,293][423,430]'
tree 3 $add '{r(0, 0); r(1, 0)} || {a(0, 0); a(0, 1)}' '[271,279][448,451] [430,436] [289,290] [290,293][423,430]'
tree 4 $remove '{a(1, 0); a(0, 0); r(0, 0)} || {r(1, 0)}' '[436,445] [423,436][451,454]'
tree 5 $remove '{a(1, 0); r(1, 0)} || {r(1, 0)}' '[436,451]'
tree 6 $remove '{a(0, 1); r(0, 1); r(0, 0)} || {r(0, 1)}' '[436,450] [430,436]'
tree 7 "$add $remove" '{a(0, 1); r(0, 1)} || {a(0, 0)}' '[271,279][448,451]'
tree 8 "$add $remove" '{r(1, 0)} || {a(1, 0); a(1, 1); a(1, 0)}' '[271,279][448,451] [430,436]'
tree 9 "$add $remove" '{r(1, 0); a(0, 1)} || {a(0, 0); r(0, 0)}' '[271,279][448,451] [265,271]'

list_calls=('a(0)' 'a(1)' 'r(0)' 'r(1)' 'c(0)' 'c(1)')
tree_calls=('a(0, 0)' 'a(0, 1)' 'a(1, 0)' 'a(1, 1)' 'r(0, 0)' 'r(0, 1)' 'r(1, 0)'
  'r(1, 1)')
for what in add remove both; do
  case $what in add) flags=$add ;; remove) flags=$remove ;; *) flags="$add $remove" ;; esac
  sample RWLockCoarseGrainedListIntSet rw_list $what "$flags" "${list_calls[@]}"
  sample OptimisticListSortedSetWaitFreeContains optimistic_list $what "$flags" \
    "${list_calls[@]}"
  sample LogicalOrderingAVL ordered_avl $what "$flags" "${tree_calls[@]}"
done
