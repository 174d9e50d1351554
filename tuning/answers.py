#!/usr/bin/env python3
"""Fits the weights of crates/search/src/answer/weights.rs: which block answers, and from which certainty on it is stated.

    tuning/sites.py target/debug CHECKOUTS FOLDER --also SITES    (needs numpy from here on)
    tuning/answers.py FOLDER [--write crates/search/src/answer/weights.rs] [--wrong]

A question's line has it as it was given: `kind` (q: the site answers it; oos: on its subject, and not answered; foreign: a question of another site), `answer`, a
pattern of a right answer, and `pages`, those that it may be on (any where there are none).

The model is a softmax over a question's blocks and "none". A block is right when it holds the pattern itself, on a right page; where none does, those are right
in whose shown section it is. Penalised, by gradient descent. Each site is left out once: its blocks are chosen by weights that have not seen it. The thresholds come
from those choices, and the weights written are those of all sites. A choice is graded by what is shown: it is right when the section holds the pattern.
"""
import argparse, json, pathlib, re
import numpy as np

MEANING, WORDS = "by meaning", "by words"
FEATURES = ["one", "late", "cosine", "own", "covered", "place", "share", "absent", "figure", "first", "length"]
LATE, COSINE = FEATURES.index("late"), FEATURES.index("cosine")
READ = 12  # blocks that the engine reads
PENALTY, STEPS = 0.02, 400
STATED_RIGHT = {MEANING: 0.85, WORDS: 0.88}  # of what is stated
STATED_REFUSED = {MEANING: 0.95, WORDS: 0.95}  # of questions on its subject that the site does not answer
SECOND_FROM = 0.3  # a second passage is shown that is at least this share as likely as the best
CLOSEST_REFUSED = 0.75


def stem(url):
    path = re.sub(r"[?#].*$", "", url or "").strip("/").lower()
    return re.sub(r"(^|/)(index|_index|readme)$", "", re.sub(r"\.(html?|md|mdx|rst|adoc|txt)$", "", path)).strip("/")


def on_page(url, pages):
    return not pages or any(stem(url) == stem(p) or stem(url).endswith("/" + stem(p)) for p in pages)


class Question:
    def __init__(self, row, how):
        self.asked, self.answerable = row["asked"], row["asked"]["kind"] == "q"
        self.blocks = [b for b in row["blocks"] if how == WORDS or b["late"] is not None]
        self.features = np.array([b["features"] for b in self.blocks]).reshape(-1, len(FEATURES))
        if how == MEANING:
            self.features[:, LATE] = [b["late"] for b in self.blocks]
            self.features[:, COSINE] = [b["cosine"] for b in self.blocks]
        self.hits = np.array([b["hit"] for b in self.blocks])
        holds = lambda text: float(self.answerable and re.search(self.asked["answer"], text) is not None)
        there = [on_page(b["url"], self.asked.get("pages")) for b in self.blocks]
        self.shows = np.array([holds(b["text"]) for b in self.blocks])
        core = np.array([holds(b["core"]) * t for b, t in zip(self.blocks, there)])
        self.right = core if core.any() else self.shows * there
        # Nothing is learnt of a question whose answer was not found at all, nor of one that another page may answer.
        self.known = len(self.blocks) > 0 and (not self.answerable or self.right.any())


def read(folder, how):
    sets = {}
    for path in sorted(pathlib.Path(folder).glob("*.quotable.jsonl")):
        rows = [json.loads(line) for line in open(path)]
        sets[path.name.split(".")[0]] = [Question(r, how) for r in rows if r["asked"]["kind"] != "kw" and not r["compares"]]
    return sets


def fit(questions, used):
    """Weights under which right blocks, or none, are likeliest."""
    w, speed = np.zeros(len(FEATURES)), np.zeros(len(FEATURES))
    shrink = np.full(len(FEATURES), PENALTY)
    shrink[0] = 0.0
    used, known = np.array(used), [q for q in questions if q.known]
    for _ in range(STEPS):
        slope = -shrink * w
        for q in known:
            scores = np.append(q.features @ w, 0.0)
            likely = np.exp(scores - scores.max())
            likely /= likely.sum()
            target = np.append(q.right, 0.0 if q.answerable else 1.0) * likely
            slope += q.features.T @ (target / target.sum() - likely)[:-1] * (4.0 / len(known))
        speed = 0.9 * speed + 0.3 * used * slope
        w = w + speed
    return w


def chosen(q, w):
    """The certainty, whether what is shown is right, and the best block: one passage is shown or two, and what their blocks have of all is the certainty."""
    if not len(q.blocks):
        return 0.0, 0.0, None
    scores = np.append(q.features @ w, 0.0)
    likely = np.exp(scores - scores.max())
    likely /= likely.sum()
    order = np.argsort(-scores[:-1], kind="stable")
    best, of = order[0], lambda i: float(likely[:-1][q.hits == q.hits[i]].sum())
    second = next((i for i in order if q.hits[i] != q.hits[best] and of(i) >= SECOND_FROM * of(best)), None)
    shown = [best] if second is None else [best, second]
    return sum(of(i) for i in shown), max(q.shows[i] for i in shown), q.blocks[best]


def thresholds(rows, how):
    none = sorted(p for p, _, q, _ in rows if q.asked["kind"] == "oos")
    refusing = lambda share: none[min(len(none) - 1, int(share * len(none)))] + 1e-6
    least = refusing(STATED_REFUSED[how])
    stated = least
    for at in sorted(p for p, _, q, _ in rows if q.answerable and p >= least):
        said = [r for p, r, q, _ in rows if q.answerable and p >= at]
        if sum(said) >= STATED_RIGHT[how] * len(said):
            stated = at
            break
    return stated, min(stated, refusing(CLOSEST_REFUSED))


def report(name, rows, stated, closest):
    yes, no = [r for r in rows if r[2].answerable], [r for r in rows if not r[2].answerable]
    said = [r for r in yes if r[0] >= stated]
    near = [r for r in yes if closest <= r[0] < stated]
    oos = [r for r in no if r[2].asked["kind"] == "oos"]
    share = lambda rows, of: f"{len(rows)} of {len(of)}"
    print(f"| {name} | {len(yes)} | {sum(r[1] for r in yes):.0f} | {len(said)} | {sum(r[1] for r in said):.0f} | {len(near)} | {sum(r[1] for r in near):.0f} | "
          f"{share([r for r in oos if r[0] >= stated], oos)} | {share([r for r in oos if r[0] >= closest], oos)} | {share([r for r in no if r[0] >= stated], no)} |")


def fitted(folder, how, dropped, wrong):
    sets = read(folder, how)
    used = [float(not (how == WORDS and f in ("late", "cosine")) and f not in dropped) for f in FEATURES]
    rows = {}
    for s in sets:
        w = fit([q for o in sets if o != s for q in sets[o]], used)
        rows[s] = [(*chosen(q, w)[:2], q, chosen(q, w)[2]) for q in sets[s]]
    every = [r for s in rows for r in rows[s]]
    stated, closest = thresholds(every, how)
    print(f"{how}: stated from {stated:.3f}, closest from {closest:.3f}")
    print("| left out | questions | shown right | stated | right | closest | right | oos stated | oos shown | none stated |\n|---|---|---|---|---|---|---|---|---|---|")
    for s in rows:
        report(s, rows[s], stated, closest)
    report("all", every, stated, closest)
    for p, right, q, best in every if wrong else []:
        if q.answerable != (p >= stated) or q.answerable and not right:
            print(f"--- {p:.2f} {q.asked['kind']} {q.asked['question']} | {q.asked.get('answer')}\n{best and best['text']}")
    w = fit([q for s in sets for q in sets[s]], used)
    print(dict(zip(FEATURES, (round(float(x), 2) for x in w))))
    return w, stated, closest


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("folder"); p.add_argument("--write"); p.add_argument("--wrong", action="store_true"); p.add_argument("--without", nargs="*", default=[])
    a = p.parse_args()
    found = {how: fitted(a.folder, how, a.without, a.wrong) for how in (MEANING, WORDS)}
    if a.write:
        path, shown = pathlib.Path(a.write), lambda w: "[" + ", ".join(f"{x:.3f}" for x in w) + "]"
        text = path.read_text()
        names = {"BY_MEANING": found[MEANING][0], "BY_WORDS": found[WORDS][0], "STATED_FROM": [f[1] for f in found.values()], "CLOSEST_FROM": [f[2] for f in found.values()]}
        text = re.sub(r"(SECOND_FROM: f32 = )[\d.]+", rf"\g<1>{SECOND_FROM:.3f}", text)
        for name, values in names.items():
            text = re.sub(rf"(const {name}: [^=]*=\s*)\[[^\]]*\]", rf"\g<1>{shown(values)}", text)
        path.write_text(text)


if __name__ == "__main__":
    main()
