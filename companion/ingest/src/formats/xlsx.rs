//! XLSX: the sheets of a spreadsheet as tables, with the values that their formulas had when it was saved.

use super::allowance::Allowance;
use super::archive::Archive;
use super::data_table::{self, MOST_COLUMNS};
use super::made_html::Html;
use super::ooxml::relations;
use super::xml::{self, Visitor, attribute, count};
use super::{Format, MadeHtml, ReadMethod};
use pocketgraph_native::today::date_of;
use quick_xml::events::BytesStart;

const WORKBOOK: &str = "xl/workbook.xml";

/// Cells of a sheet, those without text among them.
const MOST_CELLS: usize = 1 << 20;

pub(super) const FORMAT: Format = Format::new("xlsx", &["xlsx", "xlsm"], ReadMethod::Archive(write_html));

/// Writes the spreadsheet as HTML.
fn write_html(bytes: Vec<u8>, limit: u64) -> MadeHtml {
    let size = bytes.len();
    let mut out = Html::of_file(size);
    let mut archive = Archive::open(bytes, limit)?;
    let workbook = archive.text(WORKBOOK)?.ok_or("no XLSX: it has no xl/workbook.xml")?;
    let files = relations(&mut archive, WORKBOOK)?;
    let strings = archive.text("xl/sharedStrings.xml")?.map(|t| strings(&t)).transpose()?.unwrap_or_default();
    let formats = archive.text("xl/styles.xml")?.map(|t| formats(&t)).unwrap_or_default();
    out.title(
        &archive.text("docProps/core.xml")?.and_then(|t| xml::text_of(&t, "title")).unwrap_or_default(),
    );
    let (mut sheets, mut from_1904) = (Vec::new(), false);
    xml::elements(&workbook, |name, e| match name {
        "workbookPr" => from_1904 = attribute(e, "date1904").is_some_and(|v| v == "1" || v == "true"),
        // Hidden ones are for formulas.
        "sheet" if attribute(e, "state").is_none_or(|s| s == "visible") => {
            let file = attribute(e, "id").and_then(|id| files.get(&id)).map(|(file, _)| file.clone());
            sheets.extend(file.map(|file| (attribute(e, "name").unwrap_or_default(), file)));
        }
        _ => {}
    });
    let mut unread = None;
    for (name, file) in sheets {
        let Some(text) = archive.text(&file)? else { continue };
        let shared = Allowance::of_file(size);
        let mut sheet = Sheet { strings: &strings, formats: &formats, from_1904, shared, ..Sheet::default() };
        xml::walk_xml(&text, &mut sheet)?;
        sheet.shared.check()?;
        if sheet.rows.iter().flatten().any(|cell| !cell.is_empty()) {
            out.element("h2", &name);
            let more = data_table::write_table(&mut out, sheet.rows.into_iter());
            unread = unread.or(more.map(|reason| format!("sheet {name}: {reason}")));
        }
    }
    Ok((out.finish()?, unread))
}

/// The texts that cells share.
fn strings(text: &str) -> Result<Vec<String>, String> {
    #[derive(Default)]
    struct Strings {
        all: Vec<String>,
        shown: bool,
        /// Readings of what is written, which are no part of it.
        readings: usize,
    }
    impl Visitor for Strings {
        fn start(&mut self, name: &str, _: &BytesStart<'_>) {
            self.shown = name == "t" && self.readings == 0;
            match name {
                "si" if self.all.len() < MOST_CELLS => self.all.push(String::new()),
                "rPh" => self.readings += 1,
                _ => {}
            }
        }
        fn end(&mut self, name: &str) {
            self.shown = false;
            self.readings = self.readings.saturating_sub(usize::from(name == "rPh"));
        }
        fn text(&mut self, text: &str) {
            if let Some(last) = self.all.last_mut().filter(|_| self.shown) {
                last.push_str(text);
            }
        }
    }
    let mut strings = Strings::default();
    xml::walk_xml(text, &mut strings)?;
    Ok(strings.all)
}

/// The form in which a number is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum NumberFormat {
    #[default]
    Number,
    Percent,
    Date,
    Time,
}

/// The formats of numbers, by the numbers of cells' styles.
fn formats(styles: &str) -> Vec<NumberFormat> {
    let mut own = std::collections::HashMap::new();
    let (mut all, mut of_cells) = (Vec::new(), false);
    xml::elements(styles, |name, e| match name {
        "numFmt" => {
            let format = attribute(e, "formatCode").map(|code| format_of(&code)).unwrap_or_default();
            own.extend(count(e, "numFmtId").map(|id| (id, format)));
        }
        "cellXfs" => of_cells = true,
        "cellStyleXfs" | "cellStyles" | "dxfs" => of_cells = false,
        "xf" if of_cells => {
            let id = count(e, "numFmtId").unwrap_or(0);
            all.push(own.get(&id).copied().unwrap_or(match id {
                9 | 10 => NumberFormat::Percent,
                14..=17 | 22 => NumberFormat::Date,
                18..=21 | 45..=47 => NumberFormat::Time,
                _ => NumberFormat::Number,
            }));
        }
        _ => {}
    });
    all
}

/// Returns the form that a format's code gives: letters outside quotes and brackets are parts of dates and
/// times.
fn format_of(code: &str) -> NumberFormat {
    let (mut quoted, mut bracketed) = (false, false);
    let letters: String = code
        .chars()
        .filter(|c| {
            quoted ^= *c == '"';
            bracketed = *c == '[' || bracketed && *c != ']';
            !quoted && !bracketed
        })
        .flat_map(char::to_lowercase)
        .collect();
    match () {
        () if letters.contains("general") => NumberFormat::Number,
        () if letters.contains(['y', 'd']) => NumberFormat::Date,
        () if letters.contains(['h', 's']) => NumberFormat::Time,
        () if letters.contains('%') => NumberFormat::Percent,
        () => NumberFormat::Number,
    }
}

#[derive(Default)]
struct Sheet<'a> {
    strings: &'a [String],
    formats: &'a [NumberFormat],
    from_1904: bool,
    /// Allowance for texts that cells share: each is written once and named by as many cells as a sheet has.
    shared: Allowance,
    rows: Vec<Vec<String>>,
    cells: usize,
    kind: String,
    format: NumberFormat,
    value: String,
    shown: bool,
}

impl Visitor for Sheet<'_> {
    fn start(&mut self, name: &str, e: &BytesStart<'_>) {
        self.shown = matches!(name, "v" | "t") && self.cells <= MOST_CELLS;
        match name {
            "row" if self.cells <= MOST_CELLS => {
                self.cells += 1;
                self.rows.push(Vec::new());
            }
            "c" => {
                self.kind = attribute(e, "t").unwrap_or_default();
                self.format = count(e, "s").and_then(|s| self.formats.get(s)).copied().unwrap_or_default();
                self.value.clear();
                if let (Some(row), Some(column)) =
                    (self.rows.last_mut(), attribute(e, "r").and_then(|r| column(&r)))
                {
                    let before = column.min(MOST_COLUMNS);
                    self.cells += before.saturating_sub(row.len());
                    if row.len() < before && self.cells <= MOST_CELLS {
                        row.resize(before, String::new());
                    }
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        self.shown = false;
        if name == "c" && self.cells <= MOST_CELLS {
            let shown = self.shown_value();
            self.cells += 1;
            if let Some(row) = self.rows.last_mut().filter(|r| r.len() < MOST_COLUMNS) {
                row.push(shown);
            }
        }
    }

    fn text(&mut self, text: &str) {
        if self.shown {
            self.value.push_str(text);
        }
    }
}

impl Sheet<'_> {
    fn shown_value(&self) -> String {
        match (self.kind.as_str(), self.value.trim()) {
            ("s", value) => {
                let text = value.parse::<usize>().ok().and_then(|n| self.strings.get(n));
                text.filter(|text| self.shared.take(text.len())).cloned().unwrap_or_default()
            }
            ("b", value) => if value == "1" { "yes" } else { "no" }.to_owned(),
            ("e", _) => String::new(),
            ("" | "n", value) => {
                value.parse::<f64>().map_or_else(|_| value.to_owned(), |number| self.number(number))
            }
            (_, value) => value.to_owned(),
        }
    }

    fn number(&self, number: f64) -> String {
        let days = if self.from_1904 { number + 1462.0 } else { number };
        let time = |with_seconds: bool| {
            let seconds = (number.rem_euclid(1.0) * 86400.0).round() as u32;
            let text = format!("{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60);
            if with_seconds && !seconds.is_multiple_of(60) {
                format!("{text}:{:02}", seconds % 60)
            } else {
                text
            }
        };
        match self.format {
            NumberFormat::Date if (1.0..2_958_466.0).contains(&days) => match number.fract() {
                0.0 => date(days as i64),
                _ => format!("{} {}", date(days as i64), time(false)),
            },
            NumberFormat::Time if (0.0..1.0).contains(&number) => time(true),
            NumberFormat::Percent => format!("{}%", round_number(number * 100.0)),
            _ => round_number(number),
        }
    }
}

/// A number without the digits that reckoning in binary adds.
fn round_number(number: f64) -> String {
    let text = format!("{number:.10}");
    if number.abs() < 1e15 {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        number.to_string()
    }
}

/// The date of a day, as spreadsheets count them: they take 1900 for a leap year.
fn date(days: i64) -> String {
    date_of(days - if days < 61 { 25_568 } else { 25_569 })
}

/// The number of the column, from 0, that the name of a cell such as `AB7` begins with.
fn column(name: &str) -> Option<usize> {
    let letters = name.bytes().take_while(u8::is_ascii_uppercase).take(4);
    letters.fold(0, |n, b| n * 26 + usize::from(b - b'A') + 1).checked_sub(1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_shown_as_the_sheet_shows_them() {
        let strings = vec!["Teal".to_owned()];
        let formats = [NumberFormat::Number, NumberFormat::Date, NumberFormat::Percent];
        let shared = Allowance::of_file(0);
        let mut sheet = Sheet { strings: &strings, formats: &formats, shared, ..Sheet::default() };
        let text = "<sheetData><row><c r='A1' t='s'><v>0</v></c><c r='C1' s='1'><v>45292</v></c><c r='D1' \
                    s='2'><v>0.07</v></c>\
                    <c r='E1'><v>0.30000000000000004</v></c><c r='F1' t='inlineStr'><is><t>in \
                    place</t></is></c><c r='G1' t='b'><v>1</v></c></row></sheetData>";
        xml::walk_xml(text, &mut sheet).unwrap();
        assert_eq!(sheet.rows, [["Teal", "", "2024-01-01", "7%", "0.3", "in place", "yes"]]);
    }

    #[test]
    fn days_count_from_1900_with_its_leap_day() {
        assert_eq!(
            [1, 59, 61, 45350, 45351].map(date),
            ["1900-01-01", "1900-02-28", "1900-03-01", "2024-02-28", "2024-02-29"]
        );
        assert_eq!(["A1", "Z9", "AA1", "7"].map(column), [Some(0), Some(25), Some(26), None]);
        assert_eq!(
            [format_of("yyyy\\-mm"), format_of("[Red]0.0%"), format_of("\"days\" 0"), format_of("hh:mm")],
            [NumberFormat::Date, NumberFormat::Percent, NumberFormat::Number, NumberFormat::Time]
        );
    }

    #[test]
    fn a_text_that_many_cells_share_takes_no_more_memory_than_its_file_may() {
        let strings = vec!["w".repeat(100_000)];
        let mut sheet = Sheet { strings: &strings, shared: Allowance::of_file(1000), ..Sheet::default() };
        let cells = "<row><c t='s'><v>0</v></c></row>".repeat(1000);
        xml::walk_xml(&format!("<sheetData>{cells}</sheetData>"), &mut sheet).unwrap();
        assert!(sheet.rows.iter().flatten().map(String::len).sum::<usize>() < 1_000_000);
        assert!(sheet.shared.check().is_err());
    }
}
