#!/bin/bash
# bench/papers/run on a small paper of our own: what is the same, what is
# explained, and everything that must end with status 1 or 2.
set -u
SOURCE_DIR=${SOURCE_DIR:-$(realpath "$(dirname "$0")/../..")}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export PAPERS_DIR=$tmp PAPERS_PAGE=$tmp/papers.md
failures=0

papers() { # arguments; leaves $status, $tmp/out
  perl "$SOURCE_DIR/bench/papers/run" --json "$tmp/j.json" "$@" >"$tmp/out" 2>&1
  status=$?
}
expect() { # what, status, regular expression of a line (empty: no output)
  if [ "$status" = "$2" ]; then
    [ -n "$3" ] || [ -s "$tmp/out" ] || return
    [ -z "$3" ] || ! grep -Eq -- "$3" "$tmp/out" || return
  fi
  failures=$((failures + 1))
  printf 'FAIL %s: status %s, wanted %s and "%s"\n' "$1" "$status" "$2" "$3"
  sed 's/^/     | /' "$tmp/out"
}
row() { printf '%s\t' "${@:1:$#-1}" && printf '%s\n' "${@: -1}"; }

{
  echo '# the paper'
  row 'Table 1' a n 3 '' ''
  row 'Table 1' a s 1.5 '*' ''
  row 'Table 1' b n 3 4 'One more thread.'
  row 'Figure 2' b n 20 10..12 'A smaller machine.'
} >"$tmp/tso.tsv"
measured() { # figures
  {
    printf 'cat <<E\n'
    row 'Table 1' a n "$1"
    row 'Table 1' a s 0.1
    row 'Table 1' b n "$2"
    row 'Figure 2' b n "$3"
    printf 'E\n'
  } >"$tmp/tso.sh"
}
printf '# P\n<!-- papers: tso -->\nold\n<!-- end -->\ntail\n' >"$tmp/papers.md"

measured 3 4 11
papers
expect 'all is explained' 0 '^4 figures: 1 as in the papers, 3 differ and say why, 0 unexplained'
expect 'a reason has a number' 0 'n +3 +4 +\[1\]'
grep -q '"column": "n", "paper": "3", "ours": "4", "state": "explained"' \
  "$tmp/j.json" || { echo 'FAIL the JSON file'; failures=$((failures + 1)); }
papers --check
expect 'nothing was kept yet' 2 'has no tso'
papers --update
expect 'the page is written' 0 unexplained
papers --check
expect 'the page is as measured' 0 ''
grep -q '| b | 3 / 4 \[1\] |  |' "$tmp/papers.md" && grep -q '^tail$' \
  "$tmp/papers.md" || { echo 'FAIL the page'; failures=$((failures + 1)); }
sed -i 's,3 / 4,3 / 5,' "$tmp/papers.md"
papers --check
expect 'the page is old' 1 'is old'

measured 2 4 11
papers
expect 'not the figure of the paper' 1 'unexplained: tso, Table 1, a, n: paper 3, ours 2'
measured 3 5 11
papers
expect 'another figure than the explained one' 1 'b, n: paper 3, ours 5'
measured 3 4 13
papers
expect 'outside of the range' 1 'paper 20, ours 13'
measured 3 3 20
papers
expect 'better than explained: as in the paper' 0 '3 as in the papers'
measured 3 4 11
sed -i '/Figure 2/d' "$tmp/tso.sh"
papers
expect 'not measured' 1 'Figure 2, b, n: paper 20, ours not measured'
papers --quick
expect 'left out' 0 'not measured by --quick'
measured 3 4 11
sed -i "2i$(row 'Table 9' x n 1)" "$tmp/tso.sh"
papers
expect 'the paper does not have it' 1 'Table 9, x, n: paper -, ours 1'
echo 'exit 7' >"$tmp/tso.sh"
papers
expect 'the script fails' 2 'tso.sh: status 7'
row 'Table 1' c n 1 2 '' >>"$tmp/tso.tsv"
papers
expect 'no reason is given' 2 'tso.tsv:6: .*no explanation'
papers nonsense
expect 'no such section' 2 "'nonsense' is neither"
exit $((failures > 0))
