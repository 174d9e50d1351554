//! Own fields of documents: values of their front matter, their `<meta>` elements and their marks.

use super::codec::{Kind, begin_section, open_section, put_texts, put_varints, take_texts, take_varints};
use super::error::BundleError;
use pocketgraph_base::json::number;
use std::cmp::Ordering;

/// The section `fields`: the values of each document, by the names of fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields {
    /// Name of each field.
    pub names: Vec<String>,
    /// Kind of each field: `word`, `words`, `number` or `date`.
    pub kinds: Vec<String>,
    /// The values.
    pub values: Vec<String>,
    /// For each value of a document the numbers of the document, the field and the value, ascending.
    pub cells: Vec<u32>,
}

impl Fields {
    /// Returns for each of `documents` whether it meets `conditions`: `NAME=VALUE` or `NAME=LEAST..MOST`,
    /// either end of which may be absent. Conditions on one field are alternatives.
    pub fn matching(&self, conditions: &[String], documents: usize) -> Vec<bool> {
        let mut all = vec![true; documents];
        for (name, _) in conditions.iter().map(|c| parts_of(c)) {
            let mut some = vec![false; documents];
            for (document, .., value) in self.cells_from(0).filter(|cell| cell.1 == name) {
                if let Some(met) = some.get_mut(document as usize) {
                    *met |= conditions
                        .iter()
                        .map(|c| parts_of(c))
                        .any(|(other, wanted)| other == name && accepts_value(wanted, value));
                }
            }
            all.iter_mut().zip(some).for_each(|(kept, met)| *kept &= met);
        }
        all
    }

    /// Compares two documents by a field, `-NAME` for the reverse; documents without it come last.
    pub fn compare(&self, by: &str, one: u32, other: u32) -> Ordering {
        let (name, reverse) = by.strip_prefix('-').map_or((by, false), |name| (name, true));
        let value = |of: u32| {
            self.cells_from(of).take_while(|cell| cell.0 == of).find(|cell| cell.1 == name).map(|cell| cell.3)
        };
        match (value(one), value(other)) {
            (Some(a), Some(b)) if reverse => compare(b, a),
            (Some(a), Some(b)) => compare(a, b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        }
    }

    /// Lists the values of documents: the document's number, the field's name, its kind, and the value.
    pub fn cells(&self) -> impl Iterator<Item = (u32, &str, &str, &str)> {
        self.cells_from(0)
    }

    /// Lists the values from those of a document on.
    fn cells_from(&self, first: u32) -> impl Iterator<Item = (u32, &str, &str, &str)> {
        let cells: &[[u32; 3]] = self.cells.as_chunks().0;
        let from = cells.partition_point(|cell| cell[0] < first);
        cells.iter().skip(from).filter_map(|&[document, field, value]| {
            let (name, kind) = (self.names.get(field as usize)?, self.kinds.get(field as usize)?);
            Some((document, name.as_str(), kind.as_str(), self.values.get(value as usize)?.as_str()))
        })
    }
}

/// Returns the name of a condition and what it accepts.
fn parts_of(condition: &str) -> (&str, &str) {
    condition.split_once('=').unwrap_or((condition, ""))
}

fn accepts_value(wanted: &str, value: &str) -> bool {
    let Some((least, most)) = wanted.split_once("..") else { return compare(value, wanted).is_eq() };
    // "2024" as an end of a range is the whole year.
    let compare_to = |end: &str| match number(value) {
        Some(_) => compare(value, end),
        None => compare(value.get(..end.len()).unwrap_or(value), end),
    };
    (least.is_empty() || compare_to(least).is_ge()) && (most.is_empty() || compare_to(most).is_le())
}

/// Compares two values: numbers come first.
fn compare(a: &str, b: &str) -> Ordering {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (None, None) => a.cmp(b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

/// Encodes the section.
pub fn encode_fields(fields: &Fields) -> Vec<u8> {
    let mut out = begin_section(Kind::Fields);
    [&fields.names, &fields.kinds, &fields.values].into_iter().for_each(|texts| put_texts(&mut out, texts));
    put_varints(&mut out, &fields.cells);
    out
}

/// Reads what [`encode_fields`] wrote. Fails if the bytes are no such section.
pub fn decode_fields(file: &str, bytes: &[u8]) -> Result<Fields, BundleError> {
    let mut b = open_section(file, bytes, Kind::Fields)?;
    let fields = Fields {
        names: take_texts(&mut b)?,
        kinds: take_texts(&mut b)?,
        values: take_texts(&mut b)?,
        cells: take_varints(&mut b)?,
    };
    if fields.kinds.len() != fields.names.len() || !fields.cells.len().is_multiple_of(3) {
        return Err(b.corrupt("a field is cut"));
    }
    b.end().map(|()| fields)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fields() -> Fields {
        let texts = |all: &[&str]| all.iter().map(|&text| text.to_owned()).collect();
        Fields {
            names: texts(&["author", "date", "price"]),
            kinds: texts(&["words", "date", "number"]),
            values: texts(&["Ann", "Bob", "2024-05-01", "2023-12-31", "9", "12"]),
            cells: vec![0, 0, 0, 0, 1, 2, 0, 2, 4, 1, 0, 0, 1, 0, 1, 1, 1, 3, 2, 2, 5],
        }
    }

    #[test]
    fn values_of_one_field_are_alternatives_and_fields_are_all_met() {
        let meets = |conditions: &[&str]| {
            let conditions: Vec<String> = conditions.iter().map(|&c| c.to_owned()).collect();
            fields().matching(&conditions, 3).iter().map(|&met| u8::from(met)).collect::<Vec<_>>()
        };
        assert_eq!(meets(&[]), [1, 1, 1]);
        assert_eq!(meets(&["author=Ann"]), [1, 1, 0]);
        assert_eq!(meets(&["author=Bob", "author=Cy"]), [0, 1, 0]);
        assert_eq!(meets(&["author=Bob", "author=Ann", "date=2024.."]), [1, 0, 0]);
        assert_eq!(meets(&["date=..2023"]), [0, 1, 0]);
        assert_eq!(meets(&["date=2023-12..2024-05"]), [1, 1, 0]);
        assert_eq!(meets(&["price=10.."]), [0, 0, 1]);
        assert_eq!(meets(&["price=9.0"]), [1, 0, 0]);
        assert_eq!(meets(&["colour=red"]), [0, 0, 0]);
    }

    #[test]
    fn documents_are_ordered_by_number_and_date_and_those_without_come_last() {
        let sorted = |by: &str| {
            let mut documents = [2, 1, 0];
            documents.sort_by(|&a, &b| fields().compare(by, a, b));
            documents
        };
        assert_eq!(sorted("price"), [0, 2, 1]);
        assert_eq!(sorted("-price"), [2, 0, 1]);
        assert_eq!(sorted("date"), [1, 0, 2]);
        assert_eq!(sorted("-date"), [0, 1, 2]);
    }

    #[test]
    fn fields_read_back_and_a_cut_section_is_refused() {
        let bytes = encode_fields(&fields());
        assert_eq!(decode_fields("f", &bytes).unwrap(), fields());
        assert!((0..bytes.len()).all(|end| decode_fields("f", &bytes[..end]).is_err()));
        let uneven = Fields { cells: vec![1], ..fields() };
        assert!(decode_fields("f", &encode_fields(&uneven)).is_err());
    }

    proptest! {
        #[test]
        fn any_cells_and_conditions_are_survived(
            cells in proptest::collection::vec(0u32..9, 0..30),
            conditions in proptest::collection::vec("[a-e=.0-9]{0,8}", 0..4),
        ) {
            let fields = Fields { cells, ..fields() };
            prop_assert_eq!(fields.matching(&conditions, 4).len(), 4);
            prop_assert_eq!(fields.compare("price", 0, 1), fields.compare("price", 1, 0).reverse());
        }
    }
}
