//! Schemas of OpenAPI: what a value may be, in few words, and which fields an object has.

use pocketgraph_native::single_line::one_line;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// References from one to the next.
const FARTHEST: usize = 8;

/// Schemas that one may extend, one after the other.
const MOST_EXTENDED: usize = 64;

/// Longer examples are not shown.
const LONGEST_EXAMPLE: usize = 2000;

/// Values of an enumeration that are listed.
const MOST_VALUES: usize = 200;

#[derive(Clone, Copy)]
pub(crate) struct Field<'v> {
    pub name: &'v str,
    pub schema: &'v Value,
    pub required: bool,
}

pub(crate) struct Schemas<'v> {
    whole: &'v Value,
}

impl<'v> Schemas<'v> {
    /// Those of a whole description.
    pub fn of(whole: &'v Value) -> Self {
        Schemas { whole }
    }

    /// The schemas with names, if there are any.
    pub fn all(&self) -> Option<&'v Map<String, Value>> {
        let all = self.whole.pointer("/components/schemas").or_else(|| self.whole.get("definitions"));
        all.and_then(Value::as_object).filter(|s| !s.is_empty())
    }

    /// Follows references into the same file.
    pub fn resolved(&self, value: &'v Value) -> &'v Value {
        let mut value = value;
        for _ in 0..FARTHEST {
            let target = value.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#'));
            match target.and_then(|t| self.whole.pointer(t)) {
                Some(next) => value = next,
                None => break,
            }
        }
        value
    }

    /// The fields of a schema, with those of what it extends.
    pub fn fields(&self, schema: &'v Value) -> impl Iterator<Item = Field<'v>> + Clone + use<'v> {
        let mut fields: Vec<Field<'v>> = Vec::new();
        let (mut required, mut seen, mut names) = (HashSet::new(), HashSet::new(), HashSet::new());
        let mut open = vec![schema];
        while let Some(schema) = open.pop().map(|s| self.resolved(s)) {
            if seen.len() >= MOST_EXTENDED || !seen.insert(std::ptr::from_ref(schema)) {
                continue;
            }
            required.extend(items(schema, "required").filter_map(Value::as_str));
            let own = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            fields.extend(own.filter(|(name, _)| names.insert(name.as_str())).map(|(name, schema)| Field {
                name,
                schema,
                required: false,
            }));
            // The first that is extended comes first.
            let extended: Vec<&Value> = items(schema, "allOf").collect();
            open.extend(extended.into_iter().rev());
        }
        fields.into_iter().map(move |field| Field { required: required.contains(field.name), ..field })
    }
}

/// The text of a field; empty where it holds none.
pub(crate) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or("")
}

/// The items of a field; none where it holds no list.
pub(crate) fn items<'v>(value: &'v Value, field: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

/// A value as a reader writes it.
pub(crate) fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the text of a description in CommonMark as one line, with semicolons between the items of a list.
pub(crate) fn line(description: &str) -> String {
    let mut out = String::new();
    for event in Parser::new(description) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::Start(Tag::Item) if !matches!(out.trim_end().chars().last(), None | Some(':')) => {
                out.truncate(out.trim_end().len());
                out.push_str("; ");
            }
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. })
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image) => {}
            _ => out.push(' '),
        }
    }
    one_line(&out)
}

/// The first example of a parameter, a body or a schema, if it is short.
pub(crate) fn example(of: &Value) -> Option<String> {
    let of_many = || {
        of.get("examples").and_then(|e| {
            e.as_array().and_then(|a| a.first()).or_else(|| e.as_object()?.values().next()?.get("value"))
        })
    };
    let example = of.get("example").or_else(of_many)?;
    let shown = match example {
        Value::Object(_) | Value::Array(_) => serde_json::to_string_pretty(example).ok()?,
        plain => value_text(plain),
    };
    (shown.len() <= LONGEST_EXAMPLE).then_some(shown)
}

/// Returns the values that a schema allows, in words: `free, taken`, `2 to 50`, `at most 20 characters`.
pub(crate) fn allowed(schema: &Value) -> String {
    let mut parts: Vec<String> = Vec::new();
    let values: Vec<String> =
        items(schema, "enum").chain(schema.get("const")).take(MOST_VALUES).map(value_text).collect();
    if !values.is_empty() {
        parts.push(values.join(", "));
    }
    let of_items = schema.get("items").map(allowed_values).filter(|v| !v.is_empty());
    parts.extend(of_items.map(|values| format!("each of {values}")));
    let number = |field: &str| schema.get(field).filter(|v| v.is_number()).map(Value::to_string);
    // In older descriptions a limit is excluded by a field of its own.
    let excluded = |field: &str| schema.get(field).and_then(Value::as_bool) == Some(true);
    let (least, most) = (number("minimum"), number("maximum"));
    let (above, below) = (number("exclusiveMinimum"), number("exclusiveMaximum"));
    match (least, most) {
        (Some(least), Some(most)) if !excluded("exclusiveMinimum") && !excluded("exclusiveMaximum") => {
            parts.push(format!("{least} to {most}"))
        }
        (least, most) => {
            parts.extend(least.map(|n| {
                if excluded("exclusiveMinimum") { format!("more than {n}") } else { format!("at least {n}") }
            }));
            parts.extend(most.map(|n| {
                if excluded("exclusiveMaximum") { format!("less than {n}") } else { format!("at most {n}") }
            }));
        }
    }
    parts.extend(above.map(|n| format!("more than {n}")));
    parts.extend(below.map(|n| format!("less than {n}")));
    for (least, most, unit) in [
        ("minLength", "maxLength", "characters"),
        ("minItems", "maxItems", "items"),
        ("minProperties", "maxProperties", "fields"),
    ] {
        match (number(least), number(most)) {
            (Some(least), Some(most)) => parts.push(format!("{least} to {most} {unit}")),
            (Some(least), None) => parts.push(format!("at least {least} {unit}")),
            (None, Some(most)) => parts.push(format!("at most {most} {unit}")),
            (None, None) => {}
        }
    }
    parts.extend(number("multipleOf").map(|n| format!("a multiple of {n}")));
    if !text(schema, "pattern").is_empty() {
        parts.push(format!("as {}", text(schema, "pattern")));
    }
    parts.join("; ")
}

fn allowed_values(schema: &Value) -> String {
    items(schema, "enum").take(MOST_VALUES).map(value_text).collect::<Vec<_>>().join(", ")
}

/// The last part of a reference, which is the name of what it leads to.
fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// A schema in few words: `Pet`, `array of Pet`, `string (date-time)`.
pub(crate) fn kind_of(schema: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return last(name).to_owned();
    }
    for (field, joint) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")] {
        let parts: Vec<String> = items(schema, field)
            .take(8)
            .filter_map(|s| s.get("$ref").or_else(|| s.get("type")))
            .map(|s| last(&value_text(s)).to_owned())
            .collect();
        if !parts.is_empty() {
            return parts.join(joint);
        }
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().map(value_text).collect::<Vec<_>>().join(" or "),
        Some(kind) => value_text(kind),
        None => String::new(),
    };
    if kind == "array"
        && let Some(item) = schema.get("items")
    {
        let name = item.get("$ref").and_then(Value::as_str).map(last).unwrap_or_else(|| text(item, "type"));
        return format!("array of {name}");
    }
    match text(schema, "format") {
        "" => kind,
        format => format!("{kind} ({format})"),
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_description_is_read_as_commonmark_and_fits_a_cell() {
        for (description, cell) in [
            (
                "The [account](https://x.example/a) of **this** `page_token`.",
                "The account of this page_token.",
            ),
            ("One of:\n\n- **a**\n- b\n\nMore.", "One of: a; b More."),
            ("First.\n* a", "First.; a"),
            ("> Either `a`\n> or b & 1 < 2", "Either a or b & 1 < 2"),
            ("in<br>two", "in two"),
            ("", ""),
        ] {
            assert_eq!(line(description), cell);
        }
    }
}
