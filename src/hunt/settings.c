/* The tables of searches and models, and settings that a harness or a schedule
 * overrides. */
#include "hunt/settings.h"

#include "model/schedule.h"

#include <stdlib.h>
#include <string.h>

#define SEARCH_NAME(id, name, exhaustive, words) name,
#define SEARCH_WORDS(id, name, exhaustive, words) words,
#define SEARCH_EXHAUSTIVE(id, name, exhaustive, words) exhaustive,
const char *const search_name[] = {SEARCHES(SEARCH_NAME) NULL};
const char *const search_words[] = {SEARCHES(SEARCH_WORDS)};
bool search_is_exhaustive(int search) {
  static const bool is[] = {SEARCHES(SEARCH_EXHAUSTIVE)};
  return is[search];
}

const char *const model_name[] = {"sc", "tso", NULL};

void settings_engine(const struct settings *s, struct rt_options *o) {
  *o = (struct rt_options){.reuse = s->heap == 1,
                           .spurious_cas = s->spurious_cas,
                           .leaks = s->leaks,
                           .max_steps = (uint32_t)s->max_steps,
                           .watchdog_ms = (uint32_t)s->watchdog_ms,
                           .show_output = s->show_output,
                           .tso = s->model == 1,
                           .buffer = (uint32_t)s->buffer};
}

void settings_take_model(struct settings *s, enum fl_memory_model asked,
                         bool real_threads) {
  s->model_asked = real_threads ? FL_MEMORY_MODEL_DEFAULT : asked;
  if (s->model_from > MODEL_HARNESS)
    return;
  s->model = s->model_asked == FL_MEMORY_MODEL_tso;
  s->model_from = s->model_asked ? MODEL_HARNESS : MODEL_DEFAULT;
}

void settings_tell_model(const struct settings *s, struct result *r) {
  static const char *const from[] = {"default", "harness", "option",
                                     "schedule"};
  r->memory_model = model_name[s->model];
  r->memory_model_from = from[s->model_from];
  r->memory_model_asked = s->model_asked == FL_MEMORY_MODEL_DEFAULT ? NULL
                          : s->model_asked == FL_MEMORY_MODEL_tso   ? "tso"
                                                                    : "sc";
}

static bool has_word(const char *text, const char *word) {
  return text && strstr(text, word);
}

void settings_take_options(struct settings *set, const struct schedule *from) {
  if (has_word(from->options, "heap=reuse"))
    set->heap = 1;
  if (has_word(from->options, "spurious-cas"))
    set->spurious_cas = true;
  if (has_word(from->options, "criterion=sequential"))
    set->criterion = 1;
  if (has_word(from->options, "model=")) {
    set->model = 0;
    set->model_from = MODEL_SCHEDULE;
  }
  if (has_word(from->options, "model=tso")) {
    const char *size = strstr(from->options, "buffer=");
    unsigned long n = size ? strtoul(size + strlen("buffer="), NULL, 10) : 0;
    set->model = 1;
    if (n >= 1 && n <= RT_BUFFER_MOST)
      set->buffer = n;
  }
}
