/* How each block of a cause could be made atomic, in the author's words. */
#include "diagnose/causes_int.h"

#include "locate/realise.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A source that is quoted from. */
struct quoted {
  char *file;
  struct buf text;
  struct ctext c;
};

struct speaker {
  struct lines *lines;
  VEC(struct quoted) sources;
  const struct trace *named; /* the trace that `names` is of */
  struct names *names;
};

static const struct ctext *source(struct speaker *s, const char *file) {
  for (uint32_t i = 0; i < s->sources.len; i++)
    if (!strcmp(s->sources.at[i].file, file))
      return &s->sources.at[i].c;
  struct quoted q = {.file = xstrdup(file)};
  struct error ignored = {0};
  buf_read_file(&q.text, file, &ignored);
  ctext_read(&q.c, buf_text(&q.text), q.text.len, NULL, NULL);
  vec_push(&s->sources, q);
  return &vec_last(&s->sources).c;
}

static bool update(void *ctx, uint64_t pc, struct phrase_update *out) {
  struct speaker *s = ctx;
  const struct place *p = pc ? place_own(lines_place(s->lines, pc - 1)) : NULL;
  if (!p || !p->file || !p->line)
    return false;
  bool known = phrase_update(source(s, p->file), p->line, p->column, out);
  if (!known)
    phrase_update_free(out);
  return known;
}

static void call(void *ctx, const char *file, uint32_t line, struct buf *out) {
  struct speaker *s = ctx;
  if (file && !phrase_call(source(s, file), line, out))
    buf_clear(out);
}

static bool moves(void *ctx, const char *file, uint32_t line, uint32_t to) {
  return !file || phrase_moves(source(ctx, file), line, to);
}

/* stack#1.items[0] is one of many: stack.items[…]. */
static void put_field(const char *name, struct buf *out) {
  for (const char *p = name; *p;) {
    size_t n = strspn(p + 1, "0123456789");
    if (*p == '#' && n) {
      p += 1 + n;
    } else if (*p == '[' && n && p[1 + n] == ']') {
      buf_puts(out, "[…]");
      p += n + 2;
    } else {
      buf_putc(out, *p++);
    }
  }
}

static void name(void *ctx, const struct trace *t, uint64_t addr, uint64_t size,
                 struct buf *out) {
  struct speaker *s = ctx;
  struct buf b = {0};
  if (s->named != t) {
    if (s->names)
      names_free(s->names);
    s->names = names_new(s->lines, t, NULL);
    s->named = t;
  }
  names_location(s->names, rt_base(), addr, size, t->nevents, &b);
  if (strncmp(buf_text(&b), "0x", 2) && strncmp(buf_text(&b), "block#", 6))
    put_field(buf_text(&b), out);
  buf_free(&b);
}

static void end_speaker(struct speaker *s) {
  for (uint32_t i = 0; i < s->sources.len; i++) {
    struct quoted *q = &s->sources.at[i];
    ctext_free(&q->c);
    buf_free(&q->text);
    free(q->file);
  }
  vec_free(&s->sources);
  if (s->names)
    names_free(s->names);
}

/* The words for one block, or for several that get the same. */
struct advice {
  struct buf text;
  VEC(struct code_block) blocks;
  bool new_lock;
};

typedef VEC(struct advice) advice_vec;

static void add_advice(advice_vec *v, const struct code_block *b,
                       struct buf *text, bool new_lock) {
  uint32_t i = 0;
  while (i < v->len && (v->at[i].new_lock != new_lock ||
                        strcmp(buf_text(&v->at[i].text), buf_text(text))))
    i++;
  if (i == v->len)
    vec_push(v, ((struct advice){.text = *text, .new_lock = new_lock}));
  else
    buf_free(text);
  vec_push(&v->at[i].blocks, *b);
}

/* Which of several blocks the words are about: "for lines 8-9 and 12-14, " */
static void put_about(const struct advice *a, struct buf *out) {
  bool one =
      a->blocks.len == 1 && a->blocks.at[0].first == a->blocks.at[0].last;
  buf_puts(out, one ? "for line " : "for lines ");
  for (uint32_t i = 0; i < a->blocks.len; i++) {
    const struct code_block *b = &a->blocks.at[i];
    buf_puts(out, !i ? "" : i + 1 < a->blocks.len ? ", " : " and ");
    buf_printf(out, b->first == b->last ? "%u" : "%u-%u", b->first, b->last);
  }
  buf_puts(out, ", ");
}

static void put_all(const advice_vec *v, bool several, struct buf *out) {
  for (uint32_t i = 0; i < v->len; i++) {
    const struct advice *a = &v->at[i];
    buf_puts(out, i ? "; " : "");
    if (several)
      put_about(a, out);
    buf_puts(out, buf_text(&a->text));
  }
}

char *realisation(const struct collector *c, const struct cause *cause,
                  struct arena *a) {
  VEC(struct realise_trace) traces = {0};
  struct speaker speaker = {.lines = c->lines};
  struct realise_words words = {.scopes = c->scopes,
                                .name = name,
                                .update = update,
                                .call = call,
                                .moves = moves,
                                .ctx = &speaker};
  advice_vec v = {0};
  struct buf all = {0};
  for (uint32_t i = 0; i < c->traces.len; i++) {
    const struct located *l = c->traces.at[i];
    if (l->trace.events)
      vec_push(&traces,
               ((struct realise_trace){&l->trace, &l->section, !l->bad}));
  }
  for (uint32_t i = 0; i < cause->nblocks; i++) {
    struct buf one = {0};
    bool known =
        realise_alone(&words, &cause->blocks[i], traces.at, traces.len, &one);
    if (!known || one.len)
      add_advice(&v, &cause->blocks[i], &one, !known);
  }
  for (uint32_t i = 0; i < v.len; i++) {
    struct advice *one = &v.at[i];
    if (one->new_lock)
      realise_new_lock((struct cause){one->blocks.at, one->blocks.len},
                       traces.at, traces.len, &one->text);
  }
  put_all(&v, cause->nblocks > 1, &all);
  char *text = all.len ? arena_strdup(a, all.at) : NULL;
  for (uint32_t i = 0; i < v.len; i++) {
    buf_free(&v.at[i].text);
    vec_free(&v.at[i].blocks);
  }
  vec_free(&v);
  buf_free(&all);
  vec_free(&traces);
  end_speaker(&speaker);
  return text;
}
