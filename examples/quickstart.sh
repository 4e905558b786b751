#!/usr/bin/env bash
# From a fresh Debian 12 to a first result: installs what is missing, builds Sluice, and runs two graphs on a log that every
# Debian machine has, that of its package manager. Takes some minutes the first time, seconds afterwards.
# DPKG_LOG=FILE reads another log of the same form (a glob works too, gzip included).
set -euo pipefail
cd "$(dirname "$0")/.."

sluice=build/release/bin/sluice
graphs=examples/quickstart
results=build/quickstart

heading() { printf '\n== %s\n' "$*"; }

# The package log, or the newest one that has been rotated away from it; nothing if there is none.
package_log() {
  local file
  for file in /var/log/dpkg.log /var/log/dpkg.log.1 /var/log/dpkg.log.2.gz; do
    if [ -s "$file" ] && [ -r "$file" ]; then
      echo "$file"
      return
    fi
  done
}

# Prints a table; of a long one the head and the last rows, which are the most recent.
print_recent() {
  local shown=30 lines
  lines=$(wc -l <"$1")
  if [ "$lines" -le $((shown + 4)) ]; then
    cat "$1"
  else
    head -n 2 "$1"
    echo "… (the last $shown lines of $lines; all of them: $1)"
    tail -n "$shown" "$1"
  fi
}

heading "Installing what is missing"
bash docker/install-deps.sh

heading "Building $sluice"
mkdir -p "$results"
if ! cmake --preset release >"$results/configure.log" 2>&1; then
  cat "$results/configure.log" >&2
  echo "quickstart: the build could not be configured; the reason stands above" >&2
  exit 1
fi
cmake --build --preset release --target sluice

DPKG_LOG=${DPKG_LOG:-$(package_log)}
if [ -z "$DPKG_LOG" ]; then
  echo "quickstart: no package log in /var/log (dpkg.log, dpkg.log.1, dpkg.log.2.gz are missing, empty or unreadable)." >&2
  echo "Sluice is built. Give a log of that form with DPKG_LOG=FILE, or write a graph of your own: see README.md." >&2
  exit 1
fi
export DPKG_LOG

heading "What the package manager did, minute by minute ($DPKG_LOG)"
"$sluice" run "$graphs/actions-per-minute.json" >"$results/actions-per-minute.txt"
print_recent "$results/actions-per-minute.txt"

heading "The ten packages with most actions"
"$sluice" run "$graphs/busiest-packages.json"

heading "What to try next"
cat <<NEXT
  $sluice validate $graphs/actions-per-minute.json      check a graph without running it
  $sluice plan $graphs/actions-per-minute.json          how it is cut into tasks, channels and memory
  $sluice operators                                          all that can stand in a graph
  $sluice operators window_aggregate                         one of them, every field explained
  DPKG_LOG='/var/log/dpkg.log*' $sluice run $graphs/busiest-packages.json    the rotated logs too
  bash tests/run.sh                                                         all tests
Open $graphs/actions-per-minute.json, change "1m" to "1h", and run it again. README.md explains it line by line.
NEXT
