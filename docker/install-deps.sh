#!/usr/bin/env bash
# Installs what it takes to build and test Sluice on Debian 12. This is the only list of packages: the quickstart, the test
# runner, CI and the image all come here. Asks apt only for what is missing, so that repeating it costs nothing.
# Runs as root, or as a user who may use sudo.
set -euo pipefail

packages=(
  # compiler, build, cache
  g++ cmake ninja-build ccache lld pkg-config git ca-certificates python3
  # what Sluice is built on
  libcli11-dev              # command line
  libfmt-dev                # text formatting
  nlohmann-json3-dev        # graphs
  libre2-dev                # regular expressions that no input can make slow
  libsimdjson-dev           # JSON records
  libabsl-dev               # hash tables of windows
  libzstd-dev zlib1g-dev    # compressed input
  # tests and verification
  doctest-dev librapidcheck-dev relacy-dev spin
  clang libclang-rt-14-dev  # fuzzers: clang++ with libFuzzer and the sanitizers that it finds things with
  # formatting and lints
  clang-format clang-tidy
)

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v apt-get >/dev/null; then
  printf 'install-deps: this needs apt (Debian 12 or a relative of it). On another system install the equivalents of:\n' >&2
  printf '  %s\n' "${packages[@]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "install-deps: all ${#packages[@]} packages are installed"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-deps: run this as root, or install sudo; missing: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "install-deps: installing ${missing[*]}"
# Another apt may be at work (unattended upgrades): wait for it rather than fail.
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -q)
"${apt[@]}" update
"${apt[@]}" install -y --no-install-recommends "${missing[@]}"
