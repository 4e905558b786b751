#!/usr/bin/env bash
# The quickstart's graphs over a small package log, one line of which is cut off: the rows must be the expected ones, whatever
# the order of those of one window. usage: check_quickstart.sh SLUICE GRAPH…
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sluice=$1
shift
export DPKG_LOG=$here/package.log

status=0
for graph in "$@"; do
  name=$(basename "$graph" .json)
  sink=$(grep -c '{"id":' "$graph")  # the sink is the last operator
  if ! rows=$("$sluice" run "$graph" --set "/operators/$((sink - 1))/config/format=csv"); then
    echo "$name: the run failed"
    status=1
  elif ! diff <(sort "$here/$name.csv") <(sort <<<"$rows"); then
    echo "$name: other rows than expected (<)"
    status=1
  fi
done
exit $status
