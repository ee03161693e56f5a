#!/bin/bash
# Reference implementations that go wrong: the harness is blamed, with the line
# and the calls that led there (status 2), and never the object.
. "$(dirname "$0")/common.inc"

cat >counter.c <<'END'
#include <errno.h>
#include <faultline.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
struct counter { int n; };
static struct counter *create(void) { return calloc(1, sizeof(struct counter)); }
static int inc(struct counter *c) { return __atomic_add_fetch(&c->n, 1, 5); }
struct model { int n, *at; };
static struct model *model_new(void) { return calloc(1, sizeof(struct model)); }
static int deep(volatile int *p) {
  volatile int all[100];
  all[0] = *p;
  return deep(all) + all[1];
}
static void *body(void *p) { return p; }
static int model_inc(struct model *m) {
  static __thread int own;
  volatile uintptr_t *word = (uintptr_t *)m;
  volatile int one = 1;
  pthread_t t;
  (void)own, (void)word, (void)one, (void)t, (void)deep, (void)body;
  WRONG;
  return ++m->n;
}
FL_OBJECT(counter, create, free)
FL_OP(int, inc)
FL_SPEC(model, model_new, inc = model_inc)
END
fails() { # what the model does, what is said of it
  run counter.c --no-save --no-html -- "-DWRONG=$1"
  expect_status 2
  expect_err "counter.c:[0-9]+: FL_SPEC\(model\): model_inc failed: $2.*, in (inc\(\); )*inc\(\)"
}
# ---- memory ----
fails 'for(;;)word++[0]=7' 'it writes to memory that it has not allocated'
fails 'for(;;)word--[0]=7' 'it writes to memory that it has not allocated'
fails 'word=(uintptr_t*)__builtin_frame_address(0);for(;;)word++[0]=7' \
  'it writes to memory that is not the model'
fails 'free(m)' 'it (reads|writes to) memory that it has not allocated'
fails 'free(m+1)' 'it frees memory that it has not allocated'
fails 'memset(m,0,99)' 'it writes to memory that it has not allocated'
fails 'for(;;)memset(malloc(99999),1,1)' 'it needs more than 64 MB of memory'
fails 'deep(&one)' 'invalid memory access'
fails 'own++' 'it writes to memory that is not the model'
# ---- no end, or another one in each process ----
fails 'while(one)' 'it does not end'
fails 'for(;;)fl_choose(2)' 'fl_choose\(\) leaves more than 4096 ways to go on'
fails 'for(;;)fl_choose(1)' 'it calls fl_choose\(\) more than 16 times'
fails 'fl_choose(1<<30)' 'fl_choose\(\) leaves more than 4096 ways to go on'
fails 'fl_choose(0)' 'fl_choose\(0\) has nothing to choose from'
fails 'm->n+=rand()' 'it asks for a random number'
fails 'm->n+=time(0)' 'it looks at the clock'
# ---- what is not sequential ----
fails 'pthread_create(&t,0,body,0)' 'it starts a thread'
fails 'exit(0)' 'exit\(0\) was called'
fails 'kill(getpid(),9)' 'kill\(\) would stop or kill the process'

# A relation is asked about guesses, too: what leaves its memory then is not
# allowed; with a result that the object has returned it is a mistake.
sed -e 's/model_inc(struct model \*m)/model_inc(struct model *m, int r)/' \
  -e 's/static int model_inc/static _Bool model_inc/' \
  -e 's/return ++m->n;/return (\&m->n)[r * 4] == ++m->n * 0;/' \
  -e 's/FL_SPEC(model/FL_SPEC(relation/' counter.c >relation.c
run relation.c --no-save --no-html -- -DWRONG=
expect_status 2
expect_err 'FL_SPEC\(relation\): model_inc failed: it reads memory that it has not allocated, in inc\(\) = 1'

# What is left alone: errno, the model's own variables, a sleep.
run counter.c --no-save --no-html --max-executions 300 -- \
  '-DWRONG=errno=0;static int k;k+=0;usleep(9)'
expect_status 0
expect_out 'no fault found'
finish
