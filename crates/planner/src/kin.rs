//! Words for kin that name two steps at once: a paternal grandmother is a father's mother, a father-in-law a
//! spouse's father.

use super::lexicon::Lexicon;
use super::token::Token;
use crate::text::lexicon::{Language, SPOKEN};

/// The longest word for kin, in words.
const LONGEST: usize = 3;

/// Replaces each such word by words for its two steps, the outer farther from the entity.
pub(super) fn split_kin(tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    let mut named = false;
    while at < tokens.len() {
        named |= tokens[at].entity.is_some();
        match steps(&tokens[at..]) {
            // What the graph itself speaks of is meant as it stands.
            Some((taken, inner, outer)) if tokens[at].relations.is_empty() || taken > 1 => {
                let step = |names: Vec<&str>| Token {
                    folded: names.first().copied().unwrap_or_default().to_owned(),
                    entity: None,
                    relations: names.iter().flat_map(|n| lexicon.relations(n)).collect(),
                    types: Vec::new(),
                };
                // Something between keeps two words for one relation apart: a father's father.
                let of =
                    Token { folded: "of".to_owned(), entity: None, relations: Vec::new(), types: Vec::new() };
                let (first, second) = if named { (inner, outer) } else { (outer, inner) };
                out.extend([step(first), of, step(second)]);
                at += taken;
            }
            _ => {
                out.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    out
}

/// Returns the number of words that form a word for kin of two steps, and the names of the inner and the
/// outer step.
fn steps(tokens: &[Token]) -> Option<(usize, Vec<&'static str>, Vec<&'static str>)> {
    let words: Vec<&str> =
        tokens.iter().take(LONGEST).take_while(|t| t.entity.is_none()).map(|t| t.folded.as_str()).collect();
    let longest = (1..=words.len())
        .rev()
        .find_map(|length| Some((length, SPOKEN.kin().row(&words[..length].join(" "))?)));
    longest.map(|(length, row)| (length, row.list(0).collect(), row.list(1).collect()))
}
