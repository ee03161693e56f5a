/* Waits for a condition, and what mends them: see source/waiting.h. */
#include "source/waiting.h"

#include "source/critical_int.h"

#include <string.h>

/* What waits, and what goes with it. */
static const struct wait_words {
  const char *wait[3], *wake, *wake_all, *lock, *unlock;
} all_words[] = {
    {{"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"},
     "pthread_cond_signal",
     "pthread_cond_broadcast",
     "pthread_mutex_lock",
     "pthread_mutex_unlock"},
    {{"cnd_wait", "cnd_timedwait", NULL},
     "cnd_signal",
     "cnd_broadcast",
     "mtx_lock",
     "mtx_unlock"},
    {{"sem_wait", "sem_timedwait", "sem_clockwait"},
     "sem_post",
     NULL,
     NULL,
     NULL},
};
enum { WORDS = sizeof all_words / sizeof *all_words };

static bool is_one_of(const struct ctext *c, uint32_t token,
                      const char *const *names, size_t n) {
  for (size_t i = 0; i < n && names[i]; i++)
    if (ctext_is(c, token, names[i]))
      return true;
  return false;
}

/* The call of a wait whose parentheses reach the line: its first token. */
static uint32_t find_wait(const struct wait_line *w,
                          const struct wait_words **words) {
  const struct cstmt *body = cstmt_of(w->c, w->f->body);
  uint32_t found = CTEXT_NONE;
  for (uint32_t t = body->first; t < body->last; t++)
    for (uint32_t k = 0; k < WORDS; k++)
      if (w->c->tokens.at[t].line <= w->line && ctext_is(w->c, t + 1, "(") &&
          is_one_of(w->c, t, all_words[k].wait, 3)) {
        found = t;
        *words = &all_words[k];
      }
  return found;
}

/* Argument `which` of the call at token `call`, as it stands. */
static bool put_argument(const struct ctext *c, uint32_t call, uint32_t which,
                         struct buf *out) {
  uint32_t depth = 0, first = call + 2, t = call + 1;
  for (; t < c->tokens.len; t++) {
    if (ctext_is(c, t, "(") || ctext_is(c, t, "["))
      depth++;
    bool ends = (ctext_is(c, t, ")") || ctext_is(c, t, "]")) && --depth == 0;
    if (!ends && !(depth == 1 && ctext_is(c, t, ",")))
      continue;
    if (!which)
      break;
    if (ends)
      return false;
    which--;
    first = t + 1;
  }
  if (t == c->tokens.len || t == first)
    return false;
  ctext_put(c, first, t - 1, out);
  return true;
}

/* The innermost statement that has all of the line. */
static bool region_at(const struct wait_line *at, uint32_t last,
                      struct cregion *r) {
  const char *why;
  return cregion_of_lines(at->c, at->f, at->line, last, r, &why);
}

static void put_place(const struct wait_line *at, struct buf *what) {
  buf_puts(what, " in ");
  ctext_put(at->c, at->f->name, at->f->name, what);
  buf_puts(what, "()");
}

bool waiting_loop(const struct wait_line *wait, struct edits *e,
                  struct buf *what) {
  const struct ctext *c = wait->c;
  const struct wait_words *words;
  uint32_t call = find_wait(wait, &words), s = CTEXT_NONE;
  for (uint32_t k = wait->f->first_stmt;
       call != CTEXT_NONE && k < wait->f->last_stmt; k++)
    if (cstmt_of(c, k)->kind == CSTMT_IF && cstmt_of(c, k)->first < call &&
        cstmt_of(c, k)->last > call)
      s = k; /* statements come in the order of the text: the innermost */
  if (s == CTEXT_NONE || cstmt_of(c, cstmt_of(c, s)->child)->next != CTEXT_NONE)
    return false;
  const struct ctoken *t = &c->tokens.at[cstmt_of(c, s)->first];
  buf_printf(what, "writes while for if at line %u", t->line);
  put_place(wait, what);
  return edits_add(e, t->at, t->len, "while");
}

bool waiting_wake(const struct wait_line *wait, const struct wait_line *change,
                  bool all, struct edits *e, struct buf *what) {
  const struct wait_words *words;
  const char *why = NULL;
  struct cregion r;
  struct buf text = {0};
  uint32_t call = find_wait(wait, &words);
  if (call == CTEXT_NONE || (all && !words->wake_all) ||
      !region_at(change, change->line, &r) || cstmt_is_jump(change->c, r.last))
    return false;
  buf_printf(&text, "%s(", all ? words->wake_all : words->wake);
  bool ok = put_argument(wait->c, call, 0, &text);
  buf_puts(&text, ")");
  buf_printf(what, "adds %s after line %u", text.at,
             cstmt_last_line(change->c, r.last));
  put_place(change, what);
  buf_puts(&text, ";");
  struct writer w = {.c = change->c,
                     .f = change->f,
                     .edits = e,
                     .unlock = text.at,
                     .why = &why};
  writer_begin(&w);
  bool bare = cstmt_has_no_braces(change->c, r.last);
  ok = ok && (!bare || writer_open_brace(&w, r.last)) &&
       writer_put_after(&w, r.last, cstmt_of(change->c, r.last)->last,
                        cstmt_of(change->c, r.last)->first, text.at) &&
       (!bare || writer_close_brace(&w, r.last));
  buf_free(&text);
  return ok;
}

/* Replaces a word on the line; false: it is not there. */
static bool replace(const struct wait_line *l, const char *word, const char *by,
                    struct edits *e, struct buf *what) {
  const struct ctext *c = l->c;
  const struct cstmt *body = cstmt_of(c, l->f->body);
  for (uint32_t t = body->first; t < body->last; t++) {
    const struct ctoken *at = &c->tokens.at[t];
    if (at->line != l->line || !ctext_is(c, t, word))
      continue;
    buf_printf(what, "writes %s for %s at line %u", by, word, at->line);
    put_place(l, what);
    return edits_add(e, at->at, at->len, by);
  }
  return false;
}

bool waiting_wake_all(const struct wait_line *signal, struct edits *e,
                      struct buf *what) {
  for (uint32_t k = 0; k < WORDS; k++)
    if (all_words[k].wake_all &&
        replace(signal, all_words[k].wake, all_words[k].wake_all, e, what))
      return true;
  return false;
}

bool waiting_exclude(const struct wait_line *lock, struct edits *e,
                     struct buf *what) {
  return replace(lock, "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", e,
                 what);
}

bool waiting_guard(const struct wait_line *wait, const struct wait_line *change,
                   uint32_t last, struct edits *e, struct buf *what) {
  const struct wait_words *words;
  const char *why = NULL;
  struct cregion r;
  struct buf mutex = {0}, lock = {0}, unlock = {0};
  uint32_t call = find_wait(wait, &words);
  bool ok = call != CTEXT_NONE && words->lock &&
            put_argument(wait->c, call, 1, &mutex) &&
            region_at(change, last, &r);
  if (ok) {
    uint32_t from = cstmt_first_line(change->c, r.first);
    uint32_t to = cstmt_last_line(change->c, r.last);
    buf_printf(&lock, "%s(%s);", words->lock, mutex.at);
    buf_printf(&unlock, "%s(%s);", words->unlock, mutex.at);
    buf_printf(what, "takes %s(%s) around ", words->lock, mutex.at);
    buf_printf(what, from == to ? "line %u" : "lines %u-%u", from, to);
    put_place(change, what);
    ok = critical_wrap(change->c, &r, lock.at, unlock.at, e, &why);
  }
  buf_free(&mutex);
  buf_free(&lock);
  buf_free(&unlock);
  return ok;
}
