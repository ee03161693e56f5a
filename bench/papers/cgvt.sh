#!/bin/bash
# Figures of "Localization of Linearizability Faults on the Coarse-grained Level"
# (CGVT) for the C versions of its objects (tests/clients/papers), as
# bench/papers/run wants them: table, row, column, ours.  --quick leaves out
# the objects that hang, and the paper's larger CGList.
#
# Table II: histories of the paper's sizes and as many of them, every operation
# and every value of 0 .. 99 as likely, on real threads (B) and under the
# scheduler (D, H; D by a coin in the place of priorities as well).
set -u
cd "${SOURCE_DIR:-$(dirname "$0")/../..}" || exit 2
tool=${FAULTLINE:-build/faultline}
quick=${1:-}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
papers=tests/clients/papers

put() { # table, row, column, ours
  printf '%s\t%s\t%s\t%s\n' "$@"
}
run() { # arguments of faultline; leaves $dir/report
  rm -f "$dir/report"
  "$tool" "$@" --no-save --no-html --json "$dir/report" >"$dir/out" 2>&1
  [ -s "$dir/report" ] || { cat "$dir/out" >&2; exit 1; }
}

# ---- Table II ----

# The object with the paper's operations and values.
harness() { # file, operations that the row does not have
  local source=$dir/$1.c op
  sed -e 's/FL_INT(1, 3)/FL_INT(0, 99)/' -e 's/FL_DATA(1, 3)/FL_DATA(0, 99)/' \
    "$papers/$1.c" >"$source"
  for op in $2; do
    sed -i -e "/^FL_OP([a-z]*, $op[,)]/d" \
      -e "/^FL_SPEC/s/, [a-z]* = $op\([,)]\)/\1/" "$source"
  done
  echo "$source"
}

detect() { # row, column, source, calls of a thread, histories, arguments
  local row=$1 column=$2 source=$3 ops=$4 histories=$5
  shift 5
  run shrink "$source" "$@" --threads 2 --ops "$ops" --max-executions "$histories"
  put 'Table II: histories that fail' "$row, of $histories" "$column" \
    "$(jq .shrink.failing_histories "$dir/report")"
}

row() { # name, calls of a thread, histories, versions, file, operations left out
  local source version V
  source=$(harness "$5" "$6")
  for version in $4; do
    V=${version^^}
    detect "$1" "$V" "$source" "$2" "$3" --coarse="$version"
    [ "$version" != b ] || put 'Table II: histories that fail' "$1, of $3" \
      'B, by results' "$(jq .shrink.wrong_results "$dir/report")"
    put 'Table II: ms of a check' "$1" "$V" \
      "$(jq '.shrink.check_seconds * 1e5 | round / 100' "$dir/report")"
    put 'Table II: size of Pc' "$1" "$V" \
      "$(jq -r '.minimal.located_pc // 0 | if . == 0 then "-" else . end' \
        "$dir/report")"
    put 'Table II: ms of localization' "$1" "$V" \
      "$(jq -r 'if .minimal then .minimal | (.locate_seconds +
        .reduce_seconds) * 1000 | round else "-" end' "$dir/report")"
  done
  detect "$1" 'D, coin' "$source" "$2" "$3" --coarse=d --search=random
}

hangs='b d h'
[ -z "$quick" ] || hangs='d h'
row LFList 500 20 'b d h' lock_free_list contains
row CGList 50 20 'b d h' simple_list remove_key
row CGListS 500 80 'b d h' size_list ''
row BUList1 500 20 "$hangs" bu_list1 contains
row BUList2 50 20 'b d h' bu_list2 contains
row BUList3 500 80 "$hangs" bu_list3 ''
row OPQueue 500 20 'b d h' optimistic_queue ''
row BUQueue 200 80 'b d h' bu_queue ''
row KStack 50 20 'b d h' k_stack ''
row TBStack 100 20 'b d h' treiber_no_retry ''
if [ -z "$quick" ]; then
  source=$(harness simple_list contains)
  for version in d h; do
    detect 'CGList, 2*1000 add;remove' "${version^^}" "$source" 1000 20 \
      --coarse=$version
  done
fi

# ---- Table I ----

first() { # name, file, a client with more than it needs
  run shrink "$papers/$2.c" --client "$3" --deciding-races=off
  put 'Table I' "$1" Type "$(jq -r '.minimal.type // "-"' "$dir/report")"
  put 'Table I' "$1" 'OP quantity' "$(jq -r \
    '[.minimal.pc[]? | length] | sort | map(tostring) | join(", ")' \
    "$dir/report")"
  put 'Table I' "$1" minimal \
    "$(jq -r 'if .minimal.proved then "proved" else "no" end' "$dir/report")"
}
first PairSnapShot pair_snapshot \
  '{write_cell(0, 2); write_cell(1, 2); write_cell(1, 1); write_cell(0, 1);
   write_cell(1, 2)} || {read_pair(); read_pair()}'
first SimpleList simple_list \
  'add(1); {add(2); contains(1)} || {add(3); remove_key(1)};
   contains(2); contains(3)'
first 'SimpleList (Size)' size_list \
  'add(1); add(2); {remove_key(1); add(3); remove_key(2)} || {size(); size()}'
first LockFreeList lock_free_list \
  '{add(1); remove_key(1); contains(1)} || {add(2); remove_key(1)}'
first K-Stack k_stack \
  '{push(1); push(2)} || {push(3)}; pop(); pop(); pop()'
first OptimisticQueue optimistic_queue \
  '{poll(); offer(3)} || {offer(1); offer(2); poll()}'
first Snark snark \
  'push_right(1); {pop_right(); push_left(3)} || {push_right(2); pop_left();
   pop_left()}'
first TreiberStack treiber_reuse \
  'push(1); push(2); {pop(); push(1)} || {pop(); pop(); push(3); pop()}; pop();
   pop()'

# ---- structure trees and Algorithm 2 ----

tree() { # table, row, column, file, function, what of its output
  put "$1" "$2" "$3" \
    "$("$tool" explain-tree "$5" "$4" --cc gcc --opt=-O1 | sed -n "$6")"
}
brief='1s/.*: //p'
total='$s/.*: about \([0-9]*\) step.*/\1/p'
tree 'Figure 6' 'write of Figure 1' tree $papers/pair_snapshot.c write_cell "$brief"
tree 'Figure 6' 'read of Figure 1' tree $papers/pair_snapshot.c read_pair "$brief"
cat >"$dir/loops.c" <<'E'
#include <faultline.h>
static volatile int d[4];
static int four(void) {
  int s = 0;
  for (int i = 0; i < 4; i++)
    s += d[i];
  return s;
}
static void some(int n) {
  for (int i = 0; i < n; i++) {
    d[0] = i;
    d[1] = i;
  }
}
static void either(int k) {
  if (k) {
    d[0] = 1;
    d[1] = 2;
    d[2] = 3;
  } else {
    d[0] = 5;
  }
  d[3] = k;
}
FL_OBJECT(loops)
FL_OP(int, four)
FL_OP(void, some, FL_INT(0, 9))
FL_OP(void, either, FL_INT(0, 1))
E
tree 'Algorithm 2' 'loop that goes round 4 times' SUM "$dir/loops.c" four "$total"
tree 'Algorithm 2' 'loop of unknown length, 2 instructions' SUM "$dir/loops.c" \
  some "$total"
tree 'Algorithm 2' 'selection of 3 or 1, then 1' SUM "$dir/loops.c" either \
  "$total"

# ---- the number of schedules: (nk)! / (k!)^n ----

schedules() { # row, client
  run explore $papers/pair_snapshot.c --search=dfs --client "$2"
  put 'Section III-B: schedules' "$1" number \
    "$(jq .statistics.executions "$dir/report")"
}
one='write_cell(0, 1)'
schedules 'n = 2, k = 3' "{$one; $one; $one} || {$one; $one; $one}"
schedules 'n = 3, k = 2' "{$one; $one} || {$one; $one} || {$one; $one}"
