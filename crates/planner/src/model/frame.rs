//! A question as the trained planner sees it: tokens, with each mention of an entity as one.

use crate::compact::sort_by;
use crate::text::{Tokenized, Tokenizer};
use std::ops::Range;

/// Most tokens of a question, `[CLS]` and `[SEP]` included; the tail is cut.
pub const MAX_TOKENS: usize = 64;

/// A question in tokens.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Framed {
    /// The tokens' ids; `[CLS]` first, `[SEP]` last, `[MASK]` for each mention.
    pub ids: Vec<u32>,
    /// Bytes in the question of each token's word or mention; `None` for `[CLS]` and `[SEP]`.
    pub spans: Vec<Option<Range<usize>>>,
    /// For each token which of the given mentions it stands for.
    pub mentions: Vec<Option<usize>>,
    /// The ranges of the vocabulary that the question wants and that were not at hand: while there are any,
    /// the tokens are not those of the question.
    pub absent: Vec<usize>,
}

/// Cuts questions into tokens.
#[derive(Debug, Clone, Copy)]
pub struct Framer<'t> {
    tokenizer: &'t Tokenizer,
    ends: [u32; 2],
    mask: u32,
}

impl<'t> Framer<'t> {
    /// With the model's vocabulary; `None` where it has no `[MASK]`.
    pub fn new(tokenizer: &'t Tokenizer) -> Option<Framer<'t>> {
        Some(Framer { tokenizer, ends: tokenizer.ends(), mask: tokenizer.mask()? })
    }

    /// The id of `[MASK]`.
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// The question in tokens. `mentions` are places of entities, in bytes; of those that overlap or lie
    /// outside the question, the first that fits is taken.
    pub fn frame(&self, question: &str, mentions: &[Range<usize>]) -> Framed {
        let mut order: Vec<usize> = (0..mentions.len()).collect();
        sort_by(&mut order, |&a, &b| {
            (mentions[a].start, mentions[a].end).cmp(&(mentions[b].start, mentions[b].end))
        });
        let mut out =
            Framed { ids: vec![self.ends[0]], spans: vec![None], mentions: vec![None], absent: Vec::new() };
        let mut at = 0;
        for i in order {
            let span = mentions[i].clone();
            if span.start < at || span.is_empty() || question.get(span.clone()).is_none() {
                continue;
            }
            self.words(question, at..span.start, &mut out);
            at = span.end;
            push_token(&mut out, self.mask, Some(span), Some(i));
        }
        self.words(question, at..question.len(), &mut out);
        out.ids.push(self.ends[1]);
        out.spans.push(None);
        out.mentions.push(None);
        out
    }

    /// The tokens of a part of the question without mentions: runs of letters and digits, and every other
    /// sign by itself.
    fn words(&self, question: &str, part: Range<usize>, out: &mut Framed) {
        let Some(text) = question.get(part.clone()) else { return };
        let mut start: Option<usize> = None;
        let end = text.char_indices().map(Some).chain([None]);
        for next in end {
            let (at, letter) = next.map_or((text.len(), None), |(at, c)| (at, Some(c)));
            if letter.is_some_and(char::is_alphanumeric) {
                start = start.or(Some(at));
                continue;
            }
            if let Some(from) = start.take() {
                self.word(text, from..at, part.start, out);
            }
            if let Some(c) = letter.filter(|c| !c.is_whitespace()) {
                self.word(text, at..at + c.len_utf8(), part.start, out);
            }
            if out.ids.len() >= MAX_TOKENS - 1 {
                return;
            }
        }
    }

    fn word(&self, text: &str, span: Range<usize>, offset: usize, out: &mut Framed) {
        let Some(word) = text.get(span.clone()) else { return };
        let mut cut = Tokenized { ids: Vec::new(), absent: std::mem::take(&mut out.absent) };
        self.tokenizer.cut_into(&mut cut, word, MAX_TOKENS);
        for id in cut.ids {
            push_token(out, id, Some(span.start + offset..span.end + offset), None);
        }
        out.absent = cut.absent;
    }
}

fn push_token(out: &mut Framed, id: u32, span: Option<Range<usize>>, mention: Option<usize>) {
    if out.ids.len() < MAX_TOKENS - 1 {
        out.ids.push(id);
        out.spans.push(span);
        out.mentions.push(mention);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokenizer() -> Tokenizer {
        Tokenizer::from_vocab("[CLS]\n[SEP]\n[UNK]\n[MASK]\nwho\ndirect\n##ed\n?\nand\n'\ns\n").unwrap()
    }

    fn framed_text(question: &str, mentions: &[Range<usize>]) -> Vec<String> {
        let tokenizer = tokenizer();
        let framed = Framer::new(&tokenizer).unwrap().frame(question, mentions);
        framed.ids.iter().map(|&id| tokenizer.token(id).unwrap().to_owned()).collect()
    }

    #[test]
    fn a_mention_is_one_token_however_long_it_is() {
        let q = "Who directed Dead Poets Society?";
        assert_eq!(
            framed_text(q, std::slice::from_ref(&(13..31))),
            ["[CLS]", "who", "direct", "##ed", "[MASK]", "?", "[SEP]"]
        );
    }

    #[test]
    fn pieces_of_a_word_point_at_the_whole_word() {
        let tokenizer = tokenizer();
        let framed = Framer::new(&tokenizer).unwrap().frame("who directed", &[]);
        assert_eq!(framed.spans, [None, Some(0..3), Some(4..12), Some(4..12), None]);
    }

    #[test]
    fn mentions_that_overlap_or_lie_outside_are_passed_over() {
        let q = "Who directed Up and Up?";
        let framed = framed_text(q, &[13..15, 13..22, 90..95, 20..22]);
        assert_eq!(framed, ["[CLS]", "who", "direct", "##ed", "[MASK]", "and", "[MASK]", "?", "[SEP]"]);
    }

    proptest! {
        #[test]
        fn any_text_and_any_mentions_give_lists_of_one_length_within_the_limit(
            q in ".{0,300}",
            mentions in prop::collection::vec((0usize..320, 0usize..40).prop_map(|(a, n)| a..a + n), 0..5),
        ) {
            let tokenizer = tokenizer();
            let framed = Framer::new(&tokenizer).unwrap().frame(&q, &mentions);
            prop_assert!(framed.ids.len() <= MAX_TOKENS && framed.ids.len() >= 2);
            prop_assert_eq!(framed.ids.len(), framed.spans.len());
            prop_assert_eq!(framed.ids.len(), framed.mentions.len());
            for span in framed.spans.iter().flatten() {
                prop_assert!(q.get(span.clone()).is_some());
            }
        }
    }
}
