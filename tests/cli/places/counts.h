/* A number in two halves, for one thread. */
#pragma once
struct counts {
  int low, high;
};
static int counts_get(const struct counts *c) { return c->low + 16 * c->high; }
static void counts_set(struct counts *c, int n) {
  c->low = n % 16;
  c->high = n / 16;
}
