# shellcheck shell=bash disable=SC2034
# Sourced by ./run, ./test, ./dev and .ci/run, in the root of the tree: what to install, how to configure and build.

build_packages="g++ cmake ninja-build ccache libboost1.81-dev libboost-json1.81-dev libfyaml-dev libcli11-dev \
libsqlite3-dev libre2-dev libseccomp-dev libssl-dev libcurl4-openssl-dev libgumbo-dev libvterm-dev ripgrep libgtest-dev libgmock-dev libbenchmark-dev"
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
  local log=build/packages.log begun=$SECONDS
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=600 --no-install-recommends install "${missing[@]}")
  : >"$log"
  # Most often when it fails the package lists are absent (a fresh machine) or old.
  if watched "$log" "${install[@]}" ||
    { watched "$log" "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=600 update && watched "$log" "${install[@]}"; }; then
    tell_duration Installed "$begun"
    return 0
  fi
  tail -n 15 "$log" >&2
  fail "cannot install packages; the log is $log. By hand: apt-get install ${missing[*]}"
}

# What tests need of npm's registry, as tests/node/package-lock.json has it: into build/node, unless it is there.
require_node_packages() (
  lock=tests/node/package-lock.json
  installed=build/node/installed.json
  log=build/node.log
  mkdir -p build/node
  exec 9>build/node.lock
  flock 9
  cmp -s $lock $installed && exit 0
  echo "Installing npm packages for the tests" >&2
  : >"$log"
  cp tests/node/package.json $lock build/node/ &&
    watched "$log" npm ci --prefix build/node --ignore-scripts --no-audit --no-fund && cp $lock $installed && exit 0
  tail -n 15 "$log" >&2
  fail "cannot install npm packages for the tests (is npm's registry within reach?); the log is $log"
)

# Where lines remain, as in CI's log, this many seconds pass between two about the progress.
progress_interval=30

# duration SECONDS: "45 s", "6 min 05 s".
duration() {
  if [ "$1" -lt 60 ]; then echo "$1 s"; else printf '%d min %02d s\n' $(($1 / 60)) $(($1 % 60)); fi
}

# tell_duration DONE BEGUN: what was done and how long it took, if that was long enough to wonder.
tell_duration() {
  local took=$((SECONDS - $2))
  [ "$took" -lt 10 ] || echo "$1 in $(duration "$took")" >&2
}

# Says how far the log $1 has come, once that takes longer than two seconds: on a terminal in one line that is kept up to
# date, elsewhere in a line now and then.
show_progress() {
  local begun=$SECONDS pause=0.5 before='\r\033[K' after='' width=$((${COLUMNS:-80} - 1)) first=2 never text
  # A pipe that stays empty to wait at: a `sleep` would outlive us, and who reads our stderr would wait for it.
  exec {never}<> <(:)
  [ -t 2 ] || pause=$progress_interval before='' after='\n' width=120 first=$progress_interval
  read -r -t "$first" -u "$never"
  # Ctrl-C does not reach what a script runs in the background.
  while kill -0 $$ 2>/dev/null; do
    text="[$(duration $((SECONDS - begun)))] $(tail -n 1 "$1")"
    printf "$before%.*s$after" "$width" "$text" >&2
    read -r -t "$pause" -u "$never"
  done
}

# watched LOG COMMAND…: all output goes to the end of LOG, and we say how far it has come.
watched() {
  local log=$1 status=0 progress
  shift
  show_progress "$log" </dev/null >/dev/null &
  progress=$!
  "$@" </dev/null >>"$log" 2>&1 || status=$?
  kill "$progress" 2>/dev/null
  wait "$progress" 2>/dev/null
  [ ! -t 2 ] || printf '\r\033[K' >&2
  return $status
}

# quietly LOG COMMAND…: the same; the tail of LOG is shown when the command fails.
quietly() {
  local log=$1 status=0
  watched "$@" || status=$?
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
  flock -n 9 || {
    echo "Waiting for another build of $preset" >&2
    flock 9
  }
  begun=$SECONDS
  log=build/$preset/build.log
  : >"$log"
  if [ ! -f "build/$preset/build.ninja" ]; then
    options=()
    # A warning stops CI, but no user whose compiler is newer. Sanitizers make g++ warn of what is not so.
    [ "$preset,${CI:-}" != release,true ] || options+=(-DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
    quietly "$log" cmake --preset "$preset" "${options[@]}" 9>&- || exit 1
  fi
  # The lock ends with this subshell; nothing that is started here may hold it longer.
  NINJA_STATUS='[%p %f/%t] ' quietly "$log" ninja -C "build/$preset" -j "$(nproc)" "$@" 9>&- || exit
  tell_duration Built "$begun"
)
