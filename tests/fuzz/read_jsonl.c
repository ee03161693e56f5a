#define FUZZ_NAME "read_jsonl"
#include "read.h"

static void fuzz_one(const char *text, size_t len) {
  fuzz_reader(text, len, READ_JSONL);
}
