/*
 * From machine code to blocks.  Jump tables are those that gcc and clang emit
 * for position-independent code: `lea base, [rip + table]`, `movsxd r, [base +
 * index*4]`, `add r, base`, `jmp r`, with 32-bit entries relative to the table.
 */
#include "base/text.h"
#include "code/code.h"
#include "code/code_int.h"
#include "code/flow_int.h"

#include <assert.h>
#include <gelf.h>
#include <string.h>

/* ---- what calls do ---- */

/* Steps of library functions that the runtime models: those not in a list make
 * one.  Names separated by one space. */
static const char none[] =
    " malloc calloc aligned_alloc memalign valloc malloc_usable_size "
    "posix_memalign pthread_self thrd_current pthread_detach thrd_detach "
    "pthread_getspecific pthread_setspecific tss_get tss_set "
    "pthread_key_delete "
    "tss_delete time clock rand random lrand48 mrand48 drand48 arc4random "
    "srand srandom srand48 gettid sched_getcpu mmap exit _exit _Exit "
    "quick_exit "
    "abort __assert_fail __assert __assert_perror_fail __stack_chk_fail "
    "pthread_exit thrd_exit "
    "__tsan_acquire __tsan_release __tsan_mutex_create __tsan_mutex_destroy "
    "__tsan_mutex_pre_lock __tsan_mutex_post_lock __tsan_mutex_pre_unlock "
    "__tsan_mutex_post_unlock AnnotateHappensBefore AnnotateHappensAfter "
    "_Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t "
    "_ZnwmSt11align_val_t _ZnamSt11align_val_t ";
static const char two[] =
    " memcpy memmove __memcpy_chk __memmove_chk memcmp bcmp strcpy strncpy "
    "stpcpy __strcpy_chk __strncpy_chk __stpcpy_chk strcat strncat "
    "__strcat_chk "
    "__strncat_chk strcmp strncmp strstr realloc reallocarray "
    "pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait cnd_wait "
    "cnd_timedwait pthread_barrier_wait __atomic_load __atomic_store "
    "__atomic_exchange __atomic_compare_exchange ";
static const char never_back[] =
    " exit _exit _Exit quick_exit abort __assert_fail __assert "
    "__assert_perror_fail __stack_chk_fail pthread_exit thrd_exit longjmp "
    "_longjmp siglongjmp __longjmp_chk __cxa_throw __cxa_rethrow "
    "_Unwind_Resume ";

static bool listed(const char *list, const char *name) {
  size_t n = strlen(name);
  for (const char *p = list; (p = strstr(p, name)); p++)
    if (p > list && p[-1] == ' ' && p[n] == ' ')
      return true;
  return false;
}

static const char *without_wrap(const char *name) {
  return begins(name, "__wrap_") ? name + strlen("__wrap_") : NULL;
}

static uint8_t steps_of(const char *name) {
  const char *library = without_wrap(name);
  if (library)
    return listed(none, library) ? 0 : listed(two, library) ? 2 : 1;
  if (!begins(name, "__tsan_"))
    return 0;
  name += 7;
  if (begins(name, "func_") || begins(name, "init") || begins(name, "ignore") ||
      strstr(name, "_fence"))
    return 0;
  return begins(name, "memcpy") || begins(name, "memmove") ? 2 : 1;
}

static bool comes_back(const char *name) {
  const char *library = without_wrap(name);
  return !listed(never_back, library ? library : name);
}

uint64_t flow_find(const struct flow *f, const char *name) {
  const struct lines *l = f->lines;
  for (uint32_t i = 0; i < l->symbols.len; i++)
    if (l->symbols.at[i].function && l->symbols.at[i].size &&
        !strcmp(l->symbols.at[i].name, name))
      return l->symbols.at[i].addr;
  return 0;
}

/* ---- decoding ---- */

enum { TABLE_MAX = 1024, BOUND_REACH = 16, NO_REGISTER = -1 };

struct flow_decoder {
  struct flow *f;
  const struct line_symbol *function;
  /* What is needed to read a jump table, as of the last instruction. */
  uint64_t loaded[GPRS]; /* addresses that `lea` put into registers, or 0 */
  int base;              /* register of the last movsxd, or NO_REGISTER */
  uint64_t compared;     /* with this immediate … */
  uint64_t bound;        /* … and a jump for what is above: so many entries */
  uint32_t bound_at;
};

/* The number of the register that an operand is, at full width. */
static int whole_register(const cs_x86_op *op) {
  int width, r = op && op->type == X86_OP_REG ? code_register(op->reg, &width)
                                              : NO_REGISTER;
  return r >= 0 && width == 8 ? r : NO_REGISTER;
}

static void note_lea(struct flow_decoder *d, const struct code_insn *i) {
  int r = whole_register(code_operand(i, 0));
  uint64_t target = code_rip_target(i);
  if (r != NO_REGISTER && target)
    d->loaded[r] = target;
}

static void note_table_read(struct flow_decoder *d, const struct code_insn *i) {
  const cs_x86_op *m = code_memory(i);
  int width;
  if (m)
    d->base = code_register(m->mem.base, &width);
}

static void note_compare(struct flow_decoder *d, const struct code_insn *i) {
  const cs_x86_op *with = code_operand(i, 1);
  d->compared = with && with->type == X86_OP_IMM ? (uint64_t)with->imm : 0;
}

/* `cmp index, 5; ja default` stands before a table of 6 entries. */
static void note_bound(struct flow_decoder *d, unsigned id) {
  if (id != X86_INS_JA && id != X86_INS_JBE && id != X86_INS_JAE)
    return;
  d->bound = d->compared + (id != X86_INS_JAE);
  d->bound_at = d->f->insns.len;
}

static const uint8_t *bytes_at(Elf *elf, uint64_t addr, uint64_t size) {
  Elf_Scn *scn = NULL;
  while ((scn = elf_nextscn(elf, scn))) {
    GElf_Shdr sh;
    if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) ||
        sh.sh_type == SHT_NOBITS || addr < sh.sh_addr ||
        addr - sh.sh_addr >= sh.sh_size ||
        size > sh.sh_size - (addr - sh.sh_addr))
      continue;
    Elf_Data *data = elf_rawdata(scn, NULL);
    return data && data->d_buf
               ? (const uint8_t *)data->d_buf + (addr - sh.sh_addr)
               : NULL;
  }
  return NULL;
}

static void read_table(struct flow_decoder *d, struct flow_insn *to) {
  struct flow *f = d->f;
  uint64_t table = d->base < 0 ? 0 : d->loaded[d->base], most = TABLE_MAX;
  if (d->bound && f->insns.len - d->bound_at < BOUND_REACH)
    most = d->bound;
  to->kind = FLOW_LOST;
  to->targets = f->targets.len;
  for (uint64_t i = 0; table && i < most && i < TABLE_MAX; i++) {
    const uint8_t *p = bytes_at(f->lines->elf, table + 4 * i, 4);
    int32_t by;
    if (!p)
      break;
    memcpy(&by, p, 4);
    uint64_t target = table + (uint64_t)(int64_t)by;
    if (target - d->function->addr >= d->function->size)
      break; /* behind the end of the table */
    vec_push(&f->targets, target);
    to->ntargets++;
    to->kind = FLOW_TABLE;
  }
}

/* A call, or a jump out of the function in place of one. */
static void take_call(struct flow_decoder *d, const struct code_insn *i,
                      struct flow_insn *to) {
  if (i->symbol) {
    to->target = flow_find(d->f, i->symbol);
    to->calls = to->target != 0;
    to->steps = to->calls ? 0 : steps_of(i->symbol);
    if (!to->calls && !comes_back(i->symbol))
      to->kind = FLOW_STOP;
  } else if (i->target) {
    to->target = i->target;
    to->calls = true;
  } else {
    to->indirect = true;
  }
}

static void take_jump(struct flow_decoder *d, const struct code_insn *i,
                      struct flow_insn *to) {
  if (i->symbol) { /* only unconditional ones go to a linker stub */
    to->kind = FLOW_RETURN;
    take_call(d, i, to);
  } else if (i->target) {
    to->target = i->target;
    to->kind = i->kind == CODE_JUMP ? FLOW_JUMP : FLOW_EITHER;
    note_bound(d, code_id(i));
  } else {
    read_table(d, to);
  }
}

static void take_plain(struct flow_decoder *d, const struct code_insn *i) {
  switch (code_id(i)) {
  case X86_INS_LEA:
    note_lea(d, i);
    break;
  case X86_INS_MOVSXD:
    note_table_read(d, i);
    break;
  case X86_INS_CMP:
    note_compare(d, i);
    break;
  default:
    break;
  }
}

static void visit(void *ctx, const struct line_symbol *function,
                  const struct code_insn *i) {
  struct flow_decoder *d = ctx;
  struct flow_insn to = {.pc = i->pc, .size = i->size};
  to.symbol = (uint32_t)(function - d->f->lines->symbols.at);
  if (d->function != function)
    *d = (struct flow_decoder){
        .f = d->f, .function = function, .base = NO_REGISTER};
  switch (i->kind) {
  case CODE_CALL:
    take_call(d, i, &to);
    break;
  case CODE_JUMP:
  case CODE_BRANCH:
    take_jump(d, i, &to);
    break;
  case CODE_RETURN:
    to.kind = FLOW_RETURN;
    break;
  case CODE_STOP:
    to.kind = FLOW_STOP;
    break;
  case CODE_PLAIN:
    take_plain(d, i);
    break;
  }
  assert(!d->f->insns.len || vec_last(&d->f->insns).pc < to.pc); /* F1 */
  vec_push(&d->f->insns, to);
}

struct flow *flow_open(struct lines *l, struct error *e) {
  struct flow *f = xcalloc(1, sizeof *f);
  struct flow_decoder d = {.f = f, .base = NO_REGISTER};
  f->lines = l;
  if (code_walk(l, visit, &d, e)) {
    flow_close(f);
    return NULL;
  }
  vec_reserve(&f->marks, f->insns.len + 1);
  memset(f->marks.at, 0, f->insns.len + 1);
  return f;
}

void flow_close(struct flow *f) {
  if (!f)
    return;
  vec_free(&f->insns);
  vec_free(&f->targets);
  vec_free(&f->marks);
  free(f);
}

uint32_t flow_insn_at(const struct flow *f, uint64_t pc) {
  uint32_t lo = 0, hi = f->insns.len;
  while (lo < hi) { /* F1 */
    uint32_t mid = lo + (hi - lo) / 2;
    if (f->insns.at[mid].pc < pc)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < f->insns.len && f->insns.at[lo].pc == pc ? lo : UINT32_MAX;
}

/* ---- blocks ---- */

enum { REACHED = 1, LEADER = 2 };

struct flow_builder {
  struct flow *f;
  struct flow_graph *g;
  uint32_t entry;     /* instruction */
  VEC(uint32_t) todo; /* leaders to follow */
  VEC(uint32_t) marked;
};

/* Is the code at pc part of the function?  Compilers move what is unlikely to
 * a symbol of its own, NAME.cold. */
static bool own(const struct flow_builder *b, uint32_t at) {
  const struct flow *f = b->f;
  uint32_t mine = f->insns.at[b->entry].symbol;
  if (at == UINT32_MAX)
    return false;
  if (f->insns.at[at].symbol == mine)
    return true;
  const char *name = f->lines->symbols.at[mine].name;
  const char *other = f->lines->symbols.at[f->insns.at[at].symbol].name;
  size_t n = strlen(name);
  return !strncmp(other, name, n) && begins(other + n, ".cold");
}

static void lead(struct flow_builder *b, uint64_t pc) {
  uint32_t at = flow_insn_at(b->f, pc);
  if (!own(b, at) || b->f->marks.at[at] & LEADER)
    return;
  b->f->marks.at[at] |= LEADER;
  vec_push(&b->todo, at);
  vec_push(&b->marked, at);
}

/* The instruction behind `at`, or UINT32_MAX when it is another function's. */
static uint32_t behind(const struct flow_builder *b, uint32_t at) {
  const struct flow_insn *i = &b->f->insns.at[at];
  uint32_t next = flow_insn_at(b->f, i->pc + i->size);
  return own(b, next) ? next : UINT32_MAX;
}

static void follow(struct flow_builder *b, uint32_t at) {
  struct flow *f = b->f;
  while (at != UINT32_MAX && !(f->marks.at[at] & REACHED)) {
    const struct flow_insn *i = &f->insns.at[at];
    f->marks.at[at] |= REACHED;
    vec_push(&b->marked, at);
    if (i->kind == FLOW_JUMP || i->kind == FLOW_EITHER)
      lead(b, i->target);
    for (uint32_t k = 0; k < i->ntargets; k++)
      lead(b, f->targets.at[i->targets + k]);
    if (i->kind == FLOW_EITHER)
      lead(b, i->pc + i->size);
    if (i->kind != FLOW_PLAIN)
      return;
    at = behind(b, at);
  }
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static uint32_t block_of(const struct flow_builder *b, uint32_t insn) {
  for (uint32_t i = 0; i < b->g->blocks.len; i++)
    if (b->g->blocks.at[i].first == insn &&
        b->g->blocks.at[i].end > b->g->blocks.at[i].first)
      return i;
  return UINT32_MAX;
}

static void add_block(struct flow_builder *b, uint32_t first) {
  struct flow *f = b->f;
  struct flow_block n = {.first = first, .end = first};
  for (;;) {
    uint32_t at = n.end++;
    if (f->insns.at[at].kind != FLOW_PLAIN)
      break;
    uint32_t next = behind(b, at);
    if (next != n.end || f->marks.at[next] & LEADER)
      break;
  }
  n.returns = f->insns.at[n.end - 1].kind == FLOW_RETURN;
  vec_push(&b->g->blocks, n);
}

static void add_edge(struct flow_builder *b, uint32_t from, uint64_t pc) {
  struct flow_graph *g = b->g;
  uint32_t at = flow_insn_at(b->f, pc), to;
  if (own(b, at)) {
    to = block_of(b, at);
  } else { /* a call in place of a jump */
    struct flow_block n = {.callee = pc, .returns = true};
    to = g->blocks.len;
    vec_push(&g->blocks, n);
  }
  struct flow_block *n = &g->blocks.at[from];
  for (uint32_t i = 0; i < n->nsucc; i++)
    if (g->succs.at[n->succ + i] == to)
      return;
  vec_push(&g->succs, to);
  n->nsucc++;
}

static void add_edges(struct flow_builder *b, uint32_t from) {
  struct flow *f = b->f;
  uint32_t at = b->g->blocks.at[from].end - 1;
  const struct flow_insn *i = &f->insns.at[at];
  b->g->blocks.at[from].succ = b->g->succs.len;
  if (i->kind == FLOW_PLAIN || i->kind == FLOW_EITHER) {
    if (behind(b, at) != UINT32_MAX)
      add_edge(b, from, i->pc + i->size);
    else /* the compiler knows that it does not come back */
      b->g->blocks.at[from].returns = false;
  }
  if (i->kind == FLOW_JUMP || i->kind == FLOW_EITHER)
    add_edge(b, from, i->target);
  for (uint32_t k = 0; k < i->ntargets; k++)
    add_edge(b, from, f->targets.at[i->targets + k]);
  if (i->kind == FLOW_LOST) {
    b->g->blocks.at[from].returns = true;
    b->g->unknown = true;
  }
}

bool flow_graph_of(struct flow *f, uint64_t entry, struct flow_graph *g) {
  struct flow_builder b = {.f = f, .g = g, .entry = flow_insn_at(f, entry)};
  VEC(uint32_t) leaders = {0};
  *g = (struct flow_graph){0};
  if (b.entry == UINT32_MAX)
    return false;
  lead(&b, entry);
  while (b.todo.len)
    follow(&b, vec_pop(&b.todo));
  for (uint32_t i = 0; i < b.marked.len; i++)
    if (f->marks.at[b.marked.at[i]] & LEADER)
      vec_push(&leaders, b.marked.at[i]);
  qsort(leaders.at, leaders.len, sizeof *leaders.at, by_number);
  add_block(&b, b.entry);
  assert(g->blocks.len == 1 && g->blocks.at[0].first == b.entry); /* F2 */
  for (uint32_t i = 0; i < leaders.len; i++)
    if (leaders.at[i] != b.entry && (!i || leaders.at[i] != leaders.at[i - 1]))
      add_block(&b, leaders.at[i]);
  for (uint32_t i = 0, n = g->blocks.len; i < n; i++)
    add_edges(&b, i);
  for (uint32_t i = 0; i < b.marked.len; i++)
    f->marks.at[b.marked.at[i]] = 0;
  vec_free(&leaders);
  vec_free(&b.todo);
  vec_free(&b.marked);
  return true;
}

void flow_graph_free(struct flow_graph *g) {
  vec_free(&g->blocks);
  vec_free(&g->succs);
}
