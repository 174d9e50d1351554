//! Checks JSON-LD before it is read as RDF: its reader takes memory for each level, and follows and writes out the
//! names of a context without any limit.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::HashMap;
use std::{fmt, io};

/// Maximum depth of objects and lists in each other.
const DEEPEST: usize = 64;
/// Maximum number of terms of a context that are defined by each other, and of bytes of a name.
const LONGEST_CHAIN: usize = 8;
const LONGEST_NAME: usize = 1 << 10;

/// Checks how deep a document nests, and how long the names of its contexts are.
///
/// # Errors
/// The fault, also where the document is no JSON.
pub(super) fn check(reader: impl io::Read) -> io::Result<()> {
    let mut document = serde_json::Deserializer::from_reader(reader);
    Levels(DEEPEST).deserialize(&mut document).map_err(|e| io::Error::other(e.to_string()))
}

/// Number of levels that may still open.
#[derive(Clone, Copy)]
struct Levels(usize);

impl Levels {
    fn open_one<E: Error>(self) -> Result<Levels, E> {
        let left = self.0.checked_sub(1).ok_or_else(|| E::custom(format!("it nests more than {DEEPEST} levels")))?;
        Ok(Levels(left))
    }
}

impl<'de> DeserializeSeed<'de> for Levels {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

macro_rules! pass_over {
    ($($visit:ident: $value:ty),*) => { $(fn $visit<E>(self, _: $value) -> Result<(), E> { Ok(()) })* };
}

impl<'de> Visitor<'de> for Levels {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let inner = self.open_one()?;
        while let Some(key) = map.next_key::<String>()? {
            if key == "@context" {
                check_names(&map.next_value()?)?;
            } else {
                map.next_value_seed(inner)?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let inner = self.open_one()?;
        while list.next_element_seed(inner)?.is_some() {}
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    pass_over!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
}

/// Checks how long the names of a context become once their prefixes are written out.
fn check_names<E: Error>(context: &Value) -> Result<(), E> {
    let mut terms = HashMap::new();
    gather_terms(context, &mut terms);
    for name in terms.values() {
        let prefixed = std::iter::successors(Some(name), |name| terms.get(name.split(':').next()?));
        let lengths: Vec<usize> = prefixed.take(LONGEST_CHAIN + 1).map(|name| name.len()).collect();
        if lengths.len() > LONGEST_CHAIN || lengths.iter().sum::<usize>() > LONGEST_NAME {
            return Err(E::custom("a name of its context is too long or made of too many others"));
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
        assert_eq!(fault(&nested(DEEPEST)), "");
        for text in [nested(DEEPEST + 1), "[".repeat(100_000), r#"{"\u0040graph":{"@list":"#.repeat(50_000)] {
            assert!(fault(&text).contains("it nests more than 64 levels"), "{}", fault(&text));
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
