"""Questions of one hop in other words: every question of QUESTIONS (JSON Lines with question, entity and plan) is said by the wordings that
metaqa_rewordings.tsv has for its plan, one after the other, so that all come about equally often. Prints JSON Lines.

    python3 benches/reword.py DATA/metaqa/1hop_dev.jsonl > reworded.jsonl
"""

import collections
import json
import pathlib
import sys

wordings = collections.defaultdict(list)
for line in (pathlib.Path(__file__).parent / "metaqa_rewordings.tsv").read_text().splitlines():
    plan, wording = line.split("\t")
    wordings[plan].append(wording)
said = collections.Counter()
for line in open(sys.argv[1], encoding="utf-8"):
    question = json.loads(line)
    of = wordings[question["plan"]]
    wording = of[said[question["plan"]] % len(of)]
    said[question["plan"]] += 1
    question["question"] = wording.replace("{}", question["entity"])
    print(json.dumps(question, ensure_ascii=False))
