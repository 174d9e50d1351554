# shellcheck shell=bash
# The task `fuzz`: mutated bytes for every decoder of what strangers write (fuzz/README.md).

# task_fuzz [TARGET] [SECONDS]: one target (or all whose names begin so), or all; for so long each. The targets
# `node` and `page` read changed bundles and replies where readers do.
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
  build_release pocketgraph-fuzz
  case $target in
    node) fuzz_in_node "$seconds" ;;
    page) fuzz_in_page "$seconds" ;;
    *) "$TARGET/release/pocketgraph-fuzz" ${target:+"$target"} --seconds "$seconds" ;;
  esac
  [ -n "$target" ] || { fuzz_in_node "$seconds" && fuzz_in_page "$seconds"; }
}

# fuzz_in_node SECONDS: changed bundles through the package under Node, some two in a second.
fuzz_in_node() {
  need_node
  local folder
  folder=$(mktemp -d)
  "$TARGET/release/pocketgraph-fuzz" --write-bundles "$folder" --inputs $((2 * $1)) --seed "${FUZZ_SEED:-1}"
  node fuzz/bundles.mjs pkg/dist "$folder" && rm -r "$folder"
}

# fuzz_in_page SECONDS: replies of a language model, as the page draws them.
fuzz_in_page() {
  need_playwright
  need_chromium
  [ -d "$DEMO" ] || task_demo --no-serve
  node tests/browser/markdown-bench.mjs "$DEMO" "$1"
}

# For `test`: every target over its kept inputs and for half a second more. `bench` draws replies in the page.
fuzz_shortly() {
  build_release pocketgraph-fuzz
  "$TARGET/release/pocketgraph-fuzz" --seconds 0.5
  fuzz_in_node 20
}
