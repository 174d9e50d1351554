#!/usr/bin/env bash
# The one door for a fresh machine: sets up what a task needs, does it, and says so. `./build.sh --help` lists the tasks.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$ROOT"

# shellcheck source=scripts/common.sh
. scripts/common.sh
# shellcheck source=scripts/tools.sh
. scripts/tools.sh
# shellcheck source=scripts/wasm.sh
. scripts/wasm.sh
# shellcheck source=scripts/site.sh
. scripts/site.sh
# shellcheck source=scripts/package.sh
. scripts/package.sh
# shellcheck source=scripts/test.sh
. scripts/test.sh
# shellcheck source=scripts/models.sh
. scripts/models.sh
# shellcheck source=scripts/generators.sh
. scripts/generators.sh
# shellcheck source=scripts/size.sh
. scripts/size.sh
# shellcheck source=scripts/fuzz.sh
. scripts/fuzz.sh

usage() {
  cat <<'END'
Usage: ./build.sh TASK

  demo [--docs DIR] [--port N] [--no-serve]
             builds everything, turns docs/ (or your own folder DIR: Markdown, HTML, text) into a bundle, lays the page out
             in target/demo and serves it on this machine until Ctrl-C. The port is 8080, or the next free one.
             target/demo is a plain folder: copy it to any static host and it works there as well.
  test       everything that a change must pass: format, lints, unit and property tests, the package under Node, the page in
             a real Chromium, a short suite in Chromium, Firefox and WebKitGTK, three generators' sites, and the sizes. Stops at the first failure and names it.
  test KIND [FILTER]
             one kind of test, in the development profile, for while you edit:
               unit [CRATE] [FILTER]   Rust tests: of all, or of one folder of crates/, companion/ or lab/; FILTER is a part of a test's name
               wasm                    the engine compiled to WebAssembly, and its lints
               node [FILTER]           the package under Node: FILTER is a file of tests/node without its ending, or a part of a test's name
               browser [FILTER]        the page in Chromium, likewise
               browsers [FILTER]       the short suite in Chromium, Firefox and WebKitGTK, and races of late files
               packaging [HOSTS]       the packed package in projects of Vite 5 to 8, webpack, esbuild, Astro and plain HTML, each asked a question
               generators [--update] [--where-reachable] [NAME...]
                                       the sites of tests/generators, built by the generators themselves (from npm's and Python's registries),
                                       against bundles of their sources; --update writes the lists of ids that other tests read
               hosting                 the handbook's settings in a real nginx
               models [PROTOCOLS]      every protocol, or these with commas between them, with a real, small language model on this machine (its server and
                                       it are packages of Python's registry)
               packages, arm           what npm and pip install; the kernels on emulated ARM
               scale                   chunks prepared by Ray, Spark and DuckDB against the program's own bundle
  wasm       the engine for browsers: the built package pkg/dist (WebAssembly, JavaScript).
  companion  the program: target/release/pocketgraph. It carries pkg/dist inside, so it makes that first.
  package    what people install, for this platform, in target/package: npm's packages and Python's wheel.
  bench      the sizes of the package, benchmarks, then what a browser transfers and how long it waits before the first hits.
  size       the sizes of everything that is shipped; fails where a budget of tests/budget/budgets.txt is broken.
  fuzz [TARGET] [SECONDS]
             feeds the decoders of bundles, documents, replies and plans with mutated bytes, 60 seconds each (or SECONDS); one of them, or
             all whose names begin with TARGET. Fails where one panics, hangs or takes much memory, and keeps what did it in fuzz/findings.
  clean      removes what the tasks made: target/, pkg/dist, the tests' node_modules.

What is needed and found missing is installed: cargo's wasm target, wasm-opt, terser and esbuild (under target/tools), playwright-core, and Debian's
Chromium where apt-get may be used; for `test` also
Firefox, WebKitGTK's driver and an emulator of ARM, which are left out where they cannot be had. Rust and Node must be there. A second run does only what changed.

Environment:
  CARGO_TARGET_DIR   where cargo builds, instead of target/
  CHROMIUM_PATH      the browser to test with
  WASM_OPT_LEVEL     wasm-opt's level: -O3 (the default) for speed, -Oz for size
END
}

main() {
  local task=${1:-}
  [ $# -eq 0 ] || shift
  case " $* " in *' -h '* | *' --help '*) usage; return ;; esac
  case $task in
    demo) task_demo "$@" ;;
    wasm) no_arguments wasm "$@" && build_wasm ;;
    companion) no_arguments companion "$@" && build_companion ;;
    test) task_test "$@" ;;
    package) no_arguments package "$@" && task_package ;;
    bench) no_arguments bench "$@" && task_bench ;;
    fuzz) task_fuzz "$@" ;;
    size) no_arguments size "$@" && task_size ;;
    clean) no_arguments clean "$@" && task_clean ;;
    -h | --help | help) usage ;;
    '') usage >&2; exit 2 ;;
    *) misused "there is no task '$task'" ;;
  esac
}

main "$@"
