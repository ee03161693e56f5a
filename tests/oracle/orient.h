/* The definition of TSO-serializability of a trace (tso_trace_serializable). */
#ifndef ORACLE_ORIENT_H
#define ORACLE_ORIENT_H

#include "atomicity/tso.h"

/* Of events i < j of a trace; `buffered` by tso_buffered. */
enum trace_relation tso_trace_relation(const struct txn_event *e,
                                       const bool *buffered, uint32_t i,
                                       uint32_t j);

/* Tries all valid orientations, and takes up to 64 events. */
bool tso_trace_slow(const struct txn_event *e, uint32_t n);

#endif
