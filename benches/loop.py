#!/usr/bin/env python3
"""How long a contributor waits after an edit.

    benches/loop.py [check] [planner] [fresh]

check    an edit in the program's crate until `cargo check` is done; at most 10 s are asked
planner  an edit in the planner until its crate's tests ran; at most 45 s are asked
fresh    a fresh clone until the demo runs, with nothing compiled and no tools in it; at most 6 minutes are asked. It takes long, so it is measured only
         where it is named.

Each edit puts a statement into a function and takes it away again. Everything is compiled before the clock starts. The first two are measured three times, and
the median is told. Prints wall time, processor time (user and system, of all processes) and the load before.
"""

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


def main():
    names = sys.argv[1:] or ["check", "planner"]
    unknown = [n for n in names if n not in MEASURES]
    if unknown:
        sys.exit(f"benches/loop.py knows no {unknown[0]}\n{__doc__}")
    # Whoever ends it finds the files as they were.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    for name in names:
        load = os.getloadavg()[0]
        wall, processor = MEASURES[name]()
        print(f"{NAMES[name]}: {wall:.1f} s, {processor:.1f} s of processor time (load before: {load:.1f}; asked: {ASKED[name]})")


if __name__ == "__main__":
    main()
