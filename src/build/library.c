/* Keeping what a library was linked from, and taking it out again. */
#include "build/library.h"

#include "base/hash.h"
#include "base/text.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char section_name[] = ".faultline";

struct elf_file {
  int fd;
  Elf *elf;
};

static bool open_elf(struct elf_file *f, const char *path) {
  elf_version(EV_CURRENT);
  f->fd = open(path, O_RDONLY | O_CLOEXEC);
  f->elf = f->fd < 0 ? NULL : elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
  if (f->elf && elf_kind(f->elf) == ELF_K_ELF)
    return true;
  elf_end(f->elf);
  if (f->fd >= 0)
    close(f->fd);
  return false;
}

static void close_elf(struct elf_file *f) {
  elf_end(f->elf);
  close(f->fd);
}

/* The first section of the type, or of the name; NULL: there is none. */
static Elf_Data *section_of(Elf *elf, uint32_t type, const char *name,
                            GElf_Shdr *header) {
  size_t names;
  if (elf_getshdrstrndx(elf, &names))
    return NULL;
  for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
    const char *own;
    if (!gelf_getshdr(s, header) ||
        !(own = elf_strptr(elf, names, header->sh_name)))
      continue;
    if (name ? !strcmp(own, name) : header->sh_type == type)
      return elf_getdata(s, NULL);
  }
  return NULL;
}

static bool write_file(const char *path, const void *from, size_t n) {
  FILE *f = fopen(path, "wb");
  bool ok = f && fwrite(from, 1, n, f) == n;
  if (f && fclose(f))
    ok = false;
  return ok;
}

/* ---- keeping ---- */

/* The names that the library defines for others, a line each. */
static bool list_exports(const char *so, struct buf *out) {
  struct elf_file f;
  GElf_Shdr header;
  if (!open_elf(&f, so))
    return false;
  Elf_Data *data = section_of(f.elf, SHT_DYNSYM, NULL, &header);
  size_t n = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
  for (size_t i = 1; i < n; i++) {
    GElf_Sym s;
    const char *name;
    if (gelf_getsym(data, (int)i, &s) && s.st_shndx != SHN_UNDEF &&
        (name = elf_strptr(f.elf, header.sh_link, s.st_name)))
      buf_printf(out, "%s\n", name);
  }
  close_elf(&f);
  return out->len > 0;
}

static bool run_quietly(struct command *c) {
  struct buf out = {0};
  bool ok = command_capture(c, &out) == 0;
  buf_free(&out);
  command_free(c);
  return ok;
}

bool library_keep(const char *so, const char *linker, char *const *parts,
                  uint32_t n, const char *dir) {
  char *whole = xasprintf("%s/whole.o", dir), *list = xasprintf("%s/kept", dir);
  struct buf exports = {0};
  struct command join = {.tmp = dir}, hide = {.tmp = dir}, add = {.tmp = dir};
  bool ok =
      list_exports(so, &exports) && write_file(list, exports.at, exports.len);
  command_add(&join, linker);
  command_add(&join, "-r");
  command_add(&join, "-nostdlib");
  /* Functions that several objects define are one each from here on. */
  command_add(&join, "-Wl,--force-group-allocation");
  for (uint32_t i = 0; i < n; i++)
    command_add(&join, parts[i]);
  command_add(&join, "-o");
  command_add(&join, whole);
  ok = run_quietly(&join) && ok;
  command_add(&hide, "objcopy");
  command_addf(&hide, "--keep-global-symbols=%s", list);
  command_add(&hide, whole);
  ok = ok && run_quietly(&hide);
  command_add(&add, "objcopy");
  command_addf(&add, "--add-section=%s=%s", section_name, whole);
  command_addf(&add, "--set-section-flags=%s=noload,readonly", section_name);
  command_add(&add, so);
  ok = ok && run_quietly(&add);
  buf_free(&exports);
  command_free(&hide);
  command_free(&add);
  unlink(whole);
  unlink(list);
  free(whole);
  free(list);
  return ok;
}

/* ---- taking it out ---- */

char *library_object(const char *so, const char *dir) {
  struct elf_file f;
  GElf_Shdr header;
  char *path = NULL;
  if (!open_elf(&f, so))
    return NULL;
  Elf_Data *data = section_of(f.elf, 0, section_name, &header);
  if (data && data->d_size) {
    struct hash128 h = hash128(data->d_buf, data->d_size, 0);
    path = xasprintf("%s/library-%016" PRIx64 ".o", dir, h.lo);
    if (!write_file(path, data->d_buf, data->d_size)) {
      free(path);
      path = NULL;
    }
  }
  close_elf(&f);
  return path;
}

/* The linker finds these without being told. */
static bool is_usual(const char *name) {
  return begins(name, "libc.so") || begins(name, "ld-linux") ||
         begins(name, "libgcc_s") || begins(name, "libtsan");
}

void library_needs(const char *so, const char *compiler, struct command *c) {
  struct elf_file f;
  GElf_Shdr header;
  if (!open_elf(&f, so))
    return;
  Elf_Data *data = section_of(f.elf, SHT_DYNAMIC, NULL, &header);
  size_t n = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
  for (size_t i = 0; i < n; i++) {
    GElf_Dyn d;
    const char *name;
    if (!gelf_getdyn(data, (int)i, &d) || d.d_tag != DT_NEEDED ||
        !(name = elf_strptr(f.elf, header.sh_link, d.d_un.d_val)) ||
        is_usual(name))
      continue;
    struct command ask = {0};
    struct buf answer = {0};
    command_add(&ask, compiler);
    command_addf(&ask, "-print-file-name=%s", name);
    if (!command_capture(&ask, &answer) && answer.len && *answer.at == '/')
      command_addf(c, "-l:%s", name);
    command_free(&ask);
    buf_free(&answer);
  }
  close_elf(&f);
}
