/*
 * Steps (accesses and calls) are found in the machine code, and counted for
 * each copy of a function that they are in, inlined ones included.
 */
#include "code/roles.h"

#include "base/text.h"
#include "code/code.h"
#include "code/scope.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 2 }; /* accesses: so many or more */
#define NONE UINT32_MAX

/* A hook, an access without one, a call or a jump backwards. */
struct role_step {
  uint64_t place;     /* the address behind it */
  uint64_t target;    /* of a call or jump; 0: an access, or a computed call */
  const char *symbol; /* of the hook, or NULL */
  uint32_t function;  /* whose code it is: index into lines->symbols */
  uint32_t first, n;  /* the copies that it is in: into `chains` */
  uint32_t to;        /* call: the copy that is called, or NONE */
  uint32_t line, column;
  bool jump, access, twice, synchronises, indirect;
};

/* A copy of a function: the real one, or one that was inlined. */
struct role_copy {
  uint32_t function;             /* into `functions` */
  const struct role_step *first; /* access that was counted */
  uint32_t accesses;             /* up to MANY, with all that it calls … */
  uint32_t counted;              /* … as far as they are counted */
  bool loops, synchronises;
};

/* A function of a source file; all copies of it. */
struct role_function {
  const char *file, *name;
  enum place_role role;
  bool one, many, loops; /* some copy has one access; many; a loop */
};

struct role_finder {
  struct lines *lines;
  struct scopes *scopes;
  const site_list *sites;
  VEC(struct role_step) steps;
  VEC(uint32_t) chains; /* copies, from the outside in */
  VEC(struct role_copy) copies;
  VEC(struct role_function) functions;
  struct map128 copy_at, function_at;
  bool *reached;        /* by symbol: an operation comes to it */
  const char *on_stack; /* register that holds an address of the stack */
  const struct line_symbol *now;
  bool changed;
};

/* ---- steps ---- */

/* Entries and exits of functions are no steps. */
static bool is_hook(const char *symbol) {
  return begins(symbol, "__wrap_") ||
         (begins(symbol, "__tsan_") && !begins(symbol, "__tsan_func_") &&
          !begins(symbol, "__tsan_init"));
}

static bool synchronises(const char *symbol) {
  static const char *const families[] = {"__tsan_atomic",
                                         "__wrap_pthread_mutex_",
                                         "__wrap_pthread_rwlock_",
                                         "__wrap_pthread_spin_",
                                         "__wrap_pthread_cond_",
                                         "__wrap_pthread_barrier_",
                                         "__wrap_sem_",
                                         "__wrap_mtx_",
                                         "__wrap_cnd_"};
  if (ends(symbol, "_init") || ends(symbol, "_destroy"))
    return false;
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (begins(symbol, families[i]))
      return true;
  return false;
}

/* `lea rax, [rbp - 20]; mov rdi, rax`: the argument is on the stack. */
static void follow_stack(struct role_finder *f, const struct code_insn *i) {
  static const char *const registers[] = {"rdi", "rax", "rdx", "rcx", "rsi"};
  enum { REGISTERS = sizeof registers / sizeof *registers };
  const char *to = NULL, *from = strchr(i->operands, ',');
  for (size_t k = 0; k < REGISTERS; k++)
    if (begins(i->operands, registers[k]) && i->operands[3] == ',')
      to = registers[k];
  if (!to)
    return;
  from = from ? from + 1 + strspn(from + 1, " ") : "";
  bool lea = !strcmp(i->mnemonic, "lea") &&
             (begins(from, "[rbp") || begins(from, "[rsp"));
  bool moved =
      !strcmp(i->mnemonic, "mov") && f->on_stack && !strcmp(from, f->on_stack);
  if (lea || moved)
    f->on_stack = to;
  else if (f->on_stack && !strcmp(to, f->on_stack))
    f->on_stack = NULL;
}

static const struct site *site_at(const struct role_finder *f, uint64_t pc) {
  uint32_t lo = 0, hi = f->sites->len;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (f->sites->at[mid].pc < pc)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < f->sites->len && f->sites->at[lo].pc == pc ? &f->sites->at[lo]
                                                         : NULL;
}

static bool is_inside(const struct line_symbol *f, uint64_t pc) {
  return pc - f->addr < f->size;
}

static void visit(void *ctx, const struct line_symbol *function,
                  const struct code_insn *i) {
  struct role_finder *f = ctx;
  const struct site *site = site_at(f, i->pc);
  struct role_step s = {.place = i->pc + i->size,
                        .function = (uint32_t)(function - f->lines->symbols.at),
                        .to = NONE};
  if (f->now != function)
    f->on_stack = NULL;
  f->now = function;
  bool own = f->on_stack && !strcmp(f->on_stack, "rdi");
  bool goes =
      i->kind == CODE_CALL || i->kind == CODE_JUMP || i->kind == CODE_BRANCH;
  if (site && !site_is_change(site)) {
    s.access = true;
    s.twice = site->kind == SITE_UPDATE;
    s.synchronises = i->locked;
  } else if (i->kind == CODE_CALL && i->symbol && is_hook(i->symbol)) {
    s.access = !site && !(own && !begins(i->symbol, "__tsan_atomic") &&
                          begins(i->symbol, "__tsan_"));
    s.symbol = i->symbol;
    s.synchronises = s.access && synchronises(i->symbol);
  } else if (goes && i->target && !i->symbol) {
    s.target = i->target;
    s.jump = is_inside(function, i->target);
    if (s.jump && i->target > i->pc)
      s.target = 0;
  } else if (i->kind == CODE_CALL && !i->symbol) {
    s.indirect = true;
  }
  if (goes)
    f->on_stack = NULL;
  else
    follow_stack(f, i);
  if (s.access || s.target || s.indirect)
    vec_push(&f->steps, s);
}

/* ---- what the operations come to ---- */

static uint32_t symbol_at(struct role_finder *f, uint64_t pc) {
  const struct line_symbol *s = lines_symbol_at(f->lines, pc, true);
  return s ? (uint32_t)(s - f->lines->symbols.at) : NONE;
}

static void reach_all(struct role_finder *f) {
  memset(f->reached, true, f->lines->symbols.len * sizeof *f->reached);
}

/* Calls through pointers can go anywhere. */
static void reach(struct role_finder *f, const uint64_t *entries, uint32_t n) {
  bool more = n != 0;
  f->reached = xcalloc(f->lines->symbols.len + 1u, sizeof *f->reached);
  if (!n)
    reach_all(f);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t s = symbol_at(f, entries[i]);
    if (s != NONE)
      f->reached[s] = true;
  }
  while (more) {
    more = false;
    for (uint32_t i = 0; i < f->steps.len; i++) {
      const struct role_step *s = &f->steps.at[i];
      if (!f->reached[s->function])
        continue;
      if (s->indirect) {
        reach_all(f);
        return;
      }
      uint32_t to = s->target && !s->jump ? symbol_at(f, s->target) : NONE;
      if (to != NONE && !f->reached[to])
        f->reached[to] = more = true;
    }
  }
}

/* ---- copies ---- */

static uint32_t function_of(struct role_finder *f, const struct scope *s) {
  const char *key[2] = {s->file, s->function};
  struct hash128 a = hash128(key[0], strlen(key[0]), 1),
                 b = hash128(key[1], strlen(key[1]), 2);
  bool fresh;
  uint32_t *at = map128_put(&f->function_at,
                            (struct hash128){a.lo ^ b.lo, a.hi ^ b.hi}, &fresh);
  if (fresh) {
    *at = f->functions.len;
    vec_push(&f->functions,
             ((struct role_function){
                 .file = s->file, .name = s->function, .role = s->role}));
  }
  return *at;
}

static uint32_t copy_of(struct role_finder *f, const struct scope *s) {
  bool fresh;
  if (!s->copy || !s->file || !s->function)
    return NONE;
  uint32_t *at =
      map128_put(&f->copy_at, hash128(&s->copy, sizeof s->copy, 0), &fresh);
  if (fresh) {
    *at = f->copies.len;
    vec_push(&f->copies, ((struct role_copy){.function = function_of(f, s)}));
  }
  return *at;
}

static void find_chain(struct role_finder *f, struct role_step *s) {
  struct scope scopes[SCOPES_AT_MOST];
  uint32_t n = scopes_at(f->scopes, s->place, scopes);
  const struct place *p = lines_place(f->lines, s->place - 1);
  s->line = p->line;
  s->column = p->column;
  s->first = f->chains.len;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t copy = copy_of(f, &scopes[i]);
    if (copy != NONE)
      vec_push(&f->chains, copy);
  }
  s->n = f->chains.len - s->first;
  if (!s->target)
    return;
  n = scopes_at(f->scopes, s->target + 1, scopes);
  if (!s->jump) {
    s->to = copy_of(f, &scopes[0]);
    return;
  }
  for (uint32_t i = 0; i < n; i++) /* a way round inside of a copy */
    for (uint32_t k = 0; k < s->n; k++) {
      uint32_t copy = f->chains.at[s->first + k];
      if (copy == copy_of(f, &scopes[i]))
        f->copies.at[copy].loops = true;
    }
}

static void find_chains(struct role_finder *f) {
  for (uint32_t i = 0; i < f->steps.len; i++)
    if (f->reached[f->steps.at[i].function])
      find_chain(f, &f->steps.at[i]);
}

/* ---- counting ---- */

/* Compilers duplicate code. */
static bool is_twin(const struct role_step *a, const struct role_step *b) {
  return a->symbol && b->symbol && !strcmp(a->symbol, b->symbol) &&
         a->line == b->line && a->column == b->column;
}

static void count_step(struct role_finder *f, const struct role_step *s) {
  const struct role_copy *called = s->to == NONE ? NULL : &f->copies.at[s->to];
  uint32_t accesses = s->access ? 1u + s->twice : called ? called->accesses : 0;
  bool locks = s->synchronises || (called && called->synchronises);
  bool loops = called && called->loops && accesses;
  for (uint32_t i = 0; i < s->n; i++) {
    struct role_copy *c = &f->copies.at[f->chains.at[s->first + i]];
    f->changed |= (locks && !c->synchronises) || (loops && !c->loops);
    c->synchronises |= locks;
    c->loops |= loops;
    if (!accesses || (c->first && is_twin(c->first, s)))
      continue;
    c->first = c->first ? c->first : s;
    c->counted = c->counted + accesses < MANY ? c->counted + accesses : MANY;
  }
}

/* From what is called to what calls it, until nothing changes: numbers only
 * grow, up to MANY. */
static void count(struct role_finder *f) {
  do {
    f->changed = false;
    for (uint32_t i = 0; i < f->copies.len; i++) {
      f->copies.at[i].counted = 0;
      f->copies.at[i].first = NULL;
    }
    for (uint32_t i = 0; i < f->steps.len; i++)
      count_step(f, &f->steps.at[i]);
    for (uint32_t i = 0; i < f->copies.len; i++) {
      struct role_copy *c = &f->copies.at[i];
      f->changed |= c->counted != c->accesses;
      c->accesses = c->counted;
    }
  } while (f->changed);
}

static void find_primitives(struct role_finder *f) {
  for (uint32_t i = 0; i < f->copies.len; i++) {
    const struct role_copy *c = &f->copies.at[i];
    struct role_function *of = &f->functions.at[c->function];
    of->one |= c->accesses == 1;
    of->many |= c->accesses >= MANY;
    of->loops |= c->accesses && c->loops;
  }
  for (uint32_t i = 0; i < f->functions.len; i++) {
    struct role_function *of = &f->functions.at[i];
    if (of->role == PLACE_OBJECT && of->one && !of->many && !of->loops)
      of->role = PLACE_PRIMITIVE;
  }
}

/* ---- the test ---- */

/* What an FL_OP leaves behind has the file that it stands in. */
static const char *registering(struct role_finder *f, uint32_t i) {
  const struct line_function *of = &f->lines->functions.at[i];
  Dwarf_Die die = of->die;
  const char *name = dwarf_diename(&die);
  if (!name || !begins(name, "fl__add_"))
    return NULL;
  const struct place *p = lines_place(f->lines, of->low);
  while (p->next)
    p = p->next;
  return p->file && strcmp(base_name(p->file), "faultline.h") ? p->file : NULL;
}

/* A primitive in a file of the object's is the object's. */
static bool is_objects(const struct role_finder *f,
                       const struct role_function *of) {
  if (of->role == PLACE_OBJECT)
    return true;
  for (uint32_t i = 0; i < f->functions.len && of->role == PLACE_PRIMITIVE; i++)
    if (f->functions.at[i].role == PLACE_OBJECT && f->functions.at[i].many &&
        !strcmp(f->functions.at[i].file, of->file))
      return true;
  return false;
}

/* The function of the user's that makes the step, by a library or by primitives
 * that belong to nobody else. */
static const struct role_function *maker(const struct role_finder *f,
                                         const struct role_step *s) {
  if (s->to != NONE &&
      is_objects(f, &f->functions.at[f->copies.at[s->to].function]))
    return NULL;
  for (uint32_t i = s->n; i--;) {
    const struct role_function *of =
        &f->functions.at[f->copies.at[f->chains.at[s->first + i]].function];
    if (is_objects(f, of))
      return of;
  }
  return NULL;
}

typedef VEC(const char *) file_list;

static bool has(const file_list *files, const char *file) {
  for (uint32_t i = 0; i < files->len; i++)
    if (!strcmp(files->at[i], file))
      return true;
  return false;
}

static bool has_object_elsewhere(const struct role_finder *f,
                                 const file_list *registers) {
  for (uint32_t i = 0; i < f->functions.len; i++) {
    const struct role_function *of = &f->functions.at[i];
    if (of->role == PLACE_OBJECT && of->many && !has(registers, of->file))
      return true;
  }
  return false;
}

/* Data of its own, not only memory that it takes and gives back. */
static bool has_data(const struct role_finder *f, const char *file) {
  for (uint32_t i = 0; i < f->steps.len; i++) {
    const struct role_step *s = &f->steps.at[i];
    if (!s->access || (s->symbol && begins(s->symbol, "__wrap_")))
      continue;
    const struct role_function *of = maker(f, s);
    if (of && !strcmp(of->file, file))
      return true;
  }
  return false;
}

static bool is_synchronised(const struct role_finder *f, const char *file) {
  for (uint32_t i = 0; i < f->steps.len; i++) {
    const struct role_step *s = &f->steps.at[i];
    if (!s->synchronises &&
        (s->to == NONE || !f->copies.at[s->to].synchronises))
      continue;
    const struct role_function *of = maker(f, s);
    if (of && !strcmp(of->file, file))
      return true;
  }
  return false;
}

static void find_tests(struct role_finder *f, file_list *tests) {
  file_list all = {0};
  for (uint32_t i = 0; i < f->lines->functions.len; i++) {
    const char *file = registering(f, i);
    if (file && !has(&all, file))
      vec_push(&all, file);
  }
  if (has_object_elsewhere(f, &all))
    for (uint32_t i = 0; i < all.len; i++)
      if (!is_synchronised(f, all.at[i]))
        vec_push(tests, all.at[i]);
  vec_free(&all);
}

/* ---- all ---- */

static void set_roles(struct role_finder *f) {
  VEC(struct line_role) roles = {0};
  file_list tests = {0};
  find_tests(f, &tests);
  for (uint32_t i = 0; i < tests.len; i++)
    vec_push(&roles,
             ((struct line_role){tests.at[i], NULL,
                                 has_data(f, tests.at[i]) ? PLACE_EITHER
                                                          : PLACE_TEST}));
  for (uint32_t i = 0; i < f->functions.len; i++) {
    const struct role_function *of = &f->functions.at[i];
    if (of->role == PLACE_PRIMITIVE)
      vec_push(&roles,
               ((struct line_role){of->file, of->name, PLACE_PRIMITIVE}));
  }
  lines_set_roles(f->lines, roles.at, roles.len);
  vec_free(&roles);
  vec_free(&tests);
}

int roles_find(struct lines *l, const site_list *sites, const uint64_t *entries,
               uint32_t n, struct error *e) {
  struct role_finder f = {.lines = l, .sites = sites};
  int err = code_walk(l, visit, &f, e);
  if (!err) {
    f.scopes = scopes_open(l, NULL);
    reach(&f, entries, n);
    find_chains(&f);
    count(&f);
    find_primitives(&f);
    set_roles(&f);
    scopes_close(f.scopes);
  }
  vec_free(&f.steps);
  vec_free(&f.chains);
  vec_free(&f.copies);
  vec_free(&f.functions);
  map128_free(&f.copy_at);
  map128_free(&f.function_at);
  free(f.reached);
  return err;
}
