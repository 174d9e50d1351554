//! JSON Lines: one triple or one entity a line.
//!
//! A triple: `{"head", "relation", "tail"}` (or subject, predicate, object), optionally `provenance`, `head_type`, `tail_type`, `datatype`
//! and `unit`; a tail that is a JSON number, a truth value, or an object `{"value", "datatype"?, "unit"?}` is a literal. An entity:
//! `{"id", "label"?, "aliases"?, "types"?, "description"?}`.

use super::ImportError;
use super::lines::each_line;
use super::literals::{Row, Rows, Tail};
use super::report::Reporter;
use pocketgraph_kg::{KgBuilder, LiteralKind};
use serde_json::{Map, Value};
use std::path::Path;

/// Reads a file of records.
pub(super) fn read(path: &Path, kg: &mut KgBuilder, rows: &mut Rows, report: &mut Reporter) -> Result<(), ImportError> {
    let file = rows.file(path);
    each_line(path, report, |line, text, report| {
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(e) => return report.malformed(line, format!("not JSON: {e}")),
        };
        let Value::Object(record) = value else { return report.malformed(line, "not a JSON object") };
        let read = if first(&record, &["relation", "predicate"]).is_some() {
            triple(&record, line).map(|row| rows.push(file, row))
        } else {
            match entity(&record) {
                Ok(e) => {
                    e.add_to(kg)?;
                    Ok(())
                }
                Err(what) => Err(what),
            }
        };
        match read {
            Ok(()) => {
                report.used();
                Ok(())
            }
            Err(what) => report.malformed(line, what),
        }
    })
}

fn first<'a>(record: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|n| record.get(*n).filter(|v| !v.is_null()))
}

/// A string, or a number where an id may be one.
fn word(record: &Map<String, Value>, names: &[&str]) -> Result<String, String> {
    match first(record, names) {
        None => Ok(String::new()),
        Some(Value::String(s)) => Ok(s.trim().to_owned()),
        Some(Value::Number(n)) => Ok(n.to_string()),
        Some(_) => Err(format!("{:?} is neither a string nor a number", names[0])),
    }
}

fn triple(record: &Map<String, Value>, line: u64) -> Result<Row, String> {
    let needed =
        |names: &[&str]| word(record, names).and_then(|s| if s.is_empty() { Err(format!("it has no {:?}", names[0])) } else { Ok(s) });
    let mut tail = match first(record, &["tail", "object"]) {
        Some(Value::Object(o)) => Tail { datatype: word(o, &["datatype"])?, unit: word(o, &["unit"])?, ..scalar(o.get("value"))? },
        other => scalar(other)?,
    };
    if tail.text.is_empty() {
        return Err("it has no \"tail\"".to_owned());
    }
    if tail.datatype.is_empty() {
        tail.datatype = word(record, &["datatype"])?;
    }
    if tail.unit.is_empty() {
        tail.unit = word(record, &["unit"])?;
    }
    if matches!(first(record, &["tail", "object"]), Some(Value::Object(_)))
        && tail.kind.is_none()
        && tail.datatype.is_empty()
        && tail.unit.is_empty()
    {
        tail.kind = Some(LiteralKind::Text);
    }
    Ok(Row {
        head: needed(&["head", "subject"])?,
        relation: needed(&["relation", "predicate"])?,
        tail,
        head_type: word(record, &["head_type", "subject_type"])?,
        tail_type: word(record, &["tail_type", "object_type"])?,
        cited: word(record, &["provenance", "source"])?,
        line,
    })
}

fn scalar(value: Option<&Value>) -> Result<Tail, String> {
    let (text, kind) = match value {
        None | Some(Value::Null) => (String::new(), None),
        Some(Value::String(s)) => (s.trim().to_owned(), None),
        Some(Value::Number(n)) => (n.to_string(), Some(LiteralKind::Number)),
        Some(Value::Bool(b)) => (b.to_string(), Some(LiteralKind::Boolean)),
        Some(_) => return Err("the tail is a list or nested too deeply".to_owned()),
    };
    Ok(Tail { text, kind, ..Tail::default() })
}

struct Entity {
    id: String,
    label: String,
    aliases: Vec<String>,
    types: Vec<String>,
    description: String,
}

fn words(record: &Map<String, Value>, names: &[&str]) -> Result<Vec<String>, String> {
    match first(record, names) {
        None => Ok(Vec::new()),
        Some(Value::String(s)) => Ok(vec![s.trim().to_owned()]),
        Some(Value::Array(all)) => all
            .iter()
            .map(|v| v.as_str().map(|s| s.trim().to_owned()).ok_or_else(|| format!("{:?} holds something that is no string", names[0])))
            .collect(),
        Some(_) => Err(format!("{:?} is neither a string nor a list", names[0])),
    }
}

fn entity(record: &Map<String, Value>) -> Result<Entity, String> {
    let label = word(record, &["label", "name"])?;
    let id = word(record, &["id"])?;
    let id = if id.is_empty() { label.clone() } else { id };
    if id.is_empty() {
        return Err("neither a triple (head, relation, tail) nor an entity (id)".to_owned());
    }
    Ok(Entity {
        id,
        label,
        aliases: words(record, &["aliases", "synonyms"])?,
        types: words(record, &["types", "type"])?,
        description: word(record, &["description"])?,
    })
}

impl Entity {
    fn add_to(&self, kg: &mut KgBuilder) -> Result<(), ImportError> {
        let e = kg.entity(&self.id)?;
        kg.label(e, &self.label)?;
        for alias in &self.aliases {
            kg.alias(e, alias)?;
        }
        for name in self.types.iter().filter(|t| !t.is_empty()) {
            let t = kg.entity_type(name)?;
            kg.entity_has_type(e, t)?;
        }
        kg.describe(e, &self.description)?;
        Ok(())
    }
}
