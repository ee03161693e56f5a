/* Prints the tables that the macros made. */
#include <faultline.h>
#include <stdio.h>
#include <string.h>

void *fl_thread(void) { return NULL; }

static void print_items(const struct fl_op *o) {
  for (unsigned i = 0; i < o->nitems; i++) {
    const struct fl_item *it = &o->items[i];
    printf(" %d(%lld..%lld", it->kind, it->lo, it->hi);
    for (unsigned k = 0; k < it->count; k++)
      printf(" %lld", it->list[k]);
    printf("%s)", it->text ? it->text : "");
  }
}

static void print_suite(const struct fl_suite *s) {
  const char *slash = strrchr(s->file, '/');
  printf("%s %s:%d abi=%d create=%d destroy=%d global=%d", s->name,
         slash ? slash + 1 : s->file, s->line, s->abi, s->create != NULL,
         s->destroy != NULL, s->global);
  printf(" enter=%d leave=%d show=%d expect=%d", s->thread_enter != NULL,
         s->thread_leave != NULL, s->show != NULL, s->expect_fault);
  if (s->spec)
    printf(" spec=[%s][%s]:%d", s->spec, s->spec_roles, s->spec_line);
  if (s->reference) {
    printf(" global=%d functions=%u", s->reference_global, s->nreference);
    /* In the order of the text. */
    if (!s->reference_global) {
      void *state = s->reference_create();
      ((void (*)(void *, int))s->reference[0])(state, 2);
      printf(" pop=%d", ((int (*)(void *))s->reference[1])(state));
    } else {
      s->reference_create();
      s->reference[1]();
      printf(" get=%d", ((int (*)(int))s->reference[0])(1) & 1);
    }
  }
  if (s->memory_model)
    printf(" model=%d:%d", s->memory_model, s->memory_model_line);
  if (s->criterion)
    printf(" criterion=%d:%d", s->criterion, s->criterion_line);
  for (const struct fl_always *a = s->always; a; a = a->next)
    printf(" always=%s[%s]:%d", a->name, a->operations,
           a->holds(s->global || !s->create ? NULL : s->create()));
  if (s->progress)
    printf(" progress=%d,%u:%d", s->progress, s->progress_steps,
           s->progress_line);
  if (s->invariant)
    printf(" holds=%d", s->invariant(s->global ? NULL : s->create()));
  puts("");
  for (const struct fl_op *o = s->ops; o; o = o->next) {
    printf("  %s:%d type=%d size=%u function=%d", o->name, o->line, o->type,
           o->size, o->function != NULL);
    print_items(o);
    puts("");
  }
}

int main(void) {
  for (const struct fl_suite *s = fl_suites; s; s = s->next)
    print_suite(s);
  return 0;
}
