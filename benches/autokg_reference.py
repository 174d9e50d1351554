#!/usr/bin/env python3
"""The Laplace step of AutoKG: the Python reference against ours, on the same vectors and the same weights, in the same run.

The reference is what the AutoKG paper's code does: one fit of graphlearning.ssl.laplace a keyword, on a 30-nearest-neighbour graph.

    python3 -m venv .venv && .venv/bin/pip install graphlearning scikit-learn annoy
    .venv/bin/python benches/autokg_reference.py [--repeat 3] [--chunks FILE.npy --keywords FILE.npy]

Without files it makes up unit vectors, at the size of the paper's experiment. Files hold one unit vector a row. Each run times the reference and ours
one after the other; with --repeat the medians of all runs are printed. Fails when the Laplace step is less than 50 times faster, or fewer than 99.9 %
of the associations agree.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import graphlearning as gl
import numpy as np
from sklearn.neighbors import NearestNeighbors

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--chunks", type=pathlib.Path)
parser.add_argument("--keywords", type=pathlib.Path)
parser.add_argument("-n", type=int, default=5261, help="chunks")
parser.add_argument("-m", type=int, default=461, help="keywords")
parser.add_argument("-d", type=int, default=384, help="dimension of made-up vectors")
parser.add_argument("-k", type=int, default=30, help="neighbours, a chunk itself included")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--repeat", type=int, default=1)
parser.add_argument("--program", type=pathlib.Path, help="the example laplace_step, already built; otherwise cargo builds it")
arguments = parser.parse_args()
N1, N2 = 5, 35


def unit(rows):
    rows = np.asarray(rows, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


random = np.random.default_rng(arguments.seed)
centres = random.normal(size=(60, arguments.d))


def made_up(count, spread):
    """Mixtures of three topics each: groups that overlap, as those of real text do."""
    topics = random.integers(60, size=(count, 3))
    shares = random.dirichlet(np.ones(3), size=count)
    return np.einsum("ct,ctd->cd", shares, centres[topics]) + spread * random.normal(size=(count, arguments.d))


chunks = unit(np.load(arguments.chunks)[: arguments.n] if arguments.chunks else made_up(arguments.n, 0.5))
keywords = unit(np.load(arguments.keywords)[: arguments.m] if arguments.keywords else made_up(arguments.m, 0.3))
n, m, k = len(chunks), len(keywords), arguments.k
print(f"N = {n}, d = {chunks.shape[1]}, M = {m}, K = {k}")


def reference():
    """Seconds for the neighbour graph and for the Laplace step, the weights, the memberships, and how many values lie at the threshold."""
    clock = time.perf_counter()
    cosine, rows = NearestNeighbors(n_neighbors=k, metric="cosine").fit(chunks).kneighbors(chunks)
    angle = np.arccos(np.clip(1 - cosine, -1, 1))
    angle[:, 0] = 0
    weights = gl.weightmatrix.knn(None, k - 1, kernel="gaussian", knn_data=(rows, angle)).tocsr()
    weights.sort_indices()
    neighbours = time.perf_counter() - clock
    clock = time.perf_counter()
    similarity = keywords @ chunks.T
    members = np.zeros((m, n), dtype=np.uint8)
    boundary = 0
    for i in range(m):
        order = np.argsort(-similarity[i], kind="stable")
        train = np.concatenate([order[:N1], order[-N2:]])
        labels = np.concatenate([np.ones(N1, dtype=int), np.zeros(N2, dtype=int)])
        u = gl.ssl.laplace(weights).fit(train, labels)[:, 1]
        members[i] = u >= 0.5
        boundary += np.sum(np.abs(u - 0.5) < 1e-4)
    return neighbours, time.perf_counter() - clock, weights, members, boundary


def built():
    """Our side, compiled."""
    if arguments.program:
        return arguments.program
    subprocess.run(["cargo", "build", "--locked", "--release", "--quiet", "-p", "pocketgraph-cluster", "--example", "laplace_step"], check=True)
    metadata = subprocess.run(["cargo", "metadata", "--format-version", "1", "--no-deps"], check=True, capture_output=True, text=True).stdout
    return pathlib.Path(json.loads(metadata)["target_directory"]) / "release" / "examples" / "laplace_step"


def ours(program, weights):
    """Seconds by step, as the program prints them, and the memberships, on the reference's weights."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        chunks.astype("<f4").tofile(folder / "chunks.f32")
        keywords.astype("<f4").tofile(folder / "keywords.f32")
        weights.indptr.astype("<u4").tofile(folder / "offsets.u32")
        weights.indices.astype("<u4").tofile(folder / "columns.u32")
        weights.data.astype("<f4").tofile(folder / "values.f32")
        command = [program, folder, str(chunks.shape[1]), str(k)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        members = np.fromfile(folder / "members.u8", dtype=np.uint8).reshape(m, n)
    return {line.split()[0]: float(line.split()[1]) for line in printed.splitlines()}, members


program = built()
times = {"neighbour graph": [], "Laplace step": []}
for run in range(arguments.repeat):
    reference_neighbours, reference_laplace, weights, expected, boundary = reference()
    seconds, found = ours(program, weights)
    times["neighbour graph"].append((reference_neighbours, seconds["neighbours"]))
    times["Laplace step"].append((reference_laplace, seconds["laplace"]))
    for what, pairs in times.items():
        theirs, own = pairs[-1]
        print(f"run {run + 1}, {what}: reference {theirs:.2f} s, ours {own:.3f} s, {theirs / own:.0f} times faster", flush=True)

for what, pairs in times.items():
    theirs, own = (statistics.median(p[i] for p in pairs) for i in (0, 1))
    ratio = statistics.median(t / o for t, o in pairs)
    print(f"medians, {what}: reference {theirs:.2f} s, ours {own:.3f} s, {ratio:.0f} times faster")
agreement = np.mean(found == expected)
both = np.sum(found & expected) / max(1, np.sum(found | expected))
print(f"largest difference between our weights and the reference's: {seconds['weights']:.1e}")
print(f"associations: {100 * agreement:.4f} % of {m * n} pairs agree; {int(expected.sum())} and {int(found.sum())} members; {boundary} pairs within 1e-4 of the threshold")
print(f"of pairs that either calls a member, both call {100 * both:.3f} %")
if ratio < 50 or agreement < 0.999:
    sys.exit("the requirement is not met: 50 times faster, and 99.9 % agreement")
