#!/usr/bin/env python3
"""Fits the constants of crates/agent/src/answer/order.rs: when a sentence that is made of a passage's words has them in an order that is not the passage's.

    tuning/order.py claims DATA docs > claims.tsv
    CLAIMS=claims.tsv WORDS=words.tsv cargo test -p pocketgraph-agent words_in_order -- --ignored
    tuning/order.py fit words.tsv

Sources: XQuAD's passages in five languages, SciFact's abstracts, this repository's handbook. True claims are sentences with words left out, with their two
halves exchanged at a comma, two sentences brought together, two or three words of one named as a list, XQuAD's questions with their answers, and what experts wrote of SciFact's
abstracts. Mixed ones are sentences with their words in another order, and words drawn from a passage as they come. A setting is the better the more mixed claims it finds, among those that mark at most so many of
a source's true ones (MARKED). Each source is left out once, and judged by the setting that the others chose. What order.rs has was chosen by hand beside
the optimum, and says so.
"""
import itertools, json, pathlib, random, re, sys

MARKED = 0.02
EACH = 200  # claims of a kind and source at most
KINDS = ("left out", "exchanged", "together", "listed", "asked", "expert")
MIXED = ("shuffled", "drawn")


def passages(data, docs):
    """Source, passage."""
    for name in ("xquad_en/corpus.jsonl", *(f"xquad_languages/{l}.corpus.jsonl" for l in ("ar", "de", "hi", "zh"))):
        source = "XQuAD " + (name.split("/")[1].split(".")[0] if "languages" in name else "en")
        for line in open(data / name, encoding="utf-8"):
            yield source, json.loads(line)["text"]
    for line in itertools.islice(open(data / "scifact/corpus.jsonl", encoding="utf-8"), 400):
        yield "SciFact", " ".join(json.loads(line)["sentences"])
    for page in sorted(docs.glob("*.md")):
        for part in page.read_text(encoding="utf-8").split("\n\n"):
            if not part.startswith(("#", "|", "```", "- ", "1. ")):
                yield "handbook", re.sub(r"[`*]|\]\([^)]*\)|\[", "", part)


def sentences(text):
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+(?=\S)|(?<=[。।！？])", text) if s.strip()]


def parts(sentence):
    """Its words, or its characters where no spaces stand between words, and what joins them."""
    words = sentence.split()
    return (words, " ") if len(words) > 4 else (list(re.sub(r"[，。、\s]", "", sentence)), "")


def claims(data, docs):
    random.seed(33)
    counts, all_of = {}, list(passages(data, docs))
    random.shuffle(all_of)

    def say(kind, source, text, claim):
        key = (kind, source)
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= EACH:
            print(kind, source, re.sub(r"\s+", " ", text), re.sub(r"\s+", " ", claim).rstrip(".。।"), sep="\t")

    for source, text in all_of:
        said = [s for s in sentences(text) if len(parts(s)[0]) >= 8]
        if not said:
            continue
        one = random.choice(said)
        words, by = parts(one)
        say("left out", source, text, by.join(w for w in words if random.random() > 0.2))
        halves = re.split(r"[,，、،] ?", one)
        if len(halves) == 2:
            say("exchanged", source, text, f"{halves[1]}, {halves[0]}")
        telling = [w for w in words if len(w) > 3] or words
        say("listed", source, text, ", ".join(random.sample(telling, min(len(telling), random.choice([2, 3])))))
        if len(said) > 1:
            at = random.randrange(len(said) - 1)
            say("together", source, text, f"{said[at].rstrip('.。।')}, {said[at + 1]}")
        mixed = words[:]
        random.shuffle(mixed)
        say("shuffled", source, text, by.join(mixed))
        drawn = parts(text)[0]
        say("drawn", source, text, by.join(random.sample(drawn, min(12, len(drawn)))))
    for language in ("en", "ar", "de", "hi", "zh"):
        stem = f"{data}/xquad_en/" if language == "en" else f"{data}/xquad_languages/{language}."
        texts = [json.loads(line)["text"] for line in open(stem + "corpus.jsonl", encoding="utf-8")]
        for row in map(json.loads, open(stem + "questions.jsonl", encoding="utf-8")):
            answer = (row.get("answers") or [row.get("answer")])[0]
            say("asked", f"XQuAD {language}", texts[row["gold"][0]], f"{row['question'].rstrip('?？؟ ')} {answer}")
    abstracts = {d["id"]: " ".join(d["sentences"]) for d in map(json.loads, open(data / "scifact/corpus.jsonl", encoding="utf-8"))}
    for row in map(json.loads, open(data / "scifact/claims_train.jsonl", encoding="utf-8")):
        for doc in {e["doc"] for e in row["evidence"] if e["label"].startswith("SUPPORT")}:
            say("expert", "SciFact", abstracts[doc], row["claim"])


NEAR, BEFORE, FEWEST, OWN = (1, 2, 3), (0, 1), (1, 2, 3, 4), (0.0, 0.8, 0.9, 1.0)
LEAST = [x / 20 for x in range(5, 14)]
# The forms of the rule, from few constants to many. Words are near which stand so many steps on, or half so which stand so many steps back.
FORMS = {
    "least": list(itertools.product((1,), (0,), (1,), (0.0,), LEAST)),
    "own, least": list(itertools.product((1,), (0,), (1,), OWN, LEAST)),
    "fewest, own, least": list(itertools.product((1,), (0,), FEWEST, OWN, LEAST)),
    "near, fewest, own, least": list(itertools.product(NEAR, (0,), FEWEST, OWN, LEAST)),
    "near, before, fewest, own, least": list(itertools.product(NEAR, BEFORE, FEWEST, OWN, LEAST)),
}


class Claim:
    def __init__(self, row):
        self.kind, self.source, *texts = row.rstrip("\n").split("\t")
        order, said = (text.split(" ") if text else [] for text in texts)
        places = {}
        for at, word in enumerate(order):
            places.setdefault(word, []).append(at)
        held = [w for w in said if w in places]
        self.own = len(held) / len(said) if said else 1.0
        # For each pair of neighbours the least steps forward from one to the other, and the least back.
        self.pairs = []
        for a, b in zip(held, held[1:]):
            if a != b:
                steps = [y - x for x in places[a] for y in places[b]]
                self.pairs.append((min((s for s in steps if s > 0), default=99), min((-s for s in steps if s < 0), default=99)))
        # The share of pairs that are near, for each meaning of near.
        self.share = {}
        for near, before in itertools.product(NEAR, BEFORE):
            told = sum(1.0 if forward <= near else 0.5 if back <= before else 0.0 for forward, back in self.pairs)
            self.share[near, before] = told / max(1, len(self.pairs))

    def is_marked(self, near, before, fewest, own, least):
        return len(self.pairs) >= fewest and self.own >= own and self.share[near, before] < least


def judged(setting, rows):
    """Shares of a source's true claims that are marked, and of its mixed ones that are found; each kind counts alike."""
    marked = {}
    for claim in rows:
        marked.setdefault(claim.kind, []).append(claim.is_marked(*setting))
    shares = {kind: sum(of) / len(of) for kind, of in marked.items()}
    mean = lambda kinds: sum(shares[k] for k in kinds) / len(kinds)
    return mean([k for k in KINDS if k in shares]), mean(MIXED)


def chosen(told, sources):
    """The setting that finds most of these sources' mixed claims, of those that mark few enough of each one's true ones."""
    of = [(max(by[s][0] for s in sources), sum(by[s][1] for s in sources) / len(sources), setting) for setting, by in told.items()]
    allowed = [o for o in of if o[0] <= MARKED] or [min(of)]
    return max(allowed, key=lambda o: (o[1], -o[0]))[2]


def fit(path):
    by_source = {}
    for line in open(path, encoding="utf-8"):
        claim = Claim(line)
        by_source.setdefault(claim.source, []).append(claim)
    sources = sorted(by_source)
    for form, settings in FORMS.items():
        told = {setting: {s: judged(setting, by_source[s]) for s in sources} for setting in settings}
        left = {s: chosen(told, [o for o in sources if o != s]) for s in sources}
        held = {s: told[left[s]][s] for s in sources}
        mean = [sum(h[at] for h in held.values()) / len(held) for at in (0, 1)]
        print(f"{form}: {chosen(told, sources)}; left out: true marked {mean[0]:.3f}, mixed found {mean[1]:.3f}")
        for s in sources:
            print(f"    {s}: {left[s]} marks {held[s][0]:.3f}, finds {held[s][1]:.3f}; by the setting of all {told[chosen(told, sources)][s]}")


if sys.argv[1] == "claims":
    claims(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
else:
    fit(sys.argv[2])
