/* The execution as JSON: rows, blocks of memory, and where others switch. */
#include "report/json_int.h"

static const char *const part_name[] = {"initial", "threads", "final"};
static const char *const kind_name[] = {"call",  "return", "step",  "wait",
                                        "fault", "note",   "rounds"};

static void put_text(struct json *j, const struct story_row *r) {
  struct buf b = {0};
  const char *gap = *r->word && (*r->what || *r->tail) ? " " : "";
  buf_printf(&b, "%s%s%s%s", r->word, gap, r->what,
             *r->what || *r->tail != ' ' ? r->tail : r->tail + 1);
  json_string(j, "text", buf_text(&b));
  buf_free(&b);
}

static void put_row(struct json *j, const struct story *s,
                    const struct story_row *r) {
  const struct finding *f = s->result->finding;
  json_object(j, NULL);
  json_string(j, "kind", kind_name[r->kind]);
  json_uint(j, "thread", r->thread);
  json_string(j, "part", part_name[r->part]);
  if (r->call < f->client.ncalls)
    json_uint(j, "call", r->call);
  else
    json_null(j, "call");
  put_text(j, r);
  json_uint(j, "times", r->times);
  if (r->kind != ROW_WAIT)
    json_uint(j, "event", r->index);
  else
    json_null(j, "event");
  json_text(j, "file", r->place->file);
  if (r->place->line)
    json_uint(j, "line", r->place->line);
  else
    json_null(j, "line");
  json_end_object(j);
}

void json_rows(struct json *j, const struct story *s) {
  json_array(j, "rows");
  for (uint32_t i = 0; i < s->rows.len; i++)
    put_row(j, s, &s->rows.at[i]);
  json_end_array(j);
}

static void put_event_number(struct json *j, const char *name, uint32_t at) {
  if (at == UINT32_MAX)
    json_null(j, name);
  else
    json_uint(j, name, at);
}

void json_blocks(struct json *j, const struct story *s) {
  const struct trace *t = &s->result->finding->trace;
  json_array(j, "blocks");
  for (uint32_t i = 0; i < t->nblocks; i++) {
    const struct block *b = &t->blocks[i];
    json_object(j, NULL);
    json_string(j, "name", s->blocks[i]);
    json_uint(j, "size", b->size);
    put_event_number(j, "allocated", b->alloc_event);
    put_event_number(j, "freed", b->free_event);
    json_end_object(j);
  }
  json_end_array(j);
}

void json_census(struct json *j, const struct story *s) {
  const struct census *c = &s->result->finding->census;
  if (!c->counted) {
    json_null(j, "switches");
    return;
  }
  json_object(j, "switches");
  json_uint(j, "good", c->good);
  json_uint(j, "failing", c->bad);
  json_array(j, "lines");
  for (uint32_t i = 0; i < c->nlines; i++) {
    json_object(j, NULL);
    json_string(j, "file", c->lines[i].file);
    json_uint(j, "line", c->lines[i].line);
    json_uint(j, "good", c->lines[i].good);
    json_uint(j, "failing", c->lines[i].bad);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}
