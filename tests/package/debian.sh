#!/bin/bash
# The Debian package, made of what `make dist` packs, or the one that DEB names,
# unpacked into a folder and run from there, with nothing of the sources or of
# this build in sight.
. "$(dirname "$0")/common.inc"
[ "$BUILD_DIR" = "$SOURCE_DIR/build" ] || skip "another build than the release"
version=$(sed -n 's/^project.faultline VERSION \([0-9.]*\).*/\1/p' \
  "$SOURCE_DIR/CMakeLists.txt")
head -1 "$SOURCE_DIR/debian/changelog" | grep -qF "($version)" ||
  fail "debian/changelog is of another version than $version"
if [ -n "${DEB-}" ]; then
  cp "$DEB" "$work/" || exit 1
  cd "$work" || exit 1
else
  command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null ||
    skip "there is no debhelper"
  must make -s -C "$SOURCE_DIR" dist DIST="$work/dist.tar.gz"
  cd "$work" || exit 1
  tar -xzf dist.tar.gz || fail "the archive"
  (cd "faultline-$version" && must dpkg-buildpackage -us -uc -b -d) || exit 1
fi
deb=$(ls faultline_"$version"_*.deb) || { fail "no package"; exit 1; }
# What it was made of is gone, and so is what the program was compiled to know.
mkdir clean && dpkg -x "$deb" clean
rm -rf "faultline-$version"
dpkg-deb -f "$deb" Depends | grep -q 'libdw1.*' || fail "its dependencies"
for file in usr/include/faultline.h usr/share/doc/faultline/docs/ci.md; do
  [ -e "clean/$file" ] || fail "no $file in it"
done
find clean -name faultline.pc | grep -q . || fail "no faultline.pc"
mkdir project && cp "$SOURCE_DIR/examples/afek_stack.c" project
cd project || exit 1
status 0 env -i PATH=/usr/bin:/bin ../clean/usr/bin/faultline selftest
status 1 env -i PATH=/usr/bin:/bin ../clean/usr/bin/faultline afek_stack.c
grep -q 'pop() is not atomic: lines 41-42' "$work/log" || fail "$(cat "$work/log")"
finish
