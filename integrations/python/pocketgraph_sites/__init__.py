"""What every plugin for Python does when its generator is done: a bundle of the site, and the script that puts the search box in its place."""

import json
import os
import shlex
import shutil
import subprocess

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


def publish(site, base="", program=None, arguments=()):
    """Builds the bundle of a site that was just written, as `pocketgraph/` in it. `program` is a command, else POCKETGRAPH_PROGRAM or `pocketgraph`."""
    site = os.path.abspath(site)
    inside, beside = os.path.join(site, "pocketgraph"), site + "-pocketgraph"
    shutil.rmtree(inside, ignore_errors=True)
    command = shlex.split(program or os.environ.get("POCKETGRAPH_PROGRAM") or "pocketgraph")
    try:
        # A bundle does not lie in the documents that it is built of, so it is moved there when it is done.
        subprocess.run([*command, "build", site, "-o", beside, "--base-url", base, *arguments], check=True)
        os.replace(beside, inside)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
