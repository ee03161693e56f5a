#!/bin/bash
# "Checking Linearizability Using Hitting Families": Tables 1 to 3 for the
# histories of tests/data/juc, the linearizability depth beside the first
# witness, and the figures.  Prints `table row column ours`; see run.
set -u
cd "${SOURCE_DIR:-$(dirname "$0")/../..}" || exit 2
tool=${FAULTLINE:-build/faultline}
quick=${1:-}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# Status 1: some histories are not linearizable.
check() {
  "$tool" check "$@"
  local status=$?
  [ "$status" -le 1 ] || exit 2
}

# ---- Tables 1 to 3, and 4: those of --depth-table, a figure a line ----
check --depth-table tests/data/juc >"$tmp/tables" 2>"$tmp/err" || exit 2
awk -v OFS='\t' '
  function put(column, value) { print table, type, column, value }
  /^Table [1-4]\./ { table = "Table " substr($2, 1, 1); next }
  /^$/ || /^type / || /^(concurrent|and those|family) / { next }
  /^[A-Z]/ { type = $1 }
  table == "Table 1" {
    n = split("#Histories #Ops max(c) mean(c) dev(c) max(cp) mean(cp) dev(cp)", name, " ")
    for (i = 1; i <= n; i++) put(name[i], $(i + 1))
  }
  table == "Table 2" {
    first = /^[A-Z]/ ? 3 : 2
    for (d = 1; d <= 5; d++) put("d=" d " " $(first - 1), $(first + d - 1))
  }
  table == "Table 3" && /^[A-Z]/ {
    put("#Hists", $2); put("#Lin", $3); lin += $3
    for (d = 1; d <= 5; d++) { put("d=" d, $(d + 3)); sum[d] += $(d + 3) }
  }
  table == "Table 3" && !/^[A-Z]/ {
    for (d = 1; d <= 5; d++) put("d=" d " %", $(d + 1))
  }
  table == "Table 4" {
    if (/^[A-Z]/) class = $1
    what = /first witness/ ? "first witness" : "depth"
    type = class ", " what
    for (d = 1; d <= 6; d++) {
      put(d < 6 ? "d=" d : "d>5", $(NF - 6 + d))
      all[what, d] += $(NF - 6 + d)
    }
  }
  END {
    table = "Section 1"; type = "linearizable histories with a witness, %"
    for (d = 2; d <= 5; d++)
      if (d != 3) put("d<=" d, sprintf("%.1f", 100 * sum[d] / lin))
    table = "Table 4"
    for (k = 1; k <= 2; k++) {
      what = k == 1 ? "first witness" : "depth"
      type = "all, " what
      for (d = 1; d <= 6; d++) put(d < 6 ? "d=" d : "d>5", all[what, d])
    }
  }' "$tmp/tables"

# ---- figures: histories of tests/data/hitting ----
answer() { # file, jq expression
  check --method=hitting --json "$tmp/json" "tests/data/hitting/$1.jsonl" \
    >/dev/null 2>"$tmp/err" || exit 2
  jq -r ".histories[0] | $2" "$tmp/json"
}
for part in a b; do
  printf 'Figure 1\t%s\tverdict\t%s\n' "$part" "$(answer figure1$part .verdict)"
done

figure2() { # column, jq expression [, file]
  printf 'Figure 2\thistory of a queue\t%s\t%s\n' "$1" \
    "$(answer "${3:-figure2}" "$2")"
}
figure2 schedules .schedules
figure2 witnesses .witnesses
figure2 'schedules of d=1' '.families[0].distinct'
figure2 depth .linearizability_depth.depth
figure2 'depth, changed' .linearizability_depth.depth figure2_changed
check --depth-table tests/data/hitting/figure2.jsonl 2>"$tmp/err" |
  awk -v OFS='\t' '/^ConcurrentLinkedQueue/ {
    print "Figure 2", "history of a queue", "c", $4
    print "Figure 2", "history of a queue", "cp", $7
    exit
  }'

# ---- Figure 4: families of d = 6 and 7, of histories that are linearizable ----
[ "$quick" != --quick ] || exit 0
check --method=hitting -q --json "$tmp/json" tests/data/juc >/dev/null \
  2>"$tmp/err" || exit 2
jq -r '[.histories[] | select(.verdict == "linearizable" and .schedules > 1)]
  | . as $all | range(1; 8) as $d
  | ([$all[] | select(.depth <= $d)] | length) as $n
  | ($n * 1000 / ($all | length) + 0.5 | floor / 10) as $percent
  | ["Figure 4", "all classes", "d=\($d) %", $percent] | @tsv' \
  "$tmp/json" || exit 2
