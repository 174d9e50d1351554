import { defineConfig } from "vitepress";

// A small site that uses what documentation sites use; see ../../README.md.
export default defineConfig({
  title: "Loom",
  lang: "en-GB",
  base: "/loom/",
  cleanUrls: true,
  ignoreDeadLinks: true,
  srcExclude: ["**/README.md", "parts/**", "drafts/**"],
  rewrites: { "old/:page": "legacy/:page" },
});
