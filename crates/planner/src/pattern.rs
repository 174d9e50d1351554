//! The pattern of a question from its words alone: chain, intersection, union, comparison, difference.
//!
//! Rules over where the entities stand and which words stand before, between and behind them. They need no
//! graph; what the candidate plans find decides between neighbouring patterns.

use crate::plan::{How, Shape};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, words};
use pocketgraph_question::{is_denial, is_function_word};
use std::ops::Range;

/// The quoted parts, quotes included. An apostrophe inside a word is no quote. A comma before the closing
/// quote ends the part: where it is set inside, it parts names all the same.
pub fn find_quoted(question: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    let mut chars = question.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let letter_follows = chars.peek().is_some_and(|(_, n)| n.is_alphanumeric());
        match open {
            Some((start, close)) if c == close && !(c == '\'' && letter_follows) => {
                found.push(start..if before == ',' { at - 1 } else { at + c.len_utf8() });
                open = None;
            }
            None if !before.is_alphanumeric() => {
                let close = match c {
                    '"' => Some('"'),
                    '\'' => Some('\''),
                    '“' => Some('”'),
                    '‘' => Some('’'),
                    _ => None,
                };
                open = close.map(|close| (at, close));
            }
            _ => {}
        }
        before = c;
    }
    found
}

/// Tells whether a word between names takes away what the next one leads to.
pub(super) fn takes_away(word: &str) -> bool {
    is_denial(word) || SPOKEN.denials().has(word, "between")
}

/// The words of a piece of a question, lower case.
fn plain(text: &str) -> Vec<String> {
    words(text).iter().map(|w| fold(w.text)).collect()
}

/// The pattern of a question whose entities stand at these places, in order and apart from each other.
pub(super) fn pattern(question: &str, entities: &[Range<usize>]) -> Shape {
    let all = plain(question);
    let has = |word: &str| all.iter().any(|w| w == word);
    let mut pieces: Vec<&str> = Vec::new();
    let mut from = 0;
    for entity in entities {
        pieces.push(question.get(from..entity.start).unwrap_or_default());
        from = entity.end.max(from);
    }
    pieces.push(question.get(from..).unwrap_or_default());
    let outside: Vec<Vec<String>> = pieces.iter().map(|p| plain(p)).collect();
    let between: Vec<&String> =
        outside.get(1..outside.len().saturating_sub(1)).unwrap_or_default().iter().flatten().collect();
    let is_between = |word: &str| between.iter().any(|w| *w == word);
    // "Named after" and "who or what" compare nothing.
    let comparative = |w: &&String| {
        (How::from_word(w).is_some() && !["after", "before"].contains(&w.as_str()))
            || SPOKEN.comparisons().row(w).is_some_and(|row| row.has(2, "pattern"))
    };
    let content_words: Vec<&String> = outside.iter().flatten().collect();
    let offers = |w: &[&String]| w[1] == "or" && w[0] != "who";
    if content_words.iter().any(comparative) && (content_words.windows(2).any(offers) || has("than")) {
        return Shape::Compare;
    }
    if entities.len() >= 2 && between.iter().any(|w| takes_away(w)) {
        return Shape::Negation;
    }
    let count = u8::try_from(entities.len()).unwrap_or(u8::MAX);
    if is_between("or") {
        return Shape::Union(count.max(2));
    }
    match count {
        // How many steps there are, the graph decides.
        0 | 1 => Shape::Chain(2),
        2 => pair(&outside[0]),
        _ => Shape::Intersection(count),
    }
}

/// An intersection of two, or one behind which a step goes on: "the capitals of the countries that are the
/// origin of both A and B" has two phrases in front of the names, joined by a word that begins a clause.
fn pair(before: &[String]) -> Shape {
    let clause =
        before.iter().skip(1).any(|w| matches!(w.as_str(), "that" | "which" | "who" | "where" | "whose"));
    if clause && phrases(before) >= 2 { Shape::Ip } else { Shape::Intersection(2) }
}

/// Runs of content words behind the question word.
fn phrases(words: &[String]) -> usize {
    let content = |w: &String| !is_function_word(w) && w.len() > 1;
    words.chunk_by(|a, b| content(a) == content(b)).filter(|run| run.first().is_some_and(content)).count()
}
