"""Made-up shards for measuring size: Parquet files as engines write them, with passages of sentences of real ones in new orders and clustered vectors.

    python tests/scale/made_up.py --passages PASSAGES.jsonl.gz --chunks 1000000 --out DIR [--vectors REAL.npy] [--rows 10000]

Ten passages a page. With --vectors each vector is a mixture of two real ones and noise; without, it lies near one of 4,000 centres of a space of 96 directions.
The same arguments give the same files.
"""

import argparse
import gzip
import json
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DIMENSION = 384
CENTRES, DIRECTIONS = 4000, 96
PER_PAGE = 10


def sentences(passages: pathlib.Path) -> tuple[list[str], list[list[str]]]:
    """Titles, and the sentences of each passage."""
    titles, texts = [], []
    with gzip.open(passages, "rt") as lines:
        for line in lines:
            passage = json.loads(line)
            titles.append(passage["title"])
            texts.append([s for s in passage["text"].replace("\n", " ").split(". ") if len(s) > 2])
    return titles, [t for t in texts if t]


class Vectors:
    """Draws unit vectors that lie in groups."""

    def __init__(self, random: np.random.Generator, real: np.ndarray | None):
        self.random, self.real = random, real
        if real is None:
            self.directions = np.linalg.qr(random.standard_normal((DIMENSION, DIRECTIONS)))[0].T
            self.centres = random.standard_normal((CENTRES, DIRECTIONS)) @ self.directions

    def draw(self, rows: int) -> np.ndarray:
        if self.real is not None:
            one, two = (self.real[self.random.integers(0, len(self.real), rows)].astype(np.float32) for _ in range(2))
            share = self.random.uniform(0.6, 0.95, (rows, 1)).astype(np.float32)
            out = share * one + (1 - share) * two + self.random.normal(0, 0.008, (rows, DIMENSION)).astype(np.float32)
        else:
            # A few groups are large, as in real corpora.
            group = np.minimum(self.random.zipf(1.2, rows) - 1, self.random.integers(0, CENTRES, rows)) % CENTRES
            out = self.centres[group] + self.random.standard_normal((rows, DIRECTIONS)) @ self.directions * 0.9
            out += self.random.normal(0, 0.15, out.shape)
        return (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=pathlib.Path, required=True)
    parser.add_argument("--chunks", type=int, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--vectors", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=10000)
    given = parser.parse_args()
    random = np.random.default_rng(1)
    titles, texts = sentences(given.passages)
    vectors = Vectors(random, np.load(given.vectors, mmap_mode="r") if given.vectors else None)
    given.out.mkdir(parents=True, exist_ok=True)
    for first in range(0, given.chunks, given.rows):
        rows = min(given.rows, given.chunks - first)
        parts = [texts[i] for i in random.integers(0, len(texts), 2 * rows)]
        made = []
        for n in range(rows):
            mixed = parts[2 * n] + parts[2 * n + 1][:2]
            made.append(". ".join(mixed[i] for i in random.permutation(len(mixed))) + ".")
        pages = [(first + n) // PER_PAGE for n in range(rows)]
        table = pa.table({
            "document": [f"{p:07}.md" for p in pages],
            "index": pa.array([(first + n) % PER_PAGE for n in range(rows)], pa.int32()),
            "title": [f"{titles[p * 7919 % len(titles)]} {p}" for p in pages],
            "url": [f"{p:07}.html" for p in pages],
            "language": ["en"] * rows,
            "text": made,
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.draw(rows).ravel()), DIMENSION).cast(pa.list_(pa.float32())),
        })
        pq.write_table(table, given.out / f"{first // given.rows:05}.parquet", compression="zstd")
    print(f"{given.chunks} chunks in {-(-given.chunks // given.rows)} files")


if __name__ == "__main__":
    main()
