/*
 * Functions that are not modelled, and why: a call ends the execution as one
 * that cannot be checked, with this sentence behind the function's name.
 * build/wraps.h has the same names.
 */
#ifndef RT_REFUSED_H
#define RT_REFUSED_H

/* clang-format off */
#define REFUSED(_)                                                             \
  /* OpenMP, of gcc and clang */                                               \
  _(GOMP_parallel, OPENMP) _(GOMP_parallel_start, OPENMP)                      \
  _(GOMP_parallel_loop_static, OPENMP) _(GOMP_parallel_loop_dynamic, OPENMP)   \
  _(GOMP_parallel_loop_guided, OPENMP) _(GOMP_parallel_loop_runtime, OPENMP)   \
  _(GOMP_parallel_loop_nonmonotonic_dynamic, OPENMP)                           \
  _(GOMP_parallel_loop_nonmonotonic_guided, OPENMP)                            \
  _(GOMP_parallel_loop_maybe_nonmonotonic_runtime, OPENMP)                     \
  _(GOMP_parallel_sections, OPENMP) _(GOMP_task, OPENMP)                       \
  _(__kmpc_fork_call, OPENMP) _(__kmpc_fork_teams, OPENMP)                     \
  _(__kmpc_omp_task, OPENMP)                                                   \
  _(__kmpc_global_thread_num, LIBRARY) _(__kmpc_push_num_threads, LIBRARY)     \
  _(__kmpc_critical, LIBRARY) _(__kmpc_critical_with_hint, LIBRARY)            \
  _(__kmpc_barrier, LIBRARY) _(GOMP_critical_start, LIBRARY)                   \
  _(GOMP_critical_name_start, LIBRARY) _(GOMP_atomic_start, LIBRARY)           \
  _(GOMP_barrier, LIBRARY) _(omp_set_lock, LIBRARY)                            \
  _(omp_set_nest_lock, LIBRARY) _(omp_test_lock, LIBRARY)                      \
  _(omp_test_nest_lock, LIBRARY)                                               \
  /* code that is loaded while the object runs */                              \
  _(dlopen, LOADS) _(dlmopen, LOADS)                                           \
  /* other processes, and what the kernel sends */                             \
  _(socket, OUTSIDE) _(accept, OUTSIDE) _(accept4, OUTSIDE)                    \
  _(connect, OUTSIDE) _(bind, OUTSIDE) _(listen, OUTSIDE)                      \
  _(wait, PROCESS) _(waitpid, PROCESS) _(wait3, PROCESS) _(wait4, PROCESS)     \
  _(waitid, PROCESS)                                                           \
  _(mkfifo, OUTSIDE) _(mq_open, OUTSIDE) _(msgget, OUTSIDE)                    \
  _(semget, OUTSIDE) _(shmget, OUTSIDE) _(shm_open, OUTSIDE)                   \
  _(sem_open, OUTSIDE) _(inotify_init, OUTSIDE) _(inotify_init1, OUTSIDE)      \
  _(timerfd_create, TIMER) _(splice, SPLICE) _(tee, SPLICE)                    \
  _(vmsplice, SPLICE)                                                          \
  /* signals */                                                                \
  _(signalfd, SIGNAL) _(pthread_kill, SIGNAL) _(pause, SIGNAL)                 \
  _(sigwait, SIGNAL) _(sigwaitinfo, SIGNAL) _(sigtimedwait, SIGNAL)            \
  _(sigsuspend, SIGNAL) _(sigqueue, SIGNAL) _(pthread_sigqueue, SIGNAL)        \
  _(killpg, SIGNAL) _(tgkill, SIGNAL)                                          \
  /* input and output behind the code's back */                                \
  _(aio_read, OUTSIDE) _(aio_write, OUTSIDE) _(lio_listio, OUTSIDE)            \
  /* stacks */                                                                 \
  _(makecontext, STACK) _(swapcontext, STACK) _(setcontext, STACK)
/* clang-format on */

#define REFUSED_OPENMP "starts threads of OpenMP, which are not modelled"
#define REFUSED_LIBRARY "is OpenMP's, which is not modelled"
#define REFUSED_LOADS "loads code without hooks, which Faultline cannot control"
#define REFUSED_OUTSIDE "reaches out of the process, which is not modelled"
#define REFUSED_PROCESS                                                        \
  "waits for another process, and processes are not modelled"
#define REFUSED_TIMER "waits for a timer, and timers are not modelled"
#define REFUSED_SPLICE "moves bytes inside the kernel, which is not modelled"
#define REFUSED_STACK "switches to another stack, which is not modelled"
#define REFUSED_SIGNAL "sends or awaits a signal, and signals are not modelled"

#endif
