#!/bin/bash
# scripts/install-deps: every system of its tables has a package for each thing
# that is needed, and is told from its os-release; what is missing, and nothing
# else, is handed to that system's own installer.  Needs SOURCE_DIR.
set -u
script=$SOURCE_DIR/scripts/install-deps
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fail() {
  echo "FAIL: $*"
  bad=1
}

# ---- the tables ----
"$script" --table >"$tmp/table"
[ "$(head -1 "$tmp/table" | tr -s ' ')" = '# thing group debian fedora arch opensuse' ] ||
  fail "another head of the table"
awk '!/^#/ && (NF != 6 || $2 !~ /^(build|test|deb|optional)$/)' "$tmp/table" | grep . && fail "a line without a column"
# Only a Debian package is made of the sources here.
awk '!/^#/ && / -( |$)/ && $2 != "deb"' "$tmp/table" | grep . &&
  fail "a thing that a system has no package for"
cut -d' ' -f1 "$tmp/table" | sort | uniq -d | grep . && fail "a thing twice"
for system in debian fedora arch opensuse; do
  "$script" --list=$system >"$tmp/$system" || fail "--list=$system"
  sort "$tmp/$system" | uniq -d | grep . && fail "twice in $system"
done
grep -qx libdw-dev "$tmp/debian" || fail "debian has no libdw-dev"
grep -qx elfutils-devel "$tmp/fedora" || fail "fedora has no elfutils-devel"
grep -qx pkgconf "$tmp/arch" || fail "arch has no pkgconf"
grep -qx libdw-devel "$tmp/opensuse" || fail "opensuse has no libdw-devel"
"$script" --list=plan9 >/dev/null 2>&1 && fail "a list for plan9"
# Whatever the build asks pkg-config for has a line.
for thing in $(sed -n 's/^pkg_check_modules([A-Z]* REQUIRED IMPORTED_TARGET \(.*\))/\1/p' \
  "$SOURCE_DIR/CMakeLists.txt"); do
  grep -q "^$thing " "$tmp/table" || fail "CMakeLists.txt needs $thing"
done
# The names for Debian are those of the package that is made here, too.
for package in $(sed -n '/^Build-Depends/,/^Standards/p' \
  "$SOURCE_DIR/debian/control" | tr ',' '\n' | grep -Eo '\blib[a-z0-9]+-dev\b'); do
  grep -qx "$package" "$tmp/debian" || fail "debian/control needs $package"
done

# What makes the program is a compiler, CMake and five libraries.
got=$("$script" --list=debian build | sort | tr '\n' ' ')
[ "$got" = 'cmake gcc libcapstone-dev libdw-dev libelf-dev libxxhash-dev make pkg-config zlib1g-dev ' ] ||
  fail "the group build is $got"
"$script" --list=debian test | grep -qx chromium || fail "no browser for tests"
"$script" --list=debian build test | grep -qx debhelper && fail "debhelper"
"$script" nonsense 2>/dev/null && fail "a group nonsense"
# The package needs no more to be built, but for debhelper.
sed -n '/^Build-Depends/,/^Standards/p' "$SOURCE_DIR/debian/control" |
  grep -q ninja && fail "the package needs ninja"

# ---- which system it is ----
is() { # list, text of os-release
  printf "$2" >"$tmp/os"
  OS_RELEASE=$tmp/os "$script" --list | cmp -s - "$tmp/$1" || fail "$2 is not $1"
}
is debian 'ID=debian\n'
is debian 'ID=ubuntu\nID_LIKE=debian\n'
is debian 'ID=linuxmint\nID_LIKE="ubuntu debian"\n'
is fedora 'ID=fedora\n'
is fedora 'ID="rocky"\nID_LIKE="rhel centos fedora"\n'
is arch 'ID=arch\n'
is arch 'ID=manjaro\nID_LIKE=arch\n'
is opensuse 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n'
is opensuse 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n'
printf 'ID=plan9\n' >"$tmp/os"
OS_RELEASE=$tmp/os "$script" 2>"$tmp/err" || fail "an unknown system is an error"
grep -q 'libdw-dev' "$tmp/err" || fail "an unknown system: $(cat "$tmp/err")"

# ---- what is installed ----
# The system's programs, of which the first says that one package is missing
# (and that one is not to be had), and the installer writes down what it gets.
mkdir "$tmp/bin"
stub() { # program; its text from the input
  { echo '#!/bin/sh' && cat; } >"$tmp/bin/$1"
  chmod +x "$tmp/bin/$1"
}
stub dpkg-query <<'END'
for last; do :; done
case $last in libdw-dev | chromium) exit 1 ;; *) echo installed ;; esac
END
stub rpm <<'END'
case $3 in elfutils-devel | libdw-devel | chromium) exit 1 ;; esac
END
stub pacman <<'END'
[ "$1" = -S ] && { echo "pacman $*" >>"$LOG"; exit; }
case $1$2 in -Telfutils | -Tchromium) exit 127 ;; esac
END
for program in apt-get dnf zypper; do
  echo "echo $program \"\$@\" >>\"\$LOG\"" | stub $program
done
echo 'exit 0' | stub chromium
echo 'echo 0' | stub id # as root
installs() { # system, the command that must come
  printf 'ID=%s\n' "$1" >"$tmp/os"
  rm -f "$tmp/log"
  LOG=$tmp/log OS_RELEASE=$tmp/os PATH=$tmp/bin:$PATH "$script" 2>"$tmp/err" ||
    fail "$1: $(cat "$tmp/err")"
  grep -v '^apt-get update' "$tmp/log" >"$tmp/got"
  echo "$2" | diff - "$tmp/got" || fail "$1"
}
installs debian 'apt-get install -y -qq --no-install-recommends libdw-dev'
[ "$(PATH=$tmp/bin:$PATH OS_RELEASE=$tmp/os "$script" --missing build test)" = \
  libdw-dev ] || fail "--missing"
installs fedora \
  'dnf install -y -q --setopt=install_weak_deps=False elfutils-devel'
installs arch 'pacman -S --needed --noconfirm elfutils'
installs opensuse \
  'zypper --non-interactive install --no-recommends libdw-devel'
exit $bad
