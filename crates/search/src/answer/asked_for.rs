//! What an answer must have in it: somebody, where the question asks who; a time, where it asks when something was.

use super::code_word::is_code;
use crate::bundle::Form;
use crate::names::is_caseless;
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, without_possessive, words};

/// What a question asks for that a block can be seen to lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedFor {
    /// "Who …?", "whose …?", "by whom …?"
    Somebody,
    /// "When was …?", "what year did …?": of what is still so, a condition may be asked for ("when is it called?").
    Time,
}

impl AskedFor {
    /// What the question's first words ask for, in English.
    pub(super) fn of(question: &str) -> Option<AskedFor> {
        let found = words(question);
        let all: Vec<String> = found.iter().take(4).map(|w| fold(w.text)).collect();
        let at = |i: usize| all.get(i).map_or("", String::as_str);
        let past = |w: &str| matches!(w, "was" | "were" | "did" | "had");
        let who = usize::from(matches!(at(1), "who" | "whose" | "whom"));
        if matches!(at(who), "who" | "whose" | "whom") {
            // "Who was Ada Byron?" asks what is told of her.
            let of_name = matches!(at(who + 1), "is" | "are" | "was" | "were") && found.get(who + 2).is_some_and(|w| is_name(w.text));
            return (!of_name).then_some(AskedFor::Somebody);
        }
        let of_time = |what: &str, noun: &str| matches!(what, "what" | "which") && matches!(noun, "year" | "month" | "day" | "date");
        let when = at(0) == "when" && past(at(1));
        (when || of_time(at(0), at(1)) && past(at(2)) || of_time(at(1), at(2)) && past(at(3))).then_some(AskedFor::Time)
    }

    /// Whether a piece of a block has such a thing, beside what the question names itself: those words, folded, are `asked`.
    pub(super) fn is_in(self, text: &str, form: Form, asked: &dyn Fn(&str) -> bool) -> bool {
        match self {
            AskedFor::Time => words(text).iter().any(|w| w.text.bytes().any(|b| b.is_ascii_digit()) && !asked(&fold(w.text))),
            // Code has capitals of its own.
            AskedFor::Somebody => form != Form::Code && text.lines().any(|line| has_somebody(line, asked)),
        }
    }
}

/// Whether a line has a name that is not part of one that was `asked`, or a word for people.
fn has_somebody(line: &str, asked: &dyn Fn(&str) -> bool) -> bool {
    // One capital at a sentence's beginning is no name's.
    let (mut begins, mut name_began, mut of_asked) = (true, false, false);
    for token in line.split_whitespace() {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        let folded = fold(word);
        let key = without_possessive(&folded);
        if is_caseless(word) || token.starts_with('@') && !word.is_empty() || is_somebody(key) {
            return true;
        }
        let capital = is_name(word) && !is_code(word);
        // "Loom Studio" is a thing of Loom.
        of_asked = is_name(word) && (of_asked || asked(&folded));
        if capital && !of_asked && (!begins || name_began) {
            return true;
        }
        name_began = capital && !of_asked;
        begins = if word.is_empty() { begins } else { token.ends_with(['.', '!', '?', ':', '|']) };
    }
    false
}

/// Whether a folded word is one for people, of one or of several.
pub(super) fn is_somebody(word: &str) -> bool {
    let one = word.strip_suffix('s').filter(|one| one.len() > 2).unwrap_or(word);
    SPOKEN.people().contains(word) || SPOKEN.people().contains(one)
}

/// Whether a word is written as names are: a capital, and small letters behind it.
fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn is_in(question: &str, text: &str) -> bool {
        let asked: Vec<String> = words(question).iter().map(|w| fold(w.text)).collect();
        AskedFor::of(question).unwrap().is_in(text, Form::Text, &|word| asked.iter().any(|w| w == word))
    }

    #[test]
    fn who_and_when_something_was_ask_for_somebody_and_for_a_time() {
        for (question, wanted) in [
            ("Who wrote it?", Some(AskedFor::Somebody)),
            ("By whom was it written?", Some(AskedFor::Somebody)),
            ("Who is allowed to write it?", Some(AskedFor::Somebody)),
            ("Who was Ada Byron?", None),
            ("When was it released?", Some(AskedFor::Time)),
            ("In which year did it end?", Some(AskedFor::Time)),
            ("When is the hook called?", None),
            ("What date format is used?", None),
            ("What is it?", None),
            ("", None),
        ] {
            assert_eq!(AskedFor::of(question), wanted, "{question}");
        }
    }

    #[test]
    fn somebody_is_named_or_called_by_what_they_do() {
        for text in ["It was written by Ada.", "Ada Byron wrote it.", "The maintainers wrote it.", "Ask @ada.", "由艾達寫成"] {
            assert!(is_in("Who wrote Loom?", text), "{text}");
        }
        for text in [
            "Create a file. Write it.",
            "The Loom is written here.",
            "- Write the file\n- Build it",
            "See JSON.",
            "Keep to SemVer in a Loom.toml.",
            "By Loom Studio 4.",
        ] {
            assert!(!is_in("Who wrote Loom?", text), "{text}");
        }
        assert!(!AskedFor::Somebody.is_in("let x = Ada Byron", Form::Code, &|_| false));
    }

    #[test]
    fn a_time_has_a_figure_that_the_question_has_not() {
        assert!(is_in("When was Loom 4 released?", "Loom 4 came in 2019."));
        assert!(!is_in("When was Loom 4 released?", "Loom 4 has been released."));
    }
}
