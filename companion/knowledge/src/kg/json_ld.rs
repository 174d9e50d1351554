//! Checks JSON-LD before it is read as RDF: its reader takes memory for each level, and follows and writes out the
//! names of a context without any limit.

use serde_json::Value;
use std::collections::HashMap;
use std::io;

/// Maximum number of terms of a context that are defined by each other, and of bytes of a name.
const LONGEST_CHAIN: usize = 8;
const LONGEST_NAME: usize = 1 << 10;

/// Checks that a document nests no deeper than serde_json reads, and how long the names of its contexts are.
///
/// # Errors
/// The fault, also where the document is no JSON.
pub(super) fn check(reader: impl io::Read) -> io::Result<()> {
    check_contexts(&serde_json::from_reader(reader)?)
}

fn check_contexts(part: &Value) -> io::Result<()> {
    match part {
        Value::Object(members) => members.iter().try_for_each(|(key, value)| match key.as_str() {
            "@context" => check_names(value),
            _ => check_contexts(value),
        }),
        Value::Array(parts) => parts.iter().try_for_each(check_contexts),
        _ => Ok(()),
    }
}

/// Checks how long the names of a context become once their prefixes are written out.
fn check_names(context: &Value) -> io::Result<()> {
    let mut terms = HashMap::new();
    gather_terms(context, &mut terms);
    for name in terms.values() {
        let prefixed = std::iter::successors(Some(name), |name| terms.get(name.split(':').next()?));
        let lengths: Vec<usize> = prefixed.take(LONGEST_CHAIN + 1).map(|name| name.len()).collect();
        if lengths.len() > LONGEST_CHAIN || lengths.iter().sum::<usize>() > LONGEST_NAME {
            return Err(io::Error::other("a name of its context is too long or made of too many others"));
        }
    }
    Ok(())
}

/// Gathers the terms that a context defines, and the longest name of each.
fn gather_terms<'a>(context: &'a Value, terms: &mut HashMap<&'a str, &'a str>) {
    match context {
        Value::Object(members) => {
            for (term, definition) in members {
                if let Some(name) = definition.as_str().or_else(|| definition.get("@id")?.as_str()) {
                    let known = terms.entry(term).or_insert(name);
                    *known = if name.len() > known.len() { name } else { known };
                }
                gather_terms(definition, terms);
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| gather_terms(part, terms)),
        _ => {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        check(text.as_bytes()).map_or_else(|e| e.to_string(), |()| String::new())
    }

    #[test]
    fn what_nests_too_deep_is_refused() {
        let nested = |levels: usize| format!("{}1{}", r#"{"p":"#.repeat(levels), "}".repeat(levels));
        assert_eq!(fault(&nested(100)), "");
        for text in [nested(1000), "[".repeat(100_000), r#"{"\u0040graph":{"@list":"#.repeat(50_000)] {
            assert!(fault(&text).contains("recursion limit exceeded"), "{}", fault(&text));
        }
    }

    #[test]
    fn names_of_a_context_that_are_long_or_follow_each_other_are_refused() {
        let chain = |terms: usize| (0..terms).map(|i| format!(r#""p{i}":"p{}:x","#, i + 1)).collect::<String>();
        let context = |terms: &str| format!(r#"{{"\u0040context":[{{{terms}"@vocab":"http://e/"}}],"@id":"x"}}"#);
        assert_eq!(fault(&context(&chain(LONGEST_CHAIN))), "");
        let long = "n".repeat(LONGEST_NAME + 1);
        for terms in [
            chain(LONGEST_CHAIN + 1),
            chain(20_000),
            r#""a":"b:x","b":"a:x","#.to_owned(),
            r#""p":"q:x","q":"p:x","#.to_owned(),
            format!(r#""e":"http://{long}","#),
            format!(r#""e":{{"@id":"http://{long}"}},"#),
            format!(r#""e":"http://{long}","f":{{"@id":"x","@context":{{"e":"x"}}}},"#),
            format!(r#""e":{{"@id":"x","@context":{{"f":"{long}"}}}},"#),
        ] {
            assert!(fault(&context(&terms)).starts_with("a name of its context"), "{}", fault(&context(&terms)));
        }
    }
}
