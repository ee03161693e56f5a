#include "build/backoffs.h"

#include <gelf.h>
#include <string.h>

static Elf_Scn *section_named(Elf *elf, const char *name, GElf_Shdr *sh) {
  size_t names;
  Elf_Scn *scn = NULL;
  if (elf_getshdrstrndx(elf, &names))
    return NULL;
  while ((scn = elf_nextscn(elf, scn)))
    if (gelf_getshdr(scn, sh) &&
        !strcmp(name, elf_strptr(elf, names, sh->sh_name)))
      return scn;
  return NULL;
}

/* What a relocation puts into its place; 0: something from elsewhere. */
static uint64_t value_of(Elf *elf, const GElf_Shdr *relocations,
                         const GElf_Rela *r) {
  GElf_Sym symbol;
  Elf_Scn *scn = elf_getscn(elf, relocations->sh_link);
  if (GELF_R_TYPE(r->r_info) == R_X86_64_RELATIVE)
    return (uint64_t)r->r_addend;
  if (!scn ||
      !gelf_getsym(elf_getdata(scn, NULL), (int)GELF_R_SYM(r->r_info), &symbol))
    return 0;
  return symbol.st_value ? symbol.st_value + (uint64_t)r->r_addend : 0;
}

void backoffs_read(Elf *elf, backoff_list *out) {
  GElf_Shdr of, sh;
  Elf_Scn *scn = NULL;
  if (!section_named(elf, BACKOFF_SECTION, &of))
    return;
  while ((scn = elf_nextscn(elf, scn))) {
    Elf_Data *data;
    if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA || !sh.sh_entsize ||
        !(data = elf_getdata(scn, NULL)))
      continue;
    for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
      GElf_Rela r;
      if (!gelf_getrela(data, (int)i, &r) ||
          r.r_offset - of.sh_addr >= of.sh_size)
        continue;
      uint64_t entry = value_of(elf, &sh, &r);
      if (entry)
        vec_push(out, entry);
    }
  }
}
