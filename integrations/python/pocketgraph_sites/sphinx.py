"""Sphinx: `"pocketgraph_sites.sphinx"` among the `extensions` of `conf.py`."""

import os

from . import SCRIPT, page_script, publish, write_script

# Of alabaster, furo, Read the Docs, PyData and the classic themes.
WHERE = [".sidebar-search-container", "#rtd-search-form", ".search-button-field", ".search-button", "search#searchbox", "#searchbox", "[role=search]"]


def _load_script(app):
    if app.builder.format == "html":
        app.add_js_file(SCRIPT, type="module")


def _publish(app, exception):
    if exception is None and app.builder.format == "html":
        write_script(os.path.join(app.outdir, "_static", SCRIPT), page_script(app.config.pocketgraph_where, "../"))
        publish(app.outdir, app.config.pocketgraph_base_url, app.config.pocketgraph_program, app.config.pocketgraph_arguments)


def setup(app):
    """Builds a bundle after the site, and puts the search box where the theme has its own."""
    app.add_config_value("pocketgraph_program", "", "html")
    app.add_config_value("pocketgraph_arguments", [], "html")
    app.add_config_value("pocketgraph_base_url", "/", "html")
    app.add_config_value("pocketgraph_where", WHERE, "html")
    app.connect("builder-inited", _load_script)
    app.connect("build-finished", _publish)
    return {"version": "0.1.0", "parallel_read_safe": True, "parallel_write_safe": True}
