"""Questions about the code packages that this project is built of: each wording of package_wordings.tsv (relations that it follows, joined by >, ^ for one that is
followed backwards; - for what the graph does not know) about some of them. Writes the graph as cargo's own metadata has it, and the questions as JSON Lines for
`pocketgraph-lab eval plans`. The wordings were written before any was asked.

    python3 benches/package_questions.py FOLDER      writes graph.tsv, known.jsonl and unknown.jsonl there
"""

import json
import pathlib
import random
import subprocess
import sys

from paths import ends, reached

here = pathlib.Path(__file__).resolve().parent
folder = pathlib.Path(sys.argv[1])
metadata = json.loads(subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked"], cwd=here.parent, capture_output=True, check=True).stdout)
names = {p["id"]: p["name"] for p in metadata["packages"]}
triples = set()
for package in metadata["packages"]:
    name = package["name"]
    said = {"author": [a.split(" <")[0] for a in package["authors"]], "keyword": package["keywords"], "category": package["categories"]}
    said |= {"licence": [package["license"]], "version": [package["version"]], "edition": [package["edition"]]}
    triples |= {(name, relation, value.strip()) for relation, values in said.items() for value in values if value and value.strip()}
for node in metadata["resolve"]["nodes"]:
    triples |= {(names[node["id"]], "depends_on", names[d["pkg"]]) for d in node["deps"]}
triples = sorted(t for t in triples if t[0] != t[2] and not any("\t" in part or "\n" in part for part in t))
(folder / "graph.tsv").write_text("head\trelation\ttail\n" + "".join("\t".join(t) + "\n" for t in triples), encoding="utf-8")
of = ends(triples)
drawn = random.Random(28)
with (folder / "known.jsonl").open("w", encoding="utf-8") as known, (folder / "unknown.jsonl").open("w", encoding="utf-8") as unknown:
    for line in (here / "package_wordings.tsv").read_text(encoding="utf-8").splitlines():
        path, wording = line.split("\t")
        steps = ["depends_on"] if path == "-" else path.split(">")
        for thing in drawn.sample([t for t in sorted(of[steps[0]]) if 0 < len(reached(of, t, steps)) <= 40], 4):
            answers = ["no such thing"] if path == "-" else sorted(reached(of, thing, steps))
            row = {"id": f"{path} {thing}", "question": wording.replace("{}", thing), "answers": answers}
            print(json.dumps(row), file=unknown if path == "-" else known)
