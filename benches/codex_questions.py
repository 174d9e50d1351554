"""Questions over CoDEx M as people put them: each wording of codex_wordings.tsv (relations that it follows, joined by >, ^ for one that is followed backwards; -
for what the graph does not know) about three things. Prints JSON Lines for `pocketgraph-lab eval plans`. The wordings were written before any was asked, and nobody
read their misses.

    python3 benches/codex_questions.py DATA/codex > questions.jsonl
    python3 benches/codex_questions.py DATA/codex unknown > unknown.jsonl
"""

import collections
import json
import pathlib
import random
import sys

from paths import ends, reached

data = pathlib.Path(sys.argv[1])
unknown = len(sys.argv) > 2
labels = {row[0]: row[1] for row in (line.rstrip("\n").split("\t") for line in (data / "entities_m.tsv").open(encoding="utf-8"))}
bearers = collections.Counter(labels.values())
of = ends(line.rstrip("\n").split("\t") for line in (data / "codex_m_train.tsv").open(encoding="utf-8"))
drawn = random.Random(28)
for line in (pathlib.Path(__file__).parent / "codex_wordings.tsv").read_text(encoding="utf-8").splitlines():
    path, wording = line.split("\t")
    if (path == "-") != unknown:
        continue
    steps = ["P106"] if unknown else path.split(">")
    fit = [e for e in sorted(of[steps[0]]) if bearers[labels.get(e, "")] == 1 and 0 < len(reached(of, e, steps)) <= 20]
    for entity in drawn.sample(fit, min(3, len(fit))):
        answers = sorted(reached(of, entity, steps))
        statements = []
        for at, step in enumerate(steps, 1):
            head = {"entity": entity} if at == 1 else {"reference": f"Ans{at - 1}"}
            exact = {"name": step.lstrip("^"), "inverse": step.startswith("^")}
            statements.append({"name": f"Ans{at}", "op": "search_kg", "head": head, "relation": {"exact": exact}})
        question = {"id": f"{path} {entity}", "question": wording.replace("{}", labels[entity]), "pattern": "unknown" if unknown else f"{len(steps)}"}
        answers = [["no such thing", "no such thing"]] if unknown else [[labels.get(a, a), a] for a in answers]
        print(json.dumps(question | {"plan": {"statements": statements, "answer": f"Ans{len(steps)}"}, "answers": answers, "count": len(answers)}))
