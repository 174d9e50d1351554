//! Typed reading of JSON values: every mismatch is an error that names the member.

use super::super::ast::same_name;
use super::super::check::excerpt;
use super::super::read::{canonical_name, is_answer_name};
use super::super::{Comparison, Date, Fault, Head, Literal, Measure, Operand, PlanError, Position, Relation};
use crate::json::Value;

/// A statement's place, and the names that its plan defines.
pub(super) struct Reader {
    /// The place of the statement being read.
    pub(super) at: Position,
    /// All names.
    pub(super) names: Vec<String>,
}

impl Reader {
    pub(super) fn wrong(&self, what: &str, expected: &str) -> PlanError {
        PlanError::new(self.at, Fault::Syntax(excerpt(what)), expected, "See plan.schema.json for the form.")
    }

    pub(super) fn missing(&self, member: &str, expected: &str) -> PlanError {
        self.wrong(&format!("{member} is missing or of the wrong type"), expected)
    }

    /// The members of an object that has no others than these, and none twice.
    pub(super) fn members<'v>(&self, value: &'v Value, what: &str, known: &[&str]) -> Result<&'v [(String, Value)], PlanError> {
        let members = value.as_object().ok_or_else(|| self.wrong(&format!("{what} is no object"), "an object"))?;
        for (index, (key, _)) in members.iter().enumerate() {
            // The first member beyond the known ones ends the loop, so that it is as short as the list of those.
            if !known.contains(&key.as_str()) {
                return Err(self.wrong(&format!("{what} has a member {key:?}"), &known.join(", ")));
            }
            if members[..index].iter().any(|(other, _)| other == key) {
                return Err(self.wrong(&format!("{what} has {key:?} twice"), "each member once"));
            }
        }
        Ok(members)
    }

    /// The only member of an object, which is one of these.
    pub(super) fn variant<'v, 'k>(&self, value: &'v Value, what: &str, known: &[&'k str]) -> Result<(&'k str, &'v Value), PlanError> {
        match self.members(value, what, known)? {
            [(key, inner)] => {
                let key = known.iter().find(|k| *k == key).copied().unwrap_or_default();
                Ok((key, inner))
            }
            _ => Err(self.wrong(&format!("{what} needs one member"), &known.join(" or "))),
        }
    }

    /// A member that is there and not null.
    pub(super) fn find<'v>(&self, members: &'v [(String, Value)], key: &str) -> Option<&'v Value> {
        members.iter().find(|(k, v)| k == key && *v != Value::Null).map(|(_, v)| v)
    }

    pub(super) fn needed<'v>(&self, members: &'v [(String, Value)], key: &str) -> Result<&'v Value, PlanError> {
        self.find(members, key).ok_or_else(|| self.missing(key, &format!("the member {key:?}")))
    }

    pub(super) fn text(&self, members: &[(String, Value)], key: &str) -> Result<String, PlanError> {
        self.needed(members, key)?.as_str().map(str::to_owned).ok_or_else(|| self.missing(key, "a string"))
    }

    pub(super) fn text_if(&self, members: &[(String, Value)], key: &str) -> Result<Option<String>, PlanError> {
        self.find(members, key).map(|_| self.text(members, key)).transpose()
    }

    pub(super) fn name(&self, members: &[(String, Value)], key: &str) -> Result<String, PlanError> {
        match self.needed(members, key)? {
            Value::String(name) => Ok(self.reference(name)),
            Value::Array(items) if items.len() == 1 => {
                items.first().and_then(Value::as_str).map(|name| self.reference(name)).ok_or_else(|| self.missing(key, "a name"))
            }
            _ => Err(self.missing(key, "one name")),
        }
    }

    pub(super) fn names(&self, members: &[(String, Value)], key: &str) -> Result<Vec<String>, PlanError> {
        let items = match self.needed(members, key)? {
            Value::String(name) => return Ok(vec![self.reference(name)]),
            value => value.as_array().ok_or_else(|| self.missing(key, "a list of names"))?,
        };
        items
            .iter()
            .map(|item| item.as_str().map(|name| self.reference(name)).ok_or_else(|| self.missing(key, "a list of names")))
            .collect()
    }

    /// A name as the statement that defines it spells it.
    pub(super) fn reference(&self, written: &str) -> String {
        let name = canonical_name(written);
        self.names.iter().find(|known| same_name(known, &name)).cloned().unwrap_or(name)
    }

    pub(super) fn head(&self, value: &Value) -> Result<Head, PlanError> {
        if let Value::String(text) = value {
            let known = is_answer_name(text) || self.names.iter().any(|name| same_name(name, text));
            return Ok(if known { Head::Reference(self.reference(text)) } else { Head::Mention(text.clone()) });
        }
        match self.variant(value, "a head", &["mention", "reference", "entity"])? {
            ("mention", Value::String(text)) => Ok(Head::Mention(text.clone())),
            ("reference", Value::String(name)) => Ok(Head::Reference(self.reference(name))),
            ("entity", Value::String(name)) => Ok(Head::Entity(name.clone())),
            _ => Err(self.missing("head", "a string in it")),
        }
    }

    pub(super) fn relation(&self, value: &Value) -> Result<Relation, PlanError> {
        if let Value::String(text) = value {
            return Ok(Relation::Phrase(text.clone()));
        }
        match self.variant(value, "a relation", &["phrase", "exact"])? {
            ("phrase", Value::String(text)) => Ok(Relation::Phrase(text.clone())),
            ("exact", exact) => {
                let members = self.members(exact, "an exact relation", &["name", "inverse"])?;
                let inverse = match self.find(members, "inverse") {
                    None => false,
                    Some(value) => value.as_bool().ok_or_else(|| self.missing("inverse", "true or false"))?,
                };
                Ok(Relation::Exact { name: self.text(members, "name")?, inverse })
            }
            _ => Err(self.missing("relation", "a string in it")),
        }
    }

    pub(super) fn measure_if(&self, members: &[(String, Value)]) -> Result<Option<Measure>, PlanError> {
        let Some(value) = self.find(members, "by") else { return Ok(None) };
        if matches!(value, Value::String(_)) {
            return Ok(Some(Measure::ValueOf(self.relation(value)?)));
        }
        Ok(Some(match self.variant(value, "a measure", &["value_of", "number_of"])? {
            ("number_of", relation) => Measure::NumberOf(self.relation(relation)?),
            (_, relation) => Measure::ValueOf(self.relation(relation)?),
        }))
    }

    pub(super) fn comparison(&self, word: &str) -> Result<Comparison, PlanError> {
        let spelled = |(symbol, comparison): &(&str, Comparison)| *symbol == word || comparison.word() == word.to_ascii_lowercase();
        let found = Comparison::SYMBOLS.iter().find(|entry| spelled(entry));
        found.map(|(_, comparison)| *comparison).ok_or_else(|| self.wrong(word, "equal, not_equal, less, at_most, greater or at_least"))
    }

    pub(super) fn operand(&self, value: &Value) -> Result<Operand, PlanError> {
        match self.variant(value, "a condition's right side", &["literal", "reference"])? {
            ("reference", Value::String(name)) => Ok(Operand::Reference(self.reference(name))),
            ("literal", literal) => Ok(Operand::Literal(self.literal(literal)?)),
            _ => Err(self.missing("reference", "a name")),
        }
    }

    fn literal(&self, value: &Value) -> Result<Literal, PlanError> {
        match self.variant(value, "a value", &["number", "date", "text", "boolean"])? {
            ("number", Value::Number(value)) => Ok(Literal::number(*value)),
            ("number", number) => {
                let members = self.members(number, "a number", &["value", "unit"])?;
                let value = self.needed(members, "value")?.as_f64().ok_or_else(|| self.missing("value", "a number"))?;
                Ok(Literal::Number { value, unit: self.text_if(members, "unit")? })
            }
            ("date", Value::String(text)) => {
                let date = Date::parse(text);
                date.map(Literal::Date).ok_or_else(|| {
                    PlanError::new(self.at, Fault::Literal(excerpt(text)), "YYYY, YYYY-MM or YYYY-MM-DD", "Write a date of the calendar.")
                })
            }
            ("text", Value::String(text)) => Ok(Literal::Text(text.clone())),
            ("boolean", Value::Bool(value)) => Ok(Literal::Boolean(*value)),
            (kind, _) => Err(self.missing(kind, "a value of that kind")),
        }
    }
}
