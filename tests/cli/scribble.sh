#!/bin/bash
# Code that writes over the memory that its process shares with the tool, and
# into the tool's sockets: whatever it does, the tool says what it saw.
. "$(dirname "$0")/common.inc"

# A fault, or an open verdict: not a pass, not a signal, not an internal error.
hostile() {
  what="$*"
  TMPDIR=$tmp/tmp timeout -k 5 500 "$FAULTLINE" \
    tests/cli/status/scribbles.c --no-save --no-html --quiet \
    --max-executions 2000 "${jobs[@]}" -- "$@" </dev/null \
    >"$tmp/out" 2>"$tmp/err"
  status=$?
  case $status in 1 | 3) ;; *)
    fail "status $status"
    sed 's/^/     | /' "$tmp/out" "$tmp/err"
    ;;
  esac
  expect_no out 'internal error'
  expect_no err 'internal error'
}

jobs=(-j 2)
for at in 1 3; do # early, and late
  hostile -DDO=scribble -DAT=$at
  hostile -DDO=garbage -DAT=$at
  # Less than an answer has, more than comes, more than can be.
  for length in 5 0x1000000 0xffffffffffffffff; do
    hostile -DDO=forge -DAT=$at -DLENGTH=$length
  done
done
jobs=(-j 1)
hostile -DDO=scribble -DBYTE=0xff
hostile -DDO=forge -DLENGTH=0
jobs=()
hostile -DDO=garbage -DAT=1
expect_out 'the answer of the process cannot be read'
# The client that did it is named, though its process may be further by then.
run tests/cli/status/scribbles.c --no-save --no-html -- -DDO=garbage -DAT=2
expect_status 1
expect_out 'Failing client: \{op\(\); op\(\)\} '

finish
