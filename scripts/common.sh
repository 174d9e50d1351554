# shellcheck shell=bash
# What every task uses: messages, stamps, and where things lie.

# Cargo's own output, absolute; tools live in it, so that several checkouts that share it share them.
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
case $TARGET in /*) ;; *) TARGET=$ROOT/$TARGET ;; esac
export CARGO_TARGET_DIR=$TARGET
TOOLS=$TARGET/tools
# What belongs to this checkout alone: the laid-out sites, and stamps that say from what a thing was made.
WORK=$ROOT/target
STAMPS=$WORK/stamps
PROGRAM=$TARGET/release/pocketgraph

say() { printf '==> %s\n' "$*"; }

die() {
  printf 'build.sh: %s\n' "$*" >&2
  exit 1
}

misused() {
  printf 'build.sh: %s; ./build.sh --help lists the tasks\n' "$*" >&2
  exit 2
}

no_arguments() {
  local task=$1
  shift
  [ $# -eq 0 ] || misused "'$task' takes no '$1'"
}

# In the task `test`: the whole workspace is compiled, so that no package of it needs a build of its own.
ALL_COMPILED=''

# build_release PACKAGE: compiles it, unless the whole workspace is.
build_release() {
  [ -n "$ALL_COMPILED" ] || cargo build --locked --release -p "$1"
}

have() { command -v "$1" >/dev/null 2>&1; }

# sha256 of standard input, as bare digits.
hash_of_input() {
  if have sha256sum; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# One hash of the files below the given folders (and of files given by name): their paths and contents.
hash_of_files() {
  find -H "$@" -type f -print0 | LC_ALL=C sort -z | {
    if have sha256sum; then xargs -0 sha256sum; else xargs -0 shasum -a 256; fi
  } | hash_of_input
}

# stamp_is NAME VALUE: whether the thing NAME was last made from VALUE. stamp NAME VALUE: remember that it was.
stamp_is() { [ -f "$STAMPS/$1" ] && [ "$(cat "$STAMPS/$1")" = "$2" ]; }
stamp() {
  mkdir -p "$STAMPS"
  printf '%s\n' "$2" >"$STAMPS/$1"
}

bytes_of() { wc -c <"$1" | tr -d ' '; }

# The bytes of all files below a folder, as a host would count them (not blocks on a disk).
bytes_below() { find "$1" -type f -exec cat {} + | wc -c | tr -d ' '; }

# Milliseconds since some moment. Not every date(1) counts them.
milliseconds() { node -p 'Date.now()'; }

# 1234567 -> "1.235 MB"; 45678 -> "45.7 kB".
readable_bytes() {
  awk -v n="$1" 'BEGIN { if (n >= 1e6) printf "%.3f MB", n / 1e6; else if (n >= 1e3) printf "%.1f kB", n / 1e3; else printf "%d B", n }'
}

task_clean() {
  say "removing target/, pkg/dist and the tests' node_modules"
  rm -rf "$ROOT/target" "$ROOT/pkg/dist" "$ROOT/tests/browser/node_modules"
  if [ "$TARGET" != "$ROOT/target" ]; then
    say "CARGO_TARGET_DIR ($TARGET) is left as it is"
  fi
}
