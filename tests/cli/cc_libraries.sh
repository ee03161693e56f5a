#!/bin/bash
# Shared libraries and archives that `faultline cc` has made: hooks are found,
# globals are set back, and several are in one process, also where they hide
# things of the same name.
. "$(dirname "$0")/common.inc"
export FAULTLINE

cat >one.c <<'END'
#include <math.h>
int name; /* hidden: the other library has one, too */
volatile double half = 0.5;
int helper(void) { return ++name; }
__attribute__((visibility("default"))) int one_next(void) {
  return helper() + (int)pow(half, 2);
}
END
cat >two.cpp <<'END'
#include <mutex>
#include <vector>
extern "C" int one_next(void);
int name = 10;
extern "C" int helper(void) { return ++name; }
static std::mutex m;
static std::vector<int> all;
extern "C" __attribute__((visibility("default"))) int two_next(void) {
  std::lock_guard<std::mutex> guard(m);
  all.push_back(helper());
  return all.back();
}
extern "C" __attribute__((visibility("default"))) int both(void) {
  std::lock_guard<std::mutex> guard(m);
  return helper() * 100 + one_next();
}
END
cat >one_harness.c <<'END'
#include <faultline.h>
int one_next(void);
FL_OBJECT(one)
FL_OP(int, one_next)
END
cat >harness.c <<'END'
#include <faultline.h>
int two_next(void), both(void);
FL_OBJECT(two)
FL_OP(int, two_next)
FL_OP(int, both)
END

make_libraries() {
  what='faultline cc -shared'
  "$FAULTLINE" cc -g -O1 -fPIC -fvisibility=hidden -shared -o libone.so one.c \
    -lm && "$FAULTLINE" c++ -g -O1 -fPIC -fvisibility=hidden -c two.cpp &&
    "$FAULTLINE" c++ -shared -o libtwo.so two.o -L. -lone
  status=$?
  expect_status 0
}
make_libraries >"$tmp/out" 2>"$tmp/err"

run one_harness.c ./libone.so --no-save
expect_status 1
expect_out 'one.c:[0-9]+:[0-9]+: error: helper\(\) is not atomic: line 4'
expect_no err 'warning'
run one_harness.c --no-save -- -L. -lone
expect_status 1
expect_out 'one.c:4:'

# Every execution begins with the first number.
run explore harness.c libone.so libtwo.so --no-save \
  --client '{two_next()} || {both()}'
expect_status 0
expect_out '11 +1201 '
expect_out '12 +1101 '
expect_no err 'warning'
expect_no out 'partial'

# The libraries stay what they were to others.
what='a program with libone.so'
echo 'int one_next(void); int main(void) { return one_next != 0; }' >main.c
gcc main.c -L. -lone -Wl,--unresolved-symbols=ignore-all -o main \
  >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 0

# CMake, which asks its compiler many things first.
if command -v cmake >/dev/null; then
  cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(two C CXX)
find_package(Threads REQUIRED)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
add_library(one SHARED one.c)
target_link_libraries(one m)
set_target_properties(one PROPERTIES VERSION 1.2.3 SOVERSION 1)
add_library(two SHARED two.cpp)
target_link_libraries(two PRIVATE one Threads::Threads)
END
  what='cmake'
  CC="$FAULTLINE cc" CXX="$FAULTLINE c++" cmake -S . -B built \
    >"$tmp/out" 2>"$tmp/err" && cmake --build built >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect_status 0
  run explore harness.c built/libone.so built/libtwo.so --no-save \
    --client '{two_next()} || {both()}'
  expect_status 0
  expect_out '12 +1101 '
else
  echo "skipped: there is no cmake"
fi
finish
