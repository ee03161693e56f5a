#!/bin/bash
# FL_INVARIANT's function is called by its own name everywhere, and never by
# that of what the macro makes of it.
. "$(dirname "$0")/common.inc"
for opt in -O0 -O1 -O2; do
  run tests/clients/invariant.c --no-save --opt=$opt --json j.json --sarif s.sarif \
    --html h.html
  expect_status 1
  expect_out 'invariant violated'
  [ "$(jq -r .diagnostic.function j.json)" = equal ] ||
    fail "JSON: $(jq -r .diagnostic.function j.json)"
  grep -q '"equal"' s.sarif || fail "SARIF"
  grep -q fl__invariant j.json s.sarif h.html "$tmp/out" && fail "fl__invariant"
done
cat >own.cpp <<'END'
#include <faultline.h>
namespace shop {
static int a;
static void inc() { a++; }
static bool holds() { return a < 2; }
} // namespace shop
FL_OBJECT(x)
FL_OP(void, shop::inc)
FL_INVARIANT(
    shop::holds)
END
run own.cpp --no-save --json j.json
expect_status 1
[ "$(jq -r .diagnostic.function j.json)" = shop::holds ] ||
  fail "C++: $(jq -r .diagnostic.function j.json)"
# It may crash itself.
cat >crash.c <<'END'
#include <faultline.h>
#include <stdbool.h>
static int a, *p;
static void inc(void) {
  a++;
  p = a > 1 ? 0 : &a;
}
static bool look(int *q) { return *q < 2; }
static bool small(void) { return look(p); }
FL_OBJECT(x)
FL_OP(void, inc)
FL_INVARIANT(small)
END
run crash.c --no-save --opt=-O0
expect_status 1
expect_out 'crash in look\(\)'
expect_no out 'fl__'
finish
