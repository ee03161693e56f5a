/*
 * For objects whose fault real threads must find on every machine, however busy
 * it is.  In native code the two threads of a client take turns, and the turn
 * passes only at give_way() and when a thread has made its last call: what real
 * threads do is then decided by the client and by which of them came first.
 *
 *   static void push(int v) { turn_begin(); …load…; give_way(); …store… }
 *   FL_OBJECT(stack) FL_OP(void, push, …) TURNS
 *
 * With hooks the engine's scheduler decides, and give_way() just gives way.
 */
#ifndef TURNS_H
#define TURNS_H

#include <faultline.h>
#include <pthread.h>
#include <sched.h>

#ifdef __SANITIZE_THREAD__
#define TURNS_HOOKS
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define TURNS_HOOKS
#endif
#endif

#ifdef TURNS_HOOKS

#define TURNS
static inline void turn_begin(void) {}
static inline void give_way(void) { sched_yield(); }

#else

#define TURNS FL_THREAD(turns_enter, turns_leave)

static pthread_mutex_t turns_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turns_change = PTHREAD_COND_INITIALIZER;
static int turn;       /* whose it is, 0 or 1 */
static int turns_here; /* who makes calls: the main thread, then two others */
static _Thread_local int turns_me;

/* The main thread enters first, for the initial calls; the others enter before
 * either of them makes a call. */
static inline void *turns_enter(void *object) {
  (void)object;
  pthread_mutex_lock(&turns_lock);
  turns_me = turns_here++ - 1;
  pthread_mutex_unlock(&turns_lock);
  return NULL;
}

static inline void turn_pass(void) {
  turn ^= 1;
  pthread_cond_broadcast(&turns_change);
}

static inline void turns_leave(void *object, void *data) {
  (void)object, (void)data;
  pthread_mutex_lock(&turns_lock);
  turns_here--;
  turn_pass();
  pthread_mutex_unlock(&turns_lock);
}

/* Waits for the turn, or until the other thread has left. */
static inline void turn_await(void) {
  while (turns_here == 3 && turn != turns_me)
    pthread_cond_wait(&turns_change, &turns_lock);
}

static inline void turn_begin(void) {
  pthread_mutex_lock(&turns_lock);
  turn_await();
  pthread_mutex_unlock(&turns_lock);
}

static inline void give_way(void) {
  pthread_mutex_lock(&turns_lock);
  if (turns_here == 3) {
    turn_pass();
    turn_await();
  }
  pthread_mutex_unlock(&turns_lock);
}

#endif
#endif
