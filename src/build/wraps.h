/*
 * The functions that the runtime replaces in user code: a reference to NAME
 * becomes one to __wrap_NAME, which the runtime exports.  The linker's flags,
 * the probe's list of known functions and the test that each is defined come
 * from this table.
 */
#ifndef BUILD_WRAPS_H
#define BUILD_WRAPS_H

/* clang-format off */
#define WRAPS(_)                                                               \
  /* heap */                                                                   \
  _(malloc) _(calloc) _(realloc) _(reallocarray) _(free) _(aligned_alloc)      \
  _(posix_memalign) _(memalign) _(valloc) _(strdup) _(strndup)                 \
  _(malloc_usable_size) _(realpath) _(getcwd)                                  \
  _(_Znwm) _(_Znam) _(_ZdlPv) _(_ZdaPv) _(_ZdlPvm) _(_ZdaPvm)                  \
  _(_ZnwmRKSt9nothrow_t) _(_ZnamRKSt9nothrow_t)                                \
  _(_ZnwmSt11align_val_t) _(_ZnamSt11align_val_t)                              \
  _(_ZdlPvSt11align_val_t) _(_ZdaPvSt11align_val_t)                            \
  _(_ZdlPvmSt11align_val_t) _(_ZdaPvmSt11align_val_t)                          \
  _(_ZnwmSt11align_val_tRKSt9nothrow_t) _(_ZnamSt11align_val_tRKSt9nothrow_t)  \
  _(_ZdlPvRKSt9nothrow_t) _(_ZdaPvRKSt9nothrow_t)                              \
  _(_ZdlPvSt11align_val_tRKSt9nothrow_t)                                       \
  _(_ZdaPvSt11align_val_tRKSt9nothrow_t)                                       \
  /* memory and strings */                                                     \
  _(memcpy) _(memmove) _(memset) _(memcmp) _(memchr) _(bcmp) _(strlen)         \
  _(strnlen) _(strcpy) _(strncpy) _(stpcpy) _(strcat) _(strncat) _(strcmp)     \
  _(strncmp) _(strchr) _(strrchr) _(strstr)                                    \
  _(__memcpy_chk) _(__memmove_chk) _(__memset_chk) _(__strcpy_chk)             \
  _(__strncpy_chk) _(__strcat_chk) _(__strncat_chk) _(__stpcpy_chk)            \
  _(snprintf) _(vsnprintf) _(sprintf) _(vsprintf) _(__snprintf_chk)            \
  _(__vsnprintf_chk) _(__sprintf_chk) _(printf) _(fprintf) _(vprintf)          \
  _(vfprintf) _(asprintf) _(vasprintf) _(puts) _(fputs) _(fwrite)              \
  _(atoi) _(atol) _(atoll) _(atof) _(strtol) _(strtoul) _(strtoll)             \
  _(strtoull) _(strtod) _(strtof) _(__isoc23_strtol) _(__isoc23_strtoul)       \
  _(__isoc23_strtoll) _(__isoc23_strtoull) _(strspn) _(strcspn) _(strpbrk)     \
  _(strcasestr) _(strcasecmp) _(strncasecmp) _(strchrnul) _(memrchr)           \
  _(rawmemchr) _(memmem) _(strsep) _(strtok_r) _(bzero) _(explicit_bzero)      \
  _(bcopy) _(mempcpy) _(memccpy) _(stpncpy) _(wcslen) _(wcscpy) _(wcscmp)      \
  _(wmemcpy) _(wmemmove) _(wmemset) _(wcsdup) _(strlcpy) _(strlcat)            \
  /* what arranges elements */                                                 \
  _(qsort) _(qsort_r)                                                          \
  _(_ZNSt8__detail15_List_node_base7_M_hookEPS0_)                              \
  _(_ZNSt8__detail15_List_node_base9_M_unhookEv)                               \
  _(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_)                      \
  _(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base)                           \
  _(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base)                          \
  _(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base)                           \
  _(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base)                          \
  /* mutexes, reader-writer locks, spinlocks */                                \
  _(pthread_mutex_init) _(pthread_mutex_destroy) _(pthread_mutex_lock)         \
  _(pthread_mutex_trylock) _(pthread_mutex_timedlock)                          \
  _(pthread_mutex_clocklock) _(pthread_mutex_unlock)                           \
  _(pthread_rwlock_init) _(pthread_rwlock_destroy) _(pthread_rwlock_rdlock)    \
  _(pthread_rwlock_wrlock) _(pthread_rwlock_tryrdlock)                         \
  _(pthread_rwlock_trywrlock) _(pthread_rwlock_timedrdlock)                    \
  _(pthread_rwlock_timedwrlock) _(pthread_rwlock_clockrdlock)                  \
  _(pthread_rwlock_clockwrlock) _(pthread_rwlock_unlock)                       \
  _(pthread_spin_init) _(pthread_spin_destroy) _(pthread_spin_lock)            \
  _(pthread_spin_trylock) _(pthread_spin_unlock)                               \
  /* condition variables, semaphores, barriers, once */                        \
  _(pthread_cond_init) _(pthread_cond_destroy) _(pthread_cond_wait)            \
  _(pthread_cond_timedwait) _(pthread_cond_clockwait) _(pthread_cond_signal)   \
  _(pthread_cond_broadcast)                                                    \
  _(sem_init) _(sem_destroy) _(sem_wait) _(sem_trywait) _(sem_timedwait)       \
  _(sem_clockwait) _(sem_post) _(sem_getvalue)                                 \
  _(pthread_barrier_init) _(pthread_barrier_destroy) _(pthread_barrier_wait)   \
  _(pthread_once)                                                              \
  /* threads */                                                                \
  _(pthread_create) _(pthread_join) _(pthread_tryjoin_np)                      \
  _(pthread_timedjoin_np) _(pthread_detach) _(pthread_exit) _(pthread_self)    \
  _(pthread_cancel) _(pthread_key_create) _(pthread_key_delete)                \
  _(pthread_getspecific) _(pthread_setspecific)                                \
  /* C11 threads */                                                            \
  _(thrd_create) _(thrd_join) _(thrd_detach) _(thrd_exit) _(thrd_current)      \
  _(thrd_yield) _(thrd_sleep) _(mtx_init) _(mtx_destroy) _(mtx_lock)           \
  _(mtx_trylock) _(mtx_timedlock) _(mtx_unlock) _(cnd_init) _(cnd_destroy)     \
  _(cnd_wait) _(cnd_timedwait) _(cnd_signal) _(cnd_broadcast) _(call_once)     \
  _(tss_create) _(tss_delete) _(tss_get) _(tss_set)                            \
  /* the out-of-line half of C++ threads */                                    \
  _(_ZNSt18condition_variableC1Ev) _(_ZNSt18condition_variableD1Ev)            \
  _(_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE)                 \
  _(_ZNSt18condition_variable10notify_oneEv)                                   \
  _(_ZNSt18condition_variable10notify_allEv)                                   \
  _(_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE) \
  _(_ZNSt6thread4joinEv) _(_ZNSt6thread6detachEv)                              \
  _(_ZNSt10_Sp_lockerC1EPKv) _(_ZNSt10_Sp_lockerC1EPKvS1_)                     \
  _(_ZNSt10_Sp_lockerD1Ev)                                                     \
  _(_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj)               \
  _(_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE) \
  _(_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE) \
  /* time, chance, yielding */                                                 \
  _(sched_yield) _(pthread_yield) _(sleep) _(usleep) _(nanosleep)              \
  _(clock_nanosleep) _(time) _(clock) _(gettimeofday) _(clock_gettime)         \
  _(timespec_get) _(_ZNSt6chrono3_V212steady_clock3nowEv)                      \
  _(_ZNSt6chrono3_V212system_clock3nowEv)                                      \
  _(rand) _(srand) _(rand_r) _(random) _(srandom) _(drand48) _(lrand48)        \
  _(mrand48) _(srand48) _(arc4random) _(getrandom) _(getentropy)               \
  _(sched_getcpu)                                                              \
  /* system calls and libatomic */                                             \
  _(syscall) _(gettid) _(mmap) _(munmap) _(mprotect) _(madvise)                \
  _(__atomic_load) _(__atomic_store) _(__atomic_exchange)                      \
  _(__atomic_compare_exchange)                                                 \
  /* processes */                                                              \
  _(fork) _(_Fork) _(vfork) _(daemon) _(system) _(popen) _(posix_spawn)        \
  _(posix_spawnp)                                                              \
  /* descriptors */                                                            \
  _(pipe) _(pipe2) _(eventfd) _(socketpair) _(read) _(__read_chk) _(write)     \
  _(readv) _(writev) _(eventfd_read) _(eventfd_write) _(recv) _(recvfrom)      \
  _(send) _(sendto) _(sendmsg) _(recvmsg) _(shutdown) _(close) _(dup) _(dup2)  \
  _(dup3) _(fcntl) _(fcntl64) _(ioctl) _(poll) _(__poll_chk) _(ppoll)          \
  _(select) _(pselect) _(epoll_create) _(epoll_create1) _(epoll_ctl)           \
  _(epoll_wait) _(epoll_pwait) _(epoll_pwait2)                                 \
  /* what is not modelled (rt/refused.h) */                                    \
  _(raise) _(GOMP_parallel) _(GOMP_parallel_start)                             \
  _(GOMP_parallel_loop_static) _(GOMP_parallel_loop_dynamic)                   \
  _(GOMP_parallel_loop_guided) _(GOMP_parallel_loop_runtime)                   \
  _(GOMP_parallel_loop_nonmonotonic_dynamic)                                   \
  _(GOMP_parallel_loop_nonmonotonic_guided)                                    \
  _(GOMP_parallel_loop_maybe_nonmonotonic_runtime) _(GOMP_parallel_sections)   \
  _(GOMP_task) _(__kmpc_fork_call) _(__kmpc_fork_teams) _(__kmpc_omp_task)     \
  _(__kmpc_global_thread_num) _(__kmpc_push_num_threads) _(__kmpc_critical)    \
  _(__kmpc_critical_with_hint) _(__kmpc_barrier) _(GOMP_critical_start)        \
  _(GOMP_critical_name_start) _(GOMP_atomic_start) _(GOMP_barrier)             \
  _(omp_set_lock) _(omp_set_nest_lock) _(omp_test_lock) _(omp_test_nest_lock)  \
  _(dlopen) _(dlmopen)                                                         \
  _(socket) _(accept) _(accept4) _(connect) _(bind) _(listen) _(wait)          \
  _(waitpid) _(wait3) _(wait4) _(waitid) _(mkfifo) _(mq_open) _(msgget)        \
  _(semget) _(shmget) _(shm_open) _(sem_open) _(inotify_init)                  \
  _(inotify_init1) _(timerfd_create) _(splice) _(tee) _(vmsplice) _(signalfd)  \
  _(pthread_kill) _(pause) _(sigwait) _(sigwaitinfo) _(sigtimedwait)           \
  _(sigsuspend) _(sigqueue) _(pthread_sigqueue) _(killpg) _(tgkill)            \
  _(aio_read) _(aio_write) _(lio_listio) _(makecontext) _(swapcontext)         \
  _(setcontext)                                                                \
  /* annotations for ThreadSanitizer */                                        \
  _(__tsan_acquire) _(__tsan_release) _(AnnotateHappensBefore)                 \
  _(AnnotateHappensAfter) _(WTFAnnotateHappensBefore)                          \
  _(WTFAnnotateHappensAfter) _(AnnotateRWLockAcquired)                         \
  _(AnnotateRWLockReleased) _(__tsan_mutex_post_lock)                          \
  _(__tsan_mutex_pre_unlock) _(__tsan_mutex_create) _(__tsan_mutex_destroy)    \
  _(__tsan_mutex_pre_lock) _(__tsan_mutex_post_unlock)                         \
  _(__tsan_mutex_pre_signal) _(__tsan_mutex_post_signal)                       \
  _(__tsan_mutex_pre_divert) _(__tsan_mutex_post_divert)                       \
  _(AnnotateRWLockCreate) _(AnnotateRWLockCreateStatic)                        \
  _(AnnotateRWLockDestroy) _(AnnotateCondVarSignal)                            \
  _(AnnotateCondVarSignalAll) _(AnnotateCondVarWait) _(AnnotateMutexIsNotPHB)  \
  _(AnnotateMutexIsUsedAsCondVar) _(AnnotateBenignRace)                        \
  _(AnnotateBenignRaceSized) _(WTFAnnotateBenignRaceSized)                     \
  _(AnnotateIgnoreReadsBegin) _(AnnotateIgnoreReadsEnd)                        \
  _(AnnotateIgnoreWritesBegin) _(AnnotateIgnoreWritesEnd)                      \
  _(AnnotateIgnoreSyncBegin) _(AnnotateIgnoreSyncEnd) _(AnnotateNewMemory)     \
  _(AnnotateThreadName) _(AnnotateEnableRaceDetection) _(AnnotateFlushState)   \
  _(AnnotateFlushExpectedRaces) _(AnnotateExpectRace) _(AnnotateNoOp)          \
  _(AnnotateMemoryIsInitialized) _(AnnotateMemoryIsUninitialized)              \
  _(AnnotatePublishMemoryRange) _(AnnotateUnpublishMemoryRange)                \
  _(AnnotatePCQCreate) _(AnnotatePCQDestroy) _(AnnotatePCQPut)                 \
  _(AnnotatePCQGet) _(AnnotateTraceMemory)                                     \
  /* ends */                                                                   \
  _(exit) _(_exit) _(_Exit) _(quick_exit) _(abort) _(__assert_fail)            \
  _(__assert) _(__assert_perror_fail) _(__stack_chk_fail)
/* clang-format on */

#endif
