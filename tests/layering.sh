#!/bin/sh
# The build's include paths are the architecture: an include that the diagram in
# CMakeLists.txt does not allow must not compile.  Needs BUILD_DIR, SOURCE_DIR.
set -u
cc=${CC:-cc}
views=$BUILD_DIR/layers
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0

# compiles LAYER HEADER: can a file of LAYER include HEADER?
compiles() {
  printf '#include "%s"\nint layering;\n' "$2" >"$work/x.c"
  sed 's/^/-I/' "$views/$1/includes" >"$work/flags"
  $cc -std=gnu11 -fsyntax-only @"$work/flags" "$work/x.c" 2>"$work/log"
}

allow() {
  [ -e "$views/$1/includes" ] || return 0 # the layer has no source yet
  if ! compiles "$1" "$2"; then
    echo "$1 cannot include $2, but should:"
    cat "$work/log"
    bad=1
  fi
}

deny() {
  [ -e "$views/$1/includes" ] || return 0
  [ -e "$SOURCE_DIR/src/$2" ] || [ -e "$SOURCE_DIR/include/$2" ] || {
    echo "no such header: $2"
    bad=1
  }
  if compiles "$1" "$2"; then
    echo "$1 can include $2, but must not"
    bad=1
  fi
}

allow base base/err.h
allow model base/err.h
allow model model/value.h
allow check spec/spec.h
allow search rt/rt.h
allow report build/lines.h
allow read model/log.h
allow lib read/read.h
allow lib faultline/check.h
deny base model/value.h
deny base rt/rt.h
deny base faultline.h
deny model faultline.h
deny model spec/spec.h
deny rt build/lines.h
deny build rt/rt.h
deny spec check/check.h
deny spec rt/rt.h
deny check rt/rt.h
deny check build/lines.h
deny search check/check.h
deny observe rt/rt.h
deny read spec/spec.h
deny check read/read.h
deny report rt/rt.h
deny report check/check.h
deny lib rt/rt.h
deny check lib/int.h

# A relative path would walk around the include paths.
if grep -rn '#include *"\.\.' "$SOURCE_DIR/src"; then
  echo 'relative includes are not allowed in src'
  bad=1
fi

exit $bad
