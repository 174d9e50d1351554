"""From which confidence on a relation nearest in meaning is meant: LEAST_MEANT of crates/planner/src/meaning.rs.

    python3 tuning/least_meant.py PROGRAM DATA     with pocketgraph-lab as PROGRAM

Domains are films and people (MetaQA's questions of one hop in the other words of benches/metaqa_rewordings_4.tsv and _7.tsv, and the unanswerable of
benches/metaqa_unanswerable.tsv, by what they name), geography (GeoQuery's chains of steps) and the things of CoDEx (benches/codex_wordings.tsv). Of each domain
told are what is planned rightly and wrongly at each limit by meaning alone; and, for each domain left out, the least limit at which at most 2.5 % of what the other
domains cannot answer is planned, with what the domain left out then has. The largest of these limits is taken, which nearly all of them are: 0.9.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
HERE = pathlib.Path(__file__).resolve().parent.parent
LIMITS = [0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995]
# Half of the twentieth that all planners together may state of what a graph does not know.
WRONG = 0.025
FILMS = ["--kg", DATA / "metaqa/kb.txt", "--types", HERE / "companion/lab/data/metaqa-types.tsv", "--relations", HERE / "companion/lab/data/metaqa-relations.tsv"]
CODEX = ["--kg", DATA / "codex/codex_m_train.tsv", "--entities", DATA / "codex/entities_m.tsv", "--entity-columns", "id,label,description,aliases,types,-"]
CODEX += ["--relations", DATA / "codex/relations.tsv", "--types", DATA / "codex/types.tsv", "--term-columns", "id,label,-"]


def said(*arguments):
    out = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def every(questions, of):
    step = max(1, len(questions) // of)
    return questions[::step][:of]


def domains():
    reworded = []
    for file in ("4", "7"):
        reworded += every(said(HERE / "benches/reword.py", DATA / "metaqa/1hop_dev.jsonl", HERE / f"benches/metaqa_rewordings_{file}.tsv"), 300)
    unknown = said(HERE / "benches/reword.py", "-", HERE / "benches/metaqa_unanswerable.tsv")
    of_film = lambda q: q["plan"].startswith("movie")
    geography = [json.loads(line) for line in (DATA / "geoquery/questions.jsonl").open(encoding="utf-8")]
    yield "films", FILMS, [q for q in reworded if of_film(q)], [q for q in unknown if q["id"].startswith("film")]
    yield "people", FILMS, [q for q in reworded if not of_film(q)], [q for q in unknown if q["id"].startswith("person")]
    yield "geography", ["--kg", DATA / "geoquery/kb.tsv"], every(geography, 200), []
    codex = HERE / "benches/codex_questions.py"
    yield "codex", CODEX, said(codex, DATA / "codex"), said(codex, DATA / "codex", "unknown")


def counted(graph, questions, limit):
    """How many questions are planned, and how many rightly."""
    if not questions:
        return 0, 0
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(q) + "\n" for q in questions)
        file.flush()
        run = [PROGRAM, "eval", "plans", *map(str, graph), "--planner", "meaning", "--least-confidence", str(limit), "--questions", file.name]
        out = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("| ")][1:]
    # The groups of a set overlap; what counts all is called so, else each question is in one of those without a colon.
    total = [r for r in rows if r[0] == "all"] or [r for r in rows if ":" not in r[0] and not r[0].startswith("one entity")]
    return sum(int(r[2]) for r in total), sum(int(r[4]) for r in total)


found = {}
for name, graph, known, unknown in domains():
    for limit in LIMITS:
        planned, right = counted(graph, known, limit)
        refused, _ = counted(graph, unknown, limit)
        found[name, limit] = (len(known), right, planned - right, len(unknown), refused)
        print(f"{name} from {limit}: of {len(known)} right {right}, wrong {planned - right}; of {len(unknown)} unanswerable planned {refused}", flush=True)
names = sorted({name for name, _ in found})
for out in names:
    others = [n for n in names if n != out]
    share = lambda limit: sum(found[n, limit][4] for n in others) / max(1, sum(found[n, limit][3] for n in others))
    limit = next((x for x in LIMITS if share(x) <= WRONG), LIMITS[-1])
    of, right, wrong, unknown, planned = found[out, limit]
    print(f"without {out}: {limit}; there right {right / of:.3f}, wrong {wrong / of:.3f}, unanswerable planned {planned / max(1, unknown):.3f}")
