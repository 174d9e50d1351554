//! The support that passages give to each sentence of a reply, whatever numbers the model put behind it.

use super::citations::{Judge, Marked};
use super::markers::{Marker, markers};
use super::{Citable, CitationStatus, SentenceSupport, Support, span};

/// A reply whose numbers are those of the passages that support its sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SupportedReply {
    /// Its text: a wrong number is replaced, a missing one added.
    pub(super) text: String,
    /// Its statements, in order. Questions, code, and what ends in a colon state nothing.
    pub(super) sentences: Vec<SentenceSupport>,
}

impl SupportedReply {
    /// Returns `true` if a sentence has this support.
    pub(super) fn has(&self, support: Support) -> bool {
        self.sentences.iter().any(|s| s.support == support)
    }
}

/// Finds the passages that support each sentence of `text`. A number that the model wrote stays where its
/// passage is about what the sentence says, or where no passage supports it.
pub(super) fn find_support(text: &str, passages: &[(u32, &Citable)]) -> SupportedReply {
    let marks = markers(text);
    let marked = Marked::new(text, &marks);
    let mut judge = Judge::new(passages);
    let mut out = SupportedReply::default();
    let (mut read, mut in_code) = (0, false);
    for sentence in 0..marked.sentences.len() {
        let claim = marked.claim(sentence);
        let fences = claim.matches("```").count();
        let is_code = in_code || fences > 0;
        in_code ^= fences % 2 == 1;
        if is_code || !is_statement(claim) {
            continue;
        }
        let group = marked.group(sentence);
        let numbers: Vec<u32> = group.iter().flat_map(|m| m.numbers.iter().copied()).collect();
        let judged = judge.judge(claim, &numbers);
        let found = if judged.any(CitationStatus::Verified) { Vec::new() } else { judge.find_support(claim) };
        // A mark that opens a line belongs to the sentence behind it.
        let begin =
            group.first().map_or(usize::MAX, |m| m.at.start).min(marked.sentences[sentence].start).max(read);
        out.text.push_str(text.get(read..begin).unwrap_or_default());
        read = begin;
        let start = out.text.len();
        let mut support = Support::Supported;
        // What the model cites for a conclusion, or for a part of a sentence, is left to it.
        if !found.is_empty() && !judged.related {
            read = renumber_marks(text, &mut out.text, read, marked.place_of_number(sentence), group, &found);
        } else if found.is_empty() && !judged.any(CitationStatus::Verified) {
            let contradicted = judged.any(CitationStatus::Contradicted)
                || numbers.is_empty() && judge.is_contradicted(claim);
            support = if contradicted { Support::Contradicted } else { Support::NotMentioned };
        }
        let end = marked.sentences[sentence].end.max(group.last().map_or(0, |m| m.at.end));
        out.text.push_str(text.get(read..end).unwrap_or_default());
        read = read.max(end);
        let trimmed = out.text.get(start..).map_or(0, |t| t.trim_end().len());
        out.sentences.push(SentenceSupport { at: span(&(start..start + trimmed)), support });
    }
    out.text.push_str(text.get(read..).unwrap_or_default());
    out
}

/// Writes `text` from `read` on with `numbers` at `place` and without the marks that were there. Returns the
/// place up to which it has written.
fn renumber_marks(
    text: &str,
    out: &mut String,
    mut read: usize,
    place: usize,
    old: &[Marker],
    numbers: &[u32],
) -> usize {
    let nowhere = place..place;
    let mut mark: String = numbers.iter().map(|n| format!("[{n}]")).collect();
    for at in old.iter().map(|m| &m.at).chain(old.is_empty().then_some(&nowhere)) {
        let before = text.get(read..at.start).unwrap_or_default();
        out.push_str(if mark.is_empty() { before.trim_end() } else { before });
        if !mark.is_empty() && !out.is_empty() && !out.ends_with(char::is_whitespace) {
            out.push(' ');
        }
        out.push_str(&std::mem::take(&mut mark));
        read = at.end;
    }
    read
}

fn is_statement(claim: &str) -> bool {
    let claim = claim.trim_end_matches(|c: char| c.is_whitespace() || "*_\"”»)".contains(c));
    claim.chars().any(char::is_alphanumeric) && !claim.ends_with([':', '：', '?', '？', '؟'])
}

#[cfg(test)]
#[path = "support_tests.rs"]
mod tests;
