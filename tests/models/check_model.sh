#!/usr/bin/env bash
# check_model.sh EXPECTED MODEL [-DNAME[=VALUE] …]: searches every run of a Spin model, and compares the outcome.
#   holds      no assertion fails, nothing waits for ever, every run ends, and every statement was reached (a model
#              that never gets anywhere would hold as well); -Dpartial lifts the last demand
#   deadlock   a run that stands still before its end is found
#   assertion  a run that breaks an assertion is found
#   endless    a run that goes round for ever is found
# Exit status 0 if the outcome is the expected one.
set -euo pipefail

expected=$1 model=$2
shift 2
partial=no defines=()
for define in "$@"; do
  if [ "$define" = -Dpartial ]; then partial=yes; else defines+=("$define"); fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/$model" "$work/"
cd "$work"

fail() {
  echo "$model ${defines[*]:-}: $1" >&2
  [ ! -f report ] || cat report >&2
  exit 1
}

# search KIND OPTION…: builds the verifier with -DKIND, runs it, leaves its words in `report`.
search() {
  "${CC:-cc}" -O2 -w -D"$1" -DMEMLIM=3000 -o pan pan.c
  shift
  ./pan "$@" -m100000 >report 2>&1 || true # it reports failure in words alone
  grep -q 'errors: [0-9]' report || fail "the search broke off"
  ! grep -q 'max search depth too small\|out of memory\|memory limit' report || fail "the search is not complete"
}
errors() { sed -n 's/.*errors: \([0-9]*\).*/\1/p' report; }
states() { sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' report | head -1; }
expect_found() {
  grep -q "^pan:[0-9]*: $1" report || fail "expected: $1; it was not found"
  echo "$model ${defines[*]:-}: found, as it must be: $(grep -m1 '^pan:' report)"
}

spin -a "${defines[@]}" "$model" >translation 2>&1 || fail "spin: $(cat translation)"

case $expected in
  holds)
    search SAFETY
    [ "$(errors)" = 0 ] || fail "an error was found"
    if [ $partial = no ] && grep "$model:[0-9]*, state" report | grep -qv -- '"-end-"'; then
      fail "statements were never reached"
    fi
    reached=$(states)
    search NP -l
    [ "$(errors)" = 0 ] || fail "a run goes round for ever"
    echo "$model ${defines[*]:-}: holds in all $reached states, and every run ends"
    ;;
  deadlock) search SAFETY && expect_found 'invalid end state' ;;
  assertion) search SAFETY && expect_found 'assertion violated' ;;
  endless) search NP -l && expect_found 'non-progress cycle' ;;
  *) fail "unknown outcome: $expected" ;;
esac
