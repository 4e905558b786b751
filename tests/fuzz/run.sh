#!/usr/bin/env bash
# Runs the fuzzers, each for so many seconds. usage: tests/fuzz/run.sh SECONDS [NAME…]
#
# They start from corpus/NAME, words of dictionaries/NAME, and what earlier runs found in build/fuzz/corpus/NAME; an input that
# breaks something is left in build/fuzz/found/. SLUICE_FUZZ_SEED (default 1) starts the chain of random numbers, SLUICE_JOBS
# bounds how many run at once. Build them first: cmake --preset fuzz && cmake --build --preset fuzz --target fuzzers.
# The last line is `N passed, N failed`; exit status 1 if any failed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

[[ ${1:-} =~ ^[0-9]+$ ]] || { echo "usage: tests/fuzz/run.sh SECONDS [NAME…]" >&2; exit 2; }
seconds=$1
shift
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for source in tests/fuzz/*_fuzz.cpp; do
    name=$(basename "$source" _fuzz.cpp)
    names+=("$name")
  done
fi
mkdir -p build/fuzz/found build/fuzz/log

one() {
  local name=$1 seconds=$2 seeds=("tests/fuzz/corpus/$1") dictionary=() log=build/fuzz/log/$1.log
  mkdir -p "build/fuzz/corpus/$name"
  # Graphs have their seeds where people read them.
  [ "$name" = graph ] && seeds+=(graphs graphs/invalid)
  [ -e "tests/fuzz/dictionaries/$name" ] && dictionary=("-dict=tests/fuzz/dictionaries/$name")
  if "build/fuzz/bin/${name}_fuzz" -max_total_time="$seconds" -seed="${SLUICE_FUZZ_SEED:-1}" -timeout=25 -rss_limit_mb=2048 \
      -max_len=4096 -print_final_stats=1 -artifact_prefix="build/fuzz/found/$name-" "${dictionary[@]}" \
      "build/fuzz/corpus/$name" "${seeds[@]}" >"$log" 2>&1; then
    printf 'ok   %-12s %s\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, $(
      sed -n 's/.*cov: \([0-9]*\).*corp: \([0-9]*\).*/coverage \1, \2 kept/p' "$log" | tail -1)"
  else
    printf 'FAIL %-12s\n' "$name"
    tail -n 60 "$log"
    touch "build/fuzz/log/$name.failed"
  fi
}
export -f one

rm -f build/fuzz/log/*.failed
printf '%s\n' "${names[@]}" | xargs -P "${SLUICE_JOBS:-$(nproc)}" -I{} bash -c 'one "$1" "$2"' fuzz {} "$seconds"
failed=$(find build/fuzz/log -name '*.failed' | wc -l)
echo "$((${#names[@]} - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
