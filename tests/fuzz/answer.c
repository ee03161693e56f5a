/*
 * Results as a worker hands them over (model/nouns.h), and the reports that are
 * written of those that are taken.  A text is changes to the packing of a
 * result that was made by hand, four characters each: how, two for where, and a
 * value.  One that begins with '=' is a packing itself.
 */
#define FUZZ_NAME "answer"
#include "fuzz.h"

#include "model/nouns.h"
#include "unit/report/fixture.h"

static struct fixture *made_by_hand(char which) {
  static struct frame frames[2];
  static struct activation activations[2];
  struct fixture *f = which % 2 ? fixture_cause() : fixture_violation();
  struct finding *d = &f->finding;
  d->trace.frames = d->near.trace.frames = frames;
  d->trace.nframes = d->near.trace.nframes = 2;
  d->trace.activations = d->near.trace.activations = activations;
  d->trace.nactivations = d->near.trace.nactivations = 2;
  d->near.trace.history.client = &d->client;
  d->near.trace.history.ops = d->trace.history.ops;
  d->waiting.at = xcalloc(1, sizeof *d->waiting.at);
  d->waiting.at[0] = (struct waiting){.thread = 1, .kind = EV_LOCK};
  d->waiting.len = 1;
  f->result.criterion_from = f->result.memory_model_from = "default";
  return f;
}

static void put_changed(const char *text, size_t len, struct buf *out) {
  struct fixture *f = made_by_hand(*text);
  noun_pack(&noun_result, &f->result, out);
  fixture_free(f);
  for (size_t i = 1; i + 3 < len && out->len; i += 4) {
    const uint8_t *c = (const uint8_t *)text + i;
    size_t at = (size_t)(c[1] * 251 + c[2] * 17) % out->len;
    if (c[0] % 4 == 0)
      out->len = at;
    else
      out->at[at] = (char)(c[0] % 4 == 1 ? c[3] : out->at[at] ^ c[3]);
  }
}

static void report(struct result *r) {
  struct fixture *f = made_by_hand(0);
  struct buf out = {0};
  struct text_style style = {.width = 80};
  struct story *s = story_new(r, &f->namer);
  report_text(s, &style, &out);
  buf_clear(&out);
  struct report_run run = {.story = s};
  report_json(&run, 1, &out);
  story_free(s);
  buf_free(&out);
  fixture_free(f);
}

static void fuzz_one(const char *text, size_t len) {
  struct buf bytes = {0}, again = {0};
  struct arena a = {0};
  if (len && *text == '=')
    buf_put(&bytes, text + 1, len - 1);
  else
    put_changed(text, len, &bytes);
  struct result *r = noun_unpack(&noun_result, bytes.at, bytes.len, &a);
  if (r) {
    noun_pack(&noun_result, r, &again);
    FUZZ_CHECK(again.len == bytes.len);
    FUZZ_CHECK(!memcmp(again.at, bytes.at, again.len));
    report(r);
  }
  FUZZ_CHECK(len > 1 || *text == '=' || r); /* made by hand, and not changed */
  buf_free(&again);
  buf_free(&bytes);
  arena_free(&a);
}
