#!/bin/bash
# Help, man pages, completions, which all come from the tables of the options;
# and FAULTLINE_OPTIONS.
. "$(dirname "$0")/common.inc"
s=tests/cli/status

# ---- help ----
run --help
names=$(sed -n 's/^  \([a-z-]*\)  .*/\1/p' "$tmp/out")
[ "$(echo "$names" | wc -l)" -ge 12 ] || fail "commands: $names"
for name in $names; do
  run help $name
  expect_status 0
  expect_out "^Usage: faultline (\\[)?$name"
  expect_narrow
  case $name in cc | cxx) continue ;; esac
  cp "$tmp/out" help.txt
  run $name --help
  expect_status 0
  cmp -s help.txt "$tmp/out" || fail "help $name and $name --help differ"
done
run help
expect_status 0
expect_out 'Usage: faultline FILE'
run help tset
expect_status 2
expect_err 'no command or topic "tset"; did you mean test\?'
# Pages of the documentation: all that the help names, as plain text.
topics=$(run help; sed -n '/^[a-z, ]*\.$/s/[,.]//gp' "$tmp/out")
[ "$(echo $topics | wc -w)" -ge 8 ] || fail "topics: $topics"
for topic in $topics; do
  run help $topic
  expect_status 0
  expect_out 'This is docs/[a-z]+\.md'
  expect_no out '\]\([a-z]+\.md|<!--|```|!\['
done
run help pass
expect_out '^What a pass means ='
run help psas
expect_status 2
expect_err 'no command or topic "psas"; did you mean pass\?'
# On a terminal a pass says where that is told; in a log it does not.
run examples/ring.c --no-save
expect_no out 'help pass'
if command -v script >/dev/null; then
  what="a pass on a terminal"
  script -qec "'$FAULTLINE' examples/ring.c --no-save" \
    /dev/null >"$tmp/out" 2>"$tmp/err" </dev/null
  expect_out 'no fault found .*What a pass means, and what it does not: faultline help pass'
fi
run hepl
expect_status 2
expect_err 'did you mean help\?'

# ---- man pages ----
run man-page --all pages
expect_status 0
for name in faultline.1 faultline.h.3 $(printf 'faultline-%s.1 ' $names); do
  what="man page $name"
  [ -s pages/$name ] || fail "missing"
  if command -v groff >/dev/null; then
    groff -man -Tascii -ww -z pages/$name >"$tmp/out" 2>"$tmp/err"
    [ -s "$tmp/err" ] && fail "$(cat "$tmp/err")"
  fi
done
[ "$(ls pages | wc -l)" = $(($(echo "$names" | wc -l) + 2)) ] ||
  fail "other pages: $(ls pages)"
# Every option of the help is on the page, and every macro of the header.
run help test
options=$(grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' "$tmp/out" | grep -oE '\-\-[a-z-]+$')
for option in $options; do
  grep -qF "\\fB$(echo "$option" | sed 's/-/\\-/g')\\fR" pages/faultline-test.1 ||
    fail "no $option on the page of test"
done
for macro in $(grep -oE '^#define FL_[A-Z]+' "$SOURCE_DIR/include/faultline.h" |
  sed 's/#define //; /^FL_ABI$/d; /^FL_MAX$/d' | sort -u); do
  grep -q "$macro" pages/faultline.h.3 || fail "no $macro on its page"
done
run man-page nonesuch
expect_status 2

# ---- completions ----
for shell in bash zsh fish; do
  run completion $shell
  expect_status 0
  cp "$tmp/out" completion.$shell
  for option in $options; do
    grep -q -- "${option#--}" completion.$shell || fail "no $option"
  done
  command -v $shell >/dev/null || continue
  what="$shell -n"
  $shell -n completion.$shell || fail "does not parse"
done
complete_bash() { # words
  bash -c 'source ./completion.bash; COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _faultline
    echo "${COMPREPLY[*]}"' bash "$@"
}
expect_completion() { # expected, words
  want=$1
  shift
  what="completion of $*"
  got=$(complete_bash "$@")
  [ "$got" = "$want" ] || fail "'$got', expected '$want'"
}
expect_completion 'explore explain explain-tree' faultline expl
expect_completion '--search= --seed=' faultline explore a.c --se
expect_completion 'dfs dpor dpct' faultline a.c --search = d
expect_completion 'dfs dpor dpct' faultline a.c -s d
expect_completion 'explore' faultline help explo
expect_completion 'dpct random' faultline shrink a.c --search = ''
expect_completion '--search= --seed=' faultline selftest --se
# A command offers the options that it uses, and takes those of test as well.
expect_completion '--theta=' faultline explain-tree push a.c --th
expect_completion '--gdb' faultline replay x.schedule a.c --gd
expect_completion '' faultline replay x.schedule a.c --thr
expect_completion '' faultline explore a.c --keep
expect_completion 'queue' faultline check --spec = que
expect_completion '0 1 2 3 s g' faultline a.c -O ''
expect_completion '' faultline a.c --seed ''
expect_completion '' faultline a.c -- --se
mkdir folder && touch file.c
expect_completion 'file.c' faultline fi
expect_completion 'file.c folder' faultline a.c --html f
expect_completion 'folder' faultline a.c --save-dir = f
expect_completion '' faultline histor
run help # ends with "TOPIC explains:" and the topics
for topic in $(sed '1,/TOPIC explains:$/d; s/[,.]//g' "$tmp/out"); do
  expect_completion "$topic" faultline help "$topic"
  for shell in zsh fish; do
    grep -Eq "(topics=\(|command help').*\b$topic\b" completion.$shell ||
      fail "$shell has no $topic"
  done
done
[ "${topic-}" = faq ] || fail "no topics were tried"
if command -v fish >/dev/null; then
  what='fish'
  got=$(HOME=$tmp fish -c 'source completion.fish
    complete -C "faultline explore --search=df"' | cut -f1)
  [ "$got" = --search=dfs ] || fail "fish completes $got"
fi
run completion tcsh
expect_status 2

# ---- FAULTLINE_OPTIONS ----
with() {
  what="FAULTLINE_OPTIONS=$1 $what"
  FAULTLINE_OPTIONS=$1 run "${@:2}"
}
with '--seed 7 --max-executions=300' $s/fine.c
expect_status 0
expect_out ' 300 executions, seed 7'
with '--seed 7 --max-executions=300' $s/fine.c --seed 8
expect_out 'seed 8'
with "--client '{get()} || {get()}'" explore $s/fine.c
expect_status 0
expect_out 'Outcomes of \{get\(\)\} \|\| \{get\(\)\}'
with '--threds 2' $s/fine.c
expect_status 2
expect_err 'FAULTLINE_OPTIONS: unknown option --threds; did you mean --threads\?'
with 'other.c' $s/fine.c
expect_status 2
expect_err 'FAULTLINE_OPTIONS: "other.c" is not an option'
with '-- -O2' $s/fine.c
expect_err 'FAULTLINE_OPTIONS: "--" is not an option'
with "--client '" $s/fine.c
expect_err 'FAULTLINE_OPTIONS: a quote does not end'
with '--threds' test --help
expect_status 0
with '--exit-protocol=gnu' $s/does_not_compile.c
expect_status 99
with '--threds' selftest
expect_status 0
finish
