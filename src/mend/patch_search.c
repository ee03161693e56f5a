/* Changed sources, compiled and searched as the originals were. */
#include "base/clock.h"
#include "base/text.h"
#include "mend/patch_int.h"
#include "proc/phase.h"

#include "campaign/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KNOWN_STATES = 60000 }; /* of a client that is known to fail */

/* ---- built anew ---- */

struct copy { /* of what was built, with other sources */
  struct settings settings;
  struct built built;
  VEC(char *) own; /* texts of the command line */
  char *dir;
};

static char *own(struct copy *c, char *text) {
  vec_push(&c->own, text);
  return text;
}

/* The folder of the original, where its own headers are. */
static void add_folder(struct copy *c, const char *path) {
  const char *last = base_name(path);
  char *dir =
      last == path ? xstrdup(".") : xstrndup(path, (size_t)(last - path));
  vec_push(&c->settings.rest.after, own(c, xasprintf("-iquote%s", dir)));
  free(dir);
}

static int write_source(struct copy *c, const struct patch_source *s,
                        uint32_t number, const char **path, struct error *e) {
  struct buf b = {0};
  char *dir = own(c, xasprintf("%s/%u", c->dir, number));
  if (mkdir(dir, 0777) && errno != EEXIST)
    return error_set(e, ERR_SYSTEM, "%s: %s", dir, strerror(errno));
  *path = own(c, xasprintf("%s/%s", dir, base_name(s->path)));
  edits_apply(&s->edits, buf_text(&s->text), s->text.len, &b);
  int err = buf_write_file(&b, *path, e);
  buf_free(&b);
  return err;
}

static int make_copy(struct copy *c, const struct patch_maker *m,
                     struct error *e) {
  const struct settings *from = m->target->settings;
  struct settings *set = &c->settings;
  *set = *from;
  set->no_save = true;
  set->no_cache = true; /* the copy's folder is another one each time */
  set->json = set->trace = set->patch = NULL;
  set->rest.args = set->rest.after = (struct opt_words){0};
  for (uint32_t i = 0; i < from->rest.after.len; i++)
    vec_push(&set->rest.after, from->rest.after.at[i]);
  c->dir = own(c, xasprintf("%s/patched", m->b->dir));
  if (mkdir(c->dir, 0777) && errno != EEXIST)
    return error_set(e, ERR_SYSTEM, "%s: %s", c->dir, strerror(errno));
  for (uint32_t i = 0; i < from->rest.args.len; i++) {
    const char *path = from->rest.args.at[i];
    for (uint32_t k = 0; k < m->sources.list.len; k++) {
      const struct patch_source *s = &m->sources.list.at[k];
      if (strcmp(s->path, path) || !s->edits.list.len)
        continue;
      add_folder(c, s->path);
      if (write_source(c, s, i, &path, e))
        return e->code;
      break;
    }
    vec_push(&set->rest.args, path);
  }
  return ERR_NONE;
}

static void free_copy(struct copy *c) {
  vec_free(&c->settings.rest.args);
  vec_free(&c->settings.rest.after);
  for (uint32_t i = 0; i < c->own.len; i++)
    free(c->own.at[i]);
  vec_free(&c->own);
}

/* Builds with our standard error aside: what a compiler says about
 * a change of ours is no business of the user's, nor are warnings twice. */
static int open_quietly(struct copy *c, struct error *e) {
  fflush(stderr);
  int keep = dup(STDERR_FILENO), none = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (keep >= 0 && none >= 0)
    dup2(none, STDERR_FILENO);
  phase_hold(true);
  int err = built_open(&c->built, &c->settings, e);
  phase_hold(false);
  fflush(stderr);
  if (keep >= 0 && none >= 0)
    dup2(keep, STDERR_FILENO);
  if (keep >= 0)
    close(keep);
  if (none >= 0)
    close(none);
  return err;
}

/* ---- searching them ---- */

static void set_failed(struct patch_maker *m, const char *client,
                       const char *fault) {
  free(m->failed);
  m->failed =
      xasprintf("a change that %s is not enough: %s still fails%s",
                buf_text(&m->what), client ? client : "a client", fault);
}

static const char *words_of(enum fault f) {
  switch (f) {
  case FAULT_NOT_LINEARIZABLE:
    return "";
  case FAULT_DEADLOCK:
    return " (deadlock)";
  case FAULT_SEQUENTIAL:
    return " (without concurrency)";
  default:
    return " (with another fault)";
  }
}

/* The finding of a bad execution: the smallest client that fails; xmalloced. */
static char *smallest(const struct target *t, const struct record *bad,
                      enum fault *fault) {
  struct hunt_question q = {.target = t,
                            .kind = HUNT_CONCLUDE,
                            .conclude = {.client = bad->client,
                                         .path = bad->bad.at,
                                         .len = bad->bad.len,
                                         .simplify = !t->settings->client}};
  struct worker w = {.show_output = t->settings->show_output};
  struct buf b = {0};
  *fault = FAULT_NONE;
  if (hunt_worker(&w, &q) == WORKER_DONE && hunt_answer(&w)->result.finding) {
    const struct result *r = &hunt_answer(&w)->result;
    *fault = r->finding->fault;
    client_print(&r->finding->client, &r->names, &b);
  }
  worker_release(&w);
  char *text = xstrdup(b.len ? b.at : bad->client ? bad->client : "");
  buf_free(&b);
  return text;
}

/* What a search without a fault is worth. */
static bool take_pass(struct patch_maker *m, const struct copy *c,
                      const struct campaign *k) {
  struct coverage v = {0};
  bool open = false;
  if (c->settings.client)
    coverage_of_one(&k->totals, &c->settings, &v, &open);
  else
    coverage_of_clients(&k->totals, &c->settings, k->deadline, &v);
  bool ok = !open && k->totals.touched && !k->totals.undecided;
  if (ok) {
    char *text = v.limit ? xasprintf("%s; stopped by %s", v.sentence, v.limit)
                         : xstrdup(v.sentence);
    m->out->covered = arena_strdup(&m->b->arena, text);
    free(text);
  } else {
    free(m->failed);
    m->failed = xasprintf("the search of a change that %s did not end",
                          buf_text(&m->what));
  }
  free(v.sentence);
  free(v.limit);
  return ok;
}

static bool knows_client(const struct patch_maker *m, const char *client) {
  for (uint32_t i = 0; i < m->clients.len; i++)
    if (!strcmp(m->clients.at[i], client))
      return true;
  return false;
}

/* A client that fails; it may show more places that use the data. */
static bool take_bad(struct patch_maker *m, const struct target *t,
                     const struct record *bad, bool *more) {
  enum fault fault;
  char *client = smallest(t, bad, &fault);
  set_failed(m, client, words_of(fault));
  if (*client)
    vec_push(m->failing, xstrdup(client));
  *more =
      fault == FAULT_NOT_LINEARIZABLE && *client && !knows_client(m, client);
  if (*more)
    vec_push(&m->clients, client);
  else
    free(client);
  return false;
}

/* As the original was searched, but for what belongs to that alone. */
static void target_of(const struct copy *c, const struct target *like,
                      struct target *t) {
  built_target(&c->built, t);
  t->suite = like->suite;
  t->program = like->program;
  t->known = like->known;
  t->nknown = like->nknown;
  t->apart = like->apart;
  t->brief = like->brief;
  t->estimates = like->estimates;
  t->nestimates = like->nestimates;
  t->latest = like->latest;
  t->trial = like->trial;
  t->late = like->late;
}

/* All clients, or one of those that are known to fail. */
static bool run_campaign(struct patch_maker *m, struct copy *c,
                         struct target *t, struct campaign *k, bool *more) {
  struct error e = {0};
  switch (campaign_run(k, &e)) {
  case CAMPAIGN_PASS:
    return take_pass(m, c, k);
  case CAMPAIGN_BAD:
    return take_bad(m, t, &k->bad, more);
  case CAMPAIGN_INTERRUPTED:
    m->interrupted = m->b->interrupted = true;
    break;
  case CAMPAIGN_DEATH:
  case CAMPAIGN_HANGS:
    set_failed(m, k->death.client, " (crash or endless loop)");
    break;
  case CAMPAIGN_LATE:
    m->late = true;
    set_failed(m, NULL, "");
    break;
  case CAMPAIGN_KILLED:
  case CAMPAIGN_ERROR:
    set_failed(m, NULL, e.code ? e.text : "");
    break;
  }
  return false;
}

/* The clients that are known to fail come first: they take no time. */
static bool search_known(struct patch_maker *m, struct copy *c,
                         const struct target *t, bool *more) {
  for (uint32_t i = 0; i < m->clients.len; i++) {
    struct copy one = *c;
    struct target target = *t;
    one.settings.client = m->clients.at[i];
    if (!one.settings.max_states || one.settings.max_states > KNOWN_STATES)
      one.settings.max_states = KNOWN_STATES;
    target.settings = &one.settings;
    struct campaign k = {.target = &target};
    struct error e = {0};
    enum campaign_end end = campaign_run(&k, &e);
    bool fails = end == CAMPAIGN_BAD;
    if (fails)
      take_bad(m, &target, &k.bad, more);
    campaign_free(&k);
    if (fails)
      return false;
    if (end != CAMPAIGN_PASS)
      break; /* the search of all will say what it is */
  }
  return true;
}

/* Sequences of calls, then clients; whether none fails. */
static bool search(struct patch_maker *m, struct copy *c, bool *more) {
  struct target target;
  struct hunt_question q = {.target = &target, .kind = HUNT_BEGIN};
  struct worker w = {.show_output = c->settings.show_output};
  target_of(c, m->target, &target);
  bool ok = hunt_worker(&w, &q) == WORKER_DONE;
  const struct finding *f = ok ? hunt_answer(&w)->result.finding : NULL;
  if (!ok || f) {
    set_failed(m, ok ? NULL : "a worker", f ? words_of(f->fault) : " (crash)");
    worker_release(&w);
    return false;
  }
  struct campaign k = {.target = &target};
  k.totals.sequences = hunt_answer(&w)->report.sequences;
  worker_release(&w);
  if (!c->settings.client && !search_known(m, c, &target, more))
    return false;
  if (c->settings.time > 0)
    k.deadline = clock_now() + c->settings.time;
  ok = run_campaign(m, c, &target, &k, more);
  campaign_free(&k);
  return ok;
}

bool patch_search(struct patch_maker *m, bool *more) {
  struct copy c = {0};
  struct error e = {0};
  bool ok = false, opened = false;
  m->searches++;
  if (!make_copy(&c, m, &e)) {
    opened = true;
    if (!open_quietly(&c, &e))
      ok = search(m, &c, more);
  }
  if (e.code) {
    free(m->failed);
    m->failed = xasprintf("a change that %s %s", buf_text(&m->what),
                          e.code == ERR_BUILD ? "does not compile" : e.text);
  }
  if (opened)
    built_close(&c.built);
  free_copy(&c);
  return ok;
}
