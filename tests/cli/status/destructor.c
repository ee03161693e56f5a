#include <faultline.h>
#include <stdlib.h>
struct s {
  int v;
};
static struct s *s_new(void) { return calloc(1, sizeof(struct s)); }
static void s_free(struct s *s) {
  free(s);
  free(s);
}
static int s_get(struct s *s) { return __atomic_fetch_add(&s->v, 1, 5); }
FL_OBJECT(thing, s_new, s_free)
FL_OP(int, s_get)
