#!/bin/bash
# The list of skipped tests at the end of `make check`: each with its reason,
# once, also when only a part was left out; and ctest's status is kept.
set -u
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(some NONE)
enable_testing()
add_test(NAME whole COMMAND sh -c "echo 'skipped: there is no gdb'; exit 77")
add_test(NAME part COMMAND sh -c "for i in 1 2; do echo 'skipped: no clang'; done")
add_test(NAME all COMMAND sh -c "echo 'nothing was skipped: fine'")
add_test(NAME bad COMMAND sh -c "exit 3")
set_tests_properties(whole part all bad PROPERTIES SKIP_RETURN_CODE 77)
END
cat >"$tmp/ctest" <<'END'
#!/bin/sh
# In place of the preset: the tests above.
[ "$1 $2" = "--preset release" ] || exit 9
shift 2
exec ctest --test-dir "$(dirname "$0")/build" "$@"
END
chmod +x "$tmp/ctest"
cmake -S "$tmp" -B "$tmp/build" >"$tmp/cmake.log" 2>&1 || {
  cat "$tmp/cmake.log"
  exit 1
}
bad=0
run() { # status that must come, options of ctest …
  local want=$1
  shift
  CTEST=$tmp/ctest LOG=$tmp/build/Testing/Temporary/LastTest.log \
    "$SOURCE_DIR/tests/run-preset" release "$@" >"$tmp/out" 2>&1
  local status=$?
  [ $status = "$want" ] || { echo "status $status, not $want: $*"; bad=1; }
  sed -n '/^Skipped,/,$p' "$tmp/out" >"$tmp/list"
}
run 8
cat >"$tmp/want" <<'END'
Skipped, in whole or in part:
  whole: there is no gdb
  part: no clang
END
diff "$tmp/want" "$tmp/list" || bad=1
run 0 -R all
[ ! -s "$tmp/list" ] || { echo "nothing is listed as skipped"; bad=1; }
exit $bad
