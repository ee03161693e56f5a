/*
 * Makes the words of locks visible as accesses, for bench/papers/root-causing.sh:
 * whoever has a lock writes to its word.  Included before a source.
 */
#include <pthread.h>
#include <stdint.h>

static unsigned lock_words[64];
static inline void lock_word(const void *l) {
  lock_words[(uintptr_t)l / 8 % 64]++;
}

#define pthread_rwlock_wrlock(l) (pthread_rwlock_wrlock(l), lock_word(l))
#define pthread_rwlock_rdlock(l) (pthread_rwlock_rdlock(l), lock_word(l))
#define pthread_rwlock_unlock(l) (lock_word(l), pthread_rwlock_unlock(l))
#define pthread_mutex_lock(l) (pthread_mutex_lock(l), lock_word(l))
#define pthread_mutex_unlock(l) (lock_word(l), pthread_mutex_unlock(l))
