/* An object that leaves all of its synchronisation to another file. */
#include "ticket.h"
#include <faultline.h>

static struct ticket l;
static int balance;

static int get(void) {
  ticket_lock(&l);
  int b = balance;
  ticket_unlock(&l);
  return b;
}
static int deposit(int v) {
  int b = get(); /* first */
  ticket_lock(&l); /* last */
  balance = b + v;
  ticket_unlock(&l);
  return b;
}

FL_OBJECT(bank)
FL_OP(int, deposit, FL_DATA(1, 2))
FL_OP(int, get)
