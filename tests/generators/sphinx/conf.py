# A small site that uses what documentation sites use; see ../README.md.
import os
import sys

sys.path.insert(0, os.path.abspath("code"))
project = "Loom"
extensions = ["myst_parser", "sphinx.ext.autosectionlabel", "sphinx_design"]
autosectionlabel_prefix_document = True
suppress_warnings = ["autosectionlabel.*", "myst.header"]
templates_path = ["_templates"]
exclude_patterns = ["parts/*", "drafts"]
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline", "attrs_block", "substitution"]
html_theme = "alabaster"
rst_prolog = """
.. |loom| replace:: Loom
"""
