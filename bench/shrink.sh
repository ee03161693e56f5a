#!/bin/bash
# Tables II and I of "Localization of Linearizability Faults on the
# Coarse-grained Level" (CGVT) for the C versions of its objects
# (tests/clients/papers).
#
# Table II: histories of the paper's sizes, every operation and every value of
# 0 .. 99 as likely, on real threads (B) and under the scheduler (D, H): how many
# fail, milliseconds of a check, concurrent calls that Algorithm 1 leaves (Pc),
# those of the paper and those of the smallest client, milliseconds that
# Algorithm 1 takes; then what we add: milliseconds from there to the proof,
# seconds of processor time of the whole command (it compiles the object, runs
# all histories, shrinks up to four), and the smallest client.  A line below the
# table says which Pc are larger than the paper's.
# Table I: type of the fault and calls of each thread in Pc.
set -u
TIMEFORMAT=%U
cd "${SOURCE_DIR:-$(dirname "$0")/..}" || exit 2
tool=${FAULTLINE:-build/faultline}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
papers=tests/clients/papers

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

row() { # name, calls of a thread, histories, file, operations left out, Pc of
        # the paper for b, d and h
  local source version cpu paper=$6
  source=$(harness "$4" "$5")
  for version in b d h; do
    rm -f "$dir/report"
    cpu=$({ time "$tool" shrink "$source" --coarse=$version --threads 2 \
      --ops "$2" --max-executions "$3" --no-save --json "$dir/report" \
      >/dev/null 2>&1; } 2>&1)
    jq -r --arg name "$1" --arg size "2*$2" --arg version "$version" \
      --arg cpu "$cpu" --arg paper "${paper%% *}" '
      def ms: . * 1000 | if . < 10 then . * 100 | round / 100 else round end;
      .shrink as $s | .minimal as $m |
      [$name, $size, $version, "\($s.failing_histories)/\($s.histories)",
       ($s.check_seconds | ms),
       (if $m then (if $m.located_pc == 0 then "-" else $m.located_pc end),
         ($m.locate_seconds | ms), ($m.reduce_seconds | ms),
         (if $m.proved then "proved" else "not proved" end),
         "\(if .fault == "not-linearizable" then "" else "\(.fault): " end)\(.client)"
        else "-", "-", "-", "-", "-" end), $cpu,
       (if $m and ($m.pc | length) > 1 then [$m.pc[] | length] | add
        else "-" end), $paper] | @tsv' "$dir/report" |
      awk -F'\t' -v more="$dir/more" '{
        printf "%-8s %-6s %s %6s %7s %3s %5s %4s %8s %8s %6s  %-10s %s\n",
          $1, $2, $3, $4, $5, $6, $13, $12, $7, $8, $11, $9, $10
        if ($6 + 0 > $13 + 0 && $13 != "-")
          printf " %s %s: %s, the paper %s, smallest %s;", $1, $3, $6, $13,
            $12 >>more }'
    paper=${paper#* }
  done
}

echo "object   size   v   fail   check  Pc paper  min   locate    prove  cpu s              smallest client"
row LFList 500 80 lock_free_list contains "2 2 2"
row CGList 50 20 simple_list remove_key "2 2 2"
row CGListS 500 80 size_list "" "- 4 3"
row BUList1 500 80 bu_list1 contains "2 2 2"
row BUList2 50 20 bu_list2 contains "2 2 2"
row BUList3 500 80 bu_list3 "" "- 2 2"
row OPQueue 500 20 optimistic_queue "" "2 3 2"
row BUQueue 200 80 bu_queue "" "- - -"
row KStack 50 20 k_stack "" "2 3 3"
row TBStack 100 20 treiber_no_retry "" "2 2 2"

if [ -s "$dir/more" ]; then
  echo "Pc larger than the paper's:$(cat "$dir/more")"
else
  echo "No Pc is larger than the paper's."
fi

first() { # name, paper's type and calls, file, a client with more than it needs
  local cpu
  cpu=$({ time "$tool" shrink "$papers/$3.c" --client "$4" --no-save \
    --json "$dir/report" >/dev/null 2>&1; } 2>&1)
  jq -r --arg name "$1" --arg paper "$2" --arg cpu "$cpu" '
    [$name, $paper, (.minimal.type // "-"),
     ([.minimal.pc[]? | length] | sort | map(tostring) | join(", ")),
     (if .minimal.proved then "proved" else "not proved" end), $cpu,
     "\(if .fault == "not-linearizable" then "" else "\(.fault): " end)\(.client)"] |
    @tsv' "$dir/report" |
    awk -F'\t' '{ printf "%-16s %-8s %-5s %-6s %-10s %5.2f  %s\n",
      $1, $2, $3, $4, $5, $6, $7 }'
}

echo
echo "object           paper    type  calls  minimal    cpu s  client"
first PairSnapshot "1: 1, 4" pair_snapshot \
  '{write_cell(0, 2); write_cell(1, 2); write_cell(1, 1); write_cell(0, 1);
   write_cell(1, 2)} || {read_pair(); read_pair()}'
first SimpleList "2: 1, 1" simple_list \
  'add(1); {add(2); contains(1)} || {add(3); remove_key(1)};
   contains(2); contains(3)'
first "SimpleList size" "1: 1, 2" size_list \
  'add(1); add(2); {remove_key(1); add(3); remove_key(2)} || {size(); size()}'
first LockFreeList "1: 1, 1" lock_free_list \
  '{add(1); remove_key(1); contains(1)} || {add(2); remove_key(1)}'
first K-Stack "2: 1, 1" k_stack \
  '{push(1); push(2)} || {push(3)}; pop(); pop(); pop()'
first OptimisticQueue "1: 1, 1" optimistic_queue \
  '{poll(); offer(3)} || {offer(1); offer(2); poll()}'
first Snark "1: 1, 2" snark \
  'push_right(1); {pop_right(); push_left(3)} || {push_right(2); pop_left();
   pop_left()}'
first TreiberStack "2: 1, 3" treiber_reuse \
  'push(1); push(2); {pop(); push(1)} || {pop(); pop(); push(3); pop()}; pop();
   pop()'
