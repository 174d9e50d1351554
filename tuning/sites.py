#!/usr/bin/env python3
"""Makes what `tuning/answers.py` fits the choice of quoted answers to: blocks that could be quoted for questions over real sites.

    cargo build -p pocketgraph-cli && cargo build -p pocketgraph --example quotable
    tuning/sites.py target/debug CHECKOUTS OUT [--also SITES] [--embedder NAME] [SITE…]

CHECKOUTS holds a folder a site, the checkout of the repository that tuning/sites/sites.json names; questions are in tuning/sites/SITE.jsonl: written for this by
readers of the pages, in other words than theirs, with a pattern of a right answer. --also: a folder of further SITE.tar.gz, SITE.jsonl and a sites.json. The
handbook is one of the sites. Each site is also asked questions of the others (foreign), which it does not answer. Sites that are not there are told and left out;
bundles that are there are not built again.
"""
import argparse, json, pathlib, random, shutil, subprocess, tarfile

HERE = pathlib.Path(__file__).parent
FOREIGN_OF_EACH, FOREIGN = 3, 30  # of each other site, and at most so many of all
# Sites about the same things. A question that another site answers too names it in `answered_by`.
NEAR = [{"cargo", "rust-book"}, {"vite", "prettier"}]


def sites(also):
    found = {name: dict(how, questions=HERE / "sites" / f"{name}.jsonl") for name, how in json.loads((HERE / "sites/sites.json").read_text()).items()}
    found["handbook"] = dict(folder=".", checkout=HERE.parent / "docs", questions=HERE.parent / "tests/handbook-answers.jsonl")
    if also:
        for name, how in json.loads((also / "sites.json").read_text()).items():
            if how.get("language", "en") == "en" and not name.endswith(("-de", "-zh")):
                found[name] = dict(how, archive=also / (how.get("source", name) + ".tar.gz"), questions=also / f"{name}.jsonl")
    return found


def documents(name, how, checkouts, out):
    """The folder of a site's documents."""
    base = how.get("checkout") or (out / f"{name}.source" if "archive" in how else checkouts / name)
    if "archive" in how and not base.exists():
        with tarfile.open(how["archive"]) as tar:
            tar.extractall(base, filter="data")
    folder = base / how["folder"]
    if "only" in how and folder.exists():
        kept = out / f"{name}.source"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for part in how["only"]:
            (shutil.copytree if (folder / part).is_dir() else shutil.copy)(folder / part, kept / part)
        folder = kept
    return folder


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("programs", type=pathlib.Path); p.add_argument("checkouts", type=pathlib.Path); p.add_argument("out", type=pathlib.Path)
    p.add_argument("only", nargs="*"); p.add_argument("--also", type=pathlib.Path); p.add_argument("--embedder", default="minilm")
    a = p.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    every = sites(a.also)
    rows = {name: [json.loads(line) for line in open(how["questions"])] for name, how in every.items()}
    for name, how in every.items():
        if a.only and name not in a.only:
            continue
        bundle = a.out / f"{name}.bundle"
        if not (bundle / "manifest.json").exists():
            folder = documents(name, how, a.checkouts, a.out)
            if not folder.exists():
                print(f"{name}: {folder} is not there, left out")
                continue
            subprocess.run([a.programs / "pocketgraph", "build", folder, "-o", bundle, "--no-runtime", "--embedder", a.embedder, *how.get("options", [])], check=True, stderr=subprocess.DEVNULL)
        chance = random.Random(name)
        others = [o for o in rows if o != name and {o, name} not in NEAR]
        asked = [dict(q, kind="foreign") for o in others for q in chance.sample([r for r in rows[o] if r["kind"] == "q"], FOREIGN_OF_EACH)
                 if name not in q.get("answered_by", ())]
        chance.shuffle(asked)
        questions = a.out / f"{name}.questions.jsonl"
        questions.write_text("".join(json.dumps(r) + "\n" for r in [r for r in rows[name] if r["kind"] != "kw"] + asked[:FOREIGN]))
        with open(a.out / f"{name}.quotable.jsonl", "w") as told:
            subprocess.run([a.programs / "examples/quotable", bundle, questions], check=True, stdout=told)
        print(f"{name}: {sum(r['kind'] == 'q' for r in rows[name])} questions, {min(FOREIGN, len(asked))} of other sites", flush=True)


if __name__ == "__main__":
    main()
