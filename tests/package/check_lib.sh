#!/bin/bash
# Installs the checker's library into a folder of its own and builds programs
# against it as others would: with pkg-config and with CMake, shared and static,
# in C99 and in C++.  Needs BUILD_DIR, SOURCE_DIR.
set -u
cc=${CC:-cc}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
fail() {
  echo "FAILED: $*"
  bad=1
}
must() { "$@" >"$work/log" 2>&1 || { fail "$*"; cat "$work/log"; }; }

if ldd "$BUILD_DIR/libfaultline-check.so" | grep -q 'lib[a-z]*san\.'; then
  echo "skipped: the library has a sanitizer, which a program would need too"
  exit 77
fi

# With a prefix that the build did not know: the files tell it by their place.
must cmake --install "$BUILD_DIR" --prefix "$work/root" --component check
pc=$(find "$work/root" -name faultline-check.pc)
[ -n "$pc" ] || { fail "no faultline-check.pc"; exit 1; }
lib=${pc%/pkgconfig/*}
export PKG_CONFIG_PATH=$lib/pkgconfig
export PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
example=$SOURCE_DIR/examples/library/check_library.c

# runs NAME PROGRAM: the two stacks of the example.
runs() {
  LD_LIBRARY_PATH=$lib "$2" >"$work/out" || fail "$1: the right stack"
  grep -q '^linearizable' "$work/out" || fail "$1: $(cat "$work/out")"
  LD_LIBRARY_PATH=$lib "$2" broken >"$work/out" && fail "$1: the broken stack"
  grep -q '^violation: pop() = ' "$work/out" || fail "$1: $(cat "$work/out")"
}

must $cc -o "$work/shared" "$example" $(pkg-config --cflags --libs \
  faultline-check) -pthread
runs pkg-config "$work/shared"
archive=$(pkg-config --variable=libdir faultline-check)
[ "$(cd "$archive" && pwd -P)" = "$(cd "$lib" && pwd -P)" ] ||
  fail "libdir is $archive, not $lib"
must $cc -o "$work/static" "$example" $(pkg-config --cflags faultline-check) \
  "$archive/libfaultline-check.a" -lz -pthread -ldl
runs "pkg-config, static" "$work/static"

# Only names with fl_ are visible, in either library.
for file in "-D $lib/libfaultline-check.so" "-g $lib/libfaultline-check.a"; do
  nm --defined-only $file | awk 'NF == 3 { print $3 }' >"$work/names"
  grep -q '^fl_check_new$' "$work/names" || fail "$file has no fl_check_new"
  grep -v '^fl_check_' "$work/names" && fail "$file has other names"
done

# The header alone, in the dialects that it promises.
printf '#include <faultline/check.h>\nint main(void) { return fl_none().kind; }\n' \
  >"$work/header.c"
flags="$(pkg-config --cflags faultline-check) -Wall -Wextra -Werror -fsyntax-only"
must $cc -std=c99 -pedantic $flags "$work/header.c"
must $cc -std=c11 -pedantic $flags "$work/header.c"
if command -v c++ >/dev/null; then
  must c++ -x c++ -std=c++11 -pedantic $flags "$work/header.c"
fi

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(consumer C)
find_package(Threads REQUIRED)
find_package(Faultline REQUIRED COMPONENTS check)
add_executable(shared $example)
target_link_libraries(shared PRIVATE Faultline::check Threads::Threads)
add_executable(static $example)
target_link_libraries(static PRIVATE Faultline::check-static)
find_package(Faultline QUIET COMPONENTS check nonesuch)
if(Faultline_FOUND)
  message(FATAL_ERROR "a component that there is not was found")
endif()
END
must cmake -S "$work/project" -B "$work/build" -DCMAKE_C_COMPILER=$cc \
  -DFaultline_DIR="$lib/cmake/Faultline"
must cmake --build "$work/build"
runs CMake "$work/build/shared"
runs "CMake, static" "$work/build/static"

[ $bad = 0 ] && echo passed
exit $bad
