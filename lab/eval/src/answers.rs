//! How the answers of a set name what they mean, and when an answer is theirs.

use pocketgraph::kg::{KnowledgeGraph, date, number};
use pocketgraph::plan::execute::Item;
use std::collections::BTreeSet;

/// How the answers of a set name what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By labels, letter by letter.
    Label,
    /// By identifiers, and what has none by its label.
    Id,
    /// By what they are called, letter case and punctuation aside; numbers and dates by their values, truth values as yes and no.
    Loose,
}

impl Naming {
    /// The name of a member of an answer: of several names the one that is among those wanted.
    pub fn of(self, item: &Item, graph: &KnowledgeGraph, wanted: &BTreeSet<String>) -> String {
        match (self, item.node()) {
            (Naming::Id, Some(node)) => graph.id(node).to_owned(),
            (Naming::Loose, node) => {
                let label = loose_name(&item.label(Some(graph)));
                let mut others = node.into_iter().flat_map(|n| graph.aliases(n)).map(loose_name);
                if wanted.contains(&label) { label } else { others.find(|o| wanted.contains(o)).unwrap_or(label) }
            }
            _ => item.label(Some(graph)),
        }
    }
}

/// A name as [`Naming::Loose`] compares it.
pub fn loose_name(text: &str) -> String {
    let text = text.trim();
    if let Some(n) = number(text) {
        // As many digits as two ways of computing one figure agree in.
        return format!("{n:.6}");
    }
    if let Some(d) = date(text) {
        return format!("{:04}-{:02}-{:02}", d.year, d.month, d.day);
    }
    match text {
        "true" => return "yes".to_owned(),
        "false" => return "no".to_owned(),
        _ => {}
    }
    let folded = pocketgraph::text::fold(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|w| !matches!(*w, "" | "a" | "an" | "the"));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::loose_name;

    #[test]
    fn loose_names_are_compared_by_what_they_say() {
        assert_eq!(loose_name("December 24, 1886"), loose_name("24 December 1886"));
        assert_eq!(loose_name("1186.0"), loose_name("1,186"));
        assert_eq!(loose_name("The God's Gift"), loose_name("God'S  gift"));
        assert_eq!((loose_name("true").as_str(), loose_name("1886") == loose_name("1887")), ("yes", false));
    }
}
