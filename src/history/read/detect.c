/* Recognises the format of a file by its first bytes. */
#include "history/read/edn.h"

#include "base/text.h"

static const char *skip_space(const char *p, bool edn) {
  for (;;) {
    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' ||
           (edn && *p == ','))
      p++;
    if (!edn || *p != ';')
      return p;
    while (*p && *p != '\n')
      p++;
  }
}

/* KV if the map at p has a :key itself, not only in a value; else EDN. */
static enum read_format kv_or_edn(const char *p, bool whole) {
  uint32_t depth = 0;
  for (; *p; p++) {
    if (*p == '"') {
      for (p++; *p && *p != '"'; p++)
        p += *p == '\\' && p[1];
      if (!*p)
        break;
    } else if (strchr("{[(", *p)) {
      depth++;
    } else if (strchr("}])", *p)) {
      if (--depth == 0)
        return READ_EDN;
    } else if (depth == 1 && begins(p, ":key") &&
               edn_ends_token[(unsigned char)p[4]]) {
      return READ_KV;
    }
  }
  return whole ? READ_EDN : READ_AUTO;
}

static enum read_format json_or_edn(const char *p, bool whole) {
  const char *inside = skip_space(p + 1, false);
  if (*inside == '"' && !whole && !strchr(inside + 1, '"'))
    return READ_AUTO;
  if (*inside == '"')
    return begins(inside, "\"schema\"") || begins(inside, "\"events\"")
               ? READ_VIOLAT
               : READ_JSONL;
  return kv_or_edn(p, whole);
}

/* A line "…<tab>:invoke<tab>…" */
static bool prints_jepsen(const char *p, const char *end) {
  static const char *const types[] = {"\t:invoke\t", "\t:ok\t", "\t:fail\t",
                                      "\t:info\t"};
  for (uint32_t i = 0; i < 4; i++)
    if (memmem(p, (size_t)(end - p), types[i], strlen(types[i])))
      return true;
  return false;
}

enum read_format recognise(const char *p, const char *end, bool whole) {
  const char *first = skip_space(p, true);
  if (*first == '{')
    return json_or_edn(first, whole);
  if (*first == '[' || *first == '(') {
    const char *item = skip_space(first + 1, true);
    if (*item == '{')
      return json_or_edn(item, whole);
    if (*item == '#' || *item == ']' || *item == ')')
      return READ_EDN;
  }
  if (*first == '#' && first[1] > ' ' && first[1] != '#' && first[1] != '!')
    return READ_EDN; /* a tag or #_, not a heading of a text */
  return prints_jepsen(p, end) ? READ_JEPSEN_LOG : READ_AUTO;
}
