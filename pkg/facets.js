// What a reader may choose among: the values that a bundle's documents have, of which one or two alone are no
// choice.

/** Folders are listed up to here; more of them are no list that a reader goes through. */
const MOST_FOLDERS = 40;

/**
 * The facets of documents that stand in a line each: language, version and address below the host, with tabs
 * between them.
 */
export function facetsOf(lines) {
  const facets = [];
  for (const line of lines.split("\n").slice(0, -1)) {
    const [language, version, path] = line.split("\t");
    facets.push(
      { of: "language", value: language, documents: 1 },
      { of: "version", value: version, documents: 1 },
    );
    for (const { index } of path.matchAll(/\//g))
      facets.push({ of: "folder", value: path.slice(0, index), documents: 1 });
  }
  return summed(facets).sort(
    (a, b) =>
      Number(a.of > b.of) - Number(a.of < b.of) || Number(a.value > b.value) - Number(a.value < b.value),
  );
}

/**
 * The own fields of documents, whose values stand in a line each: the field's name, its kind and the value,
 * with tabs between them. Values of words come by their number of documents, others by size.
 */
export function fieldsOf(lines) {
  const cells = lines
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t"));
  return summedFields(
    cells.map(([name, kind, value]) => ({ name, kind, values: [{ value, documents: 1 }] })),
  );
}

/** Fields of several bundles as those of one: what one name has together. */
export function summedFields(fields) {
  const found = new Map();
  for (const { name, kind, values } of fields) {
    const field = found.get(name) ?? { name, kind, counts: new Map() };
    if (field.kind !== kind) field.kind = "words";
    for (const { value, documents } of values)
      field.counts.set(value, documents + (field.counts.get(value) ?? 0));
    found.set(name, field);
  }
  return [...found.values()].map(({ name, kind, counts }) => {
    const values = [...counts].map(([value, documents]) => ({ value, documents }));
    const bySize = (a, b) => a.value.localeCompare(b.value, "en", { numeric: true });
    if (kind === "number") values.sort((a, b) => a.value - b.value);
    else values.sort((a, b) => (isOrdered(kind) ? 0 : b.documents - a.documents) || bySize(a, b));
    return { name, kind, values };
  });
}

/** True for kinds of fields in which a reader looks for a range. */
export const isOrdered = (kind) => kind === "number" || kind === "date";

/**
 * The filter that leaves only the document at `address`, of documents that stand in lines as for `facetsOf`;
 * null if none is there. Hosts write one address in several ways: with and without `.html`, `index` or a last
 * slash.
 */
export function pageFilter(lines, address) {
  const here = plainPath(new URL(address).pathname);
  const paths = lines.split("\n").map((line) => line.split("\t")[2]);
  const path = paths.find((one) => one && plainPath(one) === here);
  // Folders below a page's address are other pages; after a second slash there are none.
  return path ? { folder: path.endsWith("/") ? `${path}/` : path } : null;
}

function plainPath(path) {
  const plain = path.replace(/^\//, "").replace(/(?:\/|(?:\/?index)?\.html?)+$/, "");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** Facets of several bundles as those of one: the counts of one kind and value together. */
export function summed(facets) {
  const found = new Map();
  for (const { of, value, documents } of facets) {
    const key = `${of} ${value}`;
    found.set(key, { of, value, documents: documents + (found.get(key)?.documents ?? 0) });
  }
  return [...found.values()];
}

/**
 * The values worth choosing among, by kind; empty where there is no choice. An empty value stands for
 * documents that have none.
 */
export function choices(facets) {
  const values = (of) => facets.filter((facet) => facet.of === of);
  const languages = values("language").filter(({ value }) => value);
  // Of one document alone it is no version, but a release's notes.
  const versions = values("version").filter(({ value, documents }) => !value || documents > 1);
  const language = languages.length > 1 ? names(languages).sort() : [];
  const version = versions.length > 1 ? names(versions).sort(newestFirst) : [];
  return {
    language,
    version,
    folder: folders(
      values("folder"),
      total(facets),
      new Set([...names(languages), ...names(values("version"))]),
    ),
  };
}

/** The folders just below what all documents share, but for those that are a language's or a version's. */
function folders(all, documents, others) {
  const counts = new Map(all.map((folder) => [folder.value, folder.documents]));
  const above = (folder) => folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
  const isTop = ({ value, documents: own }) =>
    own > 1 && own < documents && (counts.get(above(value)) ?? documents) === documents;
  const found = names(all.filter(isTop)).filter(
    (folder) => !others.has(folder.slice(above(folder).length).replace("/", "")),
  );
  return found.length > 1 && found.length <= MOST_FOLDERS ? found.sort() : [];
}

const names = (facets) => facets.map(({ value }) => value);

/** Returns the number of documents: each has one language, or none. */
function total(facets) {
  return facets.reduce((sum, { of, documents }) => sum + (of === "language" ? documents : 0), 0);
}

/**
 * Without a version first, as sites have their current one; then words such as `latest`; then numbers, the
 * largest first.
 */
function newestFirst(a, b) {
  const rank = (version) => (version === "" ? 0 : /\d/.test(version) ? 2 : 1);
  return rank(a) - rank(b) || b.localeCompare(a, "en", { numeric: true });
}
