#!/bin/bash
# What is installed, used by the builds of others: the program in a tree that was
# moved, pkg-config, CMake, and make with the wrapper as its compiler.
. "$(dirname "$0")/common.inc"
install_tool
faultline=$prefix/bin/faultline
cp -r "$SOURCE_DIR/examples/builds" "$work/project"
cd "$work/project" || exit 1

# The header is that of the moved tree: it is changed, and the change is seen.
status 0 "$faultline" src/counter.c tests/harness.c --no-save -- -Iinclude
status 1 "$faultline" src/counter.c tests/harness.c --no-save -- -Iinclude \
  -DNO_LOCK
printf '#error moved header\n' >>"$prefix/include/faultline.h"
status 2 "$faultline" src/counter.c tests/harness.c --no-save -- -Iinclude
grep -q 'moved header' "$work/log" || fail "another header is used"
sed -i '$d' "$prefix/include/faultline.h"

# The links of the documents, where they are installed.
if command -v perl >/dev/null; then
  SOURCE_DIR="$prefix/share/doc/faultline" FAULTLINE="$faultline" \
    must perl "$SOURCE_DIR/tests/docs/links.pl"
else
  echo "skipped: there is no perl for the links of the documents"
fi

# The commands of docs/builds.md.
export PATH="$prefix/bin:$PATH"
block() { # language, number
  awk -v l="$1" -v n="$2" '$0 == "```" l { inside = (++seen == n); next }
    /^```/ { inside = 0 } inside' "$SOURCE_DIR/docs/builds.md"
}
block sh 1 >wrapped.sh
block sh 3 >named.sh
[ -s wrapped.sh ] && [ -s named.sh ] || fail "docs/builds.md has other blocks"
must sh -e wrapped.sh
make -s clean
sed -i 's/-Iinclude/-Iinclude -DNO_LOCK/' Makefile
status 1 sh -e wrapped.sh
make -s clean
must sh -e named.sh
block cmake 1 >quoted
while IFS= read -r line; do
  grep -qxF -- "$line" CMakeLists.txt || fail "CMakeLists.txt has not: $line"
done <quoted
block meson 1 >quoted
while IFS= read -r line; do
  grep -qxF -- "$line" meson.build || fail "meson.build has not: $line"
done <quoted

# pkg-config
pc=$(find "$work/a moved tree" -name faultline.pc)
[ -n "$pc" ] || { fail "no faultline.pc"; exit 1; }
mv "$prefix" "$work/tree" # its own rules of quoting are not what is tested
pc=$(find "$work/tree" -name faultline.pc)
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
program=$(pkg-config --variable=faultline faultline)
[ "$(realpath "$program")" = "$work/tree/bin/faultline" ] ||
  fail "pkg-config: $program"
eval "flags=($(pkg-config --cflags faultline))"
must ${CC:-cc} -fsyntax-only "${flags[@]}" -Iinclude tests/harness.c

# CMake
config=$(find "$work/tree" -name FaultlineConfig.cmake)
must cmake -S . -B build -DCMAKE_C_COMPILER="${CC:-cc}" \
  -DFaultline_DIR="${config%/*}"
status 0 ctest --test-dir build
grep -q '2 tests passed\|tests passed, 0 tests failed out of 2' "$work/log" ||
  fail "not two tests: $(cat "$work/log")"
# A fault is a failure, nothing checked is skipped, a typing error is an error.
cat >>CMakeLists.txt <<'END'
faultline_add_test(NAME fault SOURCES src/counter.c tests/harness.c TARGET counter
  COMPILE_OPTIONS -DNO_LOCK)
file(WRITE ${CMAKE_BINARY_DIR}/nothing.c "#include <faultline.h>
static int f(void) { return 1; }
FL_OBJECT(nothing)
FL_OP(int, f)
")
faultline_add_test(NAME nothing SOURCES ${CMAKE_BINARY_DIR}/nothing.c)
END
must cmake -S . -B build
status 8 ctest --test-dir build -R '^(fault|nothing)$'
grep -Eq 'fault \.+\*\*\*Failed' "$work/log" || fail "a fault passes"
grep -Eq 'nothing \.+\*\*\*Skipped' "$work/log" || fail "nothing is not skipped"
echo 'faultline_add_test(NAME x SOURCE y)' >>CMakeLists.txt
status 1 cmake -S . -B build
grep -q 'what is SOURCE' "$work/log" || fail "a misspelled argument"
finish
