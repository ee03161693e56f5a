/* The definition of linearizability, for recorded histories. */
#ifndef ORACLE_LOG_BRUTE_H
#define ORACLE_LOG_BRUTE_H

#include "history/log_check.h"

/* All orders; up to about 8 operations. */
void check_log_brute(const struct log_problem *p, struct log_answer *out);

#endif
