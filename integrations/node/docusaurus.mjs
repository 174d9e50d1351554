// Docusaurus: `plugins: ["pocketgraph-sites/docusaurus"]` in `docusaurus.config.js`.

import { SCRIPT, publish } from "./site.mjs";

/** A plugin that builds a bundle after the site, with the search box in place of the theme's. */
export default function pocketgraph({ baseUrl }, { id, ...options } = {}) {
  return {
    name: "pocketgraph",
    injectHtmlTags: () => ({
      headTags: [{ tagName: "script", attributes: { type: "module", src: `${baseUrl}${SCRIPT}` } }],
    }),
    postBuild: ({ outDir }) =>
      publish(outDir, {
        base: baseUrl,
        where: ["[class*=navbarSearchContainer]", ".navbar__items--right"],
        ...options,
      }),
  };
}
