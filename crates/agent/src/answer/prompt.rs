//! AutoKG's answer prompt (arXiv 2311.14740), in our words: the task, the keywords, the passages within a
//! token budget, the question, the language.

use super::evidence::{neutralise, shorten_label};
use super::{AskOptions, Citable};
use crate::llm::{Message, Text, fill_placeholders};
use crate::retrieve::{KeywordHit, KeywordKind, Reached};
use crate::room::{Wish, share_room};
use pocketgraph_bundle::format_place;

pub(crate) const TASK: Text =
    Text::new("ask.task", include_str!("../prompts/ask.task.txt"), &[], &["no_answer_text", "hide_contacts"]);
/// Direct keywords shown, at most.
const DIRECT_KEYWORDS: usize = 10;
/// Adjacent keywords shown, at most.
const ADJACENT_KEYWORDS: usize = 20;
/// Characters of a title, heading path or keyword, at most.
const LABEL_CHARS: usize = 160;
/// A first passage that does not fit is cut, if at least so many tokens of it can be shown.
const LEAST_CUT: usize = 24;
/// Approximate number of tokens that a chat template adds around each message.
const MESSAGE_TOKENS: usize = 8;
/// Stands where a passage is cut.
const CUT: &str = "\n[The passage is cut here.]";

/// A prompt that fits its budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The messages to send.
    pub messages: Vec<Message>,
    /// Passage n + 1 is the source of this index.
    pub passages: Vec<usize>,
    /// Its length by the counter that was given.
    pub tokens: usize,
    /// Sources that did not fit.
    pub left_out: usize,
    /// True if the first passage is cut to fit; the prompt says so too.
    pub cut: bool,
}

/// The question and the rules alone fill the budget: no passage fits beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the question leaves no room for a passage within {tokens_in} tokens")]
pub struct NoRoom {
    /// The budget.
    pub tokens_in: u32,
}

impl Prompt {
    /// Builds the prompt: `sources` in rank order until the next one does not fit `options.tokens_in`; those
    /// that keywords bring have a share of the room. `count_tokens` measures a text; counting part by part
    /// may differ a little from counting the whole, so a wise budget is not the model's last token.
    ///
    /// # Errors
    /// [`NoRoom`] when not even a piece of the first passage fits.
    pub fn new(
        question: &str,
        sources: &[Citable],
        related: &[KeywordHit],
        options: &AskOptions,
        count_tokens: &dyn Fn(&str) -> usize,
    ) -> Result<Prompt, NoRoom> {
        let system = write_rules(options);
        let keywords = keywords(related);
        let closing = closing(question, options);
        let budget = options.tokens_in as usize;
        let fixed =
            count_tokens(&system) + count_tokens(&keywords) + count_tokens(&closing) + 2 * MESSAGE_TOKENS;
        let mut room = budget.saturating_sub(fixed);
        let mut shown = String::new();
        let mut passages = Vec::new();
        let mut cut = false;
        let wish = |(index, source): (usize, &Citable)| Wish {
            tokens: count_tokens(&passage(index + 1, source, &source.text)),
            by_keyword: Reached::by_keyword_alone(&source.reached),
        };
        let wishes: Vec<Wish> = sources.iter().enumerate().map(wish).collect();
        for index in share_room(&wishes, room) {
            let Some(source) = sources.get(index) else { continue };
            let passage = passage(passages.len() + 1, source, &source.text);
            room = room.saturating_sub(count_tokens(&passage));
            shown.push_str(&passage);
            passages.push(index);
        }
        if passages.is_empty()
            && let Some(source) = sources.first()
            && let Some((passage, tokens)) = cut_to(source, room, count_tokens)
        {
            (room, cut) = (room - tokens, true);
            shown.push_str(&passage);
            passages.push(0);
        }
        if passages.is_empty() {
            return Err(NoRoom { tokens_in: options.tokens_in });
        }
        let user = format!("{keywords}The passages:\n\n{shown}{closing}");
        Ok(Prompt {
            messages: vec![Message::system(system), Message::user(user)],
            tokens: budget - room,
            left_out: sources.len() - passages.len(),
            passages,
            cut,
        })
    }
}

fn write_rules(options: &AskOptions) -> String {
    let places = [
        ("no_answer_text", &*shorten_label(options.no_answer_text(), LABEL_CHARS)),
        ("hide_contacts", if options.hide_contacts { "yes" } else { "" }),
    ];
    fill_placeholders(options.task.as_deref().unwrap_or(TASK.ours()), &places)
}

fn keywords(related: &[KeywordHit]) -> String {
    let mut out = String::new();
    let kinds = [
        (KeywordKind::Direct, DIRECT_KEYWORDS, "Keywords of the question: "),
        (KeywordKind::Adjacent, ADJACENT_KEYWORDS, "Related keywords: "),
    ];
    for (kind, most, introduction) in kinds {
        let labels: Vec<String> = related
            .iter()
            .filter(|k| k.kind == kind)
            .take(most)
            .map(|k| shorten_label(&k.label, LABEL_CHARS))
            .collect();
        if !labels.is_empty() {
            out.push_str(introduction);
            out.push_str(&labels.join(", "));
            out.push('\n');
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

fn passage(number: usize, of: &Citable, text: &str) -> String {
    let source = shorten_label(&format_place(&of.title, &of.heading_path), LABEL_CHARS);
    format!(
        "<passage number=\"{number}\" source=\"{source}\"{}>\n{}\n</passage>\n\n",
        reached(of),
        neutralise(text.trim())
    )
}

/// Returns an attribute with the first way by which a search reached a passage; empty if the question itself
/// found it.
fn reached(source: &Citable) -> String {
    let words = source.reached.first().map(Reached::to_words).unwrap_or_default();
    if words.is_empty() {
        return words;
    }
    format!(" reached=\"{}\"", shorten_label(&words, LABEL_CHARS))
}

fn closing(question: &str, options: &AskOptions) -> String {
    let language = match options.language.as_deref().map(str::trim).filter(|l| !l.is_empty()) {
        Some(language) => format!("Answer in {}.", shorten_label(language, 40)),
        None => "Answer in the language of the question.".to_owned(),
    };
    format!("<question>\n{}\n</question>\n{language}\n", neutralise(question.trim()))
}

/// The first passage, cut at a word so that it fits with the note that says so.
fn cut_to(source: &Citable, room: usize, count_tokens: &dyn Fn(&str) -> usize) -> Option<(String, usize)> {
    let text = source.text.trim();
    let ends: Vec<usize> = text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).collect();
    let render = |end: usize| passage(1, source, &format!("{}{CUT}", text[..end].trim_end()));
    // The longest prefix of words that fits: token counts grow with the text.
    let fits = ends.partition_point(|&end| count_tokens(&render(end)) <= room);
    let end = *ends.get(fits.checked_sub(1)?)?;
    if count_tokens(&text[..end]) < LEAST_CUT {
        return None;
    }
    let passage = render(end);
    let tokens = count_tokens(&passage);
    (tokens <= room).then_some((passage, tokens))
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
pub(crate) mod tests;
