"""MkDocs: `- pocketgraph` among the `plugins` of `mkdocs.yml`."""

from urllib.parse import urlsplit

from mkdocs.config import config_options
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File

from . import SCRIPT, page_script, publish

# Of Material, of the theme Read the Docs, of the theme mkdocs.
WHERE = [".md-search", "label[for=__search]", "#rtd-search-form", "[data-target='#mkdocs_search_modal']", "nav"]


class PocketGraph(BasePlugin):
    """Builds a bundle after the site, and puts the search box where the theme has its own."""

    config_scheme = (
        ("program", config_options.Type(str, default="")),
        ("arguments", config_options.Type(list, default=[])),
        ("where", config_options.Type(list, default=WHERE)),
    )

    def on_config(self, config):
        script = config_options.ExtraScriptValue(SCRIPT)
        script.type = "module"
        config.extra_javascript.append(script)
        return config

    def on_files(self, files, *, config):
        files.append(File.generated(config, SCRIPT, content=page_script(self.config["where"])))
        return files

    def on_post_build(self, *, config):
        base = urlsplit(config.site_url or "").path or "/"
        publish(config.site_dir, base, self.config["program"], self.config["arguments"])
