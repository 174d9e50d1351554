"""What the Python module promises, in the environment that it is installed in."""

import json
import pathlib
import pickle
import tempfile
import threading
import time
import unittest

import numpy as np
import pocketgraph
import pyarrow as pa
from pocketgraph.chunks import schema

DOCUMENTS = [
    ("a/mooring.md", "# Mooring\n\n## Bow line\n\nTie the bow line first.\n\n- wind\n- current\n"),
    ("tides.html", b"<title>Tides</title><h1>Tides</h1><p>Read the tide table first.</p>"),
]


class Module(unittest.TestCase):
    def test_documents_are_cut_as_the_program_cuts_them(self):
        rows = pocketgraph.Chunker(base_url="/docs/").chunks(DOCUMENTS)
        self.assertEqual([(r["document"], r["index"], r["url"], r["title"]) for r in rows], [("a/mooring.md", 0, "/docs/a/mooring.html", "Mooring"), ("tides.html", 0, "/docs/tides.html", "Tides")])
        self.assertEqual((rows[0]["headings"], rows[0]["fragment"], rows[0]["text"]), (["Bow line"], "bow-line", "Tie the bow line first.\n\nwind\n\ncurrent"))

    def test_what_cannot_be_done_is_an_error_that_says_so(self):
        for path in ["../x.md", "/etc/x.md", ""]:
            with self.assertRaisesRegex(ValueError, "no path below a folder"):
                pocketgraph.Chunker().chunks([(path, "x")])
        with self.assertRaisesRegex(ValueError, "expected 16 to 256"):
            pocketgraph.Chunker(max_tokens=3)
        with self.assertRaisesRegex(ValueError, "there are minilm"):
            pocketgraph.Embedder("other")
        with self.assertRaisesRegex(pocketgraph.PocketGraphError, "is not a bundle"):
            pocketgraph.open(tempfile.gettempdir())

    def test_vectors_are_unit_rows_whatever_else_is_embedded(self):
        embedder = pocketgraph.Embedder()
        texts = ["Tie the bow line first.", "", "Read the tide table."]
        together = embedder.embed(texts)
        self.assertEqual((together.shape, together.dtype), ((3, embedder.dimension), np.float32))
        np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
        self.assertTrue((together[2] == embedder.embed(texts[2:])[0]).all())
        self.assertEqual(embedder.embed([]).shape, (0, embedder.dimension))

    def test_other_threads_run_while_texts_are_embedded(self):
        embedder, ticks, done = pocketgraph.Embedder(), [], threading.Event()
        texts = ["The spring line keeps the boat from moving along the quay. " * 6] * 40

        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)

        other = threading.Thread(target=tick)
        other.start()
        started = time.monotonic()
        embedder.embed(texts)
        ended = time.monotonic()
        done.set()
        other.join()
        meanwhile = [t for t in ticks if started < t < ended]
        self.assertGreater(len(meanwhile), 5)
        self.assertLess(max(np.diff([started, *meanwhile, ended])), (ended - started) / 2)

    def test_tables_have_the_columns_that_the_program_reads(self):
        files = pa.table({"path": ["file:/srv/my%20docs/tides.md"], "content": ["# Tides\n\nRead the table."]})
        chunks = pocketgraph.Chunker().table(files, root="/srv/my docs", content="content")
        self.assertEqual((chunks.schema, chunks["document"].to_pylist()), (schema(), ["tides.md"]))
        self.assertEqual(pickle.loads(pickle.dumps(pocketgraph.Embedder())).table(chunks).schema, schema(vectors=True))

    def test_a_bundle_is_built_opened_asked_and_drawn_in_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            docs = pathlib.Path(folder, "docs")
            for path, content in DOCUMENTS:
                (docs / path).parent.mkdir(parents=True, exist_ok=True)
                (docs / path).write_bytes(content if isinstance(content, bytes) else content.encode())
            out = pathlib.Path(folder, "kg")
            pocketgraph.build(docs, out, no_runtime=True, no_config=True, quiet=True)
            bundle = pocketgraph.open(out)
            self.assertEqual(bundle.search("bow line")["hits"][0]["url"], "a/mooring.html#bow-line")
            self.assertIn("tide table", bundle.ask("what must I read first of tides?")["text"])
            self.assertGreater(bundle.graph().number_of_nodes(), 0)
            nodes, edges = bundle.graph("kg", "pandas")
            self.assertEqual(len(edges), bundle.graph("kg", "pyarrow")[1].num_rows)
            self.assertTrue({"source", "target"} <= set(edges.columns) and len(nodes) > 0)
            self.assertEqual(json.loads(json.dumps(bundle.graph(kind="json")))["directed"], False)


if __name__ == "__main__":
    unittest.main()
