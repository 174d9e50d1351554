#!/usr/bin/env python3
"""Fits crates/planner/src/certainty.rs: how probable it is that a plan is right, from which certainty it is carried out, and from which the rules alone are enough.

    python3 tuning/plans.py collect FOLDER DATA [--program PROGRAM] [--lab LAB]
    python3 tuning/plans.py fit FOLDER [--write crates/planner/src/certainty.rs]      needs numpy

`collect` asks all planners (`pocketgraph-lab eval candidates`) about eight domains: films (MetaQA in its own and in other words, with tables of names and without,
and what its graph cannot answer), geography (GeoQuery, likewise), people and things (CoDEx M, by what a wording asks about), encyclopedia (2WikiMultiHopQA over its
evidence), packages (benches/package_questions.py), an organisation (benches/organisation_questions.py) and documentation (the questions of real sites, over graphs of their pages: a plan is right there only if it finds
what matches the site's answer).

`fit`: a logistic regression over the plans of all questions, right or wrong, with a quadratic penalty. Each domain weighs the same, and in it what its graph answers
as much as what it does not. Each domain is left out once, and its plans are judged by weights that have not seen it; the least certainty is the lowest at which at most
5 % of the questions of domains so left out are answered wrongly, those that can be answered and those that cannot counted half each, and at most 2.5 % of the latter. Enough are the rules alone where asking the others as well changes at most one right answer in 200.

The weights in the engine are of the run before the planner was trained anew and before plans over triples alone. With them the new proposals are right for 3,887 of the 5,091
questions that a graph answers, wrong for 88, and planned for 11 of the 2,451 that none answers. Fitted anew (2026-11-27) weights gave a plan of which the rules are not sure at all a certainty of .6, and so
planned 3 of 80 questions about documentation, bare names of options; with a limit above that no plan by meaning alone was left. They were not taken.
"""
import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent.parent
WRONG = 0.05  # of the questions of domains left out, half of which cannot be answered
UNKNOWN = 0.025  # of those that cannot be answered
CHANGED = 0.005
PENALTY = 0.001
LIMITS = [x / 100 for x in range(20, 100)]
PEOPLE = {"P19", "P20", "P21", "P26", "P27", "P39", "P40", "P54", "P69", "P101", "P102", "P106", "P108", "P119", "P140", "P166", "P172", "P463", "P509", "P551", "P737", "P1303", "P1412", "P3373"}


def said(*arguments):
    out = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def every(questions, of):
    step = max(1, len(questions) // of)
    return questions[::step][:of]


def lines(path):
    return [json.loads(line) for line in path.open(encoding="utf-8")]


def sets(folder, data, program):
    """Domain, part, arguments that name the graph, questions, whether the graph knows the answers."""
    yield from graphs(folder, data)
    yield from documentation(folder, data, program)


def graphs(folder, data):
    """The sets over imported graphs, of whose questions somebody knows the answers."""
    lab = HERE / "lab/data"
    plain = ["--kg", data / "metaqa/kb.txt"]
    tables = [*plain, "--types", lab / "metaqa-types.tsv", "--relations", lab / "metaqa-relations.tsv"]
    unknown = said(HERE / "benches/reword.py", "-", HERE / "benches/metaqa_unanswerable.tsv")
    for name, graph in (("plain", plain), ("tables", tables)):
        for hops in "123":
            closed = [q for q in lines(data / f"metaqa/{hops}hop_dev.jsonl") if q["closed"]]
            yield "films", f"{name}-{hops}", graph, every(closed, 250), True
        for file in ("1", "2", "4", "6", "7"):
            suffix = "" if file == "1" else f"_{file}"
            words = said(HERE / "benches/reword.py", data / "metaqa/1hop_dev.jsonl", HERE / f"benches/metaqa_rewordings{suffix}.tsv")
            yield "films", f"{name}-words-{file}", graph, every(words, 150), True
        yield "films", f"{name}-unknown", graph, unknown, False
    yield from films_without(folder, data, tables[2:])
    geography = lines(data / "geoquery/questions.jsonl")
    yield "geography", "plain", ["--kg", data / "geoquery/kb.tsv"], geography, True
    named = ["--types", lab / "geoquery-types.tsv", "--relations", lab / "geoquery-relations.tsv"]
    yield "geography", "tables", ["--kg", data / "geoquery/kb.tsv", *named], geography, True
    codex = ["--kg", data / "codex/codex_m_train.tsv", "--entities", data / "codex/entities_m.tsv", "--entity-columns", "id,label,description,aliases,types,-"]
    codex += ["--relations", data / "codex/relations.tsv", "--types", data / "codex/types.tsv", "--term-columns", "id,label,-"]
    asked = said(HERE / "benches/codex_questions.py", data / "codex")
    of_people = lambda q: q["id"].split()[0].split(">")[0] in PEOPLE
    yield "people", "known", codex, [q for q in asked if of_people(q)], True
    yield "people", "unknown", codex, said(HERE / "benches/codex_questions.py", data / "codex", "unknown"), False
    yield "things", "known", codex, [q for q in asked if not of_people(q)], True
    yield "encyclopedia", "known", [], lines(data / "2wiki1000/questions.jsonl"), True
    for domain, script in (("packages", "package_questions.py"), ("organisation", "organisation_questions.py")):
        made = folder / domain
        made.mkdir(exist_ok=True)
        subprocess.run([sys.executable, HERE / "benches" / script, made], check=True)
        known = lines(made / "known.jsonl")
        yield domain, "known", ["--kg", made / "graph.tsv"], known, True
        yield domain, "unknown", ["--kg", made / "graph.tsv"], lines(made / "unknown.jsonl"), False
        path = lambda q: [step.strip("^#") for step in q["id"].split()[0].split(">")]
        for relation in sorted({step for q in known for step in path(q)}):
            graph = without(made / "graph.tsv", relation, "\t", folder / "graph-without.tsv")
            yield domain, f"without-{relation}", ["--kg", graph], [q for q in known if relation in path(q)], False


def documentation(folder, data, program):
    """The sets over graphs of sites' pages, where no plan is right."""
    sites = json.loads((data / "sites/sites.json").read_text(encoding="utf-8"))
    for name in ("cargo", "fastapi-en", "hugo", "ionic"):
        site, bundle = sites[name], folder / f"{name}-bundle"
        if not (bundle / "manifest.json").exists():
            with tarfile.open(data / f"sites/{site.get('source', name)}.tar.gz") as archive:
                archive.extractall(folder / name, filter="data")
            docs = next((folder / name).glob("*" if site["folder"] == "." else f"**/{site['folder']}"))
            subprocess.run([program, "build", docs, "-o", bundle, "--retrievers", "lexical"], check=True, capture_output=True)
        asked = [q["q"] if "q" in q else q["question"] for q in lines(data / f"sites/{name}.jsonl")]
        yield "documentation", name, ["--bundle", bundle], [{"id": q, "question": q, "answers": ["no such thing"]} for q in asked], False


def without(graph, relation, separator, to):
    """The graph as if it had never heard of a relation."""
    kept = [line for line in graph.open(encoding="utf-8") if line.split(separator)[1] != relation]
    to.write_text("".join(kept), encoding="utf-8")
    return to


def films_without(folder, data, tables):
    """Questions about a relation of films, in MetaQA's words and in others, over the graph without it."""
    plain = [q for q in lines(data / "metaqa/1hop_dev.jsonl") if q["closed"]]
    worded = [q for f in ("", "_2", "_4", "_6", "_7") for q in said(HERE / "benches/reword.py", data / "metaqa/1hop_dev.jsonl", HERE / f"benches/metaqa_rewordings{f}.tsv")]
    of = {"director": "directed_by", "writer": "written_by", "actor": "starred_actors", "genre": "has_genre", "year": "release_year", "language": "in_language", "tags": "has_tags"}
    for word, relation in of.items():
        graph = without(data / "metaqa/kb.txt", relation, "|", folder / "kb-without.txt")
        asked = [every([q for q in some if word in q["plan"].split("_")], n) for some, n in ((plain, 20), (worded, 60))]
        for name, more in (("plain", []), ("tables", tables)):
            yield "films", f"{name}-without-{relation}", ["--kg", graph, *more], asked[0] + asked[1], False


def collect(folder, data, program, lab):
    folder.mkdir(parents=True, exist_ok=True)
    for domain, part, graph, questions, known in sets(folder, data, program):
        asked = folder / "questions.jsonl"
        asked.write_text("".join(json.dumps(q) + "\n" for q in questions), encoding="utf-8")
        run = [lab, "eval", "candidates", *map(str, graph), "--questions", str(asked)]
        out = subprocess.run(run, capture_output=True, text=True)
        if out.returncode != 0:
            sys.exit(f"{domain} {part}: {out.stderr}")
        rows = [json.loads(line) | {"known": known} for line in out.stdout.splitlines()]
        (folder / f"{domain}.{part}.candidates.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
        right = sum(any(c["right"] for c in r["lists"][0]) for r in rows)
        print(f"{domain} {part}: {len(rows)} questions, of {right} a plan is right", flush=True)


def certainty(weights, features):
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, sum(w * f for w, f in zip(weights, features))))))


def fitted(questions):
    """Weights by Newton's method."""
    import numpy as np

    share = collections.Counter((q["domain"], q["known"]) for q in questions)
    rows = collections.Counter()
    for q in questions:
        for plans in q["lists"]:
            for c in plans:
                rows[(tuple(round(f, 2) for f in c["features"]), c["right"])] += 1 / share[q["domain"], q["known"]]
    total = sum(rows.values())
    size = len(NAMES)
    x = np.array([r[0] for r in rows])
    y = np.array([float(r[1]) for r in rows])
    n = np.array(list(rows.values())) / total
    w = np.zeros(size)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ w))
        gradient = x.T @ (n * (p - y)) + PENALTY * w * (np.arange(size) > 0)
        hessian = (x * (n * p * (1 - p))[:, None]).T @ x + PENALTY * np.diag((np.arange(size) > 0).astype(float)) + 1e-9 * np.eye(size)
        w = w - np.linalg.solve(hessian, gradient)
    return list(w)


def chosen(questions, weights, which=0):
    """Of each question the plan that is most certain, and how certain it is."""
    return [max(((certainty(weights, c["features"]), c) for c in q["lists"][which]), key=lambda t: t[0], default=(0.0, None)) for q in questions]


def counted(questions, told, least):
    """Right, wrong, and planned among what cannot be answered."""
    sums = [0, 0, 0]
    for q, (sure, plan) in zip(questions, told):
        if plan is not None and sure >= least:
            sums[0 if plan["right"] else 1 if q["known"] else 2] += 1
    return sums


def fit(folder, write):
    questions = []
    for path in sorted(folder.glob("*.candidates.jsonl")):
        questions += [row | {"domain": path.name.split(".")[0], "part": path.name.split(".")[1]} for row in lines(path)]
    for q in questions:
        for plans in q["lists"]:
            for plan in plans:
                # Who wrote a film may have directed it, too: what was asked for is another thing.
                plan["right"] = plan["right"] and q["known"]
    domains = {d: [q for q in questions if q["domain"] == d] for d in sorted({q["domain"] for q in questions})}
    held = {d: fitted([q for q in questions if q["domain"] != d]) for d in domains}
    told = {d: chosen(of, held[d]) for d, of in domains.items()}

    def wrong(least):
        """Of what a domain left out can answer, and of what it cannot, the part that is planned wrongly: the mean over the domains of each."""
        shares = [[], []]
        for d, of in domains.items():
            known = sum(q["known"] for q in of)
            _, *counts = counted(of, told[d], least)
            for share, count, total in zip(shares, counts, (known, len(of) - known)):
                share += [count / total] if total else []
        return [sum(share) / len(share) for share in shares]

    least = next((x for x in LIMITS if sum(wrong(x)) / 2 <= WRONG and wrong(x)[1] <= UNKNOWN), LIMITS[-1])
    for x in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        print(f"from {x}: {wrong(x)[0]:.3f} of what can be answered is answered wrongly, {wrong(x)[1]:.3f} of what cannot is answered")
    print(f"least {least}")
    weights = fitted(questions)
    print("right, wrong, unanswerable planned, of so many of each; domain left out, then seen, then by the rules alone")
    for d, of in domains.items():
        known = sum(q["known"] for q in of)
        seen, alone = counted(of, chosen(of, weights), least), counted(of, chosen(of, weights, 3), least)
        print(f"  {d}: {counted(of, told[d], least)}, {seen}, {alone} of {known} and {len(of) - known}")
    parts = collections.defaultdict(list)
    for q in questions:
        parts[q["domain"], q["part"]].append(q)
    for (d, part), of in parts.items():
        print(f"    {d} {part}: {counted(of, chosen(of, held[d]), least)} of {len(of)}")
    everyone, alone = chosen(questions, weights), chosen(questions, weights, 3)

    def changed(enough):
        pairs = [(a, b) for a, b in zip(everyone, alone) if b[1] is not None and b[0] >= max(enough, least)]
        return sum(a[1]["right"] and not b[1]["right"] for a, b in pairs) / len(questions)

    enough = next((x for x in LIMITS if x >= least and changed(x) <= CHANGED), 1.0)
    print(f"enough {enough}: the others are asked about {sum(b[0] < enough for b in alone) / len(questions):.3f} of the questions")
    for name, weight in zip(NAMES, weights):
        print(f"  {weight:7.3f} {name}")
    if write:
        body = "\n".join(f"    {w:.3f}, // {name}" for w, name in zip(weights, NAMES))
        write.write_text(SOURCE.format(size=len(NAMES), body=body, least=least, enough=enough), encoding="utf-8")


NAMES = ["a constant", "the rules propose it", "how sure they are", "the trained planner proposes it", "how sure it is", "its weakest relation", "it comes nearest in meaning", "its cosine", "nearer than what else is asked", "ahead of the next relation", "apart from the next relation", "it passes over what the rules see", "it goes there and back unsaid", "it does not where that is said", "the trained planner joins sets in another way"]
SOURCE = """//! How much each thing that is known of a plan counts for its certainty. Written by `tuning/plans.py`, which says how.

/// How many things are known of a plan.
pub const FEATURES: usize = {size};

/// The weights of [`super::Candidates::features`].
#[rustfmt::skip]
pub(super) const WEIGHTS: [f32; FEATURES] = [
{body}
];

/// The certainty from which a plan is carried out.
pub const LEAST_CERTAINTY: f32 = {least};

/// Where the rules alone are so sure, nobody else is asked.
pub(super) const ENOUGH: f32 = {enough};
"""

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["collect", "fit"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path, nargs="?")
    parser.add_argument("--program", default=HERE / "target/debug/pocketgraph")
    parser.add_argument("--lab", default=HERE / "target/debug/pocketgraph-lab")
    parser.add_argument("--write", type=pathlib.Path)
    args = parser.parse_args()
    if args.what == "collect":
        collect(args.folder, args.data, args.program, args.lab)
    else:
        fit(args.folder, args.write)
