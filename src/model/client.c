/* Clients: building, copying, taking a call out, printing. */
#include "model/client.h"

#include "model/value.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool client_is_sound(const struct client *c) {
  if (c->ninit > c->ncalls || c->nfinal > c->ncalls - c->ninit ||
      c->nthreads > CLIENT_MAX_THREADS)
    return false;
  uint32_t end = client_first_final(c);
  for (uint32_t i = 0; i < c->ncalls; i++) {
    uint32_t t = c->calls[i].thread;
    bool main = i < c->ninit || i >= end;
    if (main ? t != 0 : t < 1 || t > c->nthreads) /* C2 */
      return false;
    if (i > c->ninit && i < end && c->calls[i - 1].thread > t) /* C1 */
      return false;
  }
  return true;
}

void client_check_invariants(const struct client *c) {
  assert(client_is_sound(c));
}

static bool call_equal(const struct call *a, const struct call *b) {
  return a->op == b->op && a->thread == b->thread && a->nargs == b->nargs &&
         memcmp(a->args, b->args, a->nargs * sizeof *a->args) == 0;
}

bool client_equal(const struct client *a, const struct client *b) {
  if (a->ncalls != b->ncalls || a->ninit != b->ninit ||
      a->nfinal != b->nfinal || a->nthreads != b->nthreads)
    return false;
  for (uint32_t i = 0; i < a->ncalls; i++)
    if (!call_equal(&a->calls[i], &b->calls[i]))
      return false;
  return true;
}

void client_copy(struct client *to, const struct client *from) {
  *to = *from;
  to->calls = NULL;
  if (from->ncalls) {
    to->calls = xmalloc(from->ncalls * sizeof *to->calls);
    memcpy(to->calls, from->calls, from->ncalls * sizeof *to->calls);
  }
}

void client_free(struct client *c) {
  free(c->calls);
  *c = (struct client){0};
}

/* Clients are short, so there is no capacity to keep beside the length. */
static void append(struct client *c, uint32_t thread, struct call call) {
  assert(call.nargs <= CLIENT_MAX_ARGS);
  call.thread = (uint8_t)thread;
  c->calls = xrealloc(c->calls, (c->ncalls + 1) * sizeof *c->calls);
  c->calls[c->ncalls++] = call;
}

void client_add_init(struct client *c, struct call call) {
  assert(c->ninit == c->ncalls && c->nthreads == 0); /* C1 */
  append(c, 0, call);
  c->ninit++;
}

void client_add(struct client *c, uint32_t thread, struct call call) {
  assert(thread >= 1 && thread <= CLIENT_MAX_THREADS);
  assert(thread >= c->nthreads && c->nfinal == 0); /* C1 */
  append(c, thread, call);
  c->nthreads = thread;
}

void client_add_final(struct client *c, struct call call) {
  append(c, 0, call);
  c->nfinal++;
}

static bool has_op(const struct client *c, uint16_t op) {
  for (uint32_t i = 0; i < c->ncalls; i++)
    if (c->calls[i].op == op)
      return true;
  return false;
}

bool client_has_ops_of(const struct client *c, const struct client *others,
                       uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = 0;
    while (k < others[i].ncalls && has_op(c, others[i].calls[k].op))
      k++;
    if (k == others[i].ncalls)
      return true;
  }
  return false;
}

void client_without(struct client *to, const struct client *from, uint32_t id) {
  assert(id < from->ncalls);
  *to = (struct client){0};
  uint32_t last = 0; /* the thread of `from` that thread to->nthreads is */
  for (uint32_t i = 0; i < from->ncalls; i++) {
    struct call call = from->calls[i];
    if (i == id)
      continue;
    if (i < from->ninit) {
      client_add_init(to, call);
    } else if (i >= client_first_final(from)) {
      client_add_final(to, call);
    } else {
      uint32_t thread = to->nthreads + (call.thread != last);
      last = call.thread;
      client_add(to, thread, call);
    }
  }
}

const char *op_names_text(const struct op_names *names, int64_t argument) {
  uint64_t n = (uint64_t)argument - (uint64_t)CLIENT_TEXTS;
  return n < names->ntexts ? names->texts[n] : NULL;
}

int64_t op_names_argument(const struct op_names *names, const char *text,
                          size_t n) {
  for (uint32_t i = 0; i < names->ntexts; i++)
    if (strlen(names->texts[i]) == n && !memcmp(names->texts[i], text, n))
      return CLIENT_TEXTS + i;
  return 0;
}

static void print_argument(const struct op_names *names, int64_t v, uint32_t i,
                           struct buf *out) {
  const char *text = op_names_text(names, v);
  buf_puts(out, i ? ", " : "");
  if (text)
    value_print((struct value){VALUE_STRING, (uint64_t)(uintptr_t)text}, out);
  else
    buf_printf(out, "%" PRId64, v);
}

void call_print(const struct call *c, const struct op_names *names,
                struct buf *out) {
  assert(c->op < names->count);
  buf_printf(out, "%s(", names->name[c->op]);
  for (uint32_t i = 0; i < c->nargs; i++)
    print_argument(names, c->args[i], i, out);
  buf_putc(out, ')');
}

/* Calls [from, to), with "; " between them. */
static void print_calls(const struct client *c, uint32_t from, uint32_t to,
                        const struct op_names *names, struct buf *out) {
  for (uint32_t i = from; i < to; i++) {
    if (i > from)
      buf_puts(out, "; ");
    call_print(&c->calls[i], names, out);
  }
}

static void print_threads(const struct client *c, const struct op_names *names,
                          struct buf *out) {
  uint32_t i = c->ninit, end = client_first_final(c);
  for (uint32_t t = 1; t <= c->nthreads; t++) {
    uint32_t from = i;
    while (i < end && c->calls[i].thread == t)
      i++;
    buf_puts(out, t > 1 ? " || {" : "{");
    print_calls(c, from, i, names, out);
    buf_putc(out, '}');
  }
  if (!c->nthreads)
    buf_puts(out, "{}");
}

void client_print(const struct client *c, const struct op_names *names,
                  struct buf *out) {
  print_calls(c, 0, c->ninit, names, out);
  if (c->nthreads || c->nfinal) {
    if (c->ninit)
      buf_puts(out, "; ");
    print_threads(c, names, out);
  }
  if (c->nfinal) {
    buf_puts(out, "; ");
    print_calls(c, client_first_final(c), c->ncalls, names, out);
  }
}
