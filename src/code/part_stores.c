#include "code/part_stores.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what registers hold ---- */

/* The number of a 64-bit register, however narrow its name here; -1: none. */
static int register_of(const char *name, size_t n) {
  static const char *const families[][5] = {
      {"rax", "eax", "ax", "al", "ah"}, {"rbx", "ebx", "bx", "bl", "bh"},
      {"rcx", "ecx", "cx", "cl", "ch"}, {"rdx", "edx", "dx", "dl", "dh"},
      {"rsi", "esi", "si", "sil", ""},  {"rdi", "edi", "di", "dil", ""},
      {"rbp", "ebp", "bp", "bpl", ""},  {"rsp", "esp", "sp", "spl", ""}};
  for (int r = 0; r < 8; r++)
    for (int k = 0; k < 5; k++)
      if (strlen(families[r][k]) == n && n && !strncmp(families[r][k], name, n))
        return r;
  if (n < 2 || name[0] != 'r' || !isdigit((unsigned char)name[1]))
    return -1;
  int r = atoi(name + 1); /* r8 to r15, r8d, r8w, r8b */
  return r >= 8 && r < CODE_REGISTERS ? r : -1;
}

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP };

static struct code_value unknown(struct part_search *s) {
  return (struct code_value){++s->names, 0};
}

static void forget_all(struct part_search *s) {
  for (int r = 0; r < CODE_REGISTERS; r++)
    s->value[r] = unknown(s);
  s->nslots = 0;
}

/* What a call leaves of the registers. */
static void forget_callers(struct part_search *s) {
  static const int lost[] = {RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11};
  for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
    s->value[lost[i]] = unknown(s);
}

/* What lies at a place of the stack; the same until it is written. */
static struct code_value *slot_at(struct part_search *s, const char *text,
                                  size_t n) {
  if (n >= sizeof s->slot[0].text) {
    s->nowhere = unknown(s);
    return &s->nowhere;
  }
  for (uint32_t i = 0; i < s->nslots; i++)
    if (strlen(s->slot[i].text) == n && !strncmp(s->slot[i].text, text, n))
      return &s->slot[i].value;
  if (s->nslots == CODE_SLOTS)
    s->nslots = 0;
  struct code_slot *new = &s->slot[s->nslots++];
  memcpy(new->text, text, n);
  new->text[n] = 0;
  new->value = unknown(s);
  return &new->value;
}

/* ---- operands ---- */

struct operand {
  const char *at;
  size_t len;
  const char *bracket; /* "[rbx + 4]" of memory, or NULL */
  size_t bracket_len;
};

static struct operand operand_of(const char *at, size_t len) {
  while (len && *at == ' ')
    at++, len--;
  struct operand o = {.at = at, .len = len};
  o.bracket = memchr(at, '[', len);
  if (o.bracket) {
    const char *end = memchr(o.bracket, ']', len - (size_t)(o.bracket - at));
    o.bracket_len = end ? (size_t)(end + 1 - o.bracket) : 0;
    if (!end)
      o.bracket = NULL;
  }
  return o;
}

/* "[rbx]", "[rbx + 4]", "[rip - 0x10]"; nothing is known of others. */
static struct code_value address_of(struct part_search *s,
                                    const struct operand *o,
                                    const struct code_insn *i) {
  const char *p = o->bracket + 1, *end = o->bracket + o->bracket_len - 1;
  size_t n = strcspn(p, " ]");
  bool rip = n == 3 && begins(p, "rip");
  int r = rip ? -1 : register_of(p, n);
  if (r < 0 && !rip)
    return unknown(s);
  /* All that is at a fixed place has one name. */
  struct code_value v =
      rip ? (struct code_value){UINT32_MAX, (int64_t)(i->pc + i->size)}
          : s->value[r];
  p += n;
  if (p == end)
    return v;
  bool minus = begins(p, " - ");
  if (!minus && !begins(p, " + "))
    return unknown(s);
  p += 3;
  if (!isdigit((unsigned char)*p))
    return unknown(s); /* an index */
  char *after;
  int64_t d = (int64_t)strtoull(p, &after, 0);
  if (after != end)
    return unknown(s);
  v.offset += minus ? -d : d;
  return v;
}

static uint32_t width_of(const struct operand *o) {
  static const struct {
    const char *word;
    uint32_t bytes;
  } widths[] = {{"byte", 1}, {"word", 2}, {"dword", 4}, {"qword", 8}};
  for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
    if (begins(o->at, widths[k].word))
      return widths[k].bytes;
  return 0;
}

/* ---- following the code ---- */

static bool is(const struct code_insn *i, const char *mnemonic) {
  return !strcmp(i->mnemonic, mnemonic);
}

static void follow(struct part_search *s, const struct code_insn *i) {
  const char *comma = strchr(i->operands, ',');
  size_t len = comma ? (size_t)(comma - i->operands) : strlen(i->operands);
  struct operand to = operand_of(i->operands, len);
  struct operand from =
      comma ? operand_of(comma + 1, strlen(comma + 1)) : (struct operand){0};
  int source = comma && !from.bracket ? register_of(from.at, from.len) : -1;
  if (to.bracket) {
    if (!code_is_stack(i, to.bracket) || is(i, "cmp") || is(i, "test"))
      return;
    struct code_value *v = slot_at(s, to.bracket, to.bracket_len);
    *v = is(i, "mov") && source >= 0 ? s->value[source] : unknown(s);
    return;
  }
  int r = register_of(to.at, to.len);
  if (r < 0 || is(i, "cmp") || is(i, "test") || is(i, "push"))
    return;
  struct code_value v = unknown(s);
  bool whole = to.at[0] == 'r' && isalnum((unsigned char)to.at[to.len - 1]) &&
               !strchr("dwb", to.at[to.len - 1]);
  if (is(i, "mov") && whole && source >= 0)
    v = s->value[source];
  else if (is(i, "mov") && from.bracket && code_is_stack(i, from.bracket))
    v = *slot_at(s, from.bracket, from.bracket_len);
  else if (is(i, "mov") && from.bracket && begins(from.bracket, "[rip")) {
    char at[24]; /* the linker's table of addresses */
    struct code_value table = address_of(s, &from, i);
    snprintf(at, sizeof at, "%llx", (unsigned long long)table.offset);
    v = *slot_at(s, at, strlen(at));
  } else if (is(i, "lea") && from.bracket && !code_is_stack(i, from.bracket))
    v = address_of(s, &from, i);
  else if ((is(i, "add") || is(i, "sub")) && comma && from.len &&
           isdigit((unsigned char)*from.at)) {
    int64_t d = (int64_t)strtoull(from.at, NULL, 0);
    v = s->value[r];
    v.offset += is(i, "add") ? d : -d;
  }
  s->value[r] = v;
}

/* The hook says how many bytes it is about; 0: it has an argument for that. */
static bool is_write_hook(const char *symbol, uint32_t *width) {
  if (!begins(symbol, "__tsan_"))
    return false;
  const char *p = symbol + strlen("__tsan_");
  if (begins(p, "unaligned_"))
    p += strlen("unaligned_");
  if (begins(p, "volatile_"))
    p += strlen("volatile_");
  if (!begins(p, "write"))
    return false;
  p += strlen("write");
  *width = (uint32_t)strtoul(p, NULL, 10);
  return *width || !strcmp(p, "_range");
}

static void found(struct part_search *s, struct code_value address,
                  uint32_t width) {
  int64_t offset = address.offset - s->hooked.offset;
  bool known = address.from == s->hooked.from && offset >= 0 && width &&
               (!s->width || offset + width <= s->width);
  if (known) {
    s->store.offset = (uint32_t)offset;
    s->store.size = width;
  }
  vec_push(s->out, s->store);
  s->pending = false;
}

/* Memory that is read here, with no hook but that of the write. */
static void after_hook(struct part_search *s, const struct code_insn *i) {
  const char *bracket = strchr(i->operands, '[');
  if (!bracket || (!i->reads && !i->writes))
    return;
  const char *comma = strchr(i->operands, ',');
  struct operand o =
      comma && bracket > comma
          ? operand_of(comma + 1, strlen(comma + 1))
          : operand_of(i->operands, comma ? (size_t)(comma - i->operands)
                                          : strlen(i->operands));
  if (!o.bracket)
    return;
  struct code_value at = address_of(s, &o, i);
  uint32_t width = width_of(&o);
  if (i->reads && i->writes) {
    found(s, at, width);
  } else if (i->reads) {
    s->has_read = true;
    s->read = at;
    s->read_width = width;
    snprintf(s->read_text, sizeof s->read_text, "%.*s", (int)o.bracket_len,
             o.bracket);
  } else if (s->has_read && width == s->read_width &&
             ((at.from == s->read.from && at.offset == s->read.offset) ||
              (strlen(s->read_text) == o.bracket_len &&
               !strncmp(s->read_text, o.bracket, o.bracket_len)))) {
    found(s, at, width);
  } else {
    s->pending = false; /* its store, of all its bytes */
  }
}

void part_stores_visit(struct part_search *s, const struct line_symbol *f,
                       const struct code_insn *i) {
  if (s->function != f) {
    s->function = f;
    s->pending = false;
    forget_all(s);
  }
  bool call = begins(i->mnemonic, "call"), jump = i->mnemonic[0] == 'j';
  if (call || jump || begins(i->mnemonic, "ret")) {
    uint32_t width;
    s->pending = call && i->symbol && is_write_hook(i->symbol, &width);
    if (s->pending) {
      s->store = (struct part_store){.pc = i->pc + i->size};
      s->hooked = s->value[RDI];
      s->width = width;
      s->has_read = false;
    }
    if (call)
      forget_callers(s);
    return;
  }
  if (s->pending)
    after_hook(s, i);
  follow(s, i);
}
