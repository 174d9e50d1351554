//! Check marks and crosses as the words that they stand for.

use super::block::Draft;
use std::ops::Range;

/// The word that a mark stands for.
fn word_of(c: char) -> Option<&'static str> {
    match c {
        '✅' | '✔' | '✓' | '☑' | '🗸' | '🗹' => Some("yes"),
        '❌' | '✗' | '✘' | '✖' | '☒' | '❎' | '☐' | '🚫' | '⛔' | '🗙' | '🗴' => Some("no"),
        _ => None,
    }
}

/// Chooses how a mark is shown; not part of its meaning.
const VARIATIONS: [char; 2] = ['\u{fe0e}', '\u{fe0f}'];

/// Returns the draft with words for the marks that answer something: those that begin a cell of a table, and those
/// that end a clause. A mark that begins an item or a sentence is an ornament.
pub(super) fn spelt(draft: Draft, is_table: bool) -> Draft {
    let marks: Vec<(Range<usize>, &str)> = draft
        .text
        .char_indices()
        .filter_map(|(at, c)| {
            let word = word_of(c)?;
            let behind = draft.text.get(at + c.len_utf8()..)?;
            let end = draft.text.len() - behind.trim_start_matches(VARIATIONS).len();
            let before = draft.text.get(..at)?.trim_end_matches(' ');
            let after = draft.text.get(end..)?.trim_start_matches(' ');
            let begins = before.is_empty() || before.ends_with(['\n', '|']);
            let ends = after.is_empty() || after.starts_with(['\n', '|', ',', ';', '.', ')']);
            let answers = if is_table { begins || ends && before.ends_with(':') } else { ends && !begins };
            answers.then_some((at..end, word))
        })
        .collect();
    if marks.is_empty() {
        return draft;
    }
    let mut out = draft.emptied();
    let mut from = 0;
    for (mark, word) in marks {
        out.push_whole(&draft, from..mark.start);
        let follows = draft.text.get(mark.end..).is_some_and(|t| t.trim_start_matches(' ').starts_with(char::is_alphanumeric));
        let source = draft.source_of(mark.clone());
        out.push(word, source.clone());
        if follows {
            out.push(",", source);
        }
        if follows && draft.text.get(mark.end..).is_some_and(|t| !t.starts_with(' ')) {
            out.separate(" ");
        }
        from = mark.end;
    }
    out.push_whole(&draft, from..draft.text.len());
    out
}

#[cfg(test)]
mod tests {
    use super::super::block::{BlockKind, CharIndex};
    use super::*;

    fn shown(kind: BlockKind, source: &str) -> String {
        let mut draft = Draft::new(kind);
        draft.push(source, 0..source.len());
        draft.finish(&CharIndex::new(source)).map(|b| b.text).unwrap_or_default()
    }

    #[test]
    fn a_mark_in_a_cell_or_behind_a_clause_is_a_word() {
        assert_eq!(
            shown(BlockKind::Table, "A | B | C\nx | ✔️ | ✗\ny | ✅ unlimited | –"),
            "A | B | C\nx | yes | no\ny | yes, unlimited | –"
        );
        assert_eq!(shown(BlockKind::Paragraph, "Night shift: ✅. Crane: ❌"), "Night shift: yes. Crane: no");
    }

    #[test]
    fn an_ornament_and_code_stay() {
        for (kind, text) in [(BlockKind::ListItem, "✅ Install the loom."), (BlockKind::Code, "echo ✅")] {
            assert_eq!(shown(kind, text), text);
        }
    }
}
