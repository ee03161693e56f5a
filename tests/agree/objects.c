/*
 * Random objects of two or three operations: the tool's verdict, the minimal
 * client and the lines that must be atomic, against the brute force of
 * object_machine.h.
 *
 *   test_agree_objects [FIRST [COUNT]]
 *
 * (A) the tool passes an object, having searched all clients: none of them
 *     fails on the machine.
 * (B) the tool reports a client: it fails on the machine.
 * (C) "proved minimal": with any call removed it does not.
 * (D) lines verified to be enough: with them atomic, no client fails.
 * (E) lines said not to be enough: the named client fails with them atomic.
 */
#include "engine.h"

#include "json_test.h"
#include "object_machine.h"

enum { COUNT = 60, BATCH = 20, CALLS = 2 };

/* ---- making one ---- */

static const char *const object_kinds[] = {
    "plain_load",    "plain_store",  "plain_add",    "plain_copy",
    "volatile_load", "volatile_add", "atomic_load",  "release_store",
    "exchange",      "fetch_add",    "cas",          "choice",
    "lock",          "lock",         "bits_store_a", "bits_store_b",
    "bits_load_a",   "word_store",   "plain_add",    "plain_load"};
enum { NOBJECT_KINDS = sizeof object_kinds / sizeof *object_kinds };

static uint8_t kind_named(const char *name) {
  for (uint8_t i = 0; i < NKINDS; i++)
    if (!strcmp(kinds[i].name, name))
      return i;
  die("no kind %s", name);
}

static uint8_t object_statement(struct program *p, bool inside,
                                struct rng *rng) {
  struct statement s = {.body = NO_NODE, .chance = rng_next(rng)};
  do
    s.kind = kind_named(object_kinds[rng_below(rng, NOBJECT_KINDS)]);
  while (inside && strstr(kinds[s.kind].c, "$B"));
  if (strstr(kinds[s.kind].c, "$B"))
    s.body = object_statement(p, true, rng);
  return add_node(p, s);
}

static void random_object(struct program *p, unsigned number) {
  struct rng rng = {number};
  memset(p, 0, sizeof *p);
  p->number = number;
  p->nthreads = p->nclients = (uint8_t)(2 + rng_below(&rng, 2));
  for (unsigned op = 0; op < p->nclients; op++) {
    p->length[op] = (uint8_t)(1 + rng_below(&rng, 3));
    for (unsigned i = 0; i < p->length[op]; i++)
      p->line[op][i] = object_statement(p, false, &rng);
  }
}

/* ---- as C: a statement a line ---- */

static unsigned count_lines(const struct buf *b) {
  unsigned n = 1;
  for (const char *c = buf_text(b); *c; c++)
    n += *c == '\n';
  return n;
}

/* first_line[op]: of its first statement. */
static void put_object(const struct program *p, struct buf *out,
                       unsigned *first_line) {
  put_numbered(out, program_variables, p->number);
  for (unsigned op = 0; op < p->nclients; op++) {
    buf_printf(out, "static unsigned long t%u_%u(void) {\n", op, p->number);
    buf_puts(out, "  unsigned long r = 0;\n");
    first_line[op] = count_lines(out);
    for (unsigned i = 0; i < p->length[op]; i++) {
      buf_puts(out, "  ");
      expand(p, p->line[op][i], false, out);
      buf_puts(out, " NEXT\n");
    }
    buf_puts(out, "  return r;\n}\n");
  }
  buf_printf(out, "FL_OBJECT(o%u)\n", p->number);
  for (unsigned op = 0; op < p->nclients; op++)
    buf_printf(out, "FL_OP(unsigned long, t%u_%u)\n", op, p->number);
}

/* ---- clients ---- */

/* "t0_7(); {t1_7()} || {t0_7(); t1_7()}; t1_7()"; false: it does not fit. */
static bool read_client(const char *text, struct object_client *c) {
  unsigned part = INITIAL, threads = 0;
  *c = (struct object_client){0};
  for (; *text; text++) {
    if (*text == '{') {
      if (threads == 2)
        return false;
      part = threads++;
    } else if (*text == '}') {
      part = FINAL;
    } else if (*text == 't') {
      if (c->n[part] == 4)
        return false;
      c->call[part][c->n[part]++] = (uint8_t)(text[1] - '0');
    }
  }
  return true;
}

static void without_call(const struct object_client *c, unsigned part,
                         unsigned i, struct object_client *out) {
  *out = *c;
  out->n[part]--;
  memmove(&out->call[part][i], &out->call[part][i + 1], out->n[part] - i);
}

/* Calls fn for every client of two threads of up to CALLS calls each, behind
 * up to one call; false as soon as fn is. */
static bool each_client(const struct program *p,
                        bool (*fn)(const struct object_client *c, void *ctx),
                        void *ctx) {
  unsigned sequences = p->nclients + p->nclients * p->nclients;
  for (unsigned first = 0; first <= p->nclients; first++)
    for (unsigned a = 0; a < sequences; a++)
      for (unsigned b = 0; b <= a; b++) {
        unsigned of[2] = {a, b};
        struct object_client c = {{0}};
        if (first) {
          c.n[INITIAL] = 1;
          c.call[INITIAL][0] = (uint8_t)(first - 1);
        }
        for (unsigned t = 0; t < 2; t++) {
          unsigned k = of[t];
          if (k >= p->nclients) {
            k -= p->nclients;
            c.call[t][c.n[t]++] = (uint8_t)(k / p->nclients);
          }
          c.call[t][c.n[t]++] = (uint8_t)(k % p->nclients);
        }
        if (!fn(&c, ctx))
          return false;
      }
  return true;
}

struct repaired {
  const struct program *object;
  struct atomic_lines block[MOST_BLOCKS];
  unsigned n;
};

static bool passes(const struct object_client *c, void *ctx) {
  const struct repaired *r = ctx;
  return !client_fails(r->object, c, r->block, r->n);
}

/* ---- the tool's report ---- */

struct checked {
  const struct program *object;
  const unsigned *first_line;
  const struct json_node *run;
};

static const char *text_of(const struct json_node *o, const char *key) {
  const char *s = json_text_of(json_get(o, key));
  return s ? s : "";
}

static void wrong(const struct checked *c, const char *what) {
  test_errors++;
  fprintf(stderr, "object %u: %s: client %s\n", c->object->number, what,
          text_of(c->run, "client"));
}

/* Lines of a cause as statements; false: it names others. */
static bool read_blocks(const struct checked *c, const struct json_node *blocks,
                        struct repaired *out) {
  out->object = c->object;
  out->n = 0;
  for (uint32_t i = 0; i < json_len(blocks); i++) {
    const struct json_node *b = json_at(blocks, i);
    unsigned op = (unsigned)(text_of(b, "function")[1] - '0');
    long first = (long)json_number_of(json_get(b, "first"));
    long last = (long)json_number_of(json_get(b, "last"));
    if (op >= c->object->nclients || out->n == MOST_BLOCKS)
      return false;
    long from = c->first_line[op], to = from + c->object->length[op] - 1;
    first = first < from ? from : first;
    last = last > to ? to : last;
    if (first > last)
      return false;
    out->block[out->n++] = (struct atomic_lines){
        (uint8_t)op, (uint8_t)(first - from), (uint8_t)(last - from)};
  }
  return true;
}

static void check_not_enough(const struct checked *c,
                             const struct json_node *cause, unsigned *proved) {
  struct repaired r;
  struct object_client client;
  const char *text = text_of(cause, "still_fails");
  if (!*text || strcmp(text_of(cause, "still_fault"), "not-linearizable") ||
      !read_blocks(c, json_get(cause, "blocks"), &r) ||
      !read_client(text, &client))
    return;
  ++*proved;
  if (!client_fails(c->object, &client, r.block, r.n))
    wrong(c, text); /* E */
}

static void check_causes(const struct checked *c,
                         const struct object_client *client, unsigned *proved) {
  const struct json_node *causes = json_get(c->run, "causes");
  for (uint32_t i = 0; i < json_len(causes); i++) {
    const struct json_node *cause = json_at(causes, i);
    const struct json_node *smaller = json_get(cause, "smaller");
    struct repaired r;
    if (json_is_true(json_get(cause, "enforced")) &&
        read_blocks(c, json_get(cause, "blocks"), &r)) {
      ++*proved;
      if (!each_client(c->object, passes, &r) || !passes(client, &r))
        wrong(c, "the verified lines are not enough"); /* D */
    }
    check_not_enough(c, cause, proved);
    for (uint32_t k = 0; k < json_len(smaller); k++)
      check_not_enough(c, json_at(smaller, k), proved);
  }
}

static void check_minimal(const struct checked *c,
                          const struct object_client *client) {
  struct object_client less;
  for (unsigned part = 0; part < PARTS; part++)
    for (unsigned i = 0; i < client->n[part]; i++) {
      without_call(client, part, i, &less);
      if (client_fails(c->object, &less, NULL, 0))
        wrong(c, "not minimal"); /* C */
    }
}

static void check_object(const struct checked *c, unsigned *proved) {
  struct repaired none = {.object = c->object};
  struct object_client client;
  if (!strcmp(text_of(c->run, "verdict"), "pass")) {
    bool all =
        json_is_true(json_get(json_get(c->run, "coverage"), "exhaustive"));
    if (!CHECK(all) || !each_client(c->object, passes, &none))
      wrong(c, "a client fails"); /* A */
    return;
  }
  if (!read_client(text_of(c->run, "client"), &client))
    return;
  if (!client_fails(c->object, &client, NULL, 0))
    wrong(c, "the client does not fail"); /* B */
  if (json_is_true(json_get(c->run, "client_is_minimal")))
    check_minimal(c, &client);
  check_causes(c, &client, proved);
}

/* ---- */

static const struct json_node *run_tool(const char *file, const char *cc,
                                        const char *opt) {
  char command[512];
  const char *tool = getenv("FAULTLINE");
  snprintf(command, sizeof command,
           "%s %s --json=report.json --cc=%s --opt=%s -t 2 -n %d --init 1 -j 1 "
           "--no-save --no-html --deciding-races=off >text.txt 2>&1",
           tool ? tool : "faultline", file, cc, opt, CALLS);
  int status = system(command);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
    die("%s: status %d", command, status);
  struct buf text = {0};
  struct error e = {0};
  if (buf_read_file(&text, "report.json", &e))
    die("%s", e.text);
  const struct json_node *report = json_parsed(buf_text(&text), text.len);
  if (!report)
    die("report.json is no JSON");
  buf_free(&text);
  return report;
}

static void check_batch(unsigned first, unsigned n, unsigned *violations,
                        unsigned *proved) {
  static const char *const cc[] = {"gcc", "clang"};
  static const char *const opt[] = {"-O0", "-O1", "-O2"};
  static struct program object[BATCH];
  unsigned first_line[BATCH][MOST_THREADS];
  struct buf text = {0};
  buf_puts(&text, program_head);
  for (unsigned i = 0; i < n; i++) {
    random_object(&object[i], first + i);
    put_object(&object[i], &text, first_line[i]);
  }
  scratch_write("objects.c", buf_text(&text));
  unsigned batch = first / BATCH;
  const struct json_node *report =
      run_tool("objects.c", cc[batch % 2], opt[batch % 3]);
  unsigned before = test_errors;
  for (unsigned i = 0; i < n; i++) {
    struct checked c = {&object[i], first_line[i],
                        json_at(json_get(report, "runs"), i)};
    *violations += !!strcmp(text_of(c.run, "verdict"), "pass");
    check_object(&c, proved);
  }
  if (test_errors != before)
    fprintf(stderr, "%s with %s %s\n", buf_text(&text), cc[batch % 2],
            opt[batch % 3]);
  buf_free(&text);
}

int main(int argc, char **argv) {
  unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
  unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : COUNT;
  unsigned violations = 0, proved = 0;
  for (unsigned i = 0; i < count; i += BATCH)
    check_batch(first + i, count - i < BATCH ? count - i : BATCH, &violations,
                &proved);
  CHECK(violations > 0 && proved > 0);
  printf("objects %u to %u: %u fail, %u causes proved, %u wrong\n", first,
         first + count - 1, violations, proved, test_errors);
  return test_errors != 0;
}
