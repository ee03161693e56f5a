/* The kind of fault, for programs. */
#include "report/json_int.h"

static void put_marks(struct json *j, const struct story *s,
                      const struct kind_found *k) {
  json_array(j, "events");
  for (uint32_t i = 0; i < kind_marks[k->kind]; i++)
    if (k->marks[i] != KIND_NO_EVENT) {
      json_object(j, NULL);
      json_uint(j, "event", k->marks[i]);
      json_place(j, s->events[k->marks[i]].place);
      json_end_object(j);
    }
  json_end_array(j);
}

void json_kind(struct json *j, const struct story *s) {
  const struct kind_found *k = &s->result->finding->kind;
  if (k->kind == KIND_NONE) {
    json_null(j, "kind");
    return;
  }
  json_object(j, "kind");
  json_string(j, "id", kind_id[k->kind]);
  json_string(j, "words", kind_words[k->kind]);
  put_marks(j, s, k);
  json_uint(j, "failing", k->bad);
  json_uint(j, "failing_so", k->same);
  json_uint(j, "good", k->good);
  json_uint(j, "good_with", k->good_with);
  json_bool(j, "complete", k->complete);
  json_array(j, "held");
  for (uint32_t i = 0; i < k->held.nblocks; i++) {
    json_object(j, NULL);
    json_text(j, "file", k->held.blocks[i].file);
    json_text(j, "function", k->held.blocks[i].function);
    json_uint(j, "first", k->held.blocks[i].first);
    json_uint(j, "last", k->held.blocks[i].last);
    json_end_object(j);
  }
  json_end_array(j);
  json_bool(j, "woken", k->woken);
  json_text(j, "fix", k->fix);
  json_text(j, "fix_in", k->fix_in);
  json_end_object(j);
}
