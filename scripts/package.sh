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
  say "npm's packages"
  node packaging/npm/pack.mjs --platform "$(npm_platform)" --program "$PROGRAM" --package pkg --out "$PACKAGES/npm"
  say "Python's wheel"
  build_wheel
}

# build_wheel: pyproject.toml says what is in it. No time of building gets into it: the first moment that a zip
# file can hold. That moment is no other task's: by it the program would take all posts for such as are not
# published yet.
build_wheel() {
  need_maturin
  local program=$PROGRAM platform
  [ -f "$program" ] || program=$program.exe
  rm -rf "$PACKAGES/wheel" "$PACKAGES/python"
  mkdir -p "$PACKAGES/wheel/scripts"
  cp "$program" "$PACKAGES/wheel/scripts/"
  platform=$(wheel_platform "$program")
  SOURCE_DATE_EPOCH=315532800 "$MATURIN" build --release --locked --auditwheel check --compression-level 9 \
    ${platform:+--compatibility "$platform"} --out "$PACKAGES/python"
}

# wheel_platform PROGRAM: on Linux the oldest C library that the program runs with. Maturin asks the module
# alone, whose needs are fewer.
wheel_platform() {
  local needs
  [ "$(uname -s)" = Linux ] || return 0
  # A program that needs none is linked with musl.
  needs=$({ LC_ALL=C grep -aoE 'GLIBC_[0-9]+\.[0-9]+' "$1" || true; } | sort -uV | tail -n 1)
  needs=${needs#GLIBC_}
  if [ -n "$needs" ]; then echo "manylinux_${needs/./_}"; else echo musllinux_1_2; fi
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

# test_scale: the recipes of docs/clusters.md with Ray, Spark and DuckDB from the registry: on the handbook, or
# with POCKETGRAPH_SCALE=N on N passages of the C++ documentation in POCKETGRAPH_DATA.
test_scale() {
  local engines=ray,duckdb
  build_packages
  if have java; then
    engines=ray,spark,duckdb
  else
    say 'without Spark: there is no Java (apt-get install default-jre-headless)'
  fi
  with_recipes "$engines" ${POCKETGRAPH_SCALE:+--cpp-docs "$DATA/cpp_docs" --passages "$POCKETGRAPH_SCALE"}
}

# Ray alone, on the handbook's shortest pages, with the packages that test_packages made, where it can be had
# and starts: it wants shared memory and ports that not every container gives.
test_scale_shortly() {
  with_recipes ray --pages 20
}

ray_starts() {
  timeout 120 "$1" -c 'import ray; ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False); ray.shutdown()' >/dev/null 2>&1
}

# Versions of what the recipes are tried with.
RECIPES='numpy==2.4.6 pyarrow==26.0.1 pandas==3.1.1 networkx==3.6.1'
RAY='ray[data]==2.60.0'
SPARK='pyspark==4.3.0'
DUCKDB='duckdb==2.0.1'

# need_recipes ENGINES: a Python of its own with them, under tools/. Sets RECIPES_PYTHON.
need_recipes() {
  local engines=$1 wanted=()
  read -r -a wanted <<<"$RECIPES"
  RECIPES_PYTHON=$TOOLS/scale/bin/python
  case ,$engines, in *,ray,*) wanted+=("$RAY") ;; esac
  case ,$engines, in *,spark,*) wanted+=("$SPARK") ;; esac
  case ,$engines, in *,duckdb,*) wanted+=("$DUCKDB") ;; esac
  [ -x "$RECIPES_PYTHON" ] || python3 -m venv "$TOOLS/scale" || return 1
  "$RECIPES_PYTHON" -m pip install --quiet --disable-pip-version-check "${wanted[@]}"
}

# with_recipes ENGINES [ARGUMENT...]: with the wheel in target/package.
with_recipes() {
  local engines=$1 python wheel
  shift
  need_recipes "$engines" || {
    say 'left out: the engines cannot be had'
    return 0
  }
  python=$RECIPES_PYTHON
  wheel=$(echo "$PACKAGES"/python/*.whl)
  "$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
  "$python" tests/python/module.py
  "$python" tests/python/notebook.py docs/notebook.ipynb
  case ,$engines, in *,ray,*) ray_starts "$python" || { say 'left out: Ray does not start here'; return 0; } ;; esac
  "$python" tests/scale/scale.py --program "$PROGRAM" --engines "$engines" "$@"
}
