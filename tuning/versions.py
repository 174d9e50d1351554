#!/usr/bin/env python3
"""Measures answers over two versions of one documentation: paragraphs in which only a value changed, asked for in each version.

    tuning/versions.py PROGRAM OLD NEW OUT [--names 1.0 2.0] [--plant N] [--most N] [--seed N]

OLD and NEW are the folders of documents at two tags. --plant makes NEW from OLD and changes so many values, for repositories whose values seldom change. Two bundles are
built in OUT: one with both versions in folders of their names, and one with both in folders that name no version, where neither is later.

Each changed value is asked for in the old version, in the new one, and without a version, which means the new one. An answer is right if it is stated and quotes the value
first, and mixed if it quotes the other value first. Over the second bundle each is asked for once more: the disagreement has to be named. Values that both versions state alike
are asked for there too, and no disagreement may be named.
"""
import argparse, collections, difflib, json, pathlib, random, re, shutil, subprocess

DOCUMENTS = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt")
VALUE = re.compile(r"(?<![\w.,:/-])\d+(?:[.,]\d+)*(?![\w/-])")


def paragraphs(path):
    """The paragraphs of prose of a file: no code, no front matter, no tables."""
    text = re.sub(r"\A---\n.*?\n---\n|^(```|~~~).*?^\1", "", path.read_text(errors="replace"), flags=re.S | re.M)
    kept = (" ".join(p.split()) for p in re.split(r"\n\s*\n", text))
    return [p for p in kept if len(p) > 30 and p[0] not in "#|<`[{" and "|" not in p]


def sentences(paragraph):
    return [s for s in re.split(r"(?<=[.!?])\s+", paragraph) if 5 <= len(s.split()) <= 40 and s[-1] in ".!" and s[0].isupper() and not re.search(r"http|[\]=|{<]", s)]


def changed(old, new):
    """Pairs of sentences that differ in one value: the old one, the new one, and both values."""
    without = lambda s: VALUE.sub("#", s)
    for a, b in zip(sentences(old), sentences(new)):
        values = [(x, y) for x, y in zip(VALUE.findall(a), VALUE.findall(b)) if x != y]
        if a != b and without(a) == without(b) and len(values) == 1:
            yield a, b, *values[0]


def compare(old, new):
    """Sentences in which only a value changed, and sentences with a value that are the same."""
    found, same = [], []
    for path in sorted(p for p in old.rglob("*") if p.suffix in DOCUMENTS and (new / p.relative_to(old)).is_file()):
        before, after = paragraphs(path), paragraphs(new / path.relative_to(old))
        masked = [[VALUE.sub("#", p) for p in side] for side in (before, after)]
        for block in difflib.SequenceMatcher(None, *masked, autojunk=False).get_matching_blocks():
            for i in range(block.size):
                a, b = before[block.a + i], after[block.b + i]
                found += changed(a, b)
                same += [(s, s, *[VALUE.search(s)[0]] * 2) for s in sentences(a) if a == b and VALUE.search(s)]
    once = collections.Counter(VALUE.sub("#", row[0]) for row in found + same)
    return [[row for row in rows if once[VALUE.sub("#", row[0])] == 1] for rows in (found, same)]


def plant(old, new, count, chance):
    """Copies the old version and changes values in it."""
    shutil.copytree(old, new, dirs_exist_ok=True)
    places = [s for s in compare(old, old)[1] if not re.search(r"\d{4}", s[2])]
    for sentence, _, value, _ in chance.sample(places, min(count, len(places))):
        other = re.sub(r"\d+$", lambda m: str(2 * int(m[0]) + 1), value)
        for path in (p for p in new.rglob("*") if p.suffix in DOCUMENTS):
            text, pattern = path.read_text(errors="replace"), r"\s+".join(map(re.escape, sentence.split()))
            if re.search(pattern, text):
                path.write_text(re.sub(pattern, lambda m: m[0].replace(value, other, 1), text, count=1))
                break


def question(sentence, value):
    """A question for a value: the words of its sentence, the value asked for."""
    before, after = sentence.split(value, 1)
    words = lambda text: re.sub(r"[`*_.,:;()\"]+", " ", text)
    return f"What is the number: {words(before)} how many {words(after)}".strip()


def ask(program, bundle, text):
    told = subprocess.run([program, "ask", bundle, "--json", "--", text], capture_output=True, check=True).stdout
    return json.loads(told).get("answer") or json.loads(told)


def holds(quote, value):
    return re.search(rf"(?<![\d.]){re.escape(value)}(?![\d]|\.\d)", quote) is not None


def share(part, whole):
    return f"{part} of {whole} ({part / whole:.3f})" if whole else "none"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("program", "old", "new", "out"):
        p.add_argument(name, type=pathlib.Path)
    p.add_argument("--names", nargs=2, default=("1.0", "2.0")); p.add_argument("--plant", type=int, default=0)
    p.add_argument("--most", type=int, default=100); p.add_argument("--seed", type=int, default=0)
    a = p.parse_args()
    chance, sides = random.Random(a.seed), {"versions": a.names, "apart": ("first", "second")}
    a.out.mkdir(parents=True, exist_ok=True)
    if a.plant:
        plant(a.old, a.new, a.plant, chance)
    found, same = compare(a.old, a.new)
    found, same = (chance.sample(rows, min(a.most, len(rows))) for rows in (found, same))
    for name, folders in sides.items():
        docs = a.out / f"{name}.docs"
        shutil.rmtree(docs, ignore_errors=True)
        for side, folder in zip((a.old, a.new), folders):
            shutil.copytree(side, docs / folder)
        subprocess.run([a.program, "build", docs, "-o", a.out / name, "--no-runtime"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    counts, told = collections.Counter(), []
    for old, new, before, after in found:
        asked = question(new, after)
        for text, right, wrong in [(f"{asked} in {a.names[0]}?", before, after), (f"{asked} in {a.names[1]}?", after, before), (asked + "?", after, before)]:
            answer = ask(a.program, a.out / "versions", text)
            quotes = [c["quote"] for c in answer["citations"]]
            stated = bool(answer["answered"] and quotes)
            verdict = "silent" if not stated else "right" if holds(quotes[0], right) else "mixed" if holds(quotes[0], wrong) else "wrong"
            counts[verdict] += 1
            told.append(dict(question=text, right=right, wrong=wrong, verdict=verdict, quotes=quotes))
    for rows, kind in ((found, "named"), (same, "falsely")):
        for old, new, before, after in rows:
            answer = ask(a.program, a.out / "apart", question(new, after) + "?")
            named = any(w["code"] == "disagree" for w in answer["warnings"])
            counts[kind] += named
            told.append(dict(question=question(new, after), kind=kind, disagrees=named, quotes=[c["quote"] for c in answer["citations"]]))
    (a.out / "told.jsonl").write_text("".join(json.dumps(row) + "\n" for row in told))
    stated = counts["right"] + counts["wrong"] + counts["mixed"]
    print(f"{len(found)} changed values, {3 * len(found)} questions: stated {share(stated, 3 * len(found))}, right of the stated "
          f"{share(counts['right'], stated)}, mixed {counts['mixed']}; disagreements named {share(counts['named'], len(found))}, falsely {share(counts['falsely'], len(same))}")


if __name__ == "__main__":
    main()
