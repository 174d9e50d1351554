//! What is no answer whatever it shares with a question: questions, references to other places, the furniture of a page.
//!
//! The lists are English, as the language's frame words are. In other languages the weights of the choice have to do.

use super::parts::{asks, ends_in};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{fold, sentences};

/// A longer text says something of its own.
const LONGEST_REFERENCE: usize = 160;
/// A longer line is no furniture.
const LONGEST_FURNITURE: usize = 60;

/// Whether a text begins with a word that stands for something said before.
pub(super) fn leans_back(text: &str) -> bool {
    SPOKEN.back_references().rows().any(|row| {
        let lead = row.word;
        let (Some(start), rest) = (text.get(..lead.len()), text.get(lead.len()..).unwrap_or("")) else { return false };
        start.eq_ignore_ascii_case(lead) && !rest.starts_with(char::is_alphanumeric)
    })
}

fn begins_as_reference(folded: &str) -> bool {
    SPOKEN.references().words_with("begins").any(|m| folded.starts_with(m))
}

/// Whether a sentence says where something is said.
pub(super) fn refers(text: &str) -> bool {
    if text.len() > LONGEST_REFERENCE {
        return false;
    }
    let folded = fold(text);
    let folded = folded.trim_start();
    begins_as_reference(folded) || SPOKEN.references().words_with("holds").any(|m| folded.contains(m))
}

/// Whether a text says that something follows.
pub(super) fn announces(text: &str) -> bool {
    ends_in(text.trim_end(), ":：")
}

/// Whether a text, all of it, asks, refers elsewhere, announces what is not quoted with it, or is a page's furniture.
pub(super) fn is_empty_talk(text: &str) -> bool {
    let furniture = text.len() <= LONGEST_FURNITURE && {
        let folded = fold(text);
        SPOKEN.page_furniture().rows().any(|row| folded.trim_start().starts_with(row.word)) && !text.trim_end().ends_with('.')
    };
    furniture
        || sentences(text).into_iter().all(|s| {
            let sentence = text[s].trim();
            asks(sentence) || announces(sentence) || only_refers(sentence)
        })
}

/// Whether a sentence refers elsewhere and tells nothing besides: it begins with the reference, or is short.
fn only_refers(sentence: &str) -> bool {
    const SHORT: usize = 90;
    let folded = fold(sentence);
    sentence.len() <= LONGEST_REFERENCE && begins_as_reference(&folded) || sentence.len() <= SHORT && refers(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_references_and_furniture_are_empty_talk() {
        for text in [
            "How do I start it?",
            "See Configuration.",
            "For more information, see the chapter on pumps.",
            "Pumps are described in the next chapter, see Pumps.",
            "See Pumps. See also Valves. How?",
            "Edit this page",
            "Page not found",
            "Was this page helpful?",
            "Set it as follows:",
            "",
        ] {
            assert!(is_empty_talk(text), "{text}");
        }
        for text in [
            "You can see the output in the terminal.",
            "It is green. See Colours.",
            "404 is returned where there is no such pump.",
            "Use --now.",
        ] {
            assert!(!is_empty_talk(text), "{text}");
        }
    }

    #[test]
    fn what_stands_for_something_before_leans_back() {
        for text in ["It runs.", "That way nothing is lost.", "All three are read.", "this", "The former is faster."] {
            assert!(leans_back(text), "{text}");
        }
        for text in ["Itself a pump", "Thatch burns.", "The pump runs.", "", "ß"] {
            assert!(!leans_back(text), "{text}");
        }
    }
}
