/*
 * The semaphore of the installed C++ library: std::counting_semaphore of GCC 12.
 *
 * Faultline: a lost wake-up; get() waits for ever though there is a token.
 * acquire() notes the value 1, loses that token to another thread, sees 0, and
 * then sleeps until the value is no longer 1: a release() that makes it 1 again
 * in between wakes nobody.
 *
 * RUN: %s --threads 2 -- -std=c++20
 * EXIT: 1
 * VERDICT: violation
 * OUTPUT: get\(\) sleeps for ever:
 */
#include <faultline.h>

#include <semaphore>

static std::counting_semaphore<4> tokens(0);
static void put() { tokens.release(); }
static void get() { tokens.acquire(); }

FL_OBJECT(semaphore)
FL_OP(void, put)
FL_OP(void, get, FL_BLOCKING)
