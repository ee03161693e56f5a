#define FUZZ_NAME "read_jepsen_log"
#include "read.h"

static void fuzz_one(const char *text, size_t len) {
  fuzz_reader(text, len, READ_JEPSEN_LOG);
}
