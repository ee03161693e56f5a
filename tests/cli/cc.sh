#!/bin/bash
# `faultline cc` in place of a compiler: a project with its own Makefile, whose
# configure check is run, becomes something that Faultline can load.
. "$(dirname "$0")/common.inc"
project=$SOURCE_DIR/tests/package/make_project

# Without Faultline it builds and runs: the project is no part of the problem.
cp -r "$project" plain
what='make'
make -C plain >"$tmp/out" 2>"$tmp/err" && plain/app/main
status=$?
expect_status 0

cp -r "$project" ours
what="CC='faultline cc' make"
make -C ours CC="$FAULTLINE cc" libcounter.so >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 0
grep -q 'INT_BITS 32' ours/config/config.h || fail "the configure check"

# The library as it was built, and a harness for it.
cd ours || exit 2
run harness.c lib/counter.o lib/limits.o --no-save -- -Iinclude
expect_status 1
expect_out 'lib/counter.c:[0-9]+:[0-9]+: error: counter_next\(\) is not atomic: line'
expect_out '\{counter_next\(\)\} \|\| \{counter_next\(\)\}'
expect_no err 'warning'

what="faultline cc -shared"
"$FAULTLINE" cc -Iinclude -fPIC -shared -o libthing.so harness.c lib/counter.o \
  lib/limits.o >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 0
run ./libthing.so --no-save
expect_status 1
expect_out 'lib/counter.c:[0-9]+:[0-9]+: error: counter_next\(\) is not atomic: line'
expect_no err 'warning'

# A library without a harness.
run ./libcounter.so
expect_status 2
expect_err 'no harness'

# What was compiled by another compiler is seen in its machine code.
run harness.c ../plain/lib/counter.o ../plain/lib/limits.o --no-save -- -Iinclude
expect_status 1
expect_out 'lib/counter.c:[0-9]+:[0-9]+: error: counter_next\(\) is not linearizable'

# Questions to the compiler are the compiler's.
what='faultline cc --version'
[ "$("$FAULTLINE" cc --version)" = "$(gcc --version)" ] || fail "other answer"
what='faultline cc of a wrong file'
echo 'int x' >wrong.c
"$FAULTLINE" cc -c wrong.c >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 1
expect_err 'wrong.c:1'
[ ! -e wrong.o ] || fail "wrong.o was written"
finish
