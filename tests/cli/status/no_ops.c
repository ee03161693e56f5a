#include <faultline.h>
FL_OBJECT(thing)
