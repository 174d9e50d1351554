// Numbers for people.

/** A size. */
export function bytes(count) {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

/**
 * So many of something. Not by toLocaleString, whose first call loads tables for as long as a frame lasts.
 */
export function count(number, noun) {
  return `${String(number).replace(/\B(?=(\d{3})+$)/g, ",")} ${noun}${number === 1 ? "" : "s"}`;
}
