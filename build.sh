#!/usr/bin/env bash
# Runs the tasks of the repository on a fresh machine, with what they need. `./build.sh --help` lists the tasks.
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
             build everything, make a bundle of docs/ or of your folder DIR, put the page into target/demo and serve it until
             Ctrl-C, on port 8080 or the next free one. target/demo is a plain folder that works on any static host.
  test       everything that a change must pass: format, lints, unit and property tests, the package under Node, the page in
             Chromium, a short suite in three browsers, three generators' sites, and the sizes. Stops at the first failure.
  test KIND [FILTER]
             one kind of test, in the development profile:
               unit [CRATE] [FILTER]   Rust tests of all crates, or of one folder of crates/, companion/ or lab/
               wasm                    the engine as WebAssembly, and its lints
               node [FILTER]           the package under Node
               browser [FILTER]        the page in Chromium
               browsers [FILTER]       the short suite in Chromium, Firefox and WebKitGTK
               packaging [HOSTS]       the packed package in projects of Vite 5 to 8, webpack, esbuild, Astro and plain HTML
               generators [--update] [--where-reachable] [NAME...]
                                       the sites of tests/generators, built by their generators, against bundles of their
                                       sources; --update rewrites the lists of ids that other tests read
               hosting                 the handbook's settings in a real nginx
               models [PROTOCOLS]      protocols, separated by commas, with a small language model on this machine
               packages, arm           what npm and pip install; the kernels on emulated ARM
               scale                   chunks prepared by Ray, Spark and DuckDB, against the program's own bundle
             FILTER is a part of a test's name, or for node and browser a file without its ending.
  wasm       the package for browsers, pkg/dist (WebAssembly and JavaScript)
  companion  the program, target/release/pocketgraph, which carries pkg/dist
  package    npm's packages and Python's wheel for this platform, in target/package
  bench      benchmarks, and what a browser transfers and how long it waits before the first hits
  bench all [NAME...]
             measure the tables of results/ that are older than the code again, as far as their commands print JSON; takes hours.
             What was measured before an interruption is kept, and not measured again
  bench rows first-hits|slow-line|warm
             the rows of one of these tables, as JSON
  size [--what]
             the sizes of everything that is shipped; fails if one is above its limit in tests/ratchets.txt or tests/budget/budgets.txt.
             --what lists the bytes of each crate and the largest functions of both modules instead
  fuzz [TARGET] [SECONDS]
             feed decoders with mutated bytes, 60 seconds each (or SECONDS): all, or those whose names begin with TARGET.
             Fails if one panics, hangs or takes much memory, and keeps its input in fuzz/findings.
  clean      remove what the tasks made: target/, pkg/dist, the tests' node_modules

You need Rust and Node. The script installs the rest: cargo's wasm target, tools under target/tools, playwright-core, and with
apt-get Chromium; for `test` also Firefox, WebKitGTK's driver and an emulator of ARM, which are left out if they are missing.
A second run does only what changed.

Environment:
  CARGO_TARGET_DIR   folder where cargo builds, instead of target/
  CHROMIUM_PATH      browser to test with
  POCKETGRAPH_DATA   a folder of public data sets, for the tests and figures that need one
  WASM_OPT_LEVEL     wasm-opt's level: -Oz (the default) for size, -O3 for speed
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
    bench) task_bench "$@" ;;
    fuzz) task_fuzz "$@" ;;
    size) task_size "$@" ;;
    clean) no_arguments clean "$@" && task_clean ;;
    -h | --help | help) usage ;;
    '') usage >&2; exit 2 ;;
    *) misused "there is no task '$task'" ;;
  esac
}

main "$@"
