/*
 * Small objects, right and wrong ones, each with what there is to know of it.
 * Clients of them are cheap enough to run every interleaving.
 */
#ifndef ENGINE_OBJECTS_H
#define ENGINE_OBJECTS_H

#include "engine.h"

struct engine_object {
  const char *name, *text;
  bool faulty; /* some client of it is not explained */
  struct rt_options options;
  const char *client; /* one that must be among those compared, or NULL */
  char *so;
};

#define HEAD                                                                   \
  "#include <faultline.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"     \
  "#include <stdbool.h>\n#include <stdlib.h>\n#include <semaphore.h>\n"

static struct engine_object engine_objects[] = {
    {"treiber stack",
     HEAD "struct node { int v; struct node *next; };\n"
          "static _Atomic(struct node *) top;\n"
          "static void push(int v) { struct node *n = malloc(sizeof *n);\n"
          "  n->v = v; n->next = atomic_load(&top);\n"
          "  while (!atomic_compare_exchange_strong(&top, &n->next, n)); }\n"
          "static int pop(void) { struct node *n = atomic_load(&top);\n"
          "  while (n && !atomic_compare_exchange_strong(&top, &n, n->next));\n"
          "  return n ? n->v : 0; }\n"
          "FL_OBJECT(stack)\nFL_OP(void, push, FL_INT(1, 2))\n"
          "FL_OP(int, pop)\n",
     false,
     {0},
     NULL,
     NULL},
    {"a stack that frees its nodes, blocks used again",
     HEAD "struct node { int v; struct node *next; };\n"
          "static _Atomic(struct node *) top;\n"
          "static void push(int v) { struct node *n = malloc(sizeof *n);\n"
          "  n->v = v; n->next = atomic_load(&top);\n"
          "  while (!atomic_compare_exchange_strong(&top, &n->next, n)); }\n"
          "static struct node *take(void) { struct node *n = "
          "atomic_load(&top);\n"
          "  while (n && !atomic_compare_exchange_strong(&top, &n, n->next));\n"
          "  return n; }\n"
          "static int pop(void) { struct node *n = take();\n"
          "  int v = n ? n->v : 0; free(n); return v; }\n"
          "static void drop2(void) { struct node *n = take(), *k = take();\n"
          "  free(k); free(n); }\n"
          "FL_OBJECT(stack)\nFL_OP(void, push, FL_INT(1, 2))\n"
          "FL_OP(int, pop)\nFL_OP(void, drop2)\n",
     true,
     {.reuse = true},
     "push(1); push(2); {pop()} || {drop2(); push(1)}; pop(); pop()",
     NULL},
    {"Afek's stack, its swap taken apart",
     HEAD "static atomic_int range;\nstatic int items[16];\n"
          "static void push(int x) {\n"
          "  int i = atomic_fetch_add(&range, 1); items[i] = x; }\n"
          "static int pop(void) {\n"
          "  for (int i = atomic_load(&range) - 1; i >= 0; i--) {\n"
          "    int x = items[i]; items[i] = 0; if (x) return x; }\n"
          "  return 0; }\n"
          "FL_OBJECT(stack)\nFL_OP(void, push, FL_INT(1, 2))\n"
          "FL_OP(int, pop)\n",
     true,
     {0},
     "push(1); {pop()} || {pop()}",
     NULL},
    {"a queue with two locks",
     HEAD "struct node { int v; struct node *next; };\n"
          "static struct node first, *head = &first, *tail = &first;\n"
          "static pthread_mutex_t h = PTHREAD_MUTEX_INITIALIZER, t = "
          "PTHREAD_MUTEX_INITIALIZER;\n"
          "static void put(int v) { struct node *n = malloc(sizeof *n);\n"
          "  n->v = v; n->next = NULL; pthread_mutex_lock(&t);\n"
          "  tail->next = n; tail = n; pthread_mutex_unlock(&t); }\n"
          "static int get(void) { pthread_mutex_lock(&h);\n"
          "  struct node *n = head->next; int v = n ? n->v : 0;\n"
          "  if (n) head = n;\n"
          "  pthread_mutex_unlock(&h); return v; }\n"
          "FL_OBJECT(queue)\nFL_OP(void, put, FL_INT(1, 2))\n"
          "FL_OP(int, get)\n",
     false,
     {0},
     NULL,
     NULL},
    {"a queue that reads its tail before it locks",
     HEAD "static int cell[16], head, tail;\n"
          "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
          "static void put(int v) { int t = tail; pthread_mutex_lock(&m);\n"
          "  cell[t] = v; tail = t + 1; pthread_mutex_unlock(&m); }\n"
          "static int get(void) { pthread_mutex_lock(&m);\n"
          "  int v = head < tail ? cell[head++] : 0;\n"
          "  pthread_mutex_unlock(&m); return v; }\n"
          "FL_OBJECT(queue)\nFL_OP(void, put, FL_INT(1, 2))\n"
          "FL_OP(int, get)\n",
     true,
     {0},
     "{put(1)} || {put(2)}; get(); get()",
     NULL},
    {"a counter with a lock, and a read without",
     HEAD "static int n;\n"
          "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
          "static int add(int k) { pthread_mutex_lock(&m); n += k; int v = n;\n"
          "  pthread_mutex_unlock(&m); return v; }\n"
          "static int get(void) { return n; }\n"
          "FL_OBJECT(counter)\nFL_OP(int, add, FL_INT(1, 2))\n"
          "FL_OP(int, get)\n",
     false,
     {0},
     NULL,
     NULL},
    {"a counter in two halves",
     HEAD "static int low, high;\n"
          "static void add(void) { if (++low == 2) { low = 0; high++; } }\n"
          "static int get(void) { return high * 2 + low; }\n"
          "FL_OBJECT(counter)\nFL_OP(void, add)\nFL_OP(int, get)\n",
     true,
     {0},
     "add(); {add()} || {get()}",
     NULL},
    {"a list whose nodes are freed under a lock",
     HEAD "struct node { int v; struct node *next; };\n"
          "static struct node *list;\n"
          "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
          "static void add(int v) { struct node *n = malloc(sizeof *n);\n"
          "  n->v = v; pthread_mutex_lock(&m); n->next = list; list = n;\n"
          "  pthread_mutex_unlock(&m); }\n"
          "static int take(void) { pthread_mutex_lock(&m);\n"
          "  struct node *n = list; if (n) list = n->next;\n"
          "  pthread_mutex_unlock(&m);\n"
          "  int v = n ? n->v : 0; free(n); return v; }\n"
          "FL_OBJECT(list)\nFL_OP(void, add, FL_INT(1, 2))\n"
          "FL_OP(int, take)\n",
     false,
     {0},
     NULL,
     NULL},
    {"a counter with a spin lock",
     HEAD "static atomic_flag l = ATOMIC_FLAG_INIT;\nstatic int n;\n"
          "static int add(void) { while (atomic_flag_test_and_set(&l));\n"
          "  int v = n++; atomic_flag_clear(&l); return v; }\n"
          "static int get(void) { while (atomic_flag_test_and_set(&l));\n"
          "  int v = n; atomic_flag_clear(&l); return v; }\n"
          "FL_OBJECT(counter)\nFL_OP(int, add)\nFL_OP(int, get)\n",
     false,
     {0},
     NULL,
     NULL},
    {"a spin lock that is never given back",
     HEAD "#include <sched.h>\nstatic atomic_int l;\nstatic int n;\n"
          "static void add(void) {\n"
          "  while (atomic_exchange(&l, 1)) sched_yield();\n"
          "  n++; }\n"
          "static int get(void) { return n; }\n"
          "FL_OBJECT(counter)\nFL_OP(void, add)\nFL_OP(int, get)\n",
     true,
     {0},
     "{add()} || {add()}",
     NULL},
    {"a ticket lock",
     HEAD "static atomic_int next, now;\nstatic int n;\n"
          "static int add(void) { int mine = atomic_fetch_add(&next, 1);\n"
          "  while (atomic_load(&now) != mine);\n"
          "  int v = n++; atomic_fetch_add(&now, 1); return v; }\n"
          "FL_OBJECT(counter)\nFL_OP(int, add)\n",
     false,
     {0},
     NULL,
     NULL},
    {"a cell with a condition variable",
     HEAD "static int cell;\nstatic pthread_cond_t c = "
          "PTHREAD_COND_INITIALIZER;\n"
          "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
          "static void put(int v) { pthread_mutex_lock(&m); cell += v;\n"
          "  pthread_cond_signal(&c); pthread_mutex_unlock(&m); }\n"
          "static int take(void) { pthread_mutex_lock(&m);\n"
          "  while (!cell) pthread_cond_wait(&c, &m);\n"
          "  int v = cell; cell = 0; pthread_mutex_unlock(&m); return v; }\n"
          "static int look(void) { pthread_mutex_lock(&m); int v = cell;\n"
          "  pthread_mutex_unlock(&m); return v; }\n"
          "FL_OBJECT(cell)\nFL_OP(void, put, FL_INT(1, 2))\n"
          "FL_OP(int, take, FL_BLOCKING)\nFL_OP(int, look)\n",
     false,
     {0},
     "{put(1)} || {take()} || {take()}",
     NULL},
    {"a wait without a loop",
     HEAD "static int cell;\nstatic pthread_cond_t c = "
          "PTHREAD_COND_INITIALIZER;\n"
          "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
          "static void put(int v) { pthread_mutex_lock(&m); cell = v;\n"
          "  pthread_cond_signal(&c); pthread_mutex_unlock(&m); }\n"
          "static int take(void) { pthread_mutex_lock(&m);\n"
          "  if (!cell) pthread_cond_wait(&c, &m);\n"
          "  int v = cell; cell = 0; pthread_mutex_unlock(&m); return v; }\n"
          "FL_OBJECT(cell)\nFL_OP(void, put, FL_INT(1, 2))\n"
          "FL_OP(int, take, FL_BLOCKING)\n",
     true,
     {.wake_ups = RT_WAKE_UPS_SOME},
     "{put(1)} || {take()}",
     NULL},
    {"a semaphore whose wait is interrupted",
     HEAD "static sem_t s;\nstatic int n;\n"
          "static int add(void) { sem_wait(&s); int v = n++; sem_post(&s);\n"
          "  return v; }\n"
          "static void set_up(void) { sem_init(&s, 0, 1); }\n"
          "FL_OBJECT(counter, set_up)\nFL_OP(int, add)\n",
     true,
     {.wake_ups = RT_WAKE_UPS_ALL},
     "{add()} || {add()}",
     NULL},
    {"a cell that signals before it stores",
     HEAD "static int cell;\nstatic pthread_cond_t c = "
          "PTHREAD_COND_INITIALIZER;\n"
          "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
          "static void put(int v) { pthread_mutex_lock(&m);\n"
          "  pthread_cond_signal(&c); pthread_mutex_unlock(&m); cell = v; }\n"
          "static int take(void) { pthread_mutex_lock(&m);\n"
          "  while (!cell) pthread_cond_wait(&c, &m);\n"
          "  int v = cell; cell = 0; pthread_mutex_unlock(&m); return v; }\n"
          "FL_OBJECT(cell)\nFL_OP(void, put, FL_INT(1, 2))\n"
          "FL_OP(int, take, FL_BLOCKING)\n",
     true,
     {0},
     "{put(1)} || {take()}",
     NULL},
    /* a() and b() touch different words: that one of them returned before the
     * other was called is in no location. */
    {"a violation that only the real-time order shows",
     HEAD "static int x, y;\n"
          "static void a(void) { x = 1; }\n"
          "static void b(void) { y = 1; }\n"
          "static int both(void) { int s = y; return s + 2 * x; }\n"
          "FL_OBJECT(pair)\nFL_OP(void, a)\nFL_OP(void, b)\n"
          "FL_OP(int, both)\n",
     true,
     {0},
     "{both()} || {a()} || {b()}",
     NULL},
    {"memory of one's own beside a shared word",
     HEAD "static long own[4];\nstatic int shared;\n"
          "static long mine(int k) { long v = own[k]; own[k] = v + 1;\n"
          "  return v; }\n"
          "static long bump(int k) { own[k] = 5; int v = shared;\n"
          "  shared = v + 1; own[k] += v; return own[k]; }\n"
          "static int nothing(void) { return 7; }\n"
          "FL_OBJECT(own)\nFL_OP(long, mine, FL_INT(0, 3))\n"
          "FL_OP(long, bump, FL_INT(0, 3))\nFL_OP(int, nothing)\n",
     true,
     {0},
     "{bump(0)} || {bump(1)}",
     NULL},
    {"a compare-and-swap that may fail for no reason",
     HEAD "static atomic_int n;\n"
          "static int add(void) { int v = atomic_load(&n);\n"
          "  return atomic_compare_exchange_weak(&n, &v, v + 1) ? v : -1; }\n"
          "static int get(void) { return atomic_load(&n); }\n"
          "FL_OBJECT(counter)\nFL_OP(int, add)\nFL_OP(int, get)\n",
     true,
     {.spurious_cas = true},
     "{add()} || {get()}",
     NULL},
    {"a compare-and-swap of one's own that may fail for no reason",
     HEAD "static atomic_long own[4];\n"
          "static int add(int k) { long v = 0;\n"
          "  return atomic_compare_exchange_weak(&own[k], &v, 1) ? 1 : -1; }"
          "\n"
          "FL_OBJECT(counter)\nFL_OP(int, add, FL_INT(0, 3))\n",
     true,
     {.spurious_cas = true},
     "{add(0)} || {add(1)}",
     NULL},
    {"a semaphore that is looked at",
     HEAD "static sem_t s;\n"
          "static void post(void) { sem_post(&s); }\n"
          "static int look(void) { int v; sem_getvalue(&s, &v); return v; }\n"
          "static int take(void) { return sem_trywait(&s); }\n"
          "FL_OBJECT(semaphore)\nFL_OP(void, post)\nFL_OP(int, look)\n"
          "FL_OP(int, take)\n",
     false,
     {0},
     "{post()} || {look()}",
     NULL},
    {"a check that fails if it comes too early",
     HEAD "static int ready;\n"
          "static void set(void) { ready = 1; }\n"
          "static int use(void) { if (!ready) abort(); return 1; }\n"
          "FL_OBJECT(early)\nFL_OP(void, set)\nFL_OP(int, use)\n",
     true,
     {0},
     "{use()} || {set()}",
     NULL},
    {"a block that is freed while it is read",
     HEAD "static int *block;\n"
          "static void new(void) { block = calloc(1, 4); }\n"
          "static int use(void) { return *block; }\n"
          "static void drop(void) { free(block); }\n"
          "FL_OBJECT(block, new)\nFL_OP(int, use)\nFL_OP(void, drop)\n",
     true,
     {0},
     "{drop()} || {use()}",
     NULL},
    {"a lock that is freed",
     HEAD "struct box { pthread_mutex_t m; };\nstatic struct box *box;\n"
          "static int n;\n"
          "static void new(void) { box = malloc(sizeof *box);\n"
          "  pthread_mutex_init(&box->m, NULL); }\n"
          "static int use(void) { pthread_mutex_lock(&box->m); int v = n;\n"
          "  pthread_mutex_unlock(&box->m); return v; }\n"
          "static void drop(void) { n = 1; free(box); }\n"
          "FL_OBJECT(box, new)\nFL_OP(int, use)\nFL_OP(void, drop)\n",
     true,
     {0},
     "{use()} || {drop()}",
     NULL},
    {"a loop whose counter is thread-local",
     HEAD "static _Thread_local int rounds;\nstatic atomic_int flag;\n"
          "static __attribute__((noinline)) void bump(void) { rounds++; }\n"
          "static __attribute__((noinline)) int enough(void) {\n"
          "  return rounds >= 5; }\n"
          "static int poll(void) { rounds = 0;\n"
          "  while (!atomic_load(&flag)) { bump(); if (enough()) return 0; }\n"
          "  return 1; }\n"
          "static void set(void) { atomic_store(&flag, 1); }\n"
          "FL_OBJECT(poll)\nFL_OP(int, poll)\nFL_OP(void, set)\n",
     false,
     {0},
     "{poll()} || {poll()}",
     NULL},
    {"a wake-up that is lost, and the first step waits",
     HEAD "static sem_t s;\nstatic int count, posted;\n"
          "static void put(void) { int v = count; count = v + 1;\n"
          "  if (posted <= v) { posted = v + 1; sem_post(&s); } }\n"
          "static void take(void) { sem_wait(&s); }\n"
          "FL_OBJECT(tokens)\nFL_OP(void, put)\n"
          "FL_OP(void, take, FL_BLOCKING)\n",
     true,
     {0},
     "{put(); take()} || {put(); take()}",
     NULL},
    {"counters far apart in large memory",
     HEAD "static int data[50000];\nstatic int *heap;\n"
          "static void new(void) { heap = calloc(50000, sizeof *heap); }\n"
          "static int *at(int k) {\n"
          "  return k < 2 ? &data[k * 20000 + 9] : &heap[(k - 2) * 20000 + 7]; "
          "}\n"
          "static int add(int k) { int v = *at(k); *at(k) = v + 1;\n"
          "  return v; }\n"
          "static int get(int k) { return *at(k); }\n"
          "FL_OBJECT(counters, new)\nFL_OP(int, add, FL_INT(0, 3))\n"
          "FL_OP(int, get, FL_INT(0, 3))\n",
     true,
     {0},
     "{add(0); add(2)} || {add(2); add(0)}; get(0); get(2)",
     NULL},
    {"threads of the object's own",
     HEAD
     "static atomic_int n;\n"
     "static void *body(void *p) { (void)p; atomic_fetch_add(&n, 1);\n"
     "  return 0; }\n"
     "static int run(void) { pthread_t t; pthread_create(&t, 0, body, 0);\n"
     "  int v = atomic_load(&n); pthread_join(t, 0); return v; }\n"
     "static int get(void) { return atomic_load(&n); }\n"
     "FL_OBJECT(runner)\nFL_OP(int, run)\nFL_OP(int, get)\n",
     true,
     {0},
     "{run()} || {get()}",
     NULL},
};

enum { ENGINE_OBJECTS = sizeof engine_objects / sizeof *engine_objects };

#endif
