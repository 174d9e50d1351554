"""Questions of one hop in other words: every question of QUESTIONS (JSON Lines with question, entity and plan) is said by the wordings that
WORDINGS has for its plan, one after the other, so that all come about equally often. Prints JSON Lines. Three files of wordings stand beside this one:
metaqa_rewordings.tsv, the default, was read while planning by meaning was written; metaqa_rewordings_2.tsv was written afterwards; metaqa_rewordings_3.tsv
was written last, by a language model that knew nothing of the program.

    python3 benches/reword.py DATA/metaqa/1hop_dev.jsonl [WORDINGS] > reworded.jsonl
"""

import collections
import json
import pathlib
import sys

wordings = collections.defaultdict(list)
file = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "metaqa_rewordings.tsv"
for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines():
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
