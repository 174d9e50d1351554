"""Writes tests/exam-questions.bin: hashes of the questions of the evaluation sets.

    POCKETGRAPH_DATA=DATA python3 tuning/exam_questions.py [--list]

DATA is the folder with the sets. The file holds the first five bytes of each question's FNV-1a hash, sorted.
`crates/testing/tests/exam_questions.rs` refuses these questions in the repository. `--list` prints them instead.
"""
import gzip
import json
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
ASKED = ("question", "query")
# Shorter questions are ones that anybody asks.
LEAST_WORDS = 5


def words_of(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def fnv(words):
    value = 0xCBF29CE484222325
    for byte in " ".join(words).encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def questions(data):
    for path in sorted(data.rglob("*.jsonl*")):
        with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as lines:
            for line in lines:
                fields = json.loads(line) if line.strip() else {}
                for name in ASKED:
                    words = words_of(fields[name]) if isinstance(fields.get(name), str) else []
                    if len(words) >= LEAST_WORDS:
                        yield tuple(words)


def main():
    found = set(questions(pathlib.Path(os.environ["POCKETGRAPH_DATA"])))
    if "--list" in sys.argv:
        print("\n".join(sorted(" ".join(words) for words in found)))
        return
    hashes = sorted({fnv(words).to_bytes(8, "big")[:5] for words in found})
    (HERE / "tests/exam-questions.bin").write_bytes(b"".join(hashes))
    print(f"{len(hashes)} questions")


if __name__ == "__main__":
    main()
