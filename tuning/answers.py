#!/usr/bin/env python3
"""Fits the weights of src/answer/weights.rs: which block answers, and from which certainty on it is stated.

    for each set: cargo run --example quotable -- BUNDLE QUESTIONS.jsonl > SET.quotable.jsonl
    tuning/answers.py FOLDER [--write src/answer/weights.rs]

FOLDER holds what the example `quotable` of the companion printed, SET.quotable.jsonl a set. A question's line has the question as it was given: `answer`,
a pattern of a right answer, `pages`, the pages it may be on (any where there are none), or neither, for a question that the set does not answer. Questions of
one set asked of another's bundle are such questions too, and there are many of them.

Blocks: a softmax over a question's blocks, of which those that hold the pattern in their first 420 characters, on a right page, are right (a logistic
regression over choices). Certainty: a logistic regression on the block chosen. Both with a quadratic penalty, by gradient descent, in plain Python. Each
set is left out once: its blocks are chosen by weights, and its certainties told by weights, that have not seen it. Thresholds come from those certainties:
what questions without an answer stay below. The weights written are those of all sets.
"""
import argparse, json, math, pathlib, re, sys

SHOWN = 420  # what a reader sees of an answer at once, and what is graded
PENALTY = 0.02
STEPS = 120
FEATURES = ["cosine", "own", "near", "far", "share", "first-hit", "dense", "first-block", "cue", "manner-code", "dangling", "short", "reference", "echo",
            "code-alone", "reply", "row", "length", "near-agrees", "far-agrees"]
CERTAINTY = ["one", "cosine", "covered", "own", "absent", "rarest-absent", "dense", "margin", "terms"]
STATED_REFUSES = 0.93  # of questions that a set does not answer, most of them about software too, so many are below what is stated
CLOSEST_REFUSES = 0.75


def stem(url):
    path = re.sub(r"[?#].*$", "", url or "").strip("/").lower()
    return re.sub(r"(^|/)(index|_index|readme)$", "", re.sub(r"\.(html?|md|mdx|rst|adoc|txt)$", "", path)).strip("/")


def on_page(url, pages):
    return not pages or any(stem(url) == stem(p) or stem(url).endswith("/" + stem(p)) for p in pages) or any(stem(url).startswith(stem(p)) for p in pages)


def read(folder, by_meaning):
    """The questions of all sets: blocks as (features, certainty's part, right, hit); those that were not embedded are left out by meaning."""
    sets = {}
    for path in sorted(pathlib.Path(folder).glob("*.quotable.jsonl")):
        name = path.name.split(".")[0]
        for line in open(path):
            row = json.loads(line)
            asked, blocks = row["asked"], []
            for b in row["blocks"]:
                cosine = b["cosine"] if by_meaning else 0.0
                if cosine is None:
                    continue
                features = list(b["features"])
                features[0] = cosine
                if not by_meaning:
                    features[6] = 0.0
                right = bool(asked.get("answer") and re.search(asked["answer"], b["text"][:SHOWN]))
                known = not right or on_page(b["url"], asked.get("pages"))
                if not by_meaning:
                    row["grounds"][6] = 0.0  # without the model no hit has a cosine
                blocks.append((features, cosine, b["covered"], right and known, known, b["hit"], b["text"][:SHOWN]))
            sets.setdefault(name, []).append(dict(asked=asked, grounds=row["grounds"], blocks=blocks, compares=row["compares"], weight=asked.get("weight", 1.0)))
    return sets


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def fit_choice(questions, start):
    """Weights under which right blocks are likeliest, by full gradient descent with momentum."""
    w, speed = list(start), [0.0] * len(start)
    used = [q for q in questions if any(b[3] for b in q["blocks"]) and any(not b[3] and b[4] for b in q["blocks"])]
    total = sum(q["weight"] for q in used) or 1.0
    for _ in range(STEPS):
        slope = [-PENALTY * (x - s) for x, s in zip(w, start)]
        for q in used:
            blocks = [b for b in q["blocks"] if b[4]]
            scores = [dot(w, b[0]) for b in blocks]
            top = max(scores)
            likely = [math.exp(s - top) for s in scores]
            whole, right = sum(likely), sum(l for l, b in zip(likely, blocks) if b[3])
            for l, b in zip(likely, blocks):
                pull = q["weight"] / total * ((l / right if b[3] else 0.0) - l / whole)
                if pull:
                    for i, x in enumerate(b[0]):
                        slope[i] += pull * x
        speed = [0.9 * v + 0.3 * s for v, s in zip(speed, slope)]
        w = [x + v for x, v in zip(w, speed)]
    return w


def chosen(q, w):
    order = sorted(range(len(q["blocks"])), key=lambda i: (-dot(w, q["blocks"][i][0]), i))
    if not order:
        return None
    best = q["blocks"][order[0]]
    second = next((q["blocks"][i] for i in order if q["blocks"][i][5] != best[5]), None)
    margin = 0.0 if second is None else max(0.0, min(3.0, dot(w, best[0]) - dot(w, second[0])))
    g = q["grounds"]
    return best, [1.0, best[1], best[2], best[0][1], g[4], g[5], g[6], margin, g[8]]


def fit_certainty(rows):
    """Weights of a logistic regression; each kind of row, answered and not, counts as a half."""
    n = len(CERTAINTY)
    w, speed = [0.0] * n, [0.0] * n
    total = sum(r[2] for r in rows) or 1.0
    for _ in range(4 * STEPS):
        slope = [-0.002 * x for x in w]
        slope[0] = 0.0
        for grounds, right, weight in rows:
            p = 1 / (1 + math.exp(-max(-30, min(30, dot(w, grounds)))))
            for i, x in enumerate(grounds):
                slope[i] += weight / total * (right - p) * x
        speed = [0.9 * v + 1.0 * s for v, s in zip(speed, slope)]
        w = [x + v for x, v in zip(w, speed)]
    return w


def certainty_rows(sets, weights_of):
    rows = {}
    for name, questions in sets.items():
        for q in questions:
            found = chosen(q, weights_of(name))
            if found:
                best, grounds = found
                answerable = bool(q["asked"].get("answer"))
                # Answers on other pages than were listed may be right: nothing is learnt of them.
                if best[4]:
                    rows.setdefault(name, []).append((grounds, float(best[3]), q["weight"] * (1.0 if answerable else q.get("foreign", 0.35)), q, best))
    return rows


def threshold(told, refused):
    """The lowest certainty that so large a share of the questions without an answer stays below."""
    none = sorted(p for p, _, _, answerable in told if not answerable)
    return none[min(len(none) - 1, int(refused * len(none)))] if none else 1.0


def fit(folder, by_meaning, start):
    sets = read(folder, by_meaning)
    sites = [s for s in sets]
    left_out = {s: fit_choice([q for o in sites if o != s for q in sets[o]], start) for s in sites}
    rows = certainty_rows(sets, lambda name: left_out[name])
    told, table = [], []
    for s in sites:
        w = fit_certainty([r[:3] for o in sites if o != s for r in rows.get(o, [])])
        for grounds, right, weight, q, best in rows.get(s, []):
            told.append((1 / (1 + math.exp(-dot(w, grounds))), right, q["weight"], bool(q["asked"].get("answer"))))
            table.append((s, told[-1], q, best))
    stated = threshold(told, STATED_REFUSES)
    print(f"{'by meaning' if by_meaning else 'by words'}: stated from {stated:.2f}")
    print("| left out | questions | block right | best possible | stated | right of stated | refused |\n|---|---|---|---|---|---|---|")
    for s in sites + ["all"]:
        mine = [(p, r, a) for n, (p, r, _, a), _, _ in table if s in (n, "all")]
        can = sum(any(b[3] for b in q["blocks"]) for n in sites if s in (n, "all") for q in sets[n])
        yes = [(p, r) for p, r, a in mine if a]
        no = [p for p, r, a in mine if not a]
        said = [r for p, r in yes if p >= stated]
        print(f"| {s} | {len(yes)} | {sum(r for _, r in yes):.0f} | {can} | {len(said)} | {sum(said) / max(1, len(said)):.2f} | {sum(p < stated for p in no)} of {len(no)} |")
    w = fit_choice([q for s in sites for q in sets[s]], start)
    c = fit_certainty([r[:3] for r in sum(certainty_rows(sets, lambda _: w).values(), [])])
    return w, c, stated, min(stated, threshold(told, CLOSEST_REFUSES)), table


# Where the descent starts and what its penalty pulls to: that likeness and words count, and what is no answer by its form.
BY_MEANING = [4.0, 1.0, 0.6, 0.3, 0.8, 0.3, 0.5, 0.1, 0.3, 0.3, -1.0, -0.7, -0.5, -0.8, -0.2, 0.3, -0.2, 0.2, 0.4, 0.2]
BY_WORDS = [0.0, 1.6, 1.0, 0.4, 0.9, 0.3, 0.0, 0.1, 0.3, 0.3, -1.0, -0.7, -0.5, -0.8, -0.2, 0.3, -0.2, 0.2, 0.4, 0.2]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("folder"); p.add_argument("--write"); p.add_argument("--wrong", action="store_true")
    a = p.parse_args()
    meaning, words = fit(a.folder, True, BY_MEANING), fit(a.folder, False, BY_WORDS)
    if a.wrong:
        for s, (p_, r, _, answerable), q, best in meaning[4]:
            if answerable and not r and q["weight"] == 1.0:
                print(f"--- {s} {p_:.2f} {q['asked']['question']} | {q['asked']['answer']}\n{best[6]}")
    shown = lambda w: "[" + ", ".join(f"{x:.3f}" for x in w) + "]"
    for label, w in (("by meaning", meaning[0]), ("by words", words[0])):
        print(label, dict(zip(FEATURES, (round(x, 2) for x in w))))
    for label, w in (("by meaning", meaning[1]), ("by words", words[1])):
        print("certainty", label, dict(zip(CERTAINTY, (round(x, 2) for x in w))))
    if a.write:
        path = pathlib.Path(a.write)
        text = path.read_text()
        for name, value in [("BY_MEANING", shown(meaning[0])), ("BY_WORDS", shown(words[0])), ("CERTAINTY", shown(meaning[1])), ("CERTAINTY_BY_WORDS", shown(words[1])),
                            ("STATED_FROM", shown((meaning[2], words[2]))), ("CLOSEST_FROM", shown((meaning[3], words[3])))]:
            text = re.sub(rf"(const {name}: [^=]*=\s*)\[[^\]]*\]", rf"\g<1>{value}", text)
        path.write_text(text)


if __name__ == "__main__":
    main()
