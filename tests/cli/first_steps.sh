#!/bin/bash
# Mistakes of the first minutes get a sentence, warnings come once, and a pass
# says what never ran.
. "$(dirname "$0")/common.inc"

# ---- a source that the harness includes, on the command line too ----
cat >stack.c <<'END'
int top;
int push(int x) { return top += x; }
END
cat >harness.c <<'END'
#include "all.h"
#include <faultline.h>
FL_OBJECT(stack)
FL_OP(int, push, FL_INT(1, 2))
END
echo '#include "stack.c"' >all.h
run harness.c stack.c
expect_status 2
expect_err 'stack.c is compiled twice, since harness.c includes it: leave it out'
grep -q 'ld' "$tmp/err" && fail "the linker's words: $(cat "$tmp/err")"
run harness.c -q --no-save
expect_status 1
# Two definitions in files that do not include each other are the linker's.
echo 'int push(int x) { return x; }' >other.c
run harness.c other.c
expect_status 2
expect_err 'multiple definition of .push.* the link failed'

# ---- a compiler's flag without the dashes ----
run harness.c -DX
expect_status 2
expect_err '-DX is a compiler flag: these come after --, as in: -- -DX'

# ---- warnings come once ----
cat >warned.c <<'END'
#include <faultline.h>
static int n;
static int inc(void) { int unused; return ++n; }
FL_OBJECT(counter)
FL_OP(int, inc)
END
once() { # arguments
  run "$@" -- -Wall
  n=$(grep -c "warning: unused variable" "$tmp/err")
  [ "$n" = 1 ] || fail "the warning came $n times"
}
once warned.c --no-cache
once warned.c --no-cache --search=stress --max-executions 5
once replay .faultline/counter-*.schedule warned.c
once export .faultline/counter-*.schedule warned.c -o test.c
sed '/FL_/d;s/static int inc/int inc/' warned.c >bare.c
once init bare.c

# ---- what never ran ----
cat >table.c <<'END'
#include <faultline.h>
#include <pthread.h>
static pthread_mutex_t m;
int n, room, spare[2]; /* external: none of it is optimised away */
static void make(void) { room = 2; }
static void grow(void) { /* called once, so that it is inlined */
  room = 4;
  for (int i = 0; i < 2; i++)
    spare[i] = n;
}
static void fail(void) {
  spare[0] = 1;
  spare[1] = n;
}
void clear(void) { n = 0; } /* no operation comes to it */
static int add(int x) {
  pthread_mutex_lock(&m);
  n = x;
  if (x > 1)
    grow();
  if (x > 2)
    fail();
  pthread_mutex_unlock(&m);
  return x;
}
FL_OBJECT(table, make)
FL_OP(int, add, FL_INT(0, MOST))
END
for cc in gcc clang; do
  command -v $cc >/dev/null || { echo "skipped: no $cc"; continue; }
  for opt in -O0 -O1 -O2 -O3; do
    run table.c --cc=$cc --opt=$opt --no-save --ops 1 --init 0 --threads 2 \
      -- -DMOST=1
    expect_status 0
    expect_out 'grow\(\) and fail\(\) never ran: [1-4] of [0-9]* lines \(what'
    [ $opt != -O0 ] || expect_out 'never ran: 4 of 5 lines'
    run table.c --cc=$cc --opt=$opt --no-save --ops 1 --init 0 --threads 2 \
      -- -DMOST=2
    expect_status 0
    expect_out '; fail\(\) never ran: [12] of [0-9]* lines \(what'
    [ $opt != -O0 ] || expect_out 'never ran: 2 of 5 lines'
    run table.c --cc=$cc --opt=$opt --no-save --ops 1 --init 0 --threads 2 \
      -- -DMOST=3
    expect_status 0
    grep -q 'never ran' "$tmp/out" && fail "$(cat "$tmp/out")"
  done
done

# ---- --coverage ----
run table.c --opt=-O0 --no-save --ops 1 --init 0 --threads 2 \
  --coverage cov.info -- -DMOST=2
expect_status 0
line() { grep -n "$1" table.c | head -1 | cut -d: -f1; } # of the text
for want in "SF:$PWD/table.c" "DA:$(line 'room = 4'),1" \
  "DA:$(line 'spare\[0\] = 1'),0" "FNDA:1,grow" "FNDA:0,fail" end_of_record; do
  grep -qxF "$want" cov.info || fail "no '$want' in $(cat cov.info)"
done
run table.c --no-save --coverage missing/cov.info
expect_status 2
finish
