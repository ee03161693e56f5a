#!/bin/bash
# Ctrl-C ends the search in order: what was done is told, nothing is left.
. "$(dirname "$0")/common.inc"
for signal in INT TERM; do
  what="signal $signal"
  # A job in the background of a script ignores INT unless it asks for it.
  TMPDIR=$tmp/tmp bash -c 'trap - INT; exec "$@"' - env --default-signal=INT \
    "$FAULTLINE" examples/treiber_stack.c --time 60 --json report.json \
    >"$tmp/out" 2>"$tmp/err" &
  job=$!
  for ((i = 0; i < 200; i++)); do # until the search runs, in its worker
    [ -n "$(cat /proc/$job/task/$job/children 2>/dev/null)" ] &&
      ls "$tmp"/tmp/faultline-*/*.so >/dev/null 2>&1 && break
    sleep 0.05
  done
  sleep 0.5
  kill -$signal $job
  wait $job
  status=$?
  expect_status 3
  expect_out 'stack: inconclusive: interrupted'
  jq -e '.verdict == "unknown" and .reason == "interrupted"' report.json \
    >/dev/null || fail "report.json"
  [ -z "$(ls "$tmp/tmp")" ] || fail "left in TMPDIR: $(ls "$tmp/tmp")"
  rm -f report.json
done

# Whatever is in the way: code that cannot be interrupted, a compiler that does
# not come to its end.
cat >deaf.c <<'END'
#include <faultline.h>
#include <signal.h>
static volatile int x;
static int get(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (;;)
    x++;
}
FL_OBJECT(deaf)
FL_OP(int, get)
END
# The same while it is loaded.
cat >loading.c <<'END'
#include <faultline.h>
#include <fcntl.h>
static volatile int x;
__attribute__((constructor)) static void load(void) {
  open("loads", O_WRONLY | O_CREAT, 0600);
  for (;;)
    x++;
}
static int get(void) { return x; }
FL_OBJECT(loading)
FL_OP(int, get)
END
cat >slow-cc <<'END'
#!/bin/sh
# Compilers make temporary files, and start other programs.
case "$*" in *slow.c*) mktemp; touch compiling; sleep 1000; exit ;; esac
exec cc "$@"
END
chmod +x slow-cc
cp examples/ring.c slow.c
end_by() { # signal, what must be there before it is sent, arguments …
  local signal=$1 ready=$2 i
  shift 2
  what="signal $signal to faultline $*"
  INTERRUPT_RUN=$$ TMPDIR=$tmp/tmp bash -c 'trap - INT; exec "$@"' - env \
    --default-signal=INT "$FAULTLINE" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
  job=$!
  for ((i = 0; i < 1200; i++)); do
    compgen -G "$ready" >/dev/null && break
    sleep 0.05
  done
  kill -$signal $job
  for ((i = 0; i < 1200; i++)); do # a busy machine may take its time
    [ -e /proc/$job/exe ] || break
    sleep 0.05
  done
  [ -e /proc/$job/exe ] && fail "goes on" && kill -9 $job
  wait $job
  status=$?
  expect_status $end
  [ -z "$(ls "$tmp/tmp")" ] || fail "left in TMPDIR: $(ls "$tmp/tmp")"
  left=$(grep -lsz "^INTERRUPT_RUN=$$\$" /proc/[0-9]*/environ | tr '\0' ' ')
  [ -z "$left" ] || fail "processes are left: $left"
}
no=(--no-save --no-html)
end=3
end_by TERM "$tmp/tmp/faultline-*/*.so" deaf.c "${no[@]}"
end_by INT "$tmp/tmp/faultline-*/*.so" deaf.c "${no[@]}"
end_by TERM loads loading.c "${no[@]}"
end_by TERM compiling slow.c --cc ./slow-cc "${no[@]}"

# What only compiles ends by the signal, as compilers do.
end=$((128 + 15))
rm compiling
end_by TERM compiling init slow.c --cc ./slow-cc
rm compiling
FAULTLINE_CC=./slow-cc end_by TERM compiling cc -shared -o slow.so examples/ring.c slow.c
[ ! -e slow.so ] || fail "a file is left"

# A signal that somebody sends to the process in which the code runs is no fault
# of the code.
children() { # of a process
  cat "/proc/$1/task/$1/children" 2>/dev/null
}
ticks() { # of the processor that a process has used
  awk '{ sub(/.*\) /, ""); print $12 + $13; exit }' "/proc/$1/stat" 2>/dev/null ||
    echo 0
}
stop_worker() { # signal, generations, arguments of the tool …
  local signal=$1 generations=$2 at worker i
  shift 2
  what="signal $signal to the worker of faultline $*"
  TMPDIR=$tmp/tmp "$FAULTLINE" "$@" -j1 --time 60 --no-save \
    --json report.json >"$tmp/out" 2>"$tmp/err" &
  job=$!
  for ((i = 0; i < 600; i++)); do # until the code is linked, and runs
    ls "$tmp"/tmp/faultline-*/*.so >/dev/null 2>&1 && break
    sleep 0.05
  done
  for ((i = 0; i < 600; i++)); do # the generations down from the tool
    worker=$(children $job | awk '{ print $1 }')
    at=$worker
    [ "$generations" = 1 ] ||
      at=$(children "${worker:-none}" | awk '{ print $1 }')
    # Those of real threads come and go: until it has hit.
    [ -n "$at" ] && [ "$(ticks "$worker")" -ge 10 ] &&
      kill -$signal "$at" 2>/dev/null && [ "$generations" = 1 ] && break
    [ -e /proc/$job/exe ] || break
    sleep 0.05
  done
  wait $job
  status=$?
  expect_status 3
  expect_out "inconclusive: the run was stopped from outside \(SIG$signal\)"
  expect_no out 'crash'
  jq -e --arg s "SIG$signal" '.verdict == "unknown" and
    (.reason | contains("stopped from outside (\($s))"))' report.json \
    >/dev/null || fail "report.json"
  [ -z "$(ls "$tmp/tmp")" ] || fail "left in TMPDIR: $(ls "$tmp/tmp")"
  rm -f report.json
}
stop_worker TERM 1 examples/treiber_stack.c
stop_worker HUP 1 examples/treiber_stack.c --search=random
stop_worker KILL 1 shrink examples/treiber_stack.c --ops 40000
stop_worker TERM 2 examples/treiber_stack.c --search=stress

# One that the code itself raises is: it comes again with the same schedule.
cat >raises.c <<'END'
#include <faultline.h>
#include <signal.h>
static _Atomic int n;
static void init(void) { n = 0; }
static void fini(void) {}
static int get(void) { return n; }
static void inc(void) {
  int v = n;
  if (v == 1)
    raise(SIGTERM);
  n = v + 1;
}
FL_OBJECT(counter, init, fini)
FL_OP(void, inc)
FL_OP(int, get)
END
run --no-save raises.c
expect_status 1
expect_out 'raises.c:8:[0-9]+: error: crash in inc\(\): the process died of signal 15'
finish
