//! Own fields of documents, with the kinds that their values show.

use pocketgraph::bundle::Fields;
use pocketgraph::json::number;
use pocketgraph::kg::date;
use pocketgraph::text::one_line;
use std::collections::{BTreeMap, BTreeSet};

/// Longer values, in bytes, are texts.
const LONGEST_VALUE: usize = 100;
/// More fields are data for programs.
const MOST_FIELDS: usize = 64;
/// From this many documents on, nothing can be chosen by a field with one value for all, or by words that
/// name each.
const MANY: usize = 20;
/// Fields that a bundle has of every document in another place.
const ELSEWHERE: [&str; 4] = ["title", "description", "language", "lang"];

/// Collects the fields of documents, each given as the document's number, the field's name and a value.
pub fn collect_fields<'a>(given: impl Iterator<Item = (u32, &'a str, &'a str)>) -> Fields {
    let mut columns: BTreeMap<&str, BTreeSet<(u32, String)>> = BTreeMap::new();
    for (document, name, value) in given {
        let value = one_line(value);
        let is_named = !name.is_empty() && !name.contains(['=', '\t']) && !ELSEWHERE.contains(&name);
        if is_named && !value.is_empty() && value.len() <= LONGEST_VALUE {
            columns.entry(name).or_default().insert((document, value));
        }
    }
    let mut fields = Fields::default();
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut cells: Vec<[u32; 3]> = Vec::new();
    for (name, column) in columns {
        let kind = find_kind(&column);
        let distinct: BTreeSet<&str> = column.iter().map(|(_, value)| value.as_str()).collect();
        let is_choice = distinct.len() > 1 && (kind != "word" || distinct.len() < column.len());
        if column.len() >= MANY && !is_choice || fields.names.len() == MOST_FIELDS {
            continue;
        }
        let field = fields.names.len() as u32;
        fields.names.push(name.to_owned());
        fields.kinds.push(kind.to_owned());
        for (document, value) in column {
            let value = if kind == "date" { read_day(&value).unwrap_or(value) } else { value };
            let next = fields.values.len() as u32;
            let value_number = *numbers.entry(value.clone()).or_insert(next);
            if value_number == next {
                fields.values.push(value);
            }
            cells.push([document, field, value_number]);
        }
    }
    cells.sort_unstable();
    cells.dedup();
    fields.cells = cells.into_flattened();
    fields
}

/// Reads the day with which a value begins; a time may follow.
fn read_day(value: &str) -> Option<String> {
    date(value.split(' ').next()?).filter(|date| date.day > 0).map(|date| date.to_string())
}

fn find_kind(column: &BTreeSet<(u32, String)>) -> &'static str {
    let all = |is: &dyn Fn(&str) -> bool| column.iter().all(|(_, value)| is(value));
    let documents: BTreeSet<u32> = column.iter().map(|(document, _)| *document).collect();
    if all(&|value| read_day(value).is_some()) {
        "date"
    } else if all(&|value| number(value).is_some_and(f64::is_finite)) {
        "number"
    } else if documents.len() < column.len() {
        "words"
    } else {
        "word"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds_of(given: &[(u32, &str, &str)]) -> Vec<(String, String)> {
        let fields = collect_fields(given.iter().copied());
        fields.names.into_iter().zip(fields.kinds).collect()
    }

    #[test]
    fn a_field_has_the_kind_that_all_its_values_show() {
        let given = [
            (0, "date", "2024-05-01T10:00:00Z"),
            (1, "date", "2023-01-02"),
            (0, "price", "9.5"),
            (1, "price", "-3"),
            (0, "tags", "a"),
            (0, "tags", "b"),
            (1, "level", "2023-01-02 or so"),
            (0, "level", "12"),
            (0, "title", "A page"),
            (0, "note", &"long ".repeat(40)),
        ];
        let all = [("date", "date"), ("level", "word"), ("price", "number"), ("tags", "words")];
        assert_eq!(kinds_of(&given), all.map(|(name, kind)| (name.to_owned(), kind.to_owned())));
        let fields = collect_fields(given.iter().copied());
        let cells: Vec<_> =
            fields.cells().map(|(document, name, _, value)| (document, name, value)).collect();
        assert_eq!(
            cells[..4],
            [(0, "date", "2024-05-01"), (0, "level", "12"), (0, "price", "9.5"), (0, "tags", "a")]
        );
    }

    #[test]
    fn a_day_is_one_of_the_calendar_and_a_number_is_one_that_filters_read() {
        let kind = |values: [&str; 2]| kinds_of(&[(0, "x", values[0]), (1, "x", values[1])])[0].1.clone();
        assert_eq!(kind(["2024-05-01 10:00:00 +0000", "2024-05-01"]), "date");
        assert_eq!(kind(["2024-13-45", "2024-05-01"]), "word");
        assert_eq!(kind(["1e5", "-0.5"]), "number");
        assert_eq!(kind(["+5", "6"]), "word");
        // Two times of one day are one value.
        let twice = [(0, "x", "2024-05-01T10:00"), (0, "x", "2024-05-01T11:00")];
        assert_eq!(collect_fields(twice.into_iter()).cells().count(), 1);
    }

    #[test]
    fn many_documents_have_no_field_that_is_no_choice() {
        let names: Vec<String> = (0..30).map(|i| format!("page-{i}")).collect();
        let numbers: Vec<String> = (0..30).map(|i| i.to_string()).collect();
        let column = |name, values: &'_ [String]| {
            values.iter().enumerate().map(|(i, v)| (i as u32, name, v.clone())).collect::<Vec<_>>()
        };
        let same = vec!["width=device-width".to_owned(); 30];
        let all = [column("slug", &names), column("position", &numbers), column("viewport", &same)].concat();
        let fields =
            collect_fields(all.iter().map(|(document, name, value)| (*document, *name, value.as_str())));
        assert_eq!(fields.names, ["position"]);
    }
}
