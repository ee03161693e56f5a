/*
 * The object itself, run sequentially inside the engine, as a specification:
 * nothing to write for the user.
 */
#ifndef SPEC_IMPLEMENTATION_H
#define SPEC_IMPLEMENTATION_H

#include "spec/spec.h"

struct spec *spec_implementation(void);

/* To be called after each rt_prepare, with the client prepared. */
void spec_implementation_client(struct spec *s, const struct client *c);

#endif
