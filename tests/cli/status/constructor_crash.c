#include <faultline.h>
#include <stdlib.h>
struct s {
  int v;
};
static struct s *s_new(void) {
  struct s *s = NULL;
  s->v = 1;
  return s;
}
static int s_get(struct s *s) { return s->v; }
FL_OBJECT(thing, s_new)
FL_OP(int, s_get)
