# shellcheck shell=bash
# From the engine's source and the package's to what is built of them, pkg/dist.

WASM_TARGET=wasm32-unknown-unknown
# The table of functions grows by the two that pkg/relaxed.js gives.
WASM_RUSTFLAGS='-C target-feature=+simd128 -C link-arg=--growable-table'
# The loop in relaxed SIMD works in the engine's memory, and must do without a stack of its own there.
RELAXED_RUSTFLAGS='-C target-feature=+simd128,+relaxed-simd -C link-arg=--import-memory -C link-arg=-zstack-size=0'
# The loops that count are optimised by rustc; -Oz makes the download two kilobytes smaller.
WASM_OPT_LEVEL=${WASM_OPT_LEVEL:--Oz}
# Functions that are called once stay functions: put into their caller they become bodies of dozens of
# kilobytes, full of local variables, which gzip makes 14 kB more of. The kernels, where calls would cost time,
# have been inlined by rustc.
WASM_OPT_INLINING=(--one-caller-inline-max-function-size=0)
# The first kilobyte of memory is the deep end of the stack, which rustc puts first: no address of data lies
# there, and so offsets may be folded. With that and with passes until nothing changes the module that searches
# is 800 bytes smaller.
WASM_OPT_MORE=(--converge --low-memory-unused)
# What rustc and wasm-bindgen use, one by one: with --all-features the result needs proposals that Node 20 and
# many browsers lack.
WASM_OPT_FEATURES=(
  --enable-simd
  --enable-bulk-memory
  --enable-bulk-memory-opt
  --enable-nontrapping-float-to-int
  --enable-sign-ext
  --enable-mutable-globals
  --enable-reference-types
  --enable-multivalue
  --enable-call-indirect-overlong
)

# Cargo for the wasm target, with the one set of flags, so that lints, tests and builds share their work.
# The target goes right after the subcommand: what follows a `--` is not cargo's to read.
wasm_cargo() {
  local subcommand=$1 flags=${WASM_RUSTFLAGS// /$'\x1f'} folder
  shift
  # A module keeps the place of every line that may panic, without the folder on the machine that compiled it.
  for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
    flags+=$'\x1f'--remap-path-prefix=$folder=
  done
  CARGO_ENCODED_RUSTFLAGS=$flags cargo "$subcommand" --locked --target "$WASM_TARGET" "$@"
}

# What was compiled, with its bindings, for the package to be put together from.
# Not in target/wasm, where cargo puts what it compiles for the host in the profile of that name.
MODULES=$WORK/modules

# build_wasm: pkg/dist, from the compiled modules and the package's JavaScript. Made aside and moved into place,
# so that an interrupted build leaves no half of a package.
build_wasm() {
  build_modules
  local wanted aside=$WORK/pkg.new
  wanted=$(
    {
      hash_of_files "$MODULES" pkg/*.js pkg/package.json pkg/THIRD-PARTY.txt LICENSE LICENSE-APACHE \
        LICENSE-MIT models/NOTICE scripts/wasm.sh scripts/join-modules.mjs scripts/package-files.mjs
      echo "$TERSER_VERSION $ESBUILD_VERSION"
    } | hash_of_input
  )
  if [ -f pkg/dist/package-files.json ] && stamp_is pkg "$wanted"; then
    say "pkg/dist is up to date"
    return
  fi
  say "putting the package together"
  rm -rf "$aside"
  cp -R "$MODULES" "$aside"
  node scripts/join-modules.mjs "$ESBUILD" pkg "$aside"
  minify "$aside"/*.js
  # What the package is under, and what the tokeniser's vocabulary in it is.
  cp pkg/THIRD-PARTY.txt LICENSE LICENSE-APACHE LICENSE-MIT models/NOTICE "$aside"
  node scripts/package-files.mjs "$aside"
  rm -rf pkg/dist
  mv "$aside" pkg/dist
  stamp pkg "$wanted"
  say "pkg/dist is ready"
}

# build_modules: the engine twice, a module that searches and quotes, which a reader's first hits wait for, and
# the full one, which pages load when language models, protocols or plans are wanted; and a module of some
# kilobytes with the loop in relaxed SIMD (crates/relaxed/).
build_modules() {
  need_wasm_target
  need_bindings
  need_npm_tools
  # By what goes in, not by what comes out: cargo keeps one module of that name and would compile the other anew
  # each time.
  local wanted
  wanted=$(
    {
      hash_of_files Cargo.toml Cargo.lock src crates scripts/wasm.sh scripts/order-functions.mjs \
        scripts/wasm-module.mjs scripts/check-relaxed.mjs scripts/types-only.mjs scripts/bindings
      rustc --version --verbose
      echo "$BINARYEN_VERSION $WASM_OPT_LEVEL"
    } | hash_of_input
  )
  if [ -d "$MODULES" ] && stamp_is wasm "$wanted"; then return; fi

  local aside=$WORK/modules.new bound
  rm -rf "$aside"
  mkdir -p "$aside"
  say "compiling the engine to WebAssembly, to search"
  compile_wasm pocketgraph_wasm --no-default-features
  # Beside the compiler, which links the full module on one core.
  bind_wasm pocketgraph_wasm "$aside" &
  bound=$!
  say "compiling the engine to WebAssembly, in full"
  compile_wasm pocketgraph_full
  say "compiling the loop in relaxed SIMD"
  WASM_RUSTFLAGS=$RELAXED_RUSTFLAGS wasm_cargo build -p pocketgraph-relaxed --lib --profile wasm
  cp "$TARGET/$WASM_TARGET/wasm/pocketgraph_relaxed.wasm" "$WORK/"

  bind_wasm pocketgraph_full "$aside"
  wait "$bound"
  # Callers see the types of what the engine returns; the class around it is the package's own.
  node scripts/types-only.mjs "$aside/pocketgraph_full.d.ts" "$WORK/engine-types.d.ts"
  rm "$aside"/*.d.ts
  mv "$WORK/engine-types.d.ts" "$aside/"
  "$WASM_OPT" -O3 --enable-relaxed-simd "${WASM_OPT_FEATURES[@]}" "$WORK/pocketgraph_relaxed.wasm" \
    -o "$aside/pocketgraph_relaxed.wasm"
  node scripts/check-relaxed.mjs "$aside/pocketgraph_relaxed.wasm"
  rm -rf "$MODULES"
  mv "$aside" "$MODULES"
  stamp wasm "$wanted"
}

# compile_wasm NAME [OPTION...]: the compiled module, set aside as $WORK/NAME.wasm, because cargo gives all the
# same name.
compile_wasm() {
  local name=$1
  shift
  mkdir -p "$WORK"
  wasm_cargo build -p pocketgraph --lib --profile wasm "$@"
  cp "$TARGET/$WASM_TARGET/wasm/pocketgraph.wasm" "$WORK/$name.wasm"
}

# bind_wasm NAME FOLDER: the module with its bindings, optimised.
bind_wasm() {
  say "writing the bindings of $1"
  "$BINDINGS" "$WORK/$1.wasm" "$2"
  optimise_wasm "$2/$1_bg.wasm"
}

# optimise_wasm FILE
optimise_wasm() {
  say "optimising $(basename "$1") ($WASM_OPT_LEVEL)"
  "$WASM_OPT" "$WASM_OPT_LEVEL" "${WASM_OPT_INLINING[@]}" "${WASM_OPT_MORE[@]}" "${WASM_OPT_FEATURES[@]}" \
    "$1" -o "$1.opt"
  node scripts/order-functions.mjs "$1.opt" "$1.ordered"
  # What wasm-opt writes without a level is 2 kB larger, however well it was optimised before. The passes keep
  # the order. No browser reads the sections that name the compilers and the features.
  "$WASM_OPT" "${WASM_OPT_FEATURES[@]}" --reorder-functions-by-name "$WASM_OPT_LEVEL" \
    "${WASM_OPT_INLINING[@]}" "${WASM_OPT_MORE[@]}" \
    --strip-producers --strip-target-features "$1.ordered" -o "$1"
  rm "$1.opt" "$1.ordered"
}

# minify FILE...: comments and long names of locals go; what a module exports, and every property, keeps its
# name. A page waits for half of the bytes, and the sources are in pkg/ for whoever wants to read them.
minify() {
  say "minifying the package's JavaScript"
  local file module
  for file in "$@"; do
    # The service worker is a classic script.
    module=--module
    [ "$(basename "$file")" = offline-worker.js ] && module=
    # shellcheck disable=SC2086
    # What tells bundlers to leave an import alone is a comment.
    "$TERSER" "$file" $module --ecma 2022 --compress passes=2 --mangle \
      --comments '/webpackIgnore|turbopackIgnore|@vite-ignore/' --output "$file"
  done
}

build_companion() {
  build_wasm
  say "building the program"
  build_release pocketgraph-cli
  say "the program is $PROGRAM"
}
