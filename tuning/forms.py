"""What another form of a word counts, and a word inside a longer one: OTHER_FORM and PART of companion/languages/src/forms.rs, and whether an unseen form is
to be taken for what begins as it does (crates/search/src/lexical/typo.rs).

    python3 -m pip install snowballstemmer
    python3 tuning/forms.py SETS de ar hi     two minutes; writes tuning/features/forms.json
    python3 tuning/forms.py                   fits OTHER_FORM to what is there; CI checks it so (tuning/check.py)

SETS holds LANGUAGE.corpus.jsonl and LANGUAGE.questions.jsonl. A BM25 of a few lines stands in for the program's: the same folding, k1 and b, without its
correction of misspelt words. Told are recall@1 and recall@5 of each language at each value, and of each language the value that the others choose. What is kept says of
each question of a language, in their order, whether its passage is first: a digit for each four, the first one the highest bit. OTHER_FORM is the value with the highest mean of recall@1.
"""

import bisect
import json
import math
import pathlib
import re
import sys
import unicodedata
from collections import Counter, defaultdict

try:
    import snowballstemmer
except ImportError:  # not for the fit
    snowballstemmer = None

FEATURES = pathlib.Path(__file__).parent / "features/forms.json"
SHARES = (0.3, 0.5, 0.7, 1.0)
ARTICLES = ("وال", "بال", "كال", "فال", "لل", "ال")
PLAIN = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h", "ß": "ss", "ی": "ي", "ى": "ي", "ک": "ك", "ـ": "", "ة": "ه"}
JOINTS = {"de": ("", "s", "es", "n", "en", "e", "er")}
STEMMERS = {"de": "german", "ar": "arabic", "hi": "hindi"}
LEAST_PART = 4
PORTER = snowballstemmer and snowballstemmer.stemmer("english")


def fold(text):
    out, accents = [], True
    for c in unicodedata.normalize("NFKD", text):
        if unicodedata.category(c)[0] == "M":
            if not accents and c != "\u093c":
                out.append(c)
            continue
        for low in c.lower():
            if unicodedata.category(low)[0] != "M":
                accents = low in PLAIN or ord(low) < 0x700
                out.append(str(unicodedata.digit(low)) if low.isdecimal() else PLAIN.get(low, low))
    return "".join(out)


def words(text):
    word, out = "", []
    for c in text + " ":
        if c.isalnum() or c == "_" or unicodedata.category(c)[0] == "M":
            word += c
        elif word:
            out.append(fold(word))
            word = ""
    return [w for w in out if w]


def term(word):
    if re.fullmatch("[a-z]+", word):
        return PORTER.stemWord(word)
    for article in ARTICLES:
        if word.startswith(article) and len(word) - len(article) >= 3:
            return word[len(article):]
    return word


def parts(word, counts, joints):
    best = None
    for at in range(LEAST_PART, len(word) - LEAST_PART + 1):
        front, back = word[:at], word[at:]
        for joint in joints if back in counts else ():
            start = front[: len(front) - len(joint)] if joint and front.endswith(joint) else front if not joint else ""
            if len(start) >= LEAST_PART and start in counts and (best is None or counts[start] * counts[back] > best[0]):
                best = (counts[start] * counts[back], (start, back))
    return best[1] if best else ()


def shared(a, b):
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n


class Language:
    def __init__(self, sets, tag):
        rows = lambda name: [json.loads(line) for line in open(f"{sets}/{tag}.{name}.jsonl", encoding="utf-8")]
        corpus = rows("corpus")
        self.ids = [row.get("idx", i) for i, row in enumerate(corpus)]
        self.docs = [words((row.get("title") or "") + "\n" + row["text"]) for row in corpus]
        self.questions = [(list(dict.fromkeys(map(term, words(row["question"])))), row["gold"]) for row in rows("questions")]
        self.counts = Counter(w for doc in self.docs for w in doc)
        stem = snowballstemmer.stemmer(STEMMERS[tag]).stemWord
        self.stem = {w: stem(w) for w in self.counts}
        self.forms = defaultdict(set)
        for word, of in self.stem.items():
            self.forms[of].add(term(word))
        self.parts = {w: parts(w, self.counts, JOINTS[tag]) for w in self.counts} if tag in JOINTS else {}

    def recall(self, other_form, part, unseen):
        index, lengths = [], []
        for doc in self.docs:
            tf = Counter()
            for word, n in Counter(doc).items():
                tf[term(word)] += n
                for form in self.forms[self.stem[word]] - {term(word)}:
                    tf[form] += other_form * n
                for inside in self.parts.get(word, ()):
                    for form in self.forms[self.stem[inside]] | {term(inside)}:
                        tf[form] += part * n * (1 if form == term(inside) else other_form)
            index.append(tf)
            lengths.append(len(doc))
        mean, postings = sum(lengths) / len(lengths), defaultdict(list)
        for i, tf in enumerate(index):
            for t, n in tf.items():
                if n:
                    postings[t].append((i, n * 2.2 / (n + 1.2 * (0.25 + 0.75 * lengths[i] / mean))))
        known, first, five = sorted(postings), "", 0
        for question, gold in self.questions:
            weights = {t: 1.0 for t in question}
            for t in question if unseen else ():
                if t in postings or len(t) < 5:
                    continue
                at = bisect.bisect(known, t)
                most = max(shared(t, known[j]) for j in (at - 1, at) if 0 <= j < len(known))
                if most >= max(4, 0.6 * len(t)):
                    begun = [k for k in known[bisect.bisect_left(known, t[:most]):][:8] if k.startswith(t[:most])]
                    weights.update({k: 0.7 / len(begun) ** 0.5 for k in begun if k not in weights})
            scores = defaultdict(float)
            for t, weight in weights.items():
                found = postings.get(t, ())
                for i, share in found:
                    scores[i] += weight * share * math.log(1 + (len(self.docs) - len(found) + 0.5) / (len(found) + 0.5))
            gold = gold if isinstance(gold, list) else [gold]
            best = [self.ids[i] for i, _ in sorted(scores.items(), key=lambda s: (-s[1], s[0]))[:5]]
            first += "01"[bool(best) and best[0] in gold]
            five += any(b in gold for b in best)
        return first, five / len(self.questions)


def recall_of(first):
    return first.count("1") / len(first)


def told(recall):
    return f"{recall_of(recall[0]):.4f} / {recall[1]:.4f}"


def measure(sets, tags):
    """Measures the languages, and keeps which passages are first at each share."""
    languages = {tag: Language(sets, tag) for tag in tags}
    for tag, language in languages.items():
        print(tag, "words as they are", told(language.recall(0, 0, False)), "unseen forms by their beginning", told(language.recall(0, 0, True)))
    kept = {tag: {} for tag in tags}
    for share in SHARES:
        for tag, language in languages.items():
            found = language.recall(share, 0, True)
            kept[tag][str(share)] = found[0]
            print(tag, "OTHER_FORM", share, told(found))
    for tag, language in languages.items():
        for share in (0.2, 0.35, 0.5, 0.7, 1.0) if language.parts else ():
            print(tag, "PART", share, told(language.recall(0.5, share, True)))
    pack = lambda bits: f"{len(bits)} " + f"{int(bits.ljust(-(-len(bits) // 4) * 4, '0'), 2):0{-(-len(bits) // 4)}x}"
    packed = {tag: {share: pack(bits) for share, bits in of.items()} for tag, of in kept.items()}
    FEATURES.parent.mkdir(exist_ok=True)
    FEATURES.write_text(json.dumps(packed, indent=1) + "\n", encoding="utf-8")


def fit():
    """The constant that the stored features give."""
    def unpack(packed):
        length, digits = packed.split()
        return f"{int(digits, 16):0{4 * len(digits)}b}"[: int(length)]

    table = {tag: {float(share): recall_of(unpack(of)) for share, of in shares.items()} for tag, shares in json.loads(FEATURES.read_text(encoding="utf-8")).items()}
    best = lambda tags: max(SHARES, key=lambda share: sum(table[tag][share] for tag in tags))
    for tag in table:
        share = best([other for other in table if other != tag])
        print(f"without {tag}: OTHER_FORM {share}, which gives {tag} {table[tag][share]:.4f}")
    return {"OTHER_FORM": best(table)}


if __name__ == "__main__":
    if sys.argv[1:]:
        measure(sys.argv[1], sys.argv[2:])
    print(fit())
