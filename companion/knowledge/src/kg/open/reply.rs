//! Parses replies: names with their types, and triples.

use super::prompts::{MOST_ENTITIES, MOST_TRIPLES};
use pocketgraph_base::json::Value;
use pocketgraph_llm_client::asker::find_value;
use pocketgraph_native::single_line::{cut_text, one_line};

/// Maximum length of a name in bytes; longer ones are sentences.
const LONGEST_NAME: usize = 120;
/// Maximum length of a relation in bytes; longer ones are sentences.
const LONGEST_RELATION: usize = 60;
/// Maximum length of a tail in bytes; longer ones are cut.
const LONGEST_TAIL: usize = 160;

/// A name in a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name as the model wrote it.
    pub name: String,
    /// Its type, in lower case; empty if the model gave none.
    pub kind: String,
}

/// A statement of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// Subject of the statement.
    pub head: String,
    /// The relation, in lower case.
    pub relation: String,
    /// Object of the statement.
    pub tail: String,
}

/// Puts a text of the model on one line, without control characters and list marks; `None` if unusable.
fn clean_line(text: &str, longest: usize) -> Option<String> {
    let visible = text.replace(char::is_control, " ");
    let line = one_line(visible.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"')));
    (!line.is_empty() && line.len() <= longest && line.chars().any(char::is_alphanumeric)).then_some(line)
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(s) => Some(s.clone()),
        Value::Bool(b) => Some(b.to_string()),
        _ => None,
    }
}

fn member_of(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|n| value.get(n)).and_then(text_of)
}

/// Returns the names of a reply to the first question, each once.
pub(super) fn parse_entities(reply: &str) -> Vec<Named> {
    let named = |v: &Value| {
        let (name, kind) = match v {
            Value::Object(_) => (
                member_of(v, &["name", "entity", "text", "label"])?,
                member_of(v, &["type", "kind", "label"]).unwrap_or_default(),
            ),
            other => (text_of(other)?, String::new()),
        };
        let kind = clean_line(&kind, 40)
            .map(|k| k.to_lowercase())
            .filter(|k| k.split(' ').count() <= 3)
            .unwrap_or_default();
        Some(Named { name: clean_line(&name, LONGEST_NAME)?, kind })
    };
    let listed = |v: &Value| {
        let list = match v {
            Value::Object(_) => ["entities", "named_entities", "names"].iter().find_map(|n| v.get(n))?,
            other => other,
        };
        Some(list.as_array()?.iter().filter_map(named).collect::<Vec<_>>())
    };
    let mut out: Vec<Named> = Vec::new();
    for n in find_value(reply, |v| listed(v).filter(|l| !l.is_empty())).unwrap_or_default() {
        if out.len() < MOST_ENTITIES && !out.iter().any(|o| o.name == n.name) {
            out.push(n);
        }
    }
    out
}

/// Returns the triples of a reply to the second question, each once, without rows of other lengths.
pub(super) fn parse_triples(reply: &str) -> Vec<Stated> {
    let row = |v: &Value| {
        let [head, relation, tail] = match v {
            Value::Array(parts) => {
                let parts: Vec<String> = parts.iter().filter_map(text_of).collect();
                <[String; 3]>::try_from(parts).ok()?
            }
            v => [
                member_of(v, &["head", "subject", "s"])?,
                member_of(v, &["relation", "predicate", "p"])?,
                member_of(v, &["tail", "object", "o"])?,
            ],
        };
        statement_of(&head, &relation, &tail)
    };
    let rows = |v: &Value| {
        let list = match v {
            Value::Object(_) => ["triples", "facts", "relations"].iter().find_map(|n| v.get(n))?,
            other => other,
        };
        Some(list.as_array()?.iter().filter_map(row).collect::<Vec<_>>())
    };
    let found = find_value(reply, |v| rows(v).filter(|l| !l.is_empty())).unwrap_or_else(|| read_lines(reply));
    let mut out: Vec<Stated> = Vec::new();
    for t in found {
        if out.len() < MOST_TRIPLES && !out.contains(&t) {
            out.push(t);
        }
    }
    out
}

/// Reads lines of `head | relation | tail`, which models write instead of JSON.
fn read_lines(reply: &str) -> Vec<Stated> {
    let row = |line: &str| {
        let parts: Vec<&str> = line.trim().trim_matches(['-', '*', '(', ')', '|', ' ']).split('|').collect();
        let [head, relation, tail] = <[&str; 3]>::try_from(parts).ok()?;
        statement_of(head, relation, tail).filter(|s| s.relation.chars().any(char::is_alphabetic))
    };
    reply.lines().take(200).filter_map(row).collect()
}

fn statement_of(head: &str, relation: &str, tail: &str) -> Option<Stated> {
    let relation = clean_line(&relation.replace('_', " "), LONGEST_RELATION)?.to_lowercase();
    let tail = clean_line(tail, usize::MAX)?;
    let tail = match cut_text(&tail, LONGEST_TAIL) {
        whole if whole.len() == tail.len() => tail,
        part => format!("{}…", part.trim_end()),
    };
    Some(Stated { head: clean_line(head, LONGEST_NAME)?, relation, tail })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triples_of(reply: &str) -> Vec<(String, String, String)> {
        parse_triples(reply).into_iter().map(|t| (t.head, t.relation, t.tail)).collect()
    }

    #[test]
    fn names_come_as_strings_or_objects() {
        let names = |r: &str| parse_entities(r).into_iter().map(|n| (n.name, n.kind)).collect::<Vec<_>>();
        let ada = |kind: &str| vec![("Ada".to_owned(), kind.to_owned())];
        assert_eq!(
            names(r#"{"entities": [{"name": "Ada", "type": "Person"}, {"name": "Ada"}, {"name": ""}, 7]}"#),
            [ada("person"), vec![("7".into(), String::new())]].concat()
        );
        assert_eq!(names(r#"{"named_entities": ["Ada", "**Ada**"]}"#), ada(""));
        assert_eq!(names("[\"Ada\"]"), ada(""));
        assert!(names("None of them.").is_empty());
    }

    #[test]
    fn triples_come_as_rows_or_objects_or_lines() {
        let wanted = [("Ada".to_owned(), "wrote to".to_owned(), "Babbage".to_owned())];
        for reply in [
            r#"{"triples": [["Ada", "Wrote_to", "Babbage"], ["Ada", "wrote to"], ["a","b","c","d"], "x"]}"#,
            r#"[{"subject": "Ada", "predicate": "wrote to", "object": "Babbage"}]"#,
            "Ada | wrote to | Babbage\nnothing here\n| |",
        ] {
            assert_eq!(triples_of(reply), wanted, "{reply}");
        }
    }

    #[test]
    fn hostile_replies_stay_small() {
        let flood = format!("{{\"triples\": [{}]}}", r#"["a","r","b"],"#.repeat(10_000));
        assert_eq!(triples_of(&flood).len(), 1);
        let long =
            format!(r#"{{"triples": [["a","r","{}"],["{}","r","b"]]}}"#, "x ".repeat(5000), "y".repeat(5000));
        let kept = triples_of(&long);
        assert!(kept.len() == 1 && kept[0].2.len() < 200);
        assert_eq!(triples_of("{\"triples\": [[\"a\\u0000\\nb\", \"r\", \"c\"]]}")[0].0, "a b");
    }
}
