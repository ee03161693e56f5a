/* Nouns to bytes and back, by their tables. */
#include "base/pack_table.h"

#include <assert.h>
#include <math.h>

static const struct field u32[] = {{.kind = FIELD_NUMBER, .size = 4}};
static const struct field text[] = {{.kind = FIELD_TEXT, .size = 8}};
static const struct field name[] = {{.kind = FIELD_NAME, .size = 8}};
const struct noun noun_u32 = {NOUN(uint32_t, u32)};
const struct noun noun_text = {NOUN(char *, text)};
const struct noun noun_name = {NOUN(char *, name)};

static_assert(sizeof(char *) == 8, "texts are fields of 8 bytes");

/* ---- writing ---- */

static void put32(struct buf *out, uint32_t n) { buf_put(out, &n, sizeof n); }

void pack_text(struct buf *out, const char *s) {
  uint32_t len = s ? (uint32_t)strlen(s) : 0;
  put32(out, s ? len + 1 : 0);
  if (len)
    buf_put(out, s, len);
}

static void *pointer_at(const struct field *f, const void *noun) {
  void *p;
  memcpy(&p, (const char *)noun + f->at, sizeof p);
  return p;
}

static uint32_t count_of(const struct field *f, const void *noun) {
  uint32_t n;
  if (f->count)
    return f->count(noun);
  memcpy(&n, (const char *)noun + f->count_at, sizeof n);
  return n;
}

/* The number of them + 1, or 0: NULL. */
static void pack_many(const struct field *f, const void *noun,
                      struct buf *out) {
  const char *at = pointer_at(f, noun);
  uint32_t n = at ? count_of(f, noun) : 0;
  put32(out, at ? n + 1 : 0);
  for (uint32_t i = 0; i < n; i++)
    noun_pack(f->of, at + (size_t)i * f->of->size, out);
}

static void pack_field(const struct field *f, const void *noun,
                       struct buf *out) {
  const char *at = (const char *)noun + f->at;
  switch (f->kind) {
  case FIELD_NUMBER:
  case FIELD_REAL:
    buf_put(out, at, f->size);
    break;
  case FIELD_TEXT:
  case FIELD_NAME:
    pack_text(out, pointer_at(f, noun));
    break;
  case FIELD_NOUN:
    noun_pack(f->of, at, out);
    break;
  case FIELD_ONE:
    buf_putc(out, pointer_at(f, noun) != NULL);
    if (pointer_at(f, noun))
      noun_pack(f->of, pointer_at(f, noun), out);
    break;
  case FIELD_MANY:
    pack_many(f, noun, out);
    break;
  }
}

void noun_pack(const struct noun *n, const void *noun, struct buf *out) {
  for (uint32_t i = 0; i < n->nfields; i++)
    pack_field(&n->fields[i], noun, out);
  if (n->pack)
    n->pack(noun, out);
}

/* ---- reading ---- */

static uint32_t get32(struct wire *w) {
  uint32_t n = 0;
  const void *at = wire_take(w, sizeof n);
  if (at)
    memcpy(&n, at, sizeof n);
  return n;
}

char *unpack_text(struct unpacking *u) {
  uint32_t n = get32(&u->from);
  const char *at = n ? wire_take(&u->from, n - 1) : NULL;
  if (!at || memchr(at, 0, n - 1)) {
    u->from.bad |= n != 0;
    return NULL;
  }
  char *s = arena_room(u->to, n);
  memcpy(s, at, n - 1);
  s[n - 1] = 0;
  return s;
}

/* The fewest bytes that one takes: so many cannot be there otherwise. */
static size_t least(const struct noun *n) {
  size_t sum = 0;
  for (uint32_t i = 0; i < n->nfields; i++)
    switch (n->fields[i].kind) {
    case FIELD_NUMBER:
    case FIELD_REAL:
      sum += n->fields[i].size;
      break;
    case FIELD_NOUN:
      sum += least(n->fields[i].of);
      break;
    case FIELD_ONE:
      sum += 1;
      break;
    default:
      sum += sizeof(uint32_t);
    }
  return sum;
}

static void unpack_into(const struct noun *n, void *noun, struct unpacking *u);

static void unpack_number(const struct field *f, void *to,
                          struct unpacking *u) {
  const void *from = wire_take(&u->from, f->size);
  uint64_t n = 0; /* the machine is little-endian */
  if (!from)
    return;
  memcpy(to, from, f->size);
  memcpy(&n, from, f->size);
  if (f->bound && n >= f->bound)
    u->from.bad = true;
}

static void unpack_real(void *to, struct unpacking *u) {
  double d = wire_get_real(&u->from);
  if (!isfinite(d) || d < 0)
    u->from.bad = true;
  memcpy(to, &d, sizeof d);
}

static void set_pointer(const struct field *f, void *noun, const void *p) {
  memcpy((char *)noun + f->at, &p, sizeof p);
}

static void unpack_one(const struct field *f, void *noun, struct unpacking *u) {
  const uint8_t *there = wire_take(&u->from, 1);
  if (!there || *there > 1)
    u->from.bad = true;
  else if (*there) {
    void *one = arena_alloc(u->to, f->of->size);
    set_pointer(f, noun, one);
    unpack_into(f->of, one, u);
  }
}

static void unpack_many(const struct field *f, void *noun,
                        struct unpacking *u) {
  struct wire *w = &u->from;
  uint32_t n = get32(w);
  if (!n--)
    return;
  if (w->bad || n > (w->len - w->next) / least(f->of) ||
      (f->count && f->count(noun) != n)) {
    w->bad = true;
    return;
  }
  char *at = arena_alloc(u->to, ((size_t)n + 1) * f->of->size);
  for (uint32_t i = 0; i < n && !w->bad; i++)
    unpack_into(f->of, at + (size_t)i * f->of->size, u);
  set_pointer(f, noun, at);
  if (!f->count)
    memcpy((char *)noun + f->count_at, &n, sizeof n);
}

static void unpack_field(const struct field *f, void *noun,
                         struct unpacking *u) {
  void *at = (char *)noun + f->at;
  switch (f->kind) {
  case FIELD_NUMBER:
    unpack_number(f, at, u);
    break;
  case FIELD_REAL:
    unpack_real(at, u);
    break;
  case FIELD_TEXT:
  case FIELD_NAME:
    set_pointer(f, noun, unpack_text(u));
    if (f->kind == FIELD_NAME && !pointer_at(f, noun))
      u->from.bad = true;
    break;
  case FIELD_NOUN:
    unpack_into(f->of, at, u);
    break;
  case FIELD_ONE:
    unpack_one(f, noun, u);
    break;
  case FIELD_MANY:
    unpack_many(f, noun, u);
    break;
  }
}

static void unpack_into(const struct noun *n, void *noun, struct unpacking *u) {
  for (uint32_t i = 0; i < n->nfields && !u->from.bad; i++)
    unpack_field(&n->fields[i], noun, u);
  if (n->unpack && !u->from.bad)
    n->unpack(noun, u);
  if (n->sound && !u->from.bad && !n->sound(noun))
    u->from.bad = true;
}

void *noun_unpack(const struct noun *n, const void *bytes, size_t len,
                  struct arena *to) {
  struct unpacking u = {.from = {.at = bytes, .len = len}, .to = to};
  void *noun = arena_alloc(to, n->size);
  unpack_into(n, noun, &u);
  return u.from.bad || u.from.next != len ? NULL : noun;
}
