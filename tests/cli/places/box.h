#pragma once
struct box;
struct box *box_new(void);
void box_free(struct box *);
int box_get(struct box *);
void box_set(struct box *, int);
int box_add(struct box *, int);
