/*
 * OpenMP's threads are not modelled, and neither are its locks.
 *
 * CC: gcc
 * RUN: %s -- -fopenmp -DHOW=parallel
 * EXIT: 3
 * OUTPUT: GOMP_parallel\(\) starts threads of OpenMP, which are not modelled
 * RUN: %s -- -fopenmp -DHOW=critical
 * EXIT: 3
 * OUTPUT: GOMP_critical_start\(\) is OpenMP's, which is not modelled
 */
#include <faultline.h>

static int x;

__attribute__((unused)) static int parallel(void) {
  int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 4; i++)
    sum += i;
  x += sum;
  return sum;
}

__attribute__((unused)) static int critical(void) {
#pragma omp critical
  x++;
  return x;
}

static int f(void) { return HOW(); }

FL_OBJECT(open_mp)
FL_OP(int, f)
