//! Tables of data: files of separated values, and sheets of spreadsheets.

use super::made_html::Html;
use super::{Format, MadeHtml, ReadMethod};

/// Rows of a table that are read: longer ones are data for programs.
const MOST_ROWS: usize = 5000;

/// Columns of a table that are read.
pub(super) const MOST_COLUMNS: usize = 128;

pub(super) const FORMAT: Format = Format::new("csv", &["csv", "tsv"], ReadMethod::Made(write_html));

/// Writes a file of separated values as HTML.
fn write_html(source: &str) -> MadeHtml {
    let mut out = Html::of_file(source.len());
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(source))
        .trim(csv::Trim::All)
        .from_reader(source.as_bytes());
    // A text is UTF-8, and rows may be of any length: nothing else can be wrong with one.
    let rows = reader.records().flatten().map(|r| r.iter().map(str::to_owned).collect());
    let unread = write_table(&mut out, rows);
    Ok((out.finish()?, unread))
}

/// Writes a table: what stands alone in rows above it as paragraphs, then its head over every part. Returns
/// what was not read, for the user.
pub(crate) fn write_table(out: &mut Html, rows: impl Iterator<Item = Vec<String>>) -> Option<String> {
    let filled = |row: &Vec<String>| row.iter().filter(|c| !c.is_empty()).count();
    let cut = |row: Vec<String>| row.into_iter().take(MOST_COLUMNS).collect::<Vec<String>>();
    let mut rows = rows.map(cut).filter(|row| filled(row) > 0).peekable();
    let mut alone: Vec<Vec<String>> = Vec::new();
    while let Some(row) = rows.next_if(|row| filled(row) == 1) {
        alone.push(row);
    }
    // A table of one column has no title above it.
    if rows.peek().is_none() {
        out.table_in_parts(&[], alone);
        return None;
    }
    for row in alone {
        out.element("p", &row.concat());
    }
    let head = rows.next_if(|row| is_head(row)).unwrap_or_default();
    let mut number = 0;
    out.table_in_parts(&head, rows.by_ref().inspect(|_| number += 1).take(MOST_ROWS));
    let more = rows.count();
    (more > 0).then(|| format!("read up to row {number}: {more} more are data for programs"))
}

/// Returns true if a row names the columns: no two alike, and no values.
pub(super) fn is_head(row: &[String]) -> bool {
    let is_value = |cell: &str| {
        cell.is_empty()
            || cell.len() > 100
            || !cell.chars().any(char::is_alphabetic)
            || cell.starts_with(|c: char| c.is_ascii_digit())
    };
    let mut names: Vec<&str> = row.iter().map(String::as_str).collect();
    names.sort_unstable();
    // The first column may be without a name.
    row.len() > 1
        && names.windows(2).all(|w| w.first() != w.last())
        && !row.iter().skip(1).any(|c| is_value(c))
        && row.first().is_none_or(|c| c.is_empty() || !is_value(c))
}

/// The sign that parts the values: the one that the first lines have most of, outside quotes.
fn delimiter(source: &str) -> u8 {
    let mut counts = [(b'\t', 0usize), (b';', 0), (b',', 0), (b'|', 0)];
    let mut quoted = false;
    for byte in source.lines().take(10).flat_map(str::bytes) {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(sign, _)| *sign == byte && !quoted) {
            *count += 1;
        }
    }
    let most = counts.iter().map(|(_, n)| *n).max().unwrap_or(0);
    counts.iter().find(|(_, n)| most > 0 && *n == most).map_or(b',', |(sign, _)| *sign)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_a_table_has_its_head() {
        let rows: String = (0..200).map(|n| format!("boat {n},\"Ann, Bo\"\n")).collect();
        let (made, unread) = write_html(&format!("name,crew\n{rows}")).unwrap();
        assert!(
            made.matches("<th>crew</th>").count() > 2 && made.contains("<td>boat 7</td><td>Ann, Bo</td>")
        );
        assert_eq!(unread, None);
    }

    #[test]
    fn values_are_parted_by_whatever_the_first_line_has_and_numbers_are_no_head() {
        assert!(
            write_html("\u{e4};b\n1,5;2\n")
                .unwrap()
                .0
                .contains("<th>ä</th><th>b</th></tr></thead><tbody><tr><td>1,5</td><td>2</td>")
        );
        assert!(!write_html("Nylon,2100\n").unwrap().0.contains("<th>"));
        assert!(write_html("Fleet\n\na\tb\nx\ty\n").unwrap().0.contains("<th>a</th>"));
    }

    #[test]
    fn a_long_table_is_read_up_to_a_row_that_is_named() {
        let (_, unread) = write_html(&format!("a,b\n{}", "x,y\n".repeat(MOST_ROWS + 3))).unwrap();
        assert_eq!(unread.unwrap(), "read up to row 5000: 3 more are data for programs");
    }
}
