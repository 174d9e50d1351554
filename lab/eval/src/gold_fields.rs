//! Reads fields of a question in JSON.

use serde_json::Value;
use std::collections::BTreeSet;

/// Returns a field, text or a number, as text.
///
/// # Errors
/// A missing field.
pub fn text(v: &Value, name: &str) -> Result<String, String> {
    match v.get(name) {
        Some(Value::String(s)) => Ok(s.clone()),
        Some(Value::Number(n)) => Ok(n.to_string()),
        _ => Err(format!("it has no {name}")),
    }
}

/// Returns the field `answers` as a set. Fails if it is no array.
pub fn read_answers(v: &Value) -> Result<BTreeSet<String>, String> {
    let all = v.get("answers").and_then(Value::as_array).ok_or("it has no answers")?;
    Ok(all.iter().map(|a| a.as_str().map_or_else(|| a.to_string(), str::to_owned)).collect())
}
