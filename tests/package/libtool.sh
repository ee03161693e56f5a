#!/bin/bash
# A library that autoconf, automake and libtool build, as its users build and
# install it (docs/builds.md), but with CC='faultline cc': the shared library and
# the archive.
. "$(dirname "$0")/common.inc"
for tool in autoreconf automake libtoolize make; do
  command -v $tool >/dev/null || skip "there is no $tool"
done
faultline=$BUILD_DIR/faultline
export XDG_CACHE_HOME=$work/cache
cp -r "$SOURCE_DIR/tests/package/libtool_project" "$work/project"
cd "$work/project" || exit 1
must autoreconf -fi
must ./configure CC="$faultline cc"
must make
must make install DESTDIR="$work/installed"
lib=$work/installed/usr/local/lib
for library in "$lib/libcnt.so" .libs/libcnt.a; do
  status 1 "$faultline" harness.c "$library" --no-save --no-html -- -lm
  grep -q 'cnt.c:[0-9]*:[0-9]*: error: cnt_next() is not atomic' "$work/log" ||
    fail "$library: $(cat "$work/log")"
  grep -q warning "$work/log" && fail "$library: $(cat "$work/log")"
done
# As a library of the linker's.
cp "$lib/libcnt.so.1.0.0" "$work/libcnt.so"
status 1 "$faultline" harness.c --no-save --no-html -- -L"$work" -lcnt
finish
