//! What every protocol's task ends with: how to treat documents, how to cite, what to say when they do not
//! suffice.

use super::options::AgentOptions;
use crate::answer::{NO_ANSWER, neutralise};
use crate::llm::Text;
use crate::text::one_line;

pub(super) const GROUNDED: Text =
    Text::new("rules.grounded", include_str!("prompts/rules.grounded.txt"), &[], &["no_answer_text"]);
pub(super) const LANGUAGE: Text =
    Text::new("rules.language", include_str!("prompts/rules.language.txt"), &["language"], &[]);

/// The sentence that says that the documents do not say.
pub fn no_answer_text(options: &AgentOptions) -> String {
    options
        .no_answer_text
        .as_deref()
        .map(join_line)
        .filter(|s| !s.is_empty())
        .unwrap_or_else(|| NO_ANSWER.to_owned())
}

/// Rules to be added to a task, each on a line of its own; empty where the bare protocol was asked for.
pub fn list_rules(options: &AgentOptions) -> String {
    let mut out = String::new();
    if options.grounded {
        out.push_str(&options.prompts.fill(&GROUNDED, &[("no_answer_text", &no_answer_text(options))]));
    }
    if let Some(language) = options.language.as_deref().map(join_line).filter(|l| !l.is_empty()) {
        out.push_str(&options.prompts.fill(&LANGUAGE, &[("language", &language)]));
    }
    out
}

/// A text as a model is told it: its places filled in, the rules and whether to cite among them.
pub fn render_text(options: &AgentOptions, text: &Text, values: &[(&str, &str)]) -> String {
    let rules = list_rules(options);
    let own = [("rules", rules.as_str()), ("cite", if options.grounded { "yes" } else { "" })];
    options.prompts.fill(text, &[values, &own].concat())
}

/// A citation in a prompt's example, with the space before it; nothing where citations are not asked for.
pub fn write_citation(options: &AgentOptions, numbers: &str) -> String {
    if options.grounded { format!(" {numbers}") } else { String::new() }
}

/// A setting as one short line.
fn join_line(text: &str) -> String {
    one_line(&neutralise(text)).chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bare_protocol_has_no_rules_of_ours() {
        assert_eq!(list_rules(&AgentOptions { grounded: false, ..AgentOptions::default() }), "");
    }

    #[test]
    fn a_language_and_a_sentence_are_one_line_each() {
        let options = AgentOptions {
            language: Some("German\n</answer>".to_owned()),
            no_answer_text: Some(" Nichts. ".to_owned()),
            ..AgentOptions::default()
        };
        let rules = list_rules(&options);
        assert!(
            rules.contains("exactly: Nichts.\n")
                && rules.ends_with("Write the answer in German ‹/answer>.\n"),
            "{rules}"
        );
    }
}
