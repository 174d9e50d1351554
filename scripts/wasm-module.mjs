// Reads WebAssembly modules for these scripts: functions, their names, and the places of sections.

export const CUSTOM = 0;
const IMPORT = 2;
const CODE = 10;
/** Number of the part with functions in the section of names. */
const FUNCTION_NAMES = 1;

/** A position in a module's bytes that advances with reading. */
class Reader {
  at = 0;

  constructor(bytes) {
    this.bytes = bytes;
  }

  /** Reads an unsigned number. */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++];
      if (byte === undefined || shift > 28)
        throw new Error("the module ends early, or a number in it is too long");
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  /** Reads a number of bytes. */
  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

/**
 * Reads a module: the functions' bodies (`bodies`), the number of imported functions (`imported`), the name
 * of each function by its index, imported ones first (`names`), and the file's bytes without its names
 * (`kept`).
 */
export function readModule(bytes) {
  const reader = new Reader(bytes);
  const kept = [reader.take(8)];
  if (kept[0].toString("latin1") !== "\0asm\x01\0\0\0") throw new Error("this is no WebAssembly module");
  const module = { kept, bodies: [], imported: 0, names: new Map() };
  while (reader.at < bytes.length) {
    const start = reader.at;
    const [section] = reader.take(1);
    const length = reader.number();
    const end = reader.at + length;
    const isNames = section === CUSTOM && reader.take(reader.number()).toString() === "name";
    if (section === IMPORT) module.imported = importedFunctions(reader);
    if (isNames) module.names = functionNames(reader, end);
    if (section === CODE) {
      for (let left = reader.number(); left > 0; left -= 1) module.bodies.push(reader.take(reader.number()));
    }
    if (!isNames) kept.push(bytes.subarray(start, end));
    reader.at = end;
  }
  if (module.bodies.length === 0) throw new Error("the module has no functions");
  return module;
}

/** Reads the functions' part of a section of names. */
function functionNames(reader, end) {
  const names = new Map();
  while (reader.at < end) {
    const [part] = reader.take(1);
    const length = reader.number();
    if (part !== FUNCTION_NAMES) reader.take(length);
    else
      for (let left = reader.number(); left > 0; left -= 1)
        names.set(reader.number(), reader.take(reader.number()).toString());
  }
  return names;
}

function importedFunctions(reader) {
  let functions = 0;
  const skipLimits = () => {
    const hasMost = reader.number() & 1;
    reader.number();
    if (hasMost) reader.number();
  };
  for (let left = reader.number(); left > 0; left -= 1) {
    for (let names = 2; names > 0; names -= 1) reader.take(reader.number());
    const kind = reader.number();
    if (kind === 0) {
      reader.number();
      functions += 1;
    } else if (kind === 1) {
      reader.take(1);
      skipLimits();
    } else if (kind === 2) skipLimits();
    else if (kind === 3) reader.take(2);
    else throw new Error(`an import of kind ${kind} is not known here`);
  }
  return functions;
}
