# Whole runs of `faultline check` on files: histories of all types that have a
# monitor, and of those that need search, from 10^3 operations on, with both
# verdicts.  A row is the best of three runs of one process: type, operations,
# what is planted; verdict; seconds of the processor, reading included; how many
# times as long as for half the size (from that for a tenth of it); megabytes of
# the process, and bytes an operation.
#
#   LARGEST=10000000 bench/files.sh TYPE    goes further, for types of that name
set -u
largest=${LARGEST:-1000000}
only=${1:-}
tools=${BENCH_TOOLS:-build/bench/tools}
faultline=${FAULTLINE:-build/faultline}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
seconds=0 # of the last run

# The best of three, "seconds megabytes", and the verdict into $dir/out.
measure() {
  for _ in 1 2 3; do
    /usr/bin/time -o "$dir/time" -f '%U %S %M' "$faultline" check -q -j1 \
      --time 60 "$@" "$dir/history" >"$dir/out"
    awk 'NF == 3 {printf "%.2f %.0f\n", $1 + $2, $3 / 1024}' "$dir/time"
  done | sort -n | head -1
}

row() { # label, options of the generator
  local label=$1 planted now before=
  shift
  for planted in '' --planted; do
    for ((n = 1000; n <= largest; n *= 10)); do
      "$tools/history" --operations="$n" "$@" $planted >"$dir/history"
      read -r now mb < <(measure)
      growth=$(awk -v a="$now" -v b="${before:-0}" \
        'BEGIN {if (b >= 0.02) printf "%.2f times", (a / b) ^ (log(2) / log(10))}')
      each=
      ((n < 100000)) || each="$((mb * 1048576 / n)) B each"
      printf '%-22s %9d %-9s %-34s %6.2f s  %-11s %5d MB  %s\n' "$label" "$n" \
        "${planted#--}" "$(sed 's/^[^:]*: //; s/([^;]*; /(/' "$dir/out")" \
        "$now" "$growth" "$mb" "$each"
      before=$now
    done
    before=
  done
}

some() {
  [[ $1 == *"$only"* ]] && row "$@"
}

some register --type=register --processes=20
some cas-register --type=cas-register --processes=20
some 'map of 100' --type=map --processes=20 --keys=100
some 'map of 10,000, zipf' --type=map --processes=20 --keys=10000 \
  --key-distribution=zipf
some 'set of 1,000' --type=set --processes=20 --values=1000
some queue --type=queue --processes=20
some stack --type=stack --processes=20
some pqueue --type=pqueue --processes=20
some 'queue, crashes' --type=queue --processes=20 --crash-rate=30
some 'stack, crashes' --type=stack --processes=20 --crash-rate=30
some 'pqueue, crashes' --type=pqueue --processes=20 --crash-rate=30
some 'five values' --type=register --processes=5 --values=5
some 'five values, crashes' --type=register --processes=5 --values=5 \
  --crash-rate=30
some 'kv, five values' --type=map --processes=20 --keys=100 --values=5
some 'multiset of 1,000' --type=multiset --processes=20 --values=1000
some 'counter, 5 processes' --type=counter --processes=5
exit 0
