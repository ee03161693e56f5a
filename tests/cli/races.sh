#!/bin/bash
# The races that decide: the rows of Table 2 of the paper on interleaving trees,
# each with a pattern that must be among those found, all with one set of
# options, and lines of its races by their names in the sources' comments; and
# the reports.
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report
papers=tests/clients/papers

row() { # file, pattern, client, options, names of lines…
  local file=$papers/$1.c pattern=$2 client=$3 options=$4 lines name
  shift 4
  set -f # a * in the options is for the tool
  # shellcheck disable=SC2086
  run explore "$file" --client "$client" --no-save $options --json report.json
  set +f
  expect_status 1
  jq -e '.tree.reason == null and ([.cdrs[].pattern] | unique | length) ==
    (.cdrs | length) and all(.cdrs[]; .count > 0)' report.json >/dev/null ||
    fail "tree: $(jq -c .tree report.json)"
  jq -e --arg p "$pattern" 'any(.cdrs[]; .pattern == $p)' report.json \
    >/dev/null || fail "no $pattern: $(jq -c '[.cdrs[].pattern]' report.json)"
  # The races spell the pattern, and each has a winner that leads elsewhere.
  jq -e 'all(.cdrs[] | select(.races | length > 0);
    ([.races[].kind] | join("")) == .pattern and all(.races[];
      .accesses[0].wins and (.accesses[0].leads_to as $it |
        any(.accesses[1:][]; .leads_to != $it and .wins == false))))' \
    report.json >/dev/null ||
    fail "races: $(jq -c .cdrs report.json)"
  lines=$(jq -r --arg p "$pattern" '.cdrs[] | select(.pattern == $p) |
    .races[].accesses[].line' report.json |
    while read -r n; do sed -n "${n}p" "$file"; done)
  for name in "$@"; do
    grep -Fq "/* $name */" <<<"$lines" || fail "no race at $name"
  done
}

one='--race-sections --race-variables=*'
row lock_free_list WgG 'add(1); {remove_key(1)} || {remove_key(1)}' "$one" F2 M3
for options in "$one" ''; do # without options, too
  row optimistic_queue G 'offer(1); offer(2); {poll()} || {poll()}' "$options" \
    P7 P10
  row snark WgWgG 'push_right(1); {pop_right()} || {push_right(2); pop_left()}' \
    "$options" O1 U7 'left O6' O3
done
pair='{write_cell(0, 2); write_cell(1, 2); write_cell(1, 1); write_cell(0, 1)}'
row pair_snapshot WgWgWgWgWgG "$pair || {read_pair()}" "$one" '#1' '#2' '#3' '#4'
adds='add(1); {add(3)} || {add(4)}; contains(3); contains(4)'
row simple_list Bg "$adds" "$one" 'S1, next'
row simple_list BgG "$adds" "$one" 'S1, next' S3
# Where reads of a value are events, too.
row simple_list WgG "$adds" '--deciding-races=shared --race-independent' S1 S3
row size_list WgWgG 'add(1); add(5); {remove_key(1); add(9)} || {size()}' "$one" \
  Z1 Z2 removed added
[ "$(jq -c '[.cdrs[] | [.pattern, .count]]' report.json)" = '[["WgWgG",1]]' ] ||
  fail "other patterns: $(jq -c '[.cdrs[].pattern]' report.json)"

# Races on a set of variables: the pair is read cell by cell, so that a write of
# one cell races with a read of the other.
set_of() { # option, patterns, reason
  run explore $papers/pair_snapshot.c --client "$pair || {read_pair()}" \
    --no-save --race-variables="$1" --json report.json
  expect_status 1
  [ "$(jq -r '[.tree.between, .cdrs[].pattern] | join(" ")' report.json)" = \
    "variables$2" ] || fail "$1: $(jq -c '[.cdrs[].pattern]' report.json)"
  [ "$(jq -r .tree.reason report.json)" = "$3" ] ||
    fail "$1: $(jq .tree.reason report.json)"
}
set_of 'd[*]' ' WgWgWgWgWgG' null
set_of 'd[0]' ' WgG' null
set_of 'd[1]' '' \
  'no race on these variables (--race-variables) decides a failure'
set_of 'e[0]' '' 'no access is to e[0] (--race-variables)'
run explore $papers/pair_snapshot.c --race-independent --race-variables='*'
expect_status 2
expect_err '--race-independent does not go with --race-variables'

# With every access as a branching point, two removals have the patterns of the
# model that the paper's row was checked with, and each execution has one.
run explore $papers/lock_free_list.c --no-save --race-independent \
  --client 'add(1); {remove_key(1)} || {remove_key(1)}' --json report.json
[ "$(jq -r '[.cdrs[].pattern] | sort | join(" ")' report.json)" = \
  "Bg BgG WgG" ] || fail "patterns: $(jq -c '[.cdrs[].pattern]' report.json)"
jq -e '([.cdrs[].count] | add) == .tree.failing' report.json >/dev/null ||
  fail "counts: $(jq -c '[.cdrs[].count]' report.json)"

# For people, and as a drawing that is written whole.
run $papers/optimistic_queue.c --no-save --dot graph.dot \
  --client 'offer(1); offer(2); {poll()} || {poll()}'
expect_status 1
p7=$(grep -n '/\* P7 \*/' $papers/optimistic_queue.c | cut -d: -f1)
p10=$(grep -n '/\* P10 \*/' $papers/optimistic_queue.c | cut -d: -f1)
expect_out "The race that decides: 1\\. queue\\.head: poll\\(\\) of T2 compares and swaps \\(line $p7\\), before poll\\(\\) of T1 reads \\(line $p10\\)\\. If T2 runs first, it fails whatever follows; if T1 does, nothing can go wrong any more"
expect_out 'CDRS pattern G: 4,192 of 9,312 ways to fail'
expect_narrow
head -n 1 graph.dot | grep -Fqx 'digraph "queue" {' || fail "no digraph"
[ "$(tail -n 1 graph.dot)" = '}' ] || fail "the drawing is not whole"
grep -q 'label="G", fillcolor="yellow"' graph.dot || fail "no critical race"
grep -q 'fillcolor="red"' graph.dot || fail "no failing end"
if command -v dot >/dev/null; then
  dot -Tsvg graph.dot >/dev/null || fail "Graphviz does not take it"
fi
# Every node of an edge is there.
diff <(grep -o '^  n[0-9]* -> n[0-9]*' graph.dot | tr -d '>-' | xargs -n 1 |
  sort -u) <(grep -o '^  n[0-9]* \[' graph.dot | tr -d ' [' | sort -u) ||
  fail "edges and nodes differ"
run $papers/optimistic_queue.c --no-save --dot /nowhere/graph.dot
expect_status 2

# Not asked, and too large.
run $papers/size_list.c --save-dir saved --no-html \
  --client 'add(1); add(2); {remove_key(1); add(3)} || {size()}'
expect_status 1
schedule=$(echo saved/*.schedule)
run explore $papers/size_list.c --no-save --deciding-races=off --json report.json \
  --client 'add(1); add(5); {remove_key(1); add(9)} || {size()}'
expect_no out 'that decide'
jq -e '.cdrs == [] and .tree == null' report.json >/dev/null || fail "races"
run explore $papers/size_list.c --no-save --max-states=50 --json report.json \
  --client 'add(1); add(5); {remove_key(1); add(9)} || {size()}'
expect_no out 'that decide'
run replay "$schedule" $papers/size_list.c --max-states=1 --json report.json \
  --dot graph.dot
expect_status 1
expect_out 'The races that decide: Not found: there are more than [0-9]+ states \(--max-states\)\.'
[ "$(jq -r .tree.reason report.json)" != null ] || fail "no reason"
grep -q 'nothing to draw: there are more than' graph.dot || fail "no reason"
run $papers/size_list.c --no-save --deciding-races=off --dot graph.dot
expect_status 2
expect_err '--dot does not go with --deciding-races=off'

# No fault: a graph all the same.
run $papers/bu_queue.c --no-save --dot graph.dot --client '{enq(1)} || {deq()}'
expect_status 0
grep -q 'label="no fault found"' graph.dot || fail "$(cat graph.dot)"

# On standard output there is the graph, and nothing else.
run $papers/lock_free_list.c --no-save --dot - \
  --client 'add(1); {remove_key(1)} || {remove_key(1)}'
expect_status 1
[ "$(sed -n '1p;$p' "$tmp/out" | tr '\n' ' ')" = 'digraph "set" { } ' ] ||
  fail "not the graph: $(head -n 1 "$tmp/out")"
expect_err 'The race that decides:'
run $papers/lock_free_list.c --no-save --dot - --trace -
expect_status 2
expect_err 'only one of them can be standard output'
finish
