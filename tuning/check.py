#!/usr/bin/env python3
"""Checks that the constants of the code are what their scripts make of the stored features (tuning/features, tests/golden/e5), in a second and without packages.

    python3 tuning/check.py

A constant whose comment says "Fitted by `tuning/NAME`" is checked here, or its comment says that the features are too large to keep. Any other whose comment names
a script is called hand-set.
"""
import contextlib
import io
import pathlib
import re
import struct
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "tuning"))
import forms
import kinds

FITTED = {
    "companion/knowledge/src/kg/shape.rs": (kinds.fit, ("EXCEPTIONS", "FEW")),
    "companion/knowledge/src/kg/as_tables.rs": (kinds.fit, ("NEARLY_ALL",)),
    "companion/languages/src/forms.rs": (forms.fit, ("OTHER_FORM",)),
}
# A number that a script and the code both have: what a script fits beside, or judges by.
SHARED = [
    ("crates/search/src/retrieve/auto/mod.rs", r"const NAMED: f32 = ([\d.]+)", "tuning/auto.py", r"CURRENT = \(([\d.]+),"),
    ("crates/search/src/retrieve/auto/mod.rs", r"const TITLE: f32 = ([\d.]+)", "tuning/auto.py", r"CURRENT = \([\d.]+, ([\d.]+)\)"),
    ("crates/search/src/retrieve/auto/mod.rs", r"const D: f32 = ([\d.]+)", "tuning/auto.py", r"OTHERS = \{0: ([\d.]+)"),
    ("crates/search/src/retrieve/auto/mod.rs", r"const B: f32 = ([\d.]+)", "tuning/auto.py", r"OTHERS = .* 1: ([\d.]+)"),
    ("crates/search/src/retrieve/auto/mod.rs", r"const D_REST: f32 = ([\d.]+)", "tuning/auto.py", r"OTHERS = .* 4: ([\d.]+)"),
    ("crates/search/src/retrieve/auto/mod.rs", r"const B_REST: f32 = ([\d.]+)", "tuning/auto.py", r"OTHERS = .* 5: ([\d.]+)"),
    ("crates/search/src/answer/weights.rs", r"const SECOND_FROM: f32 = ([\d.]+)", "tuning/answers.py", r"SECOND_FROM = ([\d.]+)"),
    ("companion/models/src/e5/mod.rs", r"const WEIGHT: u64 = (\d+)", "tuning/across.py", r"WEIGHT = (\d+)"),
]
E5_PART = 0.7


def found(path, pattern):
    match = re.search(pattern, (HERE / path).read_text(encoding="utf-8"))
    if not match:
        raise SystemExit(f"{path} has nothing like {pattern}")
    return float(match[1])


def differences():
    """Says of each constant that is not what its script gives."""
    for path, (fit, names) in FITTED.items():
        with contextlib.redirect_stdout(io.StringIO()):
            values = fit()
        for name in names:
            now = found(path, rf"const {name}: \w+ = ([\d.]+)")
            if now != values[name]:
                yield f"{path}: {name} is {now}, and its script gives {values[name]}"
    for path, pattern, script, its in SHARED:
        if found(path, pattern) != found(script, its):
            yield f"{path}: {found(path, pattern)}, and {script} has {found(script, its)}"


def features_differ():
    """The features of blocks have the same names and order in the engine and in the script that fits their weights."""
    pattern = re.compile(r"FEATURES(?:: \[&str; \d+\])? =\s*\[(.*?)\]", re.S)
    files = ("crates/search/src/answer/features.rs", "tuning/answers.py")
    engine, script = (re.findall(r'"(\w+)"', pattern.search((HERE / path).read_text(encoding="utf-8"))[1]) for path in files)
    if engine != script:
        yield f"features of blocks: {engine} in the engine, {script} in tuning/answers.py"


def means_differ():
    """The mean of multilingual-e5-small's passages is that of the golden vectors. Of questions there are too few golden vectors."""
    numbers = lambda path, kind: [x for (x,) in struct.iter_unpack(f"<{kind}", (HERE / path).read_bytes())]
    means, vectors = numbers("companion/models/src/e5/means.f32", "f"), numbers("tests/golden/e5/vectors.f16", "e")
    size = len(means) // 2
    count = len(vectors) // size
    off = max(abs(E5_PART * sum(vectors[at::size]) / count - means[size + at]) for at in range(size))
    if off > 1e-5:
        yield f"companion/models/src/e5/means.f32: {off} from the mean of the golden vectors"


def unchecked():
    """Comments that name a script, and neither are checked nor say why not."""
    for path in sorted(p for folder in ("crates", "companion", "src") for p in (HERE / folder).rglob("*.rs") if "tests" not in p.parts):
        name = str(path.relative_to(HERE))
        for comment, constant in re.findall(r"((?:^[ \t]*//[/!]? ?.*\n)+)(?:#\[.*\n)*[ \t]*(?:pub(?:\(\w+\))? )?(?:const|mod) (\w+)", path.read_text(encoding="utf-8"), re.M):
            if "tuning/" not in comment or re.search(r"[Hh]and-set|too large", comment):
                continue
            if constant not in FITTED.get(name, (None, ()))[1]:
                yield f"{name}: the comment of {constant} names a script, which is not rerun here; it is hand-set, or its features are too large to keep"


if __name__ == "__main__":
    wrong = [line for check in (differences, features_differ, means_differ, unchecked) for line in check()]
    print("\n".join(wrong) or "constants are what their scripts give")
    sys.exit(bool(wrong))
