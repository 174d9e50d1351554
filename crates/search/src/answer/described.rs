//! Somebody whom a question describes by what they are to a name: "where was the director of Vertigo born?", "what nationality is Anna Bell's mother?" A passage about the
//! name says as much of it as one could wish, and nothing of the one who is asked about.

use super::asked_for::is_somebody;
use crate::text::{Word, without_possessive, words};
use std::ops::Range;

/// Between a word for somebody and the name: "the director of the silent film Vertigo".
const WORDS_BEFORE_NAME: usize = 6;

/// Where a question describes somebody, and what it asks of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Described {
    /// The word for somebody.
    pub somebody: Range<usize>,
    /// The other words, but for the name: where the question only asks who that is, none of them counts for anything.
    pub asked: [Range<usize>; 2],
}

/// The innermost description of a question in English; none where nobody is described by a name.
pub(super) fn described(question: &str) -> Option<Described> {
    let all = words(question);
    for at in (0..all.len()).rev().filter(|&at| is_somebody(without_possessive(all[at].text))) {
        // "Father-in-law" is one word for somebody.
        let last = if is(&all, at + 1, "in") && is(&all, at + 2, "law") { at + 2 } else { at };
        let (before, behind) = match owner(question, &all, at) {
            Some(name) => (name, last + 1),
            None => match belonging(&all, last) {
                Some(behind) => (at, behind),
                None => continue,
            },
        };
        let behind = all.get(behind).map_or(question.len(), |w| w.span.start);
        return Some(Described {
            somebody: all[at].span.start..all[last].span.end,
            asked: [0..all[before].span.start, behind..question.len()],
        });
    }
    None
}

fn is(all: &[Word<'_>], at: usize, word: &str) -> bool {
    all.get(at).is_some_and(|w| w.text == word)
}

/// Whether a word is written as those of names are: with a capital, or a digit, at its beginning.
pub(super) fn is_part_of_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
}

/// Where the name begins whose possessive stands before word `at`, perhaps with one word between: "Anna Bell's younger sister".
fn owner(question: &str, all: &[Word<'_>], at: usize) -> Option<usize> {
    let last = (at.saturating_sub(2)..at).rev().find(|&i| {
        let word = &all[i];
        // "Anna Bell (1871–1940)'s": behind a bracket the sign is a word of its own.
        let of_brackets = word.text == "s" && question.get(..word.span.start).is_some_and(|before| before.ends_with(['\'', '’']));
        of_brackets || without_possessive(word.text).len() < word.text.len() && is_part_of_name(word.text)
    })?;
    let mut first = last;
    for i in (1..last).rev() {
        if is_part_of_name(all[i].text) {
            first = i;
        } else if !is_part_of_name(all[i - 1].text) {
            // "Anthony, Count of Ligny": a small word is of a name only between its parts.
            break;
        }
    }
    Some(first)
}

/// Behind the name that the word `at` is joined to by "of": "the director of the film Vertigo".
fn belonging(all: &[Word<'_>], at: usize) -> Option<usize> {
    let named = |w: &Word<'_>| is_part_of_name(w.text);
    let near = all.get(at + 2..)?.iter().take(WORDS_BEFORE_NAME).any(named);
    (is(all, at + 1, "of") && near).then(|| all.iter().rposition(named).map(|last| last + 1))?
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn somebody_is_described_by_a_name_and_something_is_asked_of_them() {
        for (question, somebody, asked) in [
            ("Where was the director of the film The Iron Man (1924) born?", "director", ["Where was the ", "born?"]),
            ("What nationality is Anthony I, Count of Ligny's elder brother?", "brother", ["What nationality is ", ""]),
            ("When did Sylvia Burka's husband die?", "husband", ["When did ", "die?"]),
            ("When did Anna Bell (1871–1940)'s father die?", "father", ["When did ", "die?"]),
            ("When is Anna Bell's father's birthday?", "father's", ["When is ", "birthday?"]),
            ("Who is the father-in-law of Anna Bell?", "father-in-law", ["Who is the ", ""]),
            ("Who is the son of the performer of song Me And Bobby?", "performer", ["Who is the son of the ", ""]),
            ("Who is the mother of Anna Bell?", "mother", ["Who is the ", ""]),
        ] {
            let found = described(question).unwrap();
            let text = |range: &Range<usize>| question.get(range.clone()).unwrap_or("").to_owned();
            assert_eq!(text(&found.somebody), somebody, "{question}");
            let [before, behind] = found.asked.each_ref().map(text);
            assert_eq!([before.as_str(), behind.trim_end_matches('?')], [asked[0], asked[1].trim_end_matches('?')], "{question}");
        }
    }

    #[test]
    fn things_and_people_without_a_name_are_not_described() {
        for question in [
            "Where is Hugo's configuration file stored?",
            "How do I change the owner of a file?",
            "Who maintains Cargo?",
            "What can a member do?",
            "Hugo",
            "",
        ] {
            assert_eq!(described(question), None, "{question}");
        }
    }

    proptest! {
        #[test]
        fn no_question_makes_it_panic(question in "(the |of |director |Vertigo |Anna's |mother |é|東){0,12}.{0,20}") {
            described(&question);
        }
    }
}
