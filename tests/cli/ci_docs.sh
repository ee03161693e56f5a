#!/bin/bash
# The commands of docs/ci.md, in a project as it describes: those of the shell,
# of both services' files and of the Makefile, except for installing Faultline.
. "$(dirname "$0")/common.inc"
doc=$SOURCE_DIR/docs/ci.md

mkdir bin include src tests.new
rm tests && mv tests.new tests
printf '#!/bin/sh\nexec "%s" "$@"\n' "$FAULTLINE" >bin/faultline
chmod +x bin/faultline
export PATH=$tmp/bin:$PATH
# The commands as they are, and not for long.
export FAULTLINE_OPTIONS='--max-executions 2000 --deciding-races=off'
echo 'struct stack *stack_new(void); void stack_free(struct stack *s);
void stack_push(struct stack *s, int x); int stack_pop(struct stack *s);' \
  >include/stack.h
cat >tests/harness.c <<'END'
#include "stack.h"
#include <faultline.h>
FL_OBJECT(stack, stack_new, stack_free)
FL_OP(void, stack_push, FL_INT(1, 2))
FL_OP(int, stack_pop)
END
write_stack() { # what stands between reading and writing of top
  cat >src/stack.c <<END
#include "stack.h"
#include <pthread.h>
#include <stdlib.h>
struct stack { pthread_mutex_t lock; int top, item[64]; };
struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }
void stack_free(struct stack *s) { free(s); }
void stack_push(struct stack *s, int x) {
  pthread_mutex_lock(&s->lock);
  s->item[s->top++] = x;
  pthread_mutex_unlock(&s->lock);
}
int stack_pop(struct stack *s) {
  int x = -1;
  pthread_mutex_lock(&s->lock);
  int top = s->top;
  $1
  if (top)
    x = s->item[s->top = top - 1];
  pthread_mutex_unlock(&s->lock);
  return x;
}
END
}
write_wrong() {
  write_stack 'pthread_mutex_unlock(&s->lock); pthread_mutex_lock(&s->lock);'
}

# Blocks of a language, below a heading.
block() { # heading, language, number
  awk -v h="## $1" -v l="$2" -v n="$3" '
    /^## / { in_part = ($0 == h) }
    (in_part || h == "## ") && $0 == "```" l { inside = (++seen == n); next }
    /^```/ { inside = 0 }
    inside' "$doc"
}
block '' sh 1 >first.sh
block 'GitHub Actions' yaml 1 | sed -n 's/^ *- run: //p' |
  grep -v '\.tools/faultline' >github.sh
block GitLab yaml 1 | sed -n '/^  script:/,$s/^    - //p' >gitlab.sh
block make make 1 >Makefile
block make sh 1 >automake.sh
for file in first.sh github.sh gitlab.sh Makefile automake.sh; do
  [ -s $file ] || { what=$file; fail "no such block in docs/ci.md"; }
done
[ "$(wc -l <github.sh)" = 2 ] && [ "$(wc -l <gitlab.sh)" = 2 ] ||
  fail "other commands than expected"

# ---- the package is downloaded once ----
version=$(sed -n 's/^project.faultline VERSION \([0-9.]*\).*/\1/p' \
  "$SOURCE_DIR/CMakeLists.txt")
for file in "$SOURCE_DIR"/ci/*/action.yml "$SOURCE_DIR/ci/gitlab.yml" "$doc" \
  "$SOURCE_DIR/src/cli/templates/faultline.yml"; do
  what=$file
  grep -q "faultline_${version}_amd64.deb" "$file" || fail "no package $version"
  grep -o 'v[0-9]\.[0-9]\.[0-9]' "$file" | grep -qvx "v$version" &&
    fail "another version than $version"
done
sed -n '/^      run: |/,$s/^        //p' "$SOURCE_DIR/ci/github/action.yml" \
  >install_github.sh
sed -n '/^  before_script:/,/^  artifacts:/s/^    - //p' \
  "$SOURCE_DIR/ci/gitlab.yml" >install_gitlab.sh
mkdir stubs
printf '#!/bin/sh\nexec "$@"\n' >stubs/sudo
cat >stubs/apt-get <<'END'
#!/bin/sh
[ "$1" = install ] || exit 0
shift
for word; do
  case $word in
  *.deb) grep -qx package "$word" && echo "installs ${word##*/}" >>"$LOG" ;;
  esac
done
END
cat >stubs/curl <<'END'
#!/bin/sh
while [ $# -gt 1 ]; do
  [ "$1" != -o ] || to=$2
  shift
done
mkdir -p "$(dirname "$to")" && echo package >"$to" && echo "gets $1" >>"$LOG"
END
chmod +x stubs/*
for service in github gitlab; do
  what="ci/$service, from an empty cache and from a full one"
  rm -f log
  for time in first second; do
    FAULTLINE_DEB=https://example.org/f_1.deb LOG=$tmp/log HOME=$tmp/home \
      PATH=$tmp/stubs:$PATH sh -e install_$service.sh >"$tmp/out" 2>"$tmp/err" ||
      fail "$(cat "$tmp/err")"
  done
  [ "$(tr '\n' ' ' <log)" = \
    'gets https://example.org/f_1.deb installs f_1.deb installs f_1.deb ' ] ||
    fail "$(cat log)"
done

each() { # expected statuses: of a fault, of none
  for wrong in 1 0; do
    rm -rf .faultline faultline.sarif faultline.xml
    if [ $wrong = 1 ]; then write_wrong; else write_stack ''; fi
    want=$(eval "echo \${$((2 - wrong))}")
    what="$3 (wrong: $wrong)"
    eval "$3" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
    expect_status "$want"
    [ -z "${4-}" ] || [ -s "$4" ] || fail "no $4"
  done
}
each 1 0 'sh -e first.sh'
each 1 0 'sh -e github.sh' faultline.sarif
each 1 0 'sh -e gitlab.sh' faultline.xml
each 2 0 'make check-faultline' # make's own 2
each 2 0 'make check-nightly NIGHT=1' nightly.json
each 1 0 'sh automake.sh'
finish
