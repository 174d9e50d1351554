#!/usr/bin/env python3
"""Makes what `tuning/answers.py --e5` fits the choice of quoted answers to where multilingual-e5-small embeds: blocks that could be quoted for questions in several languages.

    cargo build -p pocketgraph-cli && cargo build -p pocketgraph --example quotable
    tuning/languages.py target/debug XQUAD OUT LANGUAGE…

XQUAD holds LANGUAGE.corpus.jsonl and LANGUAGE.questions.jsonl. Of each language the second half of the passages is a bundle, which is asked every fourth question that these
answer, and every twelfth of those that the first half answers (foreign). The first half is left for measuring.
"""
import argparse, json, pathlib, re, subprocess


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("programs", type=pathlib.Path); p.add_argument("sets", type=pathlib.Path); p.add_argument("out", type=pathlib.Path); p.add_argument("languages", nargs="+")
    a = p.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    for language in a.languages:
        passages = [json.loads(line) for line in open(a.sets / f"{language}.corpus.jsonl")]
        half = len(passages) // 2
        asked = [json.loads(line) for line in open(a.sets / f"{language}.questions.jsonl")]
        inside = [q for q in asked if min(q["gold"]) >= half]
        corpus, first = a.out / f"xquad-{language}.corpus.jsonl", a.out / f"xquad-{language}.first.jsonl"
        corpus.write_text("".join(json.dumps(dict(c, idx=i)) + "\n" for i, c in enumerate(passages[half:])))
        first.write_text(json.dumps({"question": inside[0]["question"], "gold": [g - half for g in inside[0]["gold"]]}) + "\n")
        bundle = a.out / f"xquad-{language}.bundle"
        if not (bundle / "manifest.json").exists():
            how = ["--corpus", corpus, "--questions", first, "--embedder", "multilingual-e5-small", "--bundle", bundle, "--retrievers", "auto"]
            subprocess.run([a.programs / "pocketgraph", "eval", "retrieval", *how], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = [{"kind": "q", "question": q["question"], "answer": "(?i)" + "|".join(re.escape(s) for s in q["answers"])} for q in inside[::4]]
        rows += [{"kind": "foreign", "question": q["question"]} for q in [q for q in asked if min(q["gold"]) < half][::12]]
        questions = a.out / f"xquad-{language}.questions.jsonl"
        questions.write_text("".join(json.dumps(r) + "\n" for r in rows))
        with open(a.out / f"xquad-{language}.quotable.jsonl", "w") as told:
            subprocess.run([a.programs / "examples/quotable", bundle, questions], check=True, stdout=told)
        print(f"{language}: {len(rows)} questions", flush=True)


if __name__ == "__main__":
    main()
