//! Sub-questions with embedded references: `who founded {Ans1}?`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Text with references to earlier sets: a name in braces. A brace itself is doubled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Template {
    parts: Vec<Part>,
}

/// Piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Words.
    Text(String),
    /// Name of an earlier set, whose members take this place in turn.
    Reference(String),
}

/// Reason why a text is not a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unbalanced brace at character {at}")]
pub struct TemplateError {
    /// Number of the character, from 0.
    pub at: usize,
}

impl Template {
    /// Makes a template of its pieces. Joins neighbouring texts and drops empty ones, for equality.
    pub fn new(pieces: impl IntoIterator<Item = Part>) -> Template {
        let mut parts: Vec<Part> = Vec::new();
        for piece in pieces {
            match (parts.last_mut(), piece) {
                (_, Part::Text(text)) if text.is_empty() => {}
                (Some(Part::Text(last)), Part::Text(text)) => last.push_str(&text),
                (_, piece) => parts.push(piece),
            }
        }
        Template { parts }
    }

    /// Returns the pieces, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Iterates over the names that the template refers to, in order, with repetitions.
    pub fn references(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Reference(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// Returns the template with other names.
    pub fn map_references(&self, rename: impl Fn(&str) -> String) -> Template {
        Template::new(self.parts.iter().map(|part| match part {
            Part::Reference(name) => Part::Reference(rename(name)),
            Part::Text(text) => Part::Text(text.clone()),
        }))
    }

    /// Reads `text` with references in braces. Keeps braces around anything that is no name as words.
    ///
    /// # Errors
    /// [`TemplateError`] if a brace that opens before a name is never closed.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        let mut parts = Vec::new();
        let mut words = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            words.push_str(&rest[..at]);
            let brace = &rest[at..at + 1];
            let after = &rest[at + 1..];
            if let Some(after) = after.strip_prefix(brace) {
                words.push_str(brace);
                rest = after;
                continue;
            }
            let name = after.split(['{', '}']).next().unwrap_or_default();
            if brace == "{" && is_name(name.trim()) {
                if !after[name.len()..].starts_with('}') {
                    return Err(TemplateError { at: text[..text.len() - rest.len() + at].chars().count() });
                }
                parts.push(Part::Text(std::mem::take(&mut words)));
                parts.push(Part::Reference(name.trim().to_owned()));
                rest = &after[name.len() + 1..];
            } else {
                words.push_str(brace);
                rest = after;
            }
        }
        words.push_str(rest);
        parts.push(Part::Text(words));
        Ok(Template::new(parts))
    }
}

/// Returns true for a name: an ASCII letter or underscore, then letters, digits, underscores; at most 64.
pub(super) fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Text(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}"))?,
                Part::Reference(name) => write!(f, "{{{name}}}")?,
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for Template {
    type Error = TemplateError;

    fn try_from(text: String) -> Result<Template, TemplateError> {
        Template::parse(&text)
    }
}

impl From<Template> for String {
    fn from(template: Template) -> String {
        template.to_string()
    }
}
