//! Reads JSON: one record a line, and documents with lists of records, such as node-link data.
//!
//! A record joins two things or describes one; a value that is a JSON number, a truth value, or an object
//! `{"value", "datatype"?, "unit"?}` is a literal.

use super::ImportError;
use super::lines::{each_line, open_file, read_error};
use super::literals::Tail;
use super::record::Records;
use super::report::Reporter;
use pocketgraph_kg::LiteralKind;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;
use std::path::Path;

/// Longer lists of numbers only are vectors.
const LONGEST_LIST: usize = 16;
/// Objects within a record that hold its fields.
const WRAPPERS: &[&str] = &["properties", "attributes", "data", "attrs"];

/// Reads one record a line.
pub(super) fn read_lines(
    path: &Path,
    records: &mut Records<'_>,
    report: &mut Reporter,
) -> Result<(), ImportError> {
    each_line(path, report, |line, text, report| match serde_json::from_str(text) {
        Ok(Value::Object(record)) => take_record(line, &record, records, report),
        Ok(_) => report.malformed(line, "not a JSON object"),
        Err(e) => report.malformed(line, format!("not JSON: {e}")),
    })
}

fn take_record(
    line: u64,
    record: &Map<String, Value>,
    records: &mut Records<'_>,
    report: &mut Reporter,
) -> Result<(), ImportError> {
    let mut fields = Vec::new();
    match add_fields(record, &mut fields) {
        Ok(()) => records.named(line, fields, report),
        Err(what) => report.malformed(line, what),
    }
}

fn add_fields(record: &Map<String, Value>, fields: &mut Vec<(String, Tail)>) -> Result<(), String> {
    for (name, value) in record {
        match value {
            Value::Object(inner) if WRAPPERS.contains(&name.as_str()) => add_fields(inner, fields)?,
            Value::Object(inner) if inner.contains_key("value") => {
                fields.push((name.clone(), read_measured(inner)?))
            }
            // An end may be an object with the id or name of the thing.
            Value::Object(inner) => {
                for id in ["id", "name"].iter().filter_map(|n| inner.get(*n)).take(1) {
                    fields.push((
                        if matches!(name.as_str(), "start" | "end") {
                            format!("{name}Id")
                        } else {
                            name.clone()
                        },
                        read_scalar(id)?,
                    ));
                }
            }
            Value::Array(all) if all.len() > LONGEST_LIST && all.iter().all(Value::is_number) => {}
            Value::Array(all) => {
                for part in all {
                    match part {
                        Value::Object(inner) if inner.contains_key("value") => {
                            fields.push((name.clone(), read_measured(inner)?))
                        }
                        Value::Object(_) => {}
                        part => fields.push((
                            name.clone(),
                            read_scalar(part).map_err(|_| format!("{name:?} is nested too deeply"))?,
                        )),
                    }
                }
            }
            value => fields.push((name.clone(), read_scalar(value)?)),
        }
    }
    // APOC's `type` marks a record as node or relationship.
    if fields.iter().any(|(n, v)| n == "type" && matches!(v.text.as_str(), "node" | "relationship"))
        && record.contains_key("properties") | record.contains_key("labels") | record.contains_key("start")
    {
        fields.retain(|(n, v)| n != "type" || !matches!(v.text.as_str(), "node" | "relationship"));
    }
    Ok(())
}

fn read_measured(value: &Map<String, Value>) -> Result<Tail, String> {
    let word = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or("").trim().to_owned();
    let tail = read_scalar(value.get("value").unwrap_or(&Value::Null))?;
    let (datatype, unit) = (word("datatype"), word("unit"));
    let text = (datatype.is_empty() && unit.is_empty()).then_some(LiteralKind::Text);
    Ok(Tail { kind: tail.kind.or(text), datatype, unit, ..tail })
}

fn read_scalar(value: &Value) -> Result<Tail, String> {
    let (text, kind) = match value {
        Value::Null => (String::new(), None),
        Value::String(s) => (s.trim().to_owned(), None),
        Value::Number(n) => (n.to_string(), Some(LiteralKind::Number)),
        Value::Bool(b) => (b.to_string(), Some(LiteralKind::Boolean)),
        Value::Array(_) | Value::Object(_) => return Err("a value is nested too deeply".to_owned()),
    };
    Ok(Tail { text, kind, ..Tail::default() })
}

/// Reads a document: every list of objects in it holds records.
pub(super) fn read_document(
    path: &Path,
    records: &mut Records<'_>,
    report: &mut Reporter,
) -> Result<(), ImportError> {
    let mut walk = Walk { records, report, failed: None };
    let found = Nested(&mut walk).deserialize(&mut serde_json::Deserializer::from_reader(open_file(path)?));
    match (walk.failed.take(), found) {
        (Some(e), _) => Err(e),
        (None, Err(e)) if e.is_io() => Err(read_error(path, e.into())),
        (None, Err(e)) => report.malformed(e.line() as u64, format!("not JSON: {e}")),
        (None, Ok(())) => Ok(()),
    }
}

struct Walk<'a, 'b> {
    records: &'a mut Records<'b>,
    report: &'a mut Reporter,
    failed: Option<ImportError>,
}

/// Any JSON value, whose records are read one by one.
struct Nested<'w, 'a, 'b>(&'w mut Walk<'a, 'b>);

impl<'de> DeserializeSeed<'de> for Nested<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, of: D) -> Result<(), D::Error> {
        of.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nested<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("lists of records")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(Nested(&mut *self.0))?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(value) = list.next_element::<Value>()? {
            if let Value::Object(record) = value
                && let Err(e) = take_record(0, &record, self.0.records, self.0.report)
            {
                let what = serde::de::Error::custom(&e);
                self.0.failed = Some(e);
                return Err(what);
            }
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
