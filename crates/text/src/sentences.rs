//! Sentence segmentation without a model.

use crate::lexicon;
use std::ops::Range;

/// Full stops and question marks of Chinese, Japanese, Indian scripts, Burmese, Khmer, Ethiopic, Armenian,
/// Arabic and Urdu. They end a sentence anywhere.
const STOPS: &str = "。！？｡।॥။។።։؟۔";
/// Characters after a full stop that still belong to the sentence.
const CLOSING: &str = "。！？」』”’»)）】";

/// Returns the sentences of a text as byte ranges, in order, without surrounding white space. Together they
/// have every non-white character.
///
/// A sentence ends at `.`, `!`, `?` (with closing quotes or brackets) before white space and a possible start
/// of a sentence, at other scripts' full stops, and at a blank line. Abbreviations and single initials do
/// not.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut i = 0;
    while i < chars.len() {
        let (at, c) = chars[i];
        let end = at + c.len_utf8();
        match c {
            c if STOPS.contains(c) => {
                while chars.get(i + 1).is_some_and(|n| CLOSING.contains(n.1)) {
                    i += 1;
                }
                let end = chars.get(i + 1).map_or(text.len(), |n| n.0);
                push_sentence(text, start..end, &mut out);
                start = end;
            }
            '\n' if blank_line_follows(&chars, i) => {
                push_sentence(text, start..at, &mut out);
                start = end;
            }
            '.' | '!' | '?' => {
                let mut j = i + 1;
                while j < chars.len()
                    && matches!(
                        chars[j].1,
                        '.' | '!' | '?' | '"' | '\'' | '”' | '’' | ')' | ']' | '»' | '`' | '*'
                    )
                {
                    j += 1;
                }
                let white = j >= chars.len() || chars[j].1.is_whitespace();
                if white
                    && starts_sentence(&chars, j)
                    && !(c == '.' && j == i + 1 && is_abbreviation(text, start, at))
                {
                    let end = chars.get(j).map_or(text.len(), |&(at, _)| at);
                    push_sentence(text, start..end, &mut out);
                    start = end;
                }
                // No mark of the run starts another sentence. Skipping it keeps hostile runs linear.
                i = j;
                continue;
            }
            _ => {}
        }
        i += 1;
    }
    push_sentence(text, start..text.len(), &mut out);
    out
}

fn push_sentence(text: &str, range: Range<usize>, out: &mut Vec<Range<usize>>) {
    let slice = &text[range.clone()];
    let left = slice.len() - slice.trim_start().len();
    let kept = slice.trim();
    if !kept.is_empty() {
        out.push(range.start + left..range.start + left + kept.len());
    }
}

fn blank_line_follows(chars: &[(usize, char)], i: usize) -> bool {
    chars[i + 1..].iter().map(|&(_, c)| c).find(|c| !matches!(c, ' ' | '\t' | '\r')) == Some('\n')
}

/// Returns true if a sentence can start after the white space from `j` on: not with a lower-case letter.
fn starts_sentence(chars: &[(usize, char)], j: usize) -> bool {
    chars[j.min(chars.len())..]
        .iter()
        .map(|&(_, c)| c)
        .find(|c| !c.is_whitespace())
        .is_none_or(|c| !c.is_lowercase())
}

fn is_abbreviation(text: &str, start: usize, dot: usize) -> bool {
    let word = text[start..dot]
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"'))
        .next()
        .unwrap_or("");
    let single_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    single_initial || lexicon::is_abbreviation(&word.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn abbreviations_initials_and_numbers_do_not_end_a_sentence() {
        assert_eq!(
            of("Dr. A. Smith paid 3.50 e.g. for tea. Then he left!"),
            ["Dr. A. Smith paid 3.50 e.g. for tea.", "Then he left!"]
        );
    }

    #[test]
    fn german_abbreviations_end_no_sentence() {
        assert_eq!(
            of("Es gibt z.B. Brot, ca. Drei Laibe. Vgl. Seite vier."),
            ["Es gibt z.B. Brot, ca. Drei Laibe.", "Vgl. Seite vier."]
        );
    }

    #[test]
    fn quotes_close_with_their_sentence_and_blank_lines_end_one() {
        assert_eq!(
            of("He said \"no.\" She left\n\nA title\n \nText"),
            ["He said \"no.\"", "She left", "A title", "Text"]
        );
    }

    #[test]
    fn full_width_stops_end_sentences() {
        assert_eq!(of("東京です。京都？"), ["東京です。", "京都？"]);
        assert_eq!(of("「東京です。」と言った。"), ["「東京です。」", "と言った。"]);
        assert_eq!(
            of("यह एक है। दूसरा क्या है? هل هذا؟ \
                نعم."),
            ["यह एक है।", "दूसरा क्या है?", "هل هذا؟", "نعم."]
        );
    }

    proptest! {
        #[test]
        fn no_visible_character_is_lost(text in "[a-zA-Z.!? \n\"'é東。]{0,80}") {
            let kept: String = sentences(&text).into_iter().map(|r| text[r].to_owned()).collect();
            let strip = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(strip(&kept), strip(&text));
        }

        #[test]
        fn sentences_do_not_overlap(text in ".{0,80}") {
            let s = sentences(&text);
            prop_assert!(s.windows(2).all(|w| w[0].end <= w[1].start));
        }
    }
}
