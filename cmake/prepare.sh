# shellcheck shell=bash disable=SC2034
# Sourced by ./run, ./test, ./dev and .ci/run, in the root of the tree: what to install, how to configure and build.

build_packages="g++ cmake ninja-build ccache libboost1.81-dev libboost-json1.81-dev libfyaml-dev libcli11-dev \
libsqlite3-dev libre2-dev libseccomp-dev libssl-dev libcurl4-openssl-dev libgumbo-dev ripgrep libgtest-dev libgmock-dev libbenchmark-dev"
# What people work with, for the tests that do so in the sandbox. Some builds of nodejs bring npm along.
test_packages="python3 python3-venv git nodejs make perl procps sqlite3 poppler-utils brotli"
command -v npm >/dev/null || test_packages+=" npm"
# clang's own runtime (libclang-rt) holds libFuzzer and the sanitizers it links; git names the changed files; faketime steps the soak's
# clock.
dev_packages="clang clang-format clang-tidy libclang-rt-14-dev dpkg-dev git faketime"

# The same file in two clones is one entry of the cache.
export CCACHE_BASEDIR="$PWD"
# What it asks for before it caches a file with precompiled headers.
export CCACHE_SLOPPINESS=pch_defines,time_macros

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# require_packages NAME…: installs those that are missing, with a word only if there are any.
require_packages() {
  command -v dpkg-query >/dev/null || fail "this needs Debian 12 or a relative of it; elsewhere install what Debian calls: $*"
  local name missing=() as_root=()
  local -A installed=()
  while read -r name; do installed[$name]=1; done < <(
    dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p')
  for name in "$@"; do
    [ "${installed[$name]:-}" ] || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "packages are missing and neither root nor sudo is here to install them. As root: apt-get install ${missing[*]}"
    as_root=(sudo)
    # Without a terminal nobody can type a password.
    [ -t 0 ] || as_root=(sudo -n)
  fi
  echo "Installing ${missing[*]}" >&2
  mkdir -p build
  local log=build/packages.log
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=600 --no-install-recommends install "${missing[@]}")
  "${install[@]}" </dev/null >"$log" 2>&1 && return 0
  # Most often the package lists are absent (a fresh machine) or old.
  "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=600 update </dev/null >>"$log" 2>&1 && "${install[@]}" </dev/null >>"$log" 2>&1 && return 0
  tail -n 15 "$log" >&2
  fail "cannot install packages; the log is $log. By hand: apt-get install ${missing[*]}"
}

# On a terminal, and only once it takes longer than two seconds: one line that says how far the log $1 has come.
show_progress() {
  sleep 2
  while :; do
    printf '\r\033[K%.*s' "$((${COLUMNS:-80} - 1))" "$(tail -n 1 "$1")" >&2
    sleep 0.5
  done
}

# quietly LOG COMMAND…: all output goes to the end of LOG; its tail is shown when the command fails.
quietly() {
  local log=$1 status=0 progress=
  shift
  if [ -t 2 ]; then
    show_progress "$log" </dev/null >/dev/null &
    progress=$!
  fi
  "$@" </dev/null >>"$log" 2>&1 || status=$?
  if [ "$progress" ]; then
    kill "$progress" 2>/dev/null
    wait "$progress" 2>/dev/null
    printf '\r\033[K' >&2
  fi
  if [ $status != 0 ]; then
    # From the first failure on: with several compilers at work the last lines are often about something else.
    awk '/^FAILED|^CMake Error/ {found = 1} found' "$log" | head -n 60 >&2
    tail -n 3 "$log" >&2
    echo "$(basename "$0"): failed; the whole log is $log" >&2
  fi
  return $status
}

# build PRESET TARGET…: configures build/PRESET if that was not done yet, then builds (all, without a target). One at a
# time for each preset: a second caller waits, and then mostly finds the work done.
build() (
  preset=$1
  shift
  mkdir -p "build/$preset"
  exec 9>"build/$preset/.lock"
  flock 9
  log=build/$preset/build.log
  : >"$log"
  if [ ! -f "build/$preset/build.ninja" ]; then
    options=()
    # A warning stops CI, but no user whose compiler is newer. Sanitizers make g++ warn of what is not so.
    [ "$preset,${CI:-}" != release,true ] || options+=(-DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
    quietly "$log" cmake --preset "$preset" "${options[@]}" 9>&- || exit 1
  fi
  # The lock ends with this subshell; nothing that is started here may hold it longer.
  quietly "$log" ninja -C "build/$preset" -j "$(nproc)" "$@" 9>&-
)
