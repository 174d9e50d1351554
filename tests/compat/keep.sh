#!/bin/bash
# Keeps a small bundle of this program's format in tests/compat/FORMAT, when a format is released: run it once,
# from the repository's root.
#
#   tests/compat/keep.sh target/debug/pocketgraph
#
# The weights that embed questions are left out, 19 MB of them: the test asks with vectors of its own.
set -euo pipefail
program=$1
format=$(sed -n 's/^pub const PACKED_FORMAT: u16 = \([0-9]*\);$/\1/p' crates/bundle/src/codec.rs)
kept=tests/compat/$format
rm -rf "$kept"
mkdir -p "$kept"
"$program" build tests/compat/documents -o "$kept/bundle" --no-runtime --no-cache --no-config --query-table none -q
(cd "$kept/bundle" && rm -rf words layers-* words-* planner-* vocabulary vocabulary-* LICENSE* NOTICE* files.txt written.txt)
POCKETGRAPH_KEEP_HITS=$format cargo test --locked -p pocketgraph-cli --test compat
