#!/usr/bin/env python3
"""A language model that is a script, behind an OpenAI-compatible endpoint on this machine: benches/studies/scripted.py [PORT]

It copies. Asked for an answer, it gives the sentence of the passages that shares most words with the question, and the number of its passage; asked to search, it
searches for the question once; asked what a passage names and states, it lists a few names and puts those of one sentence together. Tokens are words. So it is the
same in every run, costs nothing, and shows what a study tells of a model that reads for an index.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LISTED = re.compile(r"\[(\d+)\] [^\n]*\n(.+?)(?=\n\n|\n(?:Thought|Question|Action)|\Z)", re.S)
NAME = re.compile(r"[A-Z][\w'’-]+(?: (?:of |the )?[A-Z][\w'’-]+)*|\d{4}")


def words(text):
    return set(re.findall(r"\w{3,}", text.lower()))


def sentences(text):
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+", text) if s.strip()]


def best(question, text):
    """The sentence nearest to the question, with the number of its passage."""
    asked = words(question)
    told = [(len(asked & words(s)) / (8 + len(words(s))), number, s) for number, passage in LISTED.findall(text) for s in sentences(passage)]
    _, number, sentence = max(told, default=(0, "1", "The documents do not say."))
    return f"{sentence.rstrip('.')} [{number}]."


def reply(messages):
    said = "\n".join(m["content"] or "" for m in messages)
    last = messages[-1]["content"]
    passage = re.search(r"<passage>\n(.*?)\n</passage>", last, re.S)
    if '{"entities"' in said and passage:
        return json.dumps({"entities": [{"name": n, "type": "thing"} for n in dict.fromkeys(NAME.findall(passage[1]))][:6]})
    if '{"triples"' in said and passage:
        of = [list(dict.fromkeys(NAME.findall(s))) for s in sentences(passage[1])]
        return json.dumps({"triples": [[a, "is named with", b] for names in of for a, b in zip(names, names[1:])][:4]})
    question = said.rsplit("Question: ", 1)[-1].split("\n")[0]
    if "Finish[" not in said:
        return best(question, last)
    seen = said.rsplit("Question: ", 1)[-1]
    if not LISTED.search(seen):
        return f"Thought 1: I look for it.\nAction 1: Search[{question}]"
    return f"Thought 2: It is found.\nAction 2: Finish[{best(question, seen).rstrip('.')}]"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = reply(asked["messages"])
        read = sum(len((m["content"] or "").split()) for m in asked["messages"])
        usage = {"prompt_tokens": read, "completion_tokens": len(text.split()), "total_tokens": read + len(text.split())}
        choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in ({"choices": [choice]}, {"choices": [], "usage": usage}):
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8918), Handler).serve_forever()
