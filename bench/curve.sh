#!/bin/bash
# How many faults are found in how much time?  Runs every faulty object of
# examples/ and tests/clients/ that is searched without options of the search,
# with --time 1, 3, 10, 30 and 60, and prints for each time how many were found
# and by how much the slowest search was late.
#
#   bench/curve.sh [FILE...]          all of them, about an hour
#   TIMES='1 3' bench/curve.sh …      these times
#
# Status 1 when a fault that was found in less time is not found in more.
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
  set -- examples/*.c examples/gallery/*.c tests/clients/*.c \
    tests/clients/{papers,locate,kinds,advice}/*.c
fi

# The arguments of its runs that must find a fault, one a line.
faulty_runs() {
  sed -n '/\*\//q; s/^ \* \{0,1\}//; p' "$1" | awk '
    function give() {
      if (bad && run !~ /--(client|search|max|time|threads|ops|preempt|object)/)
        print run
      bad = 0
    }
    /^RUN: / { give(); run = /^RUN: %s/ ? substr($0, 9) : "--client" }
    /^EXIT: 1/ { bad = 1 }
    /^(VERDICT|FAULT|KIND): / && !/pass|unknown|inconclusive/ { bad = 1 }
    END { give() }
  '
}

lost=0
printf '%-8s %-8s %s\n' time found 'latest end'
touch "$tmp/before"
for time in ${TIMES:-1 3 10 30 60}; do
  found=0 all=0 late=0
  : >"$tmp/now"
  for file; do
    while IFS= read -r run; do
      all=$((all + 1))
      # shellcheck disable=SC2086 # the words of a run
      "$FAULTLINE" "$file" --time "$time" --no-save --no-html \
        --json "$tmp/report.json" $run </dev/null >/dev/null 2>&1
      if [ $? -eq 1 ]; then
        found=$((found + 1))
        echo "$file $run" >>"$tmp/now"
      elif grep -qxF "$file $run" "$tmp/before"; then
        echo "not found again: $file $run"
        lost=1
      fi
      over=$(jq -r --arg t "$time" '(.runs // [.])[0] | select(.verdict == "pass")
        | .statistics.seconds / ($t | tonumber) * 100 - 100 | floor' \
        "$tmp/report.json" 2>/dev/null)
      [ "${over:-0}" -gt "$late" ] && late=$over
    done < <(faulty_runs "$file")
  done
  cp "$tmp/now" "$tmp/before"
  printf '%-8s %-8s %s\n' "$time s" "$found/$all" "+$late %"
done
exit $lost
