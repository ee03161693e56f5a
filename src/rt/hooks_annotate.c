/*
 * What users of ThreadSanitizer write into their code: that two places
 * synchronise although no lock or atomic says so (__tsan_acquire, the
 * AnnotateHappensBefore family), and which words are home-made locks.
 *
 * They order nothing in an execution, so they are no steps.  A recorded one has
 * them as events that synchronise: analyses of traces believe them.  Those by
 * which a detector of races is told to look away do nothing.
 */
#include "rt/hooks.h"
#include "rt/order.h"

#include <stddef.h>

/* Annotations that do nothing here.  build/wraps.h has them, too. */
/* clang-format off */
#define ANNOTATIONS_IGNORED(_)                                                 \
  _(__tsan_mutex_create) _(__tsan_mutex_destroy) _(__tsan_mutex_pre_lock)      \
  _(__tsan_mutex_post_unlock) _(__tsan_mutex_pre_signal)                       \
  _(__tsan_mutex_post_signal) _(__tsan_mutex_pre_divert)                       \
  _(__tsan_mutex_post_divert) _(AnnotateRWLockCreate)                          \
  _(AnnotateRWLockCreateStatic) _(AnnotateRWLockDestroy)                       \
  _(AnnotateCondVarSignal) _(AnnotateCondVarSignalAll) _(AnnotateCondVarWait)  \
  _(AnnotateMutexIsNotPHB) _(AnnotateMutexIsUsedAsCondVar)                     \
  _(AnnotateBenignRace) _(AnnotateBenignRaceSized)                             \
  _(WTFAnnotateBenignRaceSized) _(AnnotateIgnoreReadsBegin)                    \
  _(AnnotateIgnoreReadsEnd) _(AnnotateIgnoreWritesBegin)                       \
  _(AnnotateIgnoreWritesEnd) _(AnnotateIgnoreSyncBegin)                        \
  _(AnnotateIgnoreSyncEnd) _(AnnotateNewMemory) _(AnnotateThreadName)          \
  _(AnnotateEnableRaceDetection) _(AnnotateFlushState)                         \
  _(AnnotateFlushExpectedRaces) _(AnnotateExpectRace) _(AnnotateNoOp)          \
  _(AnnotateMemoryIsInitialized) _(AnnotateMemoryIsUninitialized)              \
  _(AnnotatePublishMemoryRange) _(AnnotateUnpublishMemoryRange)                \
  _(AnnotatePCQCreate) _(AnnotatePCQDestroy) _(AnnotatePCQPut)                 \
  _(AnnotatePCQGet) _(AnnotateTraceMemory)
/* clang-format on */

static void synchronise(enum event_kind kind, const volatile void *addr,
                        uint64_t pc) {
  if (!fl__on())
    return;
  fl__reached(pc);
  if (UNLIKELY(E.ordering) && kind == EV_ACQUIRE)
    fl__order_acquire((uint64_t)(uintptr_t)addr);
  else if (UNLIKELY(E.ordering))
    fl__order_release((uint64_t)(uintptr_t)addr);
  if (UNLIKELY(E.options.c11) && kind == EV_ACQUIRE)
    fl__c11_acquire((uint64_t)(uintptr_t)addr);
  else if (UNLIKELY(E.options.c11) && kind == EV_RELEASE)
    fl__c11_release((uint64_t)(uintptr_t)addr);
  if (E.recording)
    fl__record_annotation(kind, addr, pc);
}

WRAP(void, __tsan_acquire, (void *addr)) {
  synchronise(EV_ACQUIRE, addr, CALLER_PC);
}
WRAP(void, __tsan_release, (void *addr)) {
  synchronise(EV_RELEASE, addr, CALLER_PC);
}

#define HAPPENS(PREFIX)                                                        \
  WRAP(void, PREFIX##AnnotateHappensBefore,                                    \
       (const char *file, int line, const volatile void *addr)) {              \
    (void)file, (void)line;                                                    \
    synchronise(EV_RELEASE, addr, CALLER_PC);                                  \
  }                                                                            \
  WRAP(void, PREFIX##AnnotateHappensAfter,                                     \
       (const char *file, int line, const volatile void *addr)) {              \
    (void)file, (void)line;                                                    \
    synchronise(EV_ACQUIRE, addr, CALLER_PC);                                  \
  }
HAPPENS()
HAPPENS(WTF)

WRAP(void, AnnotateRWLockAcquired,
     (const char *file, int line, const volatile void *lock, long writes)) {
  (void)file, (void)line, (void)writes;
  synchronise(EV_ACQUIRE, lock, CALLER_PC);
}
WRAP(void, AnnotateRWLockReleased,
     (const char *file, int line, const volatile void *lock, long writes)) {
  (void)file, (void)line, (void)writes;
  synchronise(EV_RELEASE, lock, CALLER_PC);
}

enum { TRY_LOCK_FAILED = 1 << 5 }; /* of sanitizer/tsan_interface.h */

WRAP(void, __tsan_mutex_post_lock,
     (void *lock, unsigned flags, int recursion)) {
  (void)recursion;
  if (!(flags & TRY_LOCK_FAILED))
    synchronise(EV_ACQUIRE, lock, CALLER_PC);
}
WRAP(int, __tsan_mutex_pre_unlock, (void *lock, unsigned flags)) {
  (void)flags;
  synchronise(EV_RELEASE, lock, CALLER_PC);
  return 1; /* how many times it was locked */
}

/* Arguments that nobody looks at. */
#define IGNORE(NAME)                                                           \
  WRAP(void, NAME, (void)) {}
ANNOTATIONS_IGNORED(IGNORE)
