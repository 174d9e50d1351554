//! The signs of a search box: quotation marks ask for a phrase, a minus before a word excludes it.

use super::Hit;
use crate::compact::Set;
use crate::text::{terms, words};

/// A shorter word after a minus is an option of a program.
const LEAST_EXCLUDED: usize = 3;

/// Phrases and exclusions that the signs of a query ask for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signs {
    /// The words of each phrase, folded.
    phrases: Vec<String>,
    /// The terms that are excluded.
    excluded: Vec<String>,
}

impl Signs {
    /// Reads the signs of a query, and removes the words that it excludes. A sentence excludes nothing.
    pub fn read(query: &str) -> (Signs, String) {
        let mut signs = Signs { phrases: find_phrases(query), excluded: Vec::new() };
        let excludes = |word: &str| {
            let rest = word.strip_prefix('-').unwrap_or_default();
            rest.chars().count() >= LEAST_EXCLUDED && rest.chars().all(char::is_alphabetic)
        };
        let (excluded, kept): (Vec<&str>, Vec<&str>) =
            query.split_whitespace().partition(|word| excludes(word));
        if excluded.is_empty() || kept.is_empty() || query.contains(['?', '？', '؟']) {
            return (signs, query.to_owned());
        }
        signs.excluded = excluded.iter().flat_map(|word| terms(word)).map(|(term, _)| term).collect();
        (signs, kept.join(" "))
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.excluded.is_empty()
    }

    /// Leaves of `hits` those without an excluded word, and of these those that have every phrase, unless
    /// none has.
    pub fn filter(&self, hits: &mut Vec<Hit>) {
        let texts = |hit: &Hit| {
            [std::slice::from_ref(&hit.title), hit.heading_path.as_slice(), std::slice::from_ref(&hit.text)]
                .concat()
        };
        hits.retain(|hit| {
            let held: Set<String> =
                texts(hit).iter().flat_map(|text| terms(text)).map(|(term, _)| term).collect();
            !self.excluded.iter().any(|term| held.contains(term))
        });
        let has_all = |hit: &Hit| {
            let held: Vec<String> = texts(hit).iter().map(|text| space_out(text)).collect();
            self.phrases.iter().all(|phrase| held.iter().any(|text| text.contains(phrase)))
        };
        if hits.iter().any(has_all) {
            hits.retain(has_all);
        }
    }
}

/// The phrases between quotation marks.
fn find_phrases(query: &str) -> Vec<String> {
    let marks = ['"', '“', '”', '„', '«', '»'];
    let between = query.split(marks).skip(1).step_by(2).map(space_out);
    let open = query.matches(marks).count() % 2 == 1;
    let mut all: Vec<String> = between.filter(|phrase| phrase.len() > 2).collect();
    // What follows a last mark that is not closed is still being typed.
    if open {
        all.pop();
    }
    all
}

/// The words of a text, folded, with a space before and behind each.
fn space_out(text: &str) -> String {
    let mut out = String::from(" ");
    for word in words(text) {
        out.push_str(&crate::text::fold(word.text));
        out.push(' ');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hits::hit;

    fn kept_chunks(query: &str) -> Vec<u32> {
        let mut hits = vec![
            hit(0, "Saws", &[], "The band saw has a blue knob."),
            hit(1, "Saws", &[], "The saw of the band is blue."),
            hit(2, "Lathe", &["Knobs"], "It turns."),
        ];
        Signs::read(query).0.filter(&mut hits);
        hits.iter().map(|h| h.chunk).collect()
    }

    #[test]
    fn a_phrase_is_in_every_hit_unless_in_none() {
        assert_eq!(kept_chunks("\"Band saw\" knob"), [0]);
        assert_eq!(kept_chunks("“blue  knob”"), [0]);
        assert_eq!(kept_chunks("\"green knob\""), [0, 1, 2]);
        assert_eq!(kept_chunks("\"band saw"), [0, 1, 2], "it is still being typed");
    }

    #[test]
    fn a_word_after_a_minus_is_in_no_hit_and_not_searched_for() {
        assert_eq!(kept_chunks("knobs -saw"), [2]);
        assert_eq!(kept_chunks("-knobs saw"), [1]);
        assert_eq!(Signs::read("knobs -saw now").1, "knobs now");
    }

    #[test]
    fn options_ranges_and_questions_exclude_nothing() {
        for query in
            ["ls -la", "tar --exclude", "pages 3 -12", "well-known", "-saw", "Why is it -blue?", "a - b"]
        {
            let (signs, read) = Signs::read(query);
            assert!(signs.is_empty() && read == query, "{query}");
        }
    }
}
