//! What a question asks for in a language whose function words the bundle brings.

use super::question::{Question, QuestionKind};
use crate::text::lexicon::Table;
use crate::text::{fold, is_stop_word, terms, words};
use std::ops::Range;

/// A word that names what is told in figures asks for one if it is among the first so many terms.
const NEAR_THE_BEGINNING: usize = 8;

impl Question {
    /// Leaves out the function words of the language that the question is in, of those that `tables` know ([`crate::bundle::encode_function_words`]), and reads its kind
    /// from them. `nowhere` is what a term weighs that no document has. A question in English, or in none of them, stays as it is.
    pub fn read_in(&mut self, question: &str, tables: &[String], nowhere: f32) {
        if self.sides.is_some() {
            return;
        }
        let mut all = terms(question);
        // Korean words are found by their pairs of letters, but known whole.
        all.extend(words(question).into_iter().map(|w| (fold(w.text), w.span)));
        // A word of the others counts as a term and as a word.
        let english = 2 * words(question).iter().filter(|w| is_stop_word(&fold(w.text))).count();
        let mut best = (english, Table::default());
        for table in tables {
            let table = Table::new(table);
            let known = all.iter().filter(|(term, _)| does(table, term, "s")).count();
            if known > best.0 {
                best = (known, table);
            }
        }
        let (_, table) = best;
        let mut said = vec![false; question.len()];
        for (_, span) in all.iter().filter(|(term, _)| does(table, term, "s")) {
            said.get_mut(span.clone()).into_iter().flatten().for_each(|byte| *byte = true);
        }
        let of = |span: &Range<usize>| said.get(span.clone()).unwrap_or_default();
        let empty = |term: &str, weight: f32| {
            let mut spans = all.iter().filter(|(other, _)| other == term).map(|(_, span)| of(span));
            // A pair of characters that stand together by chance is in no document.
            spans.any(|bytes| bytes.iter().all(|b| *b) || weight >= nowhere && bytes.contains(&true))
        };
        if self.terms.iter().any(|t| !empty(&t.term, t.weight)) {
            self.terms.retain(|t| !empty(&t.term, t.weight));
        }
        let is = |i: usize, mark: &str| all.get(i).is_some_and(|(term, _)| does(table, term, mark));
        let any = |mark: &str| (0..all.len()).any(|i| is(i, mark));
        if any("q") || (0..all.len()).any(|i| is(i, "m") && is(i + 1, "a")) {
            self.kind = QuestionKind::Quantity;
        } else if any("m") {
            self.kind = QuestionKind::Manner;
        } else if (0..NEAR_THE_BEGINNING).any(|i| is(i, "f")) {
            self.kind = QuestionKind::Quantity;
        }
    }
}

/// Whether a term has a mark in a table.
fn does(table: Table<'_>, term: &str, mark: &str) -> bool {
    table.row(term).is_some_and(|row| row.field(0).contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GERMAN: &str = "das\ts\nder\ts\nist\ts\nport\tf\nviel\ta\nwelcher\ts\nwie\tsm\nwann\tsq\n";
    const CHINESE: &str = "什\ts\n什么\ts\n多少\tsq\n如何\tsm\n么\ts\n是\ts\n";
    const KOREAN: &str = "무엇입니까\ts\n어떻게\tsm\n";

    fn read(question: &str, tables: &[&str]) -> (Vec<String>, QuestionKind) {
        let mut asked = Question::new(question, &|t| if t.is_empty() || t == "是依" { 3.0 } else { 1.0 });
        let sorted = |table: &&str| {
            let mut lines: Vec<&str> = table.lines().collect();
            lines.sort_unstable();
            lines.join("\n")
        };
        let tables: Vec<String> = tables.iter().map(sorted).collect();
        asked.read_in(question, &tables, 3.0);
        (asked.terms.into_iter().map(|t| t.term).collect(), asked.kind)
    }

    fn terms_of(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn function_words_of_the_questions_language_are_left_out_and_tell_its_kind() {
        for (question, kept, kind) in [
            ("Wie ist der Router gebaut?", &["router", "gebaut"][..], QuestionKind::Manner),
            ("Wie viele Router hat das Netz?", &["viel", "router", "hat", "netz"], QuestionKind::Quantity),
            ("Wann ist der Start?", &["start"], QuestionKind::Quantity),
            ("Welcher Port ist das?", &["port"], QuestionKind::Quantity),
        ] {
            assert_eq!(read(question, &[CHINESE, GERMAN]), (terms_of(kept), kind), "{question}");
        }
        assert_eq!(read("What is der Port?", &[GERMAN]).0, ["der", "port"], "a question in English is not read as one in German");
        assert_eq!(read("Wie ist das?", &[GERMAN]).0, ["wie", "ist", "das"], "what has no other words asks for these");
    }

    #[test]
    fn characters_are_left_out_with_the_pairs_that_they_make() {
        assert_eq!(read("什么是依赖", &[CHINESE]), (terms_of(&["依", "依赖", "赖"]), QuestionKind::Other));
        assert_eq!(read("如何依赖", &[CHINESE]).1, QuestionKind::Manner);
        assert_eq!(read("依赖有多少", &[CHINESE]).1, QuestionKind::Quantity);
    }

    #[test]
    fn korean_words_are_known_whole() {
        let (kept, kind) = read("포트 어떻게", &[KOREAN]);
        assert_eq!((kept, kind), (terms_of(&["포트"]), QuestionKind::Manner));
    }

    proptest! {
        #[test]
        fn no_table_makes_it_panic(question in ".{0,30}", table in "[a-z什么\t\n]{0,30}") {
            read(&question, &[&table]);
        }
    }
}
