//! Reads tables: a row is about its first cell; a column's header names the relation.

use crate::kg::columns::{Column, find_bound};
use crate::kg::numbers::read_value;
use crate::kg::validity::interval_between;
use pocketgraph_kg::{LiteralKind, date, name_key, number};
use pocketgraph_native::single_line::one_line;
use pocketgraph_text::is_stop_word;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    /// A name, judged by its capitals.
    Name(String),
    /// A value.
    Literal { text: String, kind: LiteralKind, unit: String },
}

/// A row about its subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Subject of the row.
    pub subject: String,
    /// Headers with their cells, without empty ones.
    pub cells: Vec<(String, Cell)>,
    /// Interval in which the row holds; empty if no column says so.
    pub held: String,
    /// Bytes of the row in the table's text.
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    /// The header of the first column; may be empty.
    pub first: String,
    pub rows: Vec<Row>,
}

const MOST_COLUMNS: usize = 12;
const MOST_ROWS: usize = 500;
/// Maximum length of a header in bytes; longer ones are sentences.
const LONGEST_HEADER: usize = 40;
/// Maximum length of a cell in bytes; longer ones are prose, which is found as text.
const LONGEST_CELL: usize = 120;
const BETWEEN_VALUES: &str = "; ";
const LONGEST_SUBJECT: usize = 80;

/// Reads a table block: a line for each row, cells joined by ` | `. `None` without a header of relations.
pub(super) fn read_table(text: &str, language: &str) -> Option<Table> {
    let mut lines = text.split('\n');
    let header = lines.next()?;
    let headers: Vec<&str> = header.split(" | ").map(str::trim).collect();
    let named = |h: &&str| {
        let short = !h.is_empty() && h.len() <= LONGEST_HEADER && h.split(' ').count() <= 5;
        short && h.chars().any(char::is_alphabetic) && number(h).is_none() && date(h).is_none()
    };
    let (first, others) = headers.split_first()?;
    let mut keys: Vec<String> = others.iter().map(|h| name_key(h)).collect();
    keys.sort();
    keys.dedup();
    let distinct = keys.len() == others.len();
    if others.is_empty()
        || headers.len() > MOST_COLUMNS
        || !others.iter().all(named)
        || !distinct
        || first.len() > LONGEST_HEADER
    {
        return None;
    }
    let bounds: Vec<Option<Column>> = headers.iter().map(|h| find_bound(h, false)).collect();
    let mut rows = Vec::new();
    let mut at = header.len() + 1;
    for line in lines.take(MOST_ROWS) {
        let span = at..at + line.len();
        at = span.end + 1;
        // Behind the bar of an empty last cell no space is left.
        let line = format!("{line} ");
        let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
        // A cell with a bar in its text shifts the cells after it, and the right division is unknown.
        if cells.len() != headers.len() {
            continue;
        }
        let subject = one_line(cells.first().copied().unwrap_or(""));
        let is_value = number(&subject).is_some() || date(&subject).is_some();
        if subject.is_empty() || subject.len() > LONGEST_SUBJECT || is_value || name_key(&subject).is_empty()
        {
            continue;
        }
        let bound = |end| {
            bounds.iter().position(|b| *b == Some(end)).and_then(|i| cells.get(i).copied()).unwrap_or("")
        };
        let held = interval_between(bound(Column::From), bound(Column::Until));
        let is_bound = |i: usize| !held.is_empty() && bounds.get(i).is_some_and(Option::is_some);
        let cells: Vec<(String, Cell)> = others
            .iter()
            .zip(cells.iter().skip(1))
            .enumerate()
            .filter_map(|(i, pair)| (!is_bound(i + 1)).then_some(pair))
            .flat_map(|(h, c)| c.split(BETWEEN_VALUES).map(move |value| (h, value.trim())))
            .filter(|(_, c)| !c.is_empty() && c.len() <= LONGEST_CELL && c.chars().any(char::is_alphanumeric))
            .map(|(h, c)| ((*h).to_owned(), read_cell(c, language)))
            .collect();
        rows.push(Row { subject, cells, held, span });
    }
    (!rows.is_empty()).then(|| Table { first: (*first).to_owned(), rows })
}

pub(super) fn read_cell(text: &str, language: &str) -> Cell {
    let text = one_line(text);
    let (digits, kind, unit) = read_value(&text, language);
    if kind == LiteralKind::Text && is_name(&text) {
        return Cell::Name(text);
    }
    Cell::Literal { text: digits, kind, unit }
}

/// Returns true for at most five words, each content word with a capital: "Kingdom of Norway".
fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let marked = |w: &&str| w.starts_with(char::is_uppercase) || is_stop_word(w);
    words.len() <= 5
        && words.iter().all(marked)
        && words.first().is_some_and(|w| w.starts_with(char::is_uppercase))
        && !matches!(text, "Yes" | "No")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_what_its_columns_are_called() {
        let t = read_table(
            "Tree | Month | Height | Founded\nApple | February | 4.5 m | 1998-02-01\nPlum | | tall | x",
            "en",
        )
        .unwrap();
        assert_eq!(t.first, "Tree");
        assert_eq!(t.rows[0].subject, "Apple");
        let value =
            |text: &str, kind, unit: &str| Cell::Literal { text: text.into(), kind, unit: unit.into() };
        assert_eq!(
            t.rows[0].cells,
            [
                ("Month".into(), Cell::Name("February".into())),
                ("Height".into(), value("4.5", LiteralKind::Number, "m")),
                ("Founded".into(), value("1998-02-01", LiteralKind::Date, ""))
            ]
        );
        assert_eq!(t.rows[0].span, 32..69);
    }

    #[test]
    fn a_row_holds_as_long_as_its_columns_say() {
        let rows = "A | 12 | 2020-01-01 | 2023-12-31\nB | 15 | 2024-01-01 |\nC | 9 |  |";
        let rows =
            read_table(&format!("Berth | Price | Valid from | Valid until\n{rows}"), "en").unwrap().rows;
        let stated: Vec<(&str, usize)> =
            rows.iter().map(|row| (row.held.as_str(), row.cells.len())).collect();
        assert_eq!(stated, [("2020-01-01/2023-12-31", 1), ("2024-01-01/..", 1), ("", 1)]);
        let own = read_table("Project | Manager | Start date\nApollo | Ann | 2020-01-01", "en").unwrap();
        assert_eq!((own.rows[0].held.as_str(), own.rows[0].cells.len()), ("", 2));
    }

    #[test]
    fn each_value_of_a_cell_is_a_fact_of_its_own() {
        let t = read_table("Boat | Ports\nTern | Lund; Skive", "en").unwrap();
        assert_eq!(t.rows[0].cells, ["Lund", "Skive"].map(|p| ("Ports".to_owned(), Cell::Name(p.into()))));
    }

    #[test]
    fn tables_without_headers_and_rows_without_subjects_say_nothing() {
        for none in
            ["", "A", "1 | 2\n3 | 4", "A | B", "A | B | B\nx | y | z", "A | \nx | y", &"A | ".repeat(20)]
        {
            assert_eq!(read_table(none, "en"), None, "{none}");
        }
        let t = read_table("Key | Meaning\nx | y | z\n7 | seven\n | none\n`+` | plus", "en").unwrap();
        assert_eq!(t.rows.iter().map(|r| r.subject.as_str()).collect::<Vec<_>>(), ["`+`"]);
    }

    proptest::proptest! {
        #[test]
        fn rows_lie_in_the_text(text in "[A-Za-z1 |\n]{0,80}") {
            for row in read_table(&text, "en").into_iter().flat_map(|t| t.rows) {
                proptest::prop_assert!(text[row.span].trim_start().starts_with(row.subject.split(' ').next().unwrap()));
            }
        }
    }
}
