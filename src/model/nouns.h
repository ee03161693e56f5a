/*
 * What the nouns that a worker hands over are made of (base/pack.h), and when
 * they are sound: whoever has unpacked one may follow its indices.
 *
 * Of a finding travels what the worker knows; what its parent adds later
 * (causes, races, a census) comes from other workers, with answers of its own.
 */
#ifndef MODEL_NOUNS_H
#define MODEL_NOUNS_H

#include "base/pack.h"
#include "model/result.h"

extern const struct noun noun_value, noun_client, noun_history, noun_trace,
    noun_schedule, noun_cause, noun_causes_found, noun_kinds_found,
    noun_races_found, noun_tally, noun_outcome, noun_census, noun_code_block,
    noun_finding, noun_result;

/* Threads and store buffers, as they are numbered in traces. */
enum { NOUN_THREADS = 32 };

/* Indices inside of the trace; its events' calls are below `ncalls`. */
bool trace_is_sound(const struct trace *t, uint32_t ncalls);
/* Every call is one of these operations. */
bool client_fits(const struct client *c, const struct op_names *names);
bool outcomes_fit(const outcome_list *o, const struct client *c);
/* What was found out by others about a client: do its calls exist there? */
bool causes_fit(const struct causes_found *f, const struct client *c);
bool races_fit(const struct races_found *f, const struct client *c);
bool census_fits(const struct census *s, const struct client *c);

#endif
