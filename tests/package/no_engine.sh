#!/bin/bash
# Configures without the engine, as on processors that it does not run on,
# builds the checker's library and the tests of its interface, and runs them.
# no_engine.sh all builds and runs all tests that there are then.  Needs
# SOURCE_DIR.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
must() {
  "$@" >"$work/log" 2>&1 && return
  echo "FAILED: $*"
  tail -n 60 "$work/log"
  exit 1
}

# Neither libdw nor capstone is asked for: pkg-config finds zlib alone.
mkdir "$work/pc" && cp "$(pkg-config --variable=pcfiledir zlib)/zlib.pc" \
  "$work/pc" || exit 1
export PKG_CONFIG_LIBDIR=$work/pc
unset PKG_CONFIG_PATH
must cmake -S "$SOURCE_DIR" -B "$work/build" -DFL_ENGINE=OFF \
  -DCMAKE_C_COMPILER="${CC:-cc}"

# Every layer of the library has tests then.
ctest --test-dir "$work/build" -N >"$work/tests" 2>/dev/null
for some in unit/{base,model,spec,history,lib} agree fuzz package/check_lib; do
  grep -q ": $some" "$work/tests" || { echo "FAILED: no $some"; exit 1; }
done

targets=(--target faultline-check faultline-check-static
  test_unit_lib_check test_unit_lib_no_memory test_unit_lib_sizes)
chosen=(-R '^unit/lib/|^package/check_lib$')
if [ "${1:-}" = all ]; then
  targets=() chosen=()
fi
must cmake --build "$work/build" -j2 "${targets[@]}"
must ctest --test-dir "$work/build" -j2 --no-tests=error --output-on-failure \
  "${chosen[@]}"
echo passed
