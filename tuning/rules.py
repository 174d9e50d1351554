#!/usr/bin/env python3
"""Fits crates/planner/src/weights.rs: how much each thing counts that the rules look at when they score paths and say how sure they are.

    python3 tuning/rules.py FOLDER DATA [--trained | --meaning] [--most N] [--only WEIGHT...] [--lab LAB] [--write crates/planner/src/weights.rs]

The questions are those of `tuning/plans.py`, without documentation, whose answers nobody has written: films, geography, people
and things, an encyclopedia, packages and an organisation, each also with what its graph cannot answer. A domain is worth the share of its questions that the rules
alone plan rightly, less the share that they plan wrongly, which counts twice, and of those that cannot be answered less the share that is planned at all.

With --trained the trained planner plans by itself, and the weights are those that its drafts are looked up by; with --meaning what comes nearest in meaning is planned, where
it is certain enough, and the weights are those of meaning. Parts that must not exceed the whole are tried at no more than it.

Each weight is tried by itself at none, half and one and a half times its value; those of these changes that help most are then made one after the other, as long as the mean over the domains
gains by a quarter of a hundredth. Each domain is left out once: the search is then made for the others, and the domain is judged by weights that have not seen it. Weights with which nothing changes
when they are none are named: they can go.
"""
import argparse
import json
import math
import pathlib
import re
import shutil
import subprocess

import plans

HERE = pathlib.Path(__file__).resolve().parent.parent
FACTORS = (0.0, 0.5, 1.5)
GAIN = 0.0025  # of the mean over the domains
MOST = 80  # questions of a graph, of those that it answers and of those that it does not
TRIED = 12  # changes
LARGE = 1_000_000  # bytes
PARTS = ("rule", "same_meaning")


class Domain:
    """Questions over a graph, and a process that plans them with any weights."""

    def __init__(self, name, known, lab, graph, questions, folder, number, mode):
        self.name, self.known, self.told = name, known, {}
        path = folder / f"rules-{number}.jsonl"
        path.write_text("".join(json.dumps(q) + "\n" for q in questions), encoding="utf-8")
        run = [lab, "eval", "weights", *map(str, graph), "--questions", str(path), *mode]
        self.process = subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.weights = json.loads(self.process.stdout.readline())

    def ask(self, trial):
        self.process.stdin.write(json.dumps(trial) + "\n")
        self.process.stdin.flush()

    def answer(self):
        right, wrong, all = json.loads(self.process.stdout.readline())
        return (right - 2 * wrong) / all if self.known else -(right + wrong) / all


class Domains:
    def __init__(self, all):
        self.all, self.known = all, {}

    def worth(self, trial):
        """The worth of each domain with these weights: the mean of its parts, those that can be answered and those that cannot counting the same."""
        key = json.dumps(trial, sort_keys=True)
        if key not in self.known:
            for part in self.all:
                part.ask(trial)
            parts = {}
            for part in self.all:
                parts.setdefault(part.name, {}).setdefault(part.known, []).append(part.answer())
            mean = lambda some: sum(some) / len(some)
            self.known[key] = {name: mean([mean(v) for v in of.values()]) for name, of in parts.items()}
        return self.known[key]


def changed(name, value, factor):
    return round(min(value * factor, 0.99 if name in PARTS else math.inf), 3)


def search(domains, weights, without):
    """The weights that are best for all domains but one."""
    score = lambda trial: sum(v for name, v in domains.worth(trial).items() if name != without)
    least = GAIN * (len(domains.worth({})) - (without is not None))
    chosen, best = {}, score({})
    changes = [(name, changed(name, value, factor)) for name, value in weights.items() for factor in FACTORS]
    # Those that help most by themselves come first.
    for name, value in sorted(changes, key=lambda change: -score(dict([change])))[:TRIED]:
        trial = chosen | {name: value}
        if name not in chosen and score(dict([(name, value)])) > score({}) + least and score(trial) > best + least:
            chosen, best = trial, score(trial)
    return chosen


def main(args):
    mode = ["--trained"] if args.trained else ["--meaning"] if args.meaning else []
    asked = {}
    for domain, part, graph, questions, known in plans.graphs(args.folder, args.data):
        if "without" in part:
            # A graph without one of its relations is written anew for each; what is near in meaning is tried by them, but for the large ones, which are too many.
            if not args.meaning or graph[1].stat().st_size > LARGE:
                continue
            graph = [graph[0], shutil.copy(graph[1], args.folder / f"{domain}-{part}.tsv")]
        asked.setdefault((domain, known, tuple(map(str, graph))), []).extend(plans.every(questions, args.most))
    parts = [Domain(*of[:2], args.lab, of[2], questions, args.folder, at, mode) for at, (of, questions) in enumerate(asked.items())]
    domains, weights = Domains(parts), parts[0].weights
    now = domains.worth({})
    print("as it is:", {name: round(v, 3) for name, v in now.items()}, flush=True)
    mean = lambda worth: sum(worth.values()) / len(worth)
    for name, value in list(weights.items()):
        if args.only and name not in args.only:
            del weights[name]
            continue
        tried = [domains.worth({name: changed(name, value, factor)}) for factor in FACTORS]
        if all(abs(of[d] - now[d]) < 1e-9 for of in tried for d in now):
            print(f"{name}: of no effect", flush=True)
            del weights[name]
        else:
            print(f"{name}: " + ", ".join(f"{mean(of) - mean(now):+.4f} at {f} times" for f, of in zip(FACTORS, tried)), flush=True)
    for left_out in now:
        chosen = search(domains, weights, left_out)
        print(f"without {left_out}: {chosen}; it goes from {now[left_out]:.3f} to {domains.worth(chosen)[left_out]:.3f}", flush=True)
    chosen = search(domains, weights, None)
    print("of all:", chosen, {name: round(v, 3) for name, v in domains.worth(chosen).items()})
    if args.write:
        text = args.write.read_text(encoding="utf-8")
        for name, value in chosen.items():
            text = re.sub(rf"(\n    {name} = )[-0-9.]+;", rf"\g<1>{float(value)};", text)
        args.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--trained", action="store_true")
    parser.add_argument("--meaning", action="store_true")
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--lab", default=HERE / "target/debug/pocketgraph-lab")
    parser.add_argument("--write", type=pathlib.Path)
    main(parser.parse_args())
