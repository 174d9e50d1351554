# shellcheck shell=bash
# Sites: the demo, and the one that sizes and benchmarks measure.

DEMO=$WORK/demo
# Public data sets, which are not part of the repository: what needs one that is not there is left out.
DATA=${POCKETGRAPH_DATA:-$WORK/data}
BOOK_PAGES=$DATA/rust_book/pages.jsonl
BOOK=$WORK/book
# A site of a thousand pages, passages by the ten thousand, and a graph, for benchmarks.
HUGO_PAGES=$DATA/hugo_docs/pages.jsonl
HUGO=$WORK/hugo
CPP_PASSAGES=$DATA/cpp_docs/passages.jsonl.gz
CPP=$WORK/cpp
# So many of the passages; embedding 50,000 takes some eight minutes on two cores the first time, and is kept in
# the build cache.
CPP_COUNT=${CPP_COUNT:-50000}
CODEX=$DATA/codex
GRAPH=$WORK/codex

task_demo() {
  local docs='' port='' serve=yes
  while [ $# -gt 0 ]; do
    case $1 in
      --docs)
        docs=${2:-}
        [ -d "$docs" ] || misused "--docs needs a folder"
        shift 2
        ;;
      --port)
        port=${2:-}
        [[ $port =~ ^[0-9]{1,5}$ ]] || misused "--port needs a number"
        shift 2
        ;;
      --no-serve) serve=no; shift ;;
      *) misused "'demo' takes no '$1'" ;;
    esac
  done
  build_companion
  build_demo "$docs"
  if [ "$serve" = yes ]; then
    say "serving $DEMO"
    # The server takes this process's place, so that Ctrl-C reaches it and nothing stays behind.
    exec "$PROGRAM" serve "$DEMO" ${port:+--port "$port"}
  fi
  say "the site is $DEMO"
}

# build_demo [DIR]: target/demo from www/, pkg/dist and the bundle of DIR or docs/.
build_demo() {
  local docs=${1:-}
  [ -d www ] || die "www/ is missing: the page"
  [ -d "${docs:-docs}" ] || die "${docs:-docs}/ is missing: the documents"
  mkdir -p "$DEMO"
  # All but what the bundle was built with is copied afresh; that is quick, and leaves nothing of an earlier page.
  find "$DEMO" -mindepth 1 -maxdepth 1 ! -name bundle ! -name documents ! -name pages.css -exec rm -rf {} +
  cp -R www/. "$DEMO"
  cp -R pkg/dist "$DEMO/pkg"
  # The documents as plain pages too, so that the links of hits lead somewhere.
  build_bundle "${docs:-docs}" "$DEMO/bundle" demo --base-url documents/ --pages "$DEMO"
}

# build_bundle DIR BUNDLE STAMP [OPTION...]: the bundle of DIR, unless the same program already made it from the
# same files, those that options name among them.
build_bundle() {
  local documents=$1 bundle=$2 name=$3 given wanted
  shift 3
  local read=("$documents" "$PROGRAM")
  for given in "$@"; do if [ -f "$given" ]; then read+=("$given"); fi; done
  wanted=$({ hash_of_files "${read[@]}"; echo "$*"; } | hash_of_input)
  if [ -f "$bundle/manifest.json" ] && stamp_is "bundle-$name" "$wanted"; then
    say "the bundle of $documents is up to date"
    return
  fi
  say "building the bundle of $documents"
  # Pages of documents that are gone would stay otherwise; and the page has the runtime beside it already.
  [ "$name" != demo ] || rm -rf "$DEMO/documents"
  "$PROGRAM" build "$documents" -o "$bundle" --no-runtime "$@"
  stamp "bundle-$name" "$wanted"
}

# with_package FOLDER: the package as it is now, in a site's folder.
with_package() {
  rm -rf "$1/pkg"
  cp -R pkg/dist "$1/pkg"
}

# target/book: the Rust Book's bundle and the package. Writes the seconds that its build took, from nothing, to
# target/book.seconds. Fails where the data is not there: ask have_book first.
have_book() { [ -f "$BOOK_PAGES" ]; }
build_book() {
  need_node
  local wanted
  wanted=$(hash_of_files "$BOOK_PAGES" "$PROGRAM" scripts/write-pages.mjs)
  if [ -f "$BOOK/bundle/manifest.json" ] && [ -f "$WORK/book.seconds" ] && stamp_is bundle-book "$wanted"; then
    say "the Rust Book's bundle is up to date"
  else
    rm -rf "$BOOK" "$WORK/book.pages"
    mkdir -p "$BOOK"
    say "building the bundle of the Rust Book"
    node scripts/write-pages.mjs "$BOOK_PAGES" "$WORK/book.pages"
    local started ended
    started=$(milliseconds)
    "$PROGRAM" build "$WORK/book.pages" -o "$BOOK/bundle" --no-runtime --no-cache
    ended=$(milliseconds)
    awk -v ms="$((ended - started))" 'BEGIN { printf "%.1f\n", ms / 1e3 }' >"$WORK/book.seconds"
    stamp bundle-book "$wanted"
  fi
  with_package "$BOOK"
}

# target/hugo: the bundle of Hugo's documentation and the package.
build_hugo() {
  need_node
  local wanted
  wanted=$(hash_of_files "$HUGO_PAGES" scripts/write-pages.mjs)
  if [ ! -d "$WORK/hugo.pages" ] || ! stamp_is hugo-pages "$wanted"; then
    rm -rf "$WORK/hugo.pages"
    node scripts/write-pages.mjs "$HUGO_PAGES" "$WORK/hugo.pages"
    stamp hugo-pages "$wanted"
  fi
  build_bundle "$WORK/hugo.pages" "$HUGO/bundle" hugo
  with_package "$HUGO"
}

# target/cpp: a bundle of CPP_COUNT passages without a keyword graph, and the package.
build_cpp() {
  need_node
  mkdir -p "$CPP"
  local wanted
  wanted=$({ hash_of_files "$CPP_PASSAGES" "$PROGRAM" scripts/write-chunks.mjs; echo "$CPP_COUNT"; } | hash_of_input)
  if [ -f "$CPP/bundle/manifest.json" ] && stamp_is bundle-cpp "$wanted"; then
    say "the bundle of $CPP_COUNT passages is up to date"
  else
    say "building the bundle of $CPP_COUNT passages of C++ documentation"
    node scripts/write-chunks.mjs "$CPP_PASSAGES" "$WORK/cpp.jsonl" "$CPP_COUNT"
    "$PROGRAM" build --chunks "$WORK/cpp.jsonl" -o "$CPP/bundle" --no-runtime --no-keywords
    stamp bundle-cpp "$wanted"
  fi
  with_package "$CPP"
}

# target/codex: the handbook's bundle with CoDEx M as its knowledge graph.
build_codex() {
  cat "$CODEX"/codex_m_{train,valid,test}.tsv >"$WORK/codex.tsv"
  build_bundle docs "$GRAPH" codex --no-keywords --kg "$WORK/codex.tsv"
}
