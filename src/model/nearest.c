/* "Did you mean": edit distance, and the last word of a longer name. */
#include "model/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_LENGTH = 60 }; /* of names that are compared letter by letter */

/* Edits (insert, delete, replace, swap of neighbours) that make b of a. */
static uint32_t edits(const char *a, size_t n, const char *b, size_t m) {
  uint32_t row[3][MAX_LENGTH + 1];
  for (size_t j = 0; j <= m; j++)
    row[0][j] = (uint32_t)j;
  for (size_t i = 1; i <= n; i++) {
    uint32_t *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
    now[0] = (uint32_t)i;
    for (size_t j = 1; j <= m; j++) {
      uint32_t best = up[j - 1] + (a[i - 1] != b[j - 1]);
      if (up[j] + 1 < best)
        best = up[j] + 1;
      if (now[j - 1] + 1 < best)
        best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          up2[j - 2] + 1 < best)
        best = up2[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[n % 3][m];
}

/* `push` for `stack_push` and `stack::push`. */
static bool is_last_word(const char *word, size_t n, const char *name) {
  size_t m = strlen(name);
  return n && m > n + 1 && memcmp(name + m - n, word, n) == 0 &&
         (name[m - n - 1] == '_' || name[m - n - 1] == ':');
}

const char *nearest_name(const struct op_names *names, const char *word,
                         size_t n) {
  const char *best = NULL;
  uint32_t distance = n < 3 ? 2 : n < 8 ? 3 : 4; /* closer than this */
  for (uint32_t i = 0; i < names->count; i++) {
    const char *name = names->name[i];
    size_t m = strlen(name);
    if (is_last_word(word, n, name))
      return name;
    if (n > MAX_LENGTH || m > MAX_LENGTH)
      continue;
    uint32_t d = edits(word, n, name, m);
    if (d < distance && d < n) {
      distance = d;
      best = name;
    }
  }
  return best;
}
