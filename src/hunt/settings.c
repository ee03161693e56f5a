/* The tables of searches and models, and settings that a harness or a schedule
 * overrides. */
#include "hunt/settings.h"

#include "model/schedule.h"

#include <assert.h>
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

const char *const wake_ups_name[] = {"off", "some", "all", NULL};
const char *const model_name[] = {"sc", "tso", "c11", NULL};

const char *const data_races_name[] = {"ignore", "report", "only", NULL};

void settings_engine(const struct settings *s, struct rt_options *o) {
  *o = (struct rt_options){.reuse = s->heap == 1,
                           .spurious_cas = s->spurious_cas,
                           .wake_ups = (uint8_t)s->wake_ups,
                           .leaks = s->leaks,
                           .all_waits = s->no_reduction,
                           .max_steps = (uint32_t)s->max_steps,
                           .watchdog_ms = (uint32_t)s->watchdog_ms,
                           .show_output = s->show_output,
                           .races = s->data_races != DATA_RACES_IGNORE,
                           .tso = s->model == MODEL_TSO,
                           .c11 = s->model == MODEL_C11,
                           .buffer = (uint32_t)s->buffer};
}

const char *settings_model_trouble(const struct settings *s) {
  _Static_assert(RT_BUFFERS == 16, "the number in the sentences");
  if (s->model && s->threads >= RT_BUFFERS)
    return s->model == MODEL_TSO
               ? "--threads: at most 15 under the memory model tso"
               : "--threads: at most 15 under the memory model c11";
  if (s->model != MODEL_C11)
    return NULL;
  if (s->shrinks)
    return "faultline shrink does not know the memory model c11";
  if (s->search == SEARCH_DPOR)
    return "--search=dpor does not know the memory model c11; "
           "--search=stateful searches completely, too";
  if (s->criterion == CRITERION_QUIESCENT)
    return "--criterion=quiescent does not go with the memory model c11, which "
           "has no moments that all threads share";
  return NULL;
}

/* The enums of the harness have DEFAULT, and then the numbers of ours. */
void settings_take_model(struct settings *s, enum fl_memory_model asked,
                         bool real_threads) {
  s->model_asked = real_threads ? FL_MEMORY_MODEL_DEFAULT : asked;
  if (s->model_from > MODEL_HARNESS)
    return;
  s->model = asked && !real_threads ? (int)asked - 1 : MODEL_SC;
  s->model_from = s->model_asked ? MODEL_HARNESS : MODEL_DEFAULT;
}

void settings_take_criterion(struct settings *s, enum fl_criterion asked) {
  s->criterion_asked = asked;
  if (s->criterion_from > MODEL_HARNESS)
    return;
  s->criterion = asked ? (int)asked - 1
                 : s->model == MODEL_TSO && !s->shrinks
                     ? CRITERION_HAPPENS_BEFORE
                     : CRITERION_LINEARIZABLE;
  s->criterion_from = asked ? MODEL_HARNESS : MODEL_DEFAULT;
}

void settings_tell(const struct settings *s, struct result *r) {
  static const char *const from[] = {"default", "harness", "option",
                                     "schedule"};
  r->memory_model = model_name[s->model];
  r->memory_model_from = from[s->model_from];
  r->memory_model_asked =
      s->model_asked ? model_name[s->model_asked - 1] : NULL;
  r->criterion = criterion_name[s->criterion];
  r->criterion_from = from[s->criterion_from];
  r->criterion_asked =
      s->criterion_asked ? criterion_name[s->criterion_asked - 1] : NULL;
}

static bool has_word(const char *text, const char *word) {
  return text && strstr(text, word);
}

static void take_criterion(struct settings *set, const char *options) {
  const char *at = options ? strstr(options, "criterion=") : NULL;
  if (!at)
    return;
  at += strlen("criterion=");
  for (int i = 0; criterion_name[i]; i++)
    if (strcspn(at, " ") == strlen(criterion_name[i]) &&
        !strncmp(at, criterion_name[i], strlen(criterion_name[i]))) {
      set->criterion = i;
      set->criterion_from = MODEL_SCHEDULE;
    }
}

void settings_take_options(struct settings *set, const struct schedule *from) {
  if (has_word(from->options, "heap=reuse"))
    set->heap = 1;
  if (has_word(from->options, "spurious-cas"))
    set->spurious_cas = true;
  if (has_word(from->options, "no-reduction"))
    set->no_reduction = true;
  for (int i = 0; from->options && wake_ups_name[i]; i++) {
    char *word = xasprintf("wake-ups=%s", wake_ups_name[i]);
    if (has_word(from->options, word))
      set->wake_ups = i;
    free(word);
  }
  take_criterion(set, from->options);
  set->data_races = has_word(from->options, "races") ? DATA_RACES_REPORT
                                                     : DATA_RACES_IGNORE;
  if (has_word(from->options, "model=")) {
    set->model = 0;
    set->model_from = MODEL_SCHEDULE;
  }
  if (has_word(from->options, "model=c11"))
    set->model = MODEL_C11;
  if (has_word(from->options, "model=tso")) {
    const char *size = strstr(from->options, "buffer=");
    unsigned long n = size ? strtoul(size + strlen("buffer="), NULL, 10) : 0;
    set->model = MODEL_TSO;
    if (n >= 1 && n <= RT_BUFFER_MOST)
      set->buffer = n;
  }
}
