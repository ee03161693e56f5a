#include "counter.h"

#include <faultline.h>

FL_OBJECT(counter, counter_new, counter_free)
FL_OP(int, counter_next)
