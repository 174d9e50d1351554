#!/usr/bin/env python3
"""Measures how much words count for a question that may be in another language than the documents (COMMON_LANGUAGE of crates/search/src/retrieve/fusion.rs).

    tuning/across.py PROGRAM CANDIDATES XQUAD OUT LANGUAGE…

CANDIDATES is the example `candidates` (cargo build -p pocketgraph --example candidates), XQUAD holds LANGUAGE.corpus.jsonl and LANGUAGE.questions.jsonl. Every third
question of each language is asked over the passages of its own language and over those of the first language named. The share of a question's words, by rarity, that its best
passage holds tells how much BM25 counts beside the cosine in the first pass of `auto`: all of it from COMMON_LANGUAGE on, below in proportion. For each value the mean of recall@1 is told,
within languages and across them, and for each language the value that is best for the others.
"""
import json, pathlib, subprocess, sys

WEIGHT = 75  # of multilingual-e5-small's cosine (companion/models/src/e5/mod.rs)
USUAL = 70  # FUSION_WEIGHT
COSINE, WORDS, NAMED, TITLE, COSINE_REST, WORDS_REST = range(6)
GRID = (0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)


def rank_of(row, least, gold):
    meaning = (WEIGHT / (100 - WEIGHT)) / (USUAL / (100 - USUAL))
    words = min(1.0, row["held"] / least) if least else 1.0
    score = lambda x: (2.9 * x[NAMED] + 2.3 * x[TITLE] + words * (3.5 * x[WORDS] + 0.8 * x[WORDS_REST])
                       + meaning * (4.9 * x[COSINE] + 4.2 * x[COSINE_REST]))
    scored = sorted(row["candidates"], key=lambda c: -score(c["features"]))
    return next((i for i, c in enumerate(scored) if c["path"] in gold), 99)


def main():
    program, candidates, sets, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    languages = sys.argv[5:]
    out.mkdir(parents=True, exist_ok=True)
    found = {}
    for asked in languages:
        questions = out / f"{asked}.third.jsonl"
        questions.write_text("".join(list(open(sets / f"{asked}.questions.jsonl"))[::3]))
        for over in dict.fromkeys((asked, languages[0])):
            bundle, told = out / f"{over}.bundle", out / f"{asked}-{over}.jsonl"
            if not (bundle / "manifest.json").exists():
                spoken = ["--question-languages", ",".join(languages)] if over == languages[0] else []
                how = ["--corpus", sets / f"{over}.corpus.jsonl", "--questions", sets / f"{over}.questions.jsonl", "--first", "1", "--retrievers", "auto"]
                subprocess.run([program, "eval", "retrieval", *how, *spoken, "--embedder", "multilingual-e5-small", "--bundle", bundle], check=True, stdout=subprocess.DEVNULL)
            if not told.exists():
                with open(told, "w") as file:
                    subprocess.run([candidates, bundle, questions], check=True, stdout=file)
            rows = [json.loads(line) for line in open(told)]
            of = lambda least: [rank_of(row, least, [str(g) for g in row["asked"]["gold"]]) for row in rows]
            found[asked, over] = {least: of(least) for least in GRID}
    recall = lambda pair, least, k: sum(r < k for r in found[pair][least]) / len(found[pair][least])
    print("| least |", " | ".join(f"{a} over {o}: @1, @5" for a, o in found), "|")
    for least in GRID:
        print(f"| {least} |", " | ".join(f"{recall(pair, least, 1):.3f}, {recall(pair, least, 5):.3f}" for pair in found), "|")
    mean = lambda pairs, least: sum(recall(p, least, 1) for p in pairs) / len(pairs)
    for left in languages:
        others = [p for p in found if p[0] != left]
        best = max(GRID, key=lambda least: mean(others, least))
        mine = [p for p in found if p[0] == left]
        print(f"{left} left out: {best}; its mean {mean(mine, best):.3f}, with none {mean(mine, 0):.3f}")


if __name__ == "__main__":
    main()
