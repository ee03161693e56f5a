#!/bin/bash
# Are answers true when they are carried out?  Runs every faulty object of
# examples/ and tests/clients/, and prints for each
#
#   kind      the kind of fault that is named, or -
#   fix       where the known fix stands among the ranked causes: first, second,
#             later; named, when only the first line or its notes have it; no;
#             - when the object's comment does not tell (BLAME or LINE: the line
#             that is marked /* WORD */)
#   claim     what was carried out: mended (what the kind asks for), tried (the
#             advice), verified (a lock in exactly the best lines); or enforced
#             (by the scheduler only), waits (the same, without executions that
#             wait inside), refuted, untried or none
#   applied   a lock exactly in the printed lines, compiled and searched again:
#             pass, fail, or cannot (the text cannot be changed, or a lock there
#             and one of the object's wait for each other)
#
#   bench/answers.sh [FILE...]        all of them, about ten minutes
#
# Status 1 when a cause that is called verified fails when it is applied.
# FAULTLINE is the tool, build/faultline if unset.
set -u
root=$(realpath "$(dirname "$0")/..")
export FAULTLINE=${FAULTLINE:-$root/build/faultline}
cd "$root" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM

if [ $# -eq 0 ]; then
  shopt -s nullglob
  set -- examples/*.c examples/*.cpp examples/gallery/*.c tests/clients/*.c \
    tests/clients/*.cpp tests/clients/{papers,locate,kinds,advice}/*.{c,cpp}
fi

# The runs of a file that must find a fault, one a line: arguments, tab, word.
faulty_runs() {
  sed -n '/\*\//q; s/^ \* \{0,1\}//; p' "$1" |
    sed -e ':again' -e '/\\$/{N; s/\\\n *//; b again' -e '}' | awk '
      function give() { if (run != "" && bad) print run "\t" word; }
      /^RUN: / { give(); run = substr($0, 6); bad = 0; word = "" }
      /^(VERDICT|FAULT|KIND): / && !/pass|unknown|inconclusive/ { bad = 1 }
      /^(BLAME|LINE): / && word == "" { word = $2 }
      END { give() }' |
    awk -F '\t' '$1 ~ /^(explore )?%s/ && $1 !~ /tso|stress|expect|[|<>;]/ ||
      $1 ~ /--client/ && $1 ~ /^(explore )?%s/ && $1 !~ /tso|stress/'
}

line_of() { # FILE WORD
  case $2 in
  '') ;;
  *[!0-9]*) grep -nF "/* $2 */" "$1" | head -n 1 | cut -d: -f1 ;;
  *) echo "$2" ;;
  esac
}

row() { # object, kind, fix, claim, applied
  printf '%-34s %-22s %-7s %-9s %s\n' "$@" | tee -a "$tmp/table"
}
row object kind fix claim applied
for file; do
  faulty_runs "$file" >"$tmp/runs"
  while IFS=$'\t' read -r arguments word; do
    eval "words=(${arguments//%s/$file})"
    FIX=$(line_of "$file" "$word") FIX_FILE=$(basename "$file") \
      timeout 300 tests/answers/apply "${words[@]}" >"$tmp/rows" 2>"$tmp/errors" </dev/null
    flags=${arguments##*-- }
    [ "$flags" = "$arguments" ] && flags=
    while IFS=$'\t' read -r _ verdict _ _ claim result kind fix; do
      [ "$verdict" = pass ] && continue
      row "$(basename "$file")${flags:+ $flags}" "$kind" "$fix" "$claim" "$result"
    done <"$tmp/rows"
    [ -s "$tmp/rows" ] || {
      echo "$(basename "$file"): no answer: $(head -n 1 "$tmp/errors")"
    }
  done <"$tmp/runs"
done
awk 'NR > 1 && $0 !~ /: no answer: / { n++ }
  NR > 1 { claims[$(NF - 1)]++; results[$(NF - 1), $NF]++; places[$(NF - 2)]++ }
  function put(claim) {
    printf "%-9s %4d runs; a lock in exactly these lines: %d pass, %d fail, " \
      "%d cannot be\n", claim, claims[claim], results[claim, "pass"],
      results[claim, "fail"], results[claim, "cannot"]
  }
  END {
    printf "\n%d runs\n", n
    k = split("mended tried verified enforced waits refuted untried none", c, " ")
    for (i = 1; i <= k; i++)
      put(c[i])
    printf "The known fix: %d first, %d second, %d later, %d in the " \
      "first line, %d not named\n", places["first"], places["second"],
      places["later"], places["named"], places["no"]
    exit results["verified", "fail"] > 0 || !n }' "$tmp/table"
