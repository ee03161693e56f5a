#!/bin/bash
# One process against two, by turns, on the same work; the seconds are those of
# the search itself (statistics.seconds), the best of ROUNDS runs each.
set -u
cd "${SOURCE_DIR:-$(dirname "$0")/..}" || exit 2
tool=${FAULTLINE:-build/faultline}
rounds=${ROUNDS:-5}
report=$(mktemp) || exit 2
trap 'rm -f "$report"' EXIT

seconds() { # processes, arguments
  local n=$1
  shift
  "$tool" "$@" -j "$n" --no-save --json "$report" >/dev/null 2>&1
  jq .statistics.seconds "$report"
}

best() { printf '%s\n' "$@" | sort -g | head -n 1; }

line() { # what, arguments
  local what=$1 one=() two=() i
  shift
  for ((i = 0; i < rounds; i++)); do
    one+=("$(seconds 1 "$@")")
    two+=("$(seconds 2 "$@")")
  done
  awk -v w="$what" -v a="$(best "${one[@]}")" -v b="$(best "${two[@]}")" \
    'BEGIN { printf "  %-44s %7.2f s %7.2f s   %.2f times\n", w, a, b, a / b }'
}

big='{push(1); pop()} || {push(2); pop()} || {push(3); pop()}'
echo "One process and two, on $(nproc) cores"
line 'clients (treiber_stack, 60,000 executions)' examples/treiber_stack.c \
  --max-executions 60000
line 'states of one client (1.6 million)' explore examples/ms_queue.c \
  --max-states 10000000 --client \
  '{enqueue(1); dequeue()} || {enqueue(2); dequeue()} || {enqueue(1); dequeue()}'
line 'the same, only searched' examples/ms_queue.c \
  --max-states 10000000 --client \
  '{enqueue(1); dequeue()} || {enqueue(2); dequeue()} || {enqueue(1); dequeue()}'
line 'subtrees of dfs (1 million executions)' explore \
  examples/treiber_stack.c --search=dfs --max-executions 1000000 --client "$big"
line 'seeds (random, 400,000 executions)' explore examples/treiber_stack.c \
  --search=random --max-executions 400000 --client "$big"
