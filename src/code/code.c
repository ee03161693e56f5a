/*
 * Decodes functions.  What an instruction does comes from capstone's details:
 * its groups, operands and their access; its text is for people only.
 */
#define _GNU_SOURCE /* memmem */

#include "code/code_int.h"

#include "base/text.h"

#include <capstone/capstone.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct import_slot { /* where the loader puts an imported symbol's address */
  uint64_t addr;
  const char *name;
};

struct code_section {
  uint64_t addr, size;
  const uint8_t *bytes; /* NULL for .bss */
  bool code, writable;
};

struct code_image {
  VEC(struct import_slot) slots;
  VEC(struct code_section) sections;
};

static void read_slots(struct code_image *c, Elf *elf, Elf_Scn *scn,
                       const GElf_Shdr *sh) {
  Elf_Data *data = elf_getdata(scn, NULL);
  Elf_Scn *symbols = elf_getscn(elf, sh->sh_link);
  GElf_Shdr table;
  Elf_Data *names = symbols ? elf_getdata(symbols, NULL) : NULL;
  if (!data || !names || !gelf_getshdr(symbols, &table) || !sh->sh_entsize)
    return;
  for (size_t i = 0; i < sh->sh_size / sh->sh_entsize; i++) {
    GElf_Rela r;
    GElf_Sym s;
    if (!gelf_getrela(data, (int)i, &r) ||
        (GELF_R_TYPE(r.r_info) != R_X86_64_JUMP_SLOT &&
         GELF_R_TYPE(r.r_info) != R_X86_64_GLOB_DAT) ||
        !gelf_getsym(names, (int)GELF_R_SYM(r.r_info), &s))
      continue;
    const char *name = elf_strptr(elf, table.sh_link, s.st_name);
    struct import_slot slot = {r.r_offset, name};
    if (name && *name)
      vec_push(&c->slots, slot);
  }
}

static int by_slot(const void *a, const void *b) {
  const struct import_slot *x = a, *y = b;
  return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void read_sections(struct code_image *c, Elf *elf) {
  Elf_Scn *scn = NULL;
  while ((scn = elf_nextscn(elf, scn))) {
    GElf_Shdr sh;
    if (!gelf_getshdr(scn, &sh))
      continue;
    if (sh.sh_type == SHT_RELA)
      read_slots(c, elf, scn, &sh);
    if (!(sh.sh_flags & SHF_ALLOC) || !sh.sh_size)
      continue;
    Elf_Data *data = sh.sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);
    struct code_section s = {sh.sh_addr, sh.sh_size, data ? data->d_buf : NULL,
                             sh.sh_flags & SHF_EXECINSTR,
                             sh.sh_flags & SHF_WRITE};
    vec_push(&c->sections, s);
  }
  if (c->slots.len)
    qsort(c->slots.at, c->slots.len, sizeof *c->slots.at, by_slot);
}

static const struct code_section *section_at(const struct code_image *c,
                                             uint64_t addr) {
  for (uint32_t i = 0; i < c->sections.len; i++)
    if (addr - c->sections.at[i].addr < c->sections.at[i].size)
      return &c->sections.at[i];
  return NULL;
}

static const char *slot_name(const struct code_image *c, uint64_t addr) {
  struct import_slot key = {addr, NULL};
  const struct import_slot *s = c->slots.len
                                    ? bsearch(&key, c->slots.at, c->slots.len,
                                              sizeof *c->slots.at, by_slot)
                                    : NULL;
  return s ? s->name : NULL;
}

static int32_t displacement(const uint8_t *p) {
  int32_t d;
  memcpy(&d, p, sizeof d);
  return d;
}

/* The symbol behind a linker stub: [endbr64] [bnd] jmp *slot(%rip). */
static const char *stub_symbol(const struct code_image *c, uint64_t addr) {
  const struct code_section *s = section_at(c, addr);
  if (!s || !s->code || !s->bytes || s->size - (addr - s->addr) < 16)
    return NULL;
  const uint8_t *p = s->bytes + (addr - s->addr), *start = p;
  if (p[0] == 0xf3 && p[1] == 0x0f && p[2] == 0x1e && p[3] == 0xfa)
    p += 4;
  if (p[0] == 0xf2)
    p++;
  if (p[0] != 0xff || p[1] != 0x25)
    return NULL;
  uint64_t next = addr + (uint64_t)(p + 6 - start);
  return slot_name(c, next + (uint64_t)(int64_t)displacement(p + 2));
}

/* ---- one instruction ---- */

const cs_x86_op *code_operand(const struct code_insn *i, int n) {
  const cs_x86 *x = code_x86(i);
  return n < x->op_count ? &x->operands[n] : NULL;
}

const cs_x86_op *code_memory(const struct code_insn *i) {
  const cs_x86 *x = code_x86(i);
  for (int n = 0; n < x->op_count; n++)
    if (x->operands[n].type == X86_OP_MEM)
      return &x->operands[n];
  return NULL;
}

bool code_is_stack(const struct code_insn *i, const cs_x86_op *memory) {
  return memory->mem.base == X86_REG_RSP ||
         (i->framed && memory->mem.base == X86_REG_RBP);
}

uint64_t code_rip_target(const struct code_insn *i) {
  const cs_x86_op *m = code_memory(i);
  if (!m || m->mem.base != X86_REG_RIP)
    return 0;
  return i->pc + i->size + (uint64_t)m->mem.disp;
}

int code_register(unsigned r, int *width) {
  static const unsigned families[GPRS][5] = {
      {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
      {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
      {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
      {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
      {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, 0},
      {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, 0},
      {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, 0},
      {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, 0},
      {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, 0},
      {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, 0},
      {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, 0},
      {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, 0},
      {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, 0},
      {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, 0},
      {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, 0},
      {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, 0}};
  static const int widths[5] = {8, 4, 2, 1, 1};
  for (int n = 0; n < GPRS; n++)
    for (int k = 0; k < 5; k++)
      if (r && families[n][k] == r) {
        *width = widths[k];
        return n;
      }
  return -1;
}

static bool is_one_of(unsigned id, const unsigned *list, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (list[k] == id)
      return true;
  return false;
}
#define IS_ONE_OF(id, list) is_one_of(id, list, sizeof list / sizeof *list)

/* movsd and cmpsd are names of vector instructions, too: those have at most
 * one operand in memory. */
bool code_repeats(const struct code_insn *i) {
  static const unsigned copies[] = {X86_INS_MOVSB, X86_INS_MOVSW, X86_INS_MOVSD,
                                    X86_INS_MOVSQ, X86_INS_CMPSB, X86_INS_CMPSW,
                                    X86_INS_CMPSD, X86_INS_CMPSQ};
  static const unsigned others[] = {
      X86_INS_STOSB, X86_INS_STOSW, X86_INS_STOSD, X86_INS_STOSQ,
      X86_INS_LODSB, X86_INS_LODSW, X86_INS_LODSD, X86_INS_LODSQ,
      X86_INS_SCASB, X86_INS_SCASW, X86_INS_SCASD, X86_INS_SCASQ};
  const cs_x86 *x = code_x86(i);
  if (x->prefix[0] != X86_PREFIX_REP && x->prefix[0] != X86_PREFIX_REPNE)
    return false;
  if (IS_ONE_OF(code_id(i), others))
    return true;
  return IS_ONE_OF(code_id(i), copies) && x->op_count == 2 &&
         x->operands[0].type == X86_OP_MEM && x->operands[1].type == X86_OP_MEM;
}

static bool in_group(const cs_insn *i, unsigned group) {
  for (int k = 0; k < i->detail->groups_count; k++)
    if (i->detail->groups[k] == group)
      return true;
  return false;
}

static enum code_kind kind_of(const cs_insn *i) {
  static const unsigned loops[] = {X86_INS_LOOP, X86_INS_LOOPE, X86_INS_LOOPNE};
  static const unsigned stops[] = {
    X86_INS_UD2,
    X86_INS_HLT,
    X86_INS_INT3,
#if CS_API_MAJOR < 5
    X86_INS_UD2B,
#endif
  };
  if (in_group(i, CS_GRP_CALL))
    return CODE_CALL;
  if (i->id == X86_INS_JMP || i->id == X86_INS_LJMP)
    return CODE_JUMP;
  if (in_group(i, CS_GRP_JUMP) || IS_ONE_OF(i->id, loops))
    return CODE_BRANCH;
  if (in_group(i, CS_GRP_RET) || in_group(i, CS_GRP_IRET))
    return CODE_RETURN;
  return IS_ONE_OF(i->id, stops) ? CODE_STOP : CODE_PLAIN;
}

static uint64_t target_of(const struct code_insn *i) {
  const cs_x86_op *to = code_operand(i, 0);
  bool goes =
      i->kind == CODE_CALL || i->kind == CODE_JUMP || i->kind == CODE_BRANCH;
  return goes && to && to->type == X86_OP_IMM ? (uint64_t)to->imm : 0;
}

static const char *symbol_of(const struct code_image *c,
                             const struct code_insn *i) {
  uint64_t target = code_rip_target(i);
  if (target)
    return slot_name(c, target);
  if (i->target && i->kind != CODE_BRANCH)
    return stub_symbol(c, i->target);
  return NULL;
}

static bool is_locked(const struct code_insn *i) {
  unsigned id = code_id(i);
  return code_x86(i)->prefix[0] == X86_PREFIX_LOCK || id == X86_INS_MFENCE ||
         id == X86_INS_SFENCE || (id == X86_INS_XCHG && code_memory(i));
}

/* Instructions that change a control word of the floating-point unit, or look
 * at the exceptions that were met. */
static bool is_fenv(unsigned id) {
  static const unsigned list[] = {
      X86_INS_LDMXCSR, X86_INS_STMXCSR, X86_INS_VLDMXCSR,  X86_INS_VSTMXCSR,
      X86_INS_FLDCW,   X86_INS_FLDENV,  X86_INS_FRSTOR,    X86_INS_FNSTSW,
      X86_INS_FNINIT,  X86_INS_FNCLEX,  X86_INS_FNSTENV,   X86_INS_FNSAVE,
      X86_INS_FXRSTOR, X86_INS_XRSTOR,  X86_INS_FXRSTOR64, X86_INS_XRSTOR64};
  return IS_ONE_OF(id, list);
}

/* Is rbp the function's frame?  Optimized code keeps anything in it. */
static bool has_frame(const uint8_t *bytes, size_t n) {
  static const uint8_t copies[][4] = {{0x48, 0x89, 0xe5},
                                      {0x48, 0x8b, 0xec}}; /* mov rbp, rsp */
  static const uint8_t leas[][4] = {{0x48, 0x8d, 0x6c, 0x24},
                                    {0x48, 0x8d, 0xac, 0x24}}; /* lea … */
  for (int k = 0; k < 2; k++)
    if (memmem(bytes, n, copies[k], 3) || memmem(bytes, n, leas[k], 4))
      return true;
  return false;
}

/* ---- accesses ---- */

/* Has an operand in memory, and touches nothing with it. */
static bool only_names(const struct code_insn *i) {
  static const unsigned list[] = {X86_INS_LEA,         X86_INS_NOP,
                                  X86_INS_PREFETCH,    X86_INS_PREFETCHW,
                                  X86_INS_PREFETCHNTA, X86_INS_PREFETCHT0,
                                  X86_INS_PREFETCHT1,  X86_INS_PREFETCHT2};
  return i->kind != CODE_PLAIN || IS_ONE_OF(code_id(i), list);
}

static bool is_x87(const struct code_insn *i) {
  uint8_t opcode = code_x86(i)->opcode[0];
  return opcode >= 0xd8 && opcode <= 0xdf;
}

/* An operand that is no general register, nor of the old stack machine. */
static bool has_vector(const struct code_insn *i) {
  const cs_x86 *x = code_x86(i);
  for (int n = 0; n < x->op_count; n++) {
    unsigned r = x->operands[n].type == X86_OP_REG ? x->operands[n].reg : 0;
    if ((r >= X86_REG_XMM0 && r <= X86_REG_XMM31) ||
        (r >= X86_REG_YMM0 && r <= X86_REG_YMM31) ||
        (r >= X86_REG_ZMM0 && r <= X86_REG_ZMM31) ||
        (r >= X86_REG_MM0 && r <= X86_REG_MM7))
      return true;
  }
  return false;
}

/* Of those whose first operand is memory: does it only read it? */
static bool only_reads(const struct code_insn *i) {
  static const unsigned list[] = {
      X86_INS_CMP,     X86_INS_TEST,     X86_INS_PUSH,   X86_INS_BT,
      X86_INS_MUL,     X86_INS_DIV,      X86_INS_IDIV,   X86_INS_IMUL,
      X86_INS_LDMXCSR, X86_INS_VLDMXCSR, X86_INS_CMPSB,  X86_INS_CMPSW,
      X86_INS_CMPSD,   X86_INS_CMPSQ,    X86_INS_XRSTOR, X86_INS_XRSTOR64,
      X86_INS_FXRSTOR, X86_INS_FXRSTOR64};
  static const unsigned stores[] = {
      X86_INS_FST,    X86_INS_FSTP,   X86_INS_FIST,   X86_INS_FISTP,
      X86_INS_FISTTP, X86_INS_FNSTCW, X86_INS_FNSTSW, X86_INS_FNSTENV,
      X86_INS_FNSAVE, X86_INS_FBSTP,  X86_INS_FSTPNCE};
  if (is_x87(i))
    return !IS_ONE_OF(code_id(i), stores);
  return IS_ONE_OF(code_id(i), list);
}

/* Of the rest of these: does it not read it?  No instruction computes with a
 * vector in memory and leaves the result there. */
static bool only_writes(const struct code_insn *i) {
  static const unsigned list[] = {
      X86_INS_MOV,      X86_INS_MOVABS,  X86_INS_MOVNTI,   X86_INS_MOVBE,
      X86_INS_POP,      X86_INS_STMXCSR, X86_INS_VSTMXCSR, X86_INS_FXSAVE,
      X86_INS_FXSAVE64, X86_INS_STOSB,   X86_INS_STOSW,    X86_INS_STOSD,
      X86_INS_STOSQ};
  const cs_x86 *x = code_x86(i);
  bool set = x->opcode[0] == 0x0f && (x->opcode[1] & 0xf0) == 0x90;
  return set || is_x87(i) || has_vector(i) || IS_ONE_OF(code_id(i), list);
}

/*
 * What capstone says of an operand's access is not used: version 4 takes the
 * stores of movups, movq, movnti, seta and fstp for reads, `test` for a write,
 * and cmpxchg for a read alone.
 */
bool code_stores(const struct code_insn *i) {
  const cs_x86_op *to = code_operand(i, 0);
  return to && to->type == X86_OP_MEM && !only_names(i) && !only_reads(i);
}

static bool loads(const struct code_insn *i) {
  const cs_x86 *x = code_x86(i);
  for (int n = 1; n < x->op_count; n++)
    if (x->operands[n].type == X86_OP_MEM)
      return !only_names(i);
  return code_memory(i) && !only_names(i) && (only_reads(i) || !only_writes(i));
}

/* Does the instruction touch memory that another thread could see? */
static void access_of(const struct code_image *c, struct code_insn *i) {
  const cs_x86_op *m = code_memory(i);
  uint64_t target = code_rip_target(i);
  const struct code_section *s = target ? section_at(c, target) : NULL;
  i->constant = code_id(i) == X86_INS_LEA && s && !s->writable;
  if (code_repeats(i)) { /* from rsi to rdi */
    i->reads = i->writes = true;
    return;
  }
  if (!m || code_is_stack(i, m) || m->mem.segment == X86_REG_FS)
    return;
  if (target && (!s || !s->writable || slot_name(c, target)))
    return;
  i->reads = loads(i);
  i->writes = code_stores(i);
}

static void walk_function(struct code_image *c, csh handle, cs_insn *insn,
                          const struct line_symbol *f, code_visit *visit,
                          void *ctx) {
  const struct code_section *s = section_at(c, f->addr);
  if (!s || !s->code || !s->bytes || f->addr + f->size > s->addr + s->size)
    return;
  const uint8_t *bytes = s->bytes + (f->addr - s->addr);
  size_t left = f->size;
  bool framed = has_frame(bytes, left);
  uint64_t pc = f->addr;
  while (cs_disasm_iter(handle, &bytes, &left, &pc, insn)) {
    struct code_insn i = {.pc = insn->address,
                          .size = insn->size,
                          .mnemonic = insn->mnemonic,
                          .operands = insn->op_str,
                          .framed = framed,
                          .raw = insn,
                          .handle = handle};
    if (!insn->id) /* data: there are no details */
      memset(insn->detail, 0, sizeof *insn->detail);
    i.kind = kind_of(insn);
    i.target = target_of(&i);
    i.symbol = symbol_of(c, &i);
    i.locked = is_locked(&i);
    i.fenv = is_fenv(insn->id);
    access_of(c, &i);
    visit(ctx, f, &i);
  }
}

static int walk(struct lines *l, const struct line_symbol *only,
                code_visit *visit, void *ctx, struct error *e) {
  struct code_image c = {0};
  csh handle;
  GElf_Ehdr head;
  if (!gelf_getehdr(l->elf, &head) || head.e_machine != EM_X86_64)
    return error_set(e, ERR_INPUT, "the object is not for x86-64");
  const cs_opt_mem memory = {xmalloc, xcalloc, xrealloc, free, vsnprintf};
  cs_option(0, CS_OPT_MEM, (size_t)&memory); /* it does not look for NULL */
  if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
    return error_set(e, ERR_SYSTEM, "the disassembler does not start");
  cs_option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
  cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  read_sections(&c, l->elf);
  cs_insn *insn = cs_malloc(handle);
  uint64_t done = 0; /* aliases (C1 and C2 of a constructor) are seen once */
  for (uint32_t i = 0; i < l->symbols.len; i++) {
    const struct line_symbol *f = &l->symbols.at[i];
    if (!f->function || !f->size || f->addr < done || (only && f != only))
      continue;
    walk_function(&c, handle, insn, f, visit, ctx);
    done = f->addr + f->size;
  }
  cs_free(insn, 1);
  cs_close(&handle);
  vec_free(&c.slots);
  vec_free(&c.sections);
  lines_need_memory();
  return ERR_NONE;
}

int code_walk(struct lines *l, code_visit *visit, void *ctx, struct error *e) {
  return walk(l, NULL, visit, ctx, e);
}

int code_walk_one(struct lines *l, const struct line_symbol *function,
                  code_visit *visit, void *ctx, struct error *e) {
  return walk(l, function, visit, ctx, e);
}
