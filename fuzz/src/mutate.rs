//! Changed inputs: bytes for formats that are not text, pieces of text for those that are.

/// Numbers that follow from a seed alone (xorshift, 64 bits).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// From a seed; equal seeds give equal numbers.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..6).for_each(|_| _ = random.next());
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`; 0 where there is none.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    /// One of these.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Bytes at the bounds of what lengths and signs may be.
const EDGES: [u8; 9] = [0, 1, 2, 3, 0x7e, 0x7f, 0x80, 0xfe, 0xff];
/// Counts at the bounds of what a file may say.
pub const COUNTS: [u32; 12] =
    [u32::MAX, u32::MAX - 1, 1 << 31, (1 << 31) - 1, 1 << 16, 0xffff, 1 << 20, 1 << 24, 1000, 100_000, 0, 1];
const FLOATS: [f32; 9] =
    [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN, 1e-45, 0.0, -0.0, 1e30];

/// No input is longer.
const LONGEST: usize = 1 << 16;

/// Appends a variable-length integer as the sections have them.
pub fn put_varint(out: &mut Vec<u8>, mut n: u32) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn pick_place(random: &mut Random, from: usize, to: usize) -> usize {
    // Four of ten changes are made at the beginning, where headers and counts are.
    let span = to.saturating_sub(from);
    let near = if random.below(10) < 4 { span.min(24) } else { span };
    from + random.below(near)
}

/// Changes bytes from `keep` on, here and there.
pub fn bytes(random: &mut Random, input: &mut Vec<u8>, keep: usize) {
    for _ in 0..1 + random.below(2) * random.below(6) {
        if input.len() <= keep {
            input.push(random.below(256) as u8);
        }
        let (at, n) = (pick_place(random, keep, input.len()), input.len());
        let run = |random: &mut Random, most: usize| (1 + random.below(most)).min(n - at);
        match random.below(12) {
            0 => input[at] ^= 1 << random.below(8),
            1 => input[at] = *random.one(&EDGES),
            2 => input[at] = random.below(256) as u8,
            3 => {
                let mut count = Vec::new();
                put_varint(&mut count, *random.one(&COUNTS));
                input.splice(at..at + 1, count);
            }
            4 => input.truncate(at),
            5 => {
                let length = run(random, 16);
                input.drain(at..at + length);
            }
            6 => {
                let length = run(random, 64);
                let again = input[at..at + length].to_vec();
                input.splice(at..at, again);
            }
            7 if at + 4 <= n => input[at..at + 4].copy_from_slice(&random.one(&FLOATS).to_le_bytes()),
            8 if at + 4 <= n => input[at..at + 4].copy_from_slice(&random.one(&COUNTS).to_le_bytes()),
            9 => {
                let (from, length) = (pick_place(random, keep, n), run(random, 32));
                let length = length.min(n - from);
                let other = input[from..from + length].to_vec();
                input[at..at + length].copy_from_slice(&other);
            }
            10 => {
                let (length, byte) = (run(random, 24), random.below(256) as u8);
                input[at..at + length].fill(byte);
            }
            _ => {
                let zeros = vec![*random.one(&[0u8, 1, 2, 0x7f, 0x20]); 1 + random.below(2000)];
                input.splice(at..at, zeros);
            }
        }
        input.truncate(LONGEST);
    }
}

/// Changes a text: pieces of it and of `marks` are put in, doubled, moved, left out, and some bytes changed.
pub fn text(random: &mut Random, input: &mut Vec<u8>, marks: &[&str]) {
    for _ in 0..1 + random.below(2) * random.below(8) {
        let at = random.below(input.len() + 1);
        let from = random.below(input.len() + 1);
        let to = (from + 1 + random.below(40)).min(input.len());
        match random.below(10) {
            0..=2 => _ = input.splice(at..at, random.one(marks).bytes()),
            3 => {
                let many = random.one(marks).repeat(1 + random.below(300));
                input.splice(at..at, many.into_bytes());
            }
            4 => {
                let piece = input[from..to].to_vec();
                input.splice(at..at, piece);
            }
            5 => {
                let piece = input[from..to].repeat(1 + random.below(60));
                input.splice(at..at, piece);
            }
            6 => _ = input.drain(from..to),
            7 => input.truncate(at),
            8 => {
                _ = input.splice(
                    at..at,
                    random
                        .one(&[
                            "\u{202e}",
                            "\u{feff}",
                            "é",
                            "東",
                            "\u{1f469}\u{200d}\u{1f467}",
                            "\0",
                            "\r\n",
                            "\u{2028}",
                        ])
                        .bytes(),
                )
            }
            _ => bytes(random, input, 0),
        }
        input.truncate(LONGEST);
    }
}
