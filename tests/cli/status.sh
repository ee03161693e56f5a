#!/bin/bash
# Whatever the user does, and whatever the code under test does: the exit status
# is right, a sentence says what happened and where, and nothing is left behind.
. "$(dirname "$0")/common.inc"
s=tests/cli/status

# ---- usage ----
run
expect_status 2
expect_err 'Usage: faultline FILE'
run --help
expect_status 0
expect_out 'Usage: faultline FILE'
expect_narrow
for command in test explore replay; do
  run $command --help
  expect_status 0
  expect_out '^Usage: faultline'
  expect_narrow
done
run --version
expect_status 0
run specs
expect_status 0
expect_out 'stack: '
run explor x
expect_status 2
expect_err 'no command or file "explor"; did you mean explore\?'
run $s/fine.c --threds 2
expect_status 2
expect_err 'unknown option --threds; did you mean --threads\?'
run $s/fine.c --threads 1000
expect_status 2
expect_err '1000 is not between 2 and 31'
run $s/fine.c --threads x
expect_status 2
run $s/fine.c --search fast
expect_status 2
run $s/fine.c --client 'get('
expect_status 2
expect_err 'client, column 5'
run $s/fine.c --client '{get()} || {put()}'
expect_status 2
expect_err "no operation 'put'; did you mean 'get'\?"
run $s/fine.c --object nope
expect_status 2
expect_err 'no object is called nope'
run explore $s/fine.c
expect_status 2
expect_err "give a client, e.g. --client '\{get\(\)\} \|\| \{get\(\)\}'"
run explore $s/program.c --client '{f()}'
expect_status 2
expect_err '--client needs a harness'
run $s/program.c
expect_status 2
expect_err 'use faultline explore'

# ---- files ----
run missing.c
expect_status 2
expect_err '^faultline: missing.c: No such file'
run $s/does_not_compile.c
expect_status 2
expect_err 'does_not_compile.c:2:.*does_not_compile.c does not compile'
echo 'no such thing' >broken.o
run broken.o
expect_status 2
echo 'int x;' >odd.txt
run odd.txt
expect_status 2
run replay nofile $s/fine.c
expect_status 2
expect_err 'nofile: No such file'
echo garbage >bad.schedule
run replay bad.schedule $s/fine.c
expect_status 2
expect_err 'bad.schedule:1: not a schedule'
run $s/fine.c --json /nonexistent/x.json
expect_status 2
expect_err '/nonexistent: No such file'
expect_no out 'no fault'
run $s/fine.c --json "$tmp"
expect_status 2
expect_err 'is a folder'
run $s/two_objects.c --save-dir /proc/nope --object broken
expect_status 1
expect_err 'warning: the schedule is not saved: /proc/nope'
expect_no out 'Replay'

# ---- harnesses ----
run $s/no_harness.c
expect_status 2
expect_err 'no harness: one of the files must include <faultline.h>'
run $s/no_ops.c
expect_status 2
expect_err 'no_ops.c:2: thing has no operations'

# A domain that is empty is refused at its line, one that is too large said.
cat >domain.c <<'END'
#include <faultline.h>
static int n;
static int add(int v) { return __atomic_add_fetch(&n, v, 5); }
FL_OBJECT(thing)
FL_OP(int, add,
      DOMAIN)
END
run domain.c --no-save --max-executions 100 -- '-DDOMAIN=FL_INT(2,1)'
expect_status 2
expect_err 'domain.c:[56]: FL_INT\(2, 1\) of add is empty'
run domain.c --no-save --max-executions 100 -- '-DDOMAIN=FL_DATA(1,65)'
expect_err 'warning: domain.c:[56]: a domain of add has more than 64 values'
run domain.c --no-save --max-executions 100 -- '-DDOMAIN=FL_INT(1,64)'
expect_no err 'domain'
run $s/mistyped_op.c
expect_status 2
expect_err 'mistyped_op.c:[0-9]+: FL_OP: s_get\(\) has 2 parameters, but gets 1'
parameter() { # its declaration, what the tool calls it, what else to do
  printf '%s\n' '#include <faultline.h>' 'struct wide { long at[3]; };' \
    'static int n;' "static int add($1) { (void)p; return n++; }" \
    'FL_OBJECT(thing)' 'FL_OP(int, add, FL_INT(1, 2))' >parameter.c
  run parameter.c
  expect_status 2
  expect_err "parameter.c:6: FL_OP: parameter 1 of add\(\) is $2, but arguments are integers; ${3-}write a function around it"
}
parameter 'double p' 'a floating-point number'
parameter 'struct wide p' 'a struct, or wider than 8 bytes'
parameter '__int128 p' 'a struct, or wider than 8 bytes'
parameter 'int *p' 'a pointer' \
  'FL_OUT\(type\) is for a result, FL_STRING\(...\) for a text; else '
operation() { # returns what, parameters, attributes, what the tool says
  printf '%s\n' '#include <faultline.h>' 'struct wide { long at[3]; };' \
    'static int n;' "static $1 get($2) { $1 r = {0}; n++; return r; }" \
    'FL_OBJECT(thing)' "FL_OP($1, get$3)" >operation.c
  run operation.c
  expect_status 2
  expect_err "operation.c:6: $4"
}
operation 'struct wide' void '' \
  'get returns a struct or a floating-point number: say with FL_RESULT\(printer\) what of it is compared'
operation double void '' 'get returns a struct or a floating-point number'
operation int 'struct wide *p' ', FL_OUT(struct wide)' \
  'an output parameter of get is a struct .*: say with FL_OUT\(type, printer\)'
operation int 'long p' ', FL_OUT(long)' \
  'FL_OP: parameter 1 of get\(\) is a number; FL_OUT and FL_STRING are for pointers'
operation int 'char *p' ', FL_OUT(char[600])' \
  'the results of get have more than 512 bytes'
# What stands for an operation in FL_SPEC(model, …) has its signature.
model() { # the model's function, its role, what the tool says
  printf '%s\n' '#include <faultline.h>' '#include <stdlib.h>' \
    'static int n;' 'static int add(int v) { return n += v; }' \
    'static void *begin(void) { return calloc(1, 4); }' \
    "$1" 'FL_OBJECT(thing)' 'FL_OP(int, add, FL_INT(1, 2))' \
    "FL_SPEC(model, begin, $2)" >model.c
  run model.c
  expect_status 2
  expect_err "$3"
}
model 'static int model_add(int *m) { return ++*m; }' 'add = model_add' \
  'model.c:9: FL_SPEC\(model\): model_add\(\) has 1 parameter, but gets 2: the state and 1 argument'
model 'static int model_add(int m, int v) { return m + v; }' 'add = model_add' \
  'model.c:9: FL_SPEC\(model\): model_add\(\) must have a pointer as its first parameter'
model 'static int model_add(int *m, double v) { return *m += v; }' \
  'add = model_add' 'model.c:9: .*model_add\(\) has another type of parameter 2 than add\(\)'
model 'static void model_add(int *m, int v) { *m += v; }' 'add = model_add' \
  'model.c:9: FL_SPEC\(model\): model_add\(\) must return what add\(\) returns'
model 'static int model_add(int *m, int v) { return *m += v; }' \
  'sub = model_add' 'model.c:9: .*there is no FL_OP sub; operations: add'
model 'static int model_add(int *m, int v) { return v / *m; }' \
  'add = model_add' 'model.c:6: FL_SPEC\(model\): model_add failed: integer division by zero \(SIGFPE\), in add\([12]\)'
model 'static int model_add(int *m, int v) { abort(); return *m + v; }' \
  'add = model_add' 'model.c:6: FL_SPEC\(model\): model_add failed: abort\(\) was called, in add\([12]\)'
model 'static int model_add(int *m, int v) { free(m + v); return 0; }' \
  'add = model_add' 'model.c:6: FL_SPEC\(model\): model_add failed: it frees memory that it has not allocated, in add\([12]\)'
run $s/nothing_shared.c
expect_status 3
expect_out 'inconclusive: no (operation|access) .*: nothing was checked'
run $s/expected_fault_missing.c
expect_status 1
expect_out 'error: a fault was expected \(FL_EXPECT_FAULT\) and none was found'
run $s/two_objects.c --no-save
expect_status 1
expect_out 'good: no fault found in .*broken: violation after'
run $s/two_objects.c --no-save --object good
expect_status 0
expect_no out broken

# ---- budgets ----
run $s/fine.c --max-executions 300 --json report.json
expect_status 0
expect_out ' 300 executions, seed 1 .*stopped by --max-executions\.'
[ "$(jq .statistics.executions report.json)" = 300 ] || fail "not 300 executions"
run $s/fine.c --max-executions 1
expect_status 3
expect_out 'the budget ended before the first client'
run explore $s/fine.c --client '{get(); get()} || {get(); get()}' \
  --max-executions 2 --search dfs
expect_status 3
expect_out 'inconclusive: --max-executions ended the search'
run_for '0.3 3 30' $s/fine.c --seed 7
expect_status 0
expect_out 'seed 7'
run $s/fine.c
expect_status 0
expect_out 'all interleavings of all [0-9,]+ clients of up to 3 threads with up'
run $s/fine.c --search random --max-executions 500
expect_status 0
expect_out 'andom interleavings of [0-9]+ client'
expect_no out 'all interleavings'

# ---- what the code does ----
faults() { # file, what is said
  run "$s/$1.c" --no-save
  expect_status 1
  expect_out "$2"
  expect_narrow
}
faults constructor_crash 'constructor_crash.c:[0-9]+:[0-9]+: error: crash in s_new\(\)'
faults destructor 'error: double free .* in s_free\(\)'
faults deadlock 'deadlock in ab\(\): T1 and T2 wait for each other'
faults spin 'livelock in wait_for\(\): T1 goes round a loop that only another thread'
expect_out 'declared with FL_BLOCKING'
faults calls_exit 'exit\(3\) was called .*\(one thread is enough\)'
faults wild_write 'crash in get\(\)'
faults endless 'endless loop or wait in get\(\): no visible step for 1000 ms'
faults killed 'killed.c:[0-9:]+ error: crash in get\(\): the process died of signal 11'
expect_out ' returns 1 .* returns 2 get\(\) '
expect_out 'The search ended with the process that ran it\.'
faults hangs 'the process sleeps in a call that Faultline does not model'
expect_err 'not modelled .*flock'
# What is left of a process that overwrites all its memory is chance: it died (a
# sanitizer of the tool's own ends it), or two runs of it differ.  Its client is
# known all the same.
run $s/smashes_memory.c --no-save
[[ $status =~ ^[13]$ ]] || fail "status $status, expected 1 or 3"
expect_out '(crash.*the process (died of signal|ended with status)|inconclusive: )'
expect_out '\{get\(\); get\(\); get\(\)\}'
run $s/prints.c --no-save
expect_status 1
expect_no out hello
expect_out 'read stdout'
run $s/prints.c --no-save --show-output
expect_out hello
run $s/load_crash.c
expect_status 2
expect_err 'runs at load time \(a constructor\) (died of signal 11|ended)'
with_asan || { # which starts a process of its own at exit
  run $s/load_exit.c
  expect_status 2
  expect_err 'runs at load time \(a constructor\) ended the process with status 0'
}
run $s/inline_asm.c --no-save
expect_status 0
expect_no out 'This run is partial'
run explore $s/program.c --no-save
expect_status 1
expect_out 'assertion failed in main\(\)'
run explore $s/program_ok.c
expect_status 0
expect_out 'All interleavings of this program'
run $s/fine.c --spurious-cas
expect_status 0
expect_err '--spurious-cas has no effect'
run examples/treiber_stack.c --spurious-cas --max-executions 500
expect_no err 'no effect'

# ---- output ----
run $s/fine.c --json -
expect_status 0
expect_err 'no fault found'
jq -e '.verdict == "pass"' "$tmp/out" >/dev/null || fail "no JSON on stdout"
run $s/two_objects.c --json - --no-save --quiet
jq -e '.runs | length == 2' "$tmp/out" >/dev/null || fail "not two runs"
run $s/deadlock.c --no-save --quiet
expect_out '^[^ ]*deadlock.c:'
expect_no out 'seed'
run selftest
expect_status 0
expect_out 'the racy counter was caught'
finish
