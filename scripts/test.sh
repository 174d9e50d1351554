# shellcheck shell=bash
# The task `test`: every check, in an order that fails early.

STEP=''
STEPS_PASSED=0

task_test() {
  local started=$SECONDS
  trap report_failed_step EXIT
  step 'format' check_format
  # First of the builds, because the program carries the package inside.
  step 'package (wasm)' build_wasm
  step 'lints, native' lint_native
  step 'lints, wasm' lint_wasm
  step 'unit, property and behaviour tests' cargo test --release --workspace
  step 'mutated inputs for every decoder' fuzz_shortly
  step 'kernels on ARM' test_kernels_on_arm
  step 'unit tests in wasm' test_in_wasm
  step 'demo site' task_demo --no-serve
  step 'package under Node' test_under_node
  step 'packages installed by npm and pip' test_packages
  step 'page in Chromium' test_in_browser
  STEP=''
  say "all $STEPS_PASSED steps passed in $((SECONDS - started)) s"
}

# step NAME COMMAND...: a heading, then the command. Called plainly, so that `set -e` holds inside.
step() {
  STEP=$1
  shift
  printf '\n######## %s\n' "$STEP"
  "$@"
  STEPS_PASSED=$((STEPS_PASSED + 1))
}

report_failed_step() {
  local status=$?
  if [ -n "$STEP" ]; then
    [ "$status" -ne 0 ] || status=1
    printf '\n######## FAILED: %s (after %d steps that passed)\n' "$STEP" "$STEPS_PASSED" >&2
    exit "$status"
  fi
}

check_format() {
  need_cargo_component fmt rustfmt
  cargo fmt --all --check
}

lint_native() {
  need_cargo_component clippy clippy
  cargo clippy --release --workspace --all-targets -- -D warnings
}

lint_wasm() {
  need_wasm_target
  wasm_cargo clippy --profile wasm -p pocketgraph --lib -- -D warnings
  wasm_cargo clippy --profile wasm -p pocketgraph --lib --no-default-features -- -D warnings
  WASM_RUSTFLAGS=$RELAXED_RUSTFLAGS wasm_cargo clippy --profile wasm -p pocketgraph-relaxed --lib -- -D warnings
}

# The kernels have code of their own for 64-bit ARM, which many laptops have. On another machine their tests are run in an emulator, and where there
# is none to be had that is said.
test_kernels_on_arm() {
  local target=aarch64-unknown-linux-musl
  case $(uname -m) in
    aarch64 | arm64)
      say "this machine is one: the tests above were theirs"
      return
      ;;
  esac
  if ! add_target "$target" || ! find_arm_emulator; then
    say "left out: Rust's target $target (rustup) and an emulator of 64-bit ARM (Debian: qemu-user-static) are not both to be had here"
    return
  fi
  cargo clippy --release --target "$target" -p pocketgraph-kernels --all-targets -- -D warnings
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=$ARM_EMULATOR CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld \
    cargo test --release --target "$target" -p pocketgraph-kernels
}

# Tests that run inside wasm, where there are some: the integration test `wasm` of the engine, under Node.
test_in_wasm() {
  if [ ! -e tests/wasm.rs ] && [ ! -d tests/wasm ]; then
    say "there is no tests/wasm: the package's own tests (below) are what runs the wasm"
    return
  fi
  need_wasm_bindgen
  local runner
  runner=$(dirname "$(command -v "$WASM_BINDGEN")")/wasm-bindgen-test-runner
  CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=$runner wasm_cargo test --release -p pocketgraph --test wasm
}

test_under_node() {
  need_node
  POCKETGRAPH_SITE=$DEMO POCKETGRAPH_PROGRAM=$PROGRAM node_tests tests/node
}

test_in_browser() {
  need_playwright
  need_chromium
  POCKETGRAPH_SITE=$DEMO POCKETGRAPH_PROGRAM=$PROGRAM node_tests tests/browser
}

# node_tests FOLDER: its *.test.mjs, one file at a time (a browser each is enough for two cores). None at all is a failure:
# otherwise a folder that was moved would pass.
node_tests() {
  local files=()
  local file
  for file in "$1"/*.test.mjs; do
    [ -f "$file" ] && files+=("$file")
  done
  [ ${#files[@]} -gt 0 ] || die "there are no tests in $1"
  node --test --test-concurrency=1 "${files[@]}"
}
