#!/usr/bin/env python3
"""Measures what a weak language model adds to the quotation, and whether it ever takes from it.

    floor.py PROGRAM BUNDLE QUESTIONS OUT --base-url URL [--model NAME] [--protocols A,B] [--first N] [--every N]
    floor.py --table NAME OUT...

QUESTIONS are JSON Lines: `question` and `answers` (texts of which one is right) or `answer` (a regular expression).
Each is asked without a model and by each protocol with one (the protocol `ask` is one search and one answer). OUT
gets a line for each, with whether the quotation held the right answer, the model's last reply, what was shown, and
the model's own text where it was shown as the answer. What OUT already has is not asked again, so an interrupted
run continues. --table NAME prints the rows of results/weak-model.json for the model of that name.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import tempfile

OPTIONS = {"maxOutputTokens": 60, "maxEvidenceTokens": 400, "maxInputTokens": 1200, "turns": 3}


def fold(text):
    """Lower case, one space between words, no marks of citations."""
    return " ".join(re.sub(r"\[\d+\]", " ", text).lower().split())


def holds(row, text):
    """Whether a text contains the right answer of a question."""
    if "answers" in row:
        return any(fold(answer) in fold(text) for answer in row["answers"])
    return re.search(row["answer"], text) is not None


def ask(program, bundle, question, *options):
    """The program's answer to a question."""
    done = subprocess.run(
        [program, "ask", bundle, "--json", *options, "--", question], capture_output=True, text=True, timeout=600
    )
    if not done.stdout:
        raise SystemExit(f"{question}: {done.stderr}")
    told = json.loads(done.stdout)
    return told["answer"] if isinstance(told.get("answer"), dict) else told


def ask_model(a, question, protocol):
    """The answer by a protocol with the model, and the model's last reply."""
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "record"
        how = ["--base-url", a.base_url, "--model", a.model, "--max-tokens", "60", "--time-limit", "90"]
        how += ["--record", str(record)]
        if protocol != "ask":
            how += ["--protocol", protocol, "--options", json.dumps(OPTIONS)]
        answer = ask(a.program, a.bundle, question, *how)
        lines = record.read_text().splitlines() if record.exists() else []
        return answer, "".join(piece.get("text", "") for piece in json.loads(lines[-1])["reply"]) if lines else ""


def measure(a):
    out = pathlib.Path(a.out)
    seen = {(r["question"], r["protocol"]) for r in read(out)} if out.exists() else set()
    rows = [r for r in read(a.questions) if r.get("kind", "q") == "q"][:: a.every][: a.first]
    for row in rows:
        question = row["question"]
        missing = [p for p in a.protocols.split(",") if (question, p) not in seen]
        if not missing:
            continue
        quoted = ask(a.program, a.bundle, question)
        for protocol in missing:
            answer, reply = ask_model(a, question, protocol)
            beneath = (answer.get("quotation") or {}).get("text") or ""
            line = {
                "question": question,
                "protocol": protocol,
                "stated": bool(quoted["answered"] and holds(row, quoted["text"])),
                "quoted": holds(row, quoted["text"]),
                "reply": holds(row, reply),
                "by": answer["by"],
                "own": answer["by"] == "llm" and holds(row, answer["text"]),
                "shown": holds(row, answer["text"] + "\n" + beneath),
                "text": answer["text"],
                "wrote": reply,
            }
            with out.open("a") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def read(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def print_rows(name, paths):
    groups = collections.defaultdict(list)
    for line in (line for path in paths for line in read(path)):
        protocol = line["protocol"]
        groups[f"`{protocol}`" if protocol in ("ask", "single-shot") else "other protocols"].append(line)
    for group, lines in groups.items():
        right = [line for line in lines if line["reply"]]
        counts = [sum(line[key] for line in lines) for key in ("stated", "quoted", "shown")]
        row = [f"{name}, {group}", len(lines), *counts, len(right), sum(line["own"] for line in right)]
        print(json.dumps(row, ensure_ascii=False))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("files", nargs="+")
    p.add_argument("--table", metavar="NAME")
    p.add_argument("--base-url")
    p.add_argument("--model", default="model")
    p.add_argument("--protocols", default="ask")
    p.add_argument("--first", type=int)
    p.add_argument("--every", type=int, default=1)
    a = p.parse_args()
    if a.table:
        return print_rows(a.table, a.files)
    if len(a.files) != 4 or not a.base_url:
        p.error("PROGRAM, BUNDLE, QUESTIONS, OUT and --base-url are needed")
    a.program, a.bundle, a.questions, a.out = a.files
    measure(a)


main()
