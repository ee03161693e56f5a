/*
 * From an address of the loaded object to what its author wrote: file, line,
 * column, function and inlining chain; variables, types and fields.  Read from
 * the object's own debug information, for gcc and clang.  All addresses are
 * offsets into the object (an address in memory minus its load base).
 */
#ifndef DEBUG_LINES_H
#define DEBUG_LINES_H

#include "base/buf.h"
#include "model/cause.h"
#include "model/place.h"
#include "model/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct lines;

/* Reads line tables, symbols and types.  Without debug information places
 * have a function and no line. */
struct lines *lines_open(const char *so, struct error *e);
void lines_close(struct lines *l);
/* Without memory, libelf and libdw say that there is nothing: this dies then.
 */
void lines_need_memory(void);

/* The place of the instruction that `pc` points into; never NULL (unknown has
 * line 0).  Of a return address take one off: it points behind the call. */
const struct place *lines_place(struct lines *l, uint64_t pc);

/*
 * What the functions of the user are to the object (model/place.h).  Until they
 * are set, all are the object's; afterwards every place has its role.  A role
 * without a function is that of all functions of a file.  Texts are copied.
 */
struct line_role {
  const char *file, *function; /* function may be NULL */
  enum place_role role;
};
void lines_set_roles(struct lines *l, const struct line_role *at, uint32_t n);
/* The role of a function in a file, as place_role() has it. */
enum place_role lines_role(struct lines *l, const char *file,
                           const char *function);

/* Whose code a cause is: the object's own (PLACE_OBJECT), or that of the test
 * or a library, which one of its blocks is of. */
enum place_role lines_cause_role(struct lines *l, const struct cause *c);

/* The name of a function by its entry, or NULL. */
const char *lines_function(struct lines *l, uint64_t pc);

/*
 * The name of a global or static variable's part: `range`, `items[3]`,
 * `stack.top`, `pool[1].next`.  False when no variable lies there.
 */
bool lines_global(struct lines *l, uint64_t addr, uint64_t size,
                  struct buf *out);

/*
 * Names heap locations of one trace.  A block is called after its type where
 * the debug information tells it (a pointer variable or the return value that
 * the allocating function keeps it in, with a pointed-to type of a fitting
 * size), and numbered by type in the order of allocation: node#1, node#2.
 * The only block of a type needs no number, unless a variable has that name:
 * `stack.top`.  It must be the only one of `beside` as well, another trace that
 * is shown with this one (or NULL).  Unknown types are block#1, block#2, and
 * an int that was kept in p is p#1.  Inside: `node#2.next`, `block#2+8`,
 * `items[3]`.
 */
struct names;
struct names *names_new(struct lines *l, const struct trace *t,
                        const struct trace *beside);
void names_free(struct names *n);

/* The name of a block of the trace: `node#2`. */
void names_block(const struct names *n, uint32_t block, struct buf *out);

/* The name of [addr, addr+size) as event number `at` sees it (under reuse an
 * address can belong to different blocks in time).  `addr` is absolute, `base`
 * is where the object is loaded.  Falls back to `0x…`.  Always prints. */
void names_location(struct names *n, uint64_t base, uint64_t addr,
                    uint64_t size, uint32_t at, struct buf *out);

/* A value for people: a pointer into a block or variable by its name
 * (`&node#2`), NULL when the location is known to hold pointers, a signed
 * number otherwise. */
void names_value(struct names *n, uint64_t base, const struct event *e,
                 uint64_t value, uint32_t at, struct buf *out);

/* Signature of a function from the debug information, for checking FL_OP. */
struct signature {
  bool known;
  bool returns_void, returns_pointer, returns_bool;
  uint64_t return_size;
  uint32_t nparams;
  enum { PARAM_INTEGER, PARAM_POINTER, PARAM_FLOAT, PARAM_OTHER } param[16];
  bool variadic;
};
void lines_signature(struct lines *l, uint64_t entry, struct signature *out);

#endif
