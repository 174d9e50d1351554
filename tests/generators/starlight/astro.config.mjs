// A small site that uses what documentation sites use; see ../README.md.
import { defineConfig } from "astro/config";
import starlight from "@astrojs/starlight";

export default defineConfig({
  site: "https://loom.example",
  integrations: [
    starlight({
      title: "Loom",
      defaultLocale: "root",
      locales: { root: { label: "English", lang: "en" }, de: { label: "Deutsch" } },
    }),
  ],
});
