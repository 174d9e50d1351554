#!/usr/bin/env python3
"""Makes what `tuning/answers.py --many FOLDER` fits the choice of quoted answers to where multilingual-e5-small embeds, beside what `tuning/sites.py --embedder
multilingual-e5-small` makes there: blocks that could be quoted for questions in several languages.

    cargo build -p pocketgraph-cli && cargo build -p pocketgraph --example quotable
    tuning/languages.py target/debug XQUAD FOLDER LANGUAGE… --titles ENGLISH

XQUAD holds LANGUAGE.corpus.jsonl and LANGUAGE.questions.jsonl; ENGLISH, the English corpus, has the titles of the articles. Of each language every second passage is in a
bundle, which is asked every fourth question that these answer, and every twelfth of those that the others answer (foreign).
"""
import argparse, json, pathlib, re, shutil

from sites import tell


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("programs", type=pathlib.Path); p.add_argument("sets", type=pathlib.Path); p.add_argument("out", type=pathlib.Path); p.add_argument("languages", nargs="+"); p.add_argument("--titles", type=pathlib.Path, required=True)
    a = p.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    titles = {row["idx"]: row["title"].replace("_", " ") for row in map(json.loads, open(a.titles))}
    for language in a.languages:
        name = f"xquad-{language}"
        folder = a.out / f"{name}.source"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for line in open(a.sets / f"{language}.corpus.jsonl"):
            passage = json.loads(line)
            if passage["idx"] % 2:
                (folder / f"{passage['idx']}.md").write_text(f"---\ntitle: {json.dumps(titles[passage['idx']])}\nlang: {language}\n---\n\n{passage['text']}\n")
        asked = [json.loads(line) for line in open(a.sets / f"{language}.questions.jsonl")]
        inside, outside = [[q for q in asked if q["gold"][0] % 2 == part] for part in (1, 0)]
        rows = [{"kind": "q", "question": q["question"], "answer": "(?i)" + "|".join(re.escape(s) for s in q["answers"])} for q in inside[::4]]
        rows += [{"kind": "foreign", "question": q["question"]} for q in outside[::12]]
        tell(a.programs, a.out, name, folder, rows, ["--embedder", "multilingual-e5-small"])


if __name__ == "__main__":
    main()
