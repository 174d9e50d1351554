#!/usr/bin/env python3
"""An oracle reader behind an OpenAI-compatible endpoint on this machine: benches/studies/oracle.py PARTS [PORT]

It knows the questions of the folders in PARTS (as benches/studies/parts.py writes them) and the passages that answer each. It gives the right answer as soon as the
prompt shows all of these passages, and otherwise says that the documents do not say: what it gets right is what a retriever brought. Where a protocol lets it search,
it searches for the question, then with the title of each missing passage that the question or a passage it has seen names, as a model that follows names would.

Asked what a passage names and states, for an index, it lists a few names and puts those of one sentence together. Tokens are words. It is the same in every run.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NAME = re.compile(r"[A-Z][\w'’-]+(?: (?:of |the )?[A-Z][\w'’-]+)*|\d{4}")
UNKNOWN = "The documents do not say."
# A sentence of so many letters and digits is not in two passages by chance.
TELLING = 25


def plain(text):
    return re.sub(r"\W+", " ", text.lower()).strip()


def sentences(text):
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+", text) if s.strip()]


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def read_questions(parts):
    """The questions by their words: the answer, and title and telling sentences of each passage that it takes."""
    known = {}
    for folder in sorted(p.parent for p in parts.glob("*/questions.jsonl")):
        passages = {row["idx"]: row for row in lines(folder / "corpus.jsonl")}
        for asked in lines(folder / "questions.jsonl"):
            gold = []
            for row in (passages[n] for n in asked["gold"]):
                told = [plain(s) for s in sentences(row["text"])]
                gold.append((row["title"], [s for s in told if len(s) >= TELLING] or told))
            known[plain(asked["question"])] = (asked["question"], asked["answers"][0], gold)
    return known


def is_seen(told, shown):
    """Half of a passage's sentences are enough: a long passage is shown in pieces."""
    return 2 * sum(sentence in shown for sentence in told) >= len(told)


def index_reply(prompt, passage):
    names = list(dict.fromkeys(NAME.findall(passage)))[:6]
    named = [(s, [n for n in dict.fromkeys(NAME.findall(s)) if n in names]) for s in sentences(passage)]
    if '"relations"' in prompt:
        entities = [{"name": n, "type": "thing", "description": next(s for s, of in named if n in of), "importance": 50} for n in names if any(n in of for _, of in named)]
        return json.dumps({"entities": entities, "relations": [{"statement": s, "entities": of, "score": 5} for s, of in named if len(of) > 1]})
    if '{"entities"' in prompt:
        return json.dumps({"entities": [{"name": n, "type": "thing"} for n in names]})
    return json.dumps({"triples": [[a, "is named with", b] for _, of in named for a, b in zip(of, of[1:])][:4]})


def next_query(question, gold, shown, searched):
    """The next search that may bring a missing passage, or nothing. `searched` is what the model wrote so far."""
    if plain(question) not in searched:
        return question
    for title, told in gold:
        query = f"{title}: {question}"
        if not is_seen(told, shown) and plain(title) in shown and plain(query) not in searched:
            return query
    return None


def reply(known, messages):
    prompt = "\n".join(m["content"] or "" for m in messages)
    passage = re.search(r"<passage>\n(.*?)\n</passage>", prompt, re.S)
    if passage and ('{"entities"' in prompt or '{"triples"' in prompt):
        return index_reply(prompt, passage[1])
    shown = plain(prompt)
    asked = next((known[plain(line)] for line in re.findall(r"(?:Question|Query): *(.+)", prompt)[::-1] if plain(line) in known), None)
    condensing = "**Final Information**" in prompt
    if condensing:
        asked = max((k for k in known.values() if plain(k[0]) in shown), key=lambda k: len(k[0]), default=None)
    question, answer, gold = asked or ("", UNKNOWN, [])
    seen = [(title, told) for title, told in gold if is_seen(told, shown)]
    if condensing:
        useful = "\n".join(f"{title}: {'. '.join(told)}." for title, told in seen)
        return f"**Final Information**\n{useful or 'The documents hold nothing that helps.'}"
    final = answer if gold and len(seen) == len(gold) else UNKNOWN
    written = plain("\n".join(m["content"] or "" for m in messages if m["role"] == "assistant"))
    # Some protocols send a model's earlier turns as a part of the prompt, behind the question.
    written += " " + plain(prompt.rsplit(f"Question: {question}", 1)[-1]) if question else ""
    over = re.search(r"No (?:more|further) [^\n]*(?:possible|answered)", messages[-1]["content"] or "")
    query = None if final != UNKNOWN or over else next_query(question, gold, shown, written)
    if "Finish[" in prompt:
        return f"Thought: I look at what is known.\nAction: {f'Search[{query}]' if query else f'Finish[{final}]'}"
    if "Follow up:" in prompt:
        return f"Intermediate answer: see above.\nFollow up: {query}" if query else f"So the final answer is: {final}"
    if "<|begin_search_query|>" in prompt:
        return f"<|begin_search_query|>{query}<|end_search_query|>" if query else f"So the answer is \\boxed{{{final}}}."
    for tag in ("search", "query"):
        if f"<{tag}>" in prompt:
            return f"<think>What is missing?</think>\n<{tag}>{query}</{tag}>" if query else f"<think>It is read.</think>\n<answer>{final}</answer>"
    return final


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = reply(self.server.known, asked["messages"])
        read = sum(len((m["content"] or "").split()) for m in asked["messages"])
        usage = {"prompt_tokens": read, "completion_tokens": len(text.split()), "total_tokens": read + len(text.split())}
        choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in ({"choices": [choice]}, {"choices": [], "usage": usage}):
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 8918), Handler)
    server.known = read_questions(Path(sys.argv[1]))
    server.serve_forever()
