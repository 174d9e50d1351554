#!/usr/bin/env python3
"""Fits the weights of crates/search/src/answer/weights.rs: which block answers, and from which certainty on it is stated.

    tuning/sites.py target/debug CHECKOUTS FOLDER --also SITES    (needs numpy from here on)
    POCKETGRAPH_QUOTABLE=FOLDER/xquad.quotable.jsonl cargo test -p pocketgraph-search --lib measure
    tuning/languages.py target/debug XQUAD E5 de zh ar hi en; tuning/sites.py … E5 --embedder multilingual-e5-small
    tuning/answers.py FOLDER [--e5 E5] [--write crates/search/src/answer/weights.rs]

A question's line has it as it was given: `kind` (q: the set answers it; oos: nothing like it is there; foreign: a question of another set), `answer`, a pattern of
a right answer, and `pages`, those it may be on (any where there are none).

Blocks: a softmax over a question's blocks, of which those that hold the pattern in their first 420 characters, on a right page, are right (a logistic regression
over choices). Certainty: a logistic regression on the block chosen. Both with a quadratic penalty, by gradient descent. Each set is left out
once: its blocks are chosen by weights, and its certainties told by weights, that have not seen it. Thresholds come from those certainties. The weights written
are those of all sets. With --e5 only the weights for multilingual-e5-small's cosines are fitted: a set is a language of XQuAD's, or a site. XQuAD's questions are known by words alone, every other one is taken, and what they ask of paragraphs without their article is foreign.
"""
import argparse, json, math, pathlib, re
import numpy as np

SHOWN = 420  # what a reader sees of an answer at once, and what is graded
MEANING, WORDS, E5 = "by meaning", "by words", "by multilingual-e5-small"
PENALTY = {MEANING: 0.2, WORDS: 0.02, E5: 0.02}  # by meaning there are some two hundred questions of sites; else also XQuAD's
SHRINK = 0.002  # of the weights of certainty
STEPS = 200
FEATURES = ["cosine", "own", "near", "share", "first-block", "names", "manner-names", "dangling", "leans-back", "echo", "length", "near-agrees", "beside", "figures"]
COSINE = 0
BESIDE = 12
CERTAINTY = ["one", "cosine", "covered", "own", "absent", "rarest-absent", "dense", "margin", "terms", "quoted", "no-figure", "headed"]
# What certainty is told by where there are vectors; the others add nothing on sites left out, and by words they do.
USED = {MEANING: ["one", "cosine", "covered", "dense", "margin", "no-figure", "headed"], WORDS: CERTAINTY, E5: CERTAINTY}
STATED_RIGHT = 0.85  # of what is stated where the set answers
STATED_REFUSES = {MEANING: 0.9, WORDS: 0.95, E5: 0.97}  # of other sets' questions, most of them about software too; where XQuAD's are more, of those
NEAR_REFUSED = 0.95  # of questions about a site's own subject that it does not answer
CLOSEST_REFUSES = 0.75
# Where the descent starts and what its penalty pulls to: that likeness and words count, and what is no answer by its form.
START = [4.0, 1.2, 0.8, 1.2, 0.4, 0.8, 0.4, -1.2, -0.8, -1.2, 0.2, 0.2, 0.5, 0.3]


def stem(url):
    path = re.sub(r"[?#].*$", "", url or "").strip("/").lower()
    return re.sub(r"(^|/)(index|_index|readme)$", "", re.sub(r"\.(html?|md|mdx|rst|adoc|txt)$", "", path)).strip("/")


def on_page(url, pages):
    return not pages or any(stem(url) == stem(p) or stem(url).endswith("/" + stem(p)) for p in pages)


class Block:
    def __init__(self, told, asked, cosine):
        self.features = list(told["features"])
        self.features[COSINE] = cosine
        self.covered, self.hit, self.text = told["covered"], told["hit"], told.get("text", "")[:SHOWN]
        self.lacks_figure = float(told["lacks_figure"])
        self.right = told.get("right", bool(asked.get("answer") and re.search(asked["answer"], self.text)))
        # What answers on a page that was not listed may be right: nothing is learnt of it.
        self.known = not self.right or on_page(told.get("url"), asked.get("pages"))


class Question:
    def __init__(self, row, how):
        by_meaning = how != WORDS
        self.asked, self.grounds, self.answerable = row["asked"], row["grounds"], row["asked"]["kind"] == "q"
        self.weight = self.asked.get("weight", 1.0)
        told = [b for b in row["blocks"] if not by_meaning or b["cosine"] is not None]
        self.blocks = [Block(b, self.asked, b["cosine"] if by_meaning else 0.0) for b in told]
        if not by_meaning:  # without the model no hit has a cosine
            self.grounds[CERTAINTY.index("dense")] = 0.0


def read(folder, how):
    by_meaning, sets = how != WORDS, {}
    for path in sorted(pathlib.Path(folder).glob("*.quotable.jsonl")):
        lines = list(open(path))
        rows = [Question(json.loads(line), how) for line in (lines if len(lines) < 500 else [l for i, l in enumerate(lines) if i % 4 < 2])]
        name, kept = path.name.split(".")[0], [q for q in rows if q.asked["kind"] != "kw" and (q.blocks or not by_meaning)]
        if len(lines) < 500:
            sets[name] = kept
        elif not by_meaning:  # XQuAD's articles come one after the other: its halves share none
            half = len(kept) // 2
            sets |= {f"{name}, first half": kept[:half], f"{name}, second half": kept[half:]}
    return sets


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def fit_choice(questions, start, penalty):
    """Weights under which right blocks are likeliest, by full gradient descent with momentum."""
    start = np.array(start)
    w, speed = start.copy(), np.zeros_like(start)
    used = [[b for b in q.blocks if b.known] for q in questions]
    used = [blocks for blocks in used if any(b.right for b in blocks) and not all(b.right for b in blocks)]
    used = [(np.array([b.features for b in blocks]), np.array([float(b.right) for b in blocks])) for blocks in used]
    for _ in range(STEPS):
        slope = -penalty * (w - start)
        for features, right in used:
            scores = features @ w
            likely = np.exp(scores - scores.max())
            slope += features.T @ (likely * right / (likely @ right) - likely / likely.sum()) / len(used)
        speed = 0.9 * speed + 0.3 * slope
        w = w + speed
    return [float(x) for x in w]


def chosen(q, w):
    """The block that is chosen, and the grounds of certainty as the engine has them."""
    order = sorted(range(len(q.blocks)), key=lambda i: (-dot(w, q.blocks[i].features), i))
    if not order:
        return None
    best = q.blocks[order[0]]
    second = next((q.blocks[i] for i in order if q.blocks[i].hit != best.hit), None)
    margin = 0.0 if second is None else max(0.0, min(3.0, dot(w, best.features) - dot(w, second.features)))
    g = q.grounds
    return best, [1.0, best.features[COSINE], best.covered, best.features[1], g[4], g[5], g[6], margin, g[8], best.features[1] + best.features[BESIDE], best.lacks_figure, best.features[2]]


def fit_certainty(rows, used):
    """Weights of a logistic regression."""
    grounds, right = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    share = np.array([r[2] for r in rows]) / (sum(r[2] for r in rows) or 1.0)
    w, speed, shrink = np.zeros(len(CERTAINTY)), np.zeros(len(CERTAINTY)), np.full(len(CERTAINTY), SHRINK)
    shrink[0] = 0.0
    for _ in range(4 * STEPS):
        p = 1 / (1 + np.exp(-np.clip(grounds @ w, -30, 30)))
        speed = 0.9 * speed + (np.array(used) * (grounds.T @ (share * (right - p))) - shrink * w)
        w = w + speed
    return [float(x) for x in w]


def certainty_rows(questions, w):
    found = [(q, chosen(q, w)) for q in questions]
    return [(f[1], float(f[0].right), q.weight, q, f[0]) for q, f in found if f]


def refusing(told, share):
    """The lowest certainty that so large a share of the questions without an answer stays below."""
    none = sorted(p for p, _, q, _ in told if not q.answerable)
    return none[min(len(none) - 1, int(share * len(none)))] + 1e-6 if none else 1.0


def stating(told, how):
    """The lowest certainty from which on enough of what is stated is right, and enough of other sets' questions are refused."""
    least = max(refusing([t for t in told if t[2].asked["kind"] == kind], share) for kind, share in (("foreign", STATED_REFUSES[how]), ("oos", NEAR_REFUSED)))
    for at in sorted(p for p, _, q, _ in told if q.answerable and p >= least):
        said = [r for p, r, q, _ in told if q.answerable and p >= at]
        if sum(said) >= STATED_RIGHT * len(said):
            return at
    return least


def fit(folder, how, start):
    sets = read(folder, how)
    used = [float(name in USED[how]) for name in CERTAINTY]
    left_out = {s: fit_choice([q for o in sets if o != s for q in sets[o]], start, PENALTY[how]) for s in sets}
    rows = {s: certainty_rows(sets[s], left_out[s]) for s in sets}
    told, by_set = [], {}
    for s in sets:
        w = fit_certainty([r[:3] for o in sets if o != s for r in rows[o]], used)
        by_set[s] = [(1 / (1 + math.exp(-dot(w, grounds))), right, q, best) for grounds, right, _, q, best in rows[s]]
        told += by_set[s]
    stated, closest = stating(told, how), refusing(told, CLOSEST_REFUSES)
    print(f"{how}: stated from {stated:.2f}, closest from {closest:.2f}")
    print("| left out | questions | best possible | block right | stated | right of stated | refused, nothing like it | refused, other sets' |\n|---|---|---|---|---|---|---|---|")
    for s in list(sets) + ["all"]:
        mine = by_set.get(s, told)
        can = sum(any(b.right for b in q.blocks) for n in sets if s in (n, "all") for q in sets[n])
        yes = [(p, r) for p, r, q, _ in mine if q.answerable]
        said = [r for p, r in yes if p >= stated]
        none = lambda kind: [p for p, _, q, _ in mine if q.asked["kind"] == kind]
        refused = lambda kind: f"{sum(p < stated for p in none(kind))} of {len(none(kind))}"
        print(f"| {s} | {len(yes)} | {can} | {sum(r for _, r in yes):.0f} | {len(said)} | {sum(said):.0f} | {refused('oos')} | {refused('foreign')} |")
    w = fit_choice([q for s in sets for q in sets[s]], start, PENALTY[how])
    c = fit_certainty([r[:3] for s in sets for r in certainty_rows(sets[s], w)], used)
    return w, c, stated, min(stated, closest), by_set


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("folder", nargs="?"); p.add_argument("--e5"); p.add_argument("--write"); p.add_argument("--wrong", action="store_true")
    a = p.parse_args()
    fitted = {E5: fit(a.e5, E5, START)} if a.e5 else {MEANING: fit(a.folder, MEANING, START), WORDS: fit(a.folder, WORDS, [0.0] + START[1:])}
    if a.wrong:
        for s, told in next(iter(fitted.values()))[4].items():
            for p_, right, q, best in told:
                if q.answerable and not right:
                    print(f"--- {s} {p_:.2f} {q.asked['question']} | {q.asked['answer']}\n{best.text}")
    for how, (w, c, *_) in fitted.items():
        print(how, dict(zip(FEATURES, (round(x, 2) for x in w))))
        print("certainty", how, dict(zip(CERTAINTY, (round(x, 2) for x in c))))
    if a.write:
        path = pathlib.Path(a.write)
        text = path.read_text()
        shown = lambda w: "[" + ", ".join(f"{x:.3f}" for x in w) + "]"
        names = {MEANING: ("BY_MEANING", "CERTAINTY"), WORDS: ("BY_WORDS", "CERTAINTY_BY_WORDS"), E5: ("BY_E5", "CERTAINTY_BY_E5")}
        for how, (w, c, stated, closest, _) in fitted.items():
            for name, value in zip(names[how], (w, c)):
                text = re.sub(rf"(const {name}: [^=]*=\s*)\[[^\]]*\]", rf"\g<1>{shown(value)}", text)
            for name, value in (("STATED_FROM", stated), ("CLOSEST_FROM", closest)):
                listed = re.search(rf"const {name}: [^=]*= \[([^\]]*)\]", text).group(1).split(", ")
                listed[list(names).index(how)] = f"{value:.3f}"
                text = re.sub(rf"(const {name}: [^=]*= )\[[^\]]*\]", rf"\g<1>[{', '.join(listed)}]", text)
        path.write_text(text)


if __name__ == "__main__":
    main()
