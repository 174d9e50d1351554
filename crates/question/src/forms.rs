//! Which words are forms of one: stems, endings, compounds.

use crate::spelling::normalise_spelling;
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, is_stop_word, stem, words};

/// Returns the words of the name of a relation or type, in lower case.
pub fn name_words(name: &str) -> Vec<String> {
    words(&name.replace('_', " ")).iter().map(|w| fold(w.text)).collect()
}

/// Returns a word as whole names are compared: its stem; a function word as it is.
pub fn reduce_word(folded: &str) -> String {
    if is_function_word(folded) { folded.to_owned() } else { stem_of(folded) }
}

/// Tells whether two words are made of one by an ending ("director", "directed") or by another ending
/// ("writer", "written").
fn is_inflected(a: &str, b: &str) -> bool {
    let is_ending = |end: &str| end.is_empty() || SPOKEN.endings().has(end, "derived");
    let short = if a.len() < b.len() { a } else { b };
    let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    // Three letters are enough if they are a whole word; of two different endings the rest must be longer.
    let least = if shared == short.len() { 3 } else { 4 };
    let endings = a.get(shared..).zip(b.get(shared..));
    shared >= least && endings.is_some_and(|(x, y)| is_ending(x) && is_ending(y))
}

/// Tells whether two words are made of one: by endings, or by a word in front ("screenwriter").
pub fn is_derived(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    // "De" is no word in front: what is descriptive is no script. "Co" is one.
    let front = || long.strip_suffix(short).is_some_and(|front| front.len() >= 3 || front == "co");
    is_inflected(a, b) || (short.len() >= 5 && front())
}

/// Tells whether two words, in lower case, are forms of one or made of one.
pub fn is_akin(a: &str, b: &str) -> bool {
    let (x, y) = (stem_of(a), stem_of(b));
    x == y || is_derived(&x, &y) || is_derived(a, b)
}

/// Tells whether a word is made of a word in front and one derived from the other: "screenwriter" and
/// "written".
pub fn is_compound(whole: &str, part: &str) -> bool {
    let tails = (3..whole.len().saturating_sub(4)).filter_map(|at| whole.get(at..));
    part.len() >= 5 && tails.into_iter().any(|tail| tail.len() >= 5 && is_inflected(tail, part))
}

/// Returns the stem of a word: of a verb's irregular form that of its base, of a British spelling that of the
/// American one.
pub fn stem_of(folded: &str) -> String {
    stem(&normalise_spelling(folded))
}

/// Tells whether a word carries no relation: function words, and the words of asking.
pub fn is_function_word(folded: &str) -> bool {
    let table = SPOKEN.function_words();
    (is_stop_word(folded) && !table.has(folded, "verb")) || table.has(folded, "question")
}
