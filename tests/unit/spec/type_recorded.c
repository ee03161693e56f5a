/*
 * Logs of real systems, read through the readers: the types understand every
 * line, are guessed from the operations, and exact search says what the labels
 * say.
 */
#include "test.h"

#include "base/buf.h"
#include "history/log_check.h"
#include "history/read/read.h"
#include "spec/type.h"

#include <stdlib.h>
#include <unistd.h>

static const char *data(char path[4096], const char *name) {
  const char *source = getenv("SOURCE_DIR");
  snprintf(path, 4096, "%s/../shared/data/%s", source ? source : ".", name);
  return path;
}

static bool is_there(const char *name) {
  char path[4096];
  if (!access(data(path, name), R_OK))
    return true;
  printf("skipped: there is no %s\n", path);
  return false;
}

static enum log_verdict judge(const struct log *l, const char *guess) {
  struct error e = {0};
  const char *name = type_guess(l, &e);
  CHECK_STR(name, guess);
  struct type *t = type_open(guess, l->type_argument, &e);
  struct type_op *ops = xcalloc(l->ops.len + 1, sizeof *ops);
  for (uint32_t i = 0; i < l->ops.len; i++)
    CHECK_INT(t->prepare(t, l, &l->ops.at[i], &ops[i], &e), 0);
  if (e.code)
    fprintf(stderr, "%s\n", e.text);
  struct log_problem p = {l, t, ops, l->ops.len};
  struct log_options o = {.no_monitor = true};
  struct log_answer answer = {0};
  check_log(&p, &o, &answer);
  enum log_verdict verdict = answer.verdict;
  log_answer_free(&answer);
  free(ops);
  type_free(t);
  return verdict;
}

static void is_judged(const char *file, const char *guess, bool linearizable) {
  char path[4096];
  struct error e = {0};
  struct reader *r = reader_open(data(path, file), READ_AUTO, &e);
  struct log l;
  if (!CHECK(r) || !CHECK_INT(reader_log(r, &l, &e), 1)) {
    fprintf(stderr, "%s\n", e.text);
    return;
  }
  if (!CHECK_INT(judge(&l, guess),
                 linearizable ? LOG_LINEARIZABLE : LOG_VIOLATION))
    fprintf(stderr, "%s\n", file);
  log_free(&l);
  reader_close(r);
}

TEST(logs_of_etcd_are_cas_registers) {
  char path[4096], text[256];
  if (!is_there("jepsen/labels.tsv"))
    return;
  FILE *f = fopen(data(path, "jepsen/labels.tsv"), "r");
  unsigned n = 0;
  while (fgets(text, sizeof text, f)) {
    char name[100], file[120], yes[20];
    if (sscanf(text, "%99s %19s", name, yes) != 2 || strncmp(name, "etcd", 4))
      continue;
    snprintf(file, sizeof file, "jepsen/%s", name);
    is_judged(file, "cas-register", !strcmp(yes, "linearizable"));
    n++;
  }
  fclose(f);
  CHECK_INT(n, 51);
}

TEST(key_value_logs_append_texts) {
  if (!is_there("kv/c01-ok.txt"))
    return;
  is_judged("kv/c01-ok.txt", "kv", true);
  is_judged("kv/c01-bad.txt", "kv", false);
  is_judged("kv/c10-ok.txt", "kv", true);
  is_judged("kv/c10-bad.txt", "kv", false);
}

TEST_MAIN
