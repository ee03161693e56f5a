/*
 * faultline.h: what a harness includes.
 *
 *     #include <faultline.h>
 *     #include "stack.h"
 *
 *     FL_OBJECT(stack, stack_new, stack_free)
 *     FL_OP(void, stack_push, FL_INT(1, 3))
 *     FL_OP(int, stack_pop)
 *
 * and `faultline stack.c harness.c` tests it.  The lines stand at file scope,
 * in C or C++, with or without a semicolon.
 *
 * FL_OBJECT(name, constructor, destructor)
 *     The object under test.  The constructor takes nothing; the pointer that
 *     it returns is the first argument of each operation and of the
 *     destructor.  FL_OBJECT(name) and FL_OBJECT(name, init, fini) with
 *     `void init(void)` are for objects that are globals: their operations
 *     get no object.  The lines below an FL_OBJECT belong to it; several
 *     objects in one file are tested one after the other.
 *
 * FL_OP(return type, function, argument domains and attributes...)
 *     One operation.  It returns void, bool, an integer, an enum, a pointer, a
 *     string (char *, compared by its text) or, with FL_RESULT, anything else.
 *     A domain for each argument behind the object, in order:
 *       FL_INT(lo, hi)     an integer from lo to hi
 *       FL_DATA(lo, hi)    likewise, but only stored and handed back, never
 *                          compared by the object: fewer clients are needed
 *       FL_CHOICE(a, b, ...)  one of these integers
 *       FL_BOOL            false or true
 *       FL_STRING("a", ...)  one of these texts, for a `const char *`
 *       FL_OUT(type)       none: the parameter points to a `type` that the call
 *                          writes, which becomes a part of its result;
 *                          FL_OUT(char[20]) is a text, and of other types
 *                          FL_OUT(type, printer) says what is compared
 *     and attributes:
 *       FL_RESULT(printer)  `void printer(const type *, char *text, size_t n)`
 *                          makes a text of what is returned, which is compared
 *       FL_GROUP("name")   never in two threads at once with others of the
 *                          group, such as the consumer's side of a ring
 *       FL_BLOCKING        may wait until another operation lets it go on
 *       FL_RELAXED         only reads, and calls that are in progress may be
 *                          counted or not: an approximate size (with FL_SPEC)
 *       FL_MAY_FAIL(value) may return this at any time, having changed nothing,
 *                          if another call overlaps it; FL_MAY_FAIL(value,
 *                          always): also without.  More than one may be given,
 *                          and `bool f(result)` instead of the value
 *       FL_OUT_OF_ORDER(k) takes one of the k + 1 elements that are next (with
 *                          FL_SPEC of a built-in type)
 *       FL_PER_PRODUCER    takes the oldest element of some thread (with
 *                          FL_SPEC(queue, ...))
 *
 * Optional:
 *
 * FL_SPEC(type, role = function, ..., empty = value)
 *     What the object should do, from the list that `faultline specs` prints:
 *     FL_SPEC(stack, push = stack_push, pop = stack_pop, empty = -1).
 *     Without it, the object must behave as it does when run sequentially.
 * FL_SPEC(model, constructor, operation = function, ...)
 *     What the object should do, as C: `struct model *constructor(void)`, and
 *     for each operation a function that does it on a model, with the same
 *     parameters and result.  In it, fl_waits() says that the call would wait,
 *     and fl_choose(n) that several results are right.
 * FL_SPEC(relation, constructor, operation = function, ...)
 *     The same, when many results are right: each function is given the result
 *     as its last parameter, and returns whether it is allowed; if so it has
 *     changed the model as the call does.
 * FL_THREAD(enter, leave)
 *     enter(object) is called in each thread before its first operation and
 *     leave(object, what enter returned) after its last (object is NULL for
 *     globals; leave may be left out).  Inside an operation, fl_thread() is
 *     what enter returned: a hazard pointer record, an epoch, a handle.
 * FL_INVARIANT(function)
 *     `bool function(object)` must hold when all threads are done.
 * FL_ALWAYS(function, operation, ...)
 *     `bool function(object)` must hold whenever none of these operations is
 *     between its first and its last step; FL_ALWAYS(function): whenever no
 *     operation is.  It only looks: it writes to nothing and takes no lock.
 * FL_PROGRESS(lock_free)
 *     However the threads take turns, some operation returns as long as they
 *     make steps.  FL_PROGRESS(obstruction_free): so does each operation whose
 *     thread goes on alone, wherever the others are.  FL_PROGRESS(wait_free, n):
 *     each operation returns after at most n steps of its own.
 * FL_SHOW(function)
 *     `void function(object)` prints the state to stdout, for the report.
 * FL_ATOMIC_BEGIN, FL_ATOMIC_END
 *     Statements in an operation: what is between them is to be atomic, for
 *     `faultline atomicity`, which looks at such blocks instead of operations.
 * FL_MEMORY_MODEL(tso)
 *     Runs have the store buffers of x86; FL_MEMORY_MODEL(c11) has the memory
 *     orders of C11; FL_MEMORY_MODEL(sc) neither, which is the default.
 *     --memory-model on the command line wins.
 * FL_CRITERION(quiescent)
 *     Which order of the calls has to explain their results: linearizability
 *     (the default), sequential or quiescent.  --criterion wins.
 * FL_ACCEPT(reason, fault, ...)
 *     Runs go past these faults and list them.  A fault is its kind and its
 *     lines, functions or client, as `faultline -v` prints it:
 *     FL_ACCEPT("items may be lost", "not-linearizable at stack.c:41-42").
 * FL_EXPECT_FAULT
 *     The run passes only if a fault is found.
 * FL_BACKOFF(function)
 *     The function only waits for a while, as a lock does between two tries:
 *     it returns at once, with 0 if it returns something.
 * FL_CLIENT(text), FL_CLIENT_EXPECT_FAULT(text)
 *     A client that is tested instead of all: the lines of a schedule file, of
 *     which `client:` is needed and `object:` where there are several.  With
 *     `steps:` that execution comes first.  faultline export writes these.
 *     The second passes only if a fault is found.
 *
 * The macros fill the structs below, which are the stable interface: a harness
 * may define the tables and `struct fl_suite *fl_suites = &first;` itself.
 */
#ifndef FAULTLINE_H
#define FAULTLINE_H

/* Errors in what the macros expand to are then shown at the user's line. */
#pragma GCC system_header

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1: without memory_model; 2: without what stands behind memory_model_line; 3:
 * without what stands behind accepts; all are still understood. */
#define FL_ABI 4
#define FL_MAX_ARGS 6

enum fl_type {
  FL_TYPE_VOID,
  FL_TYPE_BOOL,
  FL_TYPE_INT,  /* signed integer or enum of `size` bytes */
  FL_TYPE_UINT, /* unsigned integer or enum of `size` bytes */
  FL_TYPE_POINTER,
  FL_TYPE_STRING, /* char *: compared by its text, copied at return */
  FL_TYPE_OTHER   /* a struct, a floating-point number: only with a printer */
};

enum fl_item_kind {
  FL_ITEM_NONE,
  FL_ITEM_RANGE,    /* an argument: lo … hi */
  FL_ITEM_LIST,     /* an argument: one of list[0 … count) */
  FL_ITEM_DATA,     /* an argument lo … hi that is only stored and returned */
  FL_ITEM_GROUP,    /* attribute: not in parallel with others of group `text` */
  FL_ITEM_BLOCKING, /* attribute: may wait for another thread's operation */
  FL_ITEM_RELAXED,  /* attribute: reads, and its number is approximate */
  FL_ITEM_MAY_FAIL, /* attribute: returns this without a reason.  lo: the
                       value, if `count` is FL_FAILS_VALUE; hi: 1 if no other
                       call need overlap it; text: a text, or the address of
                       `bool f(result)` */
  FL_ITEM_OUT_OF_ORDER, /* attribute: may pass `lo` elements */
  FL_ITEM_PER_PRODUCER, /* attribute: may pass those of other threads */
  FL_ITEM_STRING,       /* an argument: one of the `count` texts of the array of
                           const char * that `text` is the address of */
  FL_ITEM_OUT,   /* a parameter that points to a result of type `lo` (enum
                    fl_type) and `count` bytes; hi: 1 if it is an array of
                    characters; text: as with FL_ITEM_RESULT, or NULL */
  FL_ITEM_RESULT /* attribute: text is the address of `void f(const void
                  *result, char *text, size_t size)` */
};
enum { FL_FAILS_VALUE, FL_FAILS_TEXT, FL_FAILS_IF };

/* What stands behind the function in FL_OP: argument domains in the order of
 * the parameters, mixed with attributes. */
struct fl_item {
  enum fl_item_kind kind;
  long long lo, hi;
  const long long *list;
  unsigned count;
  const char *text;
};

struct fl_op {
  const char *name; /* as in FL_OP; the name in clients and reports */
  const char *file;
  int line;
  int seq; /* order within the file */
  enum fl_type type;
  unsigned size; /* of the return type in bytes; 0 for void */
  /*
   * The function.  It is called with the object first (if the suite has one)
   * and then the arguments as long long, in the machine's calling convention.
   */
  void (*function)(void);
  /* Or, when not NULL, this one is called instead: returns the result. */
  long long (*invoke)(void *object, const long long *args);
  const struct fl_item *items;
  unsigned nitems;
  struct fl_op *next;
  /*
   * The rest is for FL_OUT, FL_RESULT and FL_STRING.  What the function itself
   * returns: Faultline changes `type` and `size` to those of all results.
   */
  enum fl_type returns;
  unsigned returned;
  /* When it returns more than a word: calls it and stores what it returns. */
  void (*into)(void *to, void (*function)(void), const long long *words);
};

enum fl_memory_model {
  FL_MEMORY_MODEL_DEFAULT, /* sc */
  FL_MEMORY_MODEL_sc,      /* sequential consistency */
  FL_MEMORY_MODEL_tso,     /* store buffers, as on x86 */
  FL_MEMORY_MODEL_c11      /* C11's memory orders */
};

enum fl_criterion {
  FL_CRITERION_DEFAULT,         /* linearizability; happens_before with tso */
  FL_CRITERION_linearizability, /* an order that real time allows */
  FL_CRITERION_sequential,      /* one that keeps each thread's order */
  FL_CRITERION_quiescent,       /* one that only moments without any call
                                   divide */
  FL_CRITERION_happens_before   /* one of the calls that change something, which
                                   keeps each thread's order */
};

struct fl_accept { /* of FL_ACCEPT */
  const char *reason;
  const char *const *what;
  unsigned count;
  int line;
  struct fl_accept *next;
};

struct fl_always { /* of FL_ALWAYS */
  int (*holds)(void *object);
  const char *operations; /* "push, pop, ~"; "~": all */
  const char *name;       /* of the function */
  struct fl_always *next;
};

enum fl_progress {
  FL_PROGRESS_NONE,
  FL_PROGRESS_obstruction_free,
  FL_PROGRESS_lock_free,
  FL_PROGRESS_wait_free /* in so many steps */
};

struct fl_suite {
  int abi; /* FL_ABI */
  const char *name;
  const char *file;
  int line;
  int seq;
  /* The constructor returns the object, which becomes the first argument of
   * each operation.  When NULL, or when `global`, operations get no object. */
  void *(*create)(void);
  void (*destroy)(void *object); /* or NULL */
  int global;                    /* create/destroy take and return nothing */
  struct fl_op *ops;
  const char *spec;       /* "stack", or NULL: the implementation itself */
  const char *spec_roles; /* "push = stack_push, pop = stack_pop, empty = -1" */
  int spec_line;
  void *(*thread_enter)(void *object);
  void (*thread_leave)(void *object, void *thread);
  int (*invariant)(void *object); /* 0: violated */
  void (*show)(void *object);     /* prints to stdout */
  int expect_fault;
  struct fl_suite *next;
  enum fl_memory_model memory_model;
  int memory_model_line; /* of FL_MEMORY_MODEL; 0: there is none */
  /* From version 3 on. */
  /* FL_SPEC(model, …) and FL_SPEC(relation, …): `spec_roles` has the
   * constructor and then `operation = function`; here are the functions. */
  void *(*reference_create)(void);
  int reference_global; /* it returns nothing, and the functions get nothing */
  void (**reference)(void); /* in the order of the text */
  unsigned nreference;
  enum fl_criterion criterion;
  int criterion_line; /* of FL_CRITERION; 0: there is none */
  struct fl_accept *accepts;
  /* From version 4 on. */
  struct fl_always *always;
  enum fl_progress progress;
  unsigned progress_steps; /* of an operation, at most; 0: not given */
  int progress_line;       /* of FL_PROGRESS */
};

/* Head of the list of suites of a shared object. */
extern __attribute__((visibility("default"))) struct fl_suite *fl_suites;

/* A client that is to be tested; where there are some, no others are. */
struct fl_client {
  int abi;              /* FL_ABI */
  const char *schedule; /* lines of a schedule file, without its first line */
  int expect_fault;
  const char *file;
  int line;
  struct fl_client *next;
};

/* Head of their list; a shared object need not have one. */
extern __attribute__((visibility("default"))) struct fl_client *fl_clients;

/* Inside an operation: what FL_THREAD's enter returned for this thread. */
void *fl_thread(void);

/* Inside a function of FL_SPEC(model, …): the call would wait in this state.
 * Does not return, and what the function has done so far is undone. */
__attribute__((noreturn)) void fl_waits(void);
/* The same: any of 0 … n - 1, and all of them are tried. */
int fl_choose(int n);

/* The ends of a block, for `faultline atomicity`: see FL_ATOMIC_BEGIN. */
void fl_atomic_begin(void);
void fl_atomic_end(void);

#ifdef __cplusplus
}
#endif

/*
 * From here on: how the macros do it.
 *
 * Each macro defines a function that runs when the shared object is loaded and
 * adds to the list.  The order of such functions is not reliable, so every
 * item has a number (__COUNTER__) that grows within the file: FL_OBJECTs are
 * added first (by priority), the others then find theirs as the one with the
 * greatest number below their own, and lists are kept sorted.  None of this
 * code is instrumented, so that it does not look like code under test.
 */

#define FL_OBJECT(...) FL__OBJECT(__COUNTER__, __VA_ARGS__, NULL, NULL, ~)
#define FL_OP(type, ...) FL__OP(__COUNTER__, type, __VA_ARGS__, FL__END)
#define FL_INT(lo, hi) FL__RANGE(FL_ITEM_RANGE, lo, hi)
#define FL_DATA(lo, hi) FL__RANGE(FL_ITEM_DATA, lo, hi)
#define FL_BOOL FL__RANGE(FL_ITEM_RANGE, 0, 1)
#define FL_CHOICE(...)                                                         \
  { FL_ITEM_LIST, 0, 0, FL__LIST(__VA_ARGS__), FL__COUNT(__VA_ARGS__), NULL }
#define FL_STRING(...) FL__STRINGS(__VA_ARGS__)
#define FL_OUT(...) FL__OUT(__VA_ARGS__, NULL, ~)
#define FL_RESULT(printer)                                                     \
  { FL_ITEM_RESULT, 0, 0, NULL, 0, (const char *)(printer) }
#define FL_GROUP(name)                                                         \
  { FL_ITEM_GROUP, 0, 0, NULL, 0, name }
#define FL_BLOCKING FL__RANGE(FL_ITEM_BLOCKING, 0, 0)
#define FL_RELAXED FL__RANGE(FL_ITEM_RELAXED, 0, 0)
#define FL_OUT_OF_ORDER(k) FL__RANGE(FL_ITEM_OUT_OF_ORDER, k, 0)
#define FL_PER_PRODUCER FL__RANGE(FL_ITEM_PER_PRODUCER, 0, 0)
#define FL_MAY_FAIL(...) FL__MAY_FAIL(__VA_ARGS__, overlapped, ~)
#define FL_SPEC(...) FL__SPEC(__COUNTER__, __VA_ARGS__)
#define FL_THREAD(...) FL__THREAD(__COUNTER__, __VA_ARGS__, NULL, ~)
#define FL_INVARIANT(function) FL__INVARIANT(__COUNTER__, function)
#define FL_ALWAYS(...) FL__ALWAYS(__COUNTER__, __VA_ARGS__, ~)
#define FL_PROGRESS(...) FL__PROGRESS(__COUNTER__, __VA_ARGS__, 0, ~)
#define FL_SHOW(function) FL__SHOW(__COUNTER__, function)
#define FL_MEMORY_MODEL(model)                                                 \
  FL__MEMORY_MODEL(__COUNTER__, FL_MEMORY_MODEL_##model)
#define FL_CRITERION(which) FL__CRITERION(__COUNTER__, FL_CRITERION_##which)
#define FL_ATOMIC_BEGIN fl_atomic_begin()
#define FL_ATOMIC_END fl_atomic_end()
#define FL_ACCEPT(reason, ...) FL__ACCEPT(__COUNTER__, reason, __VA_ARGS__)
#define FL_EXPECT_FAULT FL__EXPECT(__COUNTER__)
#define FL_BACKOFF(function) FL__BACKOFF(__COUNTER__, function)
#define FL_CLIENT(...) FL__CLIENT(__COUNTER__, 0, __VA_ARGS__)
#define FL_CLIENT_EXPECT_FAULT(...) FL__CLIENT(__COUNTER__, 1, __VA_ARGS__)

#if defined(__clang__)
#if __has_attribute(disable_sanitizer_instrumentation)
#define FL__PLAIN                                                              \
  __attribute__((unused, no_sanitize("thread"),                                \
                 disable_sanitizer_instrumentation))
#else
#define FL__PLAIN __attribute__((unused, no_sanitize("thread")))
#endif
#else
#define FL__PLAIN __attribute__((unused, no_sanitize_thread))
#endif
#define FL__FIRST static FL__PLAIN __attribute__((constructor(1000))) void
#define FL__THEN static FL__PLAIN __attribute__((constructor(1001))) void
#define FL__JOIN(a, b) FL__JOIN_(a, b)
#define FL__JOIN_(a, b) a##b
#define FL__STRING(...) FL__STRING_(__VA_ARGS__)
#define FL__STRING_(...) #__VA_ARGS__

/* The suites of this source file; the list `fl_suites` has those of all. */
struct fl__own {
  struct fl_suite suite;
  struct fl__own *next;
};
static __attribute__((unused)) struct fl__own *fl__here;

static inline FL__PLAIN int fl__is_here(const struct fl_suite *s) {
  const struct fl__own *o = fl__here;
  while (o && &o->suite != s)
    o = o->next;
  return o != NULL;
}

static inline FL__PLAIN void fl__add_suite(struct fl__own *own, int n,
                                           const char *name, const char *file,
                                           int line) {
  struct fl_suite *s = &own->suite;
  struct fl_suite **at = &fl_suites;
  s->abi = FL_ABI;
  s->name = name;
  s->file = file;
  s->line = line;
  s->seq = n;
  while (*at && !(fl__is_here(*at) && (*at)->seq > n))
    at = &(*at)->next;
  s->next = *at;
  *at = s;
  own->next = fl__here;
  fl__here = own;
}

static inline FL__PLAIN struct fl_suite *fl__suite_of(int n) {
  struct fl_suite *best = NULL;
  struct fl__own *o;
  for (o = fl__here; o; o = o->next)
    if (o->suite.seq < n && (!best || o->suite.seq > best->seq))
      best = &o->suite;
  return best;
}

static inline FL__PLAIN void fl__add_op(struct fl_op *op, int n,
                                        const char *name, const char *file,
                                        int line, const struct fl_item *items,
                                        size_t nitems) {
  struct fl_op **at = &fl__suite_of(n)->ops;
  op->name = name;
  op->file = file;
  op->line = line;
  op->seq = n;
  op->items = items;
  op->nitems = (unsigned)nitems;
  while (*at && (*at)->seq < n)
    at = &(*at)->next;
  op->next = *at;
  *at = op;
}

/* Cuts "stack, push = f, pop = g" at the first comma. */
static inline FL__PLAIN void fl__set_spec(struct fl_suite *s, char *text,
                                          int line) {
  s->spec = text;
  s->spec_line = line;
  while (*text && *text != ',')
    text++;
  if (*text)
    *text++ = '\0';
  while (*text == ' ')
    text++;
  s->spec_roles = text;
}

/* The suite whose functions of FL_SPEC(model, …) are being taken. */
static __attribute__((unused)) struct fl_suite *fl__taking;

#define FL__RANGE(kind, lo, hi)                                                \
  { kind, (long long)(lo), (long long)(hi), NULL, 0, NULL }
#define FL__END FL__RANGE(FL_ITEM_NONE, 0, 0)
#define FL__MAY_FAIL(value, when, ...) FL__FAILS(value, FL__FAILS_##when)
#define FL__FAILS_overlapped 0
#define FL__FAILS_always 1

#define FL__OBJECT(n, ...) FL__OBJECT_(n, __VA_ARGS__)
#define FL__OBJECT_(n, name, constructor_, destructor_, ...)                   \
  FL__HEAD                                                                     \
  extern char FL_OBJECT_must_stand_above_this_line[1];                         \
  static struct fl__own fl__own_##n;                                           \
  FL__FIRST fl__add_##n(void) {                                                \
    struct fl_suite *fl__s = &fl__own_##n.suite;                               \
    FL__SET_OBJECT(fl__s, constructor_, destructor_);                          \
    fl__add_suite(&fl__own_##n, n, FL__STRING(name), __FILE__, __LINE__);      \
  }

#define FL__OP(n, ...) FL__OP_(n, __VA_ARGS__)
#define FL__OP_(n, type, function, ...)                                        \
  static FL__CONST struct fl_item fl__items_##n[] = {__VA_ARGS__};             \
  FL__INTO(fl__into_##n, type)                                                 \
  FL__THEN fl__add_##n(void) {                                                 \
    static struct fl_op fl__op;                                                \
    (void)sizeof(FL_OBJECT_must_stand_above_this_line);                        \
    FL__SET_OP(&fl__op, type, function, fl__into_##n);                         \
    fl__add_op(&fl__op, n, FL__STRING(function), __FILE__, __LINE__,           \
               fl__items_##n,                                                  \
               sizeof fl__items_##n / sizeof fl__items_##n[0] - 1);            \
  }

/* One function that does something to the suite `fl__s`. */
#define FL__SET(n, ...)                                                        \
  FL__THEN FL__JOIN(fl__add_, n)(void) {                                       \
    struct fl_suite *fl__s =                                                   \
        fl__suite_of((int)sizeof(FL_OBJECT_must_stand_above_this_line) * n);   \
    __VA_ARGS__;                                                               \
  }

/* FL__SPEC_type, _model or _relation, by the first word. */
#define FL__SPEC(n, ...) FL__SPEC_(n, FL__WORD(__VA_ARGS__, ~), __VA_ARGS__)
#define FL__SPEC_(n, word, ...) FL__JOIN(FL__SPEC_, word)(n, __VA_ARGS__)
#define FL__WORD(word, ...) FL__SECOND(FL__WORD_##word, type, ~)
#define FL__SECOND(...) FL__SECOND_(__VA_ARGS__, ~)
#define FL__SECOND_(a, b, ...) b
#define FL__WORD_model ~, reference
#define FL__WORD_relation ~, reference
#define FL__SPEC_type(n, ...)                                                  \
  static char FL__JOIN(fl__spec_, n)[] = FL__STRING(__VA_ARGS__);              \
  FL__SET(n, fl__set_spec(fl__s, FL__JOIN(fl__spec_, n), __LINE__))
/*
 * `push = model_push, pop = model_pop` becomes the declaration of variables
 * with these names, each of which hands its value to a table.  `a = b` takes
 * four characters with its comma, so the table is large enough.
 */
#define FL__SPEC_reference(n, kind, constructor_, ...)                         \
  static char FL__JOIN(fl__spec_, n)[] =                                       \
      FL__STRING(kind, constructor_, __VA_ARGS__);                             \
  static void (*FL__JOIN(fl__reference_, n)[sizeof(#__VA_ARGS__) / 4 + 1])(    \
      void);                                                                   \
  FL__SET(                                                                     \
      n, fl__set_spec(fl__s, FL__JOIN(fl__spec_, n), __LINE__);                \
      FL__SET_REFERENCE(fl__s, constructor_);                                  \
      fl__s->reference = FL__JOIN(fl__reference_, n); fl__taking = fl__s;      \
      { FL__TAKE fl__function __VA_ARGS__; } fl__taken(fl__s))
#define FL__THREAD(n, ...) FL__THREAD_(n, __VA_ARGS__)
#define FL__THREAD_(n, enter, leave, ...)                                      \
  FL__SET(n, fl__s->thread_enter = (void *(*)(void *))(void (*)(void))(enter); \
          fl__s->thread_leave =                                                \
              (void (*)(void *, void *))(void (*)(void))(leave))
#define FL__INVARIANT(n, function) FL__INVARIANT_(n, function)
#define FL__INVARIANT_(n, function)                                            \
  static FL__PLAIN int fl__invariant_##n(void *fl__object) {                   \
    (void)fl__object;                                                          \
    return FL__HOLDS(function, fl__object);                                    \
  }                                                                            \
  FL__SET(n, fl__s->invariant = fl__invariant_##n)
#define FL__ALWAYS(n, ...) FL__ALWAYS_(n, __VA_ARGS__)
#define FL__ALWAYS_(n, function, ...)                                          \
  static FL__PLAIN int fl__always_##n(void *fl__object) {                      \
    (void)fl__object;                                                          \
    return FL__HOLDS(function, fl__object);                                    \
  }                                                                            \
  FL__SET(n, static struct fl_always fl__a; struct fl_always * *fl__at;        \
          fl__a.holds = fl__always_##n;                                        \
          fl__a.operations = FL__STRING(__VA_ARGS__);                          \
          fl__a.name = FL__STRING(function); fl__at = &fl__s->always;          \
          while (*fl__at) fl__at = &(*fl__at)->next; *fl__at = &fl__a)
#define FL__PROGRESS(n, ...) FL__PROGRESS_(n, __VA_ARGS__)
#define FL__PROGRESS_(n, which, steps, ...)                                    \
  FL__SET(n, fl__s->progress = FL_PROGRESS_##which;                            \
          fl__s->progress_steps = steps; fl__s->progress_line = __LINE__)
#define FL__SHOW(n, function)                                                  \
  FL__SET(n, fl__s->show = (void (*)(void *))(void (*)(void))(function))
#define FL__MEMORY_MODEL(n, model)                                             \
  FL__SET(n, fl__s->memory_model = model; fl__s->memory_model_line = __LINE__)
#define FL__CRITERION(n, which)                                                \
  FL__SET(n, fl__s->criterion = which; fl__s->criterion_line = __LINE__)
#define FL__ACCEPT(n, ...) FL__ACCEPT_(n, __VA_ARGS__)
#define FL__ACCEPT_(n, reason_, ...)                                           \
  FL__SET(n, static const char *const fl__what[] = {__VA_ARGS__};              \
          static struct fl_accept fl__a; struct fl_accept * *fl__at;           \
          fl__a.reason = reason_; fl__a.what = fl__what;                       \
          fl__a.count = (unsigned)(sizeof fl__what / sizeof *fl__what);        \
          fl__a.line = __LINE__; fl__at = &fl__s->accepts;                     \
          while (*fl__at) fl__at = &(*fl__at)->next; *fl__at = &fl__a)
#define FL__EXPECT(n) FL__SET(n, fl__s->expect_fault = 1)
/* A pointer to it, which nobody reads but Faultline, in the file. */
#define FL__BACKOFF(n, function) FL__BACKOFF_(n, function)
#define FL__BACKOFF_(n, function)                                              \
  static void (*fl__backoff_##n)(void)                                         \
      __attribute__((section("fl_backoff"), used)) =                           \
          (void (*)(void))(function);
#define FL__CLIENT(n, ...) FL__CLIENT_(n, __VA_ARGS__)
#define FL__CLIENT_(n, expects, text)                                          \
  FL__CLIENTS                                                                  \
  FL__THEN fl__add_##n(void) {                                                 \
    static struct fl_client fl__client = {FL_ABI,   text,     expects,         \
                                          __FILE__, __LINE__, NULL};           \
    struct fl_client **fl__at = &fl_clients;                                   \
    while (*fl__at)                                                            \
      fl__at = &(*fl__at)->next;                                               \
    *fl__at = &fl__client;                                                     \
  }

#ifndef __cplusplus

#define FL__CONST const
/* Tentative definitions: any number of them is one. */
#define FL__HEAD __attribute__((weak)) struct fl_suite *fl_suites;
#define FL__CLIENTS __attribute__((weak)) struct fl_client *fl_clients;
#define FL__LIST(...)                                                          \
  (const long long[]) { __VA_ARGS__ }
#define FL__COUNT(...)                                                         \
  (unsigned)(sizeof((const long long[]){__VA_ARGS__}) / sizeof(long long))

#define FL__STRINGS(...)                                                       \
  {                                                                            \
    FL_ITEM_STRING, 0, 0, NULL,                                                \
        (unsigned)(sizeof((const char *const[]){__VA_ARGS__}) /                \
                   sizeof(char *)),                                            \
        (const char *)(const void *)(const char *const[]) {                    \
      __VA_ARGS__                                                              \
    }                                                                          \
  }
#define FL__OUT(T, printer, ...)                                               \
  {                                                                            \
    FL_ITEM_OUT, FL__IS_CHARS(T) ? FL_TYPE_STRING : FL__TYPE(T),               \
        FL__IS_CHARS(T), NULL, (unsigned)sizeof(T), (const char *)(printer)    \
  }
#define FL__IS_CHARS(T) FL__SAME(__typeof__(T), char[sizeof(T)])
#define FL__SAME(a, b) __builtin_types_compatible_p(a, b)
#define FL__IF(condition, a, b) __builtin_choose_expr(condition, a, b)
/* Of FL_MAY_FAIL: a text, a function or a number? */
#define FL__IS_TEXT(x) FL__SAME(__typeof__(1 ? (x) : (x)), char *)
#define FL__IS_FUNCTION(x)                                                     \
  (FL__IS_POINTER(x) && !FL__SAME(__typeof__(x), void *) && !FL__IS_TEXT(x))
#define FL__IS_ADDRESS(x) (FL__IS_TEXT(x) || FL__IS_FUNCTION(x))
#define FL__FAILS(x, always)                                                   \
  {                                                                            \
    FL_ITEM_MAY_FAIL, (long long)FL__IF(FL__IS_ADDRESS(x), 0, x), always,      \
        NULL,                                                                  \
        FL__IS_TEXT(x)       ? FL_FAILS_TEXT                                   \
        : FL__IS_FUNCTION(x) ? FL_FAILS_IF                                     \
                             : FL_FAILS_VALUE,                                 \
        (const char *)FL__IF(FL__IS_ADDRESS(x), x, NULL)                       \
  }
#define FL__IS_NULL(f)                                                         \
  (FL__SAME(__typeof__(f), void *) || FL__SAME(__typeof__(f), int))
#define FL__IS_POINTER(x) (__builtin_classify_type(x) == 5)
#define FL__IS_FLOATING(x) (__builtin_classify_type(x) == 8)
static inline FL__PLAIN void fl__nothing(void) {}
static inline FL__PLAIN int fl__true(void) { return 1; }
static inline FL__PLAIN int fl__true_of(void *o) { return (void)o, 1; }

/* A call of the constructor; one that needs arguments does not compile. */
#define FL__NEW(f) FL__IF(FL__IS_NULL(f), fl__nothing, f)()
#define FL__NEW_IS_VOID(f) FL__SAME(__typeof__(FL__NEW(f)), void)
#define FL__SET_OBJECT(s, f, g)                                                \
  enum {                                                                       \
    fl__pointer_or_void =                                                      \
        FL__IS_POINTER(FL__IF(FL__NEW_IS_VOID(f), (void *)0, FL__NEW(f)))      \
  };                                                                           \
  _Static_assert(fl__pointer_or_void,                                          \
                 "FL_OBJECT: the constructor returns a pointer, or nothing "   \
                 "when the object is a global");                               \
  (s)->global = FL__NEW_IS_VOID(f);                                            \
  (s)->create = (void *(*)(void))(void (*)(void))(f);                          \
  (s)->destroy = (void (*)(void *))(void (*)(void))(g)

#define FL__SET_REFERENCE(s, f)                                                \
  enum {                                                                       \
    fl__pointer_or_void =                                                      \
        FL__IS_POINTER(FL__IF(FL__NEW_IS_VOID(f), (void *)0, FL__NEW(f)))      \
  };                                                                           \
  _Static_assert(                                                              \
      fl__pointer_or_void,                                                     \
      "FL_SPEC: the constructor returns a pointer to the state, or "           \
      "nothing when the state is a global");                                   \
  (s)->reference_global = FL__NEW_IS_VOID(f);                                  \
  (s)->reference_create = (void *(*)(void))(void (*)(void))(f)
/* A variable that hands over its value when its scope ends: the last of them
 * first. */
typedef void *fl__function;
#define FL__TAKE __extension__ __attribute__((unused, cleanup(fl__take)))
static inline FL__PLAIN void fl__take(void *variable) {
  fl__taking->reference[fl__taking->nreference++] =
      (void (*)(void)) * (void **)variable;
}
static inline FL__PLAIN void fl__taken(struct fl_suite *s) {
  unsigned i = 0, k = s->nreference;
  for (; i + 1 < k; i++) {
    void (*f)(void) = s->reference[i];
    s->reference[i] = s->reference[--k];
    s->reference[k] = f;
  }
}

/* The function with the wrong return type?  Known only where `()` says nothing
 * about parameters, and then only if those are not narrower than int. */
#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201800L
#define FL__RETURNS(f, T) FL__SAME(__typeof__(f), T())
#define FL__RETURNS_OTHER(f, T)                                                \
  (!FL__RETURNS(f, T) &&                                                       \
   (FL__RETURNS(f, void) || FL__RETURNS(f, _Bool) || FL__RETURNS(f, int) ||    \
    FL__RETURNS(f, unsigned) || FL__RETURNS(f, long) ||                        \
    FL__RETURNS(f, unsigned long) || FL__RETURNS(f, long long) ||              \
    FL__RETURNS(f, unsigned long long) || FL__RETURNS(f, void *) ||            \
    FL__RETURNS(f, char *) || FL__RETURNS(f, const char *) ||                  \
    FL__RETURNS(f, float) || FL__RETURNS(f, double)))
#else
#define FL__RETURNS(f, T) FL__SAME(__typeof__(f), T(void))
#define FL__RETURNS_OTHER(f, T)                                                \
  (!FL__RETURNS(f, T) && (FL__RETURNS(f, void) || FL__RETURNS(f, int)))
#endif

/* A T, or 0 where T is void.  No value is made. */
#define FL__ANY(T) (*FL__IF(FL__SAME(T, void), (int *)0, (__typeof__(T) *)0))
/* Nothing, or what one register holds? */
#define FL__IS_WORD(T)                                                         \
  (__builtin_classify_type(FL__ANY(T)) <= 5 &&                                 \
   sizeof(FL__ANY(T)) <= sizeof(long long))
#define FL__VALUE(T) FL__IF(FL__IS_WORD(T), FL__ANY(T), 0)
#define FL__INTEGER(T)                                                         \
  __typeof__(FL__IF(FL__IS_POINTER(FL__VALUE(T)), 0, FL__VALUE(T)))
#define FL__TYPE(T)                                                            \
  (FL__SAME(T, void)                                  ? FL_TYPE_VOID           \
   : FL__SAME(T, _Bool)                               ? FL_TYPE_BOOL           \
   : FL__SAME(T, char *) || FL__SAME(T, const char *) ? FL_TYPE_STRING         \
   : !FL__IS_WORD(T)                                  ? FL_TYPE_OTHER          \
   : FL__IS_POINTER(FL__VALUE(T))                     ? FL_TYPE_POINTER        \
   : (FL__INTEGER(T)) - 1 < (FL__INTEGER(T))1         ? FL_TYPE_INT            \
                                                      : FL_TYPE_UINT)
#define FL__INTO(name, T)                                                      \
  static FL__PLAIN void name(void *fl__to, void (*fl__f)(void),                \
                             const long long *fl__w) {                         \
    typedef __typeof__(FL__IF(FL__IS_WORD(T), 0, FL__ANY(T))) fl__t;           \
    *(fl__t *)fl__to = ((fl__t(*)(long long, long long, long long, long long,  \
                                  long long, long long, long long))fl__f)(     \
        fl__w[0], fl__w[1], fl__w[2], fl__w[3], fl__w[4], fl__w[5], fl__w[6]); \
  }
#define FL__SET_OP(op, T, f, into_)                                            \
  enum { fl__other_type = FL__RETURNS_OTHER(f, T) };                           \
  _Static_assert(!fl__other_type,                                              \
                 "FL_OP: the function has another return type");               \
  (op)->type = (op)->returns = FL__TYPE(T);                                    \
  (op)->size = (op)->returned =                                                \
      FL__SAME(T, void) ? 0 : (unsigned)sizeof(FL__ANY(T));                    \
  (op)->into = FL__IS_WORD(T) ? NULL : into_;                                  \
  (op)->function = (void (*)(void))(f)

/* fn(object) or fn(void); a bool must not be called as an int. */
#define FL__TAKES_NONE(f)                                                      \
  (FL__SAME(__typeof__(f), int(void)) || FL__SAME(__typeof__(f), _Bool(void)))
#define FL__HOLDS(f, object)                                                   \
  (FL__TAKES_NONE(f) ? FL__IF(FL__TAKES_NONE(f), f, fl__true)() != 0           \
                     : FL__IF(FL__TAKES_NONE(f), fl__true_of, f)(object) != 0)

#else /* C++ */

#include <type_traits>

/* Not constexpr: an address of FL_MAY_FAIL is none. */
#define FL__CONST const
#define FL__HEAD
#define FL__CLIENTS
extern "C" {
__attribute__((weak)) struct fl_suite *fl_suites;
__attribute__((weak)) struct fl_client *fl_clients;
}

template <long long... Values> struct fl__list {
  static constexpr long long at[] = {Values...};
};
#if __cplusplus < 201703L
template <long long... Values> constexpr long long fl__list<Values...>::at[];
#endif
#define FL__LIST(...) fl__list<__VA_ARGS__>::at
#define FL__COUNT(...) sizeof fl__list<__VA_ARGS__>::at / sizeof(long long)

#define FL__STRINGS(...)                                                       \
  []() -> fl_item {                                                            \
    static const char *const fl__texts[] = {__VA_ARGS__};                      \
    return {FL_ITEM_STRING,                                                    \
            0,                                                                 \
            0,                                                                 \
            NULL,                                                              \
            sizeof fl__texts / sizeof *fl__texts,                              \
            reinterpret_cast<const char *>(fl__texts)};                        \
  }()
#define FL__OUT(T, printer, ...)                                               \
  {                                                                            \
    FL_ITEM_OUT, std::is_array<T>::value ? FL_TYPE_STRING : fl__type_of<T>(),  \
        std::is_array<T>::value, NULL, sizeof(T), (const char *)(printer)      \
  }

constexpr fl_item fl__fails(const char *text, int always) {
  return {FL_ITEM_MAY_FAIL, 0, always, NULL, FL_FAILS_TEXT, text};
}
constexpr fl_item fl__fails(decltype(nullptr), int always) {
  return {FL_ITEM_MAY_FAIL, 0, always, NULL, FL_FAILS_VALUE, NULL};
}
template <class T>
constexpr typename std::enable_if<
    std::is_integral<T>::value || std::is_enum<T>::value, fl_item>::type
fl__fails(T value, int always) {
  return {
      FL_ITEM_MAY_FAIL, (long long)value, always, NULL, FL_FAILS_VALUE, NULL};
}
template <class A> FL__PLAIN fl_item fl__fails(bool (*f)(A), int always) {
  return {FL_ITEM_MAY_FAIL, 0,
          always,           NULL,
          FL_FAILS_IF,      reinterpret_cast<const char *>(f)};
}
#define FL__FAILS(x, always) fl__fails(x, always)

template <class F> FL__PLAIN void (*fl__plain(F *f))() {
  return reinterpret_cast<void (*)()>(f);
}

template <class T>
FL__PLAIN void fl__set_create(fl_suite *s, T *(*constructor)()) {
  s->create = reinterpret_cast<void *(*)()>(fl__plain(constructor));
}
inline FL__PLAIN void fl__set_create(fl_suite *s, void (*constructor)()) {
  s->global = 1;
  s->create = reinterpret_cast<void *(*)()>(constructor);
}
template <class R, class T>
FL__PLAIN void fl__set_destroy(fl_suite *s, R (*destructor)(T *)) {
  s->destroy = reinterpret_cast<void (*)(void *)>(fl__plain(destructor));
}
inline FL__PLAIN void fl__set_destroy(fl_suite *s, void (*destructor)()) {
  s->destroy = reinterpret_cast<void (*)(void *)>(destructor);
}
#define FL__SET_OBJECT(s, f, g)                                                \
  fl__set_create(s, f);                                                        \
  fl__set_destroy(s, g)

template <class T>
FL__PLAIN void fl__set_reference(fl_suite *s, T *(*constructor)()) {
  s->reference_create = reinterpret_cast<void *(*)()>(fl__plain(constructor));
}
inline FL__PLAIN void fl__set_reference(fl_suite *s, void (*constructor)()) {
  s->reference_global = 1;
  s->reference_create = reinterpret_cast<void *(*)()>(constructor);
}
#define FL__SET_REFERENCE(s, f) fl__set_reference(s, f)
/* A variable that hands over what it is initialised with. */
struct fl__function {
  template <class R, class... A> FL__PLAIN fl__function(R (*f)(A...)) {
    fl__taking->reference[fl__taking->nreference++] = fl__plain(f);
  }
};
#define FL__TAKE __attribute__((unused))
inline FL__PLAIN void fl__taken(fl_suite *) {}

template <class T, bool = std::is_enum<T>::value>
struct fl__unsigned : std::is_unsigned<T> {};
template <class T>
struct fl__unsigned<T, true>
    : std::is_unsigned<typename std::underlying_type<T>::type> {};
template <class T> struct fl__word {
  static constexpr bool value =
      (std::is_integral<T>::value || std::is_enum<T>::value ||
       std::is_pointer<T>::value) &&
      sizeof(T) <= sizeof(long long);
  static constexpr unsigned size = sizeof(T);
};
template <class T> struct fl__word<T &> : fl__word<T *> {};
template <> struct fl__word<void> {
  static constexpr bool value = true;
  static constexpr unsigned size = 0;
};
template <class T> constexpr fl_type fl__type_of() {
  typedef typename std::remove_cv<T>::type U;
  return std::is_void<U>::value         ? FL_TYPE_VOID
         : std::is_same<U, bool>::value ? FL_TYPE_BOOL
         : std::is_same<U, char *>::value ||
                 std::is_same<U, const char *>::value
             ? FL_TYPE_STRING
         : std::is_pointer<U>::value ? FL_TYPE_POINTER
         : !fl__word<U>::value       ? FL_TYPE_OTHER
         : fl__unsigned<U>::value    ? FL_TYPE_UINT
                                     : FL_TYPE_INT;
}
template <bool...> struct fl__bools;
template <class F> struct fl__signature;
template <class R, class... A> struct fl__signature<R(A...)> {
  typedef R result;
  static constexpr bool words =
      std::is_same<fl__bools<true, fl__word<A>::value...>,
                   fl__bools<fl__word<A>::value..., true>>::value;
};
#ifdef __cpp_noexcept_function_type
template <class R, class... A>
struct fl__signature<R(A...) noexcept> : fl__signature<R(A...)> {};
#endif
typedef void fl__into(void *, void (*)(), const long long *);
template <class T, bool Word> struct fl__large {
  static_assert(std::is_trivially_copyable<T>::value,
                "FL_OP: return what can be copied as bytes, or a string");
  static FL__PLAIN void run(void *to, void (*f)(), const long long *w) {
    T r = reinterpret_cast<T (*)(long long, long long, long long, long long,
                                 long long, long long, long long)>(f)(
        w[0], w[1], w[2], w[3], w[4], w[5], w[6]);
    __builtin_memcpy(to, static_cast<const void *>(&r), sizeof r);
  }
  static constexpr fl__into *into() { return run; }
};
template <class T> struct fl__large<T, true> {
  static constexpr fl__into *into() { return NULL; }
};
#define FL__INTO(name, T)
#define FL__SET_OP(op, T, f, name)                                             \
  static_assert(std::is_same<fl__signature<decltype(f)>::result, T>::value,    \
                "FL_OP: the function has another return type");                \
  static_assert(fl__signature<decltype(f)>::words,                             \
                "FL_OP: arguments are integers and pointers");                 \
  (op)->type = (op)->returns = fl__type_of<T>();                               \
  (op)->size = (op)->returned = fl__word<T>::size;                             \
  (op)->into = fl__large<T, fl__word<T>::value>::into();                       \
  (op)->function = fl__plain(f)

template <class R, class T> FL__PLAIN R fl__ask(R (*f)(T *), void *object) {
  return f(static_cast<T *>(object));
}
template <class R> FL__PLAIN R fl__ask(R (*f)(), void *) { return f(); }
#define FL__HOLDS(f, object) (fl__ask(f, object) ? 1 : 0)

#endif
#endif
