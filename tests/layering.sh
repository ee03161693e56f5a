#!/bin/bash
# The list of layers in CMakeLists.txt is the architecture.  For every layer of
# it: what it uses stands above it, its files include nothing else, and the
# compiler would not find anything else.  Needs BUILD_DIR, SOURCE_DIR.
set -u
views=$BUILD_DIR/layers
src=$SOURCE_DIR/src
bad=0
fail() {
  echo "$*"
  bad=1
}

declare -A sees # a layer, or LAYER/FILE: all that it may include, with blanks
layers=()
while IFS=: read -r name uses; do
  all=" "
  for used in $uses; do
    [ -n "${sees[$used]-}" ] || fail "$name uses $used, which stands below it"
    for one in $used ${sees[$used]-}; do
      [[ $all == *" $one "* ]] || all="$all$one "
    done
  done
  case $name in
  *.c) all="$all${sees[${name%/*}]} " ;;
  *) layers+=("$name") ;;
  esac
  sees[$name]=$all
done <"$views/diagram"
[ ${#layers[@]} -gt 10 ] || fail "no diagram"

layer_of() { # a path below src; a folder of a layer may be one itself
  local two=${1#*/}
  two=${1%%/*}/${two%%/*}
  [ -d "$src/$two" ] && [ -n "${sees[$two]-}" ] && echo "$two" || echo "${1%%/*}"
}
view_of() {
  echo "$views/fl_${1//\//_}"
}

# ---- what files include ----
while IFS=: read -r file _ line; do
  used=${line#*\"}
  used=$(layer_of "${used%\"*}")
  file=${file#"$src"/}
  own=$(layer_of "$file")
  [ -d "$src/$used" ] || continue # of include/
  [ "$used" = "$own" ] && continue
  may=${sees[$file]-${sees[$own]-}}
  [[ $may == *" $used "* ]] ||
    fail "$file includes a file of $used"
done < <(grep -rn '^#include "[a-z_]*/' "$src")

# A relative path would walk around the include paths.
if grep -rn '#include *"\.\.' "$src"; then
  fail 'relative includes are not allowed in src'
fi

# ---- what the compiler would find ----
for layer in "${layers[@]}"; do
  for other in "${layers[@]}"; do
    found=
    header=$(cd "$src/$other" && ls -- *.h | head -1)
    while read -r folder; do
      [ ! -e "$folder/$other/$header" ] || found=1
    done <"$(view_of "$layer")/includes"
    if [[ " $layer ${sees[$layer]} " == *" $other "* ]]; then
      [ -n "$found" ] || fail "$layer cannot include files of $other"
    else
      [ -z "$found" ] || fail "$layer can include files of $other"
    fi
  done
done
for layer in base model; do # nothing of the harness
  ! grep -q '/include$' "$(view_of "$layer")/includes" ||
    fail "$layer can include faultline.h"
done

# ---- every folder is a layer, and is told what it is for ----
for layer in "${layers[@]}"; do
  grep -q "^| \`$layer\` | " "$SOURCE_DIR/CONTRIBUTING.md" ||
    fail "CONTRIBUTING.md does not say what $layer is for"
done
for folder in "$src"/*/; do
  folder=$(basename "$folder")
  [ -n "${sees[$folder]-}" ] ||
    fail "src/$folder is no layer"
done
exit $bad
