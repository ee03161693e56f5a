/* Guesses the role of each function: by its types, and by its name if the types
 * leave a choice. */
#include "cli/init/int.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char destroy_words[] =
    "free destroy delete deinit fini dispose cleanup drop";
static const char set_up_words[] = "init setup create";
static const char invariant_words[] = "check valid invariant consistent ok";
static const char show_words[] = "print dump show";

bool plan_named(const char *name, const char *words) {
  for (const char *part = name; *part;) {
    size_t n = strcspn(part, "_");
    for (const char *w = words; *w;) {
      size_t k = strcspn(w, " ");
      if (n == k && !strncasecmp(part, w, n))
        return true;
      w += k + (w[k] == ' ');
    }
    part += n + (part[n] == '_');
  }
  return false;
}

const char *plan_refuses(const struct function *f, uint32_t first) {
  uint32_t cells = 0;
  if (f->variadic)
    return "its number of arguments varies";
  if (f->nparams > FUNCTION_PARAMS || f->nparams - first > 6)
    return "it has too many parameters";
  if (f->returns.kind == C_OTHER)
    return "it returns neither a number nor a pointer";
  for (uint32_t i = first; i < f->nparams; i++) {
    enum c_kind k = f->params[i].type.kind;
    cells += k == C_CELL;
    if (k == C_RECORD || k == C_STRING)
      return "a parameter points to data that its caller must provide";
    if (k == C_OTHER)
      return "a parameter is neither a number nor a pointer";
  }
  if (cells > 1)
    return "it returns several values through pointers";
  if (cells && (f->returns.kind == C_RECORD || f->returns.kind == C_STRING ||
                f->returns.kind == C_POINTER))
    return "it returns a pointer, and a value through another one";
  return NULL;
}

static bool takes(const struct function *f, const char *record) {
  return f->nparams && f->params[0].type.kind == C_RECORD &&
         !strcmp(f->params[0].type.record, record);
}

static bool returns(const struct function *f, const char *record) {
  return f->returns.kind == C_RECORD && !strcmp(f->returns.record, record);
}

/* Can the harness make up its arguments? */
static bool can_create(const struct function *f, uint32_t first) {
  if (f->variadic || f->nparams > FUNCTION_PARAMS)
    return false;
  for (uint32_t i = first; i < f->nparams; i++) {
    enum c_kind k = f->params[i].type.kind;
    if (k != C_BOOL && k != C_INTEGER && k != C_ENUM && k != C_POINTER)
      return false;
  }
  return true;
}

static const struct function *fewer(const struct function *a,
                                    const struct function *b) {
  return !a || b->nparams < a->nparams ? b : a;
}

/* Guesses the roles of the functions that take or return the record. */
static void assign_roles(const function_list *all, bool statics,
                         struct harness_plan *p) {
  for (uint32_t i = 0; i < all->len; i++) {
    const struct function *f = &all->at[i];
    if (!f->external && !statics)
      continue;
    if (returns(f, p->record) && !takes(f, p->record)) {
      if (can_create(f, 0))
        p->create = fewer(p->create, f);
      continue;
    }
    if (!takes(f, p->record))
      continue;
    bool alone = f->nparams == 1;
    if (alone && f->returns.kind == C_VOID &&
        plan_named(f->name, destroy_words) && !p->destroy)
      p->destroy = f;
    else if (plan_named(f->name, set_up_words) && can_create(f, 1) &&
             f->params[0].type.complete)
      p->set_up = fewer(p->set_up, f);
    else if (alone && f->returns.kind == C_BOOL && !p->invariant &&
             plan_named(f->name, invariant_words))
      p->invariant = f;
    else if (alone && f->returns.kind == C_VOID && !p->show &&
             plan_named(f->name, show_words))
      p->show = f;
    else if (plan_refuses(f, 1))
      vec_push(&p->skipped, ((struct skipped){f, plan_refuses(f, 1)}));
    else
      vec_push(&p->operations, f);
  }
}

static bool is_object(const struct harness_plan *p) {
  return p->operations.len && (p->create || p->set_up);
}

/* The same for functions without a record, whose object is global variables. */
static void assign_global_roles(const function_list *all, bool statics,
                                struct harness_plan *p) {
  p->record = NULL;
  for (uint32_t i = 0; i < all->len; i++) {
    const struct function *f = &all->at[i];
    bool records = f->returns.kind == C_RECORD;
    for (uint32_t k = 0; k < f->nparams && k < FUNCTION_PARAMS; k++)
      records |= f->params[k].type.kind == C_RECORD;
    if (records || (!f->external && !statics) || !strcmp(f->name, "main"))
      continue;
    bool plain = !f->nparams && f->returns.kind == C_VOID;
    if (plain && plan_named(f->name, "init setup reset"))
      p->create = fewer(p->create, f);
    else if (plain && plan_named(f->name, destroy_words))
      p->destroy = f;
    else if (plan_refuses(f, 0))
      vec_push(&p->skipped, ((struct skipped){f, plan_refuses(f, 0)}));
    else
      vec_push(&p->operations, f);
  }
}

/* work_queue for "struct work_queue", queue for queue_t. */
static const char *name_of(const char *record) {
  static char name[100];
  const char *blank = strrchr(record, ' ');
  snprintf(name, sizeof name, "%s", blank ? blank + 1 : record);
  size_t n = strlen(name);
  if (n > 2 && !strcmp(name + n - 2, "_t"))
    name[n - 2] = '\0';
  return name;
}

bool plan_make(const function_list *all, bool statics, struct harness_plan *p) {
  struct harness_plan best = {0};
  for (uint32_t i = 0; i < all->len; i++) {
    const struct function *f = &all->at[i];
    struct harness_plan one = {.record = f->nparams && f->params[0].type.kind ==
                                                           C_RECORD
                                             ? f->params[0].type.record
                                             : NULL};
    if (!one.record)
      continue;
    assign_roles(all, statics, &one);
    if (is_object(&one) && one.operations.len > best.operations.len) {
      plan_free(&best);
      best = one;
    } else {
      plan_free(&one);
    }
  }
  if (!best.operations.len)
    assign_global_roles(all, statics, &best);
  *p = best;
  p->name = p->record ? name_of(p->record) : "object";
  return p->operations.len > 0;
}

void plan_free(struct harness_plan *p) {
  vec_free(&p->operations);
  vec_free(&p->skipped);
}
