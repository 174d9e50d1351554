//! Character classes of BERT's uncased text normalisation.
//!
//! The model's own tokenizer follows an older Unicode than the standard library. The tables in `classes/`
//! have exactly its code points, found by testing each one: a range a line, with its first and last. A newer
//! table would give pieces that the model does not know.

/// Packs a table: the steps from each edge of a range to the next, in groups of seven bits, low ones first.
/// So it takes a third of the space in a module.
const fn pack<const N: usize>(table: &[u8]) -> [u8; N] {
    let (mut out, mut len, mut edge, mut number, mut at) = ([0; N], 0, 0, 0, 0);
    while at < table.len() {
        if let Some(digit) = (table[at] as char).to_digit(16) {
            number = number * 16 + digit;
        } else {
            // A range ends after its last character, which is the second in a line.
            let next = number + (table[at] == b'\n') as u32;
            let mut step = next - edge;
            while step > 127 {
                out[len] = step as u8 | 128;
                (step, len) = (step >> 7, len + 1);
            }
            out[len] = step as u8;
            (edge, number, len) = (next, 0, len + 1);
        }
        at += 1;
    }
    assert!(len == N, "a table has another length");
    out
}

/// Returns true if `c` is in one of the ranges of a table.
pub(super) fn contains(table: &[u8], c: char) -> bool {
    let (mut edge, mut shift, mut inside) = (0, 0, false);
    for byte in table {
        edge += u32::from(byte & 127) << shift;
        shift += 7;
        if *byte < 128 {
            if u32::from(c) < edge {
                break;
            }
            (shift, inside) = (0, !inside);
        }
    }
    inside
}

/// Control, format and private characters, and the replacement character, which are left out.
pub(super) static DROPPED: [u8; 71] = pack(include_bytes!("classes/dropped.txt"));
/// Ideographs, each of which is a word.
pub(super) static IDEOGRAPHS: [u8; 30] = pack(include_bytes!("classes/ideographs.txt"));
/// Non-spacing marks, which are dropped after canonical decomposition.
pub(super) static MARKS: [u8; 575] = pack(include_bytes!("classes/marks.txt"));
/// Punctuation marks, each of which is a word: all ASCII marks, including Unicode's symbols.
pub(super) static PUNCTUATION: [u8; 362] = pack(include_bytes!("classes/punctuation.txt"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_table_has_just_the_characters_of_its_ranges() {
        for (packed, table) in [
            (&DROPPED[..], include_str!("classes/dropped.txt")),
            (&IDEOGRAPHS[..], include_str!("classes/ideographs.txt")),
            (&MARKS[..], include_str!("classes/marks.txt")),
            (&PUNCTUATION[..], include_str!("classes/punctuation.txt")),
        ] {
            let read = |text: &str| u32::from_str_radix(text, 16).ok();
            let range = |line: &str| line.split_once(' ').and_then(|(a, b)| Some(read(a)?..=read(b)?));
            let ranges: Vec<_> = table.lines().filter_map(range).collect();
            assert_eq!(ranges.len(), table.lines().count());
            for c in '\0'..=char::MAX {
                assert_eq!(contains(packed, c), ranges.iter().any(|r| r.contains(&u32::from(c))), "{c:?}");
            }
        }
    }
}
