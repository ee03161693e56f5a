/* The progress line and the lines of --verbose. */
#include "proc/phase.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/text.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
  bool open, verbose, watched, held;
  struct progress progress;
  const char *what; /* the phase, or NULL */
  const char *units[2];
  double begun, budget;
  uint64_t done[2]; /* clients and executions of this phase */
  uint64_t faults;
  pthread_mutex_t lock; /* of all this, once a thread watches */
} phase = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void) { pthread_mutex_lock(&phase.lock); }
static void unlock(void) { pthread_mutex_unlock(&phase.lock); }

static void put_count(struct buf *b, uint64_t n, const char *unit) {
  bool y = unit[strlen(unit) - 1] == 'y';
  buf_puts(b, b->len ? ", " : "");
  put_number(b, n);
  buf_printf(b, " %.*s%s", (int)(strlen(unit) - (y && n != 1)), unit,
             n == 1 ? ""
             : y    ? "ies"
                    : "s");
}

/* Two digits are enough for how fast it is. */
static void put_rate(struct buf *b, double rate) {
  uint64_t n = (uint64_t)rate, scale = 1;
  while (n / scale >= 100)
    scale *= 10;
  if (!n)
    return;
  buf_puts(b, ", ");
  put_number(b, n / scale * scale);
  buf_puts(b, "/s");
}

static const char *unit(int i) {
  static const char *const usual[] = {"client", "execution"};
  return phase.units[i] ? phase.units[i] : usual[i];
}

/* The work that was done. */
static void put_done(struct buf *b, uint64_t clients, uint64_t executions) {
  if (clients)
    put_count(b, clients, unit(0));
  if (executions)
    put_count(b, executions, unit(1));
}

/* What matters most comes first: a narrow terminal cuts the end off. */
static void show(uint64_t clients, uint64_t executions, const char *far) {
  struct buf b = {0};
  assert(phase.open && phase.what);
  double seconds = clock_now() - phase.begun;
  clients += phase.done[0];
  executions += phase.done[1];
  if (far && *far)
    buf_puts(&b, far);
  else if (phase.budget > 0)
    buf_printf(&b, "%.0f of %.0f s", seconds, phase.budget);
  else
    buf_printf(&b, "%.0f s", seconds);
  if (phase.faults)
    put_count(&b, phase.faults, "fault");
  else
    buf_puts(&b, ", no fault");
  put_done(&b, clients, executions);
  if (seconds > 0.1)
    put_rate(&b, (double)(executions ? executions : clients) / seconds);
  progress_show(&phase.progress, "%s: %s", phase.what, buf_text(&b));
  buf_free(&b);
}

/* Ends the phase; --verbose prints its counts and its time. */
static void end(void) {
  progress_clear(&phase.progress); /* L1 */
  if (phase.what && phase.verbose) {
    struct buf b = {0};
    put_done(&b, phase.done[0], phase.done[1]);
    fprintf(stderr, "faultline: %s: %s%s%.2f s\n", phase.what, buf_text(&b),
            b.len ? ", " : "", clock_now() - phase.begun);
    buf_free(&b);
  }
  phase.what = NULL;
}

void phases_open(bool verbose) {
  lock();
  if (!phase.open) {
    phase.open = true;
    phase.verbose = verbose;
    progress_init(&phase.progress, STDERR_FILENO);
  }
  unlock();
}

void phase_begin(const char *what) {
  lock();
  if (phase.open && !phase.held && !(phase.what && !strcmp(phase.what, what))) {
    end();
    phase.what = what;
    phase.begun = clock_now();
    phase.budget = 0;
    memset(phase.done, 0, sizeof phase.done);
  }
  unlock();
}

void phase_end(void) {
  lock();
  if (phase.open && !phase.held)
    end();
  unlock();
}

void phase_hold(bool held) { phase.held = held; }

bool phase_due(void) {
  return phase.open && phase.what && progress_due(&phase.progress);
}

void phase_show(uint64_t clients, uint64_t executions, const char *far) {
  lock();
  if (phase_due())
    show(clients, executions, far);
  unlock();
}

void phase_count(uint64_t clients, uint64_t executions) {
  lock();
  phase.done[0] += clients;
  phase.done[1] += executions;
  unlock();
}

void phase_units(const char *clients, const char *executions) {
  phase.units[0] = clients;
  phase.units[1] = executions;
}

void phase_budget(double seconds) { phase.budget = seconds; }

void phase_fault(void) {
  lock();
  phase.faults++;
  unlock();
}

void phase_clear(void) {
  lock();
  if (phase.open)
    progress_clear(&phase.progress);
  unlock();
}

void phase_pause(void) {
  lock();
  if (phase.open)
    progress_clear(&phase.progress); /* L1 */
}

void phase_resume(void) { unlock(); }

void phase_silence(void) {
  pthread_mutex_init(&phase.lock, NULL); /* the parent's may be held */
  phase.open = false;
}

static void *watch(void *none) {
  for (;;) {
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    phase_show(0, 0, NULL);
  }
  return none;
}

void phase_watch(void) {
  pthread_t thread;
  if (!phase.watched && !pthread_create(&thread, NULL, watch, NULL))
    pthread_detach(thread);
  phase.watched = true;
}
