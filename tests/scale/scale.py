"""The programs of docs/clusters.md, run as they stand there, against the program's own bundle.

    python tests/scale/scale.py --program target/debug/pocketgraph --engines ray,spark,duckdb [--pages N | --cpp-docs DIR --passages 20000] [--folder DIR]

Needs the module `pocketgraph` and the engines. Ends with an error where a section differs, or a broken shard is taken.
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Seconds that one step may take.
LONGEST = 900


def recipes() -> dict[str, str]:
    page = (ROOT / "docs/clusters.md").read_text()
    return {name: code for name, code in re.findall(r"^```python (\w+)\n(.*?)^```", page, re.S | re.M)}


def sections(bundle: pathlib.Path) -> dict[str, str]:
    manifest = json.loads((bundle / "manifest.json").read_text())["pocketgraph"]
    return {s["name"]: s["sha256"] for s in manifest["sections"]}


def timed(what: str, command: list) -> subprocess.CompletedProcess:
    started = time.time()
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=LONGEST, env={**os.environ, "PYSPARK_PYTHON": sys.executable})
    except subprocess.TimeoutExpired as late:
        sys.exit(f"{what} did not end within {LONGEST} s: {(late.stderr or b'')[-2000:]}")
    print(f"{what}: {time.time() - started:.1f} s", flush=True)
    return done


def must(what: str, command: list) -> None:
    done = timed(what, command)
    if done.returncode != 0:
        sys.exit(f"{what} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")


def handbook(into: pathlib.Path, pages: int | None) -> None:
    """The handbook, or so many of its shortest pages."""
    for page in sorted((ROOT / "docs").glob("*.md"), key=lambda page: (page.stat().st_size, page.name))[:pages]:
        shutil.copy(page, into / page.name)


def cpp_docs(folder: pathlib.Path, most: int, into: pathlib.Path) -> None:
    """Pages of Microsoft's C++ documentation, one file each, of `most` passages together. Pages of a title that came before are left out."""
    pages: dict[str, list] = {}
    titles: set[str] = set()
    taken = 0
    for file in sorted(folder.glob("passages.jsonl*")):
        with (gzip.open(file, "rt") if file.suffix == ".gz" else file.open()) as lines:
            for line in lines:
                passage = json.loads(line)
                if "text" not in passage or taken >= most:
                    break
                page = str(passage.get("page") or passage.get("path") or passage.get("url"))
                if page not in pages:
                    if passage["title"].lower() in titles:
                        continue
                    titles.add(passage["title"].lower())
                pages.setdefault(page, [passage["title"]]).append(passage["text"])
                taken += 1
    for number, (title, *texts) in enumerate(pages.values()):
        (into / f"{number:05}.md").write_text(f"# {title}\n\n" + "\n\n".join(texts) + "\n")
    print(f"{taken} passages on {len(pages)} pages")


def faults(program: pathlib.Path, shards: pathlib.Path, here: pathlib.Path) -> None:
    """Each kind of broken shard is named, and nothing is written."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    good = sorted(shards.rglob("*.parquet"))[0]
    table = pq.read_table(good)
    vectors = table["vector"].to_pylist()
    short, nan = [v[:-1] for v in vectors], [[float("nan"), *v[1:]] for v in vectors]
    column = lambda values: other.set_column(table.schema.get_field_index("vector"), "vector", pa.array(values, pa.list_(pa.float32())))
    other = table.set_column(table.schema.get_field_index("document"), "document", pa.array([f"other {d}" for d in table["document"].to_pylist()]))
    cases = {
        "a missing column": (other.drop_columns(["headings"]), 'no column "headings"'),
        "another schema": (pa.table({"x": [1, 2]}), 'no column "text"'),
        "another dimension": (column(short), "vectors of 383 numbers"),
        "NaN": (column(nan), "row 1: column \"vector\": number 0 is not finite"),
        "a chunk twice": (table, "of this document is also in"),
    }
    for name, (broken, said) in {**cases, "a truncated file": (None, "not a Parquet file that can be read")}.items():
        folder, out = here / "broken", here / "nothing"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(good, folder / "0.parquet")
        if broken is None:
            (folder / "1.parquet").write_bytes(good.read_bytes()[: good.stat().st_size // 2])
        else:
            pq.write_table(broken, folder / "1.parquet")
        done = subprocess.run([program, "build", "--chunks", folder, "--embedder", "minilm", "-o", out, "--no-config"], capture_output=True, text=True)
        told = " ".join(done.stderr.replace("│", " ").split())
        if done.returncode == 0 or said not in told or "1.parquet" not in told or out.exists():
            sys.exit(f"{name}: expected {said!r} of 1.parquet and no bundle, got status {done.returncode}: {told}")
    print(f"{len(cases) + 1} kinds of broken shards are named, and nothing is written")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--engines", default="ray,spark,duckdb")
    parser.add_argument("--pages", type=int)
    parser.add_argument("--cpp-docs", type=pathlib.Path)
    parser.add_argument("--passages", type=int, default=20000)
    parser.add_argument("--folder", type=pathlib.Path)
    given = parser.parse_args()
    program = given.program.resolve()
    here = given.folder or pathlib.Path(tempfile.mkdtemp())
    docs = here / "docs"
    docs.mkdir(parents=True)
    cpp_docs(given.cpp_docs, given.passages, docs) if given.cpp_docs else handbook(docs, given.pages)
    common = ["--no-config", "--no-cache", "--no-runtime", "-q"]
    must("the program's own bundle", [program, "build", docs, "-o", here / "own", "--kg-from-documents", "off", *common])
    own = sections(here / "own")
    code = recipes()
    wrong = []
    for engine in given.engines.split(","):
        script, shards, bundle = here / f"{engine}_recipe.py", here / f"{engine}-shards", here / engine
        script.write_text(code[engine])
        print(f"{engine}: {len(code[engine].strip().splitlines())} lines")
        must(f"{engine} prepares", [sys.executable, script, docs, shards])
        files = list(shards.rglob("*.parquet"))
        must(f"{engine}: {len(files)} shards assembled", [program, "build", "--chunks", shards, "--embedder", "minilm", "-o", bundle, *common])
        found = sections(bundle)
        differing = [name for name in own if found.get(name) != own[name]]
        print(f"{engine}: {len(own) - len(differing)} of {len(own)} sections are the program's own, byte for byte", *differing)
        wrong += [f"{engine}: {name}" for name in differing]
        one = here / f"{engine}-one"
        shutil.rmtree(one, ignore_errors=True)
        one.mkdir()
        import pyarrow.parquet as pq

        tables = [pq.read_table(f) for f in reversed(files)]
        import pyarrow as pa

        pq.write_table(pa.concat_tables([t.cast(tables[0].schema) for t in tables]), one / "all.parquet")
        must(f"{engine}: one shard assembled", [program, "build", "--chunks", one, "--embedder", "minilm", "-o", here / f"{engine}-whole", *common])
        if (bundle / "manifest.json").read_bytes() != (here / f"{engine}-whole" / "manifest.json").read_bytes():
            wrong.append(f"{engine}: another bundle from one shard")
    faults(program, shards, here)
    if given.folder is None:
        shutil.rmtree(here)
    if wrong:
        sys.exit("not the same: " + ", ".join(wrong))
    print("every bundle is the program's own")


if __name__ == "__main__":
    main()
