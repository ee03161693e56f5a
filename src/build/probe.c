/* Inspects the imports and the machine code of an object. */
#define _GNU_SOURCE /* RTLD_DEFAULT */

#include "build/probe.h"
#include "base/text.h"
#include "build/backoffs.h"
#include "build/known.h"
#include "build/wraps.h"
#include "code/code.h"
#include "code/delays.h"
#include "code/part_stores.h"
#include "code/sites.h"

#include <dlfcn.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* Is it start-up code of the compiler or of faultline.h, which runs before
 * threads? */
static bool is_start_up(const char *name) {
  static const char *const list[] = {"_init",
                                     "_fini",
                                     "_start",
                                     "_dl_relocate_static_pie",
                                     "deregister_tm_clones",
                                     "register_tm_clones",
                                     "__do_global_dtors_aux",
                                     "frame_dummy",
                                     "tsan.module_ctor",
                                     "__clang_call_terminate",
                                     NULL};
  for (int i = 0; list[i]; i++)
    if (!strcmp(name, list[i]))
      return true;
  return strstr(name, "fl__") || begins(name, "_sub_I_") ||
         begins(name, "_sub_D_") || begins(name, "_GLOBAL__sub_") ||
         begins(name, "__cxx_global_") || begins(name, "_ZTh") ||
         begins(name, "_ZTv") || begins(name, "_ZTc");
}

/* Is it the hook of an access? */
static bool is_access_hook(const char *symbol) {
  static const char *const list[] = {
      "__tsan_read",   "__tsan_write", "__tsan_unaligned", "__tsan_volatile",
      "__tsan_atomic", "__tsan_vptr",  "__tsan_mem",       NULL};
  for (int i = 0; list[i]; i++)
    if (begins(symbol, list[i]))
      return true;
  return false;
}

struct probe_scan {
  struct probe *p;
  struct lines *l;
  const struct line_symbol *function; /* the current one */
  bool hooked;                        /* it was compiled with hooks */
  struct part_search parts;
  struct site_search *sites;
  struct delay_search *delays;
  site_list dead; /* by pc */
  backoff_list backoffs;
};

static void end_function(struct probe_scan *s) {
  uint32_t dead = s->dead.len;
  delays_end(s->delays, &s->dead);
  if (s->function && !is_start_up(s->function->name)) {
    sites_end(s->sites);
    return;
  }
  sites_drop(s->sites);
  s->dead.len = dead;
}

/* ---- functions that only wait ---- */

static const char *name_of_backoff(const struct probe_scan *s, uint32_t n) {
  const struct line_symbol *f = lines_symbol_at(s->l, s->backoffs.at[n], true);
  return f ? f->name : NULL;
}

/* A copy of a back-off within its caller runs as any other code. */
static void note_inlined(struct probe_scan *s, const struct line_symbol *f,
                         const struct code_insn *i) {
  for (uint32_t n = 0; n < s->backoffs.len; n++) {
    const char *name = name_of_backoff(s, n);
    const struct place *p = lines_place(s->l, i->pc);
    if (!name || !strcmp(f->name, name))
      continue;
    while (p && (!p->function || strcmp(p->function, name)))
      p = p->next;
    bool known = !p;
    for (uint32_t k = 0; k < s->p->inlined.len; k++)
      known |= !strcmp(s->p->inlined.at[k], name);
    if (!known)
      vec_push(&s->p->inlined, xstrdup(name));
  }
}

static void add_backoffs(struct probe_scan *s) {
  for (uint32_t n = 0; n < s->backoffs.len; n++) {
    struct site entry = {.pc = s->backoffs.at[n], .kind = SITE_BACKOFF};
    vec_push(&s->p->sites, entry);
  }
}

static int site_by_pc(const void *x, const void *y) {
  const struct site *a = x, *b = y;
  if (a->pc != b->pc)
    return a->pc < b->pc ? -1 : 1;
  return b->kind - a->kind; /* a back-off first */
}

/* One list, by pc, with one site at each; none is inside of a back-off. */
static void merge_sites(struct probe_scan *s) {
  site_list *all = &s->p->sites;
  for (uint32_t i = 0; i < s->dead.len; i++)
    vec_push(all, s->dead.at[i]);
  add_backoffs(s);
  if (all->len)
    qsort(all->at, all->len, sizeof *all->at, site_by_pc);
  uint32_t n = 0;
  uint64_t until = 0; /* the end of a back-off */
  for (uint32_t i = 0; i < all->len; i++) {
    struct site x = all->at[i];
    if (x.pc < until || (n && all->at[n - 1].pc == x.pc))
      continue;
    if (x.kind == SITE_BACKOFF) {
      const struct line_symbol *f = lines_symbol_at(s->l, x.pc, true);
      until = f ? f->addr + f->size : 0;
      x.displacement = (int64_t)(f ? f->size : 0);
    }
    all->at[n++] = x;
  }
  all->len = n;
}

static void visit(void *ctx, const struct line_symbol *f,
                  const struct code_insn *i) {
  struct probe_scan *s = ctx;
  part_stores_visit(&s->parts, f, i);
  if (s->function != f) {
    end_function(s);
    s->function = f;
  }
  sites_visit(s->sites, i);
  delays_visit(s->delays, i);
  note_inlined(s, f, i);
  if (i->symbol && begins(i->symbol, "__tsan_")) {
    s->hooked = true;
    s->p->hooks += is_access_hook(i->symbol);
  }
  s->p->uses_fenv |= i->fenv;
}

/* An object that was linked without us allocates and waits without us.  What
 * the compilers add to each unit calls a hook. */
static void end_object(struct probe_scan *s) {
  struct probe *p = s->p;
  p->alien = !s->hooked;
  if (p->alien)
    p->sites.len = 0;
  for (uint32_t i = 0; i < p->sites.len; i++) {
    p->uses_clock |= p->sites.at[i].kind == SITE_CLOCK;
    p->needs_libc_tls |= p->sites.at[i].kind == SITE_CALL;
  }
}

/* An import of a function that we wrap: the object was linked without our
 * flags. */
static bool is_wrapped_name(const char *name) {
#define IS_NAME(wrapped)                                                       \
  if (!strcmp(name, #wrapped))                                                 \
    return true;
  WRAPS(IS_NAME)
#undef IS_NAME
  return false;
}

/* Adds each name once: two functions may belong to one class. */
static void add_unseen(struct probe *p, const char *name) {
  const char *reported = known_unseen(name);
  for (uint32_t i = 0; reported && i < p->unseen.len; i++)
    if (!strcmp(p->unseen.at[i], reported))
      reported = NULL;
  if (reported)
    vec_push(&p->unseen, xstrdup(reported));
}

static bool is_clock(const char *name) {
  static const char *const list[] = {
      "__wrap_time",          "__wrap_clock",        "__wrap_gettimeofday",
      "__wrap_clock_gettime", "__wrap_timespec_get", NULL};
  for (int i = 0; list[i]; i++)
    if (!strcmp(name, list[i]))
      return true;
  return begins(name, "__wrap__ZNSt6chrono");
}

/* Is it a function of fenv.h, or an unknown one that may call them? */
static bool may_use_fenv(const char *name, enum known k) {
  static const char *const list[] = {
      "feset",    "feget",    "feclear",   "feraise", "fetest", "fehold",
      "feupdate", "feenable", "fedisable", "dlsym",   NULL};
  for (int i = 0; list[i]; i++)
    if (begins(name, list[i]))
      return true;
  return k == KNOWN_NOT;
}

static void judge_import(struct probe *p, const char *name, bool weak) {
  if (begins(name, "__tsan_")) {
    if (!dlsym(RTLD_DEFAULT, name))
      vec_push(&p->unknown_hooks, xstrdup(name));
    return;
  }
  if (begins(name, "__wrap_")) /* a FILE stores its thread */
    p->needs_libc_tls |= known_prints(name + strlen("__wrap_"));
  p->uses_clock |= is_clock(name);
  if (begins(name, "__wrap_") || begins(name, "fl_"))
    return;
  add_unseen(p, name);
  enum known k = is_wrapped_name(name) ? KNOWN_NOT : known_function(name);
  if (k != KNOWN_PURE)
    p->needs_libc_tls = true;
  p->uses_fenv |= !weak && may_use_fenv(name, k);
  if (k == KNOWN_NOT && !weak)
    vec_push(&p->unknown, xstrdup(name));
}

static void read_imports(struct probe *p, Elf *elf) {
  Elf_Scn *scn = NULL;
  while ((scn = elf_nextscn(elf, scn))) {
    GElf_Shdr sh;
    Elf_Data *data;
    if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNSYM || !sh.sh_entsize ||
        !(data = elf_getdata(scn, NULL)))
      continue;
    for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
      GElf_Sym s;
      if (!gelf_getsym(data, (int)i, &s) || s.st_shndx != SHN_UNDEF)
        continue;
      const char *name = elf_strptr(elf, sh.sh_link, s.st_name);
      if (!name || !*name)
        continue;
      int type = GELF_ST_TYPE(s.st_info);
      p->needs_libc_tls |= type == STT_TLS;
      if (type == STT_OBJECT || type == STT_TLS)
        continue; /* data: accesses to it have hooks */
      judge_import(p, name, GELF_ST_BIND(s.st_info) == STB_WEAK);
    }
  }
}

static void read_segments(struct probe *p, Elf *elf) {
  size_t n;
  if (elf_getphdrnum(elf, &n))
    return;
  for (size_t i = 0; i < n; i++) {
    GElf_Phdr ph;
    if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_TLS)
      p->has_tls = true;
  }
}

int probe_object(struct probe *p, const char *so, struct lines *l,
                 struct error *e) {
  *p = (struct probe){0};
  struct probe_scan s = {.p = p, .l = l, .parts.out = &p->part_stores};
  s.sites = sites_new(&p->sites);
  read_imports(p, l->elf);
  backoffs_read(l->elf, &s.backoffs);
  s.delays = delays_new(s.backoffs.at, s.backoffs.len, p->uses_clock, l);
  read_segments(p, l->elf);
  int err = code_walk(l, visit, &s, e);
  if (err) {
    struct error with_name = {0};
    error_set(&with_name, err, "%s: %s", so, e->text);
    *e = with_name;
  } else {
    end_function(&s);
    merge_sites(&s);
    end_object(&s);
  }
  sites_free(s.sites);
  delays_free(s.delays);
  vec_free(&s.dead);
  vec_free(&s.backoffs);
  return err;
}

void probe_free(struct probe *p) {
  for (uint32_t i = 0; i < p->unknown.len; i++)
    free(p->unknown.at[i]);
  for (uint32_t i = 0; i < p->unseen.len; i++)
    free(p->unseen.at[i]);
  for (uint32_t i = 0; i < p->unknown_hooks.len; i++)
    free(p->unknown_hooks.at[i]);
  vec_free(&p->unknown);
  vec_free(&p->unseen);
  for (uint32_t i = 0; i < p->inlined.len; i++)
    free(p->inlined.at[i]);
  vec_free(&p->inlined);
  vec_free(&p->unknown_hooks);
  vec_free(&p->part_stores);
  vec_free(&p->sites);
}

enum { LISTED = 8 }; /* names in a sentence, then "and 3 more" */

static void print_list(char *const *names, uint32_t n, struct buf *out) {
  for (uint32_t i = 0; i < n && i < LISTED; i++)
    buf_printf(out, "%s%s", i ? ", " : "", names[i]);
  if (n > LISTED)
    buf_printf(out, " and %u more", n - LISTED);
  buf_putc(out, '\n');
}

static const char *plural(uint32_t n, const char *one, const char *many) {
  return n == 1 ? one : many;
}

void probe_print(const struct probe *p, struct buf *out) {
  uint32_t n;
  if (p->alien)
    buf_puts(out,
             "warning: the object has no hooks, so none of its accesses is "
             "seen: give its sources, or compile it with `faultline cc`\n");
  if ((n = p->unknown.len)) {
    buf_printf(out,
               "warning: %u %s not modelled and may block or touch shared "
               "memory: ",
               n, plural(n, "function is", "functions are"));
    print_list(p->unknown.at, n, out);
  }
  if ((n = p->unseen.len)) {
    buf_puts(out, "warning: ");
    for (uint32_t i = 0; i < n && i < LISTED; i++)
      buf_printf(out, "%s%s",
                 i == 0                      ? ""
                 : i + 1 == n && n <= LISTED ? " and "
                                             : ", ",
                 p->unseen.at[i]);
    if (n > LISTED)
      buf_printf(out, " and %u more", n - LISTED);
    buf_printf(out, " %s memory without hooks: races in %s are not seen\n",
               plural(n, "touches", "touch"), plural(n, "it", "them"));
  }
  if ((n = p->unknown_hooks.len)) {
    buf_printf(out, "warning: %u %s of this compiler %s not known: ", n,
               plural(n, "hook", "hooks"), plural(n, "is", "are"));
    print_list(p->unknown_hooks.at, n, out);
  }
  if ((n = p->inlined.len)) {
    buf_puts(out, "warning: these FL_BACKOFF functions were inlined into their "
                  "callers, and need __attribute__((noinline)): ");
    print_list(p->inlined.at, n, out);
  }
}
