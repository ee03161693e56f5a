#!/bin/bash
# The reports of the examples, word for word.  A file of golden/ is the command
# in its first line, perhaps with COLUMNS=N before it, and what it prints.
# tests/cli/update writes them anew.
. "$(dirname "$0")/common.inc"
golden=$SOURCE_DIR/tests/cli/golden

# How much was searched changes with every improvement of the search: the
# sentences under the summary are joined and their numbers taken out.
normal() {
  awk '
    /^[^ ].*, seed [0-9]+$/ {
      gsub(/[0-9,]+ clients?/, "N clients")
      gsub(/[0-9,]+ executions?/, "N executions")
      print; tail = 1; next
    }
    tail && /^  / { sub(/^ +/, ""); text = text " " $0; next }
    { end(); print }
    END { end() }
    function end() {
      gsub(/[0-9]+(,[0-9]+)*/, "N", text)
      if (text) print " " text
      text = ""; tail = 0
    }' | sed -E 's/-[0-9a-f]{8}\.(schedule|html)/-HASH.\1/'
}

for file in "$golden"/*.txt; do
  command=$(head -n 1 "$file")
  rm -rf .faultline
  set_columns=${command#\$ }
  eval "${set_columns%%faultline *} run ${command#*faultline }"
  {
    echo "$command"
    cat "$tmp/err"
    normal <"$tmp/out"
    echo "[status $status]"
  } >"$tmp/have"
  [[ $command == *COLUMNS=* ]] || expect_narrow
  if [ "${UPDATE:-}" ]; then
    cp "$tmp/have" "$file"
  elif ! diff -u "$file" "$tmp/have" >"$tmp/diff"; then
    fail "$(cat "$tmp/diff")"
  fi
done
finish
