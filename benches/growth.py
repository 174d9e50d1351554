#!/usr/bin/env python3
"""Time and memory of a build on documents that a stranger shaped: for docs/benchmarks/builds.md.

    benches/growth.py PROGRAM [KIND...]

Each kind is built at two sizes, the second four times the first. Told are the processor seconds of both, their ratio (at most 5), and the memory of the
larger, which may be at most 20 times its largest document and 500 MB. Ends with status 1 where a bound is broken. No kind needs a network.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

FACTOR = 4


def links(n):
    return {"a.md": "[a](b) " * (n // 7), "b.md": "# other\n\nAn ordinary page.\n"}


def links_apart(n):
    """Links whose text does not stand in the block that they are counted in."""
    anchors = "".join(f"<p></p><a href=b.html>zq{i}</a> " for i in range(n // 30))
    return {"a.html": f"<main><p>{'word ' * (n // 10)}</p>{anchors}</main>", "b.html": "<h1>other</h1><p>An ordinary page.</p>"}


def anchors(n):
    return {"a.html": "<main><p>" + "<a href=b.html>a</a> " * (n // 20) + "</p></main>", "b.html": "<h1>other</h1><p>An ordinary page.</p>"}


def table(n):
    return {"a.md": "| Name | Year | Of |\n|---|---|---|\n" + "".join(f"| Thing {i} | {1900 + i % 100} | Place |\n" for i in range(n // 30))}


def tables(n):
    return {"a.md": "".join(f"| Name | Year |\n|---|---|\n| Thing {i} | {i} |\n\ntext\n\n" for i in range(n // 50))}


def headings_last(n):
    return {"a.md": "a\n\n" * (n // 6) + "".join(f"## h{i}\n\ntext\n\n" for i in range(n // 40))}


def front_matter(n):
    return {"a.md": "---\ntags: [" + "a, " * (n // 3) + "]\n---\n# A\n\nText.\n"}


def front_matter_lines(n):
    return {"a.md": "---\ntags:\n" + "- a\n" * (n // 4) + "---\n# A\n\nText.\n"}


def attributes(n):
    return {"a.adoc": ":a: " + "x" * (n // 2) + "\n\n" + "{a}" * (n // 6) + "\n"}


def substitutions(n):
    return {"a.rst": ".. |a| replace:: " + "x" * (n // 2) + "\n\n" + "|a| " * (n // 8) + "\n"}


def targets(n):
    return {"a.rst": ".. _a: " + "x" * (n // 2) + "\n\n" + "a_ " * (n // 6) + "\n"}


def same(n):
    """Chunks of one text, each under a title of its own."""
    return {"a.jsonl": "".join(json.dumps({"id": str(i), "title": f"d{i}", "text": "word"}) + "\n" for i in range(n // 45))}


# The smaller size in bytes; of identical chunks some two thousand and four times as many.
KINDS = {links: 120_000, links_apart: 120_000, anchors: 240_000, table: 120_000, tables: 60_000, headings_last: 60_000, front_matter: 3_000_000,
         front_matter_lines: 3_000_000, attributes: 60_000, substitutions: 60_000, targets: 60_000, same: 100_000}


def build(program, files):
    with tempfile.TemporaryDirectory() as folder:
        docs = os.path.join(folder, "docs")
        os.mkdir(docs)
        for name, text in files.items():
            with open(os.path.join(docs, name), "w", encoding="utf-8") as file:
                file.write(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [program, "build", docs, "-o", os.path.join(folder, "out"), "--no-cache", "--no-runtime", "-q"]
        # A process of its own for each, so that its memory is told apart from that of those before.
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            os.write(writer, json.dumps([status, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]).encode())
            os._exit(0)
        os.close(writer)
        told = os.read(reader, 1000)
        os.close(reader)
        os.waitpid(child, 0)
        del before
        status, seconds, memory = json.loads(told)
        return status, seconds, memory, max(len(t.encode()) for t in files.values())


def main(program, wanted):
    empty = build(program, {"a.md": "# A\n\nText.\n"})[1]
    print(f"a document of one line: {empty:.2f} s\n\n| kind | bytes | s | 4 times | ratio | memory, MB | of at most |\n|---|---|---|---|---|---|---|")
    broken = []
    for kind, size in KINDS.items():
        if wanted and kind.__name__ not in wanted:
            continue
        _, first, _, _ = build(program, kind(size))
        status, second, memory, largest = build(program, kind(size * FACTOR))
        # What a build of nothing takes is no growth.
        ratio = max(second - empty, 0.01) / max(first - empty, 0.05)
        most = 20 * largest + 500e6
        print(f"| {kind.__name__} | {size} | {first:.2f} | {second:.2f} | {ratio:.1f} | {memory / 1e6:.0f} | {most / 1e6:.0f} |", flush=True)
        if status != 0 or ratio > 5 or memory > most:
            broken.append(kind.__name__)
    if broken:
        sys.exit(f"broken: {', '.join(broken)}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
