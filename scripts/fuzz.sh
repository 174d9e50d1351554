# shellcheck shell=bash
# The task `fuzz`: mutated bytes for every decoder of what strangers write (fuzz/README.md).

# task_fuzz [TARGET] [SECONDS]: one target (or all whose names begin so), or all; for so long each.
task_fuzz() {
  local target='' seconds=60
  case ${1:-} in
    '') ;;
    *[!0-9]*)
      target=$1
      shift
      ;;
  esac
  if [ $# -gt 0 ]; then
    case $1 in
      *[!0-9]*) misused "'fuzz' takes a target and a number of seconds, and no '$1'" ;;
    esac
    seconds=$1
    shift
  fi
  no_arguments fuzz "$@"
  [ -d pkg/dist ] || build_wasm
  cargo run --locked --release -q -p pocketgraph-fuzz -- ${target:+"$target"} --seconds "$seconds"
}

# For `test`: every target over its kept inputs and for half a second more.
fuzz_shortly() {
  build_release pocketgraph-fuzz
  "$TARGET/release/pocketgraph-fuzz" --seconds 0.5
}
