#!/bin/bash
# Which lines must be atomic: the two lists of Tables 1 and 2 of the
# root-causing paper.  A row is the client, what of the library is shrunk, how
# many orders of conflicting accesses fail and are good, and the lines of the
# best cause as the paper numbers them (the sources say so in comments).
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report

# The paper's number of a line: "/* line 27 */" behind it.
paper_line() { # file, line
  sed -n "$2s,.*/\* line \([0-9]*\).*,\1,p" "$1"
}

row() { # file, flags, client, failing, good, blocks
  local file=tests/clients/papers/$1.c flags=$2
  run explore "$file" --client "$3" --no-save --json report.json -- $flags
  expect_status 1
  counts=$(jq -r '"\(.traces.failing)/\(.traces.good) \(.traces.complete)"' \
    report.json)
  [ "$counts" = "$4/$5 true" ] || fail "orders: $counts, expected $4/$5"
  blocks=
  while read -r first last; do
    blocks+="[$(paper_line "$file" "$first"),$(paper_line "$file" "$last")]"
  done < <(jq -r '.causes[0].blocks[] | "\(.first) \(.last)"' report.json)
  [ "$blocks" = "$6" ] || fail "blamed: $blocks, expected $6"
}
a=-DADD_SHRUNK r=-DREMOVE_SHRUNK

row rw_list $a '{c(1); r(1); a(1)} || {a(1)}' 2 4 '[27,35]'
row rw_list $a '{a(0); a(1)} || {a(0)}' 3 2 '[27,35]'
row rw_list $a '{a(0); a(0)} || {a(1)}' 1 4 '[27,35]'
row rw_list $r '{a(0); a(0); r(0)} || {r(0)}' 2 4 '[48,54]'
row rw_list $r '{a(0); a(0)} || {a(1); r(1)}' 1 4 '[48,54]'
row rw_list $r '{r(0)} || {a(0); r(0)}' 2 3 '[48,54]'
row rw_list "$a $r" '{a(0); r(0)} || {r(0); a(1)}' 5 10 '[27,35][48,54]'
row rw_list "$a $r" '{a(1); r(1)} || {a(0)}' 1 8 '[27,35]'
row rw_list "$a $r" '{c(0); a(1); r(1); c(0)} || {r(1)}' 3 3 '[48,54]'

row optimistic_list $a '{a(0); a(0)} || {a(1)}' 2 6 '[51,56]'
row optimistic_list $a '{a(0); a(1)} || {a(0)}' 4 4 '[51,56]'
row optimistic_list $a '{a(0)} || {c(1); a(0)}' 2 5 '[51,56]'
row optimistic_list $r '{c(0); a(1); r(1); c(0)} || {r(1)}' 6 10 '[78,80]'
row optimistic_list $r '{a(0); r(0)} || {r(0); a(1)}' 8 28 '[78,80]'
row optimistic_list $r '{a(0); a(0)} || {a(1); r(1)}' 4 13 '[78,80]'
row optimistic_list "$a $r" '{a(0); a(0); r(0)} || {r(0)}' 4 14 '[78,80]'
row optimistic_list "$a $r" '{a(0)} || {a(0); r(1)}' 4 4 '[51,56]'
row optimistic_list "$a $r" '{c(1); r(1); a(1)} || {a(1)}' 2 7 '[51,56]'

# Afek's stack: [8,9] of the figure before [2,3], and it is enough.
run examples/afek_stack.c --no-save --json report.json
expect_out 'error: pop\(\) is not atomic: lines 41-42 can be interrupted'
jq -e '.causes | map([.blocks[0].first, .blocks[0].last, .enforced])
  == [[41, 42, true], [34, 35, false]]' report.json >/dev/null ||
  fail "causes: $(jq -c .causes report.json)"

# How it could be done: one instruction, or the lock that is there, earlier.
expect_out 'replace the read of line 41 and the write of line 42 by __atomic_exchange_n\(&s->items\[i\], EMPTY, __ATOMIC_SEQ_CST\) \(tried: compiled and searched, no fault\)'
run examples/racy_counter.c --no-save
expect_out 'To make it atomic, declare counter _Atomic at line 15: `counter\+\+` is one step then \(tried: '

# The failing execution as a file gives the same two blocks.
run examples/afek_stack.c --no-save --trace afek.jsonl
run explain afek.jsonl
expect_status 1
expect_out 'lines 41-42 of afek_stack.c, in pop\(\)'
expect_out 'lines 34-35 of afek_stack.c, in push\(\)'
run examples/afek_stack.c --trace /nowhere/afek.jsonl
expect_status 2

# Good traces from elsewhere rank too: in this one a push comes between the two
# lines of a pop, and does no harm.
stranger() { # file name
  echo '{"type":"trace","version":1,"verdict":"pass"}'
  while IFS=. read -r thread op function line var kind; do
    echo "{\"type\":\"$kind\",\"thread\":$thread,\"op\":$op,\"var\":\"$var\"," \
      "\"file\":\"$1\",\"function\":\"$function\",\"line\":$line}"
  done <<END
2.1.pop.41.item.read
1.0.push.34.range.write
1.0.push.35.item.write
2.1.pop.42.item.write
END
}
stranger examples/afek_stack.c >good.jsonl
run explore examples/afek_stack.c --client '{push(1)} || {pop()}; pop()' \
  --no-save --good-traces good.jsonl --json report.json
expect_status 1
expect_out 'lines 41-42 of afek_stack.c, in pop\(\), in each round of the loop in lines [0-9-]+: 1 of 4 correct orders is lost'
expect_out 'lines 34-35 of afek_stack.c, in push\(\): 1 of 4 correct orders is lost'
expect_out 'Of the correct orders 1 is from the files given\.'
jq -e '.traces | [.failing, .good, .given, .foreign] == [1, 4, 1, 0]' report.json \
  >/dev/null || fail "traces: $(jq -c .traces report.json)"
stranger elsewhere/afek_stack.c >other.jsonl
run examples/afek_stack.c --no-save --good-traces other.jsonl
expect_out '1 of these never comes to a source file that is named here\.'
echo '{"type":"read"' >broken.jsonl
run examples/afek_stack.c --no-save --good-traces broken.jsonl
expect_status 2
expect_err 'broken.jsonl:1'
sed -i 's/"pass"/"violation"/' good.jsonl
run examples/afek_stack.c --no-save --good-traces good.jsonl
expect_status 2
expect_err 'this trace fails, so it is no good trace'

# A lock inside of the lines is told.
run tests/clients/papers/simple_list.c --no-save
expect_out 'A thread inside may have to wait for a lock; executions in which it would were left out'
expect_out 'take pthread_mutex_lock\(&l->lock\) of line 85 before line 77 in add\(\) \(tried: '
finish
