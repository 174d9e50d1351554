//! Checks JSON-LD before it is read as RDF: its reader takes memory for each level, follows and writes out
//! the names of contexts without any limit, and copies the contexts in force for each further one.

use serde_json::Value;
use std::collections::HashMap;
use std::io;

/// Bytes that statements may take for each byte of the files, and on top. A name that a prefix shortens is
/// written out for each use.
pub(super) const MOST_TIMES: usize = 256;
pub(super) const BESIDES: usize = 16 << 20;

/// Maximum number of terms that are defined by each other in any contexts of a document, and of bytes of a
/// name.
const LONGEST_CHAIN: usize = 8;
const LONGEST_NAME: usize = 1 << 10;

/// Maximum size of a document in bytes: it is in memory as a whole while it is checked.
pub(super) const LARGEST: u64 = 64 << 20;

/// Checks that a document has less than `largest` bytes and nests no deeper than serde_json reads, how long
/// the names of its contexts are, and how often these are copied.
pub(super) fn check_document(reader: impl io::Read, largest: u64) -> io::Result<()> {
    let mut reader = reader.take(largest);
    let document = serde_json::from_reader(&mut reader);
    if reader.limit() == 0 {
        return Err(io::Error::other(
            "larger than JSON-LD is read; write it as N-Triples, which may be of any size",
        ));
    }
    let (document, bytes): (Value, _) = (document?, (largest - reader.limit()) as usize);
    let left = bytes.saturating_mul(MOST_TIMES).saturating_add(BESIDES);
    let mut contexts = Contexts { left, ..Contexts::default() };
    contexts.gather(&document, false);
    contexts.check_names()?;
    contexts.charge_copies(&document, 0)
}

/// The contexts of a document, wherever they are in it.
#[derive(Default)]
struct Contexts<'a> {
    /// Names of each term, each once; of those that depend on no other, the longest.
    terms: HashMap<&'a str, Vec<&'a str>>,
    /// True if a term has a context of its own, so that any node may bring one into force.
    is_scoped: bool,
    /// Bytes of vocabularies and bases that continue the one in force.
    continued: usize,
    /// Bytes that further copies may take.
    left: usize,
}

impl<'a> Contexts<'a> {
    fn gather(&mut self, part: &'a Value, is_context: bool) {
        match part {
            Value::Object(members) => members.iter().for_each(|(key, value)| match key.as_str() {
                "@context" => self.gather(value, true),
                _ if is_context => self.add_term(key, value),
                _ => self.gather(value, false),
            }),
            Value::Array(parts) => parts.iter().for_each(|part| self.gather(part, is_context)),
            _ => {}
        }
    }

    fn add_term(&mut self, term: &'a str, definition: &'a Value) {
        if let Some(scoped) = definition.get("@context") {
            self.is_scoped = true;
            self.gather(scoped, true);
        }
        let given = [Some(definition), definition.get("@id"), definition.get("@reverse")];
        let name = given.into_iter().flatten().find_map(Value::as_str).unwrap_or(term);
        let names = self.terms.entry(term).or_default();
        if let Some(known) = names.iter_mut().find(|known| is_absolute(known) && is_absolute(name)) {
            *known = if name.len() > known.len() { name } else { known };
        } else if names.len() <= LONGEST_CHAIN && !names.contains(&name) {
            // One more than a term may have is enough to refuse it.
            names.push(name);
        }
        if matches!(term, "@vocab" | "@base") && !is_absolute(name) {
            self.continued += name.len();
        }
    }

    /// Returns the term that a name of `term` begins with or continues.
    fn find_prefix(&self, term: &str, name: &str) -> Option<&'a str> {
        let prefix = name.split(':').next().filter(|_| !is_absolute(name))?;
        let vocabulary = if prefix == name && !matches!(term, "@vocab" | "@base") { "@vocab" } else { name };
        let known = [name, prefix, vocabulary].into_iter().filter(|known| *known != term || name != term);
        known.into_iter().find_map(|known| self.terms.get_key_value(known)).map(|(known, _)| *known)
    }

    /// Checks how long names become once the terms that they begin with are written out.
    fn check_names(&self) -> io::Result<()> {
        let mut lengths: HashMap<&str, usize> = HashMap::new();
        let is_settled = (0..=LONGEST_CHAIN).any(|_| {
            let longest = |(term, names): (&&'a str, &Vec<&str>)| {
                let prefix = |name: &str| self.find_prefix(term, name).and_then(|prefix| lengths.get(prefix));
                (*term, names.iter().map(|name| name.len() + prefix(name).unwrap_or(&0)).max().unwrap_or(0))
            };
            let next = self.terms.iter().map(longest).collect();
            std::mem::replace(&mut lengths, next) == lengths
        });
        let is_redefined = self.terms.values().any(|names| names.len() > LONGEST_CHAIN);
        let longest = lengths.into_values().max().unwrap_or(0) + self.continued;
        if is_settled && !is_redefined && longest <= LONGEST_NAME {
            return Ok(());
        }
        Err(io::Error::other("a name of its context is too long or made of too many others"))
    }

    /// Charges a copy of all contexts in force, which take `in_force` bytes, for each node that may add to
    /// them.
    fn charge_copies(&mut self, part: &Value, in_force: usize) -> io::Result<()> {
        let Value::Object(members) = part else {
            return part
                .as_array()
                .into_iter()
                .flatten()
                .try_for_each(|part| self.charge_copies(part, in_force));
        };
        let in_force = in_force + members.get("@context").map_or(0, |context| context.to_string().len());
        if members.contains_key("@context") || self.is_scoped {
            let too_often = || io::Error::other("its contexts are brought into force too often");
            self.left = self.left.checked_sub(in_force).ok_or_else(too_often)?;
        }
        let mut parts = members.iter().filter(|(key, _)| *key != "@context");
        parts.try_for_each(|(_, part)| self.charge_copies(part, in_force))
    }
}

/// Returns true for names that no term changes.
fn is_absolute(name: &str) -> bool {
    name.starts_with('@') || name.split_once(':').is_some_and(|(_, rest)| rest.starts_with("//"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        check_document(text.as_bytes(), LARGEST).map_or_else(|e| e.to_string(), |()| String::new())
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
    fn a_document_larger_than_is_held_in_memory_is_refused_once_so_much_is_read() {
        let mut endless = io::Read::chain(&b"["[..], io::repeat(b' '));
        let fault = check_document(&mut endless, 1 << 20).unwrap_err().to_string();
        assert!(fault.starts_with("larger than JSON-LD is read"), "{fault}");
        assert!(check_document(&b"{\"@id\":\"x\"}"[..], 1 << 20).is_ok());
    }

    #[test]
    fn contexts_that_redefine_each_other_in_lists_in_nodes_or_in_terms_are_refused() {
        let lists = |context: &str, times: usize| {
            let contexts = vec![context; times].join(",");
            format!(r#"{{"@context":[{contexts}],"@id":"x"}}"#)
        };
        let nested = |inner, i| format!(r#"{{"@context":{{"a{}":"a{i}:x"}},"p":{inner}}}"#, i + 1);
        let nodes = (0..100).fold("1".to_owned(), nested);
        let scoped =
            r#"{"@context":{"t":{"@id":"http://e/t","@context":[{"a":"b:x"},{"b":"a:x"}]}},"t":{"t":1}}"#;
        let renamed: String = (0..20).map(|i| format!(r#"{{"a":"b:{i}"}},"#)).collect();
        let reversed = lists(r#"{"a":{"@reverse":"b:x"}},{"b":{"@reverse":"a:x"}}"#, 1);
        for text in [
            lists(r#"{"a":"b:x"},{"b":"a:x"}"#, 2),
            lists(r#"{"@vocab":"http://e/"},{"@vocab":"xxxxxxxxxxxxxxxxxxxxxxx/"}"#, 100),
            lists(r#"{"@base":"http://e/"},{"@base":"xxxxxxxxxxxxxxxxxxxxxxx/"}"#, 100),
            lists(&(renamed + "null"), 1),
            nodes,
            scoped.to_owned(),
            reversed,
        ] {
            assert!(fault(&text).starts_with("a name of its context"), "{text}: {}", fault(&text));
        }
        // As records and their parts repeat them.
        let usual = r#"{"a":"http://e/a","b":"a:b","n":"name","@vocab":"http://e/#","@base":"http://e/"}"#;
        let records = format!("[{}1]", (lists(usual, 1) + ",").repeat(1000));
        for text in [lists(usual, 30), records, lists(r##"{"@vocab":"#"}"##, 9)] {
            assert_eq!(fault(&text), "");
        }
    }

    #[test]
    fn contexts_that_are_copied_for_each_of_many_nodes_are_refused() {
        let terms: String = (0..20_000).map(|i| format!(r#""t{i}":"http://e/{i}","#)).collect();
        let nodes = |node: &str| format!("[{}1]", format!("{node},").repeat(20_000));
        let within = |terms: &str, node: &str| {
            let nodes = nodes(node);
            format!(r#"{{"@context":{{{terms}"p":"http://e/p"}},"p":{nodes}}}"#)
        };
        let scoped = format!(r#""s":{{"@id":"http://e/s","@context":{{{terms}"q":"http://e/q"}}}},"#);
        for (terms, node) in
            [(&terms, r#"{"@context":{}}"#), (&scoped, r#"{"s":1}"#), (&scoped, r#"{"@type":"s"}"#)]
        {
            let text = within(terms, node);
            assert!(fault(&text).starts_with("its contexts are brought into force"), "{}", fault(&text));
        }
        assert_eq!(fault(&within(&terms, r#"{"p":1}"#)), "");
        assert_eq!(fault(&within("", r#"{"@context":{"q":"http://e/q"},"q":1}"#)), "");
    }

    #[test]
    fn names_of_a_context_that_are_long_or_follow_each_other_are_refused() {
        let chain =
            |terms: usize| (0..terms).map(|i| format!(r#""p{i}":"p{}:x","#, i + 1)).collect::<String>();
        let context =
            |terms: &str| format!(r#"{{"\u0040context":[{{{terms}"@vocab":"http://e/"}}],"@id":"x"}}"#);
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
            format!(r#""e":"http://{}","f":"e:{}","#, &long[..600], &long[..600]),
            format!(r#""e":{{"@id":"x","@context":{{"f":"{long}"}}}},"#),
        ] {
            assert!(
                fault(&context(&terms)).starts_with("a name of its context"),
                "{}",
                fault(&context(&terms))
            );
        }
    }
}
