#!/bin/bash
# `faultline check --spec=HARNESS.c`: the model of a test is that of recorded
# histories, too.
. "$(dirname "$0")/common.inc"

cat >bag.h <<'END'
struct bag;
struct bag *bag_new(void);
void put(struct bag *, int);
int get(struct bag *);
END
cat >bag.c <<'END'
#include "bag.h"
#include <stdlib.h>
struct bag { int n; };
struct bag *bag_new(void) { return calloc(1, sizeof(struct bag)); }
void put(struct bag *b, int v) { b->n += v; }
int get(struct bag *b) { return b->n; }
END
cat >harness.c <<'END'
#include "bag.h"
#include <faultline.h>
#include <stdbool.h>
#include <stdlib.h>
struct model { int n[8]; };
static struct model *model_new(void) { return calloc(1, sizeof(struct model)); }
static bool allows_put(struct model *m, int v) { return ++m->n[v & 7]; }
static bool allows_get(struct model *m, int result) {
  if (FAILS)
    return 7 / (result - result);
  return result >= 0 && m->n[result & 7]-- > 0;
}
FL_OBJECT(bag, bag_new)
FL_OP(void, put, FL_INT(1, 3))
FL_OP(int, get)
FL_SPEC(relation, model_new, put = allows_put, get = allows_get)
END
history() { # results of two removals, behind put(1) and put(2)
  for v in 1 2; do
    printf '{"type":"call","process":1,"name":"put","args":[%s]}\n' $v
    printf '{"type":"return","process":1}\n'
  done
  for v in "$@"; do
    printf '{"type":"call","process":2,"name":"get"}\n'
    printf '{"type":"return","process":2,"result":%s}\n' "$v"
  done
}
history 1 2 >first.jsonl
history 2 1 >last.jsonl
history 1 1 >twice.jsonl

check() { run check --spec=bag.c,harness.c "$@" -- -DFAILS=0; }
check first.jsonl last.jsonl
expect_status 0
expect_out 'last.jsonl: linearizable \(bag.c,harness.c, 4 operations'
check twice.jsonl
expect_status 1
expect_out 'get\(\) = 1 of process 2 fits nowhere'
check first.jsonl last.jsonl twice.jsonl -j2 --json out.json
expect_status 1

# A removal that did not return may have had any result.
{
  history 1
  printf '{"type":"call","process":3,"name":"get"}\n'
  printf '{"type":"call","process":2,"name":"get"}\n'
  printf '{"type":"return","process":2,"result":1}\n'
} >pending.jsonl
check pending.jsonl
expect_status 3
expect_out 'unknown'

# ---- what is refused ----
run check --spec=bag.c,harness.c first.jsonl -- -DFAILS=1
expect_status 2
expect_err 'harness.c:10: FL_SPEC\(relation\): allows_get failed: integer division by zero \(SIGFPE\), in put\(1\); put\(2\); get\(\)'
run check --spec=bag.c first.jsonl
expect_status 2
sed 's/"get"/"take"/' first.jsonl >other.jsonl
check other.jsonl
expect_status 2
expect_err "other.jsonl:5:[0-9]+: bag.c,harness.c has no operation 'take'; its operations \(FL_OP\) are put, get"
sed '1s/\[1\]/[1,2]/' first.jsonl >arguments.jsonl
check arguments.jsonl
expect_status 2
expect_err 'arguments.jsonl:1:.*put has 2 arguments, but the harness gives it 1 \(.*harness.c:14\)'
sed '1s/\[1\]/["a"]/' first.jsonl >text.jsonl
check text.jsonl
expect_status 2
expect_err 'text.jsonl:1:.*argument 1 of put is not a number'

# Failures that need no reason: by default another operation must overlap them.
cat >may_fail.c <<'EOS'
#include <faultline.h>
static void put(int v) { (void)v; }
static int get(void) { return 0; }
FL_OBJECT(queue)
FL_OP(void, put, FL_INT(1, 3))
FL_OP(int, get, FL_MAY_FAIL(0) MORE)
FL_SPEC(queue, enqueue = put, dequeue = get, empty = 0)
EOS
put='{"type":"call","process":1,"name":"put","args":[1]}'
get='{"type":"call","process":2,"name":"get"}'
empty='{"type":"return","process":2,"result":0}'
done='{"type":"return","process":1}'
one='{"type":"return","process":2,"result":1}'
printf '%s\n' "$put" "$done" "$put" "$get" "$empty" "$done" >overlapped.jsonl
printf '%s\n' "$put" "$done" "$get" "$empty" "$put" "$done" >alone.jsonl
printf '%s\n' "$put" "$get" "$one" "$get" "$one" "$done" >twice.jsonl
run check --spec=may_fail.c overlapped.jsonl -- -DMORE=
expect_status 0
run check --spec=may_fail.c alone.jsonl -- -DMORE=
expect_status 1
expect_out 'get\(\) = 0 of process 2 fits nowhere'
run check --spec=may_fail.c alone.jsonl -- '-DMORE=,FL_MAY_FAIL(0,always)'
expect_status 0
run check --spec=may_fail.c twice.jsonl -- '-DMORE=,FL_MAY_FAIL(0,always)'
expect_status 1

# Texts as arguments, and two results as one text.
cat >texts.c <<'END'
#include <faultline.h>
#include <stdbool.h>
static void put(const char *key, int value) { (void)key, (void)value; }
static bool get(const char *key, int *value) { return key && value; }
FL_OBJECT(map)
FL_OP(void, put, FL_STRING("a", "ab"), FL_INT(1, 2))
FL_OP(bool, get, FL_STRING("ab", "a"), FL_OUT(int))
FL_SPEC(map, put = put, get = get)
END
texts() { # key that is read, result
  printf '{"type":"call","process":1,"name":"put","args":["a",2]}\n'
  printf '{"type":"return","process":1}\n'
  printf '{"type":"call","process":2,"name":"get","args":["%s"]}\n' "$1"
  printf '{"type":"return","process":2,"result":"%s"}\n' "$2"
}
texts a 'true, 2' >right.jsonl
texts ab false >none.jsonl
texts ab 'true, 2' >wrong.jsonl
texts b false >unknown.jsonl
run check --spec=texts.c right.jsonl none.jsonl
expect_status 0
run check --spec=texts.c wrong.jsonl
expect_status 1
run check --spec=texts.c unknown.jsonl
expect_status 2
expect_err 'argument 1 of get is not a text of its FL_STRING'

finish
