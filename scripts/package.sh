# shellcheck shell=bash
# The task `package`: what people install, made for this platform: npm's packages, Python's wheel.

PACKAGES=$WORK/package

task_package() {
  build_companion
  build_packages
}

# build_packages: target/package from the program and pkg/.
build_packages() {
  need_node
  have python3 || die "python3 is missing: it makes the wheel"
  say "npm's packages"
  node packaging/npm/pack.mjs --platform "$(npm_platform)" --program "$PROGRAM" --package pkg --out "$PACKAGES/npm"
  say "Python's wheel"
  rm -rf "$PACKAGES/python"
  python3 packaging/python/wheel.py --program "$PROGRAM" --out "$PACKAGES/python"
}

# This platform as npm's packages name it.
npm_platform() {
  node -p 'const p = process, musl = p.platform === "linux" && !p.report.getReport().header.glibcVersionRuntime; `${p.platform}-${p.arch}${musl ? "-musl" : ""}`'
}

# What was packed, installed into empty folders by npm and pip, and used as its readers would.
test_packages() {
  build_packages
  node --test tests/packages/install.test.mjs
}
