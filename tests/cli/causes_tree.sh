#!/bin/bash
# Which lines must be atomic: the tree of Tables 1 and 2 of the root-causing
# paper.  Each row has an outcome that fails, and among what forbids single
# failing orders are the paper's eliminators, as the paper numbers the lines (the
# sources say so in comments).  [436,451] is the paper's merged block.
. "$(dirname "$0")/common.inc"
file=tests/clients/papers/ordered_avl.c
a=-DADD_SHRUNK r=-DREMOVE_SHRUNK

paper_line() { # line
  sed -n "$1s,.*/\* line \([0-9]*\).*,\1,p" "$file"
}

# "first-last first-last" of a cause in each line, as the paper numbers them.
as_in_paper() {
  while read -r list; do
    text=
    for block in $list; do
      text+="[$(paper_line "${block%-*}"),$(paper_line "${block#*-}")]"
    done
    echo "$text"
  done
}

row() { # flags, client, results that fail, eliminators
  local flags=$1 results=$3
  run explore "$file" --client "$2" --no-save --json report.json -- $flags
  expect_status 1
  jq -e --arg r "$results" '.outcomes | any((.allowed | not) and
    ([.results[] | tostring] | join(",")) == $r)' report.json >/dev/null ||
    fail "no outcome $results of $2"
  jq -e .traces.complete report.json >/dev/null || fail "not all orders of $2"
  seen=$(jq -r '.eliminators[] |
    [.blocks[] | "\(.first)-\(.last)"] | join(" ")' report.json | as_in_paper)
  shift 3
  for block; do
    grep -qxF -- "$block" <<<"$seen" || fail "no $block among $(echo $seen)"
  done
  # The block that is ranked first is enough for this client.
  jq -e '.causes[0].enforced' report.json >/dev/null || fail "not verified"
}

put='[271,279][448,451]'
row $a '{a(1, 0)} || {a(1, 1); r(1, 1)}' 1,-1,true "$put" '[265,271]' '[440,448]'
row $a '{r(1, 1); r(0, 1)} || {a(1, 1); a(1, 0)}' true,false,-1,1 \
  "$put" '[430,436]' '[440,448]' '[290,293][423,430]'
row $a '{r(0, 0); r(1, 0)} || {a(0, 0); a(0, 1)}' true,false,-1,0 \
  "$put" '[430,436]' '[440,448]' '[290,293][423,430]'
row $r '{a(1, 0); a(0, 0); r(0, 0)} || {r(1, 0)}' -1,-1,false,true \
  '[436,445]' '[423,436][451,454]' '[430,436]'
row $r '{a(1, 0); r(1, 0)} || {r(1, 0)}' -1,true,true '[436,451]'
row $r '{a(0, 1); r(0, 1); r(0, 0)} || {r(0, 1)}' -1,true,false,true \
  '[436,450]' '[436,451]' '[430,436]'
row "$a $r" '{a(0, 1); r(0, 1)} || {a(0, 0)}' -1,true,1 "$put"
row "$a $r" '{r(1, 0)} || {a(1, 0); a(1, 1); a(1, 0)}' true,-1,0,-1 \
  "$put" '[430,436]' '[448,454]'
row "$a $r" '{r(1, 0); a(0, 1)} || {a(0, 0); r(0, 0)}' false,0,-1,true \
  "$put" '[265,271]' '[440,448]'

# The repair of the whole library is inside of what was atomic before it was
# shrunk: [267,293] in a(), [432,454] in r().
run test "$file" --no-save --json report.json -- $a
expect_status 1
jq -e '.causes[0].enforced' report.json >/dev/null || fail "not verified"
blocks=$(jq -r '.causes[0].blocks[] | "\(.first)-\(.last)"' report.json |
  as_in_paper)
for block in $blocks; do
  first=${block#[}
  last=${first#*,}
  first=${first%,*}
  last=${last%]}
  { [ "$first" -ge 267 ] && [ "$last" -le 293 ]; } ||
    { [ "$first" -ge 432 ] && [ "$last" -le 454 ]; } ||
    fail "blamed: $block, outside of what was atomic"
done
finish
