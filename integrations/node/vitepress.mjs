// VitePress: `export default pocketgraph(defineConfig({ … }))` in `.vitepress/config`.

import { SCRIPT, publish } from "./site.mjs";

/** The configuration with a bundle built after the site, and the search box in place of the theme's. */
export default function pocketgraph(config, options = {}) {
  const base = config.base ?? "/";
  const load = ["script", { type: "module", src: `${base}${SCRIPT}` }];
  return {
    ...config,
    head: [...(config.head ?? []), load],
    async buildEnd(site) {
      await config.buildEnd?.(site);
      await publish(site.outDir, { base, where: [".VPNavBarSearch", ".VPNavBar .content-body"], ...options });
    },
  };
}
