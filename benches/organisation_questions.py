"""Questions about a made-up company, as a spreadsheet of triples without any types: each wording of organisation_wordings.tsv (relations that it follows, joined by >,
^ for one that is followed backwards, # where their number is asked for; -person and -place for what the graph does not know) about some of its things. Writes the graph and
the questions as JSON Lines for `pocketgraph-lab eval plans`. The wordings were written before any was asked.

    python3 benches/organisation_questions.py FOLDER      writes graph.tsv, known.jsonl and unknown.jsonl there
"""

import json
import pathlib
import random
import sys

from paths import ends, reached

folder = pathlib.Path(sys.argv[1])
drawn = random.Random(7)
FIRST = "Ada Boris Clara Derek Elif Farid Greta Hugo Ines Jonas Kofi Lena Mateo Nadia Otto Priya Quinn Rosa Sven Tara Umar Vera Wout Xenia Yusuf Zora".split()
LAST = "Abbott Brandt Castellan Duarte Eriksen Falk Grimaldi Hoang Ibarra Jansen Kowal Lindqvist Moreau Novak Okafor Petrov Quist Romano Sato Tanaka".split()
DEPARTMENTS = ["Accounting", "Legal", "Research", "Logistics", "Marketing", "Support"]
CITIES = ["Lisbon", "Oslo", "Graz", "Leuven", "Porto"]
PROJECTS = ["Albatross", "Bluebell", "Cormorant", "Dandelion", "Egret", "Foxglove", "Goldcrest", "Heather"]
SKILLS = ["welding", "bookkeeping", "French", "negotiation", "Python", "statistics", "forklift driving"]
CLIENTS = ["Halden Foods", "Brightwater Rail", "Nordic Mills", "Castle Bank"]
people = []
while len(people) < 50:
    name = f"{drawn.choice(FIRST)} {drawn.choice(LAST)}"
    people += [name] if name not in people else []
triples = set()
for at, person in enumerate(people):
    triples.add((person, "works_in", drawn.choice(DEPARTMENTS)))
    triples.add((person, "salary", str(drawn.randrange(28, 120) * 1000)))
    triples.add((person, "hired_on", f"{drawn.randrange(2001, 2024)}-{drawn.randrange(1, 13):02}-{drawn.randrange(1, 28):02}"))
    triples |= {(person, "has_skill", skill) for skill in drawn.sample(SKILLS, 2)}
    triples |= {(person, "reports_to", people[drawn.randrange(min(at, 8))])} if at else set()
    triples |= {(person, "mentors", people[(at * 7 + 3) % 50])} if at % 3 == 0 else set()
for department in DEPARTMENTS:
    triples |= {(department, "located_in", drawn.choice(CITIES)), (department, "headed_by", drawn.choice(people))}
for project in PROJECTS:
    triples |= {(project, "led_by", drawn.choice(people)), (project, "budget", str(drawn.randrange(5, 90) * 10000))}
    triples |= {(project, "deadline", f"202{drawn.randrange(5, 9)}-0{drawn.randrange(1, 9)}-15"), (project, "commissioned_by", drawn.choice(CLIENTS))}
    triples |= {(person, "assigned_to", project) for person in drawn.sample(people, 5)}
triples = sorted(t for t in triples if t[0] != t[2])
(folder / "graph.tsv").write_text("head\trelation\ttail\n" + "".join("\t".join(t) + "\n" for t in triples), encoding="utf-8")
of = ends(triples)
with (folder / "known.jsonl").open("w", encoding="utf-8") as known, (folder / "unknown.jsonl").open("w", encoding="utf-8") as unknown:
    for line in (pathlib.Path(__file__).parent / "organisation_wordings.tsv").read_text(encoding="utf-8").splitlines():
        path, wording = line.split("\t")
        if path.startswith("-"):
            for thing in drawn.sample(people if path == "-person" else DEPARTMENTS + CITIES + CLIENTS, 3):
                row = {"id": f"{path} {thing}", "question": wording.replace("{}", thing), "answers": ["no such thing"]}
                print(json.dumps(row), file=unknown)
            continue
        steps = path.lstrip("#").split(">")
        fit = [t for t in sorted(of[steps[0]]) if reached(of, t, steps)]
        for thing in drawn.sample(fit, min(3, len(fit))):
            answers = sorted(reached(of, thing, steps))
            row = {"id": f"{path} {thing}", "question": wording.replace("{}", thing), "answers": [str(len(answers))] if path[0] == "#" else answers}
            print(json.dumps(row), file=known)
