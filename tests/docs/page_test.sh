#!/bin/bash
# page.pl on pages that are right and on pages that are wrong: it must see what
# is wrong with them.
set -u
SOURCE_DIR=${SOURCE_DIR:-$(realpath "$(dirname "$0")/../..")}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
failures=0

page() { # status, what must be told; the page is read from the input
  cat >page.md
  out=$(bash "$SOURCE_DIR/tests/docs/run.sh" page.md 2>&1)
  status=$?
  if [ $status != "$1" ] || ! grep -qF -- "$2" <<<"$out"; then
    echo "FAIL: status $status, not $1, or no '$2':"
    sed 's/^/  page | /' page.md
    sed 's/^/  out  | /' <<<"$out"
    failures=$((failures + 1))
  fi
}

page 0 '5 commands' <<'END'
<!-- file: in/a.txt -->
```
one
two
three
```
<!-- run: b=hidden -->
```console
$ cat in/a.txt
one
…
$ cat in/a.txt
one
t…
three
$ echo $b \
    more
hidden more
$ cd in && false
$ echo $?
1
```
END
# How much was searched may differ where it cannot be the same, and only there.
searched() { # status, compiler, command
  export DOCS_COMPILER=$2
  page $1 '' <<END
\`\`\`console
\$ $3
x: y after 1 client, 400 executions, seed 1
  All 8 of them.
\`\`\`
END
  unset DOCS_COMPILER
}
now="printf 'x: y after 12 clients, 3 executions, seed 1\\n  All 7\\n  of them.\\n'"
searched 0 13 "$now"
searched 1 12 "$now"
searched 0 12 "$now --time"
page 1 'status 3' <<'END'
```console
$ (exit 3)
```
END
page 1 'echo $? prints something else' <<'END'
```console
$ (exit 3)
$ echo $?
2
```
END
page 1 'prints something else' <<'END'
```console
$ (exit 3)
$ echo $?
3
$ echo a; echo b
a
```
END
page 1 'prints something else' <<'END'
```console
$ echo a
…
b
```
END
page 1 'prints something else' <<'END'
```console
$ echo 7 lines
8 lines
```
END
page 1 'not reached' <<'END'
```console
$ exit 0
$ echo behind
```
END
page 1 'a script that nothing runs' <<'END'
```sh
make
```
END
page 0 '0 commands' <<'END'
<!-- not run: it takes long -->
```sh
make
```
END
page 1 'looks like a session' <<'END'
```
$ make
```
END
page 1 'looks like a session' <<'END'
```
faultline stack.c
```
END
page 1 'looks like a session' <<'END'
    faultline stack.c
END
page 1 'does not know this page' <<'END'
<!-- run by: tests/docs/links.pl -->
```sh
make
```
END
page 1 'has not these lines' <<'END'
<!-- from: LICENSE -->
```
This line is not in it.
```
END
page 0 'passed by' <<'END'
<!-- needs: no-such-program -->
```console
$ no-such-program
```
END
page 1 'output without a command' <<'END'
```console
a
```
END
page 1 'what is "rnu"' <<'END'
<!-- rnu: true -->
END
page 1 'does not begin its line' <<'END'
A formatter has moved <!-- not run: it is long -->
```console
$ false
```
END
page 1 'does not begin its line' <<'END'
- In a list
  ```console
  $ false
  ```
END
page 1 'a block without end' <<'END'
```console
$ true
END
[ $failures = 0 ] && echo "all as expected"
exit $((failures > 0))
