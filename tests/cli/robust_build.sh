#!/bin/bash
# What a build can meet: no compiler, one that fails, is killed or makes
# nothing, no folder to work in, no HOME, a tree that cannot be written, a very
# long source.  A sentence and a status each, and nothing is left behind.
. "$(dirname "$0")/common.inc"
cp examples/racy_counter.c a.c

# ---- compilers ----
run --cc=no-such-cc a.c
expect_status 2
expect_err '^faultline: there is no compiler no-such-cc \(choose one with --cc\)'
what='PATH=/nonexistent'
PATH=/nonexistent "$FAULTLINE" a.c >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 2
expect_err 'no compiler gcc'
compiler() { # name, what it does before it would compile
  printf '#!/bin/sh\n%s\nexec gcc "$@"\n' "$2" >"$1"
  chmod +x "$1"
}
compiler fails 'echo "fails: bad weather" >&2; exit 3'
run --cc=./fails a.c
expect_status 2
expect_err 'bad weather.*faultline: a.c does not compile \(./fails, exit status 3\)'
compiler killed 'for a; do case $a in -c) kill -9 $$ ;; esac; done'
run --cc=./killed a.c
expect_status 2
expect_err 'a.c does not compile \(./killed, killed by signal 9 \(Killed\)\)'
compiler killed_at_link 'for a; do case $a in -shared) kill -9 $$ ;; esac; done'
run --cc=./killed_at_link a.c
expect_status 2
expect_err 'a.c: the link failed \(./killed_at_link, killed by signal 9 \(Killed\)\)'
compiler idle 'for a; do case $a in -c) exit 0 ;; esac; done'
run --cc=./idle a.c
expect_status 2
expect_err 'a.c does not compile: ./idle writes neither an object nor a message'
printf 'not a program\n' >garbage
chmod +x garbage
run --cc=./garbage a.c
expect_status 2

# ---- folders ----
what='TMPDIR=/nonexistent'
TMPDIR=/nonexistent "$FAULTLINE" a.c >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 2
expect_err '^faultline: no folder for what is compiled: TMPDIR is /nonexistent: No such file'
what='TMPDIR is a file'
TMPDIR=$tmp/a.c "$FAULTLINE" a.c >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 2
expect_err "no folder for what is compiled: TMPDIR is .*/a.c: Not a directory"
what='no HOME, nothing in the environment'
env -i PATH="$PATH" "$FAULTLINE" a.c --max-executions 500 --no-save \
  >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 1
expect_no err '.'
expect_out 'increment\(\) is not atomic'

# ---- as somebody who may not write ----
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
else
  as_nobody=
fi
chmod 755 "$tmp"
mkdir readonly mine
cp a.c readonly
chmod 555 readonly
chmod 777 mine
# shellcheck disable=SC2086 # no command is no word
if $as_nobody test -x "$FAULTLINE" && ! $as_nobody test -w readonly; then
  what='a source tree that cannot be written'
  (cd readonly && TMPDIR=$tmp/mine $as_nobody "$FAULTLINE" a.c \
    --max-executions 500 --patch "$tmp/mine/p.diff") >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect_status 1
  expect_out 'increment\(\) is not atomic'
  expect_err 'warning: the schedule is not saved: .faultline: Permission denied'
  [ -s mine/p.diff ] || fail "no patch"
  what='an output folder that cannot be written'
  for output in json junit sarif tap html trace dot patch; do
    TMPDIR=$tmp/mine $as_nobody "$FAULTLINE" a.c --$output readonly/x \
      >"$tmp/out" 2>"$tmp/err"
    status=$?
    expect_status 2
    expect_err "^faultline: --$output: readonly: Permission denied"
    expect_no out '.' # nothing was searched in vain
  done
  what='a TMPDIR that cannot be written'
  TMPDIR=$tmp/readonly $as_nobody "$FAULTLINE" a.c >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect_status 2
  expect_err 'no folder for what is compiled: TMPDIR is .*readonly: Permission denied'
else
  echo "skipped: nobody else to run as, so what may not be written is not tested"
fi
chmod 755 readonly

# ---- a disk that is full ----
small=$tmp/small
mkdir "$small"
if mount -t tmpfs -o size=48k none "$small" 2>/dev/null; then
  what='a full disk as TMPDIR'
  TMPDIR=$small "$FAULTLINE" a.c --no-cache >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect_status 2
  expect_err 'faultline: .*(No space left|does not compile|link failed)'
  [ -z "$(ls "$small")" ] || fail "left on it: $(ls "$small")"
  what='a full disk for outputs'
  run a.c --max-executions 500 --no-save --html "$small/h.html" \
    --json "$small/j.json"
  expect_status 2
  expect_err 'faultline: .*small/h.html: No space left on device'
  expect_out 'increment\(\) is not atomic'
  [ ! -e "$small/h.html" ] || fail "half a page"
  ls "$small" | grep -q 'h.html' && fail "left on it: $(ls "$small")"
  umount "$small"
else
  echo "skipped: no small file system can be mounted"
fi

# ---- ten thousand lines ----
{
  sed '/FL_OBJECT/,$d' a.c
  awk 'BEGIN { for (i = 0; i < 5000; i++)
    printf "int f%d(int x) {\n  return x + %d; }\n", i, i }'
  sed -n '/FL_OBJECT/,$p' a.c
} >long.c
[ "$(wc -l <long.c)" -ge 10000 ] || fail "long.c is short"
run long.c --max-executions 500 --no-save --html long.html --json long.json \
  --patch long.diff
expect_status 1
expect_out 'long.c:17:[0-9]+: error: increment\(\) is not atomic: line 17'
[ "$(wc -c <long.html)" -lt 2000000 ] || fail "a page of $(wc -c <long.html) bytes"
[ "$(wc -l <long.diff)" -lt 60 ] || fail "a patch of $(wc -l <long.diff) lines"
finish
