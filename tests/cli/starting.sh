#!/bin/bash
# faultline new and faultline init, and harnesses for objects of many kinds.  What
# docs/starting.md shows is run by the test of that page.
. "$(dirname "$0")/common.inc"
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$FAULTLINE" >bin/faultline
chmod +x bin/faultline
export PATH=$tmp/bin:$PATH
# The commands as they are; what is found is not the matter here.
export FAULTLINE_OPTIONS='--max-executions 2000 --deciding-races=off'

# ---- new ----
what="new"
(set -e; faultline new first; cd first; make check; make broken) \
  >"$tmp/out" 2>"$tmp/err"
status=$?
expect_status 0
expect_out 'no fault found .* error: stack_pop\(\) is not atomic'
[ -s first/.github/workflows/faultline.yml ] || fail "no workflow"
(cd first && sed -n 's/^ *- run: //p' .github/workflows/faultline.yml |
  grep -v '\.tools' >run.sh && sh -e run.sh >/dev/null) || fail "the workflow"
run new first
expect_status 2
expect_err 'first: the folder exists, and it is not empty'
[ -z "$(ls -d first.* 2>/dev/null)" ] || fail "left behind: $(ls -d first.*)"
mkdir empty
run new empty
expect_status 0
[ -s empty/harness.c ] || fail "no harness"
run new examples/ring.c
expect_status 2
expect_err 'a file of this name exists'
run new no/such/folder
expect_status 2
run new
expect_status 2

# ---- init ----
mkdir -p project/include project/src
cp first/stack.h project/include
cp first/stack.c project/src
cd project || exit 2
run init src/stack.c -- -Iinclude
expect_status 0
expect_out 'stack_harness.c: struct stack, 2 operations'
run src/stack.c stack_harness.c -- -Iinclude
expect_status 0
expect_out 'no fault found'
cp stack_harness.c before.c
run init src/stack.c -- -Iinclude
expect_status 2
expect_err 'stack_harness.c exists; --force replaces it'
cmp -s stack_harness.c before.c || fail "it was replaced"
run init src/stack.c --force -- -Iinclude
expect_status 0
FAULTLINE_OPTIONS='--jobs 2 --quiet' run src/stack.c stack_harness.c -- -Iinclude
expect_status 0
run src/stack.c stack_harness.c --no-save -- -Iinclude -DBROKEN
expect_status 1
# In another folder the includes are right there too.
cp include/stack.h src
mkdir tests
run init src/stack.c -o tests/h.c
expect_status 0
grep -q '^#include "../src/stack.h"' tests/h.c || fail "$(cat tests/h.c)"
run src/stack.c tests/h.c --no-save -- -DBROKEN
expect_status 1
run init src/stack.c -o "$tmp/project/tests/absolute.c"
expect_status 0
run src/stack.c tests/absolute.c --no-save -- -DBROKEN
expect_status 1
cd "$tmp" || exit 2

# ---- kinds of objects ----
# init NAME expected-line...: reads the source from its input; the harness
# compiles, runs without trouble, and has the lines.
init() {
  name=$1
  shift
  cat >$name.c
  run init $name.c
  expect_status 0
  for line; do
    grep -qxF -- "$line" ${name}_harness.c ||
      { fail "no line '$line'"; cat ${name}_harness.c; }
  done
  awk 'length > 80' ${name}_harness.c | grep -q . && fail "long lines"
}
found() { # status, what is found in it
  FAULTLINE_OPTIONS= run ${name}_harness.c --no-save --quiet
  expect_status $1
  [ -z "${2-}" ] || expect_out "$2"
}
init ring 'FL_OBJECT(ring, make_ring, ring_destroy)' \
  '  return ring_create(2 /* cap */, 0 /* zero */);' \
  'FL_OP(int, call_ring_put, FL_INT(1, 2))' 'FL_OP(long, call_ring_take)' \
  'FL_OP(long, call_ring_poll)' '  return !result ? -1 : (long)out;' \
  'FL_OP(long, call_ring_count)' \
  'FL_OP(void, ring_mode, FL_CHOICE(FAST, SLOW, EXACT))' \
  'FL_OP(_Bool, ring_at, FL_INT(0, 1), FL_BOOL)' \
  'FL_OP(void, ring_wait, FL_BLOCKING)' 'FL_INVARIANT(ring_valid)' \
  'FL_SHOW(ring_dump)' '/* ring_name() was left out:' \
  '/* ring_load() was left out:' <<'END'
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum mode { FAST, SLOW, EXACT, OTHER };
typedef struct { int n, cap; void *at[16]; } ring_t;
ring_t *ring_create(unsigned cap, bool zero) {
  (void)zero;
  ring_t *r = calloc(1, sizeof *r);
  r->cap = cap;
  return r;
}
ring_t *ring_copy_of(unsigned cap, bool zero, int more) {
  return ring_create(cap + more, zero);
}
void ring_destroy(ring_t *r) { free(r); }
int ring_put(ring_t *r, void *item) {
  if (r->n == 16) return -1;
  r->at[r->n++] = item;
  return 0;
}
void *ring_take(ring_t *r) { return r->n ? r->at[--r->n] : NULL; }
bool ring_poll(ring_t *r, uint32_t *out) {
  if (!r->n) return false;
  *out = (uint32_t)(uintptr_t)r->at[--r->n];
  return true;
}
int ring_count(const ring_t *r, int *out) { *out = r->n; return 0; }
void ring_mode(ring_t *r, enum mode m) { r->cap = (int)m; }
bool ring_at(ring_t *r, int index, bool strict) { return r->at[index] && strict; }
void ring_name(ring_t *r, const char *name) { (void)r; (void)name; }
bool ring_valid(const ring_t *r) { return r->n >= 0; }
void ring_dump(const ring_t *r) { printf("%d", r->n); }
void ring_wait(ring_t *r) { (void)r; }
double ring_load(ring_t *r) { return r->n; }
END
found 1
# A struct that is set up in place; the functions beside it are not of it.
init flag 'FL_OBJECT(flag, make_flag, unmake_flag)' \
  '  struct flag *o = calloc(1, sizeof *o);' '  flag_init(o, 4 /* value */);' \
  '  flag_fini(o);' 'FL_OP(int, flag_swap, FL_INT(1, 2))' <<'END'
struct flag { int value; };
struct other { int x; };
void flag_init(struct flag *f, int value) { f->value = value; }
void flag_fini(struct flag *f) { (void)f; }
int flag_swap(struct flag *f, int to) {
  int old = f->value;
  f->value = to;
  return old;
}
int other_get(struct other *o) { return o->x; }
int helper(int x) { return x + 1; }
END
found 1 'flag_swap\(\) is not atomic'
grep -q 'helper\|other_get' flag_harness.c && fail "other functions are in it"
# Globals; and static functions only.
init tickets 'FL_OBJECT(object, tickets_reset)' 'FL_OP(int, tickets_next)' <<'END'
static int last;
void tickets_reset(void) { last = 0; }
int tickets_next(void) { return ++last; }
END
found 1 'tickets_next\(\) is not atomic'
init hidden 'FL_OP(int, hidden_next)' <<'END'
static int last;
static int hidden_next(void) { return ++last; }
END
found 1 'hidden_next\(\) is not atomic'
# What puts a value under a key is a map; its sizes reach the resize.
init table '  return table_create(2 /* n */);' \
  'FL_OP(_Bool, table_put, FL_INT(1, 3), FL_INT(1, 2))' \
  'FL_OP(int, table_get, FL_INT(1, 3))' \
  'FL_SPEC(map, put = table_put, get = table_get, remove = table_del, empty = -1)' <<'END'
#include <stdbool.h>
#include <stdlib.h>
struct entry { int key, value; };
struct table { int n, used; struct entry *at; };
struct table *table_create(int n) {
  struct table *t = calloc(1, sizeof *t);
  t->at = calloc(n, sizeof *t->at);
  t->n = n;
  return t;
}
void table_destroy(struct table *t) { free(t->at); free(t); }
static void grow(struct table *t) {
  t->n *= 2;
  t->at = realloc(t->at, t->n * sizeof *t->at);
}
static int find(struct table *t, int key) {
  int i = 0;
  while (i < t->used && t->at[i].key != key)
    i++;
  return i;
}
bool table_put(struct table *t, int key, int value) {
  int i = find(t, key);
  if (i == t->used) {
    if (t->used == t->n)
      grow(t);
    t->used++;
  }
  t->at[i] = (struct entry){key, value};
  return true;
}
int table_get(struct table *t, int key) {
  int i = find(t, key);
  return i < t->used ? t->at[i].value : -1;
}
bool table_del(struct table *t, int key) {
  int i = find(t, key);
  if (i == t->used) return false;
  t->at[i] = t->at[--t->used];
  return true;
}
END
FAULTLINE_OPTIONS= run table_harness.c --no-save --threads 2 --ops 1 \
  --client 'table_put(1, 1); table_put(2, 1); {table_put(3, 1)} || {table_get(1)}'
expect_status 1
if command -v clang >/dev/null; then
  run init flag.c --cc=clang -o clang_harness.c
  expect_status 0
  cmp -s clang_harness.c flag_harness.c || {
    sed 's/clang_harness/flag_harness/' clang_harness.c | cmp -s - flag_harness.c ||
      fail "clang gives another harness"
  }
fi

# ---- what cannot be done ----
run init
expect_status 2
echo 'int x;' >nothing.c
run init nothing.c
expect_status 2
expect_err 'nothing.c: found no function that threads could call'
[ ! -e nothing_harness.c ] || fail "a file was written"
echo 'int f(' >wrong.c
run init wrong.c
expect_status 2
expect_err 'wrong.c:1'
run init wrong.cpp
expect_status 2
expect_err 'wrong.cpp is not a C source, and init reads only those'
printf '#include <faultline.h>\nFL_OBJECT(counter)\n' >harness.c
run init harness.c
expect_status 2
expect_err 'harness.c has an FL_OBJECT: it is a harness already, run faultline +harness.c'
run init missing.c
expect_status 2
expect_err 'missing.c'
run init flag.c -o /nonexistent/h.c
expect_status 2
finish
