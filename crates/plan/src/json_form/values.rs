//! Typed reading of JSON values: every mismatch is an error that names the member.

use super::super::ast::same_name;
use super::super::check::excerpt;
use super::super::read::{canonical_name, is_answer_name};
use super::super::{Comparison, Date, Fault, Head, Literal, Measure, Operand, PlanError, Position, Relation};
use crate::json::Value;

/// Place of a statement, and the names that its plan defines.
pub(super) struct Reader {
    /// Place of the statement being read.
    pub(super) at: Position,
    pub(super) names: Vec<String>,
}

impl Reader {
    pub(super) fn wrong_form(&self, what: &str, expected: &str) -> PlanError {
        PlanError::new(self.at, Fault::Syntax(excerpt(what)), expected, "See plan.schema.json for the form.")
    }

    pub(super) fn missing_member(&self, member: &str, expected: &str) -> PlanError {
        self.wrong_form(&format!("{member} is missing or of the wrong type"), expected)
    }

    /// Returns the members of an object that has only these, each at most once.
    pub(super) fn read_members<'v>(
        &self,
        value: &'v Value,
        what: &str,
        known: &[&str],
    ) -> Result<&'v [(String, Value)], PlanError> {
        let members =
            value.as_object().ok_or_else(|| self.wrong_form(&format!("{what} is no object"), "an object"))?;
        for (index, (key, _)) in members.iter().enumerate() {
            // The first unknown member ends the loop, which is thus as short as the list of known ones.
            if !known.contains(&key.as_str()) {
                return Err(self.wrong_form(&format!("{what} has a member {key:?}"), &known.join(", ")));
            }
            if members[..index].iter().any(|(other, _)| other == key) {
                return Err(self.wrong_form(&format!("{what} has {key:?} twice"), "each member once"));
            }
        }
        Ok(members)
    }

    /// Returns the only member of an object, which must be one of these.
    pub(super) fn read_variant<'v, 'k>(
        &self,
        value: &'v Value,
        what: &str,
        known: &[&'k str],
    ) -> Result<(&'k str, &'v Value), PlanError> {
        match self.read_members(value, what, known)? {
            [(key, inner)] => {
                let key = known.iter().find(|k| *k == key).copied().unwrap_or_default();
                Ok((key, inner))
            }
            _ => Err(self.wrong_form(&format!("{what} needs one member"), &known.join(" or "))),
        }
    }

    /// Returns a member that exists and is not null.
    pub(super) fn find_member<'v>(&self, members: &'v [(String, Value)], key: &str) -> Option<&'v Value> {
        members.iter().find(|(k, v)| k == key && *v != Value::Null).map(|(_, v)| v)
    }

    pub(super) fn require_member<'v>(
        &self,
        members: &'v [(String, Value)],
        key: &str,
    ) -> Result<&'v Value, PlanError> {
        self.find_member(members, key).ok_or_else(|| self.missing_member(key, &format!("the member {key:?}")))
    }

    pub(super) fn read_text(&self, members: &[(String, Value)], key: &str) -> Result<String, PlanError> {
        self.require_member(members, key)?
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| self.missing_member(key, "a string"))
    }

    pub(super) fn read_text_if(
        &self,
        members: &[(String, Value)],
        key: &str,
    ) -> Result<Option<String>, PlanError> {
        self.find_member(members, key).map(|_| self.read_text(members, key)).transpose()
    }

    pub(super) fn read_name(&self, members: &[(String, Value)], key: &str) -> Result<String, PlanError> {
        match self.require_member(members, key)? {
            Value::String(name) => Ok(self.resolve_reference(name)),
            Value::Array(items) if items.len() == 1 => items
                .first()
                .and_then(Value::as_str)
                .map(|name| self.resolve_reference(name))
                .ok_or_else(|| self.missing_member(key, "a name")),
            _ => Err(self.missing_member(key, "one name")),
        }
    }

    pub(super) fn read_names(
        &self,
        members: &[(String, Value)],
        key: &str,
    ) -> Result<Vec<String>, PlanError> {
        let items = match self.require_member(members, key)? {
            Value::String(name) => return Ok(vec![self.resolve_reference(name)]),
            value => value.as_array().ok_or_else(|| self.missing_member(key, "a list of names"))?,
        };
        items
            .iter()
            .map(|item| {
                item.as_str()
                    .map(|name| self.resolve_reference(name))
                    .ok_or_else(|| self.missing_member(key, "a list of names"))
            })
            .collect()
    }

    /// Returns a name as its defining statement spells it.
    pub(super) fn resolve_reference(&self, written: &str) -> String {
        let name = canonical_name(written);
        self.names.iter().find(|known| same_name(known, &name)).cloned().unwrap_or(name)
    }

    pub(super) fn read_head(&self, value: &Value) -> Result<Head, PlanError> {
        if let Value::String(text) = value {
            let known = is_answer_name(text) || self.names.iter().any(|name| same_name(name, text));
            return Ok(if known {
                Head::Reference(self.resolve_reference(text))
            } else {
                Head::Mention(text.clone())
            });
        }
        match self.read_variant(value, "a head", &["mention", "reference", "entity"])? {
            ("mention", Value::String(text)) => Ok(Head::Mention(text.clone())),
            ("reference", Value::String(name)) => Ok(Head::Reference(self.resolve_reference(name))),
            ("entity", Value::String(name)) => Ok(Head::Entity(name.clone())),
            _ => Err(self.missing_member("head", "a string in it")),
        }
    }

    pub(super) fn read_relation(&self, value: &Value) -> Result<Relation, PlanError> {
        if let Value::String(text) = value {
            return Ok(Relation::Phrase(text.clone()));
        }
        match self.read_variant(value, "a relation", &["phrase", "exact"])? {
            ("phrase", Value::String(text)) => Ok(Relation::Phrase(text.clone())),
            ("exact", exact) => {
                let members = self.read_members(exact, "an exact relation", &["name", "inverse"])?;
                let inverse = match self.find_member(members, "inverse") {
                    None => false,
                    Some(value) => {
                        value.as_bool().ok_or_else(|| self.missing_member("inverse", "true or false"))?
                    }
                };
                Ok(Relation::Exact { name: self.read_text(members, "name")?, inverse })
            }
            _ => Err(self.missing_member("relation", "a string in it")),
        }
    }

    pub(super) fn read_measure_if(&self, members: &[(String, Value)]) -> Result<Option<Measure>, PlanError> {
        let Some(value) = self.find_member(members, "by") else { return Ok(None) };
        if matches!(value, Value::String(_)) {
            return Ok(Some(Measure::ValueOf(self.read_relation(value)?)));
        }
        Ok(Some(match self.read_variant(value, "a measure", &["value_of", "number_of"])? {
            ("number_of", relation) => Measure::NumberOf(self.read_relation(relation)?),
            (_, relation) => Measure::ValueOf(self.read_relation(relation)?),
        }))
    }

    pub(super) fn read_comparison(&self, word: &str) -> Result<Comparison, PlanError> {
        let spelled = |(symbol, comparison): &(&str, Comparison)| {
            *symbol == word || comparison.word() == word.to_ascii_lowercase()
        };
        let found = Comparison::SYMBOLS.iter().find(|entry| spelled(entry));
        found
            .map(|(_, comparison)| *comparison)
            .ok_or_else(|| self.wrong_form(word, "equal, not_equal, less, at_most, greater or at_least"))
    }

    pub(super) fn read_operand(&self, value: &Value) -> Result<Operand, PlanError> {
        match self.read_variant(value, "a condition's right side", &["literal", "reference"])? {
            ("reference", Value::String(name)) => Ok(Operand::Reference(self.resolve_reference(name))),
            ("literal", literal) => Ok(Operand::Literal(self.read_literal(literal)?)),
            _ => Err(self.missing_member("reference", "a name")),
        }
    }

    fn read_literal(&self, value: &Value) -> Result<Literal, PlanError> {
        match self.read_variant(value, "a value", &["number", "date", "text", "boolean"])? {
            ("number", Value::Number(value)) => Ok(Literal::number(*value)),
            ("number", number) => {
                let members = self.read_members(number, "a number", &["value", "unit"])?;
                let value = self
                    .require_member(members, "value")?
                    .as_f64()
                    .ok_or_else(|| self.missing_member("value", "a number"))?;
                Ok(Literal::Number { value, unit: self.read_text_if(members, "unit")? })
            }
            ("date", Value::String(text)) => {
                let date = Date::parse(text);
                date.map(Literal::Date).ok_or_else(|| {
                    PlanError::new(
                        self.at,
                        Fault::Literal(excerpt(text)),
                        "YYYY, YYYY-MM or YYYY-MM-DD",
                        "Write a date of the calendar.",
                    )
                })
            }
            ("text", Value::String(text)) => Ok(Literal::Text(text.clone())),
            ("boolean", Value::Bool(value)) => Ok(Literal::Boolean(*value)),
            (kind, _) => Err(self.missing_member(kind, "a value of that kind")),
        }
    }
}
