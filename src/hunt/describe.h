/* What a loaded object offers: its operations, its clients. */
#ifndef HUNT_DESCRIBE_H
#define HUNT_DESCRIBE_H

#include "base/pack.h"
#include "hunt/target.h"

struct suite_info {
  const char *name, *file;
  int line;
  uint32_t nops;
  struct op_info {
    const char *name, *file;
    int line;
    uint64_t entry;       /* offset of the function in the object; 0: unknown */
    uint64_t code;        /* the same; if unknown, of the code that calls it */
    uint32_t nargs;       /* of clients */
    uint32_t nparams;     /* behind the object: output parameters, too … */
    uint32_t pointers;    /* … and which of them are pointers, as bits */
    uint32_t texts;       /* which arguments of clients are texts */
    uint64_t values;      /* of the largest domain */
    enum fl_type type;    /* of the result */
    enum fl_type returns; /* what the function itself returns */
    unsigned returned;
    bool takes_object;
    /* What stands for it in FL_SPEC(model, …); NULL: nothing does. */
    const char *reference;
    uint64_t reference_entry;
    uint32_t reference_params;
    bool reference_state, reference_result; /* are among them */
  } * ops;
  uint32_t ntexts; /* of FL_STRING: see struct op_names */
  const char **texts;
  bool is_judged; /* a call returns a value or may wait, or there is an
                     FL_INVARIANT, FL_ALWAYS or FL_PROGRESS */
  int expect_fault, spec_line;
  const char *spec; /* of FL_SPEC, or NULL */
  enum fl_memory_model memory_model;
  enum fl_criterion criterion;
  enum fl_progress progress;
  const char *accepts; /* of FL_ACCEPT: lines `LINE ENTRY`; or NULL */
  const char *trouble; /* what is wrong with it, or NULL */
};
struct client_info { /* of FL_CLIENT */
  const char *schedule, *file;
  int line;
  bool expect_fault;
};
struct description {
  uint32_t nsuites;
  struct suite_info *suites;
  uint32_t nclients;
  struct client_info *clients;
  bool has_main;
};
/* For worker_run: arg is a struct target, the answer a struct description. */
int hunt_describe(void *arg, struct work *s);

#endif
