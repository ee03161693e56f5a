/*
 * Reading the instructions of one function.
 *
 * A hook is a call of one of the functions __tsan_… that the compiler puts
 * before an access; its name says what the access does.  A target is an
 * instruction that some jump of the function leads to.  A register is kept at
 * an instruction if a stop there must preserve it.
 *
 * Each instruction is reduced to what the search asks about: its operands, the
 * registers it uses and sets, whether it is a hook, a call or a jump.
 *
 *   lea  rdi, [rbx + 8]     sets rdi
 *   call __tsan_write4      a hook: 4 bytes at rdi are about to be written
 *   mov  eax, 1             sets rax, and nothing is left of its old value
 *   mov  [rbx + 8], eax     writes; rax is kept here, rdi is not
 */
#include "code/sites_int.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

int site_register(unsigned r, int *width) {
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

static uint64_t bit_of(unsigned r) {
  int width, n = site_register(r, &width);
  if (n >= 0)
    return UINT64_C(1) << n;
  if (r >= X86_REG_XMM0 && r <= X86_REG_XMM15)
    return SITE_XMM(r - X86_REG_XMM0);
  return r == X86_REG_EFLAGS ? SITE_FLAGS : 0;
}

static bool is_wide(unsigned r) {
  return (r >= X86_REG_YMM0 && r <= X86_REG_YMM31) ||
         (r >= X86_REG_ZMM0 && r <= X86_REG_ZMM31) ||
         (r >= X86_REG_XMM16 && r <= X86_REG_XMM31) ||
         (r >= X86_REG_K0 && r <= X86_REG_K7);
}

static void read_hook(struct instruction *n, const char *symbol) {
  const char *p = symbol + strlen("__tsan_");
  n->hook = true;
  if (begins(p, "atomic")) { /* clang may leave the access itself behind it */
    n->hook_atomic = n->hook_writes = true;
    n->hook_size = (uint8_t)(strtoul(p + strlen("atomic"), NULL, 10) / 8);
    return;
  }
  if (begins(p, "vptr_")) {
    n->hook_writes = begins(p, "vptr_update");
    n->hook_size = 8;
    return;
  }
  if (begins(p, "unaligned_"))
    p += strlen("unaligned_");
  if (begins(p, "volatile_"))
    p += strlen("volatile_");
  if (begins(p, "read_write"))
    p += strlen("read_"), n->hook_writes = true;
  if (begins(p, "write"))
    p += strlen("write"), n->hook_writes = true;
  else if (begins(p, "read"))
    p += strlen("read");
  else
    return;
  n->hook_range = !strcmp(p, "_range");
  n->hook_size = (uint8_t)strtoul(p, NULL, 10);
}

static void read_registers(struct instruction *n, csh handle,
                           const cs_insn *raw, bool *wide) {
  cs_regs uses, sets;
  uint8_t nuses = 0, nsets = 0;
  if (cs_regs_access(handle, raw, uses, &nuses, sets, &nsets)) {
    n->uses = n->sets = ~UINT64_C(0);
    return;
  }
  for (int k = 0; k < nuses; k++) {
    n->uses |= bit_of(uses[k]);
    *wide |= is_wide(uses[k]);
  }
  for (int k = 0; k < nsets; k++) {
    int width;
    n->sets |= bit_of(sets[k]);
    *wide |= is_wide(sets[k]);
    if (site_register(sets[k], &width) >= 0 && width >= 4)
      n->kills |= bit_of(sets[k]);
  }
  bool whole = begins(raw->mnemonic, "movdq") ||
               begins(raw->mnemonic, "movap") ||
               begins(raw->mnemonic, "movup") || !strcmp(raw->mnemonic, "movq");
  if (whole && n->nops && n->op[0].type == X86_OP_REG)
    n->kills |= bit_of(n->op[0].reg);
  if (begins(raw->mnemonic, "cmov"))
    n->uses |= n->sets, n->kills = 0;
  if (n->sets & SITE_FLAGS)
    n->kills |= SITE_FLAGS;
}

void site_code_add(struct site_code *c, const struct code_insn *i) {
  const cs_insn *raw = i->raw;
  const cs_x86 *x = &raw->detail->x86;
  struct instruction n = {.pc = i->pc,
                          .id = raw->id,
                          .length = (uint8_t)i->size,
                          .reads = i->reads,
                          .writes = i->writes,
                          .constant = i->constant,
                          .slot = i->symbol != NULL};
  n.nops = x->op_count < OPERANDS ? x->op_count : OPERANDS;
  memcpy(n.op, x->operands, n.nops * sizeof *n.op);
  n.relative = x->encoding.disp_offset;
  n.call = begins(i->mnemonic, "call");
  n.jump = i->mnemonic[0] == 'j' || begins(i->mnemonic, "loop") ||
           begins(i->mnemonic, "bnd j") || begins(i->mnemonic, "notrack");
  n.ret = begins(i->mnemonic, "ret") || begins(i->mnemonic, "bnd ret") ||
          begins(i->mnemonic, "ud2") || begins(i->mnemonic, "hlt") ||
          !strcmp(i->mnemonic, "jmp");
  n.odd = i->mnemonic[0] == 'f' || begins(i->mnemonic, "lock") ||
          begins(i->mnemonic, "x") || begins(i->mnemonic, "pop") ||
          begins(i->mnemonic, "enter") || begins(i->mnemonic, "v") ||
          i->size > 15;
  if (begins(i->mnemonic, "xor"))
    n.odd = false;
  n.told = begins(i->mnemonic, "lock") || begins(i->mnemonic, "x");
  n.rep = begins(i->mnemonic, "rep ");
  n.string =
      n.rep || begins(i->mnemonic, "repne") ||
      (n.nops == 2 && n.op[0].type == X86_OP_MEM && n.op[1].type == X86_OP_MEM);
  if (n.call && i->symbol && begins(i->symbol, "__tsan_"))
    read_hook(&n, i->symbol);
  if (n.call && i->symbol)
    n.copies = !strcmp(i->symbol, "__wrap_memcpy") ||
               !strcmp(i->symbol, "__wrap_memset") ||
               !strcmp(i->symbol, "__wrap_memmove");
  read_registers(&n, (csh)i->handle, raw, &c->wide);
  vec_push(&c->insns, n);
}

/* Set from rsp, and by nothing else but what leaves the frame. */
static bool is_framed(const struct site_code *c) {
  bool framed = false;
  for (uint32_t i = 0; i < c->insns.len; i++) {
    const struct instruction *n = &c->insns.at[i];
    bool leaves = n->id == X86_INS_POP || n->id == X86_INS_LEAVE;
    if (n->call || leaves || !(n->sets & R(RBP)))
      continue;
    framed = n->id == X86_INS_MOV && n->op[1].type == X86_OP_REG &&
             n->op[1].reg == X86_REG_RSP;
    if (!framed)
      return false;
  }
  return framed;
}

void site_code_end(struct site_code *c) {
  c->framed = is_framed(c);
  for (uint32_t i = 0; i < c->insns.len; i++) {
    const struct instruction *j = &c->insns.at[i];
    if (!j->jump || !j->nops || j->op[0].type != X86_OP_IMM)
      continue;
    uint64_t to = (uint64_t)j->op[0].imm;
    uint32_t lo = 0, hi = c->insns.len;
    while (lo < hi) {
      uint32_t mid = (lo + hi) / 2;
      if (c->insns.at[mid].pc < to)
        lo = mid + 1;
      else
        hi = mid;
    }
    if (lo >= c->insns.len || c->insns.at[lo].pc != to)
      continue;
    c->insns.at[lo].target = true;
    c->insns.at[lo].entered |= i < lo;
    c->insns.at[lo].last = i;
  }
}

/* ---- registers that matter ---- */

static const uint64_t arguments = R(RDI) | R(RSI) | R(RDX) | R(RCX) | R(8) |
                                  R(9) | R(10) | R(RAX) | UINT64_C(0xff) << 16;
static const uint64_t results = R(RAX) | R(RDX) | SITE_XMM(0) | SITE_XMM(1);
static const uint64_t all_registers = (UINT64_C(1) << 33) - 1;

/* A hook of a plain access; those of atomics have results. */
static bool is_void(const struct instruction *n) {
  return (n->hook_size || n->hook_range) && !n->hook_atomic;
}

/*
 * What calls leave in registers is chance, and must not become part of a
 * thread's state: a register is kept if it was set since the last call and is
 * used before it is set again.
 */
void site_code_keep(const struct site_code *c, uint64_t *keep) {
  uint64_t set = arguments;
  for (uint32_t i = 0; i < c->insns.len; i++) {
    const struct instruction *n = &c->insns.at[i];
    if (n->target || (i && c->insns.at[i - 1].ret))
      set = all_registers;
    keep[i] = set;
    set = n->call ? (is_void(n) ? 0 : results) : set | n->sets;
  }
  uint64_t used = results;
  for (uint32_t i = c->insns.len; i--;) {
    const struct instruction *n = &c->insns.at[i];
    if (n->jump)
      used = all_registers;
    else if (n->ret)
      used = results;
    else if (n->call)
      used = is_void(n) ? R(RDI) | R(RSI) : arguments;
    used = (used & ~n->kills) | n->uses;
    keep[i] &= used & ~SAVED_BY_CALLEE;
  }
}
