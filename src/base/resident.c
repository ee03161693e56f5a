/* Memory that this process has, as the system says. */
#include "base/resident.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

uint64_t resident_bytes(void) {
  unsigned long size = 0, resident = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f) {
    if (fscanf(f, "%lu %lu", &size, &resident) != 2)
      resident = 0;
    fclose(f);
  }
  return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool resident_is_above(uint64_t bytes) {
  if (resident_bytes() <= bytes)
    return false;
  malloc_trim(0);
  return resident_bytes() > bytes;
}
