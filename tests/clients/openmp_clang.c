/*
 * clang's OpenMP is another library: not modelled either.
 *
 * CC: clang
 * PACKAGE: libomp-dev
 * RUN: %d/openmp.c -- -fopenmp -DHOW=parallel
 * EXIT: 3
 * OUTPUT: __kmpc_[a-z_]+\(\) is OpenMP's, which is not modelled
 * RUN: %d/openmp.c -- -fopenmp -DHOW=critical
 * EXIT: 3
 * OUTPUT: __kmpc_[a-z_]+\(\) is OpenMP's, which is not modelled
 */
