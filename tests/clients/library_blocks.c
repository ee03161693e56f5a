/*
 * Memory that library functions allocate is given back by free().
 *
 * RUN: %s --client '{printed(); wide()} || {path(); none()}'
 * EXIT: 0
 * VERDICT: pass
 */
#define _GNU_SOURCE
#include <faultline.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static atomic_int steps;

static int printed(void) {
  char *s;
  if (asprintf(&s, "x%d", 1) < 0)
    return -1;
  steps++;
  int n = (int)strlen(s);
  free(s);
  return n;
}
static int wide(void) {
  wchar_t *w = wcsdup(L"ab");
  steps++;
  free(w);
  return 1;
}
static int path(void) {
  char *s = realpath("/", NULL);
  steps++;
  free(s);
  return 1;
}
static int none(void) {
  char *s = malloc(4);
  s = realloc(s, 0);
  steps++;
  return s == NULL;
}

FL_OBJECT(blocks)
FL_OP(int, printed)
FL_OP(int, wide)
FL_OP(int, path)
FL_OP(int, none)
