//! The core of a question: what it asks, without the words around it.
//!
//! Whoever asks says more than the question: that they would like to know, that they mean now, how sure they
//! are, "people" where "who" is meant. None of this changes an answer. The core is the same text with spaces
//! in place of such words, so that places in it are places in the question.

use crate::forms::{is_function_word, stem_of};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{Word, fold, without_possessive, words};
use std::ops::Range;

/// Maximum number of words that are read.
const LONGEST: usize = 256;

/// Maximum number of words in a phrase of the language's tables.
const PHRASE: usize = 4;

const QUESTION_WORDS: [&str; 9] = ["who", "whom", "whose", "what", "which", "when", "where", "why", "how"];

/// A word of the question, and what becomes of it.
struct Piece<'q> {
    word: Word<'q>,
    folded: String,
    named: bool,
    /// True if the answer does not depend on the word.
    gone: bool,
    /// The question word that takes its place.
    becomes: Option<&'static str>,
}

/// Returns the question with spaces in place of all that does not change its answer. `names` are the places
/// of names; `means` tells whether a word means something in the graph that is asked, and therefore stays.
pub fn strip_frame(question: &str, names: &[Range<usize>], means: &dyn Fn(&str) -> bool) -> String {
    let mut pieces: Vec<Piece<'_>> =
        words(question).into_iter().take(LONGEST).map(|word| Piece::new(word, names)).collect();
    let clauses = clauses(question, &pieces);
    drop_phrases(&mut pieces, means);
    drop_asides(&mut pieces, &clauses);
    for clause in clauses {
        drop_lead(&mut pieces[clause.clone()], means);
        replace_hypernyms(&mut pieces[clause], means);
    }
    render_question(question, &pieces)
}

impl<'q> Piece<'q> {
    fn new(word: Word<'q>, names: &[Range<usize>]) -> Piece<'q> {
        let named = names.iter().any(|n| n.start < word.span.end && word.span.start < n.end);
        let folded = without_possessive(&fold(word.text)).to_owned();
        let asked = |base| QUESTION_WORDS.into_iter().find(|w| *w == base && *w != "how");
        let becomes = folded.strip_suffix("ever").filter(|_| !named).and_then(asked);
        Piece { word, folded, named, gone: false, becomes }
    }

    /// Returns the word up to an apostrophe: "who" of "who's", "i" of "i'd"; the question word that takes its
    /// place: "who" for "whoever".
    fn head(&self) -> &str {
        self.becomes.unwrap_or_else(|| self.folded.split(['\'', '’']).next().unwrap_or_default())
    }

    fn asks(&self) -> bool {
        !self.named && QUESTION_WORDS.contains(&self.head())
    }

    fn is(&self, class: &str) -> bool {
        !self.named && SPOKEN.discourse().has(self.head(), class)
    }

    /// Tells whether the word is of asking and knowing, in any form.
    fn is_of_inquiry(&self) -> bool {
        let base = stem_of(self.head());
        let is_form = |class| SPOKEN.discourse().words_with(class).any(|w| stem_of(w) == base);
        !self.named && (is_form("inquiry") || is_form("lead"))
    }

    fn is_function(&self) -> bool {
        !self.named && is_function_word(self.head())
    }

    fn is_be(&self) -> bool {
        SPOKEN.auxiliaries().has(self.head(), "be")
            || matches!(self.folded.as_str(), "who's" | "who’s" | "what's" | "what’s")
    }

    fn hypernym(&self) -> Option<&'static str> {
        SPOKEN.hypernyms().row(&self.folded).filter(|_| !self.named).map(|row| row.field(0))
    }
}

/// Returns the parts between signs, names aside.
fn clauses(question: &str, pieces: &[Piece<'_>]) -> Vec<Range<usize>> {
    let mut clauses = Vec::new();
    let mut begin = 0;
    for (at, pair) in pieces.windows(2).enumerate() {
        let gap = question.get(pair[0].word.span.end..pair[1].word.span.start).unwrap_or_default();
        if gap.contains([';', '.', '?', '!', ',', ':', '–', '—']) {
            clauses.push(begin..at + 1);
            begin = at + 1;
        }
    }
    clauses.push(begin..pieces.len());
    clauses
}

/// Drops clauses beside the one that asks in which the asker tells of themselves, but for names in them: "I
/// saw Heat; who starred in it?".
fn drop_asides(pieces: &mut [Piece<'_>], clauses: &[Range<usize>]) {
    let asks = |clause: &Range<usize>| {
        let own = &pieces[clause.clone()];
        own.iter().any(Piece::asks)
    };
    if !clauses.iter().any(asks) {
        return;
    }
    let asides: Vec<Range<usize>> = clauses.iter().filter(|c| !asks(c)).cloned().collect();
    for clause in asides {
        let own = &mut pieces[clause];
        let of_asker = own.first().is_some_and(|p| !p.named && p.head() == "i");
        let empty = own.iter().all(|p| {
            p.gone || p.is_function() || p.is_of_inquiry() || SPOKEN.discourse().contains(&p.folded)
        });
        if of_asker || (empty && own.iter().any(|p| p.is("asker") || p.is_of_inquiry() || p.is("remark"))) {
            own.iter_mut().filter(|p| !p.named).for_each(|p| p.gone = true);
        }
    }
}

/// Drops remarks and adverbs of the present.
fn drop_phrases(pieces: &mut [Piece<'_>], means: &dyn Fn(&str) -> bool) {
    let mut at = 0;
    while at < pieces.len() {
        let longest = (1..=PHRASE.min(pieces.len() - at)).rev().find(|&n| is_phrase(pieces, at, n, means));
        let taken = longest.unwrap_or_default();
        pieces[at..at + taken].iter_mut().for_each(|p| p.gone = true);
        at += taken.max(1);
    }
}

/// Tells whether so many words from a place on are a phrase that says nothing there.
fn is_phrase(pieces: &[Piece<'_>], at: usize, length: usize, means: &dyn Fn(&str) -> bool) -> bool {
    let own = &pieces[at..at + length];
    if own.iter().any(|p| p.named || (length == 1 && means(&p.folded))) {
        return false;
    }
    let text = own.iter().map(|p| p.folded.as_str()).collect::<Vec<_>>().join(" ");
    let Some(row) = SPOKEN.discourse().row(&text) else { return false };
    let behind_question_word = at.checked_sub(1).is_some_and(|before| pieces[before].asks());
    row.has(0, "remark") || row.has(0, "present") || (row.has(0, "oath") && behind_question_word)
}

/// Drops what leads to the question word of a clause: "I'd love to know", "any clue", "my boss asked me". A
/// preposition that belongs to the question word stays.
fn drop_lead(clause: &mut [Piece<'_>], means: &dyn Fn(&str) -> bool) {
    let Some(at) = clause.iter().position(Piece::asks) else { return };
    let (lead, rest) = clause.split_at_mut(at);
    // Whoever is the asker's ("my boss") may be anybody.
    let of_asker = |at: usize| at > 0 && matches!(lead[at - 1].folded.as_str(), "my" | "our" | "your");
    let says_nothing = |at: usize| {
        let piece = &lead[at];
        let of_asking = piece.is_of_inquiry() && !means(&piece.folded);
        piece.gone
            || piece.is_function()
            || of_asking
            || piece.is("asker")
            || piece.is("quantifier")
            || of_asker(at)
    };
    let asks = lead.iter().any(|p| !p.gone && (p.is_of_inquiry() || p.is("asker")));
    if !asks || lead.iter().any(|p| p.named) || !(0..lead.len()).all(says_nothing) {
        return;
    }
    let prepositions = lead.iter().rev().take_while(|p| SPOKEN.prepositions().contains(&p.folded)).count();
    // "Curious about who" asks who, "know by whom" asks by whom.
    let is_object = rest.first().is_some_and(|p| p.head() == "whom");
    let of_lead =
        !is_object && prepositions < lead.len() && lead[lead.len() - prepositions - 1].is_of_inquiry();
    let kept = if of_lead { 0 } else { prepositions };
    let lead_end = lead.len() - kept;
    lead[..lead_end].iter_mut().for_each(|p| p.gone = true);
}

/// Says with a question word what a noun for anything of its class says: "which people", "the people who",
/// "who is the person that", "who is it that".
fn replace_hypernyms(clause: &mut [Piece<'_>], means: &dyn Fn(&str) -> bool) {
    let kept: Vec<usize> = (0..clause.len()).filter(|&at| !clause[at].gone).collect();
    let word = |at: usize| kept.get(at).map_or("", |&at| clause[at].head());
    let is_noun = |at: usize| {
        kept.get(at).is_some_and(|&at| clause[at].hypernym().is_some() && !means(&clause[at].folded))
    };
    let relative = |at: usize| matches!(word(at), "who" | "that" | "which");
    // What stands before the noun says nothing else.
    let opens = |at: usize| {
        let piece = &clause[kept[at]];
        let counts = matches!(piece.head(), "how" | "many" | "much");
        let denies =
            SPOKEN.denials().row(piece.head()).is_some_and(|row| row.has(0, "claim") || row.has(0, "away"));
        let empty = piece.asks()
            || piece.is_be()
            || piece.is_function()
            || piece.is_of_inquiry()
            || piece.is("asker")
            || piece.is("quantifier");
        empty && !piece.named && !counts && !denies
    };
    let Some(first) = (0..kept.len()).find(|&at| is_noun(at)) else {
        // "Who is it that".
        if kept.len() > 3 && matches!(word(0), "who" | "what") && word(2) == "it" && relative(3) {
            kept[1..=3].iter().for_each(|&at| clause[at].gone = true);
        }
        return;
    };
    let last = first + (first..kept.len()).take_while(|&at| is_noun(at)).count() - 1;
    let class = (first..=last).filter_map(|at| clause[kept[at]].hypernym()).find(|c| *c != "part");
    let (Some(class), true) = (class, (0..first).all(opens)) else { return };
    let asked = match class {
        "person" => "who",
        "thing" => "what",
        _ => "which",
    };
    let before = word(first.wrapping_sub(1));
    let of_which = matches!(before, "the" | "these" | "those") && first >= 3 && word(first - 2) == "of";
    let question_word = if of_which { first.checked_sub(3) } else { first.checked_sub(1) };
    // "Everyone teaching Latin" is everyone who does.
    let deed = word(last + 1).ends_with("ing");
    if relative(last + 1) || deed {
        let place = kept[last + usize::from(!deed)];
        kept[..last + usize::from(!deed)].iter().for_each(|&at| clause[at].gone = true);
        clause[place].becomes = Some(asked);
    } else if let Some(at) = question_word.filter(|&at| matches!(word(at), "which" | "what")) {
        // "Which people of Oslo" may be any of them; "what thing is" asks for its kind.
        if last + 1 == kept.len() || word(last + 1) == "of" {
            return;
        }
        kept[at + 1..=last].iter().for_each(|&at| clause[at].gone = true);
        clause[kept[at]].becomes = Some(asked);
    }
}

/// Returns the question with spaces for what is gone and question words in their new places.
fn render_question(question: &str, pieces: &[Piece<'_>]) -> String {
    let mut out = String::with_capacity(question.len());
    let mut from = 0;
    for piece in pieces.iter().filter(|p| p.gone || p.becomes.is_some()) {
        let span = &piece.word.span;
        out.push_str(question.get(from..span.start).unwrap_or_default());
        // A question word that is longer than its place takes the spaces behind it only where there are some.
        let text = if piece.gone {
            ""
        } else {
            piece.becomes.filter(|w| w.len() <= span.len()).unwrap_or(piece.word.text)
        };
        out.push_str(text);
        out.extend(std::iter::repeat_n(' ', span.len() - text.len()));
        from = span.end;
    }
    out.push_str(question.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(question: &str) -> String {
        let names: Vec<Range<usize>> =
            question.match_indices("Latin").map(|(at, name)| at..at + name.len()).collect();
        let text = strip_frame(question, &names, &|w| matches!(w, "teaches" | "films"));
        assert_eq!(text.len(), question.len());
        text.replace(['?', '.', ',', ';'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_surrounds_a_question_is_dropped() {
        for question in [
            "Any clue who teaches Latin?",
            "I'd love to know who teaches Latin.",
            "who presently teaches Latin",
            "Could you tell me who teaches Latin these days, please?",
            "My boss asked me who teaches Latin",
            "who the heck teaches Latin",
            "Which people teaches Latin?",
            "Name the staff members who teaches Latin",
            "who is it that teaches Latin",
            "I forgot all of it; who teaches Latin?",
            "Who, as far as you know, teaches Latin?",
            "Find whoever teaches Latin",
        ] {
            assert_eq!(of(question).to_lowercase(), "who teaches latin", "{question}");
        }
        assert_eq!(of("Give me the names of everyone teaching Latin."), "who teaching Latin");
        assert_eq!(of("Do you know by whom Latin is taught?"), "by whom Latin is taught");
    }

    #[test]
    fn what_says_something_stays() {
        for question in [
            "which films teaches Latin",
            "the budget of films which teaches Latin",
            "who formerly teaches Latin",
            "who teaches Latin in London",
            "last year who teaches Latin",
        ] {
            assert_eq!(of(question), question);
        }
    }
}
