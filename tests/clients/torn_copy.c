/*
 * A struct that is copied by memcpy, and text that is made by snprintf, without
 * a lock: both can be torn.
 *
 * RUN: %s --object pair
 * EXIT: 1
 * VERDICT: violation
 * RUN: %s --object text
 * EXIT: 1
 * VERDICT: violation
 * LINE: second
 */
#include <faultline.h>
#include <stdio.h>
#include <string.h>

struct pair {
  long a, b, c;
};

static struct pair current;

static void set(int v) {
  struct pair next = {v, v, v};
  memcpy(&current, &next, sizeof next);
}

static int same(void) {
  struct pair now;
  memcpy(&now, &current, sizeof now);
  return now.a == now.c;
}

FL_OBJECT(pair)
FL_OP(void, set, FL_INT(1, 2))
FL_OP(int, same)

static char first[8] = "0", last[8] = "0";

static void print(int v) {
  snprintf(first, sizeof first, "%d", v);
  snprintf(last, sizeof last, "%d", v); /* second */
}

static int agree(void) { return first[0] == last[0]; }

FL_OBJECT(text)
FL_OP(void, print, FL_INT(1, 2))
FL_OP(int, agree)
