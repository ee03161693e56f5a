/*
 * The second column of program_kinds.h, read: a thread's statements become a
 * list of operations of the machine, with jumps for what stands in braces.
 */
#ifndef PROGRAM_CODE_H
#define PROGRAM_CODE_H

#include "program.h"

/* What the words of the operations are, and whether they are steps. */
#define OPERATIONS(_)                                                          \
  _(END, "", 0)                                                                \
  _(READ, "read", 1)                                                           \
  _(WRITE, "write", 1)                                                         \
  _(SWAP, "swap", 1)                                                           \
  _(FETCH_ADD, "fetchadd", 1)                                                  \
  _(CAS, "cas", 1)                                                             \
  _(FENCE, "fence", 1)                                                         \
  _(AWAIT, "await", 1)                                                         \
  _(EITHER, "either", 1)                                                       \
  _(READ_POINTER, "readp", 1)                                                  \
  _(SWAP_POINTER, "swapp", 1)                                                  \
  _(FREE, "free", 1)                                                           \
  _(START, "start", 1)                                                         \
  _(JOIN, "join", 1)                                                           \
  _(LOCK, "lock", 1)                                                           \
  _(UNLOCK, "unlock", 1)                                                       \
  _(TRYLOCK, "trylock", 1)                                                     \
  _(READ_LOCK, "rdlock", 1)                                                    \
  _(TRY_READ_LOCK, "tryrdlock", 1)                                             \
  _(READ_UNLOCK, "rdunlock", 1)                                                \
  _(WRITE_LOCK, "wrlock", 1)                                                   \
  _(TRY_WRITE_LOCK, "trywrlock", 1)                                            \
  _(WRITE_UNLOCK, "wrunlock", 1)                                               \
  _(WAIT, "wait", 1)                                                           \
  _(WOKEN, "woken", 1)                                                         \
  _(WOKEN_OR_LATE, "wokenorlate", 1)                                           \
  _(SIGNAL, "signal", 1)                                                       \
  _(BROADCAST, "broadcast", 1)                                                 \
  _(SEM_WAIT, "semwait", 1)                                                    \
  _(SEM_TRY, "semtry", 1)                                                      \
  _(SEM_POST, "sempost", 1)                                                    \
  _(SEM_GET, "semget", 1)                                                      \
  _(ARRIVE, "arrive", 1)                                                       \
  _(LEAVE, "leave", 1)                                                         \
  _(ONCE, "once", 1)                                                           \
  _(ONCE_DONE, "oncedone", 1)                                                  \
  _(OTHERWISE, "otherwise", 0)                                                 \
  _(GO, "go", 0)                                                               \
  _(MALLOC, "malloc", 0)                                                       \
  _(ARG, "arg", 0)                                                             \
  _(KEEP, "keep", 0)                                                           \
  _(KEPT, "kept", 0)                                                           \
  _(SET, "set", 0)                                                             \
  _(ADD, "add", 0)                                                             \
  _(AND, "and", 0)                                                             \
  _(SHIFT, "shift", 0)                                                         \
  _(IS, "is", 0)                                                               \
  _(BITS, "bits", 0)                                                           \
  _(SEE, "see", 0)                                                             \
  _(ASSERT_NOT, "assertnot", 0)                                                \
  _(IF, "if", 0)                                                               \
  _(IF_ZERO, "ifzero", 0)                                                      \
  _(LOOP, "loop", 0)                                                           \
  _(AGAIN, "again", 0)

enum operation_kind {
#define OPERATION_ENUM(name, word, step) OP_##name,
  OPERATIONS(OPERATION_ENUM)
#undef OPERATION_ENUM
      NOPERATIONS
};

static const struct {
  const char *word;
  bool step;
} operations[] = {
#define OPERATION_ROW(name, word, step) {word, step},
    OPERATIONS(OPERATION_ROW)
#undef OPERATION_ROW
};

/* ---- memory ---- */

enum {
  ON_STACK = 80,     /* a thread's own: 4 bytes each */
  THREAD_LOCAL = 96, /* likewise */
  HEAP = 112,        /* blocks of 4 bytes, BLOCKS a thread */
  BLOCKS = 8,
  MEMORY = HEAP + 4 * BLOCKS * MOST_THREADS,
  MOST_OPERATIONS = 200
};

static const struct variable {
  const char *name;
  uint8_t address, size;
  bool ends; /* seen by end(), in this order */
} variables[] = {
    {"a", 0, 4, true},
    {"b", 4, 4, true},
    {"v", 8, 4, true},
    {"w", 12, 4, true},
    {"x", 16, 4, true},
    {"y", 20, 4, true},
    {"u", 24, 8, true},
    {"f", 32, 1, true},
    {"p", 40, 8, true},
    {"p2", 48, 8, true},
    {"q", 56, 8, true},
    {"q2", 64, 8, true},
    {"g", 72, 8, false},
    {"s", ON_STACK, 4, false},
    {"z", THREAD_LOCAL, 4, false},
};
enum { NVARIABLES = sizeof variables / sizeof *variables };

struct operation {
  enum operation_kind kind;
  uint8_t address, size; /* of a variable, or an object's number */
  bool pointer;          /* what the thread's pointer points to instead */
  uint8_t jump;          /* where it goes on if not with the next */
  unsigned k, k2;
};

struct code {
  struct operation at[MOST_OPERATIONS];
  unsigned n;
  uint8_t open[8]; /* braces, while it is made */
  unsigned nopen;
  uint8_t go[8]; /* from the ends of alternatives to the end of all */
  unsigned ngo;
  unsigned thread;
};

/* "u+2:1" */
static void read_address(struct operation *o, const char *word, unsigned t) {
  size_t n = strcspn(word, "+:");
  unsigned offset = 0, size = 0;
  if (*word == '^') {
    o->pointer = true;
    o->size = 4;
    return;
  }
  for (unsigned i = 0; i < NVARIABLES; i++)
    if (strlen(variables[i].name) == n &&
        !strncmp(variables[i].name, word, n)) {
      o->address = variables[i].address;
      o->size = variables[i].size;
      if (word[n] == '+')
        offset = (unsigned)strtoul(word + n + 1, NULL, 10);
      if (strchr(word, ':'))
        size = (unsigned)strtoul(strchr(word, ':') + 1, NULL, 10);
      if (*word == 's' || *word == 'z') /* each thread has its own */
        offset = 4 * t;
      o->address += (uint8_t)offset;
      o->size = size ? (uint8_t)size : o->size;
      return;
    }
  die("no variable %s", word);
}

static enum operation_kind operation_of(const char *word) {
  for (int i = 1; i < NOPERATIONS; i++)
    if (!strcmp(operations[i].word, word))
      return (enum operation_kind)i;
  die("no operation %s", word);
}

static void read_operands(struct operation *o, char **words, unsigned n,
                          unsigned thread) {
  switch (o->kind) {
  case OP_READ:
  case OP_WRITE:
  case OP_SWAP:
  case OP_AWAIT:
  case OP_FETCH_ADD:
  case OP_CAS:
  case OP_READ_POINTER:
  case OP_SWAP_POINTER:
    read_address(o, words[1], thread);
    o->k = n > 2 ? (unsigned)atoi(words[2]) : 0;
    o->k2 = n > 3 ? (unsigned)atoi(words[3]) : 0;
    break;
  case OP_LOCK:
  case OP_UNLOCK:
  case OP_TRYLOCK:
  case OP_WAIT:
    o->k = words[1][0] == 'n';
    break;
  case OP_START: /* and what its argument points to */
    o->k = (unsigned)atoi(words[1]);
    if (*words[2] != '0')
      read_address(o, words[2], thread);
    break;
  default:
    o->k = n > 1 ? (unsigned)atoi(words[1]) : 0;
    o->k2 = n > 2 ? (unsigned)atoi(words[2]) : 0;
  }
}

static void close_brace(struct code *c) {
  struct operation *o = &c->at[c->open[--c->nopen]];
  if (o->kind == OP_EITHER) {
    c->go[c->ngo++] = (uint8_t)c->n;
    c->at[c->n++] = (struct operation){.kind = OP_GO};
  }
  if (o->kind == OP_OTHERWISE)
    while (c->ngo)
      c->at[c->go[--c->ngo]].jump = (uint8_t)c->n;
  if (o->kind != OP_LOOP)
    o->jump = (uint8_t)c->n;
}

static void add_operation(struct code *c, char **words, unsigned n) {
  struct operation *o = &c->at[c->n];
  *o = (struct operation){.kind = operation_of(words[0])};
  read_operands(o, words, n, c->thread);
  if (o->kind == OP_AGAIN) /* the innermost loop */
    for (unsigned i = 0; i < c->nopen; i++)
      if (c->at[c->open[i]].kind == OP_LOOP)
        o->jump = c->open[i];
  c->n++;
  if (c->n >= MOST_OPERATIONS - 2)
    die("a thread is too long");
}

/* One piece between semicolons and braces; `then` is what ends it. */
static void read_piece(struct code *c, char *text, char then) {
  char *words[4] = {0}, *rest = NULL;
  unsigned n = 0;
  for (char *w = strtok_r(text, " ", &rest); w && n < 4;
       w = strtok_r(NULL, " ", &rest))
    words[n++] = w;
  if (n)
    add_operation(c, words, n);
  if (then == '{')
    c->open[c->nopen++] = (uint8_t)(c->n - 1);
  if (then == '}')
    close_brace(c);
}

static void read_code(struct code *c, const char *text) {
  while (*text) {
    size_t n = strcspn(text, ";{}");
    char piece[64];
    snprintf(piece, sizeof piece, "%.*s", (int)n, text);
    read_piece(c, piece, text[n]);
    text += n + (text[n] != 0);
  }
}

static void code_of_thread(const struct program *p, unsigned t,
                           struct code *c) {
  struct buf text = {0};
  *c = (struct code){.thread = t};
  for (unsigned i = 0; i < p->length[t]; i++) {
    expand(p, p->line[t][i], true, &text);
    buf_puts(&text, "; ");
  }
  read_code(c, buf_text(&text));
  c->at[c->n++] = (struct operation){.kind = OP_END};
  buf_free(&text);
}

#endif
