#!/usr/bin/env python3
"""A smaller corpus of whole pages, with all that answers the questions: for docs/benchmarks/retrievers.md, where every retriever is to be measured.

    benches/some_pages.py PASSAGES.jsonl.gz QUESTIONS.jsonl N OUT.jsonl

keeps the passages of every page that a question asks for, and of other pages, in the order of the hash of their paths, until there are N.
"""

import collections
import gzip
import hashlib
import json
import sys


def main(passages, questions, most, out):
    pages = collections.defaultdict(list)
    with gzip.open(passages, "rt", encoding="utf-8") as file:
        for line in file:
            pages[json.loads(line)["page"]].append(line)
    with open(questions, encoding="utf-8") as file:
        asked = {json.loads(line)["gold_page"] for line in file}
    def place(page):
        return page not in asked, hashlib.sha256(page.encode()).hexdigest()
    kept, count = set(), 0
    for page in sorted(pages, key=place):
        if page in asked or count + len(pages[page]) <= most:
            kept.add(page)
            count += len(pages[page])
    with open(out, "w", encoding="utf-8") as file:
        for page, lines in pages.items():
            file.writelines(lines if page in kept else [])
    print(f"{count} passages of {len(kept)} pages, {len(asked & kept)} of {len(asked)} pages asked for")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
