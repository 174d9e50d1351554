// Astro and Starlight: `integrations: [starlight({ … }), pocketgraph()]` in `astro.config.mjs`.

import { fileURLToPath } from "node:url";
import { SCRIPT, publish } from "./site.mjs";

/** An integration that builds a bundle after the site, with the search box in place of the theme's. */
export default function pocketgraph(options = {}) {
  let base = "/";
  return {
    name: "pocketgraph",
    hooks: {
      "astro:config:setup"({ config, command, injectScript }) {
        base = config.base.endsWith("/") ? config.base : `${config.base}/`;
        if (command !== "build") return;
        const src = JSON.stringify(`${base}${SCRIPT}`);
        injectScript(
          "page",
          `document.head.append(Object.assign(document.createElement("script"), { type: "module", src: ` +
            `${src} }));`,
        );
      },
      "astro:build:done": ({ dir }) =>
        publish(fileURLToPath(dir), { base, where: ["site-search", "header .header"], ...options }),
    },
  };
}
