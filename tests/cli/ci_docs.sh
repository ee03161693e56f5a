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
export FAULTLINE_OPTIONS='--max-executions 2000 --races=off'
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
block GitLab yaml 1 | sed -n '/^  script:/,/^  artifacts:/s/^    - //p' >gitlab.sh
block make make 1 >Makefile
block make sh 1 >automake.sh
for file in first.sh github.sh gitlab.sh Makefile automake.sh; do
  [ -s $file ] || { what=$file; fail "no such block in docs/ci.md"; }
done
[ "$(wc -l <github.sh)" = 2 ] && [ "$(wc -l <gitlab.sh)" = 2 ] ||
  fail "other commands than expected"

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
