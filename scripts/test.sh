# shellcheck shell=bash
# The task `test`: every check, in an order that fails early; or one kind of test, for the loop of editing and testing.

STEP=''
STEPS_PASSED=0
STEP_TIMES=''
# Steps that run beside the others: names, processes, and when they were started.
BESIDE=()
BESIDE_PIDS=()
BESIDE_STARTED=()

# task_test [KIND [FILTER...]]
task_test() {
  local kind=${1:-}
  [ $# -eq 0 ] || shift
  case $kind in
    '') test_everything ;;
    unit) test_units "$@" ;;
    wasm) no_arguments 'test wasm' "$@" && build_wasm && lint_wasm ;;
    node) with_development_program && test_under_node "$@" ;;
    browser) with_development_program && test_in_browser "$@" ;;
    browsers) with_development_program && test_in_three_browsers "$@" ;;
    packaging) with_development_program && test_packaging "$@" ;;
    generators) task_test_generators "$@" ;;
    hosting) with_development_program && test_hosting "$@" ;;
    models) with_development_program && test_models "$@" ;;
    scale) no_arguments 'test scale' "$@" && test_scale ;;
    packages) no_arguments 'test packages' "$@" && build_companion && test_packages ;;
    arm) no_arguments 'test arm' "$@" && test_kernels_on_arm ;;
    *) misused "'test' knows no '$kind': unit, wasm, node, browser, browsers, packaging, generators, hosting, models, packages, scale, arm" ;;
  esac
}

# test_units [CRATE] [FILTER]: Rust tests in the development profile. CRATE is a folder of crates/, companion/
# or lab/; only it and what it needs are compiled.
test_units() {
  local which=(--workspace) carries_package=yes
  if [ $# -gt 0 ] && [ -f "crates/$1/Cargo.toml" ]; then
    which=(-p "pocketgraph-$1")
    carries_package=no
    shift
  elif [ $# -gt 0 ] && { [ "$1" = lab ] || [ -f "companion/$1/Cargo.toml" ] || [ -f "lab/$1/Cargo.toml" ]; }; then
    which=(-p "pocketgraph-$1")
    shift
  fi
  [ $# -le 1 ] || misused "'test unit' takes a crate and a part of a test's name, and no '$2'"
  if [ "$carries_package" = yes ] && [ ! -d pkg/dist ]; then build_wasm; fi
  cargo test --locked "${which[@]}" ${1:+"$1"}
}

# The demo, built by a program of the development profile: compiled in a third of the time, and fast enough for tests.
with_development_program() {
  build_wasm
  cargo build --locked -p pocketgraph-cli --bin pocketgraph
  PROGRAM=$TARGET/debug/pocketgraph
  build_demo
}

test_everything() {
  local started=$SECONDS
  trap report_failed_step EXIT
  step 'format' check_format
  step 'dependencies' check_dependencies
  step 'figures of the handbook' node scripts/benchmarks.mjs --check
  step 'fitted constants' python3 tuning/check.py
  # First of the builds, because the program carries the package inside. Linking WebAssembly keeps one core
  # busy; the others look at the crates meanwhile.
  need_cargo_component clippy clippy
  mkdir -p "$TARGET"
  fetch_ahead >"$TARGET/fetch-ahead.log" 2>&1 &
  local fetched=$!
  lint_crates >"$TARGET/lint-ahead.log" 2>&1 &
  local ahead=$!
  step 'package (wasm)' build_wasm
  wait "$ahead" || say "the lints of the crates found something: see below"
  step 'lints, native' lint_native
  step 'lints, wasm' lint_wasm
  step 'everything compiled' compile_all
  wait "$fetched" || say "not everything could be fetched ahead ($TARGET/fetch-ahead.log): the steps try again"
  step 'demo site' task_demo --no-serve
  # On one core each, beside what keeps little more than the other.
  beside 'mutated inputs for every decoder' fuzz_shortly
  step 'unit, property and behaviour tests' cargo test --locked --release --workspace \
    --exclude pocketgraph-python --no-fail-fast
  finish_beside
  beside 'package under Node' test_under_node
  step 'kernels on ARM' test_kernels_on_arm
  step 'hosting, in nginx' test_hosting
  finish_beside
  step 'protocols with a small language model' test_models_shortly
  step 'packages installed by npm and pip' test_packages
  step 'chunks prepared by Ray' test_scale_shortly
  step 'package in projects of others' test_packaging 'plain,vite 7,webpack 5'
  # Goldens of all ten generators are among the tests.
  step 'sites as three generators publish them' task_test_generators --where-reachable hugo mdbook sphinx
  # A browser works and waits by turns, so that two suites beside each other take little more than half of their
  # time. A third beside them makes WebKitGTK slower than its tests wait.
  need_playwright
  need_chromium
  want_browsers
  beside 'page in Chromium' test_in_browser
  step 'page in three browsers' test_in_three_browsers
  finish_beside
  step 'sizes' task_size
  STEP=''
  printf '\n%s' "$STEP_TIMES"
  say "all $STEPS_PASSED steps passed in $((SECONDS - started)) s"
}

# What later steps take from the registries, while compilers keep the cores. Each step still looks for itself,
# and says what it cannot have. Debian's packages are installed by nobody else meanwhile.
fetch_ahead() {
  local failed=0
  find_chromium || apt_install chromium || failed=1
  want_browsers
  have nginx || [ -x /usr/sbin/nginx ] || apt_install nginx-light || failed=1
  find_arm_emulator || failed=1
  (need_playwright) || failed=1
  need_recipes ray || failed=1
  if reachable; then (need_generators_python) || failed=1; fi
  return "$failed"
}

# step NAME COMMAND...: a heading, the command, and how long it took. Called plainly, so that `set -e` holds inside.
step() {
  local step_started=$SECONDS
  STEP=$1
  shift
  printf '\n######## %s\n' "$STEP"
  "$@"
  STEPS_PASSED=$((STEPS_PASSED + 1))
  STEP_TIMES+="$(printf '%5d s  %s' $((SECONDS - step_started)) "$STEP")"$'\n'
}

# beside NAME COMMAND...: starts a step that runs beside those that follow. What it says is kept until `finish_beside`.
beside() {
  BESIDE+=("$1")
  BESIDE_STARTED+=("$SECONDS")
  local log=$TARGET/beside-${#BESIDE[@]}.log
  shift
  # A process group of its own, so that all of it ends where another step fails.
  set -m
  (
    trap - EXIT
    set -e
    "$@"
  ) >"$log" 2>&1 </dev/null &
  set +m
  BESIDE_PIDS+=("$!")
}

# Waits for the steps that `beside` started, and prints what they said. The first that failed is the one that
# fails here.
finish_beside() {
  local i
  for i in "${!BESIDE[@]}"; do
    STEP=${BESIDE[$i]}
    printf '\n######## %s\n' "$STEP"
    local status=0
    wait "${BESIDE_PIDS[$i]}" || status=$?
    BESIDE_PIDS[i]=''
    cat "$TARGET/beside-$((i + 1)).log"
    [ "$status" -eq 0 ] || exit "$status"
    STEPS_PASSED=$((STEPS_PASSED + 1))
    STEP_TIMES+="$(printf '%5d s  %s, beside others' $((SECONDS - BESIDE_STARTED[i])) "$STEP")"$'\n'
  done
  BESIDE=() BESIDE_PIDS=() BESIDE_STARTED=()
}

report_failed_step() {
  local status=$? pid
  for pid in ${BESIDE_PIDS[@]+"${BESIDE_PIDS[@]}"}; do
    [ -z "$pid" ] || kill -- "-$pid" 2>/dev/null || true
  done
  if [ -n "$STEP" ]; then
    [ "$status" -ne 0 ] || status=1
    printf '\n######## FAILED: %s (after %d steps that passed)\n' "$STEP" "$STEPS_PASSED" >&2
    exit "$status"
  fi
}

# Together, because cargo compiles a crate once for each set of features: for one package after the other it
# would compile much of it four times.
compile_all() {
  # Python's half is compiled by what makes the wheel.
  cargo build --locked --release --workspace --exclude pocketgraph-python --lib --bins --tests
  ALL_COMPILED=yes
}

# Advisories, sources and licences of the locked crates. The tests in tests/licences.rs look at the licences,
# too, wherever they run.
check_dependencies() {
  have cargo-deny || {
    say "left out: cargo-deny is not installed (cargo install --locked cargo-deny)"
    return
  }
  cargo deny --locked check bans licenses sources
  cargo deny --locked fetch db >/dev/null 2>&1 || {
    say "left out: the database of advisories cannot be reached"
    return
  }
  cargo deny --locked check --disable-fetch advisories
}

check_format() {
  need_cargo_component fmt rustfmt
  cargo fmt --all --check
  cargo fmt --manifest-path gpu/Cargo.toml --check
}

lint_native() {
  need_cargo_component clippy clippy
  cargo clippy --locked --release --workspace --all-targets -- -D warnings
}

# What does not carry the package inside. Its results are kept, so that the step that lints everything has less
# to do and tells what is wrong.
lint_crates() {
  cargo clippy --locked --release --workspace --exclude pocketgraph-build --exclude pocketgraph-eval \
    --exclude pocketgraph-train --exclude pocketgraph-lab --exclude pocketgraph-cli \
    --exclude pocketgraph-fuzz --all-targets -- -D warnings
}

lint_wasm() {
  need_wasm_target
  wasm_cargo clippy --profile wasm -p pocketgraph --lib -- -D warnings
  wasm_cargo clippy --profile wasm -p pocketgraph --lib --no-default-features -- -D warnings
  WASM_RUSTFLAGS=$RELAXED_RUSTFLAGS wasm_cargo clippy --profile wasm -p pocketgraph-relaxed --lib -- -D warnings
}

# The kernels have code of their own for 64-bit ARM, which many laptops have. On another machine their tests are
# run in an emulator, and where there is none to be had that is said.
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
  cargo clippy --locked --release --target "$target" -p pocketgraph-kernels --all-targets -- -D warnings
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=$ARM_EMULATOR CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld \
    cargo test --locked --release --target "$target" -p pocketgraph-kernels
}

test_under_node() {
  need_node
  POCKETGRAPH_SITE=$DEMO POCKETGRAPH_PROGRAM=$PROGRAM node_tests tests/node "$@"
  [ $# -gt 0 ] || POCKETGRAPH_SITE=$DEMO node_tests tests/dialogues
}

# What the handbook says of hosting. Without an nginx its part is skipped, and says so.
test_hosting() {
  have nginx || [ -x /usr/sbin/nginx ] || apt_install nginx-light ||
    say "there is no nginx here: its settings are not tested"
  POCKETGRAPH_SITE=$DEMO POCKETGRAPH_PROGRAM=$PROGRAM node_tests tests/hosting "$@"
}

test_in_browser() {
  need_playwright
  need_chromium
  # Two files at a time: each waits more than it works.
  TESTS_AT_ONCE=2 POCKETGRAPH_SITE=$DEMO POCKETGRAPH_PROGRAM=$PROGRAM browser_tests tests/browser "$@"
}

test_in_three_browsers() {
  need_playwright
  need_chromium
  want_browsers
  POCKETGRAPH_SITE=$DEMO POCKETGRAPH_PROGRAM=$PROGRAM browser_tests tests/browsers "$@"
}

# test_packaging [HOSTS]: the packed package in projects of these hosts, or of all.
test_packaging() {
  need_playwright
  need_chromium
  POCKETGRAPH_SITE=$DEMO POCKETGRAPH_HOSTS=${1:-} node --test --test-concurrency=1 tests/packaging/packaging.test.mjs
}

# node_tests FOLDER [FILTER]: its *.test.mjs, one file at a time, or $TESTS_AT_ONCE. FILTER is a file's name
# without the ending, or a part of a test's name. No file at all is a failure: otherwise a folder that was moved
# would pass.
node_tests() {
  local files=() options=() file
  if [ $# -gt 1 ] && [ -f "$1/$2.test.mjs" ]; then
    files=("$1/$2.test.mjs")
  else
    for file in "$1"/*.test.mjs; do
      [ -f "$file" ] && files+=("$file")
    done
    [ $# -le 1 ] || options=(--test-name-pattern "$2")
  fi
  [ ${#files[@]} -gt 0 ] || die "there are no tests in $1"
  node --test --test-concurrency="${TESTS_AT_ONCE:-1}" ${reporters[@]+"${reporters[@]}"} \
    ${options[@]+"${options[@]}"} "${files[@]}"
}

# browser_tests FOLDER [FILTER]: node_tests; a file with a failure is run once more, alone. A browser is late now
# and then on a busy machine; what fails twice is broken. Says which files passed only then.
browser_tests() {
  local failed=$WORK/failed-files file
  mkdir -p "$WORK"
  local reporters=(--test-reporter=tap --test-reporter-destination=stdout)
  reporters+=(--test-reporter=./tests/failed-files.mjs --test-reporter-destination="$failed")
  node_tests "$@" && return
  [ -s "$failed" ] || return 1
  while read -r file; do
    say "once more, alone: $file"
    node --test "$file" || return 1
  done <"$failed"
  say "passed only at the second try: $(tr '\n' ' ' <"$failed")"
}
