#!/bin/bash
# What blocks, results and memory that was never written are called, and the
# counts of a report.
. "$(dirname "$0")/common.inc"
export FAULTLINE_OPTIONS=-v # the whole report

# ---- published before it is filled in, or twice ----
cat >once.c <<'C'
#include <faultline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct conf {
  int a, b;
};
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct conf *) instance;
static struct conf *get(void) {
  struct conf *c = instance;
  if (!c) {
    pthread_mutex_lock(&mu);
    c = EARLY ? instance : NULL; /* late: the second look is forgotten */
    if (!c) {
      c = malloc(sizeof *c);
      if (EARLY)
        instance = c;
      c->a = 1;
      c->b = 2;
      instance = c;
    }
    pthread_mutex_unlock(&mu);
  }
  return c;
}
static int sum(void) {
  struct conf *c = get();
  return c->a + c->b;
}
static struct conf *which(void) { return get(); }
FL_OBJECT(once)
FL_OP(int, sum)
FL_OP(struct conf *, which)
C
run explore once.c --client '{sum()} || {sum()}' --no-save --json report.json -- -DEARLY=1
expect_status 1
expect_out ' read conf\.[ab] = \? \(uninitialised\)'
expect_out 'sum\(\) = -?[0-9]+ \(uninitialised [+*] [12]\)'
expect_no out 'conf#'
expect_narrow
jq -e '[.calls[].text, .outcomes[].texts[]] | any(test("uninitialised"))' \
  report.json >/dev/null || fail "json: $(jq -c '.calls, .outcomes' report.json)"

# The second block of the execution is not that of the first call.
run explore once.c --client '{sum()} || {which()}; which()' --no-save \
  --json report.json -- -DEARLY=0
expect_status 1
expect_out ' alloc conf#1 .* alloc conf#2 '
expect_out ' returns &conf#1 '
expect_out 'Results: T1 sum\(\) = 3 T2 which\(\) = &conf#1 after which\(\) = &conf#2 '
expect_out 'then which\(\) should return &conf#2, returned &conf#1'
expect_no out 'block'
jq -e '[.calls[].text] | any(. == "which() = &conf#2" or . == "&conf#2")' \
  report.json >/dev/null || fail "json: $(jq -c '.calls' report.json)"

# ---- used as a pointer ----
cat >fresh.c <<'C'
#include <faultline.h>
#include <stdlib.h>
struct node {
  struct node *next;
  int value;
};
static int n;
static int get(void) {
  __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST);
  struct node *p = malloc(sizeof *p);
  return p->next->value;
}
FL_OBJECT(fresh)
FL_OP(int, get)
C
run fresh.c --no-save
expect_status 1
expect_out 'fresh.c:11:[0-9]+: error: crash in get\(\): uninitialised memory used as a pointer: nothing had written node\.next'
expect_out ' read 0xbebebebebebebec6 \(uninitialised\)'
expect_no out NULL

# ---- three columns ----
cat >pool.c <<'C'
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>
struct pool {
  atomic_int head;
  atomic_int next[3];
};
static atomic_int owner[3];
static struct pool *pool_new(void) {
  struct pool *p = calloc(1, sizeof *p);
  p->next[0] = 2;
  p->next[1] = 3;
  p->head = 1;
  return p;
}
static int get(struct pool *p) {
  int h = p->head;
  while (h) {
    int n = p->next[h - 1];
    if (atomic_compare_exchange_strong(&p->head, &h, n)) {
      if (atomic_exchange(&owner[h - 1], 1))
        abort();
      return h;
    }
  }
  return 0;
}
static void put(struct pool *p, int i) {
  if (!atomic_exchange(&owner[i - 1], 0))
    return;
  int h = p->head;
  do
    p->next[i - 1] = h;
  while (!atomic_compare_exchange_strong(&p->head, &h, i));
}
FL_OBJECT(pool, pool_new)
FL_OP(int, get)
FL_OP(void, put, FL_INT(1, 3))
C
run explore pool.c --no-save \
  --client '{get()} || {get()} || {get(); put(1)}; get()'
expect_status 1
expect_out 'Interleaving \(lines of pool.c\): T1 T2 T3 '
expect_narrow
rows=$(sed -n '/^Interleaving/,/^$/p' "$tmp/out")
case $rows in
*…*) fail "a row is cut: $rows" ;;
esac
for row in 'load  pool.head = 1' 'load  pool.next\[0\] = 2' 'cas   pool.head: 1 -> 2'; do
  grep -Eq -- " $row\$" <<<"$rows" || fail "no row '$row': $rows"
done

# Orders that fail in some of their schedules only, and the states.
cat >stack.c <<'C'
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>
struct stack {
  atomic_int range;
  int items[6];
};
static struct stack *stack_new(void) { return calloc(1, sizeof(struct stack)); }
static void push(struct stack *s, int x) {
  int i = atomic_fetch_add(&s->range, 1);
  s->items[i] = x;
}
static int pop(struct stack *s) {
  int x = 0;
  for (int i = s->range - 1; i >= 0; i--) {
    x = s->items[i];
    s->items[i] = 0;
    if (x)
      break;
  }
  return x;
}
FL_OBJECT(stack, stack_new)
FL_OP(void, push, FL_INT(1, 3))
FL_OP(int, pop)
C
run explore stack.c --no-save --json report.json \
  --client '{push(1)} || {push(2); pop()} || {pop()}'
expect_status 1
expect_out 'All schedules of this client, counted on 2,285 states: 8,062, of which 4,112 fail\. 67 of 155 orders of conflicting accesses fail, 5 of them only in some of their schedules\.'
jq -e '.traces | .failing == 67 and .good == 88 and .mixed == 5 and
  .schedules.states == 2285' report.json >/dev/null ||
  fail "counts: $(jq -c .traces report.json)"

# ---- containers ----
cat >map.cpp <<'C'
#include <faultline.h>
#include <unordered_map>
struct Table {
  std::unordered_map<int, int> map;
};
static Table *table_new() { return new Table; }
static void table_delete(Table *t) { delete t; }
static int size(Table *t) { return static_cast<int>(t->map.size()); }
static bool put(Table *t, int k) { return t->map.emplace(k, k).second; }
FL_OBJECT(table, table_new, table_delete)
FL_OP(int, size)
FL_OP(bool, put, FL_INT(1, 2))
C
run explore map.cpp --client '{put(1)} || {put(2)}; size()' --no-save
expect_status 1
expect_out 'Table\.map\.(element_count|bucket_count|buckets)'
expect_out 'node#[12]\.(first|nxt)'
expect_narrow
finish
