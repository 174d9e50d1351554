// A small site that uses what documentation sites use; see ../README.md.
import { IdAttributePlugin } from "@11ty/eleventy";

export default function (config) {
  config.addPlugin(IdAttributePlugin);
  return { dir: { input: "content" } };
}
