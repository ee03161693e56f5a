#!/bin/bash
# `faultline check --method=hitting`: the linearizability depth with what proves
# it, where it is not determined, and the figures of the paper.
. "$(dirname "$0")/common.inc"
data=$SOURCE_DIR/tests/data/hitting

# ---- Figure 1 ----
run check --method=hitting "$data/figure1a.jsonl"
expect_status 0
expect_out 'first witness at d = 1.*All: 2 schedules, 1 of them a witness'
run check --method=hitting "$data/figure1b.jsonl"
expect_status 1
expect_out 'All: 2 schedules, 0 of them witnesses'

# ---- Figure 2: the counts are known (README.md of the folder) ----
run check --method=hitting "$data/figure2.jsonl"
expect_status 0
expect_out 'd = 1: 7 distinct schedules were tried, bound 7, a witness'
expect_out 'All: 1000922 schedules, 134720 of them witnesses'
expect_out 'Linearizability depth 1: .* addAll\(\[1, 2\]\) = true \(process 3, line 12\)'
run check --depth-table "$data/figure2.jsonl"
expect_out 'ConcurrentLinkedQueue +1 +14 +7 +7.00 +0.00 +48 '
run check --method=hitting "$data/figure2_changed.jsonl"
expect_status 0
expect_out 'first witness at d = 2.*Linearizability depth 2: .* removeAll\(\[1, 0\]\) = false \(process 4, line 5\) addAll\(\[1, 2\]\)'

# ---- a witness by accident: the depth is larger ----
call() { # process, name, argument
  printf '{"type":"call","process":%s,"name":"%s","args":[%s]}\n' "$@"
}
answer() { # process, result
  printf '{"type":"return","process":%s%s}\n' "$1" "${2:+,\"result\":$2}"
}
head='{"type":"history","version":1,"spec":"stack"}'
{
  echo "$head"
  call 1 pop ''; call 0 pop ''; call 2 push 1
  answer 2; answer 1 null; answer 0 1
} >three.jsonl
run check --method=hitting --json three.json three.jsonl
expect_status 0
expect_out 'first witness at d = 1.*Linearizability depth 2: every schedule that delays'
cat >want <<'END'
1 2 1 null 6 2
pop() = 1
pop() = nil
END
jq -r '.histories[0] | ([.depth] + (.linearizability_depth |
  [.depth, .more_than, .limit]) + [.schedules, .witnesses] | map(tostring) |
  join(" ")), .linearizability_depth.delayed[].operation' three.json >got
cmp -s want got || fail "JSON: $(diff want got)"
run check --depth-table three.jsonl
expect_out 'stack +first witness +1 +0 +0 +0 +0 +0 +depth +0 +1 +0 +0 +0 +0'
# The search ends at --depth.
run check --method=hitting --depth 1 three.jsonl
expect_status 0
expect_out 'Linearizability depth more than 1: --depth'

# ---- a pending operation has to take effect: only the depth explains it ----
{
  echo "$head"
  call 1 push 1; call 2 pop ''
  answer 2 1
} >pending.jsonl
run check --method=hitting --linearization order.jsonl pending.jsonl
expect_status 0
expect_out 'd = 1: .* no witness.*Linearizability depth 1: .*pop\(\) = 1 .*This pending operation takes effect: +push\(1\)'
run check order.jsonl
expect_status 0
expect_out '2 operations'
# It cannot explain everything.
sed '$s/1}/2}/' pending.jsonl >wrong.jsonl
run check --method=hitting wrong.jsonl
expect_status 3
expect_out 'Not decided: pending operations may have taken effect'

# ---- too many are pending or open ----
{
  echo "$head"
  for i in 1 2 3 4 5 6 7; do call "1$i" push "$i"; done
  call 2 pop ''; answer 2 null
} >crashed.jsonl
run check --method=hitting crashed.jsonl
expect_status 0
expect_out 'Linearizability depth not determined: too many operations are pending'
{
  echo "$head"
  for ((i = 0; i < 65; i++)); do call "$i" push 1; done
  for ((i = 0; i < 65; i++)); do answer "$i"; done
} >wide.jsonl
run check --method=hitting wide.jsonl
expect_status 0
expect_out 'Linearizability depth not determined: too many operations are open at one time'

finish
