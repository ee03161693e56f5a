/*
 * How wide what is printed may be.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdint.h>

/* The columns of the terminal that `fd` is; 80 when it is none. */
uint32_t terminal_width(int fd);

/* The same for a report; COLUMNS in the environment comes first. */
uint32_t terminal_columns(int fd);

#endif
