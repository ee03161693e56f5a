/* How each block of a cause could be made atomic, in the author's words. */
#include "cli/causes_int.h"

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
  const struct place *p = pc ? lines_place(s->lines, pc - 1) : NULL;
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
    s->names = names_new(s->lines, t);
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

/* Which of several blocks the words are about. */
static void put_block(const struct code_block *b, struct buf *out) {
  buf_printf(out, b->first == b->last ? "for line %u" : "for lines %u-%u",
             b->first, b->last);
  buf_puts(out, ", ");
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
  struct buf all = {0};
  for (uint32_t i = 0; i < c->traces.len; i++) {
    const struct located *l = c->traces.at[i];
    if (l->trace.events)
      vec_push(&traces,
               ((struct realise_trace){&l->trace, &l->section, !l->bad}));
  }
  for (uint32_t i = 0; i < cause->nblocks; i++) {
    struct buf one = {0};
    realise(&words, &cause->blocks[i], traces.at, traces.len, &one);
    if (one.len) {
      buf_puts(&all, all.len ? "; " : "");
      if (cause->nblocks > 1)
        put_block(&cause->blocks[i], &all);
      buf_puts(&all, one.at);
    }
    buf_free(&one);
  }
  char *text = all.len ? arena_strdup(a, all.at) : NULL;
  buf_free(&all);
  vec_free(&traces);
  end_speaker(&speaker);
  return text;
}
