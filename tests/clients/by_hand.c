/*
 * The tables written by hand, without the macros: a function that is called
 * with the machine's convention, and one through `invoke`.
 *
 * RUN: explore %s --search=dfs --client '{add(2)} || {add(3)}; get()'
 * EXIT: 0
 * EXECUTIONS: 2
 * OUTCOMES: 0,2,5 3,0,5
 */
#include <faultline.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *create(void) { return calloc(1, sizeof(atomic_int)); }

static int add(void *object, int n) {
  return atomic_fetch_add((atomic_int *)object, n);
}

static long long get(void *object, const long long *args) {
  (void)args;
  return atomic_load((atomic_int *)object);
}

static const struct fl_item add_items[] = {
    {.kind = FL_ITEM_RANGE, .lo = 2, .hi = 3},
};

static struct fl_op get_op = {
    .name = "get",
    .file = __FILE__,
    .line = __LINE__,
    .type = FL_TYPE_INT,
    .size = sizeof(int),
    .invoke = get,
};

static struct fl_op add_op = {
    .name = "add",
    .file = __FILE__,
    .line = __LINE__,
    .type = FL_TYPE_INT,
    .size = sizeof(int),
    .function = (void (*)(void))add,
    .items = add_items,
    .nitems = 1,
    .next = &get_op,
};

static struct fl_suite counter = {
    .abi = FL_ABI,
    .name = "counter",
    .file = __FILE__,
    .line = __LINE__,
    .create = create,
    .destroy = free,
    .ops = &add_op,
};

struct fl_suite *fl_suites = &counter;
