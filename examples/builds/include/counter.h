#ifndef COUNTER_H
#define COUNTER_H

struct counter;
struct counter *counter_new(void);
void counter_free(struct counter *c);
int counter_next(struct counter *c);

#endif
