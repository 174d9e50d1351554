//! Front matter: the YAML, TOML or JSON block at the top of a Markdown file, read for its plain fields.
//!
//! YAML has a tolerant reader for the part that front matter uses: scalars, lists, one table inside another.
//! It passes over the rest, and keeps values as they are written; nothing in a front matter can fail a build.

use serde_json::Value;

/// A file has no more fields than this; those that come after are not kept, not even for a while.
const MAX_FIELDS: usize = 1000;
/// Longer keys are none.
const LONGEST_KEY: usize = 200;

/// The fields of a file, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    all: Vec<(String, String)>,
}

impl Fields {
    /// Returns true if no other field is kept.
    pub fn full(&self) -> bool {
        self.all.len() >= MAX_FIELDS
    }

    /// Appends a field, if there is room for it.
    pub fn push(&mut self, key: &str, value: &str) {
        if !self.full() && key.len() <= LONGEST_KEY {
            self.all.push((key.to_owned(), value.to_owned()));
        }
    }

    /// The fields.
    pub fn all(&self) -> &[(String, String)] {
        &self.all
    }

    /// The fields.
    pub fn into_vec(self) -> Vec<(String, String)> {
        self.all
    }
}

/// Splits a file into its front matter's fields and the byte offset at which its text starts.
///
/// A list gives one field an item, all with the list's key; a table's fields have the table's name and a full
/// stop before their keys. An opening line without a closing one is no front matter.
pub(crate) fn front_matter(source: &str) -> (Vec<(String, String)>, usize) {
    if source.starts_with('{') {
        return json(source).unwrap_or_default();
    }
    let Some((first, rest)) = source.split_once('\n') else { return (Vec::new(), 0) };
    let (toml, closers): (bool, &[&str]) = match first.trim_end() {
        "---" => (false, &["---", "..."]),
        "+++" => (true, &["+++"]),
        _ => return (Vec::new(), 0),
    };
    let opening = source.len() - rest.len();
    let mut at = opening;
    for line in rest.split_inclusive('\n') {
        if closers.contains(&line.trim_end()) {
            let inner = source.get(opening..at).unwrap_or("");
            let mut fields = Fields::default();
            if toml {
                let table = inner.parse::<toml::Table>().unwrap_or_default();
                table.iter().for_each(|(name, value)| toml_values(value, name, &mut fields));
            } else {
                fields = yaml_fields(inner);
            }
            return (fields.into_vec(), at + line.len());
        }
        at += line.len();
    }
    (Vec::new(), 0)
}

/// An object at the top of a file, and the byte behind its line.
fn json(source: &str) -> Option<(Vec<(String, String)>, usize)> {
    let mut values = serde_json::Deserializer::from_str(source).into_iter::<serde_json::Map<String, Value>>();
    let object = values.next()?.ok().filter(|o| !o.is_empty())?;
    let behind = source.get(values.byte_offset()..)?;
    let line = behind.find('\n').map_or(behind.len(), |n| n + 1);
    if !behind.get(..line)?.trim().is_empty() {
        return None;
    }
    Some((object_fields(&object).into_vec(), values.byte_offset() + line))
}

/// Reads the fields of an object, and those of objects in it after its name and a full stop.
pub(crate) fn object_fields(object: &serde_json::Map<String, Value>) -> Fields {
    let mut out = Fields::default();
    for (key, value) in object {
        match value {
            Value::Object(table) => {
                table.iter().for_each(|(name, value)| json_values(value, &format!("{key}.{name}"), &mut out))
            }
            value => json_values(value, key, &mut out),
        }
    }
    out
}

fn json_values(value: &Value, key: &str, out: &mut Fields) {
    match value {
        Value::Array(items) => items
            .iter()
            .take(MAX_FIELDS)
            .filter(|i| !i.is_array())
            .for_each(|item| json_values(item, key, out)),
        Value::String(text) if !text.is_empty() => out.push(key, text),
        Value::Number(_) | Value::Bool(_) => out.push(key, &value.to_string()),
        _ => {}
    }
}

/// The first value of a field, by name in any case.
pub(crate) fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(k, _)| k.eq_ignore_ascii_case(name)).map(|(_, v)| v.trim()).filter(|v| !v.is_empty())
}

fn yaml_fields(text: &str) -> Fields {
    let mut out = Fields::default();
    let mut key = String::new();
    let mut parent: Option<String> = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next().filter(|_| !out.full()) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        if let Some(item) = trimmed.strip_prefix("- ") {
            if !key.is_empty() {
                yaml_values(item, &key, &mut out);
            }
            continue;
        }
        let Some((name, value)) = key_and_value(trimmed) else { continue };
        if !indented {
            parent = None;
        }
        key = match &parent {
            Some(p) => format!("{p}.{name}"),
            None => name.to_owned(),
        };
        if value.is_empty() {
            // A list or a table follows; only the first level of tables is told apart.
            if !indented {
                parent = Some(name.to_owned());
            }
        } else if let Some(style) =
            value.chars().next().filter(|c| matches!(c, '|' | '>')).filter(|_| value.len() <= 3)
        {
            let mut parts = Vec::new();
            while let Some(next) = lines.next_if(|l| l.trim().is_empty() || l.starts_with([' ', '\t'])) {
                parts.push(next.trim());
            }
            out.push(&key, parts.join(if style == '|' { "\n" } else { " " }).trim());
        } else {
            yaml_values(value, &key, &mut out);
        }
    }
    out
}

/// `key: value` of YAML; the key may be quoted.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim().trim_matches(['"', '\'']);
    let ok = !key.is_empty() && key.len() <= 100 && (value.is_empty() || value.starts_with([' ', '\t']));
    ok.then(|| (key, value.trim()))
}

fn yaml_values(value: &str, key: &str, out: &mut Fields) {
    let value = value.trim();
    if value.starts_with('[') {
        list_items(value, key, out);
    } else if !value.starts_with(['{', '&', '*', '!']) {
        let v = scalar(value);
        if !v.is_empty() {
            out.push(key, &v);
        }
    }
}

/// Appends what a value of TOML holds: each item of a list, each field of a table below the table's key.
fn toml_values(value: &toml::Value, key: &str, out: &mut Fields) {
    match value {
        _ if out.full() || key.len() > LONGEST_KEY => {}
        toml::Value::Table(table) => {
            table.iter().for_each(|(name, value)| toml_values(value, &format!("{key}.{name}"), out))
        }
        toml::Value::Array(items) => items.iter().for_each(|item| toml_values(item, key, out)),
        toml::Value::String(text) if text.trim().is_empty() => {}
        toml::Value::String(text) => out.push(key, text.trim()),
        value => out.push(key, &value.to_string()),
    }
}

/// Appends the items of an inline list `[a, "b, c", 'd']`, each as a field.
fn list_items(list: &str, key: &str, out: &mut Fields) {
    let mut rest = list.strip_prefix('[').unwrap_or(list).trim_start();
    while !rest.is_empty() && !rest.starts_with(']') && !out.full() {
        let end = match rest.chars().next() {
            Some(q @ ('"' | '\'')) => {
                quoted_end(rest, q).and_then(|i| rest.get(i..)?.find([',', ']']).map(|j| i + j))
            }
            _ => rest.find([',', ']']),
        };
        let end = end.unwrap_or(rest.len());
        let item = scalar(rest.get(..end).unwrap_or(""));
        if !item.is_empty() {
            out.push(key, &item);
        }
        rest = rest.get(end..).unwrap_or("").trim_start_matches(',').trim_start();
    }
}

/// The byte after a quoted string's closing quote.
fn quoted_end(s: &str, quote: char) -> Option<usize> {
    let mut chars = s.char_indices().skip(1).peekable();
    while let Some((i, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            chars.next();
        } else if c == quote {
            if quote == '\'' && chars.peek().is_some_and(|&(_, n)| n == '\'') {
                chars.next();
            } else {
                return Some(i + 1);
            }
        }
    }
    None
}

/// A scalar: quotes and escapes undone, a comment after a plain one cut.
fn scalar(s: &str) -> String {
    let s = s.trim();
    match s.chars().next() {
        Some('"') => {
            let inner = s.get(1..quoted_end(s, '"').map_or(s.len(), |e| e - 1)).unwrap_or("");
            unescape(inner)
        }
        Some('\'') => {
            s.get(1..quoted_end(s, '\'').map_or(s.len(), |e| e - 1)).unwrap_or("").replace("''", "'")
        }
        Some('#') => String::new(),
        _ => s.split(" #").next().unwrap_or("").trim().to_owned(),
    }
}

fn unescape(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    let mut chars = s.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some(u @ ('u' | 'U' | 'x')) => {
                let digits: String = chars
                    .by_ref()
                    .take(match u {
                        'u' => 4,
                        'U' => 8,
                        _ => 2,
                    })
                    .collect();
                out.push(
                    u32::from_str_radix(&digits, 16)
                        .ok()
                        .and_then(char::from_u32)
                        .filter(|&c| c != '\0')
                        .unwrap_or('\u{fffd}'),
                );
            }
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(s: &str) -> Vec<(String, String)> {
        front_matter(s).0
    }

    fn pairs(p: &[(&str, &str)]) -> Vec<(String, String)> {
        p.iter().map(|&(a, b)| (a.into(), b.into())).collect()
    }

    #[test]
    fn yaml_scalars_lists_and_one_level_of_tables_are_read() {
        let s = "---\ntitle: \"A \\\"quoted\\\" one: yes\" # note\ntags: [a, 'b, c', \"d\"]\naliases:\n  - \
            /old/\n  - /older/\ndate: 2024-05-01\nparams:\n  level: 3\nsummary: >\n  two\n  \
            lines\nempty:\n---\ntext";
        let (fields, at) = front_matter(s);
        let want = [
            ("title", "A \"quoted\" one: yes"),
            ("tags", "a"),
            ("tags", "b, c"),
            ("tags", "d"),
            ("aliases", "/old/"),
            ("aliases", "/older/"),
            ("date", "2024-05-01"),
            ("params.level", "3"),
            ("summary", "two lines"),
        ];
        assert_eq!(fields, pairs(&want));
        assert_eq!(&s[at..], "text");
    }

    #[test]
    fn toml_scalars_lists_and_tables_are_read() {
        let s = "+++\ntitle = \"It's\"\nweight = 3\ndraft = false\ntags = [\n  \"x\",\n  \"y\",\n]\nlong = \
            \"\"\"\nmany\nlines\"\"\"\n[extra]\nauthor = \"Ann\" \n+++\nbody";
        let (fields, at) = front_matter(s);
        let want = [
            ("title", "It's"),
            ("weight", "3"),
            ("draft", "false"),
            ("tags", "x"),
            ("tags", "y"),
            ("long", "many\nlines"),
            ("extra.author", "Ann"),
        ];
        assert_eq!(fields, pairs(&want));
        assert_eq!(&s[at..], "body");
    }

    #[test]
    fn what_is_beyond_the_last_field_is_not_kept() {
        let lists = [
            format!("tags: [{}]", "a, ".repeat(5000)),
            format!("tags:\n{}", "- a\n".repeat(5000)),
            "k: a\n".repeat(5000),
        ];
        for inner in lists {
            assert_eq!(of(&format!("---\n{inner}\n---\n")).len(), MAX_FIELDS);
        }
        let toml = format!(
            "tags = [{}]\n{}",
            "1, ".repeat(900),
            (0..5000).map(|n| format!("k{n} = 1\n")).collect::<String>()
        );
        assert_eq!(of(&format!("+++\n{toml}+++\n")).len(), MAX_FIELDS);
        assert!(
            of(&format!("+++\n{} = [1, 2]\n+++\n", "k".repeat(5000))).is_empty(),
            "a key is repeated with each item of its list"
        );
    }

    #[test]
    fn an_object_of_json_is_front_matter_and_other_braces_are_text() {
        let (fields, at) =
            front_matter("{\n \"title\": \"A\", \"tags\": [\"x\", 2], \"p\": {\"q\": true}\n}\n\ntext");
        let mut fields = fields;
        fields.sort();
        assert_eq!(
            (fields, at),
            (pairs(&[("p.q", "true"), ("tags", "2"), ("tags", "x"), ("title", "A")]), 54)
        );
        for text in ["{{ call }}\ntext", "{\"a\": 1} goes on\n", "{}\n", "{"] {
            assert_eq!(front_matter(text), (Vec::new(), 0), "{text}");
        }
    }

    #[test]
    fn an_unclosed_front_matter_is_text() {
        assert_eq!(front_matter("---\ntitle: x\n\nno end"), (Vec::new(), 0));
        assert_eq!(front_matter("---"), (Vec::new(), 0));
        assert!(of("text\n---\ntitle: x\n---\n").is_empty());
    }

    proptest! {
        #[test]
        fn no_front_matter_can_panic(inner in "[\\-+a-c:=\\[\\]{}\"'\\\\#|> \
            \n\tué,.]{0,120}", toml in any::<bool>()) {
            let fence = if toml { "+++" } else { "---" };
            front_matter(&format!("{fence}\n{inner}\n{fence}\n"));
        }
    }
}
