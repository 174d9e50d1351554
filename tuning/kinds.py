#!/usr/bin/env python3
"""Measures what a build infers of a graph without a schema: the constants of companion/knowledge/src/kg/shape.rs, as_tables.rs and infer/mod.rs.

    python3 tuning/kinds.py FOLDER DATA [--lab LAB]     writes tuning/features/kinds.json; with LAB it tries rules for kinds, too
    python3 tuning/kinds.py                             fits shapes and tables to what is there, in a second; CI checks constants so (tuning/check.py)

Shapes are statements of relations: every head has one tail, every tail has one head, it says the same as another turned round, its values are a few. TRUE has for each
relation of six graphs which of them hold by what the relation means (place of birth: one each; shares border with: symmetric). A statement that holds is worth 1 and one that does not costs 2. For
FEW, the statements are made of what so many heads of a relation have.

A table of a vocabulary says what type a relation's heads or tails have where nearly all of them do. From half of the triples it is seen what it would say, and on the other half how many ends it says wrongly;
at most WRONG of them may be.

Kinds: types of CoDEx M, FB15k-237, MetaQA and GeoQuery are taken away, and those of packages and an organisation are told by hand. A side of a relation is right (1) if the kind that most of its
things get is called like the type that most of them have, half so if it is a wider kind, wrong (-2) if it is another.

Each graph is left out once: the value that is best for the others is judged on it.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
FEATURES = HERE / "tuning/features/kinds.json"
WRONG = 0.02
EXCEPTIONS = [0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
FEW = [1, 2, 3, 4, 5, 8, 12]
MOST = [25, 50, 100, 250, 500, 1000]
EACH = [1, 2, 3, 5, 10, 20]
NEARLY_ALL = [0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
KINDS = {"one_kind": [0.3, 0.5, 0.7, 0.9], "same_things": [0.7, 0.8, 0.9, 0.97, 1.1], "many_sides": [2, 3, 5, 9], "noun": [0.0, 0.1, 0.25, 0.5, 1.0], "own": [0.1, 0.3, 0.5], "support": [0.4, 0.6, 0.8]}

# One tail for each head; one head for each tail; turned round it says the same; its values are a few. What is not listed of a graph's relations does not hold; `-` leaves one out of which meaning does not tell.
TRUE = {
    "metaqa": {"one": "release_year has_imdb_rating has_imdb_votes", "few": "in_language has_genre has_imdb_rating has_imdb_votes", "-": "release_year"},
    "geoquery": {"one": "population density area length altitude capital highest_point lowest_point highest_elevation lowest_elevation in_country", "back": "capital", "round": "borders", "few": "in_country",
                 "-": "in_state population density area length altitude highest_elevation lowest_elevation"},
    "codex": {"one": "P19 P20 P119 P36 P740", "back": "P36", "round": "P26 P3373 P47 P530 P451", "few": "P106 P1412 P136 P1303 P509 P140 P101 P172 P135 P641 P37 P1050 P30 P2348 P407 P452 P2283",
              "-": "P17 P159 P35 P113 P749 P112 P194 P457 P1454"},
    "countries": {"one": "", "round": "neighbor", "few": ""},
    "packages": {"one": "licence edition", "few": "licence edition category", "-": "version"},
    "organisation": {"one": "salary hired_on reports_to works_in located_in headed_by led_by budget deadline commissioned_by", "few": "has_skill", "-": "mentors salary hired_on budget deadline"},
}
# The kinds of a relation's heads and tails, where no file tells them.
JOINS = {
    "packages": {"author": "package person", "maintainer": "package person", "keyword": "package keyword", "category": "package category", "licence": "package licence", "version": "package version", "depends on": "package package", "edition": "package -"},
    "organisation": {"works in": "person department", "reports to": "person person", "mentors": "person person", "has skill": "person skill", "located in": "department city", "headed by": "department person", "led by": "project person",
                     "commissioned by": "project client", "assigned to": "person project", "salary": "person -", "hired on": "person -", "budget": "project -", "deadline": "project -"},
    "metaqa": {"directed by": "film person", "written by": "film person", "starred actors": "film person", "release year": "film year", "in language": "film language", "has genre": "film genre", "has tags": "film tag", "has imdb rating": "film rating", "has imdb votes": "film votes"},
}
# What a declared type is called otherwise.
CALLED = {"human": "person", "big city": "city", "million city": "city", "sovereign state": "country", "movie": "film", "people": "person", "human settlement": "place", "location": "place", "ethnic group": "people", "academic discipline": "field", "economic branch": "industry"}


def rows(path, separator="\t", columns=(0, 1, 2)):
    for line in path.open(encoding="utf-8"):
        cells = line.rstrip("\n").split(separator)
        if len(cells) > max(columns):
            yield tuple(cells[c] for c in columns)


def graphs(folder, data):
    """The triples of each graph, and the arguments that name it without its types."""
    out = {"metaqa": (list(rows(data / "metaqa/kb.txt", "|")), ["--kg", data / "metaqa/kb.txt"])}
    geo = list(rows(data / "geoquery/kb.tsv", columns=(1, 2, 3)))
    out["geoquery"] = (geo, ["--kg", written(folder / "geoquery.tsv", geo)])
    codex = ["--kg", data / "codex/codex_m_train.tsv", "--entities", data / "codex/entities_m.tsv", "--entity-columns", "id,label,-,-,-,-", "--relations", data / "codex/relations.tsv", "--term-columns", "id,label,-"]
    out["codex"] = (list(rows(data / "codex/codex_m_train.tsv")), codex)
    out["countries"] = (list(rows(data / "kg_small/countries_S1_train.tsv")), ["--kg", data / "kg_small/countries_S1_train.tsv"])
    for name, script in (("packages", "package_questions.py"), ("organisation", "organisation_questions.py")):
        (folder / name).mkdir(exist_ok=True)
        subprocess.run([sys.executable, HERE / "benches" / script, folder / name], check=True)
        out[name] = (list(rows(folder / name / "graph.tsv"))[1:], ["--kg", folder / name / "graph.tsv"])
    relations = dict(rows(data / "fb15k237/relations.tsv", columns=(0, 1)))
    # The last words of Freebase's paths are what a relation is called.
    called = {k: v.split("/")[-1] for k, v in relations.items()}
    freebase = [(h, called.get(r, r), t) for h, r, t in rows(data / "fb15k237/train.tsv")]
    out["freebase"] = (freebase, ["--kg", written(folder / "freebase.tsv", [(f"m{h}", r, f"m{t}") for h, r, t in freebase])])
    return out


def written(path, triples):
    path.write_text("".join("\t".join(t) + "\n" for t in triples), encoding="utf-8")
    return path


def declared(data):
    """Of each graph the types of its things."""
    names = dict(rows(data / "codex/types.tsv", columns=(0, 1)))
    codex = {e: [names.get(t, t) for t in types.split(",") if t] for e, types in rows(data / "codex/entities_m.tsv", columns=(0, 4))}
    freebase = {e: [t.split("/")[-1].replace("_", " ") for t in types.split(",") if t not in ("", "common/topic")] for e, types in rows(data / "fb15k237/entities.tsv", columns=(0, 7))}
    geo = collections.defaultdict(list)
    for kind, head, _, _ in rows(data / "geoquery/kb.tsv", columns=(0, 1, 2, 3)):
        if kind not in geo[head]:
            geo[head].append(kind)
    return {"codex": codex, "freebase": freebase, "geoquery": dict(geo)}


class Relation:
    """What a relation's triples count to."""

    def __init__(self, triples):
        self.triples, self.heads, self.tails = len(triples), len({h for h, _ in triples}), len({t for _, t in triples})
        self.one, self.back = (self.triples - self.heads) / max(1, self.heads), (self.triples - self.tails) / max(1, self.tails)


def counted(triples):
    of = collections.defaultdict(set)
    for h, r, t in triples:
        of[r].add((h, t))
    heads = {h for h, _, _ in triples}
    out = {}
    for r, pairs in of.items():
        one = out[r] = Relation(pairs)
        one.round = 1 - sum((t, h) in pairs for h, t in pairs if h != t) / max(1, sum(h != t for h, t in pairs))
        tails = {t for _, t in pairs}
        one.bare = sum(t in heads for t in tails) / len(tails)
        one.values = all(re.fullmatch(r"[-\d.,: T]+", t) for t in tails)
    return out


def worth(statements):
    """Of pairs of what is stated and what is true."""
    return sum((1 if true else -2) if stated else 0 for stated, true in statements)


def best(tried):
    """The middle of the values that are best."""
    most = max(tried.values())
    fit = [v for v, w in tried.items() if w >= most - 1e-9]
    return fit[len(fit) // 2]


def leave_out(name, grid, worths, now):
    """Says of a grid of values what each is worth, over graphs of which each is left out once; `worths` has of each graph each value's worth."""
    everywhere = {v: sum(of[v] for of in worths.values()) / len(worths) for v in grid}
    print(f"{name}: " + ", ".join(f"{everywhere[v]:.3f} at {v}" for v in grid))
    chosen, gained = [], []
    for left in worths:
        others = {v: sum(of[v] for g, of in worths.items() if g != left) for v in grid}
        chosen.append(best(others))
        gained.append(worths[left][chosen[-1]] - worths[left][now])
    flat = [v for v in grid if everywhere[v] >= max(everywhere.values()) - 0.01]
    print(f"  best {best(everywhere)}; within .01 of it {flat[0]} to {flat[-1]}; chosen without each graph in turn {chosen}, which on the one left out gains {sum(gained) / len(gained):+.3f} on {now}")
    return best(everywhere)


def shape_features(of):
    """Of each graph what its relations count to, with what is true of each, and statements made of what so many heads have."""
    told = {g: {k: v.split() for k, v in t.items()} for g, t in TRUE.items()}
    drawn = random.Random(28)
    out = {}
    for g in TRUE:
        true = lambda kind, r: r in told[g].get(kind, [])
        graph = out[g] = {"can": max(1, sum(len(told[g].get(k, [])) for k in ("one", "back", "round"))), "few": max(1, len(told[g].get("few", []))), "relations": [], "closed": [], "made": []}
        for r, c in counted(of[g][0]).items():
            if c.triples >= 3 and (not true("-", r) or true("one", r)):
                graph["relations"].append([round(c.one, 5), true("one", r), round(c.round, 5), true("round", r)])
            if c.triples >= 3 and not c.values and not true("-", r):
                graph["closed"].append([round(c.bare, 5), c.tails, c.triples, true("few", r)])
        # Statements from what so many heads have, with all that each has.
        tails = collections.defaultdict(lambda: collections.defaultdict(set))
        for h, r, t in of[g][0]:
            tails[r][h].add(t)
        made = collections.Counter()
        for r in tails:
            for _ in range(20) if not true("-", r) or true("one", r) else ():
                heads = drawn.sample(sorted(tails[r]), min(len(tails[r]), drawn.randrange(1, 16)))
                made[sum(len(tails[r][h]) for h in heads), all(len(tails[r][h]) == 1 for h in heads), true("one", r)] += 1
        graph["made"] = [[*statement, n] for statement, n in sorted(made.items())]
    return out


def shapes(features):
    of = lambda worth_of: {g: worth_of(graph) for g, graph in features.items()}
    exceptions = lambda graph: {x: worth([(r[at] <= x, r[at + 1]) for r in graph["relations"] for at in (0, 2)]) / graph["can"] for x in EXCEPTIONS}
    fitted = {"EXCEPTIONS": leave_out("EXCEPTIONS", EXCEPTIONS, of(exceptions), 0.02)}
    closed = lambda graph, most, each: worth([(bare <= 0.02 and tails <= most and triples >= each * tails, true) for bare, tails, triples, true in graph["closed"]]) / graph["few"]
    leave_out("CLOSED, values", MOST, of(lambda graph: {x: closed(graph, x, 5) for x in MOST}), 250)
    leave_out("CLOSED, uses of each", EACH, of(lambda graph: {x: closed(graph, 250, x) for x in EACH}), 5)
    few = lambda graph: {x: sum(worth([(n >= x and one, true)]) * times for n, one, true, times in graph["made"]) / sum(m[3] for m in graph["made"]) for x in FEW}
    return fitted | {"FEW": leave_out("FEW", FEW, of(few), 3)}


def table_features(of, types):
    """Of each side of each relation: how many of half its ends have the type that most have, of how many, and how many of the other half have not."""
    drawn = random.Random(28)
    out = {}
    for g, kinds in types.items():
        ends = collections.defaultdict(list)
        for h, r, t in of[g][0]:
            for at, node in ((0, h), (1, t)):
                if kinds.get(node):
                    ends[r, at].append(kinds[node])
        out[g] = []
        for all in ends.values():
            drawn.shuffle(all)
            seen, rest = all[: len(all) // 2], all[len(all) // 2 :]
            if len(seen) >= 10:
                kind, n = collections.Counter(k for ks in seen for k in sorted(set(ks))).most_common(1)[0]
                out[g].append([n, len(seen), sum(kind not in ks for ks in rest), len(rest)])
    return out


def tables(features):
    said = {g: {x: [(wrong, rest) for n, seen, wrong, rest in sides if n >= x * seen] for x in NEARLY_ALL} for g, sides in features.items()}
    share = lambda of, x: sum(wrong / rest for s in of for wrong, rest in s[x]) / max(1, sum(len(s[x]) for s in of))
    every, count = said.values(), sum(map(len, features.values()))
    print("NEARLY_ALL: " + ", ".join(f"of {sum(len(s[x]) for s in every)} sides of {count} {share(every, x):.3f} wrongly at {x}" for x in NEARLY_ALL))
    least = lambda of: next((x for x in NEARLY_ALL if share(of, x) <= WRONG), NEARLY_ALL[-1])
    for left in said:
        chosen = least([s for g, s in said.items() if g != left])
        print(f"  without {left} {chosen}: of {len(said[left][chosen])} sides there {share([said[left]], chosen):.3f} wrongly")
    return {"NEARLY_ALL": least(every)}


def is_called(kind, name, wider):
    """1 where a kind is what a type's name says, 0.5 where it is a wider one."""
    name, kind = CALLED.get(name, name), CALLED.get(kind, kind)
    if kind == name or kind in name.split():
        return 1
    chain = {name, *name.split()}
    while chain := {wider[k] for k in chain if k in wider}:
        if kind in chain:
            return 0.5
    return 0


def kinds(of, types, lab):
    wider = dict(line.split("\t")[:2] for line in (HERE / "crates/text/lexicon/en/everyday_kinds.tsv").read_text(encoding="utf-8").splitlines() if line[0] != "#")
    wider["state"] = "place"
    worths = {}
    for g in ("codex", "freebase", "geoquery", *JOINS):
        true = {}
        if g in JOINS:
            true = {(r, at): [k] for r, both in JOINS[g].items() for at, k in enumerate(both.split()) if k != "-"}
        else:
            ends = collections.defaultdict(lambda: [0, collections.Counter()])
            for h, r, t in of[g][0]:
                for at, node in ((0, h), (1, t)):
                    if types[g].get(node):
                        ends[r, at][0] += 1
                        ends[r, at][1].update(set(types[g][node]))
            # All types that most of them have: what is one of them is right.
            true = {side: [k for k, c in count.items() if 2 * c > n] for side, (n, count) in ends.items() if n >= 10}
        process = subprocess.Popen([lab, "eval", "kinds", *map(str, of[g][1])], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        now = json.loads(process.stdout.readline())
        labels = dict(rows(pathlib.Path(os.environ["POCKETGRAPH_DATA"]) / "codex/relations.tsv", columns=(0, 1))) if g == "codex" else {}
        if g == "codex":
            true = {(labels.get(r, r), at): k for (r, at), k in true.items()}
        for name, grid in KINDS.items():
            for value in grid:
                process.stdin.write(json.dumps({name: value}) + "\n")
                process.stdin.flush()
                sums = [0, 0]
                for side in json.loads(process.stdout.readline()):
                    for at, end in enumerate((side["domain"], side["range"])):
                        called = [k for k in (true.get((side["relation"], at)) or true.get((side["relation"].replace(" ", "_"), at)) or [])]
                        if called:
                            kind = next((k for k, n in end if 2 * n > side["triples"]), "")
                            right = max(is_called(kind, c, wider) for c in called) if kind not in ("", "value") else None
                            sums[0] += 0 if right is None else right or -2
                            sums[1] += 1
                worths.setdefault(name, {}).setdefault(g, {})[value] = sums[0] / max(1, sums[1])
        process.stdin.close()
        process.wait()
        print(f"{g}: {sums[1]} sides; as it is {worths['one_kind'][g][0.5]:.3f}", flush=True)
    for name, grid in KINDS.items():
        leave_out(name, grid, worths[name], next(v for v in grid if abs(v - now[name]) < 1e-4))


def fit():
    """What the stored features give, by constant."""
    features = json.loads(FEATURES.read_text(encoding="utf-8"))
    return shapes(features["shapes"]) | tables(features["tables"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("data", type=pathlib.Path, nargs="?")
    parser.add_argument("--lab")
    args = parser.parse_args()
    if args.folder:
        args.folder.mkdir(parents=True, exist_ok=True)
        all_graphs, types = graphs(args.folder, args.data), declared(args.data)
        features = {"shapes": shape_features(all_graphs), "tables": table_features(all_graphs, types)}
        FEATURES.parent.mkdir(exist_ok=True)
        FEATURES.write_text(json.dumps(features, separators=(",", ":")).replace('"tables"', '\n"tables"') + "\n", encoding="utf-8")
    print(fit())
    if args.lab:
        kinds(all_graphs, types, args.lab)


if __name__ == "__main__":
    main()
