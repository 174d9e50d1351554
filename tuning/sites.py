#!/usr/bin/env python3
"""Makes what `tuning/answers.py` fits the choice of quoted answers to: blocks that could be quoted for questions over real sites.

    cargo build -p pocketgraph-cli && cargo build -p pocketgraph --example quotable
    tuning/sites.py target/debug CHECKOUTS OUT [--also SITES] [--embedder NAME] [SITE…]

CHECKOUTS holds a folder a site, the checkout of the repository that tuning/sites/sites.json names; questions are in tuning/sites/SITE.jsonl: written for this by
readers of the pages, in other words than theirs, with a pattern of a right answer. --also: a folder of further SITE.tar.gz, SITE.jsonl and a sites.json. The
handbook is one of the sites. Each site is also asked questions of the others (foreign), which it does not answer. Sites that are not there are told and left out;
bundles that are there are not built again.

Readers of a folder with three files ask too: of each site but the handbook, small folders are made of a few pages that answer questions and a few others. A question whose pages
are left out of a folder is one that the folder does not answer (gone).
"""
import argparse, json, pathlib, random, re, shutil, subprocess, tarfile

from answers import CHECKED, on_page

HERE = pathlib.Path(__file__).parent
FOREIGN_OF_EACH, FOREIGN = 3, 30  # of each other site, and at most so many of all
FOLDERS, ANSWERED, OTHERS = 6, 3, (1, 3)  # small folders of a site: questions that each answers, and pages beside theirs
GONE, FOREIGN_OF_FOLDER, OUTSIDE = 6, 6, 4  # questions of a folder that it does not answer
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


def tell(programs, out, name, folder, asked, options):
    """Builds a bundle of a folder, if it is not there, and writes the blocks that could be quoted for the questions asked of it."""
    bundle, questions = out / f"{name}.bundle", out / f"{name}.questions.jsonl"
    if not (bundle / "manifest.json").exists():
        subprocess.run([programs / "pocketgraph", "build", folder, "-o", bundle, "--no-runtime", *options], check=True, stderr=subprocess.DEVNULL)
    questions.write_text("".join(json.dumps(r) + "\n" for r in asked))
    with open(out / f"{name}.quotable.jsonl", "w") as told:
        subprocess.run([programs / "examples/quotable", bundle, questions], check=True, stdout=told)
    print(f"{name}: {sum(r['kind'] == 'q' for r in asked)} questions of {len(asked)}", flush=True)


def folders(name, base, asked, foreign, out):
    """Makes small folders of a site's pages: yields the name of each, its folder and its questions."""
    chance = random.Random(name)
    files = sorted(f for f in base.rglob("*") if f.suffix in (".md", ".mdx", ".rst", ".markdown") and f.is_file() and 300 < f.stat().st_size < 60_000)
    text = {f: f.read_text(errors="replace") for f in files}
    answers = {q["question"]: q for q in asked if q["kind"] == "q" and q.get("answer")}
    holds = lambda f, q: on_page(str(f.relative_to(base)), q.get("pages")) and re.search(q["answer"], text[f])
    pages = {question: [f for f in files if holds(f, q)] for question, q in answers.items()}
    left = [question for question in answers if pages[question]]
    chance.shuffle(left)
    for number in range(min(FOLDERS, (len(left) + ANSWERED - 1) // ANSWERED)):
        kept = list(dict.fromkeys(chance.choice(pages[question]) for question in left[number * ANSWERED:(number + 1) * ANSWERED]))
        rest = [f for f in files if f not in kept]
        kept += chance.sample(rest, min(len(rest), chance.randint(*OTHERS)))
        folder = out / f"{name}.{number}.source"
        shutil.rmtree(folder, ignore_errors=True)
        for file in kept:
            (folder / file.relative_to(base)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, folder / file.relative_to(base))
        there = [q for question, q in answers.items() if any(f in kept for f in pages[question])]
        gone = [dict(kind="gone", question=question) for question, q in answers.items() if pages[question] and not any(re.search(q["answer"], text[f]) for f in kept)]
        chance.shuffle(gone)
        yield f"{name}.{number}", folder, there + gone[:GONE] + [q for q in asked if q["kind"] == "oos"][:OUTSIDE] + chance.sample(foreign, min(len(foreign), FOREIGN_OF_FOLDER))


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
        folder = documents(name, how, a.checkouts, a.out)
        if not folder.exists():
            print(f"{name}: {folder} is not there, left out")
            continue
        chance = random.Random(name)
        others = [o for o in rows if o != name and {o, name} not in NEAR]
        foreign = [dict(q, kind="foreign") for o in others for q in chance.sample([r for r in rows[o] if r["kind"] == "q"], FOREIGN_OF_EACH)
                   if name not in q.get("answered_by", ())]
        chance.shuffle(foreign)
        asked = [r for r in rows[name] if r["kind"] != "kw"]
        options = ["--embedder", a.embedder, *how.get("options", [])]
        tell(a.programs, a.out, name, folder, asked + foreign[:FOREIGN], options)
        for small in folders(name, folder, asked, foreign, a.out) if name != CHECKED else ():
            tell(a.programs, a.out, *small, options)


if __name__ == "__main__":
    main()
