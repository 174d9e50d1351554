#!/usr/bin/env python3
"""Prints the rows of a table of results/ about plans as JSON, for `./build.sh bench all`.

    plan_tables.py plans|geoquery|unanswerable DATA [--lab LAB]

The questions are those of tuning/plans.py; each set is answered by the planner `auto` (`pocketgraph-lab eval plans`).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tuning"))
import plans as sets  # noqa: E402


def measure(lab, folder, graph, questions):
    """Numbers of questions, of plans and of exact answer sets."""
    asked = folder / "asked.jsonl"
    asked.write_text("".join(json.dumps(q) + "\n" for q in questions), encoding="utf-8")
    run = [lab, "eval", "plans", *map(str, graph), "--questions", str(asked), "--planner", "auto", "--json"]
    rows = json.loads(subprocess.run(run, stdout=subprocess.PIPE, text=True, check=True).stdout)["rows"]
    # Where there are several groups of questions, one row is of all, or one of each part.
    wholes = [row for row in rows if row["group"] in ("all", "train", "dev")] or rows[:1]
    return tuple(sum(row[count] for row in wholes) for count in ("questions", "planned", "exact"))


def share(part, whole):
    """A share with three digits, as the handbook writes it."""
    return f"{part / whole:.3f}".removeprefix("0")


def tabulate_plans(ask, count, data):
    kb = ["--kg", data / "metaqa/kb.txt"]
    closed = [[q for q in sets.lines(data / f"metaqa/{hops}hop_dev.jsonl") if q["closed"]][:1500] for hops in "123"]
    shares = [share(exact, n) for n, _, exact in (ask(kb, part) for part in closed)]
    yield "MetaQA, 1 / 2 / 3 hops, first 1,500", " / ".join(shares), None
    counts = count(lambda domain, _: domain in ("encyclopedia", "people", "things", "packages"))
    n, _, exact = counts["encyclopedia", "known"]
    yield f"2WikiMultiHopQA, all {n}", share(exact, n), None
    n, planned, exact = map(sum, zip(counts["people", "known"], counts["things", "known"]))
    yield f"CoDEx M in natural wording, {n}: right / wrong", None, f"{share(exact, n)} / {share(planned - exact, n)}"
    n, _, exact = counts["packages", "known"]
    unknown, planned, _ = counts["packages", "unknown"]
    yield f"code packages, {n} known and {unknown} unknown: right / planned", f"{share(exact, n)} / {planned}", None


def tabulate_geoquery(_, count, __):
    counts = count(lambda domain, _: domain == "geography")
    for name, part in (
        ("names from the graph alone", "plain"),
        ("with tables of names for relations and types", "tables"),
    ):
        n, _, exact = counts["geography", part]
        yield name, round(exact / n, 3)


def tabulate_unanswerable(_, count, __):
    counts = count(lambda _, part: "unknown" in part or "without-" in part)
    n, planned, _ = counts["films", "plain-unknown"]
    yield "MetaQA, unanswerable (`benches/metaqa_unanswerable.tsv`)", n, planned
    for name, of in (("films", "films"), ("an organisation", "organisation"), ("code packages", "packages")):
        n, planned, _ = map(
            sum, zip(*(c for (domain, part), c in counts.items() if domain == of and "without-" in part))
        )
        yield f"{name}, one relation removed from the graph", n, planned
    n, planned, _ = map(sum, zip(*(counts[of, "unknown"] for of in ("people", "organisation", "packages"))))
    yield "people, the organisation and packages: what the graph does not say", n, planned


TABLES = {"plans": tabulate_plans, "geoquery": tabulate_geoquery, "unanswerable": tabulate_unanswerable}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("table", choices=TABLES)
    p.add_argument("data", type=pathlib.Path)
    p.add_argument("--lab", default="pocketgraph-lab")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def ask(graph, questions):
            return measure(a.lab, folder, graph, questions)

        def count(wanted):
            # A set's graph lasts until the next set.
            made = sets.graphs(folder, a.data)
            return {
                (domain, part): ask(graph, questions)
                for domain, part, graph, questions, _ in made
                if wanted(domain, part)
            }

        print(json.dumps({"rows": [list(row) for row in TABLES[a.table](ask, count, a.data)]}, ensure_ascii=False))


main()
