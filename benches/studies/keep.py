#!/usr/bin/env python3
"""The tables of a study as figures that the handbook's pages are made of: benches/studies/keep.py STUDY_FOLDER NAME COMMAND

STUDY_FOLDER is what `pocketgraph eval study -o` wrote. Writes results/study-NAME-answers.json, -ranks.json, -indexes.json and -break-even.json, which
`node scripts/benchmarks.mjs` shows where a page asks for them.
"""

import datetime
import json
import pathlib
import subprocess
import sys

folder, name, command = sys.argv[1:]
study = json.loads((pathlib.Path(folder) / "study.json").read_text())
ABOUT = {"smollm2": "SmolLM2-135M behind llama.cpp's server on one core", "scripted": "a model that is a script and copies the nearest sentence"}[name]
MACHINE = "2 shared cores of an AMD EPYC on which others compiled at the same time: seconds say nothing"
commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


def estimate(of):
    return of and {"value": of["mean"], "low": of["low"], "high": of["high"]}


def write(what, about, digits, rows):
    columns = list(rows[0])
    out = {
        "about": f"{about}, with {ABOUT}", "command": command, "commit": commit, "date": datetime.date.today().isoformat(), "machine": MACHINE,
        "measures": ["lab/eval/src/study", "crates/agent/src/answer", f"benches/studies/{name}.toml"], "older_than_code": False,
        "columns": columns, "digits": {c: d for c, d in digits.items() if c in columns},
    }
    lines = ",\n".join("    " + json.dumps([row[c] for c in columns], ensure_ascii=False) for row in rows)
    text = json.dumps(out, indent=2, ensure_ascii=False)[:-2] + ',\n  "rows": [\n' + lines + "\n  ]\n}\n"
    pathlib.Path(f"results/study-{name}-{what}.json").write_text(text)


def even(of, unit, digits):
    """What an index costs more to build than the baseline's, what a question costs less, and at how many questions that is even."""
    if of[f"{unit}_even"] is None:
        return None
    at = of[f"{unit}_even"]
    at = at["at"] if isinstance(at, dict) else {"never": "never", "same": "no difference"}[at]
    return f"{of[f'{unit}_more']:.{digits}f}, {of[f'{unit}_less']:.{digits}f}, {at}"


rows = [row for of in study["sets"] for row in of["rows"]]
thousands = {"tokens in": 0, "tokens out": 0, "p50 ms": 0, "p95 ms": 0, "by the model": 0, "answers": 0, "failed": 0}
write("answers", "every way of answering over every set", {"Contain-EM": 3, "of all that is shown": 3, "EM": 3, "F1": 3, "± of Contain-EM": 3, "± of F1": 3, "evidence recall": 3, "turns": 2, "calls": 2, "price of 1,000": 3, **thousands}, [
    {
        "set": r["set"], "protocol": r["protocol"], "retriever": r["retriever"], "answers": r["questions"] * r["runs"], "Contain-EM": estimate(r["contain_em"]),
        "of all that is shown": r["shown_contain_em"]["mean"], "EM": r["em"]["mean"], "F1": r["f1"]["mean"], "± of Contain-EM": r["contain_em_deviation"], "± of F1": r["f1_deviation"],
        "evidence recall": r["evidence_recall"] and r["evidence_recall"]["mean"], "turns": r["turns"], "calls": r["calls"], "tokens in": r["prompt_tokens"],
        "tokens out": r["completion_tokens"], "price of 1,000": r["cost"] and r["cost"] * 1000, "p50 ms": r["p50_ms"], "p95 ms": r["p95_ms"],
        "by the model": r["by_model"], "failed": r["failed"],
    }
    for r in rows
])
write("ranks", "average ranks of the ways over the sets, and of the retrievers among those of one protocol", {"by Contain-EM": 2, "by EM": 2, "by F1": 2, "comparisons": 0}, [
    {"way": r["name"], "by Contain-EM": r["contain_em"], "by EM": r["em"], "by F1": r["f1"], "comparisons": r["over"]} for r in study["ranks"] + study["retriever_ranks"]
])
million = lambda r, figure: figure / max(1, r["corpus_tokens"]) * 1e6
write("indexes", "each index, built alone and from nothing", {"passages": 0, "corpus tokens": 0, "build, s": 1, "MB": 2, "tokens in": 0, "tokens out": 0, "s of a million tokens": 0, "price of a million tokens": 3}, [
    {
        "set": r["set"], "retriever": r["retriever"], "passages": r["passages"], "corpus tokens": r["corpus_tokens"], "build, s": sum(s for _, s in r["seconds"]),
        "MB": r["bytes"] / 1e6, "tokens in": r["prompt_tokens"], "tokens out": r["completion_tokens"],
        "s of a million tokens": million(r, sum(s for _, s in r["seconds"])), "price of a million tokens": None if cost is None else million(r, cost),
    }
    for r, cost in zip(study["indexes"], study["index_costs"])
])
write("break-even", "what an index costs more to build than the baseline's, what a question costs less, and at how many questions that is even", {"Contain-EM more": 3}, [
    {
        "set": r["set"], "protocol": r["protocol"], "retriever, against": f"{r['retriever']}, {r['baseline']}", "Contain-EM more": estimate(r["contain_em"]),
        "tokens": even(r, "tokens", 0), "price": even(r, "cost", 6), "seconds": even(r, "seconds", 3),
    }
    for r in study["break_even"]
])
