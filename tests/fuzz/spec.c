/*
 * FL_SPEC: the first line of a text is the type, the rest the roles.  What is
 * accepted must answer every call in every state that it leads to.
 */
#define FUZZ_NAME "spec"
#include "fuzz.h"

#include "spec/spec.h"
#include "suites.h"

static const struct suite_op all[] = {
    {"put", FL_TYPE_VOID, 0, 1, false},    {"offer", FL_TYPE_BOOL, 1, 1, false},
    {"get", FL_TYPE_INT, 4, 0, false},     {"await", FL_TYPE_INT, 4, 0, true},
    {"find", FL_TYPE_BOOL, 1, 1, false},   {"drop", FL_TYPE_BOOL, 1, 1, false},
    {"assign", FL_TYPE_BOOL, 1, 2, false}, {"look", FL_TYPE_INT, 4, 1, false},
    {"poke", FL_TYPE_VOID, 0, 0, false},   {"is", FL_TYPE_BOOL, 1, 0, false},
};
enum { MOST = sizeof all / sizeof *all, STEPS = 24 };

/* A walk through the states, the same for every text. */
static void use(struct spec *s, const struct suite_op *ops, uint32_t nops) {
  struct client c = {0};
  for (uint32_t i = 0; i < 2 * nops; i++) {
    struct call call = {.op = (uint16_t)(i % nops),
                        .nargs = (uint8_t)ops[i % nops].nargs,
                        .args = {1 + i / nops, 1 + i / nops}};
    client_add(&c, 1, call);
  }
  uint32_t state = s->initial;
  for (uint32_t i = 0; i < STEPS; i++) {
    struct value result = value_void(), once_more = value_void();
    uint32_t next = 0, same = 0, call = i * 5 % c.ncalls;
    enum spec_answer a = spec_apply(s, &c, state, call, &result, &next);
    FUZZ_CHECK(a == SPEC_RETURNS || a == SPEC_WAITS);
    FUZZ_CHECK(a == spec_apply(s, &c, state, call, &once_more, &same)); /* S2 */
    if (a != SPEC_RETURNS)
      continue;
    FUZZ_CHECK(value_equal(result, once_more) && next == same);
    state = next;
    s->digest(s, state);
  }
  client_free(&c);
}

static void fuzz_one(const char *text, size_t len) {
  struct buf type = {0};
  (void)len;
  while (*text && *text != '\n')
    buf_putc(&type, *text++);
  /* The object has the operations that the text mentions. */
  struct suite_op ops[MOST];
  uint32_t nops = 0;
  for (uint32_t i = 0; i < MOST; i++)
    if (strstr(text, all[i].name))
      ops[nops++] = all[i];
  struct suite suite;
  struct error e = {0};
  struct spec *s = spec_builtin(
      suite_make(&suite, buf_text(&type), text, ops, nops, 1, 2), &e);
  FUZZ_CHECK(!s == !!e.code);
  FUZZ_CHECK(!e.code || (e.code == ERR_INPUT && e.text[0]));
  for (uint32_t i = 0; i < nops; i++)
    spec_arg_is_data(&suite.suite, i, 0);
  if (s && nops)
    use(s, ops, nops);
  spec_free(s);
  buf_free(&type);
}
