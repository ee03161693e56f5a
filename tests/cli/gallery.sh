#!/bin/bash
# All objects of examples/gallery, right and wrong, have the verdicts and the
# lines that their comments say, and the index has a way to each of them.
. "$(dirname "$0")/common.inc"
what="scripts/gallery --quick"
FAULTLINE=$FAULTLINE "$SOURCE_DIR/scripts/gallery" --quick "$tmp/gallery" \
  >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 0
expect_no err '.'
objects=$(ls "$SOURCE_DIR"/examples/gallery/*.c | wc -l)
[ "$objects" -ge 20 ] || fail "only $objects objects"
page=gallery/index.html
[ -s $page ] || { fail "no index" && finish; }
what=$page
# Each object has a right version and a wrong one.
for file in "$SOURCE_DIR"/examples/gallery/*.c; do
  name=$(basename "$file" .c)
  grep -Eq "^$name +right +no fault found" "$tmp/out" || fail "$name: no right one"
  grep -Eq "^$name +wrong +[a-z]+(-[a-z]+)* +[0-9]" "$tmp/out" ||
    fail "$name: no wrong one"
  grep -q "<section id=\"$name\">" $page || fail "$name: no section"
done
# Every link leads somewhere, and none out of the folder.
links=$(grep -o 'href="[^"]*"' $page | sed 's/href="//; s/"$//' | sort -u)
for link in $links; do
  case $link in
  '#'*) grep -q "id=\"${link#'#'}\"" $page || fail "$link leads nowhere" ;;
  data:,) ;;
  *[:/]*) fail "$link leads out" ;;
  *) grep -q '^<!DOCTYPE html>' "gallery/$link" || fail "no page $link" ;;
  esac
done
[ "$(echo "$links" | grep -c '\.html$')" -ge $((2 * objects)) ] ||
  fail "too few reports"
grep -q '<script' $page && fail "the index has scripts"
grep -q 'not as expected: ' $page && fail "something is not as expected"
# An expectation that is not met is said, and is the status.
what="scripts/gallery, a wrong expectation"
mkdir -p own/examples/gallery own/src/report
cp -r "$SOURCE_DIR/scripts" own && ln -s "$SOURCE_DIR/src/report/assets" own/src/report
sed 's/FAULT: deadlock/FAULT: livelock/; s/BLAME: second/BLAME: always the lower one first/' \
  "$SOURCE_DIR/examples/gallery/accounts.c" >own/examples/gallery/accounts.c
FAULTLINE=$FAULTLINE own/scripts/gallery --quick "$tmp/gallery2" accounts >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 1
expect_out 'fault deadlock, expected livelock; line [0-9]+ is not named'
expect_out '1 objects, 2 not as expected'
grep -q 'not as expected: fault deadlock' gallery2/index.html || fail "the index"
finish
