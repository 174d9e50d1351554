"""Questions of one hop in other words: every question of QUESTIONS (JSON Lines with question, entity and plan) is said by the wordings that
WORDINGS has for its plan, one after the other, so that all come about equally often. Prints JSON Lines. Eight files of wordings stand beside this one:
metaqa_rewordings.tsv, the default, was read while planning by meaning was written; metaqa_rewordings_2.tsv was written afterwards; the others by
language models that knew nothing of the program. With WORDINGS of things that films and people are asked about and that the graph does not know
(metaqa_unanswerable.tsv: what is asked about, wording) QUESTIONS is `-`, and each is asked about three films or people.

    python3 benches/reword.py DATA/metaqa/1hop_dev.jsonl [WORDINGS] > reworded.jsonl
    python3 benches/reword.py - benches/metaqa_unanswerable.tsv > unanswerable.jsonl
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
if sys.argv[1] == "-":
    things = {"film": ["Heat", "Inception", "The Godfather"], "person": ["Tom Hanks", "Sofia Coppola", "Akira Kurosawa"]}
    for kind, names in things.items():
        for entity in names:
            for at, wording in enumerate(wordings[kind]):
                question = {"id": f"{kind} {at} {entity}", "question": wording.replace("{}", entity), "entity": entity, "closed": True}
                print(json.dumps(question | {"plan": "movie_to_director", "answers": ["no such thing"]}))
    sys.exit()
said = collections.Counter()
for line in open(sys.argv[1], encoding="utf-8"):
    question = json.loads(line)
    of = wordings[question["plan"]]
    wording = of[said[question["plan"]] % len(of)]
    said[question["plan"]] += 1
    question["question"] = wording.replace("{}", question["entity"])
    print(json.dumps(question, ensure_ascii=False))
