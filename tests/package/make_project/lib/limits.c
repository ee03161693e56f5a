#include "config.h"
#include "counter.h"

int counter_limit(void) { return INT_BITS; }
