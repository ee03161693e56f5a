#include <faultline.h>
struct s {
  int v;
};
struct s *s_new(void);
int s_get(struct s *, int);
#include <stdlib.h>
struct s *s_new(void) {
  return calloc(1, sizeof(struct s));
}
int s_get(struct s *s, int k) { return s->v + k; }
FL_OBJECT(thing, s_new)
FL_OP(int, s_get)
