#!/bin/bash
# --traces: all orders of a client in a folder, good ones and failing ones, of
# which explain makes the causes that explore has found.
. "$(dirname "$0")/common.inc"

# Causes, eliminators of single orders, and answers, without what only explore
# or only explain tells.
told() {
  jq -S '{
    causes: [.causes[] | {rank, eliminates, blocks: [.blocks[] |
      {file, function, first, last, loop}]}],
    eliminators: [.eliminators[] | {traces, eliminates, blocks: [.blocks[] |
      {file, function, first, last}]}],
    answers: (.eliminators as $e | [.answers[] | {traces, eliminators:
      [.eliminators[] | [.rank, $e[.eliminator].blocks[0].first]]}] |
      group_by(.eliminators) | map([(map(.traces) | add), .[0].eliminators])),
    failing: .traces.failing, good: .traces.good}' "$1"
}
same() { # file, client, flags
  local flags=${3:-}
  rm -rf all
  run explore "$1" --client "$2" --no-save --no-html --deciding-races=off \
    --traces all --json explore.json -- $flags
  expect_status 1
  [ "$(ls all | xargs)" = 'failing.jsonl good.jsonl' ] || fail "$(ls all)"
  jq -e .traces.complete explore.json >/dev/null || fail 'not all orders'
  run explain all --json explain.json
  expect_status 1
  told explore.json >explore.told
  told explain.json >explain.told
  cmp -s explore.told explain.told ||
    fail "explain differs: $(diff explore.told explain.told | head -40)"
  # The files by themselves say the same.
  run explain all/failing.jsonl --good-traces all/good.jsonl --json explain.json
  told explain.json >explain.told
  cmp -s explore.told explain.told || fail 'the files differ from the folder'
}
a=-DADD_SHRUNK r=-DREMOVE_SHRUNK
papers=tests/clients/papers
same $papers/rw_list.c '{a(0); r(0)} || {r(0); a(1)}' "$a $r"
same $papers/optimistic_list.c '{a(0); a(0)} || {a(1); r(1)}' $r
same $papers/ordered_avl.c '{a(1, 0); r(1, 0)} || {r(1, 0)}' $r
same examples/afek_stack.c 'push(1); {push(2)} || {pop()}; pop(); pop()'
same examples/racy_counter.c '{increment()} || {increment()}; get()'

# What a thread waits for is a trace of an error.
same tests/clients/papers/ordered_avl.c '{a(1, 0)} || {a(1, 1); r(1, 1)}' $a
grep -q '"type":"trace".*"verdict":"error"' all/failing.jsonl || fail 'no error'
grep -q '"type":"trace".*"verdict":"violation"' all/failing.jsonl ||
  fail 'no violation'
[ "$(grep -c '"type":"trace"' all/good.jsonl)" = \
  "$(jq .traces.good explore.json)" ] || fail 'good orders are missing'

# A client without a fault has good ones only, which rank those of another.  The
# folder of the run before is replaced.
run explore $papers/rw_list.c --client '{a(0)} || {r(0)}' --no-save \
  --traces all/
expect_status 0
[ "$(ls all)" = good.jsonl ] || fail "$(ls all)"
run explain all
expect_status 2
expect_err 'every trace in it has the verdict "pass"'
run explore $papers/rw_list.c --client '{a(0); a(0)} || {a(1)}' --no-save \
  --no-html --deciding-races=off --good-traces all/good.jsonl --json explore.json -- $a
expect_status 1
jq -e '.traces.given > 0' explore.json >/dev/null || fail 'nothing was given'

# ---- what cannot be written ----
client='{increment()} || {increment()}; get()'
touch all/notes
run explore examples/racy_counter.c --client "$client" --no-save --traces all
expect_status 2
expect_err 'all holds other files \(notes\), and would be replaced'
[ ! -s out ] || fail 'it was searched before'
[ -e all/notes ] && [ -e all/good.jsonl ] || fail 'the folder was touched'
run explore examples/racy_counter.c --client "$client" --no-save --traces x/y
expect_status 2
expect_err '^faultline: --traces: x: No such file or directory'
touch file
run explore examples/racy_counter.c --client "$client" --no-save --traces file
expect_status 2
expect_err 'file: is no folder'
run explore examples/racy_counter.c --client "$client" --no-save --traces ''
expect_status 2
run examples/racy_counter.c --no-save --traces new
expect_status 2
expect_err '--traces is an option of faultline explore --client only'
# A limit on the size of files: no half folder is left.
"$FAULTLINE" cc -c examples/racy_counter.c -o made.o &&
  "$FAULTLINE" cc -shared made.o -o made.so || fail 'faultline cc'
what='ulimit -f, --traces'
(ulimit -f 0 && TMPDIR=$tmp/tmp exec "$FAULTLINE" explore ./made.so --no-save \
  --no-html --client "$client" --traces new) 2>&1 >/dev/null | cat >"$tmp/err"
status=${PIPESTATUS[0]}
expect_status 2
expect_err 'faultline: new/(good|failing).jsonl: File too large'
[ -z "$(ls -d new* 2>/dev/null)" ] || fail "left: $(ls -d new*)"
finish
