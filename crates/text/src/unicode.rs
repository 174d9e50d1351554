//! Unicode decompositions (UAX #15), combining marks and lower case from one compact table.
//!
//! The usual crate's tables take 75 kB in a page; `unicode.bin`, made from them by the ignored test below, a
//! tenth. The other test compares it with the crate and the standard library for every character. It has
//! columns, not records (all codes, then all lengths, all first characters and so on), each as differences,
//! because gzip compresses these best.

use std::sync::OnceLock;

static TABLE: &[u8] = include_bytes!("unicode.bin");

/// Decompositions of a character, as positions in `pool`.
struct Entry {
    code: u32,
    start: u32,
    canonical: u8,
    compatible: u8,
}

impl Entry {
    fn total_length(&self) -> usize {
        usize::from(self.canonical + self.compatible)
    }
}

#[derive(Default)]
struct Table {
    marks: Vec<(u32, u32)>,
    entries: Vec<Entry>,
    pool: Vec<u32>,
    /// Capital letters with their small letters.
    lower: Vec<(u32, u32)>,
}

/// Reads numbers of seven bits a byte, low bits first. The table is part of the program, so a damaged one is
/// a bug; it then reads as zeros instead of panicking.
struct Numbers {
    rest: std::slice::Iter<'static, u8>,
}

impl Numbers {
    fn next(&mut self) -> u32 {
        let mut out = 0u32;
        for i in 0..5 {
            let byte = self.rest.next().copied().unwrap_or(0);
            out |= u32::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                break;
            }
        }
        out
    }

    /// Reads a number as a signed step from `last`. The step's sign is its lowest bit.
    fn next_near(&mut self, last: u32) -> u32 {
        let step = self.next();
        last.wrapping_add(if step & 1 == 0 { step >> 1 } else { !(step >> 1) })
    }
}

fn read_table(bytes: &'static [u8]) -> Table {
    let mut numbers = Numbers { rest: bytes.iter() };
    let mut table = Table::default();
    let mut at = 0;
    for _ in 0..numbers.next() {
        let start = at + numbers.next();
        at = start + numbers.next();
        table.marks.push((start, at));
    }
    let mut code = 0;
    for _ in 0..numbers.next() {
        code += numbers.next();
        table.entries.push(Entry { code, start: 0, canonical: 0, compatible: 0 });
    }
    let mut size = 0;
    for entry in &mut table.entries {
        let lengths = numbers.next();
        (entry.start, entry.canonical, entry.compatible) = (size, (lengths & 31) as u8, (lengths >> 5) as u8);
        size += entry.total_length() as u32;
    }
    table.pool.resize(size as usize, 0);
    let longest = table.entries.iter().map(Entry::total_length).max().unwrap_or(0);
    for place in 0..longest {
        let mut last = 0;
        for entry in table.entries.iter().filter(|e| e.total_length() > place) {
            last = numbers.next_near(last);
            table.pool[entry.start as usize + place] = last;
        }
    }
    // A capital's distance from its small letter mostly equals that of the capital before.
    let (mut code, mut distance) = (0u32, 0);
    for _ in 0..numbers.next() {
        code += numbers.next();
        distance = numbers.next_near(distance);
        table.lower.push((code, code.wrapping_add(distance)));
    }
    table
}

fn load_table() -> &'static Table {
    static READ: OnceLock<Table> = OnceLock::new();
    READ.get_or_init(|| read_table(TABLE))
}

fn find_entry(c: char) -> Option<(&'static Table, &'static Entry)> {
    if (c as u32) < 0xa0 {
        return None;
    }
    let t = load_table();
    t.entries
        .binary_search_by_key(&(c as u32), |e| e.code)
        .ok()
        .and_then(|i| t.entries.get(i))
        .map(|e| (t, e))
}

/// Passes a character's full canonical decomposition (NFD) to `out`. Hangul syllables become jamo.
pub(super) fn decompose_canonical(c: char, mut out: impl FnMut(char)) {
    let syllable = (c as u32).wrapping_sub(0xac00);
    if syllable < 11172 {
        let tail = syllable % 28;
        let parts = [0x1100 + syllable / 588, 0x1161 + syllable % 588 / 28, 0x11a7 + tail];
        parts.iter().take(if tail == 0 { 2 } else { 3 }).filter_map(|&p| char::from_u32(p)).for_each(out);
        return;
    }
    match find_entry(c) {
        Some((t, e)) if e.canonical > 0 => pass_characters(t, e.start, e.canonical, out),
        _ => out(c),
    }
}

/// Passes a character's full compatibility decomposition (NFKD) to `out`. Hangul syllables stay whole.
pub(super) fn decompose_compatible(c: char, mut out: impl FnMut(char)) {
    match find_entry(c) {
        // Most characters have one decomposition, which serves for both.
        Some((t, e)) if e.compatible > 0 => {
            pass_characters(t, e.start + u32::from(e.canonical), e.compatible, out)
        }
        Some((t, e)) => pass_characters(t, e.start, e.canonical, out),
        None => out(c),
    }
}

fn pass_characters(t: &'static Table, start: u32, length: u8, out: impl FnMut(char)) {
    let pool = t.pool.get(start as usize..start as usize + usize::from(length)).unwrap_or(&[]);
    pool.iter().filter_map(|&c| char::from_u32(c)).for_each(out);
}

/// Combining dot above, which `İ` keeps in lower case.
const DOT_ABOVE: char = '\u{307}';

/// Passes a character in lower case to `out`, as the standard library has it: one character, but two for `İ`.
pub(super) fn lower_case(c: char, mut out: impl FnMut(char)) {
    if c.is_ascii() {
        return out(c.to_ascii_lowercase());
    }
    let lower = &load_table().lower;
    let small = lower
        .binary_search_by_key(&(c as u32), |&(code, _)| code)
        .ok()
        .and_then(|i| char::from_u32(lower.get(i)?.1));
    out(small.unwrap_or(c));
    if c == 'İ' {
        out(DOT_ABOVE);
    }
}

/// Returns true for a combining mark (general category M).
pub(super) fn is_mark(c: char) -> bool {
    let c = c as u32;
    if c < 0x300 {
        return false;
    }
    let marks = &load_table().marks;
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
            decompose_canonical(c, |d| ours.push(d));
            assert_eq!(ours, c.nfd().collect::<String>(), "canonical {:x}", c as u32);
            if !is_hangul(c) {
                let mut ours = String::new();
                decompose_compatible(c, |d| ours.push(d));
                assert_eq!(ours, c.nfkd().collect::<String>(), "compatible {:x}", c as u32);
            }
            assert_eq!(is_mark(c), is_combining_mark(c), "mark {:x}", c as u32);
            let mut ours = String::new();
            lower_case(c, |d| ours.push(d));
            assert_eq!(ours, c.to_lowercase().collect::<String>(), "lower {:x}", c as u32);
        }
    }

    #[test]
    #[ignore = "writes src/text/unicode.bin again, from the crate unicode-normalization: cargo test \
        --release -p pocketgraph unicode -- --ignored"]
    fn write_the_table() {
        fn put(out: &mut Vec<u8>, mut n: u32) {
            while n >= 0x80 {
                out.push(n as u8 | 0x80);
                n >>= 7;
            }
            out.push(n as u8);
        }
        fn put_near(out: &mut Vec<u8>, last: u32, n: u32) {
            let step = n.wrapping_sub(last) as i32;
            put(out, if step >= 0 { (step as u32) << 1 } else { (!(step as u32)) << 1 | 1 });
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
        for (c, _, _) in &entries {
            put(&mut out, *c as u32 - code);
            code = *c as u32;
        }
        for (_, canonical, compatible) in &entries {
            put(&mut out, canonical.len() as u32 | (compatible.len() as u32) << 5);
        }
        let targets: Vec<Vec<u32>> =
            entries.into_iter().map(|(_, a, b)| a.into_iter().chain(b).map(u32::from).collect()).collect();
        for place in 0..targets.iter().map(Vec::len).max().unwrap() {
            let mut last = 0;
            for &target in targets.iter().filter_map(|t| t.get(place)) {
                put_near(&mut out, last, target);
                last = target;
            }
        }
        let small: Vec<(u32, u32)> = all()
            .filter(|c| !c.is_ascii())
            .map(|c| (c as u32, c.to_lowercase().next().unwrap() as u32))
            .filter(|(code, small)| code != small)
            .collect();
        put(&mut out, small.len() as u32);
        let (mut code, mut distance) = (0, 0);
        for (c, small) in small {
            put(&mut out, c - code);
            put_near(&mut out, distance, small.wrapping_sub(c));
            (code, distance) = (c, small.wrapping_sub(c));
        }
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/unicode.bin"), out).unwrap();
    }
}
