"""PocketGraph from Python: build a bundle of documents, search it, ask it; cut documents and embed texts as the program does.

The functions run the program ``pocketgraph`` that is installed with this module, and return what it prints as JSON. Options of the program are keyword
arguments: ``max_tokens=100`` is ``--max-tokens 100``, ``no_runtime=True`` is ``--no-runtime``, a list repeats an option. ``Chunker`` and ``Embedder`` are compiled
into the module.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
from typing import TYPE_CHECKING, Any, Sequence, Union

if TYPE_CHECKING:
    from .chunks import Chunker, Embedder

Path = Union[str, "os.PathLike[str]"]

__all__ = ["Bundle", "Chunker", "Embedder", "PocketGraphError", "ask", "build", "graph", "merge", "open", "plan", "program", "run", "search"]


def __getattr__(name: str) -> Any:
    # Loaded when it is wanted: the compiled half brings the model.
    if name in ("Chunker", "Embedder"):
        from . import chunks

        return getattr(chunks, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class PocketGraphError(RuntimeError):
    """The program failed; the message is what it said."""


def program() -> str:
    """The path of the program: what ``POCKETGRAPH_BINARY`` names, else the one of this installation, else the first on the path.

    Raises:
        PocketGraphError: there is none.
    """
    own = os.environ.get("POCKETGRAPH_BINARY")
    if own:
        return own
    name = "pocketgraph" + (sysconfig.get_config_var("EXE") or "")
    for scheme in (None, "posix_user" if os.name == "posix" else "nt_user"):
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        file = os.path.join(folder, name)
        if os.path.isfile(file):
            return file
    found = shutil.which("pocketgraph")
    if found:
        return found
    raise PocketGraphError("the program pocketgraph is not installed beside this module, and not on the path")


def run(*arguments: Path) -> str:
    """Runs the program with these arguments and returns what it prints.

    Raises:
        PocketGraphError: it failed.
    """
    return _run(*arguments).decode("utf-8")


def _run(*arguments: Path) -> bytes:
    """As :func:`run`, with the bytes as they are."""
    done = subprocess.run([program(), *map(os.fspath, arguments)], capture_output=True, check=False)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise PocketGraphError(said or f"pocketgraph ended with status {done.returncode}")
    return done.stdout


def build(documents: Path, out: Path, **options: Any) -> str:
    """Builds the bundle ``out`` of a folder of documents; returns the summary.

    Raises:
        PocketGraphError: nothing was written.
    """
    return run("build", documents, "--out", out, *_options(options))


def search(bundle: Path, question: str, k: int = 10, **options: Any) -> dict:
    """The ``k`` best passages for a question: ``{"hits": [{"title", "url", "text", "score", ...}], ...}``."""
    return json.loads(run("search", bundle, "-k", str(k), "--json", *_options(options), "--", question))


def ask(bundle: Path, question: str, **options: Any) -> dict:
    """An answer with citations: ``{"text", "citations", ...}``, and of a plan or protocol what it did. Without ``base_url`` and ``model`` no language model is asked."""
    found = json.loads(run("ask", bundle, "--json", *_options(options), "--", question))
    # A plan, or a protocol, tells what it did beside its answer.
    answer = found.pop("answer", None)
    return {**found, **answer} if isinstance(answer, dict) else found


def plan(bundle: Path, question: str, **options: Any) -> dict:
    """The plan for a question over the bundle's knowledge graph; with ``execute=True`` also its result."""
    return json.loads(run("plan", bundle, "--json", *_options(options), "--", question))


def merge(bundles: Sequence[Path], out: Path, **options: Any) -> str:
    """Makes one bundle, ``out``, of several of one embedder; returns the summary.

    Raises:
        PocketGraphError: nothing was written.
    """
    return run("merge", *bundles, "--out", out, *_options(options))


def graph(bundle: Path, what: str = "keywords", kind: str = "networkx") -> Any:
    """A graph of the bundle: ``what`` is keywords, kg, chunks or associations.

    ``kind`` is networkx for a graph, pandas or pyarrow for a pair of tables, nodes and edges, or json for node-link data.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "graph.json")
        run("export", bundle, "--what", what, "--format", "json", "--out", file)
        with _open_file(file, encoding="utf-8") as read:
            data = json.load(read)
    if kind == "networkx":
        import networkx

        return networkx.node_link_graph(data, edges="edges")
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(data["nodes"]), pandas.DataFrame(data["edges"])
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.Table.from_pylist(data["nodes"]), pyarrow.Table.from_pylist(data["edges"])
    if kind == "json":
        return data
    raise ValueError(f"there is no kind {kind!r}; there are networkx, pandas, pyarrow and json")


class Bundle:
    """A bundle in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = os.fspath(folder)

    def __repr__(self) -> str:
        return f"Bundle({self.folder!r})"

    def search(self, question: str, k: int = 10, **options: Any) -> dict:
        """As :func:`search`."""
        return search(self.folder, question, k, **options)

    def ask(self, question: str, **options: Any) -> dict:
        """As :func:`ask`."""
        return ask(self.folder, question, **options)

    def plan(self, question: str, **options: Any) -> dict:
        """As :func:`plan`."""
        return plan(self.folder, question, **options)

    def graph(self, what: str = "keywords", kind: str = "networkx") -> Any:
        """As :func:`graph`."""
        return graph(self.folder, what, kind)


_open_file = open


def open(bundle: Path) -> Bundle:  # noqa: A001
    """The bundle in this folder.

    Raises:
        PocketGraphError: there is none, or it is of another format.
    """
    run("inspect", bundle)
    return Bundle(bundle)


def _options(given: dict[str, Any]) -> Sequence[str]:
    out: list[str] = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            out.append(option)
        elif value is not None and value is not False:
            values = value if isinstance(value, (list, tuple)) else [value]
            out.extend(f"{option}={v}" for v in values)
    return out
