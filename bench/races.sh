#!/bin/bash
# Table 2 of "Interleaving-tree Based Fine-grained Linearizability Fault
# Localization" for the C versions of its objects (tests/clients/papers).  For
# each client: states of its graph, failing interleavings, the paper's pattern
# with how many of them have it, and the lines of its races by the names that
# the sources have in comments, compared with the paper's last column; the other
# patterns; and the seconds of processor
# time from source to report, with and without the search for races.  "options"
# is the granularity that the row needs; docs/races.md says why.
set -u
cd "${SOURCE_DIR:-$(dirname "$0")/..}" || exit 2
tool=${FAULTLINE:-build/faultline}
report=$(mktemp) || exit 2
trap 'rm -f "$report"' EXIT

# The name of a line: the last word of the comment behind it.
line_name() { # file, line
  local n
  n=$(sed -n "$2s,.*/\* \(.*\) \*/.*,\1,p" "$1")
  echo "${n:-$2}"
}

# Processor time of all processes: others may use the machine.
seconds() { # command…
  local TIMEFORMAT='%U %S' used
  used=$({ time "$@" >/dev/null 2>&1; } 2>&1)
  awk '{ printf "%.2f", $1 + $2 }' <<<"$used"
}

# Are all lines of the paper's last column among them?
compare() { # lines that were found, lines of the paper
  local name missing=
  [ -n "$2" ] || return
  while read -r name; do
    grep -qxF -- "$name" <<<"$1" || missing+="${missing:+, }$name"
  done < <(tr ';' '\n' <<<"$2")
  echo "  the paper: $(sed 's/;/, /g' <<<"$2"): ${missing:+NOT FOUND: }${missing:-all there}"
}

row() { # object, file, pattern, client, options, flags, the paper's lines
  local file=tests/clients/papers/$2.c lines= names= with without
  # shellcheck disable=SC2086
  without=$(seconds "$tool" explore "$file" --client "$4" --no-save \
    --races=off -- $6)
  # shellcheck disable=SC2086
  with=$(seconds "$tool" explore "$file" --client "$4" --no-save $5 \
    --json "$report" -- $6)
  printf '%s: %s\n  options: %s %s\n' "$1" "$4" "${5:-none}" "$6"
  jq -r --arg p "$3" '"  \(.tree.states) states, \(.tree.failing) failing, " +
    "\(.tree.explained) explained" +
    (if .tree.reason then "; " + .tree.reason else "" end)' "$report"
  while read -r line; do
    lines+="${lines:+; }$(line_name "$file" "$line")"
    names+="$(line_name "$file" "$line")"$'\n'
  done < <(jq -r --arg p "$3" '[.cdrs[] | select(.pattern == $p) |
    .races[].accesses[].line] | unique[]' "$report")
  jq -r --arg p "$3" --arg lines "$lines" 'if $p == "" then empty else
    (([.cdrs[] | select(.pattern == $p)] | .[0]) as $c |
    "  \($p): " + (if $c then "\($c.count) of them, at \($lines)"
    else "NOT FOUND" end)) end' "$report"
  compare "$names" "${7:-}"
  jq -r --arg p "$3" '"  others: " + ([.cdrs[] | select(.pattern != $p) |
    "\(.pattern) \(.count)"] | .[0:6] | join(", ")) +
    (if (.cdrs | length) > 7 then ", …" else "" end)' "$report"
  printf '  %s s; without races %s s\n' "$with" "$without"
}

independent=--race-independent
row LockFreeList lock_free_list WgG \
  'add(1); {remove_key(1)} || {remove_key(1)}' $independent '' \
  'F2;M3'
row OptimisticQueue optimistic_queue G \
  'offer(1); offer(2); {poll()} || {poll()}' '' '' 'P7;P10'
row PairSnapshot pair_snapshot WgWgWgWgWgG \
  '{write_cell(0, 2); write_cell(1, 2); write_cell(1, 1); write_cell(0, 1)} || {read_pair()}' \
  $independent '' '#1;#2;#3;#4'
row Snark snark WgWgG \
  'push_right(1); {pop_right()} || {push_right(2); pop_left()}' '' '' 'O1;O3;U7;left O6'
for pattern in Bg BgG; do
  row SimpleList simple_list $pattern \
    'add(1); {add(3)} || {add(4)}; contains(3); contains(4)' \
    "--races=shared $independent" '' 'S1, next;S3, lock'
done
row LinkedList size_list WgWgG \
  'add(1); add(5); {remove_key(1); add(9)} || {size()}' \
  "--race-sections $independent" '' 'Z2;removed;added'
# Not in the table: three threads.
row "Snark, bug 2" snark '' \
  'push_right(1); push_right(2); {pop_right()} || {pop_left(); pop_left()} || {push_right(3); pop_right()}' \
  '' -DFIX1
