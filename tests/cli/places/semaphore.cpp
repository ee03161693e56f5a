/* GCC PR 104928: acquire() of the library before its repair loses a wake-up. */
#include <faultline.h>
#include <semaphore>

static std::counting_semaphore<4> items(0);

static void put() { items.release(); }
static void get() { items.acquire(); } // called from

FL_OBJECT(semaphore)
FL_OP(void, put)
FL_OP(void, get, FL_BLOCKING)
