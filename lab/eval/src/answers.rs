//! Compares answers with those of a set, by the set's names.

use pocketgraph::kg::{KnowledgeGraph, date, number};
use pocketgraph::plan::execute::Item;
use std::collections::BTreeSet;

/// Names that a set uses in its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Labels, compared exactly.
    Label,
    /// Identifiers, or labels for what has none.
    Id,
    /// Labels without letter case and punctuation; numbers and dates by value, truth values as yes and no.
    Loose,
}

impl Naming {
    /// Returns the name of a member of an answer; of several, one that is wanted.
    pub fn of(self, item: &Item, graph: &KnowledgeGraph, wanted: &BTreeSet<String>) -> String {
        match (self, item.node()) {
            (Naming::Id, Some(node)) => graph.id(node).to_owned(),
            (Naming::Loose, node) => {
                let label = loose_name(&item.label(Some(graph)));
                let mut others = node.into_iter().flat_map(|n| graph.aliases(n)).map(loose_name);
                if wanted.contains(&label) {
                    label
                } else {
                    others.find(|o| wanted.contains(o)).unwrap_or(label)
                }
            }
            _ => item.label(Some(graph)),
        }
    }
}

/// Returns a name in the form that [`Naming::Loose`] compares.
pub fn loose_name(text: &str) -> String {
    let text = text.trim();
    if let Some(n) = number(text) {
        // Two ways of computing one figure agree to this many digits.
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
    let words =
        folded.split(|c: char| !c.is_alphanumeric()).filter(|w| !matches!(*w, "" | "a" | "an" | "the"));
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
