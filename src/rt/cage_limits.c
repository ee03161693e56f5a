/*
 * The limits of a caged process: memory, files, and where there is no filter
 * the number of processes.
 */
#include "rt/cage_int.h"

#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static void limit(int resource, rlim_t most) {
  struct rlimit now;
  if (getrlimit(resource, &now) || now.rlim_max <= most)
    return;
  setrlimit(resource, &(struct rlimit){most, most});
}

/* Bytes of address space that this process has now. */
static uint64_t mapped(void) {
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f && fscanf(f, "%lu", &pages) != 1)
    pages = 0;
  if (f)
    fclose(f);
  return (uint64_t)pages * 4096;
}

/*
 * Memory: what the engine reserves, and as much as the machine has.  A file
 * that grows without end must not fill the disk.
 */
void fl__limit_resources(void) {
  struct sysinfo machine;
  const uint64_t reserved = 64ull << 30, largest_file = 1ull << 30;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, largest_file);
  if (!sysinfo(&machine))
    limit(RLIMIT_AS,
          mapped() + reserved + (uint64_t)machine.totalram * machine.mem_unit);
}

/*
 * Root may start processes without a limit: the kernel makes an exception for
 * the real user 0 and for two capabilities.  A worker does without all three;
 * its effective user stays, so that it reads the files that it could read.
 */
static void give_up_exceptions(void) {
  enum { NOBODY = 65534 };
  const uint32_t both = 1u << CAP_SYS_RESOURCE | 1u << CAP_SYS_ADMIN;
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  if (!getuid() && syscall(SYS_setresuid, NOBODY, -1, -1))
    return;
  if (syscall(SYS_capget, &head, sets))
    return;
  sets[0].effective &= ~both;
  sets[0].permitted &= ~both;
  sets[0].inheritable &= ~both;
  syscall(SYS_capset, &head, sets);
}

enum { RESERVE = 48 }; /* processes that the code cannot take from us */

void cage_reserve_slowly(bool taken) {
  struct rlimit now;
  if (getrlimit(RLIMIT_NPROC, &now) || now.rlim_max <= 2 * RESERVE)
    return;
  now.rlim_cur = taken ? now.rlim_max : now.rlim_max - RESERVE;
  cage_call(SYS_prlimit64, 0, RLIMIT_NPROC, (long)&now, 0, 0);
}

void fl__limit_processes(void) {
  enum { MORE = 512 };
  unsigned all = 0;
  FILE *f = fopen("/proc/loadavg", "r");
  if (f && fscanf(f, "%*s %*s %*s %*u/%u", &all) != 1)
    all = 0;
  if (f)
    fclose(f);
  limit(RLIMIT_NPROC, all + MORE);
  give_up_exceptions();
  cage_reserve_slowly(false);
}
