#!/bin/bash
# What happens to outputs: devices and files that are full, a closed standard
# output, a reader that leaves, a kill in the middle, two runs in one folder,
# another locale.  No half file is ever seen under its name.
. "$(dirname "$0")/common.inc"
cp examples/racy_counter.c a.c
outputs='json junit sarif tap html trace dot patch'

# ---- full ----
for output in $outputs; do
  run a.c --no-save --max-executions 500 --$output /dev/full
  expect_status 2
  expect_err '^faultline: /dev/full: No space left on device'
  expect_out 'increment\(\) is not atomic' # the report is there all the same
done
# A limit on the size of files: neither a signal nor a half file.
for output in $outputs; do
  what="ulimit -f, --$output"
  # The compiler's files are larger: they are made before, as a shared object.
  if [ ! -e made.so ]; then
    "$FAULTLINE" cc -c a.c -o made.o && "$FAULTLINE" cc -shared made.o -o made.so ||
      fail "faultline cc"
  fi
  head -c 1000 /dev/urandom >old && cp old "limited.$output"
  (ulimit -f 0 && TMPDIR=$tmp/tmp exec "$FAULTLINE" ./made.so --no-save --no-html \
    --max-executions 500 --$output "limited.$output") 2>&1 >/dev/null |
    cat >"$tmp/err" # which has no limit
  status=${PIPESTATUS[0]}
  case $output in patch) continue ;; esac # it needs the sources
  expect_status 2
  expect_err "faultline: limited.$output: File too large"
  cmp -s old "limited.$output" || fail "the old file is gone"
done
[ -z "$(ls | grep 'limited.*\.......$')" ] || fail "left: $(ls)"

# ---- standard output ----
for command in 'a.c --no-save --max-executions 500' specs --help --version \
  'help test' 'completion bash'; do
  what="faultline $command >/dev/full"
  # shellcheck disable=SC2086 # words
  "$FAULTLINE" $command >/dev/full 2>"$tmp/err"
  status=$?
  expect_status 2
  expect_err 'faultline: cannot write to standard output'
  what="faultline $command >&-"
  # shellcheck disable=SC2086 # words
  "$FAULTLINE" $command >&- 2>"$tmp/err"
  status=$?
  expect_status 2
  expect_err 'faultline: cannot write to standard output'
done
for command in a.c 'explore a.c' 'shrink a.c'; do # GNU's: a hard error
  what="faultline $command --exit-protocol=gnu >/dev/full"
  # shellcheck disable=SC2086 # words
  "$FAULTLINE" $command --no-save --max-executions 5 --exit-protocol=gnu \
    >/dev/full 2>"$tmp/err"
  status=$?
  expect_status 99
done
what='--json - >/dev/full'
"$FAULTLINE" a.c --no-save --max-executions 500 --json - >/dev/full 2>"$tmp/err"
status=$?
expect_status 2
expect_err 'faultline: -: No space left on device'
# Nothing of the report goes into a file that is opened when all are closed.
what='0, 1 and 2 are closed'
(exec <&- >&- 2>&-; "$FAULTLINE" a.c --no-save --max-executions 500 \
  --json closed.json --junit closed.xml)
status=$?
expect_status 2
jq -e '.fault == "not-linearizable"' closed.json >/dev/null || fail "closed.json"
grep -q '</testsuites>' closed.xml || fail "closed.xml"
what='2 is closed'
"$FAULTLINE" a.c --no-save --max-executions 500 --json closed2.json \
  >"$tmp/out" 2>&-
status=$?
expect_status 1
expect_out 'increment\(\) is not atomic'
what='| head -1'
"$FAULTLINE" a.c --no-save --max-executions 500 2>"$tmp/err" | head -1 >"$tmp/out"
status=${PIPESTATUS[0]}
case $status in 1 | 141) ;; *) fail "status $status" ;; esac
expect_out 'error: increment\(\) is not atomic'
expect_no err '.'
what='a reader that has left'
mkfifo gone
exec 8<>gone 9>gone 8<&- # now nobody reads it
(trap '' PIPE; exec "$FAULTLINE" specs >&9) 2>"$tmp/err"
exec 9>&-
expect_err 'cannot write to standard output'

# ---- killed in the middle ----
what='kill -9'
seen=0
for last in k.json k.xml k.html k.trace k.sarif k.tap; do
  rm -f k.*
  TMPDIR=$tmp/tmp "$FAULTLINE" a.c --max-executions 3000 --json k.json \
    --junit k.xml --html k.html --trace k.trace --sarif k.sarif --tap k.tap \
    --save-dir kdir >/dev/null 2>&1 &
  job=$!
  # As soon as one of the files is there: then others are written, or are not.
  until [ -e $last ] || [ ! -e /proc/$job/exe ]; do sleep 0.01; done
  kill -9 $job 2>/dev/null
  wait $job 2>/dev/null
  for f in k.json k.sarif k.html k.xml k.trace k.tap kdir/*.schedule; do
    [ -e "$f" ] || continue
    seen=$((seen + 1))
    case $f in
    *.json | *.sarif) jq . "$f" >/dev/null 2>&1 ;;
    *.html) tail -1 "$f" | grep -q '</html>' ;;
    *.xml) tail -1 "$f" | grep -q '</testsuites>' ;;
    *.trace) tail -1 "$f" | jq . >/dev/null 2>&1 ;;
    *.tap) [ -s "$f" ] ;;
    *.schedule) grep -q '^steps: ' "$f" ;;
    esac || fail "$f is half a file"
  done
done
[ "$seen" -gt 0 ] || fail "nothing was ever written"
rm -rf tmp/* kdir

# ---- two at once ----
what='two runs in one folder'
for i in 1 2 3; do
  TMPDIR=$tmp/tmp "$FAULTLINE" a.c --max-executions 2000 --json same.json \
    --html same.html >"two.$i" 2>"two.$i.err" &
done
wait
for i in 1 2 3; do
  grep -q 'increment() is not atomic' "two.$i" || fail "run $i: $(cat "two.$i")"
  [ ! -s "two.$i.err" ] || fail "run $i says $(cat "two.$i.err")"
done
jq -e '.fault == "not-linearizable"' same.json >/dev/null || fail "same.json"
tail -1 same.html | grep -q '</html>' || fail "same.html"
for f in .faultline/*.schedule; do
  run replay "$f" a.c
  expect_status 1
done
[ -z "$(find . -name '*.??????' -newer a.c -name 'same*')" ] || fail "temporary files"

# ---- locales ----
what='a locale with a decimal comma'
found=$(locale -a 2>/dev/null | grep -Ei '^(de|fr|es|it|pl|nl)_.*utf-?8$' | head -1)
if [ -z "$found" ] && command -v localedef >/dev/null &&
  localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" 2>/dev/null; then
  found=de_DE.UTF-8
  export LOCPATH=$tmp
fi
if [ -n "$found" ]; then
  LC_ALL=$found "$FAULTLINE" a.c --no-save --max-executions 500 --json de.json \
    --sarif de.sarif --junit de.xml >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect_status 1
  jq -e '.statistics.seconds < 100' de.json >/dev/null || fail "de.json"
  jq . de.sarif >/dev/null || fail "de.sarif"
  grep -Eq 'time="[0-9]+,' de.xml && fail "a decimal comma in JUnit"
else
  echo "skipped: there is no locale with a decimal comma"
fi
unset LOCPATH
for locale in C POSIX C.UTF-8 xx_YY.nonsense; do
  what="LC_ALL=$locale"
  LC_ALL=$locale "$FAULTLINE" a.c --no-save --max-executions 500 \
    >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect_status 1
  case $locale in C | POSIX)
    LC_ALL=C grep -q '[^ -~]' "$tmp/out" && fail "letters beyond ASCII" ;;
  esac
done
finish
