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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bit_of(unsigned r) {
  int width, n = code_register(r, &width);
  if (n >= 0)
    return UINT64_C(1) << n;
  if (r >= X86_REG_XMM0 && r <= X86_REG_XMM15)
    return SITE_XMM(r - X86_REG_XMM0);
  if (r >= X86_REG_YMM0 && r <= X86_REG_YMM15)
    return SITE_XMM(r - X86_REG_YMM0);
  return r == X86_REG_EFLAGS ? SITE_FLAGS : 0;
}

static bool is_wide(unsigned r) {
  return r >= X86_REG_YMM0 && r <= X86_REG_YMM15;
}
static bool is_widest(unsigned r) {
  return (r >= X86_REG_YMM16 && r <= X86_REG_YMM31) ||
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

/* Moves that leave nothing of a vector register's old value. */
static bool fills_register(unsigned id) {
  switch (id) {
  case X86_INS_MOVQ:
  case X86_INS_MOVDQA:
  case X86_INS_MOVDQU:
  case X86_INS_MOVAPS:
  case X86_INS_MOVAPD:
  case X86_INS_MOVUPS:
  case X86_INS_MOVUPD:
    return true;
  default:
    return false;
  }
}

/* Others leave some, or leave them all when they shift by 0. */
static bool sets_all_flags(unsigned id) {
  switch (id) {
  case X86_INS_ADD:
  case X86_INS_SUB:
  case X86_INS_CMP:
  case X86_INS_TEST:
  case X86_INS_AND:
  case X86_INS_OR:
  case X86_INS_XOR:
  case X86_INS_NEG:
  case X86_INS_XADD:
  case X86_INS_CMPXCHG:
    return true;
  default:
    return false;
  }
}

/* Encoded with a VEX or an EVEX prefix (AVX and later). */
static bool is_vex(const cs_insn *raw) {
  static const uint8_t legacy[] = {0x66, 0xf2, 0xf3, 0x2e, 0x36, 0x3e,
                                   0x26, 0x64, 0x65, 0x67, 0xf0};
  int k = 0;
  while (k < raw->size && memchr(legacy, raw->bytes[k], sizeof legacy))
    k++;
  return k < raw->size && (raw->bytes[k] == 0xc4 || raw->bytes[k] == 0xc5 ||
                           raw->bytes[k] == 0x62);
}

/* Can the instruction not be carried out elsewhere, with another address? */
static bool is_odd(const cs_insn *raw) {
  const cs_x86 *x = &raw->detail->x86;
  switch (raw->id) {
  case X86_INS_XLATB:
  case X86_INS_XSAVE:
  case X86_INS_XSAVE64:
  case X86_INS_XSAVEOPT:
  case X86_INS_XSAVEOPT64:
  case X86_INS_XSAVEC:
  case X86_INS_XSAVEC64:
  case X86_INS_XSAVES:
  case X86_INS_XSAVES64:
  case X86_INS_XRSTOR:
  case X86_INS_XRSTOR64:
  case X86_INS_XRSTORS:
  case X86_INS_XRSTORS64:
  case X86_INS_FXSAVE:
  case X86_INS_FXSAVE64:
  case X86_INS_FXRSTOR:
  case X86_INS_FXRSTOR64:
  case X86_INS_POP:
  case X86_INS_ENTER:
    return true;
  default:
    break;
  }
  bool x87 = x->opcode[0] >= 0xd8 && x->opcode[0] <= 0xdf;
  return x87 || is_vex(raw);
}

/* What the engine does in the place of the instruction. */
static uint8_t special_of(const cs_insn *raw, bool memory) {
  bool lock = raw->detail->x86.prefix[0] == X86_PREFIX_LOCK;
  switch (raw->id) {
  case X86_INS_CMPXCHG:
  case X86_INS_CMPXCHG8B:
  case X86_INS_CMPXCHG16B:
    return lock && memory ? SITE_CAS : NOT_SPECIAL;
  case X86_INS_XCHG:
    return memory ? SITE_ATOMIC : NOT_SPECIAL;
  case X86_INS_MFENCE:
  case X86_INS_CPUID:
    return SITE_FENCE;
  case X86_INS_PAUSE:
    return SITE_PAUSE;
  case X86_INS_RDTSC:
  case X86_INS_RDTSCP:
    return SITE_CLOCK;
  case X86_INS_SYSCALL:
    return SITE_CALL;
  case X86_INS_SYSENTER:
  case X86_INS_INT:
  case X86_INS_RDRAND:
  case X86_INS_RDSEED:
  case X86_INS_XBEGIN:
  case X86_INS_MONITOR:
  case X86_INS_MWAIT:
  case X86_INS_WRFSBASE:
  case X86_INS_WRGSBASE:
    return SITE_REFUSED;
  default:
    return lock && memory ? SITE_ATOMIC : NOT_SPECIAL;
  }
}

/* bt, bts, btr and btc: the bit may lie beyond the operand. */
static bool is_by_bit(const struct instruction *n) {
  return (n->id == X86_INS_BT || n->id == X86_INS_BTS || n->id == X86_INS_BTR ||
          n->id == X86_INS_BTC) &&
         n->nops == 2 && n->op[0].type == X86_OP_MEM &&
         n->op[1].type == X86_OP_REG;
}

/* Of an instruction with an effect on registers that capstone may not know:
 * what it can use, and set. */
static void widen_registers(struct instruction *n) {
  static const uint64_t both = R(RAX) | R(RDX), all = both | R(RBX) | R(RCX);
  for (int k = 0; k < n->nops; k++)
    if (n->op[k].type == X86_OP_REG) {
      n->uses |= bit_of(n->op[k].reg);
      n->sets |= bit_of(n->op[k].reg);
    }
  if (n->special == SITE_CAS || n->id == X86_INS_CMPXCHG) {
    n->uses |= n->id == X86_INS_CMPXCHG ? R(RAX) : all;
    n->sets |= n->id == X86_INS_CMPXCHG ? R(RAX) : both;
  } else if (n->special == SITE_CLOCK || n->id == X86_INS_CPUID) {
    n->uses |= R(RAX) | R(RCX);
    n->sets |= all;
  } else if (n->special == SITE_CALL) {
    n->uses |= R(RAX) | R(RDI) | R(RSI) | R(RDX) | R(10) | R(8) | R(9);
    n->sets |= R(RAX) | R(RCX) | R(11);
  }
  n->kills &= n->op[0].type == X86_OP_REG ? ~bit_of(n->op[0].reg) : n->kills;
}

static void read_registers(struct instruction *n, csh handle,
                           const cs_insn *raw, struct site_code *c) {
  cs_regs uses, sets;
  uint8_t nuses = 0, nsets = 0;
  if (cs_regs_access(handle, raw, uses, &nuses, sets, &nsets)) {
    n->uses = n->sets = ~UINT64_C(0);
    return;
  }
  for (int k = 0; k < nuses; k++) {
    n->uses |= bit_of(uses[k]);
    c->wide |= is_wide(uses[k]);
    c->widest |= is_widest(uses[k]);
  }
  for (int k = 0; k < nsets; k++) {
    int width;
    n->sets |= bit_of(sets[k]);
    c->wide |= is_wide(sets[k]);
    c->widest |= is_widest(sets[k]);
    if (code_register(sets[k], &width) >= 0 && width >= 4)
      n->kills |= bit_of(sets[k]);
  }
  if (fills_register(raw->id) && n->nops && n->op[0].type == X86_OP_REG)
    n->kills |= bit_of(n->op[0].reg);
  if (cs_insn_group(handle, raw, X86_GRP_CMOV))
    n->uses |= n->sets, n->kills = 0;
  if (n->sets & SITE_FLAGS && sets_all_flags(n->id))
    n->kills |= SITE_FLAGS;
  if (n->string)
    n->uses |= R(RAX) | R(RCX) | R(RSI) | R(RDI);
  if (n->special != NOT_SPECIAL || n->odd)
    widen_registers(n);
}

void site_code_add(struct site_code *c, const struct code_insn *i) {
  const cs_insn *raw = i->raw;
  const cs_x86 *x = code_x86(i);
  struct instruction n = {.pc = i->pc,
                          .id = raw->id,
                          .length = (uint8_t)i->size,
                          .reads = i->reads,
                          .writes = i->writes,
                          .constant = i->constant,
                          .to = UINT32_MAX,
                          .slot = i->symbol != NULL};
  n.nops = x->op_count < OPERANDS ? x->op_count : OPERANDS;
  memcpy(n.op, x->operands, n.nops * sizeof *n.op);
  n.relative = x->encoding.disp_offset;
  n.call = i->kind == CODE_CALL;
  n.jump = i->kind == CODE_JUMP || i->kind == CODE_BRANCH;
  n.ret = i->kind == CODE_JUMP || i->kind == CODE_RETURN ||
          i->kind == CODE_STOP; /* what follows is not reached from here */
  n.odd = is_odd(raw);
  n.landing = raw->id == X86_INS_ENDBR64;
  n.special = special_of(raw, code_memory(i) != NULL);
  n.by_bit = is_by_bit(&n);
  snprintf(n.name, sizeof n.name, "%s", i->mnemonic);
  if (code_repeats(i))
    n.repeat =
        x->prefix[0] == X86_PREFIX_REP ? SITE_WHILE_EQUAL : SITE_WHILE_NOT;
  n.string = code_repeats(i) || (n.nops == 2 && n.op[0].type == X86_OP_MEM &&
                                 n.op[1].type == X86_OP_MEM);
  if (n.call && i->symbol && begins(i->symbol, "__tsan_"))
    read_hook(&n, i->symbol);
  if (n.call && i->symbol)
    n.copies = !strcmp(i->symbol, "__wrap_memcpy") ||
               !strcmp(i->symbol, "__wrap_memset") ||
               !strcmp(i->symbol, "__wrap_memmove");
  read_registers(&n, (csh)i->handle, raw, c);
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
  c->bare = true;
  c->computed = false;
  for (uint32_t i = 0; i < c->insns.len; i++) {
    const struct instruction *n = &c->insns.at[i];
    c->bare &= !n->hook;
    c->computed |= n->jump && !n->slot && n->op[0].type != X86_OP_IMM;
  }
  for (uint32_t i = 0; i < c->insns.len; i++) {
    struct instruction *j = &c->insns.at[i];
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
    j->to = lo;
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

/* An instruction that control goes to from this one, besides the next. */
static const uint32_t nowhere = UINT32_MAX;

static bool goes_on(const struct instruction *n) { return !n->ret; }

/* What is set behind the instruction, and what is used before it. */
static uint64_t set_behind(const struct site_code *c,
                           const struct instruction *n, uint64_t set) {
  if (!n->call)
    return set | n->sets;
  return c->bare ? all_registers : is_void(n) ? 0 : results;
}

static uint64_t used_before(const struct site_code *c,
                            const struct instruction *n, uint64_t used) {
  if (n->call)
    used = is_void(n) ? R(RDI) | R(RSI) : c->bare ? all_registers : arguments;
  else if (n->jump && n->to == nowhere)
    used = all_registers;
  else if (n->ret && !n->jump)
    used = c->bare ? all_registers : results;
  return (used & ~n->kills) | n->uses;
}

static bool add_bits(uint64_t *to, uint64_t bits) {
  uint64_t was = *to;
  *to |= bits;
  return *to != was;
}

/*
 * What calls leave in registers is chance, and must not become part of a
 * thread's state: a register is kept if it may have been set since the last
 * call and may be used before it is set again.
 */
void site_code_keep(const struct site_code *c, uint64_t *keep) {
  uint32_t n = c->insns.len;
  uint64_t *set = xcalloc(n + 1, sizeof *set),
           *used = xcalloc(n + 1, sizeof *used);
  for (uint32_t i = 0; i < n; i++)
    if (i && (c->computed || c->insns.at[i].landing || c->insns.at[i - 1].ret))
      set[i] = all_registers; /* who knows from where */
  if (n)
    set[0] |= arguments;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < n; i++) {
      const struct instruction *at = &c->insns.at[i];
      uint64_t behind = set_behind(c, at, set[i]);
      if (goes_on(at))
        more |= add_bits(&set[i + 1], behind);
      if (at->to != nowhere)
        more |= add_bits(&set[at->to], behind);
    }
    for (uint32_t i = n; i--;) {
      const struct instruction *at = &c->insns.at[i];
      uint64_t behind = goes_on(at) ? used[i + 1] : 0;
      if (at->to != nowhere)
        behind |= used[at->to];
      more |= add_bits(&used[i], used_before(c, at, behind));
    }
  }
  for (uint32_t i = 0; i < n; i++)
    keep[i] = set[i] & used[i] & ~SAVED_BY_CALLEE;
  free(set);
  free(used);
}
