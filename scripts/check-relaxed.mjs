// Refuses the module of relaxed/ if it has a memory, data or a stack: it works in the engine's memory, which
// each of these would overwrite.
//
//   node scripts/check-relaxed.mjs FILE

import { readFileSync } from "node:fs";

const bytes = readFileSync(process.argv[2]);
let at = 8;
function number() {
  for (let value = 0, shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
}
const refuse = (what) => {
  console.error(`${process.argv[2]} has ${what}; it must do without (crates/relaxed/src/lib.rs)`);
  process.exit(1);
};

while (at < bytes.length) {
  const section = bytes[at++];
  const end = number() + at;
  if (section === 5) refuse("a memory of its own");
  if (section === 11 || section === 12) refuse("data");
  if (section === 6) {
    for (let left = number(); left > 0; left--) {
      at += 1;
      if (bytes[at++] === 1) refuse("a variable, such as a pointer to a stack");
      // A constant: its instruction, number and end.
      at += 1;
      number();
      at += 1;
    }
  }
  at = end;
}
