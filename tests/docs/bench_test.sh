#!/bin/bash
# bench/run on a page and programs of our own: what it writes, and when it says
# that the page is old.
set -u
SOURCE_DIR=${SOURCE_DIR:-$(realpath "$(dirname "$0")/../..")}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export BENCH_FOLDER=$tmp BENCH_PAGE=$tmp/README.md
failures=0

bench() { # arguments; leaves $status, $tmp/out
  perl "$SOURCE_DIR/bench/run" "$@" >"$tmp/out" 2>&1
  status=$?
}
expect() { # what, status, regular expression of a line (empty: no output)
  if [ "$status" = "$2" ]; then
    [ -n "$3" ] || [ -s "$tmp/out" ] || return
    [ -z "$3" ] || ! grep -Eq -- "$3" "$tmp/out" || return
  fi
  failures=$((failures + 1))
  printf 'FAIL %s: status %s, wanted %s and "%s"\n' "$1" "$status" "$2" "$3"
  sed 's/^/     | /' "$tmp/out"
}
has() { # line of the page
  grep -qxF -- "$1" "$BENCH_PAGE" && return
  failures=$((failures + 1))
  echo "FAIL the page has no '$1'"
  sed 's/^/     | /' "$BENCH_PAGE"
}

printf 'echo "one $# $*"\n' >"$tmp/one.sh"
printf 'echo two\n' >"$tmp/two.sh"
cat >"$BENCH_PAGE" <<'END'
# A page
<!-- bench: one a b -->
<!-- end -->
between
<!-- bench: two -->
<!-- end -->
behind
END
bench --check
expect 'nothing was measured' 1 'one was never measured'
bench --update one
expect 'one of them' 0 ''
has 'one 2 a b'
bench --check
expect 'the other one' 1 'two was never measured'
bench --update
expect 'all' 0 ''
has 'between'
has 'two'
has 'behind'
bench --check
expect 'as measured' 0 ''
echo '# other' >>"$tmp/two.sh"
bench --check
expect 'the program has changed' 1 'two has changed since it was measured'
bench --update two
bench --check
expect 'measured again' 0 ''
echo 'exit 3' >"$tmp/two.sh"
cp "$BENCH_PAGE" "$tmp/before"
bench --update
expect 'the program fails' 2 'status 3'
cmp -s "$BENCH_PAGE" "$tmp/before" || {
  echo 'FAIL a failing program changes the page'
  failures=$((failures + 1))
}
echo 'true' >"$tmp/three.sh"
bench --check
expect 'no place' 1 'has no place for three'
rm "$tmp/one.sh" "$tmp/three.sh"
bench --check
expect 'no program' 1 'there is no program one'
echo 'echo two' >"$tmp/two.sh"
bench --update one two none
expect 'no such place' 1 'has no place for none'
bench
expect 'no mode' 2 usage
exit $((failures > 0))
