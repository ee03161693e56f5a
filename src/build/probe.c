/* Inspects the imports and the machine code of an object. */
#define _GNU_SOURCE /* RTLD_DEFAULT */

#include "build/probe.h"
#include "base/text.h"
#include "build/known.h"
#include "build/wraps.h"
#include "code/code.h"
#include "code/part_stores.h"
#include "code/sites.h"

#include <dlfcn.h>
#include <gelf.h>
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

struct probe_tally { /* of one unit, or of one function without hooks */
  const char *name;
  uint64_t addr; /* of the function; 0 for a unit */
  bool hooked, touches;
};

struct function_sites { /* the sites of one function */
  const char *unit;
  uint32_t first;
};

struct probe_scan {
  struct probe *p;
  struct lines *l;
  VEC(struct probe_tally) tallies;
  const struct line_symbol *function; /* the current one */
  bool hooked, reads, writes;
  struct part_search parts;
  struct site_search *sites;
  VEC(struct function_sites) found;
};

static struct probe_tally *tally_of(struct probe_scan *s, const char *name,
                                    uint64_t addr) {
  for (uint32_t i = 0; i < s->tallies.len; i++)
    if (s->tallies.at[i].addr == addr && !strcmp(s->tallies.at[i].name, name))
      return &s->tallies.at[i];
  struct probe_tally t = {.name = name, .addr = addr};
  vec_push(&s->tallies, t);
  return &vec_last(&s->tallies);
}

/*
 * Was the function compiled with hooks?  One hook is enough to say so, since
 * the compiler omits the hooks of accesses that other threads cannot see.  It
 * may omit all hooks of a function, such as one that reads a constant table.
 * So in a unit with hooks elsewhere, a function without hooks is reported only
 * if it writes.
 */
static void end_function(struct probe_scan *s) {
  const struct line_symbol *f = s->function;
  if (!f || is_start_up(f->name)) {
    sites_drop(s->sites);
    return;
  }
  const struct line_unit *u = lines_unit_at(s->l, f->addr);
  struct function_sites here = {u ? u->name : NULL, s->p->sites.len};
  vec_push(&s->found, here);
  bool stopped_at = sites_end(s->sites) && u;
  if (u && u->name) {
    struct probe_tally *t = tally_of(s, u->name, 0);
    t->hooked |= s->hooked;
    t->touches |= s->reads || s->writes;
  }
  if (!s->hooked ? (u ? s->writes && !stopped_at : s->reads || s->writes)
                 : !stopped_at) {
    const char *name = lines_place(s->l, f->addr)->function;
    tally_of(s, name ? name : f->name, f->addr)->touches = true;
  }
}

static void visit(void *ctx, const struct line_symbol *f,
                  const struct code_insn *i) {
  struct probe_scan *s = ctx;
  part_stores_visit(&s->parts, f, i);
  if (s->function != f) {
    end_function(s);
    s->function = f;
    s->hooked = s->reads = s->writes = false;
  }
  sites_visit(s->sites, i);
  if (i->symbol && begins(i->symbol, "__tsan_")) {
    s->hooked = true;
    s->p->hooks += is_access_hook(i->symbol);
  }
  s->p->uses_fenv |= i->fenv;
  if (!i->escapes) { /* an escape is reported by itself */
    s->reads |= i->reads;
    s->writes |= i->writes;
  } else if (!is_start_up(f->name)) {
    struct probe_escape x = {
        i->pc,
        xasprintf("%s%s%s", i->mnemonic, *i->operands ? " " : "", i->operands),
        lines_place(s->l, i->pc)};
    vec_push(&s->p->escapes, x);
  }
}

/* Reports a unit without any hook instead of its functions. */
static void report_uninstrumented(struct probe_scan *s) {
  for (uint32_t i = 0; i < s->tallies.len; i++) {
    struct probe_tally t = s->tallies.at[i];
    if (t.hooked || !t.touches)
      continue;
    const struct line_unit *u = t.addr ? lines_unit_at(s->l, t.addr) : NULL;
    if (!t.addr)
      vec_push(&s->p->uninstrumented, xstrdup(t.name));
    else if (!u || !u->name || tally_of(s, u->name, 0)->hooked)
      vec_push(&s->p->uninstrumented, xasprintf("%s()", t.name));
  }
}

/* Drops the sites of units without hooks, which are reported instead. */
static void keep_sites(struct probe_scan *s) {
  uint32_t n = 0, last = s->p->sites.len;
  for (uint32_t i = 0; i < s->found.len; i++) {
    uint32_t from = s->found.at[i].first;
    uint32_t to = i + 1 < s->found.len ? s->found.at[i + 1].first : last;
    const char *unit = s->found.at[i].unit;
    if (from < to && unit && tally_of(s, unit, 0)->hooked)
      while (from < to)
        s->p->sites.at[n++] = s->p->sites.at[from++];
  }
  s->p->sites.len = n;
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
  read_segments(p, l->elf);
  int err = code_walk(l, visit, &s, e);
  if (err) {
    struct error with_name = {0};
    error_set(&with_name, err, "%s: %s", so, e->text);
    *e = with_name;
  } else {
    end_function(&s);
    keep_sites(&s);
    report_uninstrumented(&s);
  }
  sites_free(s.sites);
  vec_free(&s.found);
  vec_free(&s.tallies);
  return err;
}

void probe_free(struct probe *p) {
  for (uint32_t i = 0; i < p->uninstrumented.len; i++)
    free(p->uninstrumented.at[i]);
  for (uint32_t i = 0; i < p->unknown.len; i++)
    free(p->unknown.at[i]);
  for (uint32_t i = 0; i < p->unseen.len; i++)
    free(p->unseen.at[i]);
  for (uint32_t i = 0; i < p->unknown_hooks.len; i++)
    free(p->unknown_hooks.at[i]);
  for (uint32_t i = 0; i < p->escapes.len; i++)
    free((char *)p->escapes.at[i].instruction);
  vec_free(&p->uninstrumented);
  vec_free(&p->unknown);
  vec_free(&p->unseen);
  vec_free(&p->unknown_hooks);
  vec_free(&p->escapes);
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
  if (!p->hooks)
    buf_puts(out, "warning: the object has no instrumented access: compile it "
                  "with faultline, or with `faultline cc`\n");
  if ((n = p->uninstrumented.len) && p->hooks) {
    buf_printf(out,
               "warning: code without hooks, whose accesses are not seen: ");
    print_list(p->uninstrumented.at, n, out);
  }
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
  for (uint32_t i = 0; i < p->escapes.len; i++) {
    const struct probe_escape *x = &p->escapes.at[i];
    const struct place *at = x->place;
    /* the length of the mnemonic */
    size_t words = strcspn(x->instruction, " ");
    if (begins(x->instruction, "lock "))
      words = 5 + strcspn(x->instruction + 5, " ");
    if (at->file && at->line)
      buf_printf(out, "%s:%u: ", at->file, at->line);
    else if (at->function)
      buf_printf(out, "%s(): ", at->function);
    buf_printf(out,
               "warning: inline assembly '%.*s' escapes the hooks: this run "
               "is partial\n",
               (int)words, x->instruction);
  }
}
