#!/bin/bash
# Names that a reader or a debugger meets.  The tag of a struct, union or enum
# stands for one thing in the whole program.  The number of an invariant, (H1),
# stands for one thing in its layer, and its layer cites it in an
# assertion, a check of a whole structure or a sentence, or it says where it is
# tested.  Every file opens with
# a comment that says what it is for, unless its header does.  Needs SOURCE_DIR.
set -u
cd "$SOURCE_DIR" || exit 2
bad=0
fail() {
  echo "$*"
  bad=1
}

# ---- tags ----
tags() { # "struct history", one a line, for every definition
  grep -rhoE --include='*.[ch]' \
    '(struct|union|enum) [a-z][a-z0-9_]* \{' src | sed 's/ {$//'
}
while read -r count tag; do
  [ "$count" = 1 ] ||
    fail "$tag is defined $count times:" \
      $(grep -rnE --include='*.[ch]' "$tag \{" src | cut -d: -f1,2)
done < <(tags | sort | uniq -c)
[ "$(tags | wc -l)" -gt 500 ] || fail "no tags were found"

# ---- invariants ----
defined() { # LAYER NUMBER FILE, for every line of a block that begins with (H1)
  grep -rnoE --include='*.[ch]' '^ \* \([A-Z][0-9]+\) ' src |
    sed -E 's,^(src/([^/]*)/[^:]*):[0-9]*:.*\(([A-Z][0-9]+)\),\2 \3 \1,' | sort
}
while read -r count layer number; do
  [ "$count" = 1 ] || fail "$layer has ($number) $count times:" \
    $(defined | awk -v l="$layer" -v n="$number" '$1 == l && $2 == n {print $3}')
done < <(defined | awk '{print $1, $2}' | sort | uniq -c)
[ "$(defined | wc -l)" -gt 100 ] || fail "no invariants were found"
while read -r layer number file; do
  cited=$(grep -rhoE --include='*.[ch]' "\b$number\b" "src/$layer" | wc -l)
  [ "$cited" -gt 1 ] && continue
  # Or the header says where it is tested, or why it is not.
  grep -A9 "^ \* ($number) " "$file" |
    grep -qE 'tests/|[Nn]ot asserted|No check|by construction' ||
    fail "$file: nothing cites ($number)"
done < <(defined)

# ---- openings ----
while read -r file; do
  header=${file%.c}.h
  if ! head -1 "$file" | grep -q '^/\*'; then
    [ "$header" != "$file" ] && [ -e "$header" ] && continue
    fail "$file does not say what it is for"
  fi
done < <(find src -name '*.[ch]')
exit $bad
