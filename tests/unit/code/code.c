/* What single instructions do, whatever capstone says of their operands. */
#define _GNU_SOURCE

#include "scratch.h"

struct expected {
  const char *text; /* in Intel's syntax */
  enum code_kind kind;
  const char *does; /* r: reads, w: writes, e: escapes the hooks, f: fenv */
};

static const struct expected expected[] = {
    /* stores, for some of which capstone 4 says that they read */
    {"mov [rax], rbx", CODE_PLAIN, "w"},
    {"mov dword ptr [rax], 1", CODE_PLAIN, "w"},
    {"movups [rax], xmm3", CODE_PLAIN, "w"},
    {"movq [rax], xmm3", CODE_PLAIN, "w"},
    {"movsd [rax], xmm3", CODE_PLAIN, "w"},
    {"movhps [rax], xmm3", CODE_PLAIN, "w"},
    {"movnti [rax], rcx", CODE_PLAIN, "w"},
    {"movbe [rax], ecx", CODE_PLAIN, "w"},
    {"pextrq [rax], xmm0, 1", CODE_PLAIN, "w"},
    {"seta [rax]", CODE_PLAIN, "w"},
    {"fstp qword ptr [rax]", CODE_PLAIN, "w"},
    {"fistp qword ptr [rax]", CODE_PLAIN, "w"},
    {"fnstcw [rax]", CODE_PLAIN, "w"},
    {"stosb", CODE_PLAIN, "w"},
    /* loads, for some of which it says that they write */
    {"mov rbx, [rax]", CODE_PLAIN, "r"},
    {"movups xmm3, [rax]", CODE_PLAIN, "r"},
    {"test byte ptr [rax], 1", CODE_PLAIN, "r"},
    {"cmp [rax], rbx", CODE_PLAIN, "r"},
    {"cmp rbx, [rax]", CODE_PLAIN, "r"},
    {"bt qword ptr [rax], 3", CODE_PLAIN, "r"},
    {"mul qword ptr [rax]", CODE_PLAIN, "r"},
    {"idiv qword ptr [rax]", CODE_PLAIN, "r"},
    {"push [rax]", CODE_PLAIN, "r"},
    {"ucomisd xmm0, [rax]", CODE_PLAIN, "r"},
    {"fld qword ptr [rax]", CODE_PLAIN, "r"},
    {"fadd qword ptr [rax]", CODE_PLAIN, "r"},
    {"popcnt rbx, [rax]", CODE_PLAIN, "r"},
    {"fldcw [rax]", CODE_PLAIN, "rf"},
    {"ldmxcsr [rax]", CODE_PLAIN, "rf"},
    /* both */
    {"add dword ptr [rax], 1", CODE_PLAIN, "rw"},
    {"not dword ptr [rax]", CODE_PLAIN, "rw"},
    {"shl dword ptr [rax], 3", CODE_PLAIN, "rw"},
    {"bts qword ptr [rax], 3", CODE_PLAIN, "rw"},
    {"cmpxchg [rax], rbx", CODE_PLAIN, "rw"},
    {"lock cmpxchg [rax], rbx", CODE_PLAIN, "rwe"},
    {"lock cmpxchg16b [rdi]", CODE_PLAIN, "rwe"},
    {"xchg [rax], rbx", CODE_PLAIN, "rwe"},
    {"rep movsq", CODE_PLAIN, "rw"},
    {"repne scasb", CODE_PLAIN, "rw"},
    {"movsq", CODE_PLAIN, "rw"},
    /* neither */
    {"mov [rsp + 8], rbx", CODE_PLAIN, ""},
    {"mov rbx, fs:[rax]", CODE_PLAIN, ""},
    {"lea rbx, [rax + 8]", CODE_PLAIN, ""},
    {"nop dword ptr [rax]", CODE_PLAIN, ""},
    {"prefetcht0 [rax]", CODE_PLAIN, ""},
    {"xchg rax, rbx", CODE_PLAIN, ""},
    {"mfence", CODE_PLAIN, "e"},
    {"fnclex", CODE_PLAIN, "f"},
    /* control flow, with prefixes */
    {"call [rax]", CODE_CALL, ""},
    {"notrack call rax", CODE_CALL, ""},
    {"notrack jmp rax", CODE_JUMP, ""},
    {".byte 0xf2; jmp [rax]", CODE_JUMP, ""}, /* bnd: no longer in binutils */
    {"jmp .", CODE_JUMP, ""},
    {"jae .", CODE_BRANCH, ""},
    {"jrcxz .", CODE_BRANCH, ""},
    {"loop .", CODE_BRANCH, ""},
    {"rep ret", CODE_RETURN, ""},
    {"ret", CODE_RETURN, ""},
    {"ud2", CODE_STOP, ""},
    {"hlt", CODE_STOP, ""},
    {"int3", CODE_STOP, ""}};
enum { EXPECTED = sizeof expected / sizeof *expected };

static void compare(void *ctx, const struct line_symbol *f,
                    const struct code_insn *i) {
  uint32_t *n = ctx;
  if (strcmp(f->name, "all"))
    return;
  if (*n < EXPECTED) {
    const struct expected *x = &expected[*n];
    char does[5] = "", *to = does;
    if (i->reads)
      *to++ = 'r';
    if (i->writes)
      *to++ = 'w';
    if (i->locked)
      *to++ = 'e';
    if (i->fenv)
      *to++ = 'f';
    *to = 0;
    if (!CHECK_STR(does, x->does) | !CHECK_INT(i->kind, x->kind))
      fprintf(stderr, "  of %s\n", x->text);
    /* those that jump to themselves */
    CHECK_INT(i->target, strstr(x->text, " .") ? i->pc : 0);
  }
  ++*n;
}

TEST(each_instruction_is_what_it_is) {
  struct buf b = {0};
  struct error e = {0};
  uint32_t n = 0;
  buf_puts(&b, "asm(\".intel_syntax noprefix\\n.globl all\\n"
               ".type all, @function\\nall:\\n");
  for (uint32_t k = 0; k < EXPECTED; k++)
    buf_printf(&b, "%s\\n", expected[k].text);
  buf_puts(&b, ".size all, . - all\\n.att_syntax\\n\");\n");
  scratch_write("all.c", buf_text(&b));
  buf_free(&b);
  char *so = scratch_build("gcc", "-O1", "all.c", NULL);
  if (!CHECK(so != NULL))
    return;
  struct lines *l = scratch_lines(so);
  CHECK_INT(code_walk(l, compare, &n, &e), ERR_NONE);
  CHECK_INT(n, EXPECTED);
  lines_close(l);
  free(so);
}

TEST_MAIN
