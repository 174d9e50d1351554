# shellcheck shell=bash
# The tasks `size` and `bench`: what is shipped and what it costs, held against tests/budget/budgets.txt and the
# modules' bytes in tests/ratchets.txt.

BUDGETS=${POCKETGRAPH_BUDGETS:-$ROOT/tests/budget/budgets.txt}
RATCHETS=$ROOT/tests/ratchets.txt
BROKEN=0

# task_size [--what]: the sizes, or what the modules' bytes are made of.
task_size() {
  if [ "${1:-}" = --what ]; then
    shift
    no_arguments 'size --what' "$@"
    build_wasm
    local module
    for module in pocketgraph_wasm pocketgraph_full; do
      printf '\n%s, before wasm-opt:\n' "$module"
      node scripts/module-sizes.mjs "$WORK/$module.wasm"
    done
    return
  fi
  no_arguments size "$@"
  build_companion
  build_demo
  if have_book; then build_book; fi

  printf '\n'
  heading
  package_rows
  row 'the program, with everything inside' "$(bytes_of "$PROGRAM")"
  row 'demo bundle' "$(bytes_below "$DEMO/bundle")"
  if have_book; then
    row 'Rust Book: pages' "$(bytes_below "$WORK/book.pages")"
    row 'Rust Book: bundle' "$(bytes_below "$BOOK/bundle")"
    figure_row 'Rust Book: from nothing to a bundle' "$(cat "$WORK/book.seconds")" s book_seconds
  fi

  printf '\nThe demo bundle:\n'
  "$PROGRAM" inspect "$DEMO/bundle"
  if have_book; then
    printf '\nThe bundle of the Rust Book:\n'
    "$PROGRAM" inspect "$BOOK/bundle"
  else
    printf '\nThe Rust Book (rust_book in POCKETGRAPH_DATA) is not on this machine; its figures are left out.\n'
  fi
  end_with_verdict
}

# The package, which both tasks tell.
package_rows() {
  local search=pkg/dist/pocketgraph_wasm_bg.wasm full=pkg/dist/pocketgraph_full_bg.wasm
  row 'wasm to search, raw' "$(bytes_of "$search")"
  row 'wasm to search, gzip -9' "$(each_gzipped "$search")" search_module
  row 'wasm to search, brotli -q 11' "$(brotli_bytes "$search")"
  row 'full wasm, raw' "$(bytes_of "$full")"
  row 'full wasm, gzip -9' "$(each_gzipped "$full")" full_module
  row 'full wasm, brotli -q 11' "$(brotli_bytes "$full")"
  row 'the loop in relaxed SIMD, raw' "$(bytes_of pkg/dist/pocketgraph_relaxed.wasm)"
  row 'the loop in relaxed SIMD, gzip -9' "$(each_gzipped pkg/dist/pocketgraph_relaxed.wasm)"
  row 'package JavaScript, raw' "$(cat pkg/dist/*.js | wc -c | tr -d ' ')"
  row 'package JavaScript, gzip -9' "$(each_gzipped pkg/dist/*.js)"
}

# task_bench [all [NAME...] | rows TABLE]
task_bench() {
  if [ "${1:-}" = all ]; then
    shift
    measure_again "$@"
    return
  fi
  if [ "${1:-}" = rows ]; then
    print_rows "${2:-}"
    return
  fi
  no_arguments bench "$@"
  need_playwright
  need_chromium
  build_companion
  build_demo
  printf '\n'
  heading
  package_rows
  printf '\n'
  say "benchmarks of the engine"
  cargo bench --locked -p pocketgraph
  local sites=(demo "$DEMO")
  if have_book; then
    build_book
    sites+=(book "$BOOK")
  else
    left_out "the Rust Book" rust_book
  fi
  if [ -f "$HUGO_PAGES" ]; then
    build_hugo
    sites+=(hugo "$HUGO")
  else
    left_out "Hugo's documentation" hugo_docs
  fi
  if [ -f "$CPP_PASSAGES" ]; then
    build_cpp
    sites+=(cpp "$CPP")
  else
    left_out "Microsoft's C++ documentation" cpp_docs
  fi
  if have_book; then ranking_row 'Rust Book' "$BOOK" tuning/sites/rust-book.jsonl; fi
  if [ -f "$HUGO_PAGES" ]; then ranking_row 'Hugo' "$HUGO" "${HUGO_PAGES%/*}/known_item.jsonl"; fi
  say "first hits in Chromium, cold; searches, warm"
  node tests/browser/bench.mjs --network --budgets "$BUDGETS" "${sites[@]}"
  say "relaxed SIMD in Chromium"
  node benches/relaxed_simd.mjs "$DEMO"
  if [ -d "$CODEX" ]; then
    say "plans of three steps in Chromium"
    build_codex
    node tests/browser/plan-bench.mjs "$DEMO" "$GRAPH" "$WORK/codex.tsv" 200
  else
    left_out "CoDEx, a graph of 206,205 triples," codex
  fi
  say "the first hits on a slow line"
  build_pagefind || say "Pagefind could not be had from the registry; its figures are left out"
  # shellcheck disable=SC2046
  node tests/browser/slow-bench.mjs "$DEMO" $([ ! -d "$PAGEFIND" ] || echo "$PAGEFIND")
  say "how long the page's thread is held up"
  node tests/browser/long-tasks.mjs "$DEMO"
  say "replies of a hostile model, as the page draws them"
  node tests/browser/markdown-bench.mjs "$DEMO" || BROKEN=$((BROKEN + 1))
  end_with_verdict
}

# measure_again [NAME...]: the tables of results/ that are older than the code, and the pages that show them.
measure_again() {
  need_node
  [ -d "$DATA" ] || die "there is no folder of data sets: name one in POCKETGRAPH_DATA"
  [ -d pkg/dist ] || build_wasm
  build_release pocketgraph-lab
  node scripts/bench-all.mjs "$TARGET/release/pocketgraph-lab" "$DATA" "$@"
  node scripts/benchmarks.mjs
}

# print_rows TABLE: the rows of a table of results/ that is measured in a browser, as JSON.
print_rows() {
  {
    need_playwright
    need_chromium
    build_companion
    build_demo
    have_book || die "the Rust Book (rust_book in POCKETGRAPH_DATA) is not on this machine"
    [ -f "$HUGO_PAGES" ] || die "Hugo's documentation (hugo_docs in POCKETGRAPH_DATA) is not on this machine"
    build_book
    build_hugo
    build_pagefind
  } >&2
  case $1 in
    slow-line) node tests/browser/slow-bench.mjs --runs 3 --rows "$DEMO" "$PAGEFIND" ;;
    *) node tests/browser/bench.mjs --rows "$1" demo "$DEMO" book "$BOOK" hugo "$HUGO" ;;
  esac
}

PAGEFIND=$WORK/pagefind

# build_pagefind: Pagefind's index of the demo's pages, beside which the component is measured.
build_pagefind() {
  rm -rf "$PAGEFIND"
  npm exec --yes --package=pagefind@1.6.0 -- pagefind --site "$DEMO" --glob 'documents/**/*.html' \
    --output-path "$PAGEFIND" --silent
}

# left_out NAME FOLDER
left_out() { say "$1 ($2 in POCKETGRAPH_DATA) is not on this machine; its figures are left out"; }

heading() { printf '| what | bytes | | budget |\n|---|---:|---:|---|\n'; }

# row TEXT BYTES [BUDGET]
row() {
  local told
  told=$(verdict "${3:-}" "$2")
  printf '| %s | %s | %s | %s |\n' "$1" "$2" "$(readable_bytes "$2")" "$told"
  note_broken "${3:-}" "$2"
}

# figure_row TEXT FIGURE UNIT BUDGET
figure_row() {
  local told
  told=$(verdict "$4" "$2")
  printf '| %s | | %s %s | %s |\n' "$1" "$2" "$3" "$told"
  note_broken "$4" "$2"
}

# ranking_row TEXT SITE QUESTIONS: how far `auto` stays behind the better of `hybrid` and `lexical`, in recall@5
# or nDCG@10.
ranking_row() {
  local asked=$WORK/asked.jsonl behind
  node scripts/behind.mjs questions <"$3" >"$asked"
  behind=$("$PROGRAM" eval site "$2/bundle" --questions "$asked" --retrievers auto,hybrid,lexical --json | node scripts/behind.mjs)
  figure_row "$1: auto behind the better of hybrid and lexical" "$behind" '' auto_behind
}

# The sum of each file's own gzipped size: they travel one by one.
each_gzipped() {
  local file total=0
  for file in "$@"; do
    total=$((total + $(gzip -9 -c "$file" | wc -c)))
  done
  printf '%s' "$total"
}

# Node brings brotli along, which few machines have as a program.
brotli_bytes() {
  node -p 'require("node:zlib").brotliCompressSync(require("node:fs").readFileSync(process.argv[1])).length' "$1"
}

# budget NAME FIELD: field 2 is the limit, 3 the unit, 4 `tell` where more is told only.
budget() {
  local value
  value=$(awk -v name="$1" -v field="$2" '$1 == name { print $field; exit }' "$BUDGETS" "$RATCHETS")
  [ -n "$value" ] || die "neither $BUDGETS nor $RATCHETS has a limit '$1'"
  printf '%s' "$value"
}

exceeds() { awk -v value="$1" -v limit="$2" 'BEGIN { exit !(value + 0 > limit + 0) }'; }

verdict() {
  [ -n "$1" ] || return 0
  local limit unit
  limit=$(budget "$1" 2) || return 1
  unit=$(budget "$1" 3) || return 1
  if exceeds "$2" "$limit"; then
    printf '**over** %s %s' "$limit" "$unit"
  else
    printf 'within %s %s' "$limit" "$unit"
  fi
}

note_broken() {
  [ -n "$1" ] || return 0
  if exceeds "$2" "$(budget "$1" 2)" && [ "$(budget "$1" 4)" != tell ]; then
    BROKEN=$((BROKEN + 1))
  fi
}

end_with_verdict() {
  printf '\n'
  [ "$BROKEN" -eq 0 ] || die "$BROKEN of the budgets are broken"
  say "every budget is kept"
}
