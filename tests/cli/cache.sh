#!/bin/bash
# The build cache: a second run starts no compiler, and whatever changes what
# would come of it does.  The compiler is a script that counts its runs.
. "$(dirname "$0")/common.inc"
cache=$XDG_CACHE_HOME/faultline
client='{increment()}' # one execution

make_compiler() { # a comment, so that it is another one
  printf '#!/bin/sh\n# %s\necho >>%s/runs\nexec gcc "$@"\n' "$1" "$tmp" >counting
  chmod +x counting
}
# Files that were written just now might change while the compiler runs: they
# are not trusted.  Waits until the coarse clock that steps are started by (5) has
# passed the time of the newest file here.
settle() {
  perl -MTime::HiRes=clock_gettime,stat -e '
    my $last = 0;
    for (@ARGV) { my $t = (stat)[10]; $last = $t if defined $t && $t > $last }
    1 until clock_gettime(5) > $last + 1e-6;' -- *
}
counted() { # runs faultline; how often was the compiler started?
  rm -f "$tmp/runs"
  settle
  run --cc=./counting --no-save --client "$client" "$@"
  runs=0
  [ ! -e "$tmp/runs" ] || runs=$(wc -l <"$tmp/runs")
}
expect_runs() {
  [ "$runs" = "$1" ] || fail "the compiler was started $runs times, expected $1"
}
entries() {
  ls "$cache" | wc -l
}

make_compiler first
cp examples/racy_counter.c a.c
sed 's/int/INT/' a.c >b.c
echo '#define INT int' >b.h
sed -i '1i #include "b.h"' b.c
make_compiler first

# ---- the second run ----
counted a.c
expect_status 0
expect_runs 4 # who are you, do you know this flag, compile, link
cp "$tmp/out" first.out
counted a.c
expect_status 0
expect_runs 0
cmp -s "$tmp/out" first.out || fail "another report"
what=--show-commands # which leaves what it has compiled
TMPDIR=$tmp/tmp "$FAULTLINE" --cc=./counting --no-save --client "$client" \
  --show-commands a.c >"$tmp/out" 2>"$tmp/err"
expect_err 'from the cache: ./counting .*-c a.c'
rm -rf "$tmp"/tmp/*
counted a.c --search=stress --max-executions 1
expect_runs 2 # an object without hooks
counted a.c --search=stress --max-executions 1
expect_runs 0

# ---- what makes a difference ----
counted b.c
expect_runs 2
counted b.c
expect_runs 0
echo '#define INT long' >b.h
counted b.c
expect_runs 2
counted a.c -- -DUNUSED -O2
expect_runs 2
counted a.c -- -DUNUSED -O2
expect_runs 0
make_compiler second
counted a.c
expect_runs 4
counted a.c
expect_runs 0

# ---- warnings are told every time ----
cp a.c w.c
echo 'static void nobody_calls_this(void) {}' >>w.c
for time in first second; do
  counted w.c -- -Wall
  what="$what, the $time time"
  expect_status 0
  expect_err "w.c:[0-9]+:13: warning: .*nobody_calls_this"
done
expect_runs 0

# ---- without ----
before=$(entries)
counted a.c --no-cache
expect_status 0
expect_runs 4
counted a.c --no-cache -- -DANOTHER
expect_runs 4
[ "$(entries)" = "$before" ] || fail "--no-cache: something was kept"

# ---- entries that are damaged ----
for how in '>{}' 'printf x >>{}' 'printf x | dd of={} conv=notrunc bs=1 seek=9' \
  'rm {}; mkdir {}'; do
  find "$cache" -mindepth 1 -exec sh -c "${how//'{}'/\"\$1\"}" sh {} \; 2>/dev/null
  counted a.c
  what="damaged by $how"
  expect_status 0
  expect_runs 4
  [ "$(find "$cache" -type d | wc -l)" = 1 ] || {
    rm -rf "$cache"
    counted a.c
  }
  counted a.c
  expect_runs 0
done

# ---- two runs at once ----
rm -rf "$cache"
what='four runs at once'
for i in 1 2 3 4; do
  "$FAULTLINE" --cc=./counting --no-save --client "$client" a.c \
    >"$tmp/out$i" 2>"$tmp/err$i" &
done
for job in $(jobs -p); do
  wait "$job"
  status=$?
  [ "$status" = 0 ] || fail "status $status"
done
for i in 1 2 3 4; do
  cmp -s "$tmp/out$i" first.out || fail "another report"
done
counted a.c
expect_runs 0
[ -z "$(ls "$cache" | grep -F .)" ] || fail "temporary files were left"

# ---- its size ----
export FAULTLINE_CACHE_SIZE=100K
for i in 1 2 3 4 5; do
  counted a.c -- -DNUMBER=$i
  expect_status 0
  size=$(find "$cache" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
  [ "$size" -le 102400 ] || fail "the cache has $size bytes"
done
counted a.c -- -DNUMBER=5
expect_runs 0
counted a.c -- -DNUMBER=1
[ "$runs" -ge 1 ] || fail "the oldest is still there"
unset FAULTLINE_CACHE_SIZE

# ---- no cache to be had ----
for where in /dev/null /dev/null/x relative; do
  XDG_CACHE_HOME=$where HOME=/dev/null counted a.c
  what="XDG_CACHE_HOME=$where"
  expect_status 0
  expect_runs 4
  expect_no err '.'
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
else
  as_nobody=
fi
chmod 755 "$tmp"
mkdir mine home
chmod 777 mine home . # the folder is that of the count
# shellcheck disable=SC2086 # no command is no word
as_somebody() {
  rm -f "$tmp/runs"
  XDG_CACHE_HOME=$tmp/home TMPDIR=$tmp/mine $as_nobody "$FAULTLINE" \
    --cc=./counting --no-save --client "$client" a.c \
    >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect_status 0
  expect_no err '.'
  runs=0
  [ ! -e "$tmp/runs" ] || runs=$(wc -l <"$tmp/runs")
}
if $as_nobody test -x "$FAULTLINE"; then
  what='a cache that was filled, and is read-only now'
  as_somebody
  expect_runs 4
  chmod 555 home/faultline
  as_somebody
  expect_runs 0
  what='an empty one that is read-only'
  chmod 755 home/faultline
  rm -f home/faultline/*
  chmod 555 home/faultline
  as_somebody
  as_somebody
  expect_runs 4
  chmod 755 home/faultline
else
  echo "not tested: a read-only folder"
fi

# ---- faultline cc asks a compiler once what it is ----
export FAULTLINE_CC=./counting
rm -rf "$cache" runs
what='faultline cc'
"$FAULTLINE" cc -c a.c -o a.o && rm runs && "$FAULTLINE" cc -c a.c -o a.o
[ "$(wc -l <runs)" = 1 ] || fail "the compiler was asked again"
finish
