"""Runs the cells of a notebook in their order and compares what they print with what stands in it; `--update` writes that.

    python tests/python/notebook.py docs/notebook.ipynb [--update]

A cell is plain Python. The text that it prints, and the value of an expression that ends it, are its output.
"""

import ast
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile


def printed(source: str, names: dict) -> str:
    """What a cell prints, with the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                print(repr(value))
    return out.getvalue()


def stored(cell: dict) -> str:
    """What stands below a cell."""
    return "".join("".join(o["text"]) for o in cell["outputs"] if o["output_type"] == "stream")


def main() -> None:
    file, update = pathlib.Path(sys.argv[1]).resolve(), "--update" in sys.argv[2:]
    notebook = json.loads(file.read_text())
    names: dict = {"__name__": "__main__"}
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, cell in enumerate(code, 1):
            text = printed("".join(cell["source"]), names)
            if text != stored(cell):
                wrong.append(f"cell {number}\n  printed: {text!r}\n  stands:  {stored(cell)!r}")
            cell["execution_count"] = number
            lines = text.splitlines(keepends=True)
            cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
        os.chdir(file.parent)
    if update:
        file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    elif wrong:
        sys.exit(f"{file.name} does not print what stands in it:\n" + "\n".join(wrong))
    print(f"{file.name}: {len(code)} cells")


if __name__ == "__main__":
    main()
