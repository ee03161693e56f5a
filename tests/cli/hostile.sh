#!/bin/bash
# Code that does its worst, each line of hostile/list.txt beside a lost update:
# the tool answers (a fault, or inconclusive), says what it was, and leaves no
# process and no file.  hostile.sh --one N runs line N and shows the answer.
#
# Nothing here runs without a limit on processes.  The system has none for root:
# then it runs as nobody.
dir=$(realpath "$(dirname "$0")")
. "$dir/common.inc"
not_with_asan # no limit of memory would be kept
PROCESSES=400
confined() { # environment and command
  local me=()
  [ "$(id -u)" != 0 ] ||
    me=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  local now
  now=$(ps -L -U "$([ "$(id -u)" = 0 ] && echo 65534 || id -u)" -o lwp= | wc -l)
  (
    ulimit -u $((now + PROCESSES)) && ulimit -c 0 && ulimit -v 300000000 &&
      exec timeout -k 5 "$LIMIT" "${me[@]}" env "$@"
  )
}
LIMIT=100

# Processes that belong to a run, whatever session they are in.
left_of() {
  grep -lsz "^HOSTILE_RUN=$1\$" /proc/[0-9]*/environ | tr '\0' ' '
}

one() { # number, flags of the compiler …
  local n=$1 id=$$-$1-${2:-} here=$tmp/$1${2:-} statuses='^[13]$'
  local line want code status left
  line=$(grep -v '^#' "$dir/hostile/list.txt" | sed -n "${n}p")
  want=${line%%$'\t'*} code=${line#*$'\t'}
  # At load time there is no engine: an object that does not load is an error.
  # The lost update beside it is found soon, on a busy machine too.
  local seconds=20
  [ $# = 1 ] || want=- statuses='^[123]$' seconds=2
  mkdir -p "$here/tmp" && chmod 777 "$here" "$here/tmp"
  printf '#define BAD do { %s; } while (0)\n' "$code" >"$here/bad.h"
  cd "$here" || return 1
  confined HOSTILE_RUN="$id" TMPDIR="$here/tmp" HOME="$here" "$FAULTLINE" \
    "$dir/hostile/object.c" --no-save --no-html --time $seconds -j2 \
    -- -w -include "$here/bad.h" "${@:2}" </dev/null >out 2>err
  status=$?
  left=$(left_of "$id")
  {
    [[ $status =~ $statuses ]] || echo "status $status"
    [ "$want" = - ] || cat out err | tr -s '\n ' ' ' | grep -q -- "$want" ||
      echo "does not name $want"
    # What cannot be checked does not hide the fault beside it.
    [ $# != 1 ] || [ "$status" = 1 ] || echo "the lost update was not found"
    [ -z "$left" ] || echo "processes are left: $left"
    [ -z "$(ls tmp)" ] || echo "files are left: $(ls tmp)"
    ! grep -q 'internal error' out err || echo "internal error"
  } >trouble
  if [ -s trouble ]; then
    echo "FAIL $code ${*:2}"
    sed 's/^/     /' trouble
    sed 's/^/     | /' out err | head -12
    return 1
  fi
}

chmod 755 "$tmp"
if [ "${1:-}" = --one ]; then
  shift
  one "$@"
  cat "$tmp/$1${2:-}"/out "$tmp/$1${2:-}"/err
  exit
fi

# Can the limit be relied on?  Else nothing of this is started.
confined bash -c 'ulimit -u' >"$tmp/limit" 2>&1
grep -Eq '^[0-9]+$' "$tmp/limit" || {
  echo "skipped: no limit on processes can be set"
  exit 77
}

count=$(grep -vc '^#' "$dir/hostile/list.txt")
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
failures=$((failures + $(find "$tmp" -name trouble -size +0 | wc -l)))
answered=$(find "$tmp" -name trouble | wc -l)
[ "$answered" = $((count + 7)) ] || fail "only $answered were run"
finish
