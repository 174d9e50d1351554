#!/usr/bin/env python3
"""Measures `pocketgraph gaps`: sections are removed from a documentation, and asked for among others that are still there.

    tuning/gaps.py PROGRAM DOCS OUT [--removed 20] [--kept 100] [--most N] [--seed N]

DOCS is a folder of Markdown, OUT an empty one for its copy, the bundle and the questions. Each removed section is asked for five times, in other words each time, and each of
the others once. A removed section is named if a gap holds most of its questions and they are most of the gap's; a gap is false if most of its two or more questions are about
sections that are still there.
"""
import argparse, collections, json, pathlib, random, re, shutil, subprocess

FRAMES = ["How do I use {}?", "What is {}?", "Where is {} explained?", "{}", "Why does {} not work?"]
HEADING = re.compile(r"^##+ +(.+?)(?: +#*)?(?: *\{ ?#.*\})?$", re.M)


def sections(path):
    """The sections of a page: their headings, and where they begin and end."""
    text = path.read_text(errors="replace")
    marks = [m for m in HEADING.finditer(text) if text.count("```", 0, m.start()) % 2 == 0]
    for mark, end in zip(marks, [m.start() for m in marks[1:]] + [len(text)]):
        heading = re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", r"\1", mark[1])
        if 1 <= len(heading.split()) <= 6 and 300 <= end - mark.start() <= 4000:
            yield heading.strip(" .:?!"), mark.start(), end


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program"), parser.add_argument("docs", type=pathlib.Path), parser.add_argument("out", type=pathlib.Path)
    for name, count in [("--removed", 20), ("--kept", 100), ("--most", 40), ("--seed", 0)]:
        parser.add_argument(name, type=int, default=count)
    args = parser.parse_args()
    chance, docs = random.Random(args.seed), args.out / "docs"
    shutil.copytree(args.docs, docs)
    all_sections = [(path, *section) for path in sorted(docs.rglob("*.md*")) for section in sections(path)]
    words = lambda heading: {w for w in re.findall(r"\w{4,}", heading.lower())}
    spread = collections.Counter(w for _, heading, *_ in all_sections for w in words(heading))
    # Of headings that share all their words with others nobody can say which section is meant.
    own = [s for s in all_sections if any(spread[w] == 1 for w in words(s[1]))]
    chosen = chance.sample(own, min(args.removed + args.kept, len(own)))
    removed, kept = chosen[: args.removed], chosen[args.removed :]
    for path, _, start, end in sorted(removed, key=lambda s: (s[0], -s[2])):
        text = path.read_text(errors="replace")
        path.write_text(text[:start] + text[end:])
    about = {frame.format(s[1]): s[1] for s in removed for frame in FRAMES}
    others = {chance.choice(FRAMES).format(s[1]): None for s in kept}
    questions = [*about, *(q for q in others if q not in about)]
    chance.shuffle(questions)
    (args.out / "questions.txt").write_text("\n".join(questions) + "\n")
    run = lambda *command: subprocess.run([args.program, *map(str, command)], check=True, capture_output=True, text=True).stdout
    run("build", docs, "-o", args.out / "bundle", "--no-runtime")
    gaps = json.loads(run("gaps", args.out / "bundle", args.out / "questions.txt", "--json", "--most", args.most))
    named, false = set(), []
    for gap in gaps:
        counts = collections.Counter(about.get(q) for q in gap["questions"])
        heading, times = counts.most_common(1)[0]
        if heading and 2 * times > len(gap["questions"]) and 2 * times > len(FRAMES):
            named.add(heading)
        elif heading is None and gap["asked"] > 1:
            false.append(gap["heading"])
    missing = [s[1] for s in removed if s[1] not in named]
    print(json.dumps({"docs": str(args.docs), "questions": len(questions), "removed": len(removed), "named": len(named), "false": len(false), "missing": missing, "wrongly": false}))


if __name__ == "__main__":
    main()
