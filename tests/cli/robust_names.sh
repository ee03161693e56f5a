#!/bin/bash
# Sources whose names have blanks, quotes, letters beyond ASCII and whatever a
# shell, a linker or a page could take for something else: they are built, every
# report names them, and the replay command can be pasted into a shell.
. "$(dirname "$0")/common.inc"
mkdir bin && ln -s "$FAULTLINE" bin/faultline
names=('with space.c' 'ünïcödé.c' "single'quote.c" 'double"quote.c'
  'dollar$HOME.c' './-dash.c' 'semi;colon.c' 'back\slash.c' 'per%cent.c'
  'com,ma.c' '@at.c' 'star*.c' 'hash#.c' 'a&b<i>.c' '(paren).c'
  "fol'der \"q/with \$both.c" 'tab	.c')
for name in "${names[@]}"; do
  mkdir -p "$(dirname -- "$name")"
  cp examples/racy_counter.c "$name"
  # The first one with each report; it is slow to do so with all.
  run "$name" --max-executions 500 --json j.json --junit j.xml --sarif s.sarif \
    --tap t.tap --html h.html --trace t.jsonl --dot d.dot
  expect_status 1
  expect_no err '.'
  grep -Fq -- "$(printf %s "$name" | sed 's/\t/\\t/'):17:" "$tmp/out" ||
    fail "the report does not name $name: $(head -2 "$tmp/out")"
  [ "$(jq -r .diagnostic.file j.json)" = "$name" ] ||
    fail "JSON: $(jq -r .diagnostic.file j.json)"
  jq -e '.runs[0].results | length > 0' s.sarif >/dev/null || fail "SARIF"
  uri=$(jq -r '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri' s.sarif)
  case $uri in *[' "<>\%'"'"]*)
    case $uri in *%[0-9A-F][0-9A-F]*) ;; *) fail "SARIF: $uri" ;; esac ;;
  esac
  ! command -v xmllint >/dev/null || xmllint --noout j.xml 2>&1 || fail "JUnit"
  grep -q '^not ok' t.tap || fail "TAP"
  # Pasted into a shell it fails again.
  replay=$(jq -r .replay j.json)
  case $name in *'	'*) ;; *)
    what="sh -c: $replay"
    PATH=$tmp/bin:$PATH TMPDIR=$tmp/tmp sh -c "$replay --no-html" >"$tmp/out" \
      2>"$tmp/err" </dev/null
    status=$?
    expect_status 1
    expect_out 'increment\(\) is not'
    ;;
  esac
  rm -rf .faultline "./$name"
done

# The same in the folder for what is compiled, and in that of the outputs.
odd="$tmp/o'd\"d \\ \$f,x"
mkdir "$odd" "$odd/out"
what="TMPDIR=$odd"
TMPDIR=$odd "$FAULTLINE" examples/racy_counter.c --max-executions 500 \
  --save-dir "$odd/out" --json "$odd/out/j.json" >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 1
expect_no err '.'
[ -s "$odd/out/j.json" ] || fail "no JSON in $odd"
ls "$odd"/faultline-* >/dev/null 2>&1 && fail "left in TMPDIR"
# Two sources of the same name, and one that is given twice.
mkdir x y
printf 'int one(void) { return 1; }\n' >x/part.c
printf 'int two(void) { return 2; }\n' >y/part.c
run x/part.c y/part.c examples/racy_counter.c --max-executions 500 --no-save
expect_status 1
# A name that looks like an option is no mystery.
cp examples/racy_counter.c ./-v.c
run -v.c
expect_status 2
expect_err 'option'
finish
