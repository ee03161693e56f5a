/*
 * Loading the object under test into this process: its suites, its writable
 * data, its thread-local template.
 */
#include "rt/module.h"

#include "harness/parts.h"
#include "rt/engine.h"

#include <assert.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

static int inspect(struct dl_phdr_info *info, size_t size, void *ctx) {
  (void)size;
  if (info->dlpi_addr != *(uint64_t *)ctx)
    return 0;
  uint64_t lo = UINT64_MAX, hi = 0, relro_end = 0, end = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uint64_t at = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD) {
      if (at + p->p_memsz > end)
        end = at + p->p_memsz;
      if (p->p_flags & PF_X) {
        E.code_lo = at;
        E.code_span = p->p_memsz;
      }
      if (p->p_flags & PF_W) {
        lo = at < lo ? at : lo;
        hi = at + p->p_memsz > hi ? at + p->p_memsz : hi;
      }
    } else if (p->p_type == PT_GNU_RELRO) {
      relro_end = at + p->p_memsz; /* read-only by now, rounded down to pages */
      relro_end &= ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);
    } else if (p->p_type == PT_TLS) {
      E.tls_size = p->p_memsz;
      E.tls_image = (const uint8_t *)at;
      E.tls_image_size = p->p_filesz;
      E.tls_module = info->dlpi_tls_modid;
    }
  }
  assert(end > info->dlpi_addr && E.tls_image_size <= E.tls_size);
  E.image_span = end - info->dlpi_addr;
  if (lo < relro_end)
    lo = relro_end;
  if (lo < hi) {
    E.data_lo = lo;
    E.data_span = hi - lo;
  }
  return 1;
}

/* Thread-local variables of libraries that the object uses. */
static int note_library(struct dl_phdr_info *info, size_t size, void *ctx) {
  (void)size, (void)ctx;
  if (info->dlpi_addr == E.base || !info->dlpi_tls_modid)
    return 0;
  /* The caches of the C library's allocator hang on its thread-locals. */
  bool libc = strstr(info->dlpi_name, "/libc.so") != NULL ||
              strstr(info->dlpi_name, "/ld-linux") != NULL ||
              !info->dlpi_name[0];
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS) {
      if (E.nlibraries == TLS_MODULES)
        die("more than %d libraries have thread-local variables", TLS_MODULES);
      E.library[E.nlibraries++] = (struct tls_module){
          info->dlpi_tls_modid, info->dlpi_phdr[i].p_memsz, !libc};
    }
  return 0;
}

int fl__module_open(const char *so, struct error *e) {
  /* A name without a slash would be searched for in the system's folders. */
  char *path = strchr(so, '/') ? xstrdup(so) : xasprintf("./%s", so);
  E.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  free(path);
  if (!E.handle) {
    const char *why = dlerror();
    const char *symbol = strstr(why, "undefined symbol: ");
    if (symbol)
      return error_set(e, ERR_BUILD,
                       "%s: nothing defines %s (a missing source file, or a "
                       "library to name after --, such as -lm?)",
                       so, symbol + strlen("undefined symbol: "));
    return error_set(e, ERR_BUILD, "%s", why);
  }
  struct link_map *map;
  if (dlinfo(E.handle, RTLD_DI_LINKMAP, &map))
    return error_set(e, ERR_BUILD, "%s: %s", so, dlerror());
  E.base = map->l_addr;
  uint64_t base = E.base;
  if (!dl_iterate_phdr(inspect, &base))
    return error_set(e, ERR_BUILD, "%s: cannot find its segments", so);
  dl_iterate_phdr(note_library, NULL);
  *(void **)&E.program = dlsym(E.handle, "main");
  parts_settle(rt_suites());
  return ERR_NONE;
}

struct fl_suite *rt_suites(void) {
  struct fl_suite **head = dlsym(E.handle, "fl_suites");
  return head ? *head : NULL;
}

struct fl_client *rt_clients(void) {
  struct fl_client **head = dlsym(E.handle, "fl_clients");
  return head ? *head : NULL;
}

uint64_t rt_base(void) { return E.base; }
bool rt_has_main(void) { return E.program != NULL; }
