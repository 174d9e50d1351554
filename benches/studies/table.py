#!/usr/bin/env python3
"""Sums a study up: benches/studies/table.py FOLDER NAME writes results/NAME.json, over all sets, and prints the same for each set

For each retriever and protocol Contain-EM with its 95 % interval (Wilson's); for each protocol the turns and tokens of an answer; for each retriever what its index took.
The break-even is the number of questions after which an index that a model reads for has spent no more tokens for a right answer than `dense`, on the mean of all
protocols: never, if its answers are not cheaper.
"""

import datetime
import json
import subprocess
import sys
from math import sqrt
from pathlib import Path

BASELINE = "dense"


def values(path):
    return [json.loads(line)["value"] for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def mean(numbers):
    numbers = [n for n in numbers if n is not None]
    return sum(numbers) / len(numbers) if numbers else 0


def of(rows, **wanted):
    return [row for row in rows if all(row[k] == v for k, v in wanted.items())]


def right(rows):
    return mean([row["answered"]["contain_em"] for row in rows])


def tokens(rows):
    return mean([row["answered"]["prompt_tokens"] + row["answered"]["completion_tokens"] for row in rows])


def interval(rows):
    p, n, z = right(rows), max(len(rows), 1), 1.96
    middle, half = (p + z * z / (2 * n)) / (1 + z * z / n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return {"value": round(p, 3), "low": round(middle - half, 3), "high": round(middle + half, 3)}


def break_even(answers, retriever, prepared):
    if not prepared:
        return "–"
    before, after = of(answers, retriever=BASELINE), of(answers, retriever=retriever)
    saved = tokens(before) * right(after) / max(right(before), 1e-9) - tokens(after)
    return f"{prepared / saved:,.0f}" if saved > 0 else "never"


def write(name, about, columns, rows):
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    head = {"about": about, "command": f"benches/studies/table.py FOLDER {sys.argv[2]}", "commit": commit, "date": datetime.date.today().isoformat(), "columns": columns, "digits": dict.fromkeys(columns[1 : len(protocols) + 1], 3)}
    members = [f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in head.items()]
    lines = ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in rows)
    Path("results", f"{name}.json").write_text("{\n" + ",\n".join([*members, f'  "rows": [\n{lines}\n  ]']) + "\n}\n", encoding="utf-8")


folder, name = Path(sys.argv[1]), sys.argv[2]
answers, indexes = values(folder / "answers.jsonl"), values(folder / "indexes.jsonl")
retrievers, protocols, sets = (list(dict.fromkeys(a[k] for a in answers)) for k in ("retriever", "protocol", "set"))
questions = len({(a["set"], a["answered"]["id"]) for a in answers})
about = f"Contain-EM of {questions} questions of {', '.join(sets)}, with 95 % intervals"
shown = [f"`{p}`" for p in protocols]

rows = []
for retriever in retrievers:
    made = of(indexes, retriever=retriever)
    prepared = sum(i["prompt_tokens"] + i["completion_tokens"] for i in made)
    seconds = sum(s for i in made for _, s in i["seconds"])
    figures = [interval(of(answers, retriever=retriever, protocol=p)) for p in protocols]
    rows.append([f"`{retriever}`", *figures, f"{seconds:.0f}", f"{prepared:,}", break_even(answers, retriever, prepared)])
rows.append(["turns", *(f"{mean([a['answered']['turns'] for a in of(answers, protocol=p)]):.1f}" for p in protocols), "", "", ""])
rows.append(["tokens", *(f"{tokens(of(answers, protocol=p)):,.0f}" for p in protocols), "", "", ""])
write(name, about, ["retriever", *shown, "index: s", "index: tokens", "break-even, questions"], rows)

for part in sets:
    print(f"\n{part}: retriever, {', '.join(protocols)}, evidence recall")
    for retriever in retrievers:
        asked = of(answers, set=part, retriever=retriever)
        each = [interval(of(asked, protocol=p)) for p in protocols]
        recall = mean([a["answered"]["evidence_recall"] for a in asked])
        print(retriever, *(f"{x['value']:.2f} ({x['low']:.2f}–{x['high']:.2f})" for x in each), f"{recall:.2f}", sep=" | ")
