#!/usr/bin/env bash
# Installs, builds and runs all tests. usage: bash tests/run.sh [STEP…]
#
#   release   optimised build, as users run it: unit tests, structure tests, models
#   cases     real inputs with known answers, if they are at hand ($SLUICE_SHARED/cases, else ../shared/cases)
#   asan      the unit tests and cases with the address and undefined-behaviour sanitizers
#   tsan      the tests and cases that run several threads with the thread sanitizer
#   fuzz      each fuzzer of tests/fuzz for $SLUICE_FUZZ_SECONDS (10), with both of the former's sanitizers
#   lint      clang-tidy's short list (.clang-tidy)
#
# Without STEP: all of them, in this order. A step that cannot be built counts as failed. SLUICE_WERROR=ON makes warnings of
# the release build errors (with sanitizers GCC warns of what is not so), SLUICE_JOBS bounds how much runs at once. The last line is `N passed, N failed, N skipped`; the exit status is 1
# if anything failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
exec </dev/null

jobs=${SLUICE_JOBS:-$(nproc)}
results=build/results
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(release cases asan tsan fuzz lint)
shared=$(realpath -m "${SLUICE_SHARED:-../shared}")
export SLUICE_SHARED=$shared
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1}

# What every answer must not depend on.
settings=("--threads 1" "--threads 2" "--parallelism 4" "--profile latency" "--profile throughput")

passed=0 failed=0 skipped=0
summary=()

heading() { printf '\n== %s\n' "$*"; }

# record NAME PASSED FAILED SKIPPED: one line of the summary.
record() {
  passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
  summary+=("$(printf '%-42s %5d passed %4d failed %4d skipped   %s' "$1" "$2" "$3" "$4" "$(elapsed)")")
  echo "${summary[-1]}"
}
elapsed() { printf '%d:%02d' $((SECONDS / 60)) $((SECONDS % 60)); }

# build PRESET TARGET…: false, and recorded, if it fails.
build() {
  local preset=$1 strict=OFF
  shift
  [ "$preset" = release ] && strict=${SLUICE_WERROR:-OFF}
  heading "Building $preset ($*)"
  if cmake --preset "$preset" -DSLUICE_TESTS=ON -DSLUICE_WERROR="$strict" >"$results/$preset.configure" 2>&1; then
    "${steady[@]}" cmake --build --preset "$preset" -j "$jobs" --target "$@" && return
  else
    cat "$results/$preset.configure"
  fi
  record "$preset: build" 0 1 0
  return 1
}

# entries NAME PRESET CTEST-ARGUMENTS…: runs CTest entries and records what became of each.
entries() {
  local name=$1 preset=$2 file=$PWD/$results/$2.xml status counts
  shift 2
  heading "$name"
  rm -f "$file"
  "${steady[@]}" ctest --test-dir "build/$preset" -j "$jobs" --output-junit "$file" "$@" >"$results/$preset.log" 2>&1
  status=$?
  if ! counts=$(python3 -B tests/tally.py "$file"); then
    tail -n 40 "$results/$preset.log"
    record "$name" 0 1 0
    return
  fi
  # shellcheck disable=SC2086
  set -- $counts
  if [ "$status" -ne 0 ] && [ "$2" -eq 0 ] || [ "$1" -eq 0 ]; then
    tail -n 40 "$results/$preset.log"  # CTest failed as a whole, or found nothing to run
    set -- "$1" $(($2 + 1)) "$3"
  fi
  record "$name" "$1" "$2" "$3"
}

# judged NAME COMMAND…: runs a command whose last line is `N passed, N failed`.
judged() {
  local name=$1 last
  shift
  heading "$name"
  "$@" 2>&1 | tee "$results/judged.log"
  last=$(tail -n 1 "$results/judged.log")
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    record "$name" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" 0
  else
    record "$name" 0 1 0
  fi
}

# have_cases NAME: false, and recorded as skipped, if they are not at hand.
have_cases() {
  [ -x "$shared/cases/check" ] && return
  heading "$1"
  echo "skipped: no cases in $shared (set SLUICE_SHARED to the folder that holds cases/)"
  record "$1" 0 0 1
  return 1
}

answers() {  # answers NAME PRESET ARGUMENTS
  judged "$1" python3 -B "$shared/cases/check" --sluice "$PWD/build/$2/bin/sluice" --args " $3"
}

step_release() {
  build release all && entries "release: tests and models" release
}

step_cases() {
  have_cases "cases" && build release sluice || return
  local setting case cases=() same=()
  for case in "$shared"/cases/*/graph.json; do cases+=("$(basename "$(dirname "$case")")"); done
  for setting in "${settings[@]}"; do
    answers "cases: answers with $setting" release "$setting"
    same+=("--setting=$setting")
  done
  judged "cases: same rows whatever the setting" python3 -B tests/cases.py --sluice "$PWD/build/release/bin/sluice" \
    --folder "$shared/cases" "${same[@]}" "${cases[@]}"
}

step_asan() {
  build asan all || return
  entries "asan: unit tests" asan -L 'runtime|operators|engine'
  have_cases "asan: cases" && answers "asan: cases" asan "--threads 2"
}

step_tsan() {
  build tsan sluice sluice_tests_runtime sluice_tests_engine || return
  entries "tsan: runtime and engine" tsan -L 'runtime|engine'
  have_cases "tsan: cases" && answers "tsan: cases" tsan "--threads 2"
}

step_fuzz() {
  build fuzz fuzzers || return
  judged "fuzz: ${SLUICE_FUZZ_SECONDS:-10} s each" env SLUICE_JOBS="$jobs" bash tests/fuzz/run.sh "${SLUICE_FUZZ_SECONDS:-10}"
}

step_lint() {
  heading "clang-tidy"
  # Of the preset only the commands are needed. The files of a folder are read together, as the other presets compile them:
  # that takes a quarter of the time, and what is wrong is still said with file and line.
  if ! cmake --preset lint >"$results/lint.configure" 2>&1; then
    cat "$results/lint.configure"
    record "lint" 0 1 0
    return
  fi
  local units good=0 bad=0 unit log
  mapfile -t units < <(sed -nE 's#^ *"file": "(.*)",?$#\1#p' build/lint/compile_commands.json |
    grep -E "^$PWD/(build/lint/)?(runtime|operators|engine)/" | sort)
  rm -rf "$results/lint" && mkdir -p "$results/lint"
  printf '%s\n' "${units[@]}" | xargs -P "$jobs" -I{} bash -c '
    log=$1/${2//\//_}
    clang-tidy -p build/lint --quiet --extra-arg=-Wno-unknown-warning-option "$2" >"$log.failed" 2>&1 && mv "$log.failed" "$log"' \
    lint "$results/lint" {}
  for unit in "${units[@]}"; do
    log=$results/lint/${unit//\//_}
    if [ -e "$log" ]; then
      good=$((good + 1))
    else
      bad=$((bad + 1))
      printf -- '--- FAILED %s\n' "${unit#"$PWD"/}"
      cat "$log.failed"
    fi
  done
  [ "$((good + bad))" -gt 0 ] || bad=1
  record "lint: units of sources" "$good" "$bad" 0
}

main() {
  local step
  for step in "${steps[@]}"; do
    declare -F "step_$step" >/dev/null || { echo "run.sh: no step '$step'; there are release cases asan tsan fuzz lint" >&2; exit 2; }
  done
  mkdir -p "$results"
  # The thread sanitizer wants its fixed shadow addresses free; where the kernel allows it, the layout is not randomised.
  steady=()
  if setarch "$(uname -m)" -R true 2>/dev/null; then steady=(setarch "$(uname -m)" -R); fi

  heading "Installing what is missing"
  if bash docker/install-deps.sh; then
    for step in "${steps[@]}"; do "step_$step"; done
  else
    record "install" 0 1 0
  fi

  heading "Summary ($(elapsed) minutes)"
  printf '%s\n' "${summary[@]}"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}

main
