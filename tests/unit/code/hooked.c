/* Which lines the runtime sees. */
#include "scratch.h"

#include "code/hooked.h"

static const char *state(const hooked_list *h, uint32_t line) {
  const struct hooked_line *l = hooked_line(h, "mixed.c", line);
  return !l ? "none" : l->hooked ? "seen" : "unseen";
}

TEST(tells_lines_with_hooks_from_those_without) {
  scratch_write("mixed.c", "#include <pthread.h>\n"
                           "int shared;\n"
                           "pthread_mutex_t m;\n"
                           "void plain(void) {\n"
                           "  shared = 1;\n"
                           "}\n"
                           "__attribute__((no_sanitize_thread))\n"
                           "void bare(void) {\n"
                           "  shared = 2;\n"
                           "}\n"
                           "void locks(void) {\n"
                           "  pthread_mutex_lock(&m);\n"
                           "}\n");
  EACH_COMPILER(cc, opt) {
    char *so = scratch_build(cc, opt, "mixed.c", NULL);
    struct lines *l = scratch_lines(so);
    struct error e = {0};
    hooked_list h = {0};
    CHECK_INT(hooked_lines(l, &(site_list){0}, &h, &e), ERR_NONE);
    CHECK_STR(state(&h, 2), "none");
    CHECK_STR(state(&h, 5), "seen");
    CHECK_STR(state(&h, 9), "unseen");
    CHECK_STR(state(&h, 12), "seen");
    vec_free(&h);
    lines_close(l);
    free(so);
  }
}

TEST_MAIN
