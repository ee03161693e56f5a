#!/bin/bash
# The page of `faultline check --html` in a headless Chromium: nothing fails,
# nothing is fetched, the core is in sight, every control works with the mouse
# and with the keyboard, hostile texts stay texts, and it stays small.
set -u
SOURCE_DIR=${SOURCE_DIR:-$(realpath "$(dirname "$0")/../..")}
FAULTLINE=${FAULTLINE:-$SOURCE_DIR/build/faultline}
BUILD_DIR=${BUILD_DIR:-$SOURCE_DIR/build}

skip() {
  echo "skipped: $*"
  exit 0
}
command -v node >/dev/null || skip "there is no node"
for browser in chromium chromium-browser google-chrome; do
  command -v $browser >/dev/null && break
  browser=
done
[ -n "$browser" ] || skip "there is no Chromium"

# What drives the browser is installed beside the build, once.
modules=$BUILD_DIR/browser
if [ ! -d "$modules/node_modules/playwright-core" ]; then
  mkdir -p "$modules"
  cp "$SOURCE_DIR"/tests/browser/package*.json "$modules"
  (cd "$modules" && npm ci --silent --no-audit --no-fund >npm.log 2>&1) ||
    skip "npm cannot install playwright-core"
fi

tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
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
"$FAULTLINE" check fifo.jsonl fine.jsonl long.jsonl --html page.html >/dev/null
[ $? = 1 ] || { echo "FAIL: status of the check"; exit 1; }
bytes=$(wc -c <page.html)
[ "$bytes" -lt 1000000 ] || { echo "FAIL: the page has $bytes bytes"; exit 1; }
NODE_PATH=$modules/node_modules BROWSER=$(command -v $browser) \
  node "$SOURCE_DIR/tests/browser/history.js" "$tmp/page.html" ${1+"$1"}
