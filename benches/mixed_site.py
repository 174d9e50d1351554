#!/usr/bin/env python3
"""Sites that mix an encyclopaedia with documentation, made of public sets: for docs/benchmarks/retrievers.md.

    benches/mixed_site.py DATA OUT

writes OUT/mostly-wiki.jsonl (HotpotQA's passages below wiki/, Hugo's pages below docs/) and OUT/mostly-other.jsonl (the same with Cranfield's
abstracts below papers/), and the questions of each part: OUT/wiki.jsonl, OUT/docs.jsonl, OUT/papers.jsonl with OUT/papers.tsv as judgements.
"""

import json
import pathlib
import sys


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main(data, out):
    out.mkdir(parents=True, exist_ok=True)
    hotpot, hugo, cranfield = data / "hotpotqa_train100", data / "hugo_docs", data / "cranfield"
    wiki = [{"id": f"wiki/{p['idx']}", "title": p["title"], "text": p["text"]} for p in lines(hotpot / "corpus.jsonl")]
    docs = [{"id": f"docs/{p['path']}", "title": p["title"], "text": p["text"]} for p in lines(hugo / "pages.jsonl")]
    papers = [{"id": f"papers/{p['id']}", "title": p["title"], "text": p["text"]} for p in lines(cranfield / "corpus.jsonl")]
    write(out / "mostly-wiki.jsonl", wiki + docs)
    write(out / "mostly-other.jsonl", wiki + docs + papers)
    asked = lines(hotpot / "questions.jsonl")
    write(out / "wiki.jsonl", [{"question": q["question"], "gold": [f"wiki/{g}" for g in q["gold"]]} for q in asked])
    asked = lines(hugo / "known_item.jsonl")
    write(out / "docs.jsonl", [{"question": q["query"], "gold": [f"docs/{q['gold_page']}"]} for q in asked])
    write(out / "papers.jsonl", lines(cranfield / "queries.jsonl"))
    with open(cranfield / "qrels.tsv", encoding="utf-8") as judged, open(out / "papers.tsv", "w", encoding="utf-8") as file:
        for line in judged:
            question, *between, page, grade = line.split()
            file.write("\t".join([question, f"papers/{page}", grade]) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
