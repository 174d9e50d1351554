# shellcheck shell=bash
# The tools that the tasks need: each function makes sure of one, says so when it has to install it, and is
# quick when it is there.

BINARYEN_VERSION=132.0.0
TERSER_VERSION=5.51.2
ESBUILD_VERSION=0.28.2
MATURIN_VERSION=1.16.0

need_cargo() {
  have cargo || die "cargo is missing: install Rust through rustup (see rust-lang.org), then run this again"
}

# Formatting and linting come with rustup's default profile, but not with every distribution's cargo.
need_cargo_component() {
  need_cargo
  cargo "$1" --version >/dev/null 2>&1 && return
  have rustup || die "cargo $1 is missing: install your distribution's package for it"
  say "adding $2 through rustup"
  rustup component add "$2"
}

need_wasm_target() {
  add_target wasm32-unknown-unknown && return
  have rustup && die "rustup could not add the target wasm32-unknown-unknown; what it said stands above"
  die "Rust's standard library for wasm32-unknown-unknown is missing, and there is no rustup to add it; on Debian it is in the package libstd-rust-dev-wasm32"
}

# add_target NAME: Rust's standard library for it; fails where it is missing and rustup cannot add it.
add_target() {
  need_cargo
  [ -d "$(rustc --print sysroot)/lib/rustlib/$1" ] && return
  have rustup || return 1
  say "adding the target $1 through rustup"
  rustup target add "$1"
}

# Fails where there is no way to run programs for 64-bit ARM. Sets ARM_EMULATOR.
find_arm_emulator() {
  local name package
  for package in '' qemu-user-static qemu-user; do
    [ -z "$package" ] || apt_install "$package" || continue
    for name in qemu-aarch64-static qemu-aarch64; do
      if have "$name"; then
        ARM_EMULATOR=$(command -v "$name")
        return 0
      fi
    done
  done
  return 1
}

# The program that writes the modules' bindings: our own around wasm-bindgen's library. Sets BINDINGS.
need_bindings() {
  need_cargo
  build_release pocketgraph-bindings
  BINDINGS=$TARGET/release/pocketgraph-bindings
}

need_node() {
  local help='on Debian (13 or newer) and Ubuntu (25.04 or newer): apt-get install nodejs npm'
  have node || die "Node is missing; 20 or newer is needed: $help"
  local version
  version=$(node --version)
  local major=${version#v}
  [ "${major%%.*}" -ge 20 ] || die "Node $version is too old; 20 or newer is needed: $help"
  have npm || die "npm is missing: $help"
}

# wasm-opt from npm's binaryen, terser, which makes the package's JavaScript small, and esbuild, which joins it.
# Never ones that lie around: older wasm-opts break what wasm-bindgen writes, and the package's bytes should
# follow from the sources. Sets WASM_OPT, TERSER and ESBUILD.
need_npm_tools() {
  need_node
  local prefix=$TOOLS/npm
  local modules=$prefix/node_modules
  WASM_OPT=$modules/.bin/wasm-opt
  TERSER=$modules/.bin/terser
  ESBUILD=$modules/esbuild
  if [ -x "$WASM_OPT" ] && [ -x "$TERSER" ] && [ -d "$ESBUILD" ] &&
    grep -q "\"version\": \"$BINARYEN_VERSION\"" "$modules/binaryen/package.json" &&
    grep -q "\"version\": \"$TERSER_VERSION\"" "$modules/terser/package.json" &&
    grep -q "\"version\": \"$ESBUILD_VERSION\"" "$modules/esbuild/package.json"; then
    return
  fi
  say "installing wasm-opt (npm's binaryen $BINARYEN_VERSION), terser $TERSER_VERSION and esbuild $ESBUILD_VERSION under $prefix (once)"
  mkdir -p "$prefix"
  # Together: an install of one alone would remove the other.
  npm install --prefix "$prefix" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
    "binaryen@$BINARYEN_VERSION" "terser@$TERSER_VERSION" "esbuild@$ESBUILD_VERSION"
}

# Maturin, which makes Python's wheel, in an environment of its own. Sets MATURIN.
need_maturin() {
  have python3 || die "python3 is missing: maturin, which makes the wheel, comes through its pip"
  local environment=$TOOLS/maturin
  MATURIN=$environment/bin/maturin
  case $(uname -s) in MINGW* | MSYS* | CYGWIN*) MATURIN=$environment/Scripts/maturin.exe ;; esac
  [ -x "$MATURIN" ] && [ "$("$MATURIN" --version)" = "maturin $MATURIN_VERSION" ] && return
  say "installing maturin $MATURIN_VERSION under $environment (once)"
  python3 -m venv "$environment"
  "${MATURIN%/*}/python" -m pip install --quiet --disable-pip-version-check "maturin==$MATURIN_VERSION"
}

# playwright-core for the browser tests; it drives the Chromium found below and brings none.
need_playwright() {
  need_node
  local folder=$ROOT/tests/browser
  [ -f "$folder/package.json" ] || die "tests/browser/package.json is missing"
  local wanted
  if [ -f "$folder/package-lock.json" ]; then
    wanted=$(hash_of_files "$folder/package.json" "$folder/package-lock.json")
  else
    wanted=$(hash_of_files "$folder/package.json")
  fi
  if [ -d "$folder/node_modules/playwright-core" ] && stamp_is playwright "$wanted"; then
    return
  fi
  say "installing the browser tests' packages in tests/browser"
  if [ -f "$folder/package-lock.json" ]; then
    npm ci --prefix "$folder" --no-audit --no-fund --ignore-scripts --loglevel=error
  else
    npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts --no-package-lock --loglevel=error
  fi
  stamp playwright "$wanted"
}

# A Chromium to test in. Ubuntu's chromium-browser may be a stub that only says where the real one is: so each is asked.
# Sets and exports CHROMIUM_PATH.
need_chromium() {
  if [ -n "${CHROMIUM_PATH:-}" ]; then
    [ -x "$CHROMIUM_PATH" ] || die "CHROMIUM_PATH is $CHROMIUM_PATH, which is no program"
    export CHROMIUM_PATH
    return
  fi
  find_chromium && return
  apt_install chromium && find_chromium && return
  die "no Chromium was found: install one (Debian: apt-get install chromium), or set CHROMIUM_PATH to a Chromium or Chrome"
}

find_chromium() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if have "$name" && "$name" --version >/dev/null 2>&1; then
      CHROMIUM_PATH=$(command -v "$name")
      export CHROMIUM_PATH
      return 0
    fi
  done
  return 1
}

# Firefox and WebKitGTK, for the suite of the three browsers: where they are missing and apt-get may not be
# used, the suite says that it leaves them out.
want_browsers() {
  have firefox-esr || have firefox || apt_install firefox-esr || true
  have WebKitWebDriver || apt_install webkit2gtk-driver || true
  # WebKitGTK needs a screen, and so one that nobody sees.
  [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || have Xvfb || apt_install xvfb || true
}

# apt_install PACKAGE: fails where apt-get may not be used, or does not have it.
apt_install() {
  have apt-get && as_root true 2>/dev/null || return 1
  say "installing Debian's package $1"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo; then
    sudo -n "$@"
  else
    return 1
  fi
}
