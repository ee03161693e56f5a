#!/bin/bash
# faultline-mpi on one machine: the same results as without it, for any number
# of ranks; and ranks that die.
. "$(dirname "$0")/common.inc"
MPI=$(dirname "$FAULTLINE")/faultline-mpi
if [ ! -x "$MPI" ] || ! command -v mpirun >/dev/null; then
  echo "skipped: faultline-mpi was not built, or there is no mpirun"
  exit 77
fi
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
  echo "skipped: mpirun is not that of Open MPI"
  exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

mpi() { # ranks, options of mpirun in $options, arguments
  ranks=$1
  shift
  what="mpirun -n $ranks ${options-} faultline-mpi $*"
  TMPDIR=$tmp/tmp mpirun --oversubscribe --bind-to none ${options-} \
    -n "$ranks" "$MPI" "$@" </dev/null >"$tmp/out" 2>"$tmp/err"
  status=$?
  check_tmp
}

# mpirun keeps a folder there, which it removes when it is not killed.
check_tmp() {
  left=$(ls "$tmp/tmp" | grep -v '^ompi\.')
  [ -z "$left" ] || fail "left in TMPDIR: $left"
  rm -rf "$tmp/tmp" && mkdir "$tmp/tmp"
}

# What does not depend on the clock.
stable() {
  jq -S 'walk(if type == "object" then del(.seconds, .cpu_seconds, .warnings) else . end)' "$1"
}

expect_same() {
  stable report.json >"$tmp/have" || fail "no report"
  diff "$tmp/want" "$tmp/have" >"$tmp/diff" || {
    fail "another report than with -j 2:"
    head -20 "$tmp/diff" | sed 's/^/     | /'
  }
}

# ---- the same results ----

same() {
  rm -f report.json
  run "$@" --no-save -j 2 --json report.json
  wanted=$status
  stable report.json >"$tmp/want"
  for n in 2 4; do
    rm -f report.json
    mpi $n "$@" --no-save -j 1 --json report.json
    expect_status "$wanted"
    expect_same
  done
}

same examples/treiber_stack.c
same examples/afek_stack.c
same examples/treiber_stack.c --search=dpct --max-executions 5000
same tests/clients/two_objects.c
same tests/clients/crash_segv.c
same explore examples/treiber_stack.c --search=dfs \
  -c '{push(1); push(2)} || {pop(); pop()}'

# What is left out after a fault is left out by all ranks.
cat >three.c <<'END'
#include <faultline.h>
static volatile int a, b, c;
static int first(void) { return a++; }
static int second(void) { return b++; }
static int fine(void) { return __atomic_add_fetch(&c, 1, 5); }
FL_OBJECT(three)
FL_OP(int, first)
FL_OP(int, second)
FL_OP(int, fine)
END
same three.c --keep-going

run nonsense.c
wanted=$status
mpi 2 nonsense.c
expect_status "$wanted"

# ---- ranks that die ----

begin() { # ranks, options of mpirun in $options, arguments
  ranks=$1
  shift
  what="mpirun -n $ranks ${options-} faultline-mpi $*"
  rm -f report.json
  TMPDIR=$tmp/tmp mpirun --oversubscribe --bind-to none ${options-} \
    -n "$ranks" "$MPI" "$@" --no-save -j 1 --json report.json \
    </dev/null >"$tmp/out" 2>"$tmp/err" &
  job=$!
}

children() {
  cat /proc/"$1"/task/"$1"/children 2>/dev/null
}

relay_of() { # rank
  for pid in $(children $job); do
    tr '\0' '\n' </proc/"$pid"/environ 2>/dev/null |
      grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$pid"
  done
}

# Until rank $1 has a process that does an item; leaves $relay and $server.
await() {
  relay= server=
  while [ -e /proc/$job/exe ]; do
    relay=$(relay_of "$1")
    server=
    [ -z "$relay" ] || server=$(children "$relay" | awk '{ print $1 }')
    [ -n "$server" ] && [ -n "$(children "$server")" ] && return
    sleep 0.01
  done
  fail "rank $1 got no work"
}

end() {
  wait $job
  status=$?
  check_tmp
}

expect_report() { # filter of jq
  jq -e "$1" report.json >/dev/null || {
    fail "report.json is not: $1"
    jq -c '{verdict, reason, warnings}' report.json | sed 's/^/     | /'
    sed 's/^/     | /' "$tmp/err"
  }
}

# mpirun ends all when one is gone: what was found so far is told.
options= begin 4 examples/treiber_stack.c --time 100000
await 2
kill -KILL "$relay"
end
[ $status -ne 0 ] || fail "status 0"
expect_report '.verdict == "unknown"'
expect_report '.reason | test("rank 2 .*is gone")'
expect_report '.reason | test("rank [13]") | not'

# The interrupt of mpirun is that of the session.
options= begin 2 examples/treiber_stack.c --time 100000
await 1
kill -TERM $job
end
[ $status -ne 0 ] || fail "status 0"
expect_report '.verdict == "unknown" and .reason == "interrupted"'

# A server dies, or its relay when mpirun lets the others go on: their work is
# done by the others.
long=(examples/treiber_stack.c --max-executions 100000)
run "${long[@]}" --no-save -j 2 --json report.json
stable report.json >"$tmp/want"
options= begin 3 "${long[@]}"
await 1
kill -KILL "$server"
end
expect_status 0
expect_same
expect_report '.warnings[] | test("rank 1 .*is gone.*others did again")'

options=--enable-recovery begin 3 "${long[@]}"
await 2
kill -KILL "$relay"
end
expect_same
expect_report '.warnings[] | test("rank 2 .*is gone.*others did again")'
finish
