#!/bin/bash
# One allocation fails, or all from one on: the answer is the right one, or there
# is none and the status is 2; nothing is left behind, no file is half written.
# What runs out of memory in a worker is not the fault of the user's code.
. "$(dirname "$0")/common.inc"
not_with_asan # no_memory.so stands in the place of malloc
cc -O1 -shared -fPIC -o no_memory.so "$SOURCE_DIR/tests/cli/no_memory.c" || exit 2

cat >bad.jsonl <<'END_OF_FILE'
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
END_OF_FILE
sed 's/"result":3/"result":2/; $s/2}/3}/' bad.jsonl >good.jsonl
printf '%s\n' 'T0|begin|1' 'T0|r(V1)|2' 'T1|begin|1' 'T1|w(V1)|3' 'T1|end|4' \
  'T0|w(V1)|3' 'T0|end|4' >lost.std
{
  echo '{"type":"trace","version":1,"verdict":"violation"}'
  for word in 1.read.1 2.read.1 1.write.2 2.write.2; do
    IFS=. read -r thread kind line <<<"$word"
    echo "{\"type\":\"$kind\",\"thread\":$thread,\"op\":$thread,\"var\":\"x\"," \
      "\"file\":\"c.c\",\"function\":\"add\",\"line\":$line}"
  done
} >trace.jsonl

# One run: the allocation $1 fails, the status is 2 or $2, and standard output
# has $3 then.
one() {
  local n=$1 status_wanted=$2 words=$3
  shift 3
  rm -f count report.json
  what="allocation $n${NO_MEMORY_EVER:+ and later ones}: faultline $*"
  LD_PRELOAD=$tmp/no_memory.so NO_MEMORY_AT=$n NO_MEMORY_COUNT=$tmp/count \
    TMPDIR=$tmp/tmp timeout -k 2 500 "$FAULTLINE" "$@" --json report.json \
    </dev/null >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ "$status" = 2 ]; then
    expect_err 'memory|unavailable'
  else
    expect_status "$status_wanted"
    expect_out "$words"
    grep -q 'is not linearizable' "$tmp/out" &&
      expect_err 'a part of the report is missing: out of memory'
  fi
  [ ! -e report.json ] || jq -e . report.json >/dev/null || fail "report.json"
  [ -z "$(ls "$tmp/tmp")" ] || fail "left in TMPDIR: $(ls "$tmp/tmp")"
  rm -rf "$tmp/tmp" && mkdir "$tmp/tmp"
  reached=$(od -An -tu8 count)
}

# From the first allocation to the last; the way to the next grows with the
# number: it is 1 in $1.
all() {
  local share=$1 n=1
  shift
  [ -z "${NO_MEMORY_EVER:-}" ] || share=$((share / 3))
  while one "$n" "$@" && [ "$n" -le "$reached" ]; do
    [ "$n" -lt 800 ] || share=3
    n=$((n + 1 + n / share))
  done
  [ "$status" = "$1" ] || fail "status $status, though nothing has failed"
}

client='{push(1)} || {push(2); pop()} || {pop()}'
every() {
  all 1000 0 linearizable check good.jsonl
  all 100 1 violation check bad.jsonl
  all 100 1 'SC-serializable +no' atomicity lost.std
  all 100 1 'add' explain trace.jsonl
  all 8 1 'pop\(\) is not (atomic|linearizable)' examples/afek_stack.c \
    --client "$client" --no-save --no-html
  all 4 0 'no fault found' examples/treiber_stack.c \
    --client "$client" --no-save --no-html
}
every
export NO_MEMORY_EVER=1
every
finish
