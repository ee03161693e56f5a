#!/bin/bash
# examples/builds with meson, and the tool as it is installed.
. "$(dirname "$0")/common.inc"
command -v meson >/dev/null || skip "there is no meson"
command -v ninja >/dev/null || skip "there is no ninja"
install_tool
export PATH="$prefix/bin:$PATH"
cp -r "$SOURCE_DIR/examples/builds" "$work/project"
cd "$work/project" || exit 1
must meson setup build
status 0 meson test -C build
grep -Eq '^Ok: +1' "$work/log" || fail "$(cat "$work/log")"
grep -Eq '^Expected Fail: +1' "$work/log" || fail "the fault: $(cat "$work/log")"
# Nothing checked: skipped; code that does not compile: an error.
echo 'void counter_free(struct counter *c) { (void)c; }
struct counter *counter_new(void) { return (void *)1; }
int counter_next(struct counter *c) { (void)c; return 1; }' >src/counter.c
sed -i '1i #include "counter.h"' src/counter.c
status 0 meson test -C build counter
grep -Eq '^Skipped: +1' "$work/log" || fail "not skipped: $(cat "$work/log")"
finish
