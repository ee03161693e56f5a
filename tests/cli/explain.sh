#!/bin/bash
# Traces from files: which lines must be atomic.
. "$(dirname "$0")/common.inc"

# A trace, from a word for each access:
# thread.op.function.line.location, with ! behind it for a write.
trace() { # verdict, words
  echo "{\"type\":\"trace\",\"version\":1,\"verdict\":\"$1\"}"
  shift
  for word; do
    IFS=. read -r thread op function line var <<<"$word"
    kind=read
    [ "${var%!}" = "$var" ] || kind=write
    echo "{\"type\":\"$kind\",\"thread\":$thread,\"op\":$op,\"var\":\"${var%!}\"," \
      "\"file\":\"src/stack.c\",\"function\":\"$function\",\"line\":$line}"
  done
}

# The causes in the order of the report: rank, good ones taken away, blocks.
causes() {
  jq -r '[.causes[] | "\(.rank):\(.eliminates):" + ([.blocks[] |
    "\(.function)[\(.first),\(.last)]"] | join("+"))] | join(" ")' "$1"
}
expect_causes() {
  [ "$(causes report.json)" = "$1" ] ||
    fail "causes: $(causes report.json), expected $1"
}
expect_traces() { # failing, serializable, good
  counts=$(jq -r '.traces | "\(.failing) \(.serializable) \(.good)"' report.json)
  [ "$counts" = "$1 $2 $3" ] || fail "traces: $counts, expected $1 $2 $3"
}

# ---- Afek's stack: the failing trace of the root-causing paper's figure 1, in
# which both pops return b, with the lines of the figure ----
afek=(2.2.push.2.range! 2.2.push.3.item0! 1.1.push.2.range! 2.3.pop.5.range
  2.3.pop.8.item1 2.3.pop.9.item1! 2.3.pop.8.item0 3.4.pop.5.range
  3.4.pop.8.item1 3.4.pop.9.item1! 3.4.pop.8.item0 2.3.pop.9.item0!
  3.4.pop.9.item0! 1.1.push.3.item1!)
trace violation "${afek[@]}" >afek.jsonl
# The third thread's pop comes when the others have ended, and returns a.
good=(2.2.push.2.range! 2.2.push.3.item0! 1.1.push.2.range! 2.3.pop.5.range
  2.3.pop.8.item1 2.3.pop.9.item1! 2.3.pop.8.item0 2.3.pop.9.item0!
  1.1.push.3.item1! 3.4.pop.5.range 3.4.pop.8.item1 3.4.pop.9.item1!)
trace pass "${good[@]}" >good.jsonl

run explain afek.jsonl --json report.json
expect_status 1
expect_out '^Which lines must be atomic: 1 order of conflicting accesses fails\.'
expect_out 'It cannot happen if one of these is atomic:'
expect_out 'lines 2-3 of stack\.c, in push\(\) '
expect_out 'lines 8-9 of stack\.c, in pop\(\), in each round of this loop '
expect_no out 'good'
expect_narrow
expect_traces 1 0 0

run explain afek.jsonl --good-traces good.jsonl --json report.json
expect_status 1
expect_out '1 of 2 orders of conflicting accesses fails'
expect_out '1\. lines 8-9 of stack\.c, in pop\(\), in each round of this loop: no correct order is lost '
expect_out '2\. lines 2-3 of stack\.c, in push\(\): 1 of 1 correct order is lost '
expect_causes '1:0:pop[8,9] 2:1:push[2,3]'
expect_traces 1 0 1

# A good trace beside the failing one says so itself.
cat afek.jsonl good.jsonl >both.jsonl
run explain both.jsonl --json report.json
expect_status 1
expect_causes '1:0:pop[8,9] 2:1:push[2,3]'

# An order counts once, however often and in whatever order of what does not
# conflict: two reads, here.
same=("${afek[@]}")
same[6]=${afek[7]} same[7]=${afek[6]}
trace violation "${same[@]}" >same.jsonl
run explain afek.jsonl same.jsonl afek.jsonl --good-traces good.jsonl \
  --good-traces good.jsonl --json report.json
expect_status 1
expect_causes '1:0:pop[8,9] 2:1:push[2,3]'
expect_traces 1 0 1

# Nor does it matter where the locations lie.
sed 's/"var":"range"/"var":"zone"/' afek.jsonl >moved.jsonl
sed 's/"var":"item0"/"addr":"0x1000","size":8/' afek.jsonl >addr.jsonl
run explain afek.jsonl moved.jsonl addr.jsonl --json report.json
expect_traces 1 0 0

# Another order is another one; the same order can be failing and good.
trace violation 1.1.f.1.n 2.2.f.1.n 1.1.f.2.n! 2.2.f.2.n! >lost1.jsonl
trace violation 1.1.f.1.n 2.2.f.1.n 2.2.f.2.n! 1.1.f.2.n! >lost2.jsonl
run explain lost1.jsonl lost2.jsonl --json report.json
expect_traces 2 0 0
sed 's/violation/pass/' afek.jsonl >passes.jsonl
run explain afek.jsonl --good-traces passes.jsonl --json report.json
expect_traces 1 0 1
expect_causes '1:1:push[2,3] 2:1:pop[8,9]'

run explain afek.jsonl --json -
expect_status 1
jq -e '.faultline == 1 and .complete and (.serializable | not)
  and .causes[0].blocks[0].file == "src/stack.c"
  and .causes[0].blocks[0].of == "lines"' out >/dev/null || fail "no such JSON"
expect_err 'Which lines must be atomic:'

# ---- figure 3: one operation is interrupted by two of the other thread ----
figure_3() {
  sed 's/"file".*"line":[0-9]*/"column":1/' <(trace violation 1.1.f.1.x! \
    2.2.g.5.p 2.2.g.6.x 2.3.h.7.q 2.3.h.8.y! 1.1.f.2.r 1.1.f.3.y 1.1.f.4.y)
}
trace violation 1.1.f.1.x! 2.2.g.5.p 2.2.g.6.x 2.3.h.7.q 2.3.h.8.y! 1.1.f.2.r \
  1.1.f.3.y 1.1.f.4.y >figure3.jsonl
run explain figure3.jsonl --json report.json
expect_status 1
expect_causes '1:0:f[1,3]'

# Without places: the operation, and which of its accesses.
figure_3 >nowhere.jsonl
run explain nowhere.jsonl --json report.json
expect_status 1
expect_out '1\. accesses 1-3 of operation 1 '
expect_causes '1:0:operation 1[1,3]'
jq -e '.causes[0].blocks[0] | .of == "accesses" and .file == null' \
  report.json >/dev/null || fail "blocks: $(jq -c .causes report.json)"
sed '1a {"type":"call","thread":1,"op":1,"name":"move"}' nowhere.jsonl \
  >named.jsonl
run explain named.jsonl
expect_status 1
expect_out '1\. accesses 1-3 of move\(\) '
# Two functions in one execution of an operation are no block of either.
sed '2s/"function":"f"/"function":"e"/' figure3.jsonl >mixed.jsonl
run explain mixed.jsonl
expect_status 1
expect_out '1\. accesses 1-3 of operation 1 '
# A line alone, and a line of a function.
sed 's/"file":[^,]*,//' figure3.jsonl >no_file.jsonl
run explain no_file.jsonl
expect_out '1\. lines 1-3 of f\(\) '
sed 's/"file".*"line"/"line"/' figure3.jsonl >line.jsonl
run explain line.jsonl
expect_out '1\. lines 1-3 $'

# ---- calls: the block is in the function that contains both ends ----
called() { # activations of the four accesses of thread 1
  echo '{"type":"trace","version":1}'
  local site='"calls":[{"file":"a.c","function":"outer","line":LINE}]'
  local i=0 words=(read:20:10 write:21:10 read:20:11 write:21:11)
  for number; do
    IFS=: read -r kind line call <<<"${words[i]}"
    [ $i = 2 ] && echo '{"type":"write","thread":2,"op":2,"var":"n","file":"a.c","function":"set","line":40}'
    echo "{\"type\":\"$kind\",\"thread\":1,\"op\":1,\"var\":\"n\",\"file\":\"a.c\"," \
      "\"function\":\"inner\",\"line\":$line,${site/LINE/$call}," \
      "\"activations\":[$number,1]}"
    i=$((i + 1))
  done
}
called 2 2 3 3 >two_calls.jsonl # interrupted between two calls of inner
run explain two_calls.jsonl --json report.json
expect_status 1
expect_causes '1:0:outer[10,11]'
# One number for an execution that was left in between is not believed.
called 2 2 2 2 | sed 's/"line":11}\]/"line":10}]/' >one_call.jsonl
run explain one_call.jsonl --json report.json
expect_causes '1:0:inner[20,21]'
called 2 2 2 2 | sed 's/"line":11}\]/"line":10}]/' |
  sed '4i {"type":"read","thread":1,"op":1,"var":"m","file":"a.c","function":"outer","line":9,"activations":[1]}' \
    >left.jsonl
run explain left.jsonl --json report.json
expect_causes '1:0:outer[9,10]'

{
  called 2 2 | head -2
  called 3 | tail -1 | sed 's/20/25/; s/"n"/"m"/; s/"line":10}/"line":12}/'
  called 2 2 3 | tail -2 | head -1
  called 2 2 | tail -1
} >left_for_another.jsonl
run explain left_for_another.jsonl --json report.json
expect_causes '1:0:outer[10,12]'

# ---- several traces: what forbids them all ----
lost() { # function, first line
  trace violation 1.1.$1.$2.n 2.2.$1.$2.n 1.1.$1.$(($2 + 1)).n! \
    2.2.$1.$(($2 + 1)).n!
}
lost inc 7 >inc.jsonl
lost dec 17 >dec.jsonl
run explain inc.jsonl dec.jsonl --json report.json
expect_status 1
expect_causes '1:0:dec[17,18]+inc[7,8]'
expect_traces 2 0 0
expect_out '2 orders of conflicting accesses fail\. None of these can happen'
expect_out 'lines 17-18 of stack\.c, in dec\(\); and lines 7-8 of stack\.c, in inc\(\)'
cat inc.jsonl dec.jsonl >one_file.jsonl
run explain one_file.jsonl --json report.json
expect_causes '1:0:dec[17,18]+inc[7,8]'

# ---- nothing is interrupted ----
trace violation 1.1.f.1.x 1.1.f.2.x! 2.2.g.3.x 2.2.g.4.x! >whole.jsonl
run explain whole.jsonl --json report.json
expect_status 0
expect_out '^serializable: nothing has to be atomic $'
jq -e '.serializable and .causes == []' report.json >/dev/null || fail "JSON"
run explain whole.jsonl inc.jsonl --json report.json
expect_status 1
expect_out 'Of these 1 is serializable: .* The other cannot happen if'
expect_causes '1:0:inc[7,8]'
expect_traces 2 1 0

# The example of docs/trace.md.
trace violation 1.0.add.7.n 2.1.add.7.n 1.0.add.8.n! 2.1.add.8.n! |
  sed 's,src/stack.c,counter.c,' >counter.jsonl
run explain counter.jsonl
expect_status 1
expect_out '1\. lines 7-8 of counter\.c, in add\(\) $'

# Only the real-time order is broken: g() is over when h() begins, yet h() comes
# before f(), and f() before g().
{
  trace violation 1.1.f.1.x!
  trace violation 2.2.g.5.x | tail -1
  echo '{"type":"return","thread":2,"op":2}'
  trace violation 3.3.h.8.y! 1.1.f.2.y | tail -2
} >real_time.jsonl
run explain real_time.jsonl --json report.json
expect_status 1
expect_causes '1:0:f[1,2]'
grep -v return real_time.jsonl >no_return.jsonl
run explain no_return.jsonl
expect_status 0

# ---- each failing trace by itself ----
# afek.jsonl has two eliminators, and the good trace is one that push[2,3] takes
# away; in lost1.jsonl and lost2.jsonl the same lines are the only one.
answers() { # traces : rank.eliminates.function[first,last] ...
  jq -r '.eliminators as $e | [.answers[] | "\(.traces):" + ([.eliminators[] |
    "\(.rank).\($e[.eliminator].eliminates)." + ([$e[.eliminator].blocks[] |
    "\(.function)[\(.first),\(.last)]"] | join("+"))] | join(","))] |
    join(" ")' report.json
}
expect_answers() {
  [ "$(answers)" = "$1" ] || fail "answers: $(answers), expected $1"
}
run explain afek.jsonl lost1.jsonl lost2.jsonl --good-traces good.jsonl \
  --json report.json
expect_answers '2:1.0.f[1,2] 1:1.0.pop[8,9],2.1.push[2,3]'
jq -e '.eliminators_complete and ([.eliminators[].traces] == [2, 1, 1])' \
  report.json >/dev/null || fail "$(jq -c .eliminators report.json)"

# ---- figure 4: threads in a ring, k conflicts from each to the next, have k^n
# eliminators.  ----
ring() { # verdict, threads, conflicts
  local n=$2 k=$3 i j
  echo "{\"type\":\"trace\",\"version\":1,\"verdict\":\"$1\"}"
  access() { # type, thread, location, line
    echo "{\"type\":\"$1\",\"thread\":$2,\"op\":$2,\"var\":\"$3\"," \
      "\"file\":\"t.c\",\"function\":\"f$2\",\"line\":$4}"
  }
  for ((i = 0; i < n; i++)); do
    for ((j = 0; j < k; j++)); do access write $i "v$i.$j" $((j + 1)); done
  done
  for ((i = 0; i < n; i++)); do
    for ((j = 0; j < k; j++)); do
      access read $i "v$(((i + n - 1) % n)).$j" $((k + j + 1))
    done
  done
}
for size in '3 4 64' '4 3 81' '5 4 1024'; do
  read -r n k all <<<"$size"
  ring violation $n $k >ring.jsonl
  run explain ring.jsonl --json report.json
  expect_status 1
  jq -e --argjson n "$n" --argjson all "$all" '.complete and
    .eliminators_complete and (.causes | length) == $all and
    (.causes | unique | length) == $all and
    (.eliminators | length) == $all and
    (.answers | length) == 1 and (.answers[0].eliminators | length) == $all and
    ([.causes[].blocks | length] | unique) == [$n]' report.json >/dev/null ||
    fail "$n threads and $k conflicts: $(jq -c '[.complete,
      .eliminators_complete, (.causes | length), (.eliminators | length)]' \
      report.json), expected $all"
done

# ---- what cannot be understood ----
bad() { # sed command, reason
  sed "$1" afek.jsonl >bad.jsonl
  run explain bad.jsonl
  expect_status 2
  expect_err "$2"
  run explain afek.jsonl --good-traces bad.jsonl
  expect_status 2
  expect_err "$2"
}
bad 1d 'bad.jsonl:1: this is no trace: the first line is not a header'
bad '3s/.$//' 'bad.jsonl:3: not JSON'
bad '4s/read\|write/reed/' 'bad.jsonl:4: unknown type "reed"'
bad '5s/"op":3/"op":1/' 'bad.jsonl:5: operation 1 belongs to thread 1'
bad '2s/"var"/"vor"/' 'bad.jsonl:2: write without "addr" or "var"'
bad 's/"version":1/"version":7/' 'bad.jsonl:1: version 7 of trace files is not'
bad '1,$d' 'bad.jsonl: holds no trace'
run explain missing.jsonl
expect_status 2
expect_err 'missing.jsonl: No such file'
run explain
expect_status 2
expect_err 'give a file of failing traces'
run explain good.jsonl
expect_status 2
expect_err 'good.jsonl: every trace in it has the verdict "pass"'
run explain afek.jsonl --good-traces both.jsonl
expect_status 2
expect_err 'both.jsonl:1: this trace fails, so it is no good trace'
run explain afek.jsonl --god-traces x
expect_status 2
expect_err 'did you mean --good-traces'
run explain afek.jsonl --json nowhere/report.json
expect_status 2
run explain --help
expect_status 0
expect_out '^Usage: faultline explain TRACE.jsonl'
expect_narrow
finish
