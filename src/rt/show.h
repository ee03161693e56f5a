/*
 * What the user's code prints to stdout between two calls, as a string.
 */
#ifndef RT_SHOW_H
#define RT_SHOW_H

#include "rt/attributes.h"

void fl__show_begin(void) FL_HIDDEN;
/* Frees *text and puts a new one there. */
void fl__show_end(char **text) FL_HIDDEN;

#endif
