//! Index of entities by name: equal normalised names mean the same entity, whatever their source.

use pocketgraph_kg::{BuildNode, KgBuilder, KgError, name_key};
use pocketgraph_native::single_line::one_line;
use std::collections::HashMap;

/// Maximum number of words of a name; more make a sentence.
const LONGEST_NAME: usize = 12;
/// Maximum number of bytes of a name.
const LONGEST_BYTES: usize = 120;

/// Entities by normalised name.
#[derive(Debug, Default)]
pub(super) struct EntityIndex {
    /// Entities that existed before, by each of their names; `None` for a name of several.
    known: HashMap<String, Option<BuildNode>>,
    /// Entities made here.
    made: HashMap<String, BuildNode>,
}

impl EntityIndex {
    /// Indexes the entities of the builder by their labels and aliases.
    pub fn of(kg: &KgBuilder) -> Self {
        let mut things = EntityIndex::default();
        for (node, names) in kg.names() {
            names.for_each(|name| things.know(&name_key(name), node));
        }
        things
    }

    /// Adds a name of an entity.
    pub fn know(&mut self, key: &str, node: BuildNode) {
        if !key.is_empty() {
            self.known
                .entry(key.to_owned())
                .and_modify(|n| *n = n.filter(|n| *n == node))
                .or_insert(Some(node));
        }
    }

    /// Returns the entity that had a name before, if exactly one did.
    pub fn find(&self, key: &str) -> Option<BuildNode> {
        self.known.get(key).copied().flatten()
    }

    /// Returns true if a name is an entity's, or hides none: no run of its words was a name before.
    pub fn may_name(&self, label: &str) -> bool {
        let key = name_key(label);
        let words: Vec<_> = key.split(' ').collect();
        let mut runs = (1..=words.len()).flat_map(|length| words.windows(length));
        self.find(&key).is_some() || !runs.any(|run| self.known.contains_key(&run.join(" ")))
    }

    /// Returns the entity of a name: the only one that had it before, else the one made here, which is
    /// created if needed. Returns `None` for an empty name or a sentence.
    ///
    /// # Errors
    /// [`KgError::TooLarge`].
    pub fn thing(&mut self, kg: &mut KgBuilder, label: &str) -> Result<Option<BuildNode>, KgError> {
        let label = one_line(label);
        let key = name_key(&label);
        if key.is_empty() || label.len() > LONGEST_BYTES || key.split(' ').count() > LONGEST_NAME {
            return Ok(None);
        }
        if let Some(node) = self.find(&key).or_else(|| self.made.get(&key).copied()) {
            return Ok(Some(node));
        }
        // The label is the id if it is free; `~ ` marks other ids.
        let id = if kg.knows(&label) { format!("~ {key}") } else { label.clone() };
        let node = kg.entity(&id)?;
        kg.label(node, &label)?;
        self.made.insert(key, node);
        Ok(Some(node))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn one_name_in_several_spellings_is_one_thing_and_letters_of_other_scripts_stay() {
        let mut kg = KgBuilder::default();
        let mut things = EntityIndex::of(&kg);
        let a = things.thing(&mut kg, "Café Müller").unwrap().unwrap();
        assert_eq!(things.thing(&mut kg, " cafe  MULLER! ").unwrap(), Some(a));
        let tokyo = things.thing(&mut kg, "東京").unwrap().unwrap();
        assert!(tokyo != a && things.thing(&mut kg, "京都").unwrap() != Some(tokyo));
        assert_eq!(things.thing(&mut kg, "  ").unwrap(), None);
        assert_eq!(things.thing(&mut kg, &"word ".repeat(13)).unwrap(), None);
    }

    #[test]
    fn an_imported_entity_is_found_by_its_alias_unless_two_share_it() {
        let mut kg = KgBuilder::default();
        let q1 = kg.entity("Q1").unwrap();
        kg.label(q1, "Heat").unwrap();
        kg.alias(q1, "Hitze").unwrap();
        let (a, b) = (kg.entity("Q2").unwrap(), kg.entity("Q3").unwrap());
        kg.label(a, "Springfield").unwrap();
        kg.label(b, "springfield").unwrap();
        let mut things = EntityIndex::of(&kg);
        assert_eq!(things.thing(&mut kg, "hitze").unwrap(), Some(q1));
        let third = things.thing(&mut kg, "Springfield").unwrap();
        assert!(third.is_some() && third != Some(a) && third != Some(b));
    }
}
