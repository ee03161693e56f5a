#!/bin/bash
# The page of `faultline check --html` in a headless Chromium: nothing fails,
# nothing is fetched, the core is in sight, every control works with the mouse
# and with the keyboard, hostile texts stay texts, and it stays small.
. "$(dirname "$0")/common.inc"
cat >fifo.jsonl <<'END'
{"type":"history","version":1,"spec":"queue"}
{"type":"call","process":1,"name":"enq","args":["<img src=x onerror=alert(1)>"]}
{"type":"return","process":1}
{"type":"note","text":"start-kill </script><b>n1"}
{"type":"call","process":1,"name":"enq","args":[3]}
{"type":"call","process":4,"name":"enq","args":[7]}
{"type":"return","process":1}
{"type":"note","text":"stop-kill </script><b>n1"}
{"type":"call","process":2,"name":"deq","args":[]}
{"type":"return","process":4}
{"type":"return","process":2,"result":3}
{"type":"call","process":2,"name":"deq","args":[]}
{"type":"return","process":2,"result":"<img src=x onerror=alert(1)>"}
END
printf '%s\n' '{"type":"history","version":1,"spec":"register"}' \
  '{"type":"call","process":1,"name":"write","args":[1]}' \
  '{"type":"return","process":1}' >fine.jsonl
# Long: two writers that take turns, a reader of what is long gone.
awk 'BEGIN {
  print "{\"type\":\"history\",\"version\":1,\"spec\":\"register\"}"
  for (i = 1; i <= 40000; i++) {
    p = i % 2
    printf "{\"type\":\"call\",\"process\":%d,\"name\":\"write\",\"args\":[%d]}\n", p, i
    printf "{\"type\":\"return\",\"process\":%d}\n", p
  }
  print "{\"type\":\"call\",\"process\":7,\"name\":\"read\",\"args\":[]}"
  print "{\"type\":\"return\",\"process\":7,\"result\":20}"
}' >long.jsonl
(
  echo '{"type":"history","version":1,"spec":"registers"}'
  for op in 'write 7,1' 'write 8,5' 'write 7,2' 'write 9,6' 'read 8 5' 'read 7 1'; do
    set -- $op
    printf '{"type":"call","process":1,"name":"%s","args":[%s]}\n' $1 $2
    printf '{"type":"return","process":1%s}\n' "${3+,\"result\":$3}"
  done
) >keys.jsonl
"$FAULTLINE" check fifo.jsonl fine.jsonl long.jsonl keys.jsonl --html page.html >/dev/null
[ $? = 1 ] || { echo "FAIL: status of the check"; exit 1; }
bytes=$(wc -c <page.html)
[ "$bytes" -lt 1000000 ] || { echo "FAIL: the page has $bytes bytes"; exit 1; }
NODE_PATH=$modules/node_modules BROWSER=$(command -v $browser) \
  node "$SOURCE_DIR/tests/browser/history.js" "$tmp/page.html" ${1+"$1"}
