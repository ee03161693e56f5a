/*
 * An event that the waiter frees as soon as it sees it set, while the other
 * thread has still to wake whoever sleeps: a wake-up names the word and does not
 * read it.
 *
 * RUN: explore %s
 * EXIT: 0
 * VERDICT: pass
 * RUN: explore %s -- -DLATE_READ
 * EXIT: 1
 * VERDICT: error
 * FAULT: use-after-free
 * LINE: late
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t *event;

static void *set(void *none) {
  __atomic_store_n(event, 1, __ATOMIC_SEQ_CST);
#ifdef LATE_READ
  if (__atomic_load_n(event, __ATOMIC_SEQ_CST) == 0) /* late */
    return none;
#endif
  syscall(SYS_futex, event, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  return none;
}

int main(void) {
  pthread_t setter;
  event = calloc(1, sizeof *event);
  pthread_create(&setter, NULL, set, NULL);
  while (__atomic_load_n(event, __ATOMIC_SEQ_CST) == 0)
    syscall(SYS_futex, event, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  free(event);
  pthread_join(setter, NULL);
  return 0;
}
