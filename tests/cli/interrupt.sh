#!/bin/bash
# Ctrl-C ends the search in order: what was done is told, nothing is left.
. "$(dirname "$0")/common.inc"
export FAULTLINE_PROGRESS_MS=10
searches='^faultline: [a-z]+: .* [0-9,]+ clients?,'
for signal in INT TERM; do
  start examples/treiber_stack.c --time 100000 --json report.json
  what="signal $signal"
  await_err "$searches"
  kill -$signal $job
  end_job
  expect_status 3
  expect_out 'stack: inconclusive: interrupted'
  jq -e '.verdict == "unknown" and .reason == "interrupted"' report.json \
    >/dev/null || fail "report.json"
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
# The same while it is loaded.  Who opens the FIFO waits for its reader.
mkfifo ready
cat >loading.c <<'END'
#include <faultline.h>
#include <fcntl.h>
static volatile int x;
__attribute__((constructor)) static void load(void) {
  open("ready", O_WRONLY);
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
case "$*" in *slow.c*) mktemp; : >ready; tail -f /dev/null; exit ;; esac
exec cc "$@"
END
chmod +x slow-cc
cp examples/ring.c slow.c
left() { # the processes that are left
  grep -lsz "^INTERRUPT_RUN=$$\$" /proc/[0-9]*/environ | tr '\0' ' '
}
end_by() { # signal, what must have happened: "ready" or a line; arguments …
  local signal=$1 event=$2 tries=0
  shift 2
  INTERRUPT_RUN=$$ start "$@"
  what="signal $signal to faultline $*"
  if [ "$event" = ready ]; then
    : <ready
  else
    await_err "$event"
  fi
  kill -$signal $job
  end_job
  expect_status $end
  # A killed process is there until the kernel has taken it apart; one that
  # nobody killed stays.
  while [ -n "$(left)" ] && [ $((tries++)) -lt 300 ]; do
    sleep 0.1
  done
  [ -z "$(left)" ] || fail "processes are left: $(left)"
}
no=(--no-save --no-html)
end=3
end_by TERM '^faultline: sequences: ' deaf.c "${no[@]}"
end_by INT '^faultline: sequences: ' deaf.c "${no[@]}"
end_by TERM ready loading.c "${no[@]}"
end_by TERM ready slow.c --cc ./slow-cc "${no[@]}"

# What only compiles ends by the signal, as compilers do.
end=$((128 + 15))
sed '/^FL_/d' examples/ring.c >slow.c
end_by TERM ready init slow.c --cc ./slow-cc
FAULTLINE_CC=./slow-cc end_by TERM ready cc -shared -o slow.so examples/ring.c slow.c
[ ! -e slow.so ] || fail "a file is left"

# A signal that somebody sends to the process in which the code runs is no fault
# of the code.
child() { # the first of a process
  awk '{ print $1 }' "/proc/$1/task/$1/children" 2>/dev/null
}
ticks() { # of the processor that a process has used
  awk '{ sub(/.*\) /, ""); print $12 + $13; exit }' "/proc/$1/stat" 2>/dev/null
}
# The worker, when it is in the middle of its search by the work that it has
# done: one that dies at its beginning is started again.
busy_worker() {
  local worker
  worker=$(child $job)
  [ -n "$worker" ] && [ "$(ticks "$worker")" -ge 20 ] 2>/dev/null &&
    echo "$worker"
}
stop_worker() { # signal, generations, arguments of the tool …
  local signal=$1 generations=$2 at
  shift 2
  start "$@" -j1 --time 100000 --no-save --json report.json
  what="signal $signal to the worker of faultline $*"
  await_err "$searches"
  cat <&7 >>"$tmp/err" & # or the pipe would be full one day
  # Work of which others have a part is given to another worker: then that one
  # is hit, too.  Processes of real threads come and go: until one was hit.
  while [ -e "/proc/$job/exe" ]; do
    at=$(busy_worker)
    [ -z "$at" ] || [ "$generations" = 1 ] || at=$(child "$at")
    [ -z "$at" ] || kill -$signal "$at" 2>/dev/null
    sleep 0.01
  done
  end_job
  expect_status 3
  expect_out "inconclusive: the run was stopped from outside \(SIG$signal\)"
  expect_no out 'crash'
  jq -e --arg s "SIG$signal" '.verdict == "unknown" and
    (.reason | contains("stopped from outside (\($s))"))' report.json \
    >/dev/null || fail "report.json"
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
