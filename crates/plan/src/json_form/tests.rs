#![allow(clippy::unwrap_used)]
//! The JSON form, and that `docs/plan.schema.json` describes exactly what is written.

use proptest::prelude::*;

use super::*;
use crate::plan::arbitrary::plan;

const SCHEMA: &str = include_str!("../../../../docs/plan.schema.json");

/// Implements the part of JSON Schema that the schema uses. Unknown keywords fail: none is skipped.
fn valid(schema: &Value, root: &Value, value: &Value) -> Result<(), String> {
    for (keyword, rule) in schema.as_object().ok_or("a schema is an object")? {
        let holds = match (keyword.as_str(), value) {
            (
                "$schema"
                | "$id"
                | "$defs"
                | "title"
                | "description"
                | "required"
                | "additionalProperties"
                | "pattern",
                _,
            ) => true,
            ("$ref", _) => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                valid(root.get("$defs").unwrap().get(name).unwrap(), root, value)
                    .map_err(|e| format!("{name}: {e}"))?;
                true
            }
            ("oneOf", _) => {
                rule.as_array().unwrap().iter().filter(|s| valid(s, root, value).is_ok()).count() == 1
            }
            ("const", _) => rule == value,
            ("enum", _) => rule.as_array().unwrap().contains(value),
            ("type", _) => match rule.as_str().unwrap() {
                "object" => value.as_object().is_some(),
                "array" => value.as_array().is_some(),
                "string" => value.as_str().is_some(),
                "number" => value.as_f64().is_some(),
                "integer" => value.as_u64().is_some(),
                "boolean" => value.as_bool().is_some(),
                other => return Err(format!("unknown type {other}")),
            },
            ("minItems", Value::Array(items)) => items.len() as u64 >= rule.as_u64().unwrap(),
            ("maxItems", Value::Array(items)) => items.len() as u64 <= rule.as_u64().unwrap(),
            ("minLength", Value::String(text)) => text.chars().count() as u64 >= rule.as_u64().unwrap(),
            ("minimum", Value::Number(n)) => *n >= rule.as_f64().unwrap(),
            ("items", Value::Array(items)) => {
                items.iter().try_for_each(|item| valid(rule, root, item))?;
                true
            }
            ("properties", Value::Object(members)) => {
                for (key, member) in members {
                    let of = rule.get(key).ok_or_else(|| format!("unknown member {key}"))?;
                    valid(of, root, member).map_err(|e| format!("{key}: {e}"))?;
                }
                let needed = schema.get("required").and_then(Value::as_array).unwrap_or_default();
                needed.iter().all(|key| value.get(key.as_str().unwrap()).is_some())
            }
            (known, _)
                if ["minItems", "maxItems", "minLength", "minimum", "items", "properties"]
                    .contains(&known) =>
            {
                false
            }
            (unknown, _) => return Err(format!("unknown keyword {unknown}")),
        };
        if !holds {
            return Err(format!("{keyword} does not hold of {value}"));
        }
    }
    Ok(())
}

fn schema() -> Value {
    json::parse(SCHEMA).unwrap()
}

/// Returns every object in a value, by the path to it.
fn objects(value: &Value, path: Vec<usize>, found: &mut Vec<Vec<usize>>) {
    let inner: Vec<&Value> = match value {
        Value::Object(members) => members.iter().map(|(_, v)| v).collect(),
        Value::Array(items) => items.iter().collect(),
        _ => return,
    };
    for (index, inner) in inner.into_iter().enumerate() {
        objects(inner, path.iter().copied().chain([index]).collect(), found);
    }
    if value.as_object().is_some() {
        found.push(path);
    }
}

/// Change to an object's members.
type Edit<'a> = dyn Fn(&mut Vec<(String, Value)>) + 'a;

fn change(value: &mut Value, path: &[usize], edit: &Edit<'_>) {
    match (path, value) {
        ([], Value::Object(members)) => edit(members),
        ([first, rest @ ..], Value::Object(members)) => change(&mut members[*first].1, rest, edit),
        ([first, rest @ ..], Value::Array(items)) => change(&mut items[*first], rest, edit),
        _ => panic!("no such path"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_fits_the_schema(plan in plan(false)) {
        let value = json::parse(&print(&plan)).unwrap();
        let schema = schema();
        prop_assert_eq!(valid(&schema, &schema, &value), Ok(()));
    }

    /// Drops each member of each object in turn, and adds one: the reader refuses what the schema refuses,
    /// except a missing answer, which defaults to the last statement.
    #[test]
    fn the_reader_refuses_the_gaps_and_additions_that_the_schema_refuses(plan in plan(false)) {
        let value = json::parse(&print(&plan)).unwrap();
        let schema = schema();
        let mut paths = Vec::new();
        objects(&value, Vec::new(), &mut paths);
        for path in paths {
            let mut added = value.clone();
            change(&mut added, &path, &|members| members.push(("remark".to_owned(), Value::Null)));
            prop_assert!(valid(&schema, &schema, &added).is_err());
            prop_assert!(parse(&added.to_string(), &Limits::default()).is_err(), "{added}");
            for drop in 0..8 {
                let mut dropped = value.clone();
                change(&mut dropped, &path, &|members| {
                    if drop < members.len() && !(path.is_empty() && members[drop].0 == "answer") {
                        members.remove(drop);
                    }
                });
                if dropped != value {
                    let fits = valid(&schema, &schema, &dropped).is_ok();
                    let reads = parse(&dropped.to_string(), &Limits::default()).is_ok();
                    prop_assert_eq!(fits, reads, "{}", dropped);
                }
            }
        }
    }
}

#[test]
fn the_schema_has_every_operation_and_no_other() {
    let schema = schema();
    let branches =
        schema.get("$defs").unwrap().get("statement").unwrap().get("oneOf").unwrap().as_array().unwrap();
    let mut named: Vec<&str> = branches
        .iter()
        .map(|b| b.get("properties").unwrap().get("op").unwrap().get("const").unwrap().as_str().unwrap())
        .collect();
    // An operation may have several forms, one after the other.
    named.dedup();
    assert_eq!(
        named,
        [
            "search_kg",
            "search",
            "all",
            "entity",
            "intersect",
            "union",
            "negation",
            "compare",
            "count",
            "filter",
            "superlative"
        ]
    );
    for name in named {
        let text = format!("[{{\"name\":\"A\",\"op\":\"{name}\"}}]");
        let error = parse(&text, &Limits::default()).unwrap_err();
        assert!(error.to_string().contains("missing"), "{name}: {error}");
    }
}

#[test]
fn what_models_write_is_read() {
    let text = r#"Here you are:
```json
{"statements": [
  {"name": "ans_1", "op": "SearchKG", "target": "film", "head": "Up", "relation": "part of"},
  {"name": "Ans2", "op": "searchKg", "head": "Ans1", "relation": {"exact": {"name": "directed_by"}}},
  {"name": "Ans3", "op": "Superlative", "of": ["Ans2"], "by": "date of birth", "extreme": "oldest"},
  {"name": "Ans4", "op": "filter", "of": "Ans2", "condition": {"value": {"comparison": ">=",
      "to": {"literal": {"number": 3}}}}}
]}
```"#;
    let plan = parse(text, &Limits::default()).unwrap().plan;
    let lines = "Ans1=SearchKG(t=film | h=Up, r=part of)\nAns2=SearchKG(t=* | h=Ans1, r=<directed_by>)\n\
                 Ans3=Min(Ans2 | r=date of birth)\nAns4=Filter(Ans2 | v >= 3)\n";
    assert_eq!(crate::plan::rft::print(&plan).unwrap(), lines);
}

#[test]
fn an_error_in_a_statement_has_the_statements_place() {
    let text = "{\"statements\": [\n  {\"name\": \"A\", \"op\": \"all\", \"target\": \"x\"},\n  {\"name\": \
        \"B\", \"op\": \"count\", \"off\": \"A\"}\n]}";
    let error = parse(text, &Limits::default()).unwrap_err();
    assert_eq!((error.at.line, error.at.column), (3, 3));
    assert!(error.to_string().contains("\"off\""), "{error}");
    let error = parse("\n{\"statements\": [}", &Limits::default()).unwrap_err();
    assert_eq!((error.at.line, error.at.column), (2, 17));
}
