#!/usr/bin/env python3
"""How long a contributor waits after an edit: for docs/benchmarks/loop.md.

    benches/loop.py [--write] [check] [planner] [fresh]

check    an edit in the program's crate until `cargo check` is done; at most 10 s are asked
planner  an edit in the planner until its crate's tests ran; at most 45 s are asked
fresh    a fresh clone until the demo runs, with nothing compiled and no tools in it; at most 6 minutes are asked. It takes long, so it is measured only
         where it is named.

Each edit puts a statement into a function and takes it away again. Everything is compiled before the clock starts. The first two are measured three times, and
the median is told. Prints wall time, processor time (user and system, of all processes) and the load before. `--write` puts the figures into
results/loop.json with the commit, the date and the machine; `node scripts/benchmarks.mjs` then makes the page.
"""

import datetime
import json
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results" / "loop.json"
NAMES = {
    "check": "an edit in the program until `cargo check` is done",
    "planner": "an edit in the planner until its crate's tests ran",
    "fresh": "a fresh clone until the demo runs",
}
ASKED = {"check": "10 s", "planner": "45 s", "fresh": "6 min"}


def measured(command, folder=ROOT, environment=None):
    """Wall and processor seconds of a command and all that it starts."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def after_an_edit(file, function, command):
    """The medians of three edits of a function, which begins with the line `function`."""
    path = ROOT / file
    text = path.read_text()
    if text.count(function) != 1:
        sys.exit(f"{file} has no line {function!r} any more: name another in benches/loop.py")
    measured(command)
    figures = []
    try:
        for turn in range(3):
            path.write_text(text.replace(function, f"{function}\n    std::hint::black_box({turn});"))
            figures.append(measured(command))
    finally:
        path.write_text(text)
    return tuple(statistics.median(f) for f in zip(*figures))


def fresh():
    """A clone in a folder of its own, with cargo's registry as it is on this machine."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pocketgraph-loop-"))
    try:
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder / "clone")], check=True)
        environment = {k: v for k, v in os.environ.items() if k != "CARGO_TARGET_DIR"}
        return measured(["./build.sh", "demo", "--no-serve"], folder / "clone", environment)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


MEASURES = {
    "check": lambda: after_an_edit("companion/cli/src/build.rs", "pub fn run(args: &Args) -> Result<()> {", ["cargo", "check", "--locked", "--offline", "-p", "pocketgraph-cli"]),
    "planner": lambda: after_an_edit("crates/planner/src/chain.rs", "    fn paths(&self, start: Start, aligner: &Aligner) -> Vec<Vec<Step>> {", ["cargo", "test", "--locked", "--offline", "-p", "pocketgraph-planner"]),
    "fresh": fresh,
}


def write(rows):
    """Puts the figures among those of the file; what was there of the same name goes."""
    result = json.loads(RESULTS.read_text())
    git = lambda *args: subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    new = {row[0] for row in rows}
    kept = [row for row in result["rows"] if row[1] != "now" or row[0] not in new]
    result["rows"] = sorted(kept + rows, key=lambda row: (list(NAMES.values()).index(row[0]), row[1]))
    result["commit"], result["date"] = git("rev-parse", "--short=12", "HEAD"), datetime.date.today().isoformat()
    head = {key: value for key, value in result.items() if key != "rows"}
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    cells = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in result["rows"])
    RESULTS.write_text("{\n" + ",\n".join(lines) + f',\n  "rows": [\n{cells}\n  ]\n}}\n')


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("-")] or ["check", "planner"]
    unknown = [n for n in names if n not in MEASURES] + [a for a in sys.argv[1:] if a.startswith("-") and a != "--write"]
    if unknown:
        sys.exit(f"benches/loop.py knows no {unknown[0]}\n{__doc__}")
    # Whoever ends it finds the files as they were.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    rows = []
    for name in names:
        load = os.getloadavg()[0]
        wall, processor = MEASURES[name]()
        print(f"{NAMES[name]}: {wall:.1f} s, {processor:.1f} s of processor time (load before: {load:.1f}; asked: {ASKED[name]})")
        rows.append([NAMES[name], "now", ASKED[name], round(wall, 1), round(processor, 1), round(load, 1)])
    if "--write" in sys.argv:
        write(rows)


if __name__ == "__main__":
    main()
