#include <faultline.h>

#include "src/cnt.h"

FL_OBJECT(counter)
FL_OP(int, cnt_next)
