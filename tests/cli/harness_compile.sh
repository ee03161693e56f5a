#!/bin/sh
# The harness macros: one file in every language version and with every
# compiler of this machine gives the same tables and no warning; a mistake is
# reported at the author's line.
set -u

here=$(realpath "$(dirname "$0")")
include=$(realpath "$here/../../include")
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
failures=0

fail() {
  failures=$((failures + 1))
  echo "FAIL $*"
}

# The pragma hides warnings from users; here they are wanted.
mkdir "$tmp/include"
sed '/^#pragma GCC system_header/d' "$include/faultline.h" \
  >"$tmp/include/faultline.h"

# Compiles harness/$1.c to $tmp/$1.o without a warning; "$cc" and "$std" say how.
compile() { # name, more flags
  name=$1
  shift
  # shellcheck disable=SC2086 # $language may be two words or none
  "$cc" $language "-std=$std" -Wall -Wextra -Werror -fPIC "$@" \
    -I"$tmp/include" -c -o "$tmp/$name.o" "$here/harness/$name.c" \
    2>"$tmp/log" && [ ! -s "$tmp/log" ]
}

same_tables() {
  what="$cc -std=$std $*"
  if ! compile every "$@" || ! compile second "$@"; then
    fail "$what: warnings or errors"
    head -20 "$tmp/log"
    return
  fi
  "$cc" -o "$tmp/print" "$tmp/print.o" "$tmp/every.o" "$tmp/second.o"
  "$tmp/print" >"$tmp/tables"
  if ! diff "$here/harness_compile.expected" "$tmp/tables" >"$tmp/diff"; then
    fail "$what: other tables"
    cat "$tmp/diff"
  fi
}

# The shared object must export the list, and once, in hidden builds too; what
# the macros add must not have hooks, or it would look like code under test.
shared_object() {
  what="$cc -std=$std"
  compile every -fvisibility=hidden && compile second -fvisibility=hidden &&
    "$cc" -shared -o "$tmp/harness.so" "$tmp/every.o" "$tmp/second.o"
  [ "$(nm -D --defined-only "$tmp/harness.so" | grep -c ' fl_suites$')" = 1 ] ||
    fail "$what: fl_suites is not exported once"
  for level in -O0 -O2; do
    printf '%s\n' '#include <faultline.h>' 'struct s;' 'struct s *s_new(void);' \
      'int s_get(struct s *, int);' 'bool s_ok(struct s *);' \
      'FL_OBJECT(s, s_new)' 'FL_OP(int, s_get, FL_CHOICE(1, 2))' \
      'FL_SPEC(register)' 'FL_INVARIANT(s_ok)' >"$tmp/plain.c"
    # shellcheck disable=SC2086
    "$cc" $language "-std=$std" $level -include stdbool.h -fsanitize=thread \
      -I"$include" -c -o "$tmp/plain.o" "$tmp/plain.c" || fail "$what: plain"
    hooks=$(nm -u "$tmp/plain.o" | grep -o '__tsan_.*' | grep -v '^__tsan_init$')
    [ -z "$hooks" ] || fail "$what $level: hooks in the macros: $hooks"
  done
}

# wrong LINES...: line 8, the last one, is the wrong one.
wrong() {
  {
    printf '%s\n' '#include <faultline.h>' 'struct s { int v; };' \
      'struct s *s_new(void);' 'int s_int(void);' 'int pop(struct s *);' \
      'struct s whole(struct s *);'
    printf '%s\n' "$@"
  } >"$tmp/wrong.c"
  # shellcheck disable=SC2086
  if "$cc" $language "-std=$std" -I"$include" -c -o "$tmp/wrong.o" \
    "$tmp/wrong.c" 2>"$tmp/log"; then
    fail "$cc -std=$std accepts: $2"
  elif ! grep -m1 'error:' "$tmp/log" | grep -q 'wrong\.c:8:'; then
    fail "$cc -std=$std: not at line 8: $2"
    grep -m1 'error:' "$tmp/log"
  fi
}

mistakes() {
  object='FL_OBJECT(s, s_new)'
  wrong "$object" 'FL_OP(int, popp)'
  wrong "$object" 'FL_OP(itn, pop)'
  wrong "$object" 'FL_OP(int, pop, FL_INT(0, x))'
  wrong "$object" 'FL_SHOW(nothing)'
  wrong "$object" 'FL_INVARIANT(whole)'
  wrong "$object" 'FL_MEMORY_MODEL(pso)'
  wrong "$object" 'FL_CRITERION(weak)'
  wrong '' 'FL_MEMORY_MODEL(tso)'
  wrong '' 'FL_OP(int, pop)'
  wrong '' 'FL_SPEC(stack)'
  wrong '' 'FL_OBJECT(s, s_int)'
  case $std in
  c2x) ;; # C23 has no () that leaves the parameters open: found at load time
  *) wrong "$object" 'FL_OP(void, pop)' ;;
  esac
}

compilers=0
for cc in gcc gcc-13 gcc-14 clang clang-16 clang-19; do
  command -v "$cc" >/dev/null || continue
  compilers=$((compilers + 1))
  "$cc" -I"$include" -c -o "$tmp/print.o" "$here/harness/print.c" ||
    fail "$cc print.c"
  language=
  for std in c99 c11 gnu17 c2x; do
    same_tables -O0
    same_tables -O2
    shared_object
    mistakes
  done
  language='-x c++'
  for std in c++14 c++17 c++20; do
    same_tables -O0
    same_tables -O2
    shared_object
    mistakes
  done
done
[ "$compilers" -gt 0 ] || exit 77
[ "$failures" -eq 0 ] && echo "$compilers compilers agree"
