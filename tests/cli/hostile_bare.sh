#!/bin/bash
# Hostile code on a system without seccomp (hostile/no_seccomp.c).  What goes
# through the C library is refused as with it; what does not (hostile/bare.txt)
# may cost the verdict, but the tool answers, and no process and no file is
# left.  hostile_bare.sh --one NAME shows the answer to one, e.g. list-21,
# early-12, bare-5.
. "$(dirname "$0")/hostile.inc"
PROCESSES=120
cc -O1 -I "$SOURCE_DIR/tests" -o no_seccomp \
  "$SOURCE_DIR/tests/cli/hostile/no_seccomp.c" || exit 2
LAUNCH=("$tmp/no_seccomp")

# Each is a user of its own, so that none of them takes the others' processes,
# or kills them: a few that start many run at the same time.
FIRST_USER=65300
jobs=2
[ "$(id -u)" = 0 ] || jobs=1

one() { # name
  local here=$tmp/$1 kind=${1%-*} n=${1#*-} statuses='^[13]$' line want code
  local status left flags=()
  case $kind in
  early) flags=(-DEARLY) statuses='^[123]$' ;;
  # Others want to go on beside what these start.
  bare)
    LIST=$dir/hostile/bare.txt LAUNCH=(nice -n 10 "${LAUNCH[@]}")
    BUDGET=(--time 2) # it takes the machine's time, and may find nothing
    ;;
  esac
  USER_ID=$((FIRST_USER + n + ${#kind} * 100))
  line=$(line_of "$n")
  want=${line%%$'\t'*} code=${line#*$'\t'}
  [ "$kind" != early ] || want=-
  run_hostile "$code" "${flags[@]}" || return 1
  {
    general_trouble "$statuses"
    names "$want"
    [ "$kind" != list ] || [ "$status" = 1 ] ||
      echo "the lost update was not found"
  } >trouble
  show_trouble "$1: $code"
}

if [ "${1:-}" = --one ]; then
  one "$2"
  cat "$tmp/$2"/out "$tmp/$2"/err
  exit
fi

need_limit
"$tmp/no_seccomp" true || {
  echo "no filter can be set: skipped"
  exit 77
}
all=$(
  # Those that take long are first.
  for n in 9 10 4; do echo "bare-$n"; done
  for n in $(seq "$(grep -vc '^#' "$dir/hostile/bare.txt")"); do
    case $n in 4 | 9 | 10) ;; *) echo "bare-$n" ;; esac
  done
  for n in {1..6} {11..16} {19..24} {28..30} 38 54 59 60 63; do
    echo "list-$n"
  done
  for n in 1 12 21 22 24; do echo "early-$n"; done
)
for name in $all; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
    wait -n
  done
  one "$name" &
done
wait
count_failures "$(wc -w <<<"$all")"
finish
