#!/bin/bash
# tests/races_across: each race of a CDRS lies across a reported eliminator, in a
# part of the failing clients (all of them at night), and what does not is told.
. "$(dirname "$0")/common.inc"
across() { # files; leaves $status, out
  what="tests/races_across $*"
  FAULTLINE=${fake:-$FAULTLINE} "$SOURCE_DIR/tests/races_across" "$@" \
    >"$tmp/out" 2>"$tmp/err"
  status=$?
}

across examples/racy_counter.c tests/clients/papers/optimistic_queue.c \
  tests/clients/papers/lock_free_list.c tests/clients/papers/treiber_no_retry.c
expect_status 0
expect_out '[0-9]+ runs, [0-9]+ races, 0 across no block'
expect_no out '^0 runs|, 0 races'

# ---- a report that has a race elsewhere ----
fake=$tmp/fake
cat >fake <<'END'
#!/bin/bash
# FAULTLINE_OPTIONS ends with the name of the report.
cat >"${FAULTLINE_OPTIONS##* }" <<REPORT
{"client": "{f()} || {g()}",
 "causes": [{"blocks": [{"file": "f.c", "function": "f", "first": 3, "last": 5}]}],
 "eliminators": [{"blocks": [{"file": "f.c", "function": "f", "first": 7, "last": 8}]}],
 "cdrs": [{"pattern": "WgG", "races": [
   {"accesses": [{"file": "f.c", "function": "$A", "line": $B},
                 {"file": "f.c", "function": "g", "line": 20}]}]}]}
REPORT
exit 1
END
chmod +x fake
printf 'int f(void) {\n  int i;\n  i = helper(1);\n  other(i);\n}\n' >f.c
at() { # function, line
  export A=$1 B=$2
  across f.c
}
at f 4
expect_status 0
expect_out '1 runs, 1 races, 0 across no block'
at f 8 # of a single failing order
expect_status 0
at helper 30 # which the lines of a block call
expect_status 0
at f 6
expect_status 1
expect_out '^f.c: \{f\(\)\} \|\| \{g\(\)\}: WgG: f:6/g:20'
expect_out '1 runs, 1 races, 1 across no block'
expect_out 'WgG: none'
at h 4
expect_status 1
finish
