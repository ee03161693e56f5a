#!/bin/bash
# The page of a fault: beside the schedule, where --html says, or not at all;
# and what happens where it cannot be written.
. "$(dirname "$0")/common.inc"

pages() { find . -name '*.html' | wc -l; }
expect_pages() {
  [ "$(pages)" = "$1" ] || fail "$(pages) pages, expected $1"
}
again() {
  rm -rf .faultline ./*.html
}

run examples/afek_stack.c
expect_status 1
expect_pages 1
page=$(find .faultline -name '*.html')
expect_out "Replay: .* Full report: \.faultline/stack-[0-9a-f]{8}\.html, or run again with -v stack: violation"
[ "${page%.html}.schedule" = "$(find .faultline -name '*.schedule')" ] ||
  fail "the page is not called like the schedule"
[ "$(wc -c <"$page")" -lt 2000000 ] || fail "the page is large"
[ "$(find .faultline | wc -l)" = 3 ] || fail "more than page and schedule: $(ls .faultline)"

# Replaying writes the same page anew.
run replay .faultline/stack-*.schedule examples/afek_stack.c
expect_status 1
expect_pages 1

for option in --no-html --no-save --quiet; do
  again
  run examples/afek_stack.c $option
  expect_status 1
  expect_pages 0
  expect_no out "\.html"
done

again
run examples/afek_stack.c --html here.html
expect_status 1
expect_out "Full report: here\.html"
expect_pages 1

# A pass has one when it is asked for, and only then.
again
run examples/treiber_stack.c --ops 1 --threads 2
expect_status 0
expect_pages 0
run examples/treiber_stack.c --ops 1 --threads 2 --html pass.html
expect_status 0
expect_pages 1

again
run explore examples/racy_counter.c --client '{increment()} || {increment()}' --html e.html
expect_pages 1

# Known before the run …
again
run examples/afek_stack.c --html missing/x.html
expect_status 2
expect_err "--html: missing: No such file or directory"
mkdir folder
run examples/afek_stack.c --html folder
expect_status 2
expect_err "--html: folder is a folder"
rmdir folder

# … or only when it is written: the text is not lost, nothing is left behind.
run examples/afek_stack.c --html /dev/full
expect_status 2
expect_err "/dev/full: No space left on device"
expect_out "pop\(\) is not atomic.*stack: violation"
expect_no out "\.html"

# Beside the schedule it is a warning.
if [ "$(id -u)" != 0 ]; then
  again
  mkdir .faultline && chmod a-w .faultline
  run examples/afek_stack.c
  expect_status 1
  expect_out ", or run again with -v stack: violation"
  chmod u+w .faultline
fi
again
mkdir .faultline
run examples/afek_stack.c
page=$(find .faultline -name '*.html')
rm "$page" && mkdir "$page"
run examples/afek_stack.c
expect_status 1
expect_err "warning: the page is not saved: .*Is a directory"
expect_no out "\.html"
[ "$(find .faultline -type f | wc -l)" = 1 ] || fail "left: $(ls .faultline)"

# To standard output: the text goes to the other.
again
run examples/afek_stack.c --html -
expect_status 1
expect_err ", or run again with -v stack: violation"
head -c 15 "$tmp/out" | grep -q '<!DOCTYPE html>' || fail "no page on standard output"
finish
