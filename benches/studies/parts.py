#!/usr/bin/env python3
"""Small parts of three sets, for studies that run in minutes: benches/studies/parts.py DATA OUT [QUESTIONS]

Of each set the first questions, and of its corpus the passages that these were asked over (of 2WikiMultihopQA, which names none, its first ten for each question),
numbered anew. An index of a part takes a model some hundred replies where one of the whole set takes thousands.
"""

import json
import sys
from pathlib import Path

SETS = {"hotpotqa": "hotpotqa_train100", "musique": "musique_train100", "2wiki": "2wiki1000"}
# Passages a question of a set without contexts.
PASSAGES = 10


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def part(folder, out, most):
    passages = {row["idx"]: row for row in lines(folder / "corpus.jsonl")}
    questions = lines(folder / "questions.jsonl")[:most]
    kept = {n for q in questions for n in q.get("contexts", []) + q["gold"]}
    if not any("contexts" in q for q in questions):
        kept |= set(sorted(passages)[: PASSAGES * len(questions)])
    number = {old: new for new, old in enumerate(sorted(kept))}
    write(out / "corpus.jsonl", [{**passages[old], "idx": new} for old, new in number.items()])
    asked = [{name: q[name] for name in ("id", "type", "question", "answers") if name in q} | {"gold": [number[n] for n in q["gold"]]} for q in questions]
    write(out / "questions.jsonl", asked)
    return len(kept), len(asked)


data, out = Path(sys.argv[1]), Path(sys.argv[2])
for name, folder in SETS.items():
    print(name, *part(data / folder, out / name, int(sys.argv[3]) if len(sys.argv) > 3 else 20))
