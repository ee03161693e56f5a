#!/bin/bash
# --patch: a difference that patch(1) applies, and that mends the sources.
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report

few="-t 2 -n 2 --max-executions 5000"

# The patch for a file applies, and the patched file has no fault; the original
# stays as it is.
mends() { # file, what the report says, flags of the compiler
  local name said=$2
  name=$(basename "$1")
  cp "$1" "$name" && chmod u+w "$name"
  rm -f out.diff
  shift 2
  run "$name" --no-save $few --patch out.diff --json report.json -- "$@"
  expect_status 1
  expect_out "Patch: out.diff $said"
  expect_out 'Verified: compiled and searched again, no fault was found in'
  expect_narrow
  cmp -s "$name" "$SOURCE_DIR/$(cd "$SOURCE_DIR" && ls examples/"$name" \
    tests/clients/papers/"$name" tests/clients/"$name" 2>/dev/null | head -1)" ||
    fail "$name was changed"
  jq -e '.patch.file == "out.diff" and .patch.verified and
    (.patch.covered | length) > 0 and .patch.reason == null' report.json \
    >/dev/null || fail "patch: $(jq -c .patch report.json)"
  patch -s -p1 <out.diff || fail "the patch does not apply"
  run "$name" --no-save $few -- "$@"
  expect_status 0
  cp "$name" "mended_$name"
}

# A lock that is there, earlier; the way out in between gives it back.
mends tests/clients/papers/simple_list.c \
  'takes pthread_mutex_lock\(&l->lock\) of line 85 before line 77 in add\(\)'
grep -A2 'S2 \*/' mended_simple_list.c | grep -q 'pthread_mutex_unlock' ||
  fail 'the early return does not give the lock back'
mends tests/clients/papers/rw_list.c \
  'takes pthread_rwlock_wrlock\(&s->lock\) of line 130 before line 124' \
  -DADD_SHRUNK
mends tests/clients/papers/optimistic_list.c \
  'takes lock\(pred, curr\) of line 151 before line 147 in a\(\)' -DADD_SHRUNK
grep -A3 'if (!valid)' mended_optimistic_list.c | head -3 |
  grep -q 'unlock(pred, curr);' || fail 'continue does not give the locks back'

# A new mutex, around the lines and wherever else the data is used.
mends examples/afek_stack.c \
  'locks a new mutex, stack_lock, around line 35 \(push\) and lines 41-42 \(pop\)'
grep -q '^#include <pthread.h>' mended_afek_stack.c || fail 'no pthread.h'
mends examples/racy_counter.c \
  'locks a new mutex, counter_lock, around line 17 \(increment\) and line 19'

# The printed lines and no others: GNU C that is compiled and searched; a lock
# inside of them is a deadlock then.
cp examples/afek_stack.c exact.c
run exact.c --no-save $few --patch out.diff --patch-form=exact --json report.json
expect_status 1
expect_out 'out.diff holds a new mutex, stack_lock, in exactly lines 41-42 in each round of the loop in lines 40-45 \(pop\), and for line 35 \(push\)\. Verified'
patch -s -p1 <out.diff || fail 'the exact patch does not apply'
run exact.c --no-save $few
expect_status 0
run tests/clients/cond_if.c --no-save $few --client '{take()} || {take()} || {put(1)}' \
  --spurious-wakeups=off --patch none.diff --patch-form=exact --json report.json
expect_out 'None was written: a change that holds a new mutex, buffer_lock, in exactly .* is not enough: .* still fails \(deadlock\)'
jq -e '.patch | .tried and (.verified | not)' report.json >/dev/null ||
  fail "patch: $(jq -c .patch report.json)"
[ ! -e none.diff ] || fail 'a patch that fails was written'

# The same for a table: object, verdict, fault, cause, claim, result, kind, fix.
"$SOURCE_DIR/tests/answers/apply" examples/afek_stack.c >line ||
  fail 'apply: a cause that passes is no failure'
printf 'stack\tviolation\tnot-linearizable\tafek_stack.c:41-42\ttried\tpass\t-\t-\n' |
  cmp -s - line || fail "apply: $(cat line)"

# Two objects, one file.
run tests/clients/torn_copy.c --no-save $few --patch out.diff
expect_out 'None was written: the file has the patch for another object'

# One section made of two would wait for itself, and a mutex inside of the lock
# for the lock: the operations as a whole are locked.
cat >take.c <<'END'
#include <faultline.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 2, noted;
static void note(void) {
  pthread_mutex_lock(&lock);
  noted++;
  pthread_mutex_unlock(&lock);
}
static int take(void) {
  pthread_mutex_lock(&lock);
  int n = left;
  pthread_mutex_unlock(&lock);
  if (n == 0)
    return 0;
  note();
  pthread_mutex_lock(&lock);
  left = n - 1;
  pthread_mutex_unlock(&lock);
  return n;
}
static int get(void) {
  pthread_mutex_lock(&lock);
  int n = left;
  pthread_mutex_unlock(&lock);
  return n;
}
FL_OBJECT(pool)
FL_OP(int, take)
FL_OP(int, get)
END
run take.c --no-save $few --patch out.diff
expect_out 'locks a new mutex, pool_lock, around lines 11-20 \(take\) and lines 23-26'
patch -s -p1 <out.diff || fail 'the patch does not apply'
run take.c --no-save $few
expect_status 0

# The lock that others hold, and a value that is returned behind it.
cat >sum.c <<'END'
#include <faultline.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int in, out;
static void move(void) {
  pthread_mutex_lock(&lock);
  in++;
  out--;
  pthread_mutex_unlock(&lock);
}
static int sum(void) {
  return in +
         out;
}
FL_OBJECT(pair)
FL_OP(void, move)
FL_OP(int, sum)
END
run sum.c --no-save $few --patch out.diff
expect_out 'takes the lock of other code, pthread_mutex_lock\(&lock\), around lines'
expect_out 'To make them atomic, take the lock of other code, pthread_mutex_lock\(&lock\), around lines 12-13 \(sum\) \(tried: compiled and searched, no fault\)'
patch -s -p1 <out.diff || fail 'the patch does not apply'
run sum.c --no-save $few
expect_status 0

# Sources in folders, with headers of their own, and code that is not theirs
# alone; a name that starts at the root.
mkdir -p lib/inc
cat >lib/inc/cell.h <<'END'
struct cell { int value; };
END
cat >lib/cell.c <<'END'
#include "inc/cell.h"
static struct cell cell;
int cell_add(int n);
int cell_get(void);
int cell_add(int n) {
  int old = cell.value;
  if (n == 0)
    return old;
  cell.value = old + n;
  return old;
}
int cell_get(void) { return cell.value; }
END
cat >harness.c <<'END'
#include <faultline.h>
int cell_add(int n);
int cell_get(void);
FL_OBJECT(cell)
FL_OP(int, cell_add, FL_INT(0, 2))
FL_OP(int, cell_get)
END
cp lib/cell.c original.c
run lib/cell.c harness.c --no-save $few --patch out.diff
expect_status 1
expect_out 'Patch: out.diff locks a new mutex, cell_lock, around'
head -1 out.diff | grep -q '^--- a/lib/cell.c$' || fail "$(head -1 out.diff)"
cmp -s lib/cell.c original.c || fail 'the original was changed'
patch -s -p1 <out.diff || fail 'the patch does not apply'
run lib/cell.c harness.c --no-save $few
expect_status 0
cp original.c lib/cell.c
run "$PWD/lib/cell.c" harness.c --no-save $few --patch out.diff
head -1 out.diff | grep -q '^--- a/lib/cell.c$' || fail "$(head -1 out.diff)"

# No patch, and why; a file that is there stays.
sed 's/  int old = cell.value;/&\n  CHECK(n)/
  s/^int cell_get(void);/&\n#define CHECK(n) if (n == 7) return 0;/' \
  original.c >lib/cell.c
echo keep >out.diff
run lib/cell.c harness.c --no-save $few --patch out.diff --json report.json
expect_status 1
expect_out 'Patch: None was written: the text of cell_add\(\) cannot be'
jq -e '.patch.file == null and .patch.verified == false' report.json \
  >/dev/null || fail "patch: $(jq -c .patch report.json)"
[ "$(cat out.diff)" = keep ] || fail 'a file was written'

# Nothing to mend, and nowhere to write.
rm -f out.diff
run examples/treiber_stack.c --no-save $few --patch out.diff
expect_status 0
expect_no out 'Patch:'
[ ! -e out.diff ] || fail 'a file was written'
run examples/afek_stack.c --search=stress --patch out.diff
expect_status 2
run examples/afek_stack.c --no-save --patch /nowhere/out.diff
expect_status 2
expect_err '/nowhere'
finish
