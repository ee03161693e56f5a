#define _GNU_SOURCE /* memmem */

#include "code/code.h"

#include "base/text.h"

#include <capstone/capstone.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slot { /* where the loader puts the address of an imported symbol */
  uint64_t addr;
  const char *name;
};

struct section {
  uint64_t addr, size;
  const uint8_t *bytes; /* NULL for .bss */
  bool code, writable;
};

struct code {
  VEC(struct slot) slots;
  VEC(struct section) sections;
};

static void read_slots(struct code *c, Elf *elf, Elf_Scn *scn,
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
    struct slot slot = {r.r_offset, name};
    if (name && *name)
      vec_push(&c->slots, slot);
  }
}

static int by_slot(const void *a, const void *b) {
  const struct slot *x = a, *y = b;
  return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void read_sections(struct code *c, Elf *elf) {
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
    struct section s = {sh.sh_addr, sh.sh_size, data ? data->d_buf : NULL,
                        sh.sh_flags & SHF_EXECINSTR, sh.sh_flags & SHF_WRITE};
    vec_push(&c->sections, s);
  }
  if (c->slots.len)
    qsort(c->slots.at, c->slots.len, sizeof *c->slots.at, by_slot);
}

static const struct section *section_at(const struct code *c, uint64_t addr) {
  for (uint32_t i = 0; i < c->sections.len; i++)
    if (addr - c->sections.at[i].addr < c->sections.at[i].size)
      return &c->sections.at[i];
  return NULL;
}

static const char *slot_name(const struct code *c, uint64_t addr) {
  struct slot key = {addr, NULL};
  const struct slot *s = c->slots.len ? bsearch(&key, c->slots.at, c->slots.len,
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
static const char *stub_symbol(const struct code *c, uint64_t addr) {
  const struct section *s = section_at(c, addr);
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

/* The address in "[rip + 0x2fe2]", or 0. */
static uint64_t rip_target(const cs_insn *i) {
  const char *p = strstr(i->op_str, "[rip");
  if (!p)
    return 0;
  p += 4;
  uint64_t next = i->address + i->size;
  if (*p == ']')
    return next;
  bool minus = strstr(p, "- ") == p + 1;
  uint64_t d = strtoull(p + 3, NULL, 0);
  return minus ? next - d : next + d;
}

static const char *symbol_of(const struct code *c, const cs_insn *i) {
  const uint8_t *b = i->bytes;
  uint64_t target = rip_target(i);
  if (target)
    return slot_name(c, target);
  /* call or jmp, relative; the linker leaves a prefix when it relaxes */
  if (*b == 0x67 || *b == 0xf2)
    b++;
  if (*b == 0xe8 || *b == 0xe9)
    return stub_symbol(c, i->address + i->size +
                              (uint64_t)(int64_t)displacement(b + 1));
  return NULL;
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

bool code_is_stack(const struct code_insn *i, const char *bracket) {
  return begins(bracket, "[rsp") || (i->framed && begins(bracket, "[rbp"));
}

/* Of those whose first operand is memory: does it not read it? */
static bool only_writes(const char *mnemonic) {
  static const char *const list[] = {"mov",  "vmov",  "set",    "fst",
                                     "fist", "pextr", "vpextr", "vextract"};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (begins(mnemonic, list[k]))
      return true;
  return false;
}

/* Does the instruction touch memory that another thread could see? */
static void access_of(const struct code *c, const cs_insn *i,
                      struct code_insn *out) {
  const char *m = i->mnemonic, *bracket = strchr(i->op_str, '[');
  if (begins(m, "lea") && rip_target(i)) {
    const struct section *s = section_at(c, rip_target(i));
    out->constant = s && !s->writable;
  }
  if (begins(m, "rep")) { /* string instructions: from rsi to rdi */
    out->reads = out->writes = true;
    return;
  }
  if (!bracket || begins(m, "lea") || begins(m, "nop") || begins(m, "call") ||
      begins(m, "jmp") || begins(m, "prefetch") || begins(m, "endbr") ||
      begins(m, "notrack") || begins(m, "bnd"))
    return;
  if (code_is_stack(out, bracket) || strstr(i->op_str, "fs:"))
    return;
  uint64_t target = rip_target(i);
  if (target) {
    const struct section *s = section_at(c, target);
    if (!s || !s->writable || slot_name(c, target))
      return;
  }
  const char *comma = strchr(i->op_str, ',');
  bool first = !comma || bracket < comma;
  out->writes = first && !begins(m, "cmp") && !begins(m, "test") &&
                !begins(m, "push") && !begins(m, "ucomis") &&
                !begins(m, "comis");
  out->reads = !first || !only_writes(m);
}

static void walk_function(struct code *c, csh handle, cs_insn *insn,
                          const struct line_symbol *f, code_visit *visit,
                          void *ctx) {
  const struct section *s = section_at(c, f->addr);
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
    i.symbol = symbol_of(c, insn);
    access_of(c, insn, &i);
    visit(ctx, f, &i);
  }
}

int code_walk(struct lines *l, code_visit *visit, void *ctx, struct error *e) {
  struct code c = {0};
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
    if (!f->function || !f->size || f->addr < done)
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
