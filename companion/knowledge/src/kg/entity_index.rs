//! Entities by what they are called: the same normalised name is the same thing, wherever it was said.

use pocketgraph_kg::{BuildNode, KgBuilder, KgError, name_key};
use pocketgraph_native::single_line::one_line;
use std::collections::HashMap;

/// Names with more words are sentences.
const LONGEST_NAME: usize = 12;
/// Names with more bytes are not names.
const LONGEST_BYTES: usize = 120;

/// Which entity a normalised name means.
#[derive(Debug, Default)]
pub(super) struct EntityIndex {
    /// Entities that were there before, by each of their names; none where two share it.
    known: HashMap<String, Option<BuildNode>>,
    /// Entities made here.
    made: HashMap<String, BuildNode>,
}

impl EntityIndex {
    /// Knows the entities of the builder by their labels and aliases.
    pub fn of(kg: &KgBuilder) -> Self {
        let mut things = EntityIndex::default();
        for (node, names) in kg.names() {
            names.for_each(|name| things.know(&name_key(name), node));
        }
        things
    }

    /// One more name of an entity.
    pub fn know(&mut self, key: &str, node: BuildNode) {
        if !key.is_empty() {
            self.known.entry(key.to_owned()).and_modify(|n| *n = n.filter(|n| *n == node)).or_insert(Some(node));
        }
    }

    /// The entity that already bears a name, if exactly one does.
    pub fn find(&self, key: &str) -> Option<BuildNode> {
        self.known.get(key).copied().flatten()
    }

    /// The entity of this name: one that bears it alone, else the one made here for it, new if there is
    /// none yet. `None` for what cannot be a name: nothing, or a sentence.
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
        // The label is the id where it is free; two bytes mark ids that are not.
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
