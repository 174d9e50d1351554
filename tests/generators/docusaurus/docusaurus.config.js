// A small site that uses what documentation sites use; see ../README.md.
module.exports = {
  title: "Loom",
  url: "https://loom.example",
  baseUrl: "/",
  onBrokenLinks: "ignore",
  onBrokenAnchors: "ignore",
  i18n: { defaultLocale: "en", locales: ["en"] },
  presets: [
    [
      "classic",
      {
        docs: { sidebarPath: undefined },
        blog: { onUntruncatedBlogPosts: "ignore", onInlineAuthors: "ignore" },
      },
    ],
  ],
};
