//! What a question asks for in a language whose function words the bundle brings.

use super::question::{Question, QuestionKind, QuestionTerm};
use crate::text::lexicon::Table;
use crate::text::{fold, is_stop_word, terms, words};
use std::ops::Range;

/// A word that names what is told in figures asks for one if it is among the first so many terms.
const NEAR_THE_BEGINNING: usize = 8;

impl Question {
    /// Leaves out the function words of the language that the question is in, of those that `tables` know
    /// ([`crate::bundle::encode_function_words`]), and reads its kind from them; whether it is in one of
    /// them. `nowhere` is what a term weighs that no document has. A question in English, or in none of them,
    /// stays as it is.
    pub fn read_in(&mut self, question: &str, tables: &[String], nowhere: f32) -> bool {
        if self.sides.is_some() {
            return false;
        }
        let all = all_words(question);
        let (_, marks) = language_and_marks(question, &all, tables);
        if marks.is_empty() {
            return false;
        }
        let mut covered = vec![false; question.len()];
        for ((_, span), _) in all.iter().zip(&marks).filter(|(_, m)| m.starts_with('s')) {
            covered.get_mut(span.clone()).into_iter().flatten().for_each(|byte| *byte = true);
        }
        let empty = |of: &QuestionTerm| {
            all.iter().filter(|(term, _)| *term == of.term).any(|(_, span)| {
                let bytes = covered.get(span.clone()).unwrap_or_default();
                // A pair of characters that stand together by chance is in no document.
                !bytes.contains(&false) || (of.weight >= nowhere || of.doubtful) && bytes.contains(&true)
            })
        };
        if !self.terms.iter().all(empty) {
            self.terms.retain(|t| !empty(t));
        }
        self.kind = QuestionKind::Other;
        let mut last = "";
        for (i, mark) in marks.into_iter().enumerate() {
            if mark.ends_with('q') || last.ends_with('m') && mark.ends_with('a') {
                self.kind = QuestionKind::Quantity;
                break;
            }
            if mark.ends_with('m') {
                self.kind = QuestionKind::Manner;
            } else if i < NEAR_THE_BEGINNING && mark.ends_with('f') && self.kind == QuestionKind::Other {
                self.kind = QuestionKind::Quantity;
            }
            last = mark;
        }
        true
    }
}

/// The language of a question by its function words, as `de`: one of those that `tables` know, or English;
/// `None` where it has none, or as many of another.
pub(crate) fn language_of<'a>(question: &str, tables: &'a [String]) -> Option<&'a str> {
    language_and_marks(question, &all_words(question), tables).0
}

/// The terms of a question, and its words: Korean words are found by their pairs of letters, but known whole.
fn all_words(question: &str) -> Vec<(String, Range<usize>)> {
    let mut all = terms(question);
    all.extend(words(question).into_iter().map(|w| (fold(w.text), w.span)));
    all
}

/// The language of which a question has the most function words, and what these do for each of `all` its
/// words: nothing of English, which has no table.
fn language_and_marks<'a>(
    question: &str,
    all: &[(String, Range<usize>)],
    tables: &'a [String],
) -> (Option<&'a str>, Vec<&'a str>) {
    // A word of the others counts as a term and as a word.
    let mut most = 2 * words(question).iter().filter(|w| is_stop_word(&fold(w.text))).count();
    let mut found = ((most > 0).then_some("en"), Vec::new());
    for table in tables {
        let table = Table::new(table);
        let marks: Vec<&str> =
            all.iter().map(|(term, _)| table.row(term).map_or("", |row| row.field(0))).collect();
        let known = marks.iter().filter(|m| m.starts_with('s')).count();
        if known > most {
            most = known;
            // Tables of older bundles do not say which language they are of.
            found = (table.row("").map(|row| row.field(0)), marks);
        }
    }
    found
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
    fn function_words_of_the_questions_language_are_left_out_and_show_its_kind() {
        for (question, kept, kind) in [
            ("Wie ist der Router gebaut?", &["router", "gebaut"][..], QuestionKind::Manner),
            ("Wie viele Router hat das Netz?", &["viel", "router", "hat", "netz"], QuestionKind::Quantity),
            ("Wann ist der Start?", &["start"], QuestionKind::Quantity),
            ("Welcher Port ist das?", &["port"], QuestionKind::Quantity),
        ] {
            assert_eq!(read(question, &[CHINESE, GERMAN]), (terms_of(kept), kind), "{question}");
        }
        assert_eq!(
            read("What is der Port?", &[GERMAN]).0,
            ["der", "port"],
            "a question in English is not read as one in German"
        );
        assert_eq!(
            read("Wie ist das?", &[GERMAN]).0,
            ["wie", "ist", "das"],
            "what has no other words asks for these"
        );
    }

    #[test]
    fn function_words_show_the_language_of_a_question() {
        let tables = [format!("\tde\n{GERMAN}"), CHINESE.to_owned()];
        let of = |question| language_of(question, &tables);
        assert_eq!(of("Wie ist das Wetter?"), Some("de"));
        assert_eq!(of("What is the weather?"), Some("en"));
        assert_eq!(of("Docker Compose"), None);
        assert_eq!(of("什么是依赖"), None, "its table does not say");
    }

    #[test]
    fn a_question_in_english_or_in_no_known_language_is_read_in_none() {
        let in_one =
            |question: &str| Question::new(question, &|_| 1.0).read_in(question, &[GERMAN.to_owned()], 3.0);
        assert!(in_one("Wie ist der Port?"));
        assert!(!in_one("What is the port?") && !in_one("port"));
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
