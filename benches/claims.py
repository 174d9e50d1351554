"""Claims of passages, true and spoilt, to check citations with: from XQuAD's English passages (corpus.jsonl), whose text is never kept here.

    python3 benches/claims.py DATA/xquad_en/corpus.jsonl > claims.tsv
    CLAIMS=claims.tsv cargo test -p pocketgraph-agent claims_made -- --ignored --nocapture

Prints kind, title, passage and claim in columns: 150 true claims (sentences, whole or without what stands behind their last comma) and 150 spoilt ones,
as evenly as the passages allow of each kind: a number, an ordinal, a name of another article, a denial put in or left out, a comparison turned round, two names
exchanged. Then 100 of the true ones with their words in another order, and 100 made of words drawn from a passage as they come.
"""

import json
import random
import re
import sys

random.seed(28)
pages = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
STOP = "The A An In On At It He She They This These That Those As By For From After Before When While During With However Although But And Its His Her Their Some Many Most Other Another One Two Three To Of If Since Because Such There Both".split()
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
TURNS = {"more": "less", "less": "more", "higher": "lower", "lower": "higher", "largest": "smallest", "smallest": "largest", "highest": "lowest", "most": "fewest", "before": "after", "after": "before", "best": "worst", "earlier": "later", "later": "earlier", "won": "lost", "lost": "won", "increased": "decreased", "above": "below", "greater": "smaller", "increase": "decrease", "over": "under", "larger": "smaller", "since": "until", "better": "worse"}


def names(text):
    found = re.findall(r"(?<=[a-z,] )[A-Z][a-z]{3,}(?: [A-Z][a-z]{2,})*", text)
    return [n for n in found if n.split()[0] not in STOP]


def number(s, page):
    found = re.search(r"\b\d{1,4}\b(?![.,]\d)", s)
    return found and s[: found.start()] + str(int(found.group()) + random.choice([1, 3, 7, 20])) + s[found.end() :]


def ordinal(s, page):
    found = re.search(r"\b(" + "|".join(ORDINALS) + r")\b", s)
    return found and s[: found.start()] + random.choice([o for o in ORDINALS if o != found.group()]) + s[found.end() :]


def name(s, page):
    own = names(s)
    others = [n for p in pages if p["title"] != page["title"] for n in names(p["text"]) if not any(w in page["text"] for w in n.split())]
    if not own:
        return None
    return s.replace(random.choice(own), random.choice(others), 1)


def denied(s, page):
    found = re.search(r"\b(is|was|are|were|has|have|can|could|would|will)\b (?!not|no\b|never)", s)
    return found and "n't" not in s and not re.search(r"\b(not|no|never)\b", s) and s[: found.end()] + "not " + s[found.end() :]


def stated(s, page):
    out = re.sub(r"\b(did|do|does) not ", "", s, count=1)
    out = out if out != s else re.sub(r"\b(not|never) (?!only)", "", s, count=1)
    return out != s and out


def turned(s, page):
    found = re.search(r"\b(" + "|".join(TURNS) + r")\b", s)
    return found and s[: found.start()] + TURNS[found.group()] + s[found.end() :]


def exchanged(s, page):
    own = names(" " + s)
    found = re.match(r"(?:The )?([A-Z][a-z]{3,})(?: [A-Z][a-z]+)* ((?:[a-z]+ )*?(?:defeated|wrote|founded|created|led|invaded|won|conquered|beat|ruled|joined|signed|married|built|discovered|developed|sold|bought|killed|replaced|succeeded|sent|gave|attacked|supported|published|introduced|met) (?:the )?)([A-Z][a-z]{3,})", s)
    if not own or not found or found.group(1) == found.group(3):
        return None
    a, b = found.span(1), found.span(3)
    return s[: a[0]] + found.group(3) + s[a[1] : b[0]] + found.group(1) + s[b[1] :]


claims = []
for page in pages:
    text = re.sub(r"\s+", " ", page["text"])
    for s in re.split(r"(?<=[a-z0-9)]\.) (?=[A-Z])", text):
        if 8 <= len(s.split()) <= 40 and ";" not in s:
            claims.append((page, text, s.rstrip(".")))
random.shuffle(claims)
out, used = [], set()
for page, text, s in claims[:150]:
    cut = s.rsplit(", ", 1)[0]
    s = cut if len(cut.split()) >= 8 and random.random() < 0.5 and cut.count("(") == cut.count(")") and not cut.endswith((" and", " or")) else s
    out.append(("true", page, text, s))
KINDS = {"number": number, "ordinal": ordinal, "name": name, "denied": denied, "stated": stated, "turned": turned, "exchanged": exchanged}
for count in range(150):
    for kind in [*list(KINDS)[count % 7 :], *list(KINDS)[: count % 7]]:
        spoilt = next(((at, v) for at, (page, text, s) in enumerate(claims) if (kind, at) not in used and (v := KINDS[kind](s, page)) and v != s), None)
        if spoilt:
            at, v = spoilt
            used.add((kind, at))
            out.append((kind, claims[at][0], claims[at][1], v))
            break
for page, text, s in claims[:100]:
    mixed = s.split()
    random.shuffle(mixed)
    out.append(("shuffled", page, text, " ".join(mixed)))
for page, text, s in claims[:100]:
    out.append(("drawn", page, text, " ".join(random.sample(text.split(), min(12, len(text.split()))))))
for kind, page, text, s in out:
    print(kind, page["title"].replace("_", " "), text, s, sep="\t")
