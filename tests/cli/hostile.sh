#!/bin/bash
# Code that does its worst, each line of hostile/list.txt beside a lost update:
# the tool answers (a fault, or inconclusive), says what it was, and leaves no
# process and no file.  hostile.sh --one N runs line N and shows the answer.
. "$(dirname "$0")/hostile.inc"

one() { # number, flags of the compiler …
  local here=$tmp/$1${2:-} statuses='^[13]$' line want code status left
  line=$(line_of "$1")
  want=${line%%$'\t'*} code=${line#*$'\t'}
  # At load time there is no engine: an object that does not load is an error.
  [ $# = 1 ] || want=- statuses='^[123]$'
  run_hostile "$code" "${@:2}" || return 1
  {
    general_trouble "$statuses"
    names "$want"
    # What cannot be checked does not hide the fault beside it.
    [ $# != 1 ] || [ "$status" = 1 ] || echo "the lost update was not found"
  } >trouble
  show_trouble "$code" "${@:2}"
}

if [ "${1:-}" = --one ]; then
  shift
  one "$@"
  cat "$tmp/$1${2:-}"/out "$tmp/$1${2:-}"/err
  exit
fi

need_limit
count=$(grep -vc '^#' "$LIST")
[ "$count" -ge 60 ] || fail "only $count operations"
run_all() { # numbers, flag
  local n
  for n in $1; do
    while [ "$(jobs -rp | wc -l)" -ge 4 ]; do
      wait -n
    done
    one "$n" ${2:+"$2"} &
  done
}
run_all "$(seq "$count")"
run_all '1 7 12 19 24 44 64' -DEARLY
wait
count_failures $((count + 7))
finish
