/* Names and texts whose characters take two columns, or one in two bytes. */
#include <faultline.h>
#include <stdio.h>

static int 計数器の値, größe;

static void zähle(void) {
  計数器の値++;
  größe = 計数器の値;
}

static int 読む(void) { return 計数器の値; }

static void show(void *object) {
  (void)object;
  printf("値は %d、größe %d", 計数器の値, größe);
}

static void reset(void) { 計数器の値 = größe = 0; }

FL_OBJECT(計数, reset)
FL_OP(void, zähle)
FL_OP(int, 読む)
FL_SHOW(show)
