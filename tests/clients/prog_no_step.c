/*
 * A program that fails before there is anything to decide.
 *
 * RUN: explore %s
 * EXIT: 1
 * FAULT: abort
 * RUN: explore %s --search=dfs
 * EXIT: 1
 * FAULT: abort
 */
#include <stdlib.h>

int main(void) { abort(); }
