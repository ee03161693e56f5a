#!/bin/bash
# --accept and FL_ACCEPT: accepted faults are gone past and listed, in every
# format, and hide no other fault.
. "$(dirname "$0")/common.inc"

json() { jq -e "$2" "$1" >/dev/null || fail "$1: not $2: $(jq -c "${3:-.}" "$1" | head -c 600)"; }
small='--threads 2 --ops 1 --init 1 --no-save --no-html'

cat >pair.c <<'END'
#include <faultline.h>
#include <stdlib.h>
struct pair {
  int a, b, x, y;
};
static struct pair *create(void) { return calloc(1, sizeof(struct pair)); }
static int inc(struct pair *p) {
  int n = p->a;
  p->a = n + 1;
  return n;
}
static int dec(struct pair *p) {
  int n = p->b;
  p->b = n - 1;
  return n;
}
#ifdef HIDDEN /* an abort in the lines of a lost update, behind a call */
static int both(struct pair *p) {
  int x = p->x;
  if (x == 2 && p->y == 1)
    abort();
  p->x = x + 1;
  p->y = x + 1;
  return x;
}
FL_OBJECT(pair, create, free)
FL_OP(int, both)
#else
FL_OBJECT(pair, create, free)
FL_OP(int, inc)
FL_OP(int, dec)
#endif
#ifdef ACCEPT
FL_ACCEPT("counts are rough", ACCEPT)
#endif
END

# ---- the report says which line accepts the fault ----
run pair.c $small -v
expect_status 1
line=$(grep -A1 'To accept it' "$tmp/out" | tail -1 | sed 's/^ *//; s/REASON/counts are rough/')
[ "$line" = 'pair not-linearizable at pair.c:8-9 because counts are rough' ] ||
  fail "the line is '$line'"
printf '# a comment\n\n%s\n' "$line" >known

# ---- the other fault is found ----
run pair.c $small --accept known --json one.json
expect_status 1
expect_out 'pair.c:13:[0-9]+: error: dec\(\) is not atomic: lines 13-14'
expect_out 'pair.c:8:[0-9]+: accepted: inc\(\).* because counts are rough \(known:3\)'
expect_out 'pair: 1 fault, 1 accepted'
json one.json '[.runs[].accepted.by] == [null, "known:3"]'
json one.json '.runs[0].accept == "pair not-linearizable at pair.c:13-14"'

# ---- all are accepted: status 0, and said ----
echo 'pair not-linearizable in {dec()} || {dec()} because dec is rare' >>known
run pair.c $small --accept known --json all.json --junit all.xml --tap all.tap \
  --sarif all.sarif
expect_status 0
expect_out 'pair: 2 accepted faults, no other found in'
expect_out 'because dec is rare \(known:4\)'
expect_no err 'known'
json all.json '[.runs[].verdict] == ["pass", "violation", "violation"]'
json all.json '.runs[0].faults_accepted == 2'
json all.sarif '[.runs[0].results[].suppressions[0].justification]
  == ["counts are rough", "dec is rare"]'
grep -q 'failures="0" errors="0" skipped="2"' all.xml || fail 'JUnit: not skipped'
[ "$(grep -c '^not ok .* # TODO accepted: ' all.tap)" = 2 ] || fail 'TAP: no TODO'
cp out one
run pair.c $small --accept known -j 1
cmp -s one out || fail 'differs from -j 1'

# ---- what matched nothing is said; another object is none of its business ----
printf '%s\n' 'pair crash at pair.c:8 because it is old' \
  'other leak in {f()} because it is not here' >>known
run pair.c $small --accept known
expect_status 0
expect_err 'known:5: this run found no such fault of pair \(crash\)'
expect_no err 'known:6'

# ---- another kind, other lines, another client: not accepted ----
for entry in 'abort at pair.c:8-9' 'not-linearizable at pair.c:13-14' \
  'not-linearizable at other.c:8-9' 'not-linearizable at nc()' \
  'not-linearizable in {inc()} || {dec()}' \
  'not-linearizable at pair.c:8-9 in {inc()} || {dec()}'; do
  echo "pair $entry because" x >wrong
  run pair.c $small --accept wrong -q --client '{inc()} || {inc()}'
  expect_status 1
  expect_err 'wrong:1: this run found no such fault'
done

# ---- a fault of another kind in the same lines ----
run pair.c $small --init 2 -- -DHIDDEN \
  '-DACCEPT="not-linearizable at both()"'
expect_status 1
expect_out 'error: abort in both\(\)'
expect_out 'accepted: both\(\)'
run pair.c $small --init 2 --keep-going --json hidden.json -- -DHIDDEN
json hidden.json '[.runs[].fault] == ["not-linearizable", "abort"]'
run pair.c $small --init 2 -- -DHIDDEN \
  '-DACCEPT="not-linearizable at both()", "abort at pair.c:21"'
expect_status 0
expect_out '2 accepted faults, no other found'
expect_out 'because counts are rough \(pair.c:34\)'

# ---- what is refused ----
refused() { # a line, what is said
  echo "$1" >bad
  run pair.c $small --accept bad
  expect_status 2
  expect_err "bad:1: $2"
}
refused 'pair not-linearizable at pair.c:8' 'expected `OBJECT KIND at PLACES because'
refused 'pair wrong at pair.c:8 because x' '"wrong" is no kind of fault; kinds: not-lin'
refused 'pair divergence at f() because x' '"divergence" is no kind'
refused 'pair leak because x' 'expected `at PLACES` or `in CLIENT`'
refused 'pair leak at 8 because x' '"8" is no place'
refused 'pair leak at pair.c:9-8 because x' '"pair.c:9-8" is no place'
refused 'pair leak in {none()} because x' '.*none'
refused 'pair leak at f() because ' 'the reason is missing'
run pair.c $small --accept absent
expect_status 2
expect_err absent
run pair.c $small -- '-DACCEPT="leak"'
expect_status 2
expect_err 'pair.c:34: expected'
finish
