#include "base/resident.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16, BLOCKS = 1000 };

/* Blocks that malloc keeps for later when they are freed. */
TEST(what_was_freed_does_not_count) {
  static char *blocks[BLOCKS];
  uint64_t before = resident_bytes(), half = (uint64_t)BLOCK * BLOCKS / 2;
  CHECK(before > 0);
  for (int i = 0; i < BLOCKS; i++) {
    blocks[i] = malloc(BLOCK);
    memset(blocks[i], i, BLOCK);
  }
  CHECK(resident_bytes() > before + half);
  CHECK(resident_is_above(before + half));
  for (int i = 0; i < BLOCKS; i++)
    free(blocks[i]);
#ifndef __SANITIZE_ADDRESS__ /* it keeps what was freed, to find late uses */
  CHECK(!resident_is_above(before + half));
#endif
}

TEST_MAIN
