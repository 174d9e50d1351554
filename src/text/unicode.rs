//! Unicode decompositions (UAX #15) and combining marks from one compact table.
//!
//! The usual crate's tables weigh 75 kB in a page; this one, made from them, a tenth. `unicode.bin` is made by the ignored test below and compared
//! with the crate for every character by the other.

use std::sync::OnceLock;

static TABLE: &[u8] = include_bytes!("unicode.bin");

/// A character's decompositions: where they stand in `pool`.
struct Entry {
    code: u32,
    start: u32,
    canonical: u8,
    compatible: u8,
}

#[derive(Default)]
struct Table {
    marks: Vec<(u32, u32)>,
    entries: Vec<Entry>,
    pool: Vec<char>,
}

/// Reads the table. It is part of the program, so that a damaged one is a bug; it then ends early instead of panicking.
fn read(bytes: &[u8]) -> Table {
    let mut rest = bytes.iter().copied();
    let mut next = move || -> u32 {
        let mut out = 0u32;
        for i in 0..5 {
            let byte = rest.next().unwrap_or(0);
            out |= u32::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                break;
            }
        }
        out
    };
    let mut table = Table::default();
    let mut at = 0;
    for _ in 0..next() {
        let start = at + next();
        at = start + next();
        table.marks.push((start, at));
    }
    let mut code = 0;
    for _ in 0..next() {
        code += next();
        let lengths = next();
        let (canonical, compatible) = ((lengths & 31) as u8, (lengths >> 5) as u8);
        let start = table.pool.len() as u32;
        let mut last = code;
        for _ in 0..canonical + compatible {
            let step = next();
            last = last.wrapping_add(if step & 1 == 0 { step >> 1 } else { !(step >> 1) });
            table.pool.push(char::from_u32(last).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        table.entries.push(Entry { code, start, canonical, compatible });
    }
    table
}

fn table() -> &'static Table {
    static READ: OnceLock<Table> = OnceLock::new();
    READ.get_or_init(|| read(TABLE))
}

fn entry(c: char) -> Option<(&'static Table, &'static Entry)> {
    if (c as u32) < 0xa0 {
        return None;
    }
    let t = table();
    t.entries.binary_search_by_key(&(c as u32), |e| e.code).ok().and_then(|i| t.entries.get(i)).map(|e| (t, e))
}

/// The full canonical decomposition of a character (NFD of it alone); Hangul syllables come apart into jamo.
pub(super) fn canonical(c: char, mut out: impl FnMut(char)) {
    let syllable = (c as u32).wrapping_sub(0xac00);
    if syllable < 11172 {
        let tail = syllable % 28;
        let parts = [0x1100 + syllable / 588, 0x1161 + syllable % 588 / 28, 0x11a7 + tail];
        parts.iter().take(if tail == 0 { 2 } else { 3 }).filter_map(|&p| char::from_u32(p)).for_each(out);
        return;
    }
    match entry(c) {
        Some((t, e)) if e.canonical > 0 => slice(t, e.start, e.canonical).iter().copied().for_each(out),
        _ => out(c),
    }
}

/// The full compatibility decomposition of a character (NFKD of it alone); Hangul syllables stay whole.
pub(super) fn compatible(c: char, mut out: impl FnMut(char)) {
    match entry(c) {
        // Most characters have one decomposition only; it serves for both.
        Some((t, e)) if e.compatible > 0 => slice(t, e.start + u32::from(e.canonical), e.compatible).iter().copied().for_each(out),
        Some((t, e)) => slice(t, e.start, e.canonical).iter().copied().for_each(out),
        None => out(c),
    }
}

fn slice(t: &'static Table, start: u32, length: u8) -> &'static [char] {
    t.pool.get(start as usize..start as usize + usize::from(length)).unwrap_or(&[])
}

/// Whether a character is a combining mark (general category M).
pub(super) fn is_mark(c: char) -> bool {
    let c = c as u32;
    if c < 0x300 {
        return false;
    }
    let marks = &table().marks;
    let after = marks.partition_point(|&(start, _)| start <= c);
    after.checked_sub(1).and_then(|i| marks.get(i)).is_some_and(|&(_, end)| c < end)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;
    use unicode_normalization::char::is_combining_mark;

    fn all() -> impl Iterator<Item = char> {
        (0..=0x10_ffff).filter_map(char::from_u32)
    }

    fn is_hangul(c: char) -> bool {
        ('\u{ac00}'..='\u{d7a3}').contains(&c)
    }

    #[test]
    fn the_table_agrees_with_unicode_for_every_character() {
        for c in all() {
            let mut ours = String::new();
            canonical(c, |d| ours.push(d));
            assert_eq!(ours, c.nfd().collect::<String>(), "canonical {:x}", c as u32);
            if !is_hangul(c) {
                let mut ours = String::new();
                compatible(c, |d| ours.push(d));
                assert_eq!(ours, c.nfkd().collect::<String>(), "compatible {:x}", c as u32);
            }
            assert_eq!(is_mark(c), is_combining_mark(c), "mark {:x}", c as u32);
        }
    }

    #[test]
    #[ignore = "writes src/text/unicode.bin again, from the crate unicode-normalization: cargo test --release -p pocketgraph unicode -- --ignored"]
    fn write_the_table() {
        fn put(out: &mut Vec<u8>, mut n: u32) {
            while n >= 0x80 {
                out.push(n as u8 | 0x80);
                n >>= 7;
            }
            out.push(n as u8);
        }
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for c in all().filter(|&c| is_combining_mark(c)) {
            let c = c as u32;
            match ranges.last_mut() {
                Some(last) if last.1 == c => last.1 += 1,
                _ => ranges.push((c, c + 1)),
            }
        }
        let mut out = Vec::new();
        put(&mut out, ranges.len() as u32);
        let mut at = 0;
        for (start, end) in ranges {
            put(&mut out, start - at);
            put(&mut out, end - start);
            at = end;
        }
        let entries: Vec<(char, Vec<char>, Vec<char>)> = all()
            .filter(|&c| !is_hangul(c))
            .filter_map(|c| {
                let (nfd, nfkd): (Vec<char>, Vec<char>) = (c.nfd().collect(), c.nfkd().collect());
                let canonical = if nfd == [c] { Vec::new() } else { nfd.clone() };
                let compatible = if nfkd == nfd { Vec::new() } else { nfkd };
                (!canonical.is_empty() || !compatible.is_empty()).then_some((c, canonical, compatible))
            })
            .collect();
        put(&mut out, entries.len() as u32);
        let mut code = 0;
        for (c, canonical, compatible) in entries {
            put(&mut out, c as u32 - code);
            code = c as u32;
            put(&mut out, canonical.len() as u32 | (compatible.len() as u32) << 5);
            let mut last = code;
            for d in canonical.into_iter().chain(compatible) {
                let step = (d as u32).wrapping_sub(last) as i32;
                put(&mut out, if step >= 0 { (step as u32) << 1 } else { (!(step as u32)) << 1 | 1 });
                last = d as u32;
            }
        }
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/text/unicode.bin"), out).unwrap();
    }
}
