/*
 * Histories that were recorded from the real classes of java.util.concurrent:
 * where no two calls overlap, each call must be accepted in its turn, and no
 * other result than the recorded one; and of all of them, exact search with
 * these types must find linearizable those that are labelled so.
 */
#include "test.h"

#include "base/buf.h"
#include "history/log_check.h"
#include "history/read/read.h"
#include "spec/type.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const classes[] = {"ABQ",  "CHM", "CLD", "CLQ", "CSLM",
                                      "CSLS", "LBD", "LBQ", "LTQ", "PBQ"};
enum { NCLASSES = sizeof classes / sizeof *classes, LINES = 400 };

static const char *data(char path[4096], const char *name) {
  const char *source = getenv("SOURCE_DIR");
  snprintf(path, 4096, "%s/../shared/data/juc/%s", source ? source : ".", name);
  return path;
}

/* By line, from labels.tsv: class, line, operations, sequential, linearizable,
 * … */
struct label {
  bool known, sequential, linearizable;
};

static bool read_labels(const char *class, struct label labels[LINES]) {
  char path[4096], text[512];
  FILE *f = fopen(data(path, "labels.tsv"), "r");
  if (!f)
    return false;
  memset(labels, 0, LINES * sizeof *labels);
  while (fgets(text, sizeof text, f)) {
    char name[16];
    unsigned line, ops, seq, lin;
    if (sscanf(text, "%15s %u %u %u %u", name, &line, &ops, &seq, &lin) == 5 &&
        !strcmp(name, class) && line < LINES)
      labels[line] = (struct label){true, seq, lin};
  }
  fclose(f);
  return true;
}

static void told(const struct log *l, const struct type_op *op, struct type *t,
                 uint32_t state) {
  struct buf b = {0};
  buf_printf(&b, "%s %u: ", l->source, l->index);
  log_print_op(l, op->op, &b);
  buf_puts(&b, " in ");
  t->print_state(t, state, &b);
  buf_puts(&b, " gives ");
  t->answer(t, state, op, &b);
  fprintf(stderr, "%s\n", buf_text(&b));
  buf_free(&b);
}

/* Another result than the recorded one is not accepted: the answers of the
 * type are functions of its state. */
static void only_this_result(struct type *t, uint32_t state,
                             const struct type_op *op) {
  struct type_op other = *op;
  uint32_t next[TYPE_NEXT];
  if (op->result == DATUM_NONE)
    return;
  other.result = datum_text("something else", 14);
  CHECK_INT(t->step(t, state, &other, next), 0);
}

static void runs_in_order(const struct log *l) {
  struct error e = {0};
  struct type *t = type_open(l->type, l->type_argument, &e);
  if (!CHECK(t)) {
    fprintf(stderr, "%s\n", e.text);
    return;
  }
  uint32_t state = t->initial, next[TYPE_NEXT];
  for (uint32_t i = 0; i < l->ops.len; i++) {
    struct type_op op;
    if (!CHECK_INT(t->prepare(t, l, &l->ops.at[i], &op, &e), 0)) {
      fprintf(stderr, "%s\n", e.text);
      break;
    }
    CHECK(!op.any_result);
    if (!CHECK_INT(t->step(t, state, &op, next), 1)) {
      told(l, &op, t, state);
      break;
    }
    only_this_result(t, state, &op);
    state = next[0];
  }
  type_free(t);
}

/* Whether some order explains the history. */
static bool linearizable(const struct log *l) {
  struct error e = {0};
  struct type *t = type_open(l->type, l->type_argument, &e);
  struct type_op *ops = xcalloc(l->ops.len + 1, sizeof *ops);
  for (uint32_t i = 0; i < l->ops.len; i++)
    CHECK_INT(t->prepare(t, l, &l->ops.at[i], &ops[i], &e), 0);
  struct log_problem p = {l, t, ops, l->ops.len};
  struct log_budget none = {0};
  struct log_answer answer = {0};
  check_depth_first(&p, &none, false, &answer);
  bool yes = answer.verdict == LOG_LINEARIZABLE;
  log_answer_free(&answer);
  free(ops);
  type_free(t);
  return yes;
}

static void is_as_labelled(const struct log *l, const struct label *label) {
  if (!CHECK_INT(linearizable(l), label->linearizable))
    fprintf(stderr, "%s, history %u\n", l->source, l->index);
}

struct counts {
  unsigned sequential, all, violations;
};

static struct counts run_class(const char *class, bool search) {
  struct label labels[LINES];
  char path[4096], name[32];
  struct counts n = {0};
  read_labels(class, labels);
  snprintf(name, sizeof name, "%s.jsonl.gz", class);
  struct error e = {0};
  struct reader *r = reader_open(data(path, name), READ_AUTO, &e);
  if (!CHECK(r)) {
    fprintf(stderr, "%s\n", e.text);
    return n;
  }
  struct log l;
  int more;
  for (; (more = reader_log(r, &l, &e)) == 1; log_free(&l)) {
    const struct label *label = &labels[l.index < LINES ? l.index : 0];
    if (!CHECK(label->known))
      continue;
    n.all++;
    n.violations += !label->linearizable;
    n.sequential += label->sequential;
    if (search)
      is_as_labelled(&l, label);
    else if (label->sequential)
      runs_in_order(&l);
  }
  if (!CHECK_INT(more, 0))
    fprintf(stderr, "%s\n", e.text);
  reader_close(r);
  return n;
}

/* How many classes there are data of. */
static int nclasses(void) {
  char path[4096];
  if (!access(data(path, "labels.tsv"), R_OK))
    return NCLASSES;
  printf("skipped: there is no %s\n", path);
  return 0;
}

TEST(recorded_sequential_histories_are_accepted) {
  for (int i = 0, n_classes = nclasses(); i < n_classes; i++) {
    struct counts n = run_class(classes[i], false);
    CHECK(n.sequential > 0);
    printf("%s: %u sequential histories\n", classes[i], n.sequential);
  }
}

TEST(recorded_histories_are_linearizable_as_labelled) {
  for (int i = 0, n_classes = nclasses(); i < n_classes; i++) {
    struct counts n = run_class(classes[i], true);
    CHECK_INT(n.all, 300);
    printf("%s: %u histories, %u of them violations\n", classes[i], n.all,
           n.violations);
  }
}

TEST_MAIN
