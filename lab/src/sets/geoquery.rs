//! GeoQuery: its knowledge base as tables of a graph, and its questions with their logical forms as plans.
//!
//! The knowledge base distinguishes a river and a state of one name by type, and names a city with its state.
//! Its authors' definitions are added: everything is in the one country, and major things are large ones.

use super::logic;
use super::majors::{MAJOR, entity_id};
use pocketgraph_eval::{Gold, Naming, QuestionSet, Tables, loose_name, text};
use pocketgraph_measure::records::DataError;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const NUMBERS: [&str; 7] =
    ["population", "area", "density", "length", "altitude", "highest_elevation", "lowest_elevation"];
const COUNTRY: &str = "usa";
const COUNTRY_NAMES: &str =
    "united states|united states of america|us|u.s.|america|the country|american|continental us";

/// The set.
#[derive(Debug, Clone, Copy)]
pub struct GeoQuery;

impl QuestionSet for GeoQuery {
    fn marker_field(&self) -> &str {
        "SQL (GeoQuery: sql)"
    }

    fn is_one(&self, v: &Value) -> bool {
        v.get("sql").is_some() && v.get("question_split").is_some()
    }

    /// Reads a question with the plan of its logical form. It counts for its split, its kind and, if it names
    /// one entity and only needs steps, for those.
    fn gold(&self, v: &Value) -> Result<Gold, String> {
        let (question, split) = (text(v, "question")?, text(v, "question_split")?);
        let form = v.get("prolog").and_then(Value::as_str);
        let sql = v.get("sql").and_then(Value::as_str).unwrap_or_default();
        let answers = v.get("answers").and_then(Value::as_array);
        let kind = kind_of(form.unwrap_or_default(), sql);
        let mut groups = vec![split.clone(), format!("{split}: {kind}")];
        let named = v.get("entities").and_then(Value::as_object).map_or(0, serde_json::Map::len);
        let beyond_steps = ["MAX", "MIN", "COUNT", "SUM", "AVG", "NOT IN", "<", ">"];
        if named == 1 && !beyond_steps.iter().any(|word| sql.contains(word)) {
            groups.push("one entity, steps alone".to_owned());
        }
        Ok(Gold {
            id: text(v, "id")?,
            plan: form
                .ok_or_else(|| "no logical form".to_owned())
                .and_then(|form| logic::compile_plan(form, &question)),
            question,
            groups,
            answers: answers
                .into_iter()
                .flatten()
                .map(|a| loose_name(a.as_str().unwrap_or(&a.to_string())))
                .collect(),
            without: None,
            naming: Naming::Loose,
            answerable: answers.is_some(),
        })
    }

    fn tables(&self, questions: &[Value], triples: &[PathBuf]) -> Option<Result<Tables, String>> {
        match triples {
            [facts] if questions.iter().any(|v| self.is_one(v)) => {
                Some(read_tables(facts).map_err(|e| e.to_string()))
            }
            _ => None,
        }
    }
}

/// Returns the aggregation of a question, by its logical form, else by its SQL.
fn kind_of(form: &str, sql: &str) -> &'static str {
    let has = |words: &[&str]| words.iter().any(|w| form.contains(w) || sql.contains(w));
    match () {
        () if has(&["sum(", "SUM(", "AVG("]) => "sum",
        () if has(&["\\+", "NOT IN"]) => "negation",
        () if has(&["higher(", "longer("]) => "comparison",
        () if has(&[
            "largest(",
            "smallest(",
            "highest(",
            "lowest(",
            "longest(",
            "shortest(",
            "most(",
            "fewest(",
            "MAX(",
            "MIN(",
        ]) =>
        {
            "superlative"
        }
        () if has(&["count(", "COUNT("]) => "count",
        () => "steps",
    }
}

/// Reads the knowledge base: lines of type, subject, relation, object.
fn read_tables(path: &Path) -> Result<Tables, DataError> {
    let all =
        std::fs::read_to_string(path).map_err(|reason| DataError::Read { path: path.to_owned(), reason })?;
    let mut rows: Vec<[&str; 4]> = Vec::new();
    for (i, line) in all.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
        let row = <[&str; 4]>::try_from(cells).map_err(|cells| DataError::Line {
            path: path.to_owned(),
            line: i + 1,
            what: format!(
                "{} cells where a fact of GeoQuery has type, subject, relation and object",
                cells.len()
            ),
        })?;
        rows.push(row);
    }
    Ok(of_rows(&rows))
}

fn of_rows(rows: &[[&str; 4]]) -> Tables {
    let cities: BTreeSet<&str> = rows.iter().filter(|r| r[0] == "city").map(|r| r[1]).collect();
    let mut out = Tables {
        triples: "head\trelation\ttail\thead_type\ttail_type\tdatatype\n".to_owned(),
        entities: "id\tlabel\taliases\ttypes\n".to_owned(),
    };
    let mut major: BTreeMap<String, &str> = BTreeMap::new();
    let mut known: BTreeMap<String, (String, String, BTreeSet<String>)> = BTreeMap::new();
    let mut know = |id: &str, label: &str, alias: &str, of: &str| {
        let entry = known
            .entry(id.to_owned())
            .or_insert_with(|| (label.to_owned(), alias.to_owned(), BTreeSet::new()));
        entry.2.insert(of.to_owned());
    };
    for &[of, subject, relation, object] in rows {
        let head = entity_id(of, subject);
        let (label, alias) = if of == "city" { (city_name(subject), subject) } else { (subject, "") };
        know(&head, label, alias, of);
        let tail = match relation {
            "capital" => {
                let full = format!("{object}, {subject}");
                let id = entity_id(if cities.contains(full.as_str()) { "city" } else { "capital" }, &full);
                know(&id, object, &full, "capital");
                Some(id)
            }
            "highest_point" | "lowest_point" => {
                let id = entity_id("place", object);
                know(&id, object, "", "place");
                Some(id)
            }
            _ if NUMBERS.contains(&relation) => None,
            _ => {
                let id = entity_id("state", object);
                know(&id, object, "", "state");
                Some(id)
            }
        };
        let datatype = if tail.is_none() { "xsd:decimal" } else { "" };
        let _ = writeln!(
            out.triples,
            "{head}\t{relation}\t{}\t\t\t{datatype}",
            tail.as_deref().unwrap_or(object)
        );
        let large = |m: &&(&str, &str, f64)| {
            m.0 == of && m.1 == relation && object.parse::<f64>().is_ok_and(|n| n > m.2)
        };
        if MAJOR.iter().any(|m| large(&m)) {
            major.insert(head, of);
        }
    }
    for (id, of) in major {
        if let Some(entity) = known.get_mut(&id) {
            entity.2.insert(format!("major_{of}"));
        }
    }
    let country = entity_id("country", COUNTRY);
    for (id, (label, alias, types)) in &known {
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        let _ = writeln!(out.entities, "{id}\t{label}\t{alias}\t{}", types.join("|"));
        if !id.starts_with("place:") {
            let _ = writeln!(out.triples, "{id}\tin_country\t{country}");
        }
    }
    let _ = writeln!(out.entities, "{country}\t{COUNTRY}\t{COUNTRY_NAMES}\tcountry");
    out
}

fn city_name(subject: &str) -> &str {
    subject.rsplit_once(", ").map_or(subject, |(name, _)| name)
}
