//! Prompts with placeholders, and a caller's replacements.
//!
//! `{{name}}` is replaced by a value. `{{name:words}}` is replaced by the words if the value is not empty,
//! else by nothing. A single brace is a brace. Values are never searched for placeholders, so that no
//! question or document can name one.

use std::collections::BTreeMap;

/// Maximum length of a caller's text, in bytes.
const LONGEST: usize = 256 << 10;

/// Text of a prompt, with its placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Name, protocol and part: `react.task`.
    pub name: &'static str,
    /// The default text. One newline at its end belongs to the file.
    ours: &'static str,
    /// Placeholders that every replacement must have.
    pub needs: &'static [&'static str],
    /// Optional placeholders.
    pub may: &'static [&'static str],
}

impl Text {
    /// Names the text of a file.
    pub const fn new(
        name: &'static str,
        file: &'static str,
        needs: &'static [&'static str],
        may: &'static [&'static str],
    ) -> Text {
        Text { name, ours: file, needs, may }
    }

    /// Returns the default text.
    pub fn ours(&self) -> &'static str {
        self.ours.strip_suffix('\n').unwrap_or(self.ours)
    }

    /// Checks a replacement.
    ///
    /// # Errors
    /// [`PromptError`], which names this text.
    pub fn check(&self, text: &str) -> Result<(), PromptError> {
        let name = || self.name.to_owned();
        if text.len() > LONGEST {
            return Err(PromptError::TooLong { name: name(), limit: LONGEST });
        }
        let found: Vec<&str> = split_pieces(text)
            .filter_map(|p| if let Piece::Place(place, _) = p { Some(place) } else { None })
            .collect();
        let known = || self.needs.iter().chain(self.may);
        if let Some(place) = found.iter().find(|place| !known().any(|k| k == *place)) {
            let known = known().map(|k| format!("{{{{{k}}}}}")).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "none".to_owned() } else { known };
            return Err(PromptError::UnknownPlaceholder {
                name: name(),
                placeholder: (*place).chars().take(60).collect(),
                known,
            });
        }
        match self.needs.iter().find(|need| !found.contains(need)) {
            Some(need) => {
                Err(PromptError::MissingPlaceholder { name: name(), placeholder: (*need).to_owned() })
            }
            None => Ok(()),
        }
    }
}

/// Reason why a text cannot replace the default.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// There is no text of that name.
    #[error("there is no prompt {name:?}")]
    UnknownPrompt {
        /// The name given.
        name: String,
    },
    /// Nothing fills the placeholder.
    #[error("the prompt {name} has no placeholder {{{{{placeholder}}}}}; it may have {known}")]
    UnknownPlaceholder {
        /// Name of the text.
        name: String,
        /// Name of the placeholder.
        placeholder: String,
        /// Names of the known placeholders.
        known: String,
    },
    /// A required placeholder is missing.
    #[error("the prompt {name} lacks its placeholder {{{{{placeholder}}}}}")]
    MissingPlaceholder {
        /// Name of the text.
        name: String,
        /// Name of the placeholder.
        placeholder: String,
    },
    /// The text is too long for a prompt.
    #[error("the prompt {name} is longer than {limit} bytes")]
    TooLong {
        /// Name of the text.
        name: String,
        /// Maximum number of bytes.
        limit: usize,
    },
}

impl PromptError {
    /// Returns the name of the text.
    pub fn prompt(&self) -> &str {
        match self {
            PromptError::UnknownPrompt { name }
            | PromptError::UnknownPlaceholder { name, .. }
            | PromptError::MissingPlaceholder { name, .. }
            | PromptError::TooLong { name, .. } => name,
        }
    }
}

/// A caller's replacements, all of them checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompts(BTreeMap<&'static str, String>);

impl Prompts {
    /// Adds a replacement of one of the texts `all`.
    ///
    /// # Errors
    /// [`PromptError`] for an unknown name, and for unknown or missing placeholders.
    pub fn replace(&mut self, name: &str, text: &str, all: &[&Text]) -> Result<(), PromptError> {
        let known = all.iter().find(|t| t.name == name);
        let known =
            known.ok_or_else(|| PromptError::UnknownPrompt { name: name.chars().take(80).collect() })?;
        known.check(text)?;
        self.0.insert(known.name, text.to_owned());
        Ok(())
    }

    /// Returns the words of a text: the caller's, or the default.
    pub fn of<'a>(&'a self, text: &Text) -> &'a str {
        self.0.get(text.name).map_or_else(|| text.ours(), String::as_str)
    }

    /// Returns the caller's words for a text, if there are any.
    pub fn override_of(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Fills the placeholders of a text. One without a value becomes empty.
    pub fn fill(&self, text: &Text, values: &[(&str, &str)]) -> String {
        fill_placeholders(self.of(text), values)
    }
}

/// Fills the placeholders of a text. One without a value becomes empty.
pub fn fill_placeholders(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len() + values.iter().map(|(_, v)| v.len()).sum::<usize>());
    for piece in split_pieces(text) {
        match piece {
            Piece::Words(words) => out.push_str(words),
            Piece::Place(name, words) => {
                let value = values.iter().find(|(n, _)| *n == name).map_or("", |(_, v)| *v);
                out.push_str(match words {
                    Some(words) if !value.is_empty() => words,
                    Some(_) => "",
                    None => value,
                });
            }
        }
    }
    out
}

enum Piece<'t> {
    Words(&'t str),
    /// Placeholder, with its own words if it has some.
    Place(&'t str, Option<&'t str>),
}

/// Iterates over a text's pieces. Braces without a name are words.
fn split_pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut from = 0;
        while let Some(open) = rest[from..].find("{{").map(|at| at + from) {
            // The last two of three braces open a placeholder.
            let open = open + rest[open..].bytes().take_while(|b| *b == b'{').count() - 2;
            let Some((place, end)) = parse_place(&rest[open..]) else {
                from = open + 2;
                continue;
            };
            if open > 0 {
                let words = &rest[..open];
                rest = &rest[open..];
                return Some(Piece::Words(words));
            }
            rest = &rest[end..];
            return Some(place);
        }
        Some(Piece::Words(std::mem::take(&mut rest)))
    })
}

/// Returns the placeholder at the beginning of a text, and its length.
fn parse_place(text: &str) -> Option<(Piece<'_>, usize)> {
    let inside = text.strip_prefix("{{")?;
    let close = inside.find("}}")?;
    let inside = &inside[..close];
    let (name, words) = inside.split_once(':').map_or((inside, None), |(name, words)| (name, Some(words)));
    let name = name.trim();
    let is_name =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    is_name.then_some((Piece::Place(name, words), close + 4))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TASK: Text = Text::new(
        "react.task",
        "{{hint:Be short.\n}}Answer{{cite: [2]}}: {{question}} {{Ans}}\n",
        &["question"],
        &["hint", "cite", "Ans"],
    );
    const ALL: &[&Text] = &[&TASK];

    #[test]
    fn places_are_filled_once_and_braces_stay() {
        assert_eq!(
            fill_placeholders("a {{q}} {x} {{ q }} \\boxed{1{{q}}}", &[("q", "{{r}}"), ("r", "no")]),
            "a {{r}} {x} {{r}} \\boxed{1{{r}}}"
        );
        assert_eq!(fill_placeholders("{{not a name}} {{", &[]), "{{not a name}} {{");
        assert_eq!(fill_placeholders("{{{q}}", &[("q", "v")]), "{v");
    }

    #[test]
    fn words_of_a_place_are_where_its_value_does() {
        let prompts = Prompts::default();
        assert_eq!(prompts.fill(&TASK, &[("question", "Why?"), ("cite", "yes")]), "Answer [2]: Why? ");
        assert_eq!(prompts.fill(&TASK, &[("question", "Why?"), ("hint", "yes")]), "Be short.\nAnswer: Why? ");
    }

    #[test]
    fn a_text_in_the_stead_of_ours_must_have_what_ours_needs_and_nothing_else() {
        let mut prompts = Prompts::default();
        let missing = PromptError::MissingPlaceholder {
            name: "react.task".to_owned(),
            placeholder: "question".to_owned(),
        };
        assert_eq!(prompts.replace("react.task", "Answer.", ALL), Err(missing));
        let wrong = prompts.replace("react.task", "{{question}} {{Question}}", ALL).unwrap_err().to_string();
        assert_eq!(
            wrong,
            "the prompt react.task has no placeholder {{Question}}; it may have {{question}}, \
             {{hint}}, {{cite}}, {{Ans}}"
        );
        assert!(matches!(prompts.replace("react.tusk", "", ALL), Err(PromptError::UnknownPrompt { .. })));
        assert!(matches!(
            prompts.replace("react.task", &"{{question}}".repeat(1 << 16), ALL),
            Err(PromptError::TooLong { .. })
        ));
        prompts.replace("react.task", "Q: {{question}}", ALL).unwrap();
        assert_eq!(prompts.fill(&TASK, &[("question", "Why?")]), "Q: Why?");
    }

    proptest! {
        #[test]
        fn any_text_is_filled_without_loss_of_what_is_no_place(text in "(\\{|\\}|a|:| |é|\n){0,24}") {
            let all: String = split_pieces(&text)
                .map(|p| match p {
                    Piece::Words(w) => w.to_owned(),
                    Piece::Place(..) => "@".to_owned(),
                })
                .collect();
            prop_assert!(!all.is_empty() || text.is_empty());
            if !text.contains("{{") {
                prop_assert_eq!(fill_placeholders(&text, &[]), text);
            }
        }
    }
}
