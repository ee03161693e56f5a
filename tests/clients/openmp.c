/*
 * OpenMP's threads are not modelled.
 *
 * CC: gcc
 * RUN: %s -- -fopenmp
 * EXIT: 3
 * OUTPUT: GOMP_parallel\(\) starts threads of OpenMP, which are not modelled
 */
#include <faultline.h>

static int x;

static int f(void) {
  int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 4; i++)
    sum += i;
  x += sum;
  return sum;
}

FL_OBJECT(parallel)
FL_OP(int, f)
