#!/usr/bin/env python3
"""Fits how much names and titles count in the first pass of the retriever `auto` (crates/search/src/retrieve/auto/mod.rs, `weight::NAMED` and `weight::TITLE`).

    for each set: cargo run -p pocketgraph --example candidates -- BUNDLE QUESTIONS.jsonl > FOLDER/SET.candidates.jsonl
    tuning/auto.py FOLDER

A question's line has it as it was given, with the pages that answer it: `pages` (the ends of addresses), `gold_page`, `gold` or `cited_doc_ids` (documents).
The sets were the given documentation sites, Rust's book with the questions of `tuning/sites/rust-book.jsonl`, and the parts of public sets that docs/benchmarks/retrievers.md names.
The weights of words and meaning stand as they are. Those of names and titles are chosen from a grid,
so that the mean of the sets' mean reciprocal rank of the first right document is highest, of equals the lowest weights. Each set is left out once: its figure is that of weights chosen without it. Sets that are hopped belong here too: what the first pass ranks is
hopped from.
"""
import argparse, json, pathlib, re

OTHERS = {0: 4.9, 1: 3.5, 4: 4.2, 5: 0.8}  # cosine, BM25, and these of the question's rest
NAMED, TITLE = 2, 3
CURRENT = (2.9, 2.3)
GRID = [(named, title) for named in (0.0, 1.5, 2.9, 4.5, 6.0, 8.0, 10.0) for title in (0.0, 0.6, 1.2, 2.3, 3.6)]


def stem(url):
    path = re.sub(r"[?#].*$", "", url or "").strip("/").lower()
    return re.sub(r"(^|/)(index|_index|readme)$", "", re.sub(r"\.(html?|md|mdx|rst|adoc|txt)$", "", path)).strip("/")


def answers(asked, candidate):
    path = candidate["path"]
    if "pages" in asked:
        ends = [stem(p) for p in asked["pages"]]
        return any(s == e or s.endswith("/" + e) for e in ends for s in (stem(path), stem(candidate["url"])))
    gold = [asked["gold_page"]] if "gold_page" in asked else asked.get("gold", asked.get("cited_doc_ids", []))
    return path in [str(g) for g in gold]


def read(folder):
    sets = {}
    for file in sorted(pathlib.Path(folder).glob("*.candidates.jsonl")):
        rows = []
        for line in open(file):
            row = json.loads(line)
            if row["asked"].get("kind") != "oos" and row["candidates"]:
                rows.append([(c["features"], answers(row["asked"], c), c["path"]) for c in row["candidates"]])
        sets[file.name.split(".")[0]] = rows
    return sets


def scored(weights):
    if isinstance(weights, dict):
        return lambda x: sum(w * x[i] for i, w in weights.items())
    named, title = weights
    others = scored(OTHERS)
    return lambda x: others(x) + named * x[NAMED] + title * x[TITLE]


def mean_reciprocal_rank(questions, weights):
    score = scored(weights)
    reciprocal = 0.0
    for candidates in questions:
        best, right = {}, set()
        for features, answers, document in candidates:
            best[document] = max(best.get(document, -9e9), score(features))
            if answers:
                right.add(document)
        if right:
            reciprocal += 1 / (1 + sum(best[d] > max(best[r] for r in right) for d in best))
    return reciprocal / len(questions)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    sets = read(parser.parse_args().folder)
    table = {weights: {name: mean_reciprocal_rank(questions, weights) for name, questions in sets.items()} for weights in GRID}

    def best(names):
        mean = {weights: sum(figures[n] for n in names) / len(names) for weights, figures in table.items()}
        top = max(mean.values())
        return min((w for w in GRID if mean[w] > top - 1e-9), key=sum)

    print("| set | questions | lexical | hybrid | current | left out | chosen without it: named, title |\n|---|---|---|---|---|---|---|")
    for name, questions in sets.items():
        chosen = best([n for n in sets if n != name])
        figures = [mean_reciprocal_rank(questions, w) for w in ({1: 1}, {0: 0.7, 1: 0.3}, CURRENT)] + [table[chosen][name]]
        print(f"| {name} | {len(questions)} | " + " | ".join(f"{x:.3f}" for x in figures) + f" | {chosen} |")
    chosen = best(list(sets))
    print(f"chosen from all sets: {chosen}: " + ", ".join(f"{name} {table[chosen][name]:.3f}" for name in sets))


if __name__ == "__main__":
    main()
