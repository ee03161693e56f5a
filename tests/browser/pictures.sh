#!/bin/bash
# The pictures of docs/pictures, made of pages that the tool writes.  With a
# folder as argument they are put there (the target docs-pictures does that);
# without, as a test: those that the documentation has can all be made, and are
# small.  Letters look different on other machines, so bytes are not compared.
target=${1:+$(realpath "$1")}
. "$(dirname "$0")/common.inc"
failed() {
  echo "FAIL: $*"
  exit 1
}
cp -r "$SOURCE_DIR/examples" examples
mkdir tests
cp -r "$SOURCE_DIR/tests/clients" tests
page() { # name, arguments: a fault
  "$FAULTLINE" "${@:2}" --html "$1.html" >"$1.txt" 2>&1
  status=$?
  [ $status = 1 ] || failed "status $status of ${*:2}: $(cat "$1.txt")"
}
page fault examples/afek_stack.c
page tso tests/clients/tso_peterson.c --memory-model=tso \
  --client '{add(0)} || {add(1)}'
cat >run.jsonl <<'END'
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
{"type":"call","process":3,"name":"deq","args":[]}
{"type":"return","process":3,"result":7}
{"type":"return","process":2,"result":2}
END
page history check run.jsonl
mkdir pictures
NODE_PATH=$modules/node_modules BROWSER=$(command -v $browser) \
  node "$SOURCE_DIR/tests/browser/pictures.js" "$tmp" "$tmp/pictures" ||
  failed "no pictures"
for picture in "$SOURCE_DIR"/docs/pictures/*.png; do
  name=${picture##*/}
  [ -n "$target" ] || [ ! -e "$picture" ] || [ -s "pictures/$name" ] ||
    failed "nothing makes $name"
done
for picture in pictures/*.png; do
  bytes=$(wc -c <"$picture")
  [ "$bytes" -gt 5000 ] || failed "$picture is empty"
  [ "$bytes" -le 150000 ] || failed "$picture has $bytes bytes"
  [ -n "$target" ] || [ -e "$SOURCE_DIR/docs/$picture" ] ||
    failed "docs/$picture is not there"
done
if [ -n "$target" ]; then
  cp pictures/*.png "$target"
fi
echo "all as expected"
