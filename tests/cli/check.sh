#!/bin/bash
# `faultline check`: verdicts, exit status, reports, and what is refused.
. "$(dirname "$0")/common.inc"

cat >fifo.jsonl <<'END'
{"type":"history","version":1,"spec":"queue"}
{"type":"call","process":1,"name":"enq","args":[2]}
{"type":"return","process":1}
{"type":"call","process":1,"name":"enq","args":[3]}
{"type":"call","process":4,"name":"enq","args":[7]}
{"type":"return","process":1}
{"type":"call","process":2,"name":"deq","args":[]}
{"type":"return","process":4}
{"type":"return","process":2,"result":3}
{"type":"call","process":2,"name":"deq","args":[]}
{"type":"return","process":2,"result":2}
END
head -3 fifo.jsonl >fine.jsonl
sed 's/"result":3/"result":2/; s/"result":2}$/"result":2}/' fifo.jsonl |
  sed '$s/2}/3}/' >right.jsonl
cat fine.jsonl fifo.jsonl right.jsonl >three.jsonl

# ---- verdicts and status ----
run check fine.jsonl
expect_status 0
expect_out '^fine.jsonl: linearizable \(queue, 1 operation; monitor: queue\)'
run check fifo.jsonl
expect_status 1
expect_out '^fifo.jsonl: violation \(queue, 5 operations; monitor: queue\)'
expect_out '3 was dequeued before 2, but was enqueued after it'
expect_out 'Until deq\(\) = 3 \(process 2, line 7\) returns, the history is linearizable'
expect_out '3 operations that no order explains \(\*\), none of which can be left'
expect_out '\* p2 +deq\(\) = 3 +╞═+╡'
expect_out 'enq\(2\), enq\(3\); then deq\(\) = 3 would have to return 2'
expect_narrow
LC_ALL=C run check fifo.jsonl
expect_out '\* p2 +deq\(\) = 3 +\[=+\]'
run check three.jsonl -q
expect_status 1
expect_out '^three.jsonl #1: linearizable.* three.jsonl #2: violation.* three.jsonl #3: linearizable'
[ "$(wc -l <"$tmp/out")" = 3 ] || fail "more than a line a history"
for how in --no-monitor --no-partition --method=exact --method=frontier \
  --method=linearize --method=monitor --method=hitting; do
  run check three.jsonl -q "$how"
  expect_status 1
  expect_out '#1: linearizable.* #2: violation.* #3: linearizable'
done
run check --method=hitting --depth 1 fifo.jsonl
expect_status 3
expect_out 'd = 1: [0-9]+ distinct schedules, bound [0-9]+, no witness'
expect_out 'Not decided: no witness up to --depth'
run check --method=hitting right.jsonl
expect_out 'hitting, first witness at d = [12]\)'
gzip -k fifo.jsonl
run check fifo.jsonl.gz
expect_status 1

# ---- [a b] of Jepsen: a key and a value, or a value ----
cat >vector.edn <<'END'
{:process 0, :type :invoke, :f :write, :value [1 2]}
{:process 0, :type :ok, :f :write, :value [1 2]}
{:process 1, :type :invoke, :f :cas, :value [[1 2] [3 4]]}
{:process 1, :type :ok, :f :cas, :value [[1 2] [3 4]]}
{:process 1, :type :invoke, :f :read, :value nil}
{:process 1, :type :ok, :f :read, :value [1 2]}
END
for how in '' --spec=cas-register '--spec=cas-register --method=online'; do
  run check vector.edn $how
  expect_status 1
  expect_out 'violation \(cas-register, 3 operations'
  expect_out 'read\(\) = \[1, 2\]'
done
run check vector.edn
expect_out 'write\(\[1, 2\]\)'
sed 's/:cas, :value .*/:write, :value [3 4]}/' vector.edn >vectors.edn
sed -i 's/:read, :value nil/:read, :value [1 nil]/' vectors.edn
for how in '' --spec=registers '--spec=registers --method=online'; do
  run check vectors.edn $how
  expect_status 0
  expect_out 'linearizable \(registers, 3 operations'
done
# Completed histories have the result in the call.
sed 's/:read, :value .*/:read, :value [3 4]}/' vector.edn >complete.edn
run check --spec=cas-register complete.edn
expect_status 0
expect_out 'linearizable \(cas-register, 3 operations'
sed 's/:read, :value .*/:read, :value [1 3]}/' vectors.edn >complete.edn
for how in '' '--spec=registers --method=online'; do
  run check complete.edn $how
  expect_status 1
  expect_out 'violation \(registers, 3 operations'
done

# ---- standard input ----
for how in auto online; do
  what="faultline check --method=$how -"
  "$FAULTLINE" check --method=$how - <fine.jsonl >"$tmp/out"
  expect_out '^standard input: linearizable'
done

# ---- messages about operations ----
cat >nokey.txt <<'END'
{:process 0, :type :invoke, :f :put, :value "b"}
END
run check --format kv nokey.txt
expect_status 2
expect_err 'nokey.txt:1:32: put\(\): after the key 1 argument expected'
cat >byop.jsonl <<'END'
{"type":"call","op":5,"name":"write","args":[1]}
{"type":"return","op":7}
END
run check --spec=register byop.jsonl
expect_status 2
expect_err 'byop.jsonl:2:1: operation 7 returns, but was not called'

# ---- sentences ----
# They are about the core, and say so where it is not everything.
cat >scan.jsonl <<'END'
{"type":"history","version":1,"spec":"snapshot","argument":2}
{"type":"call","process":1,"name":"update","args":[1,2]}
{"type":"return","process":1}
{"type":"call","process":1,"name":"update","args":[0,1]}
{"type":"return","process":1}
{"type":"call","process":2,"name":"scan"}
{"type":"return","process":2,"result":[1,1]}
END
run check scan.jsonl
expect_out 'scan\(\) = \[1, 1\] of process 2 fits nowhere: after the other core operations, it would'
cat >subtract.jsonl <<'END'
{"type":"history","version":1,"spec":"counter"}
{"type":"call","process":1,"name":"fetch_sub","args":[3]}
{"type":"call","process":2,"name":"dec_fetch"}
{"type":"return","process":2,"result":-2}
{"type":"return","process":1,"result":-1}
END
run check subtract.jsonl
expect_out 'dec_fetch\(\) = -2 of process 2 fits nowhere: as the first operation, it would return -1'
cat >twice.jsonl <<'END'
{"type":"history","version":1,"spec":"mutex"}
{"type":"call","process":1,"name":"acquire"}
{"type":"return","process":1}
{"type":"call","process":2,"name":"release"}
{"type":"return","process":2}
{"type":"call","process":1,"name":"release"}
{"type":"return","process":1}
END
run check twice.jsonl
expect_out 'release\(\) of process 1 fits nowhere: after the others, it would return false'
# The core is about the fault that comes first, and has who wrote what it shows:
# not the cas, which is right, nor a read that is open at that time.
cat >first.edn <<'END'
{:process 0 :type :invoke :f :write :value 4} {:process 0 :type :ok :f :write :value 4}
{:process 0 :type :invoke :f :cas :value [4 0]} {:process 0 :type :ok :f :cas :value [4 0]}
{:process 0 :type :invoke :f :cas :value [0 4]} {:process 0 :type :ok :f :cas :value [0 4]}
{:process 2 :type :invoke :f :read :value nil}
{:process 0 :type :invoke :f :write :value 0} {:process 0 :type :ok :f :write :value 0}
{:process 1 :type :invoke :f :read :value nil} {:process 1 :type :ok :f :read :value 4}
{:process 0 :type :invoke :f :write :value 3} {:process 0 :type :ok :f :write :value 3}
{:process 2 :type :ok :f :read :value 3}
{:process 1 :type :invoke :f :read :value nil} {:process 1 :type :ok :f :read :value 7}
END
run check first.edn --no-monitor
expect_out 'read\(\) = 4 of process 1 fits nowhere: after the other core operations, it would return 0'
expect_out 'Until read\(\) = 4 \(process 1, line 6\) returns'
expect_out '\* p0 +write\(4\).*\* p0 +write\(0\).*\* p1 +read\(\) = 4'
expect_out '3 operations that no order explains'
# What appends make together, nobody wrote alone.
{
  echo '{"type":"history","version":1,"spec":"kv"}'
  for call in '"append","args":["k","a"]' '"append","args":["k","b"]' \
    '"append","args":["k","c"]'; do
    echo "{\"type\":\"call\",\"process\":1,\"name\":$call}"
    echo '{"type":"return","process":1}'
  done
  echo '{"type":"call","process":1,"name":"get","args":["k"]}'
  echo '{"type":"return","process":1,"result":"ab"}'
} >appended.jsonl
run check appended.jsonl
expect_out 'get\("k"\) = "ab" of process 1 fits nowhere: after the others, it would return "abc"'
expect_out '4 operations that no order explains'
# Known places hold for operations that never returned, too.
cat >hint.jsonl <<'END'
{"type":"history","spec":"register"}
{"type":"call","process":1,"name":"write","args":[1],"order":1}
{"type":"call","process":2,"name":"write","args":[2],"order":2}
{"type":"return","process":2}
{"type":"call","process":2,"name":"read"}
{"type":"return","process":2,"result":1}
END
run check hint.jsonl
expect_status 1
expect_out 'write\(1\), write\(2\); then read\(\) = 1 would have to return 2'
# Of long values they show the beginning and the end, and where two differ.
{
  echo '{"type":"history","version":1,"spec":"list-append"}'
  for i in $(seq 300); do
    echo "{\"type\":\"call\",\"process\":1,\"name\":\"append\",\"args\":[7,$i]}"
    echo '{"type":"return","process":1}'
  done
  for last in "299,300" "300,299"; do
    echo '{"type":"call","process":1,"name":"read","args":[7]}'
    echo "{\"type\":\"return\",\"process\":1,\"result\":[$(seq -s, 298),$last]}"
  done
} >long.jsonl
run check long.jsonl
expect_status 1
expect_out 'is the beginning of the other: item 299 is 300 in one and 299 in the other'
expect_out 'read\(7\) = \[1, 2, .* \.\.\. .*299, 300\]'
[ "$(wc -l <"$tmp/out")" -lt 60 ] || fail "long values are shown as a whole"

# ---- the type ----
sed 1d fifo.jsonl >unnamed.jsonl
run check unnamed.jsonl -q
expect_status 1
expect_out 'violation \(queue'
run check unnamed.jsonl -q --spec=deque
expect_out 'violation \(deque'
run check unnamed.jsonl -q --spec=queue --spec-arg=1
expect_status 1
run check unnamed.jsonl --spec=quue
expect_status 2
expect_err 'quue'
run check fifo.jsonl -q --spec=deque # though the file says queue
expect_out 'violation \(deque'
run check fifo.jsonl -q --spec=./missing.so
expect_status 2
expect_err 'missing.so'
printf '%s\n' '{"type":"call","process":1,"name":"read","args":[]}' \
  '{"type":"return","process":1,"result":5}' >initial.jsonl
run check initial.jsonl --spec=register -q
expect_status 1
run check initial.jsonl --spec=register --initial=5 -q
expect_status 0

# ---- a type of one's own, with several next states ----
cat >coin.c <<'END'
#include <faultline/spec.h>
#include <stdlib.h>
#include <string.h>
static void *side(int up) {
  char *s = malloc(1);
  *s = (char)up;
  return s;
}
static void *init(const struct fl_datum *argument) {
  (void)argument;
  return side(0);
}
static size_t apply(const void *state, const struct fl_operation *op,
                    void **next, size_t max) {
  int up = *(const char *)state;
  (void)max;
  if (!strcmp(op->name, "flip")) {
    next[0] = side(0);
    next[1] = side(1);
    return 2;
  }
  if (!op->pending && op->result.number != up)
    return 0;
  next[0] = side(up);
  return 1;
}
static uint64_t hash(const void *s) { return *(const unsigned char *)s; }
static bool equal(const void *a, const void *b) { return !memcmp(a, b, 1); }
static void print(const void *s, char *text, size_t size) {
  strncpy(text, *(const char *)s ? "up" : "down", size);
}
const struct fl_model fl_model = {.version = FL_MODEL_VERSION,
                                  .operations = "flip look", .init = init,
                                  .apply = apply, .hash = hash,
                                  .equal = equal, .print = print,
                                  .release = free};
END
"$CC" -shared -fPIC -I "$SOURCE_DIR/include" -o coin.so coin.c || fail "coin.c"
look() {
  printf '%s\n' '{"type":"call","process":1,"name":"look"}' \
    "{\"type\":\"return\",\"process\":1,\"result\":$1}"
}
{
  sed 's/look/flip/; s/,"result":1//' <(look 1)
  look 1
} >coin.jsonl
run check coin.jsonl --spec=./coin.so
expect_status 0
look 0 >>coin.jsonl
run check coin.jsonl --spec=./coin.so --json -
expect_status 1
# The flip alone makes the first look right: it belongs to the core.
jq -e '.histories[0] | .core_is_minimal and .stuck.id == 3 and
  ([.core[].id] == [1, 2, 3])' "$tmp/out" >/dev/null ||
  fail "JSON: $(cat "$tmp/out")"

# One that crashes, never returns, or says more than it wrote is to blame.
worse() { # name, statement
  sed "s/^static size_t apply.*/&/; s/  if (!op->pending && op->result/  $2\n&/" \
    coin.c >"$1.c"
  "$CC" -w -shared -fPIC -I "$SOURCE_DIR/include" -o "$1.so" "$1.c" || fail "$1.c"
}
worse null '*(volatile int *)0 = 1;'
worse abort 'abort();'
worse leaves 'exit(0);'
worse endless 'for (;;) ;'
worse empty 'return 1;'
for jobs in 1 2; do
  for object in null abort; do
    run check coin.jsonl --spec=./$object.so -j $jobs
    expect_status 2
    expect_err "^faultline: ./$object.so: apply of look crashed"
  done
  run check coin.jsonl --spec=./leaves.so -j $jobs
  expect_status 2
  expect_err '^faultline: ./leaves.so: apply of look ended the process'
  run check coin.jsonl --spec=./endless.so --time 0.1 -j $jobs
  expect_status 3
  expect_err './endless.so: apply of look did not return within --time'
  run check coin.jsonl --spec=./empty.so -j $jobs
  expect_status 2
  expect_err './empty.so: apply of look has not written the states'
done

# Histories that may take long are shared out, also when they are short: each
# process opens the type.
sed 's/^static size_t apply.*/#include <unistd.h>\n&/
  s/  if (!op->pending/  { static int told; if (!told++) fprintf(stderr, "pid %d\\n", getpid()); }\n&/' \
  coin.c >pid.c
sed -i '1i #include <stdio.h>' pid.c
"$CC" -w -shared -fPIC -I "$SOURCE_DIR/include" -o pid.so pid.c || fail "pid.c"
for _ in $(seq 300); do look 0; done >zeros.jsonl
cp zeros.jsonl zeros2.jsonl
run check zeros.jsonl zeros2.jsonl --spec=./pid.so -j 2
expect_status 0
[ "$(grep '^pid ' "$tmp/err" | sort -u | wc -l)" = 2 ] ||
  fail "processes: $(cat "$tmp/err")"

# Of a long counter, what came before a read is left out, and that is said.
awk 'BEGIN {
  print "{\"type\":\"history\",\"version\":1,\"spec\":\"counter\"}"
  for (i = 1; i <= 100; i++) {
    print "{\"type\":\"call\",\"process\":1,\"name\":\"inc\"}"
    print "{\"type\":\"return\",\"process\":1}"
    if (i % 10) continue
    print "{\"type\":\"call\",\"process\":2,\"name\":\"get\"}"
    printf "{\"type\":\"return\",\"process\":2,\"result\":%d}\n", i < 100 ? i : 107
  }
}' >counter.jsonl
run check counter.jsonl --json counter.json --html counter.html
expect_status 1
expect_out '2 operations that no order explains \(\*\), none of which can be left'
expect_out 'Operations before get\(\) = 90 \(process 2, line 198\) are left out: it'
expect_out 'get\(\) = 107 would have to return 90'
jq -e '.histories[0] | .core_is_minimal and .since.operation == "get() = 90" and
  .prefix.operation == "get() = 107"' counter.json >/dev/null ||
  fail "JSON: $(cat counter.json)"
grep -q '"since":99' counter.html || fail "the page does not have the read"

# What has only failed does not belong to the reason.
cat >lock.jsonl <<'END'
{"type":"history","version":1,"spec":"mutex"}
{"type":"call","process":1,"name":"release"}
{"type":"return","process":1,"result":false}
{"type":"call","process":1,"name":"acquire"}
{"type":"return","process":1,"result":true}
{"type":"call","process":1,"name":"release"}
{"type":"return","process":1,"result":false}
END
run check lock.jsonl --json -
expect_status 1
jq -e '.histories[0] | .core_is_minimal and ([.core[].id] == [2, 3])' \
  "$tmp/out" >/dev/null || fail "JSON: $(cat "$tmp/out")"

# ---- JSON ----
run check three.jsonl --json -
expect_status 1
jq -e '.histories | length == 3 and ([.[].index] == [1, 2, 3]) and
  ([.[].verdict] == ["linearizable", "violation", "linearizable"]) and
  all(.[]; .source == "three.jsonl" and .method and has("depth")) and
  (.[1] | .core_is_minimal and .prefix_is_shortest and
    ([.core[].operation] == ["enq(2)", "enq(3)", "deq() = 3"]) and
    .stuck.id == 4 and .prefix.id == 4 and .core[0].line == 5 and
    .partial_linearizations[0].order == [1, 2] and
    .partial_linearizations[0].refused == [{"id": 4, "would_return": "2"}])' \
  "$tmp/out" >/dev/null || fail "JSON: $(cat "$tmp/out")"
expect_err 'violation'

# The same whatever the number of processes, in the same order.
for i in $(seq 90); do
  cat three.jsonl
done >many.jsonl
run check many.jsonl three.jsonl -j1 --json one.json --html one.html
cp "$tmp/out" "$tmp/one.out"
run check many.jsonl three.jsonl -j3 --json more.json --html more.html
expect_status 1
cmp -s one.json more.json || fail "-j changes the JSON"
cmp -s one.html more.html || fail "-j changes the page"
cmp -s "$tmp/one.out" "$tmp/out" || fail "-j changes the text"
[ "$(jq '.histories | length' one.json)" = 273 ] || fail "not one entry a history"

# ---- the witness ----
run check right.jsonl --linearization order.jsonl
expect_status 0
run check order.jsonl -q # one after the other, and still right
expect_status 0
[ "$(grep -c '"call"' order.jsonl)" = 5 ] || fail "the witness: $(cat order.jsonl)"

# A long queue: from the monitor, as search would not end.
awk 'BEGIN {
  print "{\"type\":\"history\",\"spec\":\"queue\"}"
  for (i = 0; i < 3000; i++) {
    for (p = 0; p < 8; p++)
      printf "{\"type\":\"call\",\"process\":%d,\"name\":\"enq\",\"args\":[%d]}\n", p, 8 * i + p
    for (p = 0; p < 8; p++)
      printf "{\"type\":\"return\",\"process\":%d}\n", p
  }
  for (i = 0; i < 3000; i++)
    for (p = 7; p >= 0; p--) {
      printf "{\"type\":\"call\",\"process\":%d,\"name\":\"deq\",\"args\":[]}\n", p
      printf "{\"type\":\"return\",\"process\":%d,\"result\":%d}\n", p, 8 * i + p
    }
}' >long.jsonl
run check long.jsonl -q --linearization order.jsonl
expect_status 0
run check order.jsonl -q --method=linearize
expect_status 0
expect_out '48000 operations; linearize'
# The same of a deep stack, for which search would find none in time.
sed 's/queue/stack/; s/enq/push/; s/deq/pop/' long.jsonl |
  awk 'NR > 1 && /"pop"/ { exit } { print }' >pushes.jsonl
{
  cat pushes.jsonl
  for i in $(seq 2999 -1 0); do
    for p in 0 1 2 3 4 5 6 7; do
      echo "{\"type\":\"call\",\"process\":$p,\"name\":\"pop\",\"args\":[]}"
      echo "{\"type\":\"return\",\"process\":$p,\"result\":$((8 * i + p))}"
    done
  done
} >deep.jsonl
run check deep.jsonl --linearization order.jsonl --json - -j1
expect_status 0
expect_err '48000 operations; monitor: stack\)'
jq -e '.histories[0].linearization_written == true' "$tmp/out" >/dev/null ||
  fail "JSON: $(cat "$tmp/out")"
run check order.jsonl -q --method=linearize
expect_status 0
expect_out '48000 operations; linearize'

# ---- limits, while files are read ----
run check long.jsonl --memory 10M
expect_status 3
expect_out 'unknown \(queue, more than [0-9]+ operations\)'
expect_out 'Not decided: memory ran out'
run check long.jsonl deep.jsonl --time 0.001 --json -
expect_status 3
jq -e '[.histories[] | .verdict, .limit] == ["unknown", "time", "unknown", "time"]' \
  "$tmp/out" >/dev/null || fail "JSON: $(cat "$tmp/out")"
# A long file that is searched while it is read tells how far that went.
awk 'BEGIN {
  print "{\"type\":\"history\",\"version\":1,\"spec\":\"register\"}"
  for (i = 0; i < 220000; i++) {
    printf "{\"type\":\"call\",\"process\":1,\"name\":\"write\",\"args\":[%d]}\n", i % 5
    print "{\"type\":\"return\",\"process\":1}"
  }
}' >register.jsonl
for how in auto online; do
  run check register.jsonl --method=$how --time 0.001
  expect_status 3
  expect_out 'unknown \(register, more than [0-9]+ operations; online\)'
  expect_out 'Not decided: time ran out; reached line [0-9]+'
done
rm register.jsonl
run check --depth-table "$SOURCE_DIR/tests/data/juc/ABQ.jsonl.gz" --time 0.001
expect_status 3
expect_out 'Left out because time or memory ran out: [0-9]+ histories'
for time in 0 -1; do
  run check fine.jsonl --time $time
  expect_status 2
done

# ---- folders and tables ----
run check "$SOURCE_DIR/tests/data/juc" -q
expect_status 1
awk -F'\t' 'NR > 1 {print $1 ".jsonl.gz", "#" $2 ":", $5 ? "linearizable" : "violation"}' \
  "$SOURCE_DIR/tests/data/juc/labels.tsv" | sort >want
sed 's/^.*\///; s/ (.*//' "$tmp/out" | sort >got
cmp -s want got || fail "labels: $(diff want got | head -5)"
# Each violation is explained, those with maps as arguments too.
run check "$SOURCE_DIR/tests/data/juc"
expect_status 1
wrong=$(grep -c ': violation (' "$tmp/out")
[ "$wrong" = "$(awk -F'\t' '$5 == 0' \
  "$SOURCE_DIR/tests/data/juc/labels.tsv" | wc -l)" ] || fail "$wrong violations"
[ "$wrong" = "$(grep -cE \
  '(^  1 operation .*\(\*\)|none of which can be left out):$' "$tmp/out")" ] ||
  fail "not every violation is explained"
run check --depth-table "$SOURCE_DIR/tests/data/juc/ABQ.jsonl.gz" --depth 3
expect_status 1
expect_out 'ArrayBlockingQueue +300 '
expect_out 'Table 3.*histories +lin +d = 1 +d = 2 +d = 3'
expect_narrow
# Distinct schedules and witnesses of the labels, summed up.
awk -F'\t' '$1 == "ABQ" && !$4 {
  split($6, d, ","); split($7, w, ","); n++; lin += $5
  for (i = 1; i <= 3; i++) { if (d[i] > most[i]) most[i] = d[i]; wit[i] += w[i] }
} END {
  printf "max +%d +%d +%d \n", most[1], most[2], most[3]
  printf "ArrayBlockingQueue +%d +%d +%d +%d +%d \n", n, lin, wit[1], wit[2], wit[3]
}' "$SOURCE_DIR/tests/data/juc/labels.tsv" >rows
while read -r row; do
  expect_out "$row"
done <rows

# ---- what is refused ----
run check
expect_status 2
expect_err 'give a file of histories'
run check missing.jsonl
expect_status 2
expect_err 'missing.jsonl'
head -5 fifo.jsonl >broken.jsonl
echo '{"type":"call",' >>broken.jsonl
run check broken.jsonl --json broken.json
expect_status 2
expect_err 'broken.jsonl:6:'
[ ! -e broken.json ] || fail "a report of what could not be read"
: >empty.jsonl
run check empty.jsonl
expect_status 2
sed 's/enq/enqq/' fifo.jsonl >odd.jsonl
run check odd.jsonl
expect_status 2
expect_err '^faultline: odd.jsonl:2:35: .*enqq'
run check odd.jsonl --method=online
expect_status 2
expect_err '^faultline: odd.jsonl:2:35: .*enqq'
# A type refuses an operation at its name, in every format.
echo '{:process 0, :type :invoke, :f :reed, :value nil}' >odd.edn
run check odd.edn --spec register
expect_status 2
expect_err '^faultline: odd.edn:1:32: .*reed'
printf '{:process 0,\n  :type :invoke, :f :reed, :value nil}\n' >lines.edn
run check lines.edn --spec register
expect_status 2
expect_err '^faultline: lines.edn:1:1: .*reed'
printf 'INFO  jepsen.util - 0\t:invoke\t:reed\tnil\n' >odd.log
run check odd.log --spec register
expect_status 2
expect_err '^faultline: odd.log:1:31: .*reed'
echo '{:process 0, :type :invoke, :f :gett, :key "1", :value nil}' >odd.kv
run check odd.kv --format=kv
expect_status 2
expect_err '^faultline: odd.kv:1:32: .*gett'
cat >odd.violat <<'END'
{"schema":{"id":1,"class":"java.util.concurrent.ConcurrentLinkedQueue",
"parameters":[],"arguments":[],"sequences":[]},"events":[
{"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"ofer","void":false},"arguments":[1]}}]}
END
run check odd.violat
expect_status 2
expect_err '^faultline: odd.violat:3:62: .*ofer'
# Without a type it is the first operation that no type has,
printf '%s\n' '{"type":"call","process":0,"name":"read","args":[]}' \
  '{"type":"call","process":1,"name":"reed","args":[]}' >unknown.jsonl
run check unknown.jsonl
expect_status 2
expect_err "^faultline: unknown.jsonl:2:35: .*'reed'"
# and of a type that there is not, the event that names it.
printf '\n%s\n' ' {"type":"history","spec":"nonesuch"}' \
  '{"type":"call","process":0,"name":"read","args":[]}' >nonesuch.jsonl
run check nonesuch.jsonl
expect_status 2
expect_err "^faultline: nonesuch.jsonl:2:2: there is no type 'nonesuch'"
run check nonesuch.jsonl --method=online
expect_status 2
expect_err "^faultline: nonesuch.jsonl:2:2: there is no type 'nonesuch'"
# Arguments that do not fit are told where the name is, too.
printf '%s\n' '{"type":"history","spec":"queue"}' \
  '{"type":"call","process":0,"name":"enq","args":[1,2,3]}' >args.jsonl
run check args.jsonl
expect_status 2
expect_err '^faultline: args.jsonl:2:35: '
run check fifo.jsonl --method=monitr
expect_status 2
run check fifo.jsonl --depth 2 --method=exact
expect_status 2
run check --help
expect_status 0
expect_out 'Exit status: 0 all histories are linearizable'
expect_narrow

# ---- a long register whose values repeat: nothing is kept of it ----
long_register() { # what the last read returns
  awk -v last="$1" 'BEGIN {
    print "{\"type\":\"history\",\"version\":1,\"spec\":\"register\"}"
    for (i = 0; i < 300000; i++) {
      print "{\"type\":\"call\",\"process\":1,\"name\":\"write\",\"args\":[" i % 5 "]}"
      print "{\"type\":\"return\",\"process\":1}"
    }
    print "{\"type\":\"call\",\"process\":2,\"name\":\"read\",\"args\":[]}"
    print "{\"type\":\"return\",\"process\":2,\"result\":" last "}"
  }'
}
long_register 4 >long.jsonl
run check long.jsonl
expect_status 0
expect_out 'linearizable \(register, 300001 operations; online\)'
run check long.jsonl --no-monitor --method=exact
expect_status 0
expect_out 'linearizable \(register, 300001 operations; (frontier|linearize)\)'
long_register 3 >long.jsonl
run check long.jsonl
expect_status 1
expect_out 'violation.*read\(\) = 3'
# It is explained by its end, as by the whole; in JSON, by the whole.
sed 1d "$tmp/out" >by_end
run check long.jsonl --method=exact --json long.json
expect_status 1
sed 1d "$tmp/out" | cmp -s by_end - || fail "the end and the whole differ"
run check long.jsonl --json late.json
expect_status 1
grep -o '"core":.*"prefix"' long.json >want
grep -o '"core":.*"prefix"' late.json | cmp -s want - || fail "other numbers"
rm long.jsonl

# ---- real logs, where they are ----
data=${SHARED_DATA:-$SOURCE_DIR/../shared/data}
if [ -d "$data/jepsen" ]; then
  run check "$data/jepsen" -q
  sed 's/^.*\///; s/: /\t/; s/ (.*//' "$tmp/out" | sort >got
  sort "$data/jepsen/labels.tsv" | grep '^etcd' >want
  cmp -s want got || fail "etcd: $(diff want got | head -5)"
  run check "$data/kv" -q
  expect_out 'c01-bad.txt: violation.*c01-ok.txt: linearizable.*c10-bad.txt: violation.*c10-ok.txt: linearizable'
  run check "$data/juc-original" -q
  expect_status 0
else
  echo "real logs are left out: no $data"
fi

# ---- nothing that must be explained ----
cat >dropped.jsonl <<'EOF'
{"type": "history", "version": 1, "spec": "set"}
{"type": "call", "process": 2, "name": "remove", "args": [1], "op": 0}
{"type": "call", "process": 1, "name": "add", "args": [1], "op": 1}
{"type": "drop", "process": 2, "op": 0}
{"type": "drop", "process": 1, "op": 1}
EOF
head -n 1 dropped.jsonl >empty.jsonl
head -n 3 dropped.jsonl >pending.jsonl
for method in auto exact frontier linearize monitor hitting online; do
  for file in dropped empty pending; do
    run check --method=$method $file.jsonl
    expect_status 0
    expect_out 'linearizable'
  done
done

finish
