/* Reading entries, and comparing a fault with one. */
#include "model/accept.h"

#include "base/err.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void free_one(struct accept *a) {
  for (uint32_t i = 0; i < a->places.len; i++) {
    free(a->places.at[i].file);
    free(a->places.at[i].function);
  }
  vec_free(&a->places);
  free(a->object);
  free(a->client);
  free(a->reason);
  free(a->from);
}

void accept_free(accept_list *l) {
  for (uint32_t i = 0; i < l->len; i++)
    free_one(&l->at[i]);
  vec_free(l);
}

/* ---- reading ---- */

static char *trimmed(const char *from, const char *end) {
  while (from < end && isspace((unsigned char)*from))
    from++;
  while (end > from && isspace((unsigned char)end[-1]))
    end--;
  return xstrndup(from, (size_t)(end - from));
}

/* The next word, behind which *at then stands. */
static char *word(const char **at) {
  *at += strspn(*at, " \t");
  const char *from = *at;
  *at += strcspn(*at, " \t");
  return xstrndup(from, (size_t)(*at - from));
}

/* A fault can be accepted, a doubt cannot: nothing is known then. */
static bool kind_named(const char *name, enum fault *out) {
  for (int i = FAULT_NONE + 1; i < FAULT_COUNT; i++)
    if (!strcmp(fault_id[i], name) && !fault_is_doubt((enum fault)i)) {
      *out = (enum fault)i;
      return true;
    }
  return false;
}

static char *kinds(void) {
  struct buf b = {0};
  for (int i = FAULT_NONE + 1; i < FAULT_COUNT; i++)
    if (!fault_is_doubt((enum fault)i))
      buf_printf(&b, "%s%s", b.len ? ", " : "", fault_id[i]);
  return b.at;
}

/* `file.c:3`, `file.c:3-4` or `function()`; takes the text. */
static bool read_place(char *text, struct accept_place *out) {
  size_t n = strlen(text);
  char *colon = strrchr(text, ':'), *end = NULL;
  *out = (struct accept_place){0};
  if (n > 2 && !strcmp(text + n - 2, "()")) {
    text[n - 2] = '\0';
    out->function = text;
    return true;
  }
  if (colon && colon > text && isdigit((unsigned char)colon[1])) {
    out->first = out->last = (uint32_t)strtoul(colon + 1, &end, 10);
    if (*end == '-' && isdigit((unsigned char)end[1]))
      out->last = (uint32_t)strtoul(end + 1, &end, 10);
    *colon = '\0';
    out->file = text;
    if (!*end && out->first && out->first <= out->last)
      return true;
  }
  free(text);
  out->file = NULL;
  return false;
}

static int read_places(struct accept *a, const char *from, const char *end,
                       struct error *e) {
  while (from < end) {
    const char *comma = memchr(from, ',', (size_t)(end - from));
    char *text = trimmed(from, comma ? comma : end), *shown = xstrdup(text);
    struct accept_place p;
    if (!read_place(text, &p))
      error_set(
          e, ERR_INPUT,
          "%s: \"%.60s\" is no place: expected FILE:LINE, FILE:LINE-LINE or "
          "FUNCTION()",
          a->from, shown);
    else
      vec_push(&a->places, p);
    free(shown);
    if (e->code || !comma)
      break;
    from = comma + 1;
  }
  return e->code;
}

/* ` at …`, ` in …`, or both in this order, up to `end`. */
static int read_where(struct accept *a, const char *at, const char *end,
                      struct error *e) {
  char *where = trimmed(at, end);
  const char *in = !strncmp(where, "in ", 3) ? where : strstr(where, " in ");
  if (!strncmp(where, "at ", 3))
    read_places(a, where + 3, in ? in : where + strlen(where), e);
  else if (in != where)
    error_set(e, ERR_INPUT,
              "%s: expected `at PLACES` or `in CLIENT` after the kind",
              a->from);
  if (in && !e->code)
    a->client = trimmed(strstr(in, "in ") + 3, in + strlen(in));
  free(where);
  return e->code;
}

static int read_entry(struct accept *a, const char *text, struct error *e) {
  const char *because = strstr(text, " because ");
  const char *at = text;
  if (!because)
    return error_set(
        e, ERR_INPUT,
        "%s: expected `OBJECT KIND at PLACES because REASON`, or with "
        "`in CLIENT`",
        a->from);
  if (!a->object)
    a->object = word(&at);
  char *kind = word(&at);
  if (!kind_named(kind, &a->kind)) {
    char *list = kinds();
    error_set(e, ERR_INPUT, "%s: \"%.40s\" is no kind of fault; kinds: %s",
              a->from, kind, list);
    free(list);
  }
  free(kind);
  if (!e->code && at > because)
    error_set(e, ERR_INPUT,
              "%s: expected `at PLACES` or `in CLIENT` after the kind",
              a->from);
  if (!e->code)
    read_where(a, at, because, e);
  a->reason = trimmed(because + strlen(" because "), text + strlen(text));
  if (!e->code && !*a->reason)
    error_set(e, ERR_INPUT, "%s: the reason is missing", a->from);
  return e->code;
}

int accept_read(accept_list *to, const char *text, const char *object,
                const char *from, struct error *e) {
  struct accept a = {.from = xstrdup(from),
                     .object = object ? xstrdup(object) : NULL};
  if (read_entry(&a, text, e))
    free_one(&a);
  else
    vec_push(to, a);
  return e->code;
}

int accept_read_file(accept_list *to, const char *path, struct error *e) {
  struct buf all = {0};
  uint32_t number = 0;
  if (buf_read_file(&all, path, e))
    return e->code;
  char *rest = all.at;
  for (char *line; !e->code && rest && (line = strsep(&rest, "\n"));) {
    number++;
    line[strcspn(line, "\r")] = '\0';
    line += strspn(line, " \t");
    if (!*line || *line == '#')
      continue;
    char *from = xasprintf("%s:%u", path, number);
    accept_read(to, line, NULL, from, e);
    free(from);
  }
  buf_free(&all);
  return e->code;
}

/* ---- comparing ---- */

/* Does the path end with the other, at a slash? */
static bool is_file(const char *path, const char *end) {
  size_t n = path ? strlen(path) : 0, k = strlen(end);
  return n >= k && !strcmp(path + n - k, end) &&
         (n == k || path[n - k - 1] == '/');
}

static bool meets(const struct accept *a, const char *file,
                  const char *function, uint32_t first, uint32_t last) {
  for (uint32_t i = 0; i < a->places.len; i++) {
    const struct accept_place *p = &a->places.at[i];
    if (p->function
            ? function && !strcmp(p->function, function)
            : first <= p->last && p->first <= last && is_file(file, p->file))
      return true;
  }
  return false;
}

bool accept_has_cause(const struct accept *a, struct cause c) {
  for (uint32_t i = 0; i < c.nblocks; i++) {
    const struct code_block *b = &c.blocks[i];
    if (!meets(a, b->file, b->function, b->first, b->last)) /* A1 */
      return false;
  }
  return c.nblocks;
}

bool accept_has_place(const struct accept *a, const struct place *p) {
  return p && p->line && meets(a, p->file, p->function, p->line, p->line);
}

bool accept_same_client(const struct client *a, const struct client *b) {
  if (a->ncalls != b->ncalls || a->ninit != b->ninit ||
      a->nfinal != b->nfinal || a->nthreads != b->nthreads)
    return false;
  for (uint32_t i = client_first_final(a); i < a->ncalls; i++)
    if (a->calls[i].op != b->calls[i].op)
      return false;
  return a->nthreads ? client_has_part_of(a, b, 1) : client_has_ops_of(a, b, 1);
}
