#!/bin/bash
# Runs the commands of a page (page.pl) where examples/ and tests/clients/ are
# copies of those of the sources, and faultline is the tool.
#
#   tests/docs/run.sh docs/search.md [--update]
set -u
SOURCE_DIR=${SOURCE_DIR:-$(realpath "$(dirname "$0")/../..")}
FAULTLINE=${FAULTLINE:-$SOURCE_DIR/build/faultline}
page=$(realpath "$1") || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
mkdir "$tmp/bin" "$tmp/work" "$tmp/scratch"
for tool in faultline faultline-mpi; do
  program=$(dirname "$FAULTLINE")/$tool
  [ -x "$program" ] || continue
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$tmp/bin/$tool"
  chmod +x "$tmp/bin/$tool"
done
cd "$tmp/work" || exit 2
cp -r "$SOURCE_DIR/examples" examples
mkdir tests
cp -r "$SOURCE_DIR/tests/clients" tests
export PATH=$tmp/bin:$PATH SOURCE_DIR DOCS_SCRATCH=$tmp/scratch
export NO_COLOR=1 LC_ALL=C.UTF-8 TERM=dumb
export FAULTLINE_PROGRESS_MS=3600000 # what is printed does not depend on speed
unset GITHUB_ACTIONS FAULTLINE_OPTIONS
unset MAKEFLAGS MAKELEVEL MFLAGS # of the make that runs the tests
perl "$SOURCE_DIR/tests/docs/page.pl" "$page" ${2+"$2"}
