//! Table of words as its file holds it: a word a line, then its fields, separated by tabs, in sorted order.
//! It is searched in place, so a module parses nothing when it starts, and a table that nobody uses is in no
//! module.

use std::cmp::Ordering;

/// A table of words: lines in the order of their bytes, each a word and its fields, parted by tabs. A field
/// may hold several values, parted by semicolons.
#[derive(Debug, Clone, Copy, Default)]
pub struct Table<'a>(&'a str);

/// Row of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// The word.
    pub word: &'a str,
    fields: &'a str,
}

impl<'a> Table<'a> {
    /// The table of these lines, without the comment that a file begins with. Where they are not in order,
    /// words may not be found.
    pub const fn new(lines: &'a str) -> Table<'a> {
        Table(lines)
    }

    /// Returns the row of a word, or `None` if the table does not have it.
    pub fn row(self, word: &str) -> Option<Row<'a>> {
        let text = self.0.as_bytes();
        let (mut low, mut high) = (0, text.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let start = text[low..middle].iter().rposition(|b| *b == b'\n').map_or(low, |at| low + at + 1);
            let end = text[middle..high].iter().position(|b| *b == b'\n').map_or(high, |at| middle + at);
            let row = Row::of(&self.0[start..end]);
            match row.word.cmp(word) {
                Ordering::Equal => return Some(row),
                Ordering::Less => low = end + 1,
                Ordering::Greater => high = start,
            }
        }
        None
    }

    /// Returns true if a word is in the table.
    pub fn contains(self, word: &str) -> bool {
        self.row(word).is_some()
    }

    /// Returns true if the first field of a word contains this value.
    pub fn has(self, word: &str, value: &str) -> bool {
        self.row(word).is_some_and(|row| row.has(0, value))
    }

    /// All rows, in order.
    pub fn rows(self) -> impl Iterator<Item = Row<'a>> {
        self.0.lines().map(Row::of)
    }

    /// The words whose first field has this value among others, in order.
    pub fn words_with(self, value: &'static str) -> impl Iterator<Item = &'a str> {
        self.rows().filter(move |row| row.has(0, value)).map(|row| row.word)
    }
}

impl<'a> Row<'a> {
    fn of(line: &'a str) -> Row<'a> {
        let (word, fields) = line.split_once('\t').unwrap_or((line, ""));
        Row { word, fields }
    }

    /// Returns a field after the word, counted from 0; empty if the line has none.
    pub fn field(self, at: usize) -> &'a str {
        self.fields.split('\t').nth(at).unwrap_or_default()
    }

    /// The values of a field.
    pub fn list(self, at: usize) -> impl Iterator<Item = &'a str> + Clone {
        values(self.field(at))
    }

    /// Returns true if a field contains this value.
    pub fn has(self, at: usize, value: &str) -> bool {
        self.list(at).any(|v| v == value)
    }
}

/// The values of a field, parted by semicolons.
pub fn values(field: &str) -> impl Iterator<Item = &str> + Clone {
    field.split(';').map(str::trim).filter(|v| !v.is_empty())
}

/// Returns the offset of the first line after the comment.
pub const fn lines_begin(file: &[u8]) -> usize {
    let mut at = 0;
    while at < file.len() && file[at] == b'#' {
        while at < file.len() && file[at] != b'\n' {
            at += 1;
        }
        at += 1;
    }
    if at < file.len() { at } else { file.len() }
}

/// Returns the lines of a file without its comment, which modules do not carry.
pub const fn lines<const LENGTH: usize>(file: &[u8]) -> [u8; LENGTH] {
    let begin = lines_begin(file);
    let mut out = [0; LENGTH];
    let mut at = 0;
    while at < LENGTH {
        out[at] = file[begin + at];
        at += 1;
    }
    out
}

/// The table in a file of the crate that asks, named from its manifest's folder. The file's comment is left
/// out when it is compiled.
#[macro_export]
macro_rules! table {
    ($path:expr) => {{
        const FILE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
        const LINES: &[u8; FILE.len() - $crate::lexicon::lines_begin(FILE)] = &$crate::lexicon::lines(FILE);
        const TEXT: &str = match std::str::from_utf8(LINES) {
            Ok(text) => text,
            Err(_) => panic!("a table is UTF-8"),
        };
        $crate::lexicon::Table::new(TEXT)
    }};
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_row_has_its_word_and_fields_and_a_field_its_values() {
        let table = Table::new("big\tarea; size\tx\nin law\nlow\n");
        let row = table.row("big").map(|r| (r.list(0).collect::<Vec<_>>(), r.field(1), r.field(2)));
        assert_eq!(row, Some((vec!["area", "size"], "x", "")));
        assert!(table.has("big", "size") && !table.has("big", "x") && !table.has("low", ""));
        assert!(table.contains("in law") && !table.contains("in") && !table.contains(""));
        assert_eq!(table.words_with("area").collect::<Vec<_>>(), ["big"]);
    }

    #[test]
    fn a_comment_is_no_line() {
        assert_eq!(lines_begin(b"# a\n# b\nword\n"), 8);
        assert_eq!(&lines::<5>(b"# a\nword\n"), b"word\n");
        assert_eq!(lines_begin(b"# a"), 3);
    }

    proptest! {
        #[test]
        fn every_word_of_a_table_is_found_and_no_other(
            words in proptest::collection::btree_set("[a-cé ]{1,4}", 0..20),
            other in "[a-cé ]{0,4}",
        ) {
            let text: String = words.iter().map(|w| format!("{w}\t{w}!\n")).collect();
            let table = Table::new(&text);
            for word in &words {
                prop_assert_eq!(table.row(word).map(|r| r.field(0).to_owned()), Some(format!("{word}!")));
            }
            prop_assert_eq!(table.contains(&other), words.contains(&other));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[a-c\t\n;]{0,30}", word in "[a-c\t\n]{0,3}") {
            let table = Table::new(&text);
            table.row(&word).map(|r| r.has(1, "a"));
            let _ = table.rows().count();
        }
    }
}
