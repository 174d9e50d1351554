"""Chunks of documents and their vectors, as the program makes them, for engines that spread work over machines.

``Chunker`` and ``Embedder`` take and give rows, or pyarrow tables with the columns of ``schema()``; written as Parquet by any number of workers, they are what
``pocketgraph build --chunks DIR --embedder minilm`` assembles. The compiled half of the module does the work, without holding Python's lock.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, Union

from . import _pocketgraph, _run

if TYPE_CHECKING:
    import numpy
    import pyarrow

Content = Union[bytes, str]

__all__ = ["Chunker", "Embedder", "schema"]


def schema(vectors: bool = False) -> "pyarrow.Schema":
    """The columns of a table of chunks; with ``vectors`` also the one that ``Embedder.table`` adds."""
    import pyarrow as pa

    text, number = pa.string(), pa.int32()
    fields = [
        ("document", text),
        ("index", number),
        ("title", text),
        ("url", text),
        ("language", text),
        ("headings", pa.list_(text)),
        ("fragment", text),
        ("start", number),
        ("end", number),
        ("layout", pa.binary()),
        ("text", text),
    ]
    return pa.schema(fields + ([("vector", pa.list_(pa.float32()))] if vectors else []))


class Chunker:
    """Cuts documents into chunks of at most ``max_tokens`` tokens, by the rules of ``pocketgraph build``.

    ``base_url``, ``url_style`` (auto, html, folder, clean, source) and ``generator`` (none, docusaurus, mkdocs, …) say how addresses follow from paths.
    """

    def __init__(self, max_tokens: int = 200, *, base_url: str = "", url_style: str = "auto", generator: str = "none", embedder: str = "minilm") -> None:
        self._given = {"base_url": base_url, "url_style": url_style, "generator": generator, "embedder": embedder}
        self._max_tokens = max_tokens
        _bring_weights(embedder)
        self._native = _pocketgraph.Chunker(max_tokens, **self._given)

    def __reduce__(self) -> Any:
        return _made, (Chunker, (self._max_tokens,), self._given)

    def chunks(self, documents: Iterable[tuple[str, Content]]) -> list[dict[str, Any]]:
        """The chunks of documents, each a path with slashes and the content of the file; what a file is follows from its ending."""
        return self._native.chunks([(path, content) for path, content in documents])

    def table(self, files: "pyarrow.Table", root: str = "", path: str = "path", content: str = "bytes") -> "pyarrow.Table":
        """The chunks of a table of files as a table; ``path`` and ``content`` name its columns. Documents are called by their paths below ``root``."""
        import pyarrow as pa

        above = root.rstrip("/") + "/" if root else ""
        names = [_plain(p).removeprefix(_plain(above)) if above else p for p in files.column(path).to_pylist()]
        rows = self.chunks(zip(names, files.column(content).to_pylist()))
        return pa.Table.from_pylist(rows, schema=schema())


class Embedder:
    """Turns texts into vectors of length 1 on all cores: the same as the program's, bit for bit."""

    def __init__(self, name: str = "minilm", *, file: "Union[str, os.PathLike[str], None]" = None) -> None:
        self._given = {"file": file}
        _bring_weights(name)
        self._native = _pocketgraph.Embedder(name, file=file)
        self._name = name

    def __reduce__(self) -> Any:
        return _made, (Embedder, (self._name,), self._given)

    @property
    def id(self) -> str:
        """What bundles call the model, for ``--embedder``."""
        return self._native.id

    @property
    def dimension(self) -> int:
        """Numbers a vector."""
        return self._native.dimension

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        return self._native.count(text)

    def embed(self, texts: Sequence[str]) -> "numpy.ndarray":
        """One row a text, of 32-bit floating-point numbers."""
        import numpy as np

        return np.frombuffer(self._native.bytes(list(texts)), dtype="<f4").reshape(len(texts), self.dimension)

    def embed_chunks(self, chunks: Sequence[Mapping[str, Any]]) -> "numpy.ndarray":
        """One row a chunk: of its title, headings and text together, as the program embeds it."""
        return self.embed([" > ".join([c["title"], *(c["headings"] or [])]) + "\n" + c["text"] for c in chunks])

    def table(self, chunks: "pyarrow.Table") -> "pyarrow.Table":
        """The table of chunks with a further column, ``vector``."""
        import pyarrow as pa

        rows = self.embed_chunks(chunks.select(["title", "headings", "text"]).to_pylist())
        offsets = pa.array(range(0, rows.size + 1, self.dimension), pa.int32())
        return chunks.append_column("vector", pa.ListArray.from_arrays(offsets, pa.array(rows.reshape(-1), pa.float32())))


def _bring_weights(model: str) -> None:
    """The weights of minilm are the program's: this half of the wheel does not carry them once more."""
    if model == "minilm" and not _pocketgraph.has_weights():
        _pocketgraph.bring_weights(_run("models", "weights"))


def _plain(path: str) -> str:
    """A path without what says that it is one of this machine's files, as Spark writes it."""
    if path.startswith("file:"):
        from urllib.parse import unquote, urlsplit

        return unquote(urlsplit(path).path)
    return path


def _made(kind: Any, given: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return kind(*given, **options)
