"""PocketGraph from Python: build a bundle of documents, search it, ask it.

The functions run the program ``pocketgraph`` that is installed with this module, and return what it prints as JSON. Options of the program are keyword
arguments: ``max_tokens=100`` is ``--max-tokens 100``, ``no_runtime=True`` is ``--no-runtime``, a list repeats an option.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from typing import Any, Sequence, Union

Path = Union[str, "os.PathLike[str]"]

__all__ = ["PocketGraphError", "ask", "build", "plan", "program", "run", "search"]


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
    done = subprocess.run([program(), *map(os.fspath, arguments)], capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise PocketGraphError(done.stderr.strip() or f"pocketgraph ended with status {done.returncode}")
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
    """An answer with citations: ``{"text", "citations", ...}``. Without ``base_url`` and ``model`` no language model is asked."""
    return json.loads(run("ask", bundle, "--json", *_options(options), "--", question))


def plan(bundle: Path, question: str, **options: Any) -> dict:
    """The plan for a question over the bundle's knowledge graph; with ``execute=True`` also its result."""
    return json.loads(run("plan", bundle, "--json", *_options(options), "--", question))


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
