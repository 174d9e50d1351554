#!/usr/bin/env python3
"""Fits the weights of crates/search/src/answer/weights.rs: which block answers, and from which certainty on it is stated.

    tuning/sites.py target/debug CHECKOUTS FOLDER --also SITES    (needs numpy, as all of these do)
    tuning/languages.py target/debug XQUAD MANY de zh ar hi
    tuning/answers.py FOLDER [--many MANY] [--write crates/search/src/answer/weights.rs] [--wrong]

A question's line has it as it was given: `kind` (q: the site answers it; oos: on its subject, and not answered; gone: answered by pages that a small folder lacks;
foreign: a question of another site), `answer`, a pattern of a right answer, and `pages`, those that it may be on (any where there are none).

MANY holds sites and languages of multilingual-e5-small, whose nearness is told relative to other passages: weights of their own, each language left out.

The model is a softmax over a question's blocks and "none". A block is right when it holds the pattern itself, on a right page; where none does, those are right
in whose shown section it is. Penalised, by gradient descent. Each site is left out once, with its small folders: its blocks are chosen by weights that have not seen it. The thresholds come
from those choices, and the weights written are those of all sites but the handbook, which is only reported. A choice is graded by what is shown: it is right when the section holds the pattern.
"""
import argparse, collections, json, pathlib, re
import numpy as np

MEANING, WORDS, MANY = "by meaning", "by words", "in many languages"
FEATURES = ["one", "late", "cosine", "heading", "covered", "place", "share", "absent", "figureless", "first", "passages"]
OF_MEANING = ["late", "cosine", "heading"]
CHECKED = "handbook"  # never fitted to: its questions test what the product states
PENALTY, STEPS = 0.005, 800
UNANSWERED = 2.0  # weight of a question on the site's subject that it does not answer, the hardest kind to refuse
STATED_RIGHT = 0.80  # of what is stated
STATED_REFUSED = {"oos": 0.93, "foreign": 0.95}  # of questions on its subject that the site does not answer, of other sites' questions
SECOND_FROM = 0.3  # a second passage is shown that is at least this share as likely as the best
CLOSEST_REFUSED = 0.80


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
        if how != WORDS:
            for name in OF_MEANING:
                self.features[:, FEATURES.index(name)] = [b[name] for b in self.blocks]
        self.hits = np.array([b["hit"] for b in self.blocks])
        self.sections = np.array([b["section"] for b in self.blocks])
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
        found = [Question(r, how) for r in rows if r["asked"]["kind"] != "kw" and not r["compares"]]
        for q in found:
            q.of_folder = path.name.count(".") > 2
        sets.setdefault(path.name.split(".")[0], []).extend(found)
    # A question asked of several folders counts as much as one asked once.
    for questions in sets.values():
        times = collections.Counter((q.asked["question"], q.of_folder) for q in questions)
        for q in questions:
            q.count = 1.0 / times[q.asked["question"], q.of_folder]
    return sets


def fit(questions, used):
    """Weights under which right blocks, or none, are likeliest."""
    known = [q for q in questions if q.known]
    most = max(len(q.blocks) for q in known)
    features, there, right = np.zeros((len(known), most, len(FEATURES))), np.zeros((len(known), most + 1)), np.zeros((len(known), most + 1))
    for i, q in enumerate(known):
        features[i, :len(q.blocks)], there[i, :len(q.blocks)], right[i, :len(q.blocks)] = q.features, 1.0, q.right
        there[i, most], right[i, most] = 1.0, float(not q.answerable)
    counts = np.array([q.count * (UNANSWERED if q.asked["kind"] == "oos" else 1.0) for q in known])
    counts *= 4.0 / counts.sum()
    w, speed = np.zeros(len(FEATURES)), np.zeros(len(FEATURES))
    shrink = np.full(len(FEATURES), PENALTY)
    shrink[0] = 0.0
    for _ in range(STEPS):
        scores = np.where(there > 0, np.pad(features @ w, ((0, 0), (0, 1))), -np.inf)
        likely = np.exp(scores - scores.max(1, keepdims=True))
        likely /= likely.sum(1, keepdims=True)
        target = right * likely
        target /= target.sum(1, keepdims=True)
        slope = np.einsum("qbf,qb,q->f", features, (target - likely)[:, :-1], counts) - shrink * w
        speed = 0.9 * speed + 0.3 * np.array(used) * slope
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
    of = lambda i: float(likely[:-1][q.hits == q.hits[i]].sum())
    # Of the likeliest passage, its likeliest block.
    best = max(order, key=of)
    near = lambda i: of(i) >= SECOND_FROM * of(best) if q.hits[i] != q.hits[best] else q.sections[i] != q.sections[best] and likely[i] >= SECOND_FROM * likely[best]
    second = max(filter(near, order), key=of, default=None)
    shown = [best] if second is None else [best, second]
    return sum(of(i) for i in {q.hits[i]: i for i in shown}.values()), max(q.shows[i] for i in shown), q.blocks[best]


def thresholds(rows):
    def refusing(kind, share):
        none = sorted((p, q.count) for p, _, q, _ in rows if q.asked["kind"] == kind)
        below = np.cumsum([count for _, count in none])
        return none[int(np.searchsorted(below, share * below[-1]))][0] + 1e-6

    least = max(refusing(kind, share) for kind, share in STATED_REFUSED.items())
    stated = least
    for at in sorted(p for p, _, q, _ in rows if q.answerable and p >= least):
        said = [(r, q.count) for p, r, q, _ in rows if q.answerable and p >= at]
        if sum(r * count for r, count in said) >= STATED_RIGHT * sum(count for _, count in said):
            stated = at
            break
    return stated, min(stated, refusing("oos", CLOSEST_REFUSED))


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
    used = [float(not (how == WORDS and f in OF_MEANING) and f not in dropped) for f in FEATURES]
    rows = {}
    for s in sets:
        w = fit([q for o in sets if o not in (s, CHECKED) for q in sets[o]], used)
        rows[s] = [(*chosen(q, w)[:2], q, chosen(q, w)[2]) for q in sets[s]]
    every = [r for s in rows if s != CHECKED for r in rows[s]]
    stated, closest = thresholds(every)
    print(f"{how}: stated from {stated:.3f}, closest from {closest:.3f}")
    print("| left out | questions | shown right | stated | right | closest | right | oos stated | oos shown | none stated |\n|---|---|---|---|---|---|---|---|---|---|")
    for s in rows:
        report(s, [r for r in rows[s] if not r[2].of_folder], stated, closest)
    report("all", [r for r in every if not r[2].of_folder], stated, closest)
    report("small folders", [r for r in every if r[2].of_folder], stated, closest)
    for p, right, q, best in every if wrong else []:
        if q.answerable != (p >= stated) or q.answerable and not right:
            print(f"--- {p:.2f} {q.asked['kind']} {q.asked['question']} | {q.asked.get('answer')}\n{best and best['text']}")
    w = fit([q for s in sets if s != CHECKED for q in sets[s]], used)
    print(dict(zip(FEATURES, (round(float(x), 2) for x in w))))
    return w, stated, closest


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("folder"); p.add_argument("--many"); p.add_argument("--write"); p.add_argument("--wrong", action="store_true"); p.add_argument("--without", nargs="*", default=[])
    a = p.parse_args()
    if a.write and not a.many:
        p.error("weights are written together: --many is missing")
    folders = {MEANING: a.folder, WORDS: a.folder} | ({MANY: a.many} if a.many else {})
    found = {how: fitted(folder, how, a.without, a.wrong) for how, folder in folders.items()}
    if a.write:
        path, shown = pathlib.Path(a.write), lambda w: "[" + ", ".join(f"{x:.3f}" for x in w) + "]"
        text = path.read_text()
        rows = "".join(f"    {shown(f[0])},\n" for f in found.values())
        text = re.sub(r"(const WEIGHTS: [^=]*= \[\n).*?\];", lambda m: m[1] + rows + "];", text, flags=re.S)
        for name, place in (("STATED_FROM", 1), ("CLOSEST_FROM", 2)):
            text = re.sub(rf"(const {name}: [^=]*= )\[[^\]]*\]", lambda m: m[1] + shown([f[place] for f in found.values()]), text)
        text = re.sub(r"(SECOND_FROM: f32 = )[\d.]+", rf"\g<1>{SECOND_FROM:.3f}", text)
        path.write_text(text)


if __name__ == "__main__":
    main()
