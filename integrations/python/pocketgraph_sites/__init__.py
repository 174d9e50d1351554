"""The common part of the plugins for Python: the bundle of a site that its generator has written, and the script that puts the search box in its place."""

import json
import os
import shlex
import shutil
import subprocess
import sysconfig

SCRIPT = "pocketgraph.mjs"

_PAGE = """import {0}
const src = new URL({1}, import.meta.url).href;
const place = () => {{
  const theirs = {2}.map((s) => document.querySelector(s)).find(Boolean);
  if (theirs) theirs.style.display = "none";
  if (document.querySelector("pocketgraph-ask")) return;
  const ours = document.createElement("pocketgraph-ask");
  ours.setAttribute("src", src);
  ours.setAttribute("mode", "dialog");
  if (theirs) theirs.before(ours);
  else document.body.prepend(ours);
}};
place();
new MutationObserver(place).observe(document.body, {{ childList: true, subtree: true }});
"""


def page_script(where, up="./"):
    """The script of pages; `where` are selectors of a theme's search, `up` leads from the script to the site's root."""
    parts = json.dumps(f"{up}pocketgraph/runtime/ask-element.js") + ";", json.dumps(f"{up}pocketgraph/")
    return _PAGE.format(parts[0], parts[1], json.dumps(where))


def write_script(path, script):
    """Writes the script of pages: through no link, and over nothing but the script of an earlier build."""
    if os.path.isfile(path) and not os.path.islink(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            if file.readline() != script[: script.index("\n") + 1]:
                raise FileExistsError(f"{path} is not of PocketGraph and stays as it is: give it another name")
    with open(f"{path}-{os.getpid()}", "x", encoding="utf-8") as file:
        file.write(script)
    os.replace(file.name, path)


def publish(site, base="", program=None, arguments=()):
    """Builds the bundle of a site that was just written, as `pocketgraph/` in it. The program alone removes and replaces what is there: only what an
    earlier build wrote. `program` is a command, else POCKETGRAPH_PROGRAM, else what is installed."""
    site = os.path.abspath(site)
    named = program or os.environ.get("POCKETGRAPH_PROGRAM")
    command = shlex.split(named) if named else [_installed()]
    subprocess.run([*command, "build", site, "-o", os.path.join(site, "pocketgraph"), "--base-url", base, *arguments], check=True)


def _installed():
    """The program among the scripts of this Python, else of the PATH."""
    folders = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    program = shutil.which("pocketgraph", path=folders)
    if program is None:
        raise FileNotFoundError("there is no program pocketgraph: install it, or name it in POCKETGRAPH_PROGRAM or the option `program`")
    return program
