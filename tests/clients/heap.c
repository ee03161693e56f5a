/*
 * Every way to allocate: addresses are aligned, blocks are writable to their
 * last byte, contents survive realloc, and all are freed.
 *
 * RUN: explore %s --leaks --client 'all(); {all()}'
 * EXIT: 0
 * OUTCOMES: 0,0
 */
#include <faultline.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int misaligned(void *p, uintptr_t to) { return (uintptr_t)p % to != 0; }

static int all(void) {
  int bad = 0;
  char *a = malloc(3);
  memcpy(a, "ab", 3);
  a = realloc(a, 1000);
  bad += strcmp(a, "ab") != 0;
  a[999] = 1;
  char *z = calloc(7, 3);
  for (int i = 0; i < 21; i++)
    bad += z[i] != 0;
  char *b = aligned_alloc(64, 128);
  b[127] = 1;
  bad += misaligned(b, 64);
  void *c = NULL;
  bad += posix_memalign(&c, 4096, 10) != 0;
  bad += misaligned(c, 4096);
  char *d = strdup("text");
  char *e = strndup("text", 2);
  bad += strcmp(d, "text") != 0;
  bad += strcmp(e, "te") != 0;
  bad += malloc_usable_size(d) < 5;
  free(a);
  free(z);
  free(b);
  free(c);
  free(d);
  free(e);
  free(NULL);
  return bad;
}

FL_OBJECT(heap)
FL_OP(int, all)
