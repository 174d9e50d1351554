//! Words for kin that name two steps at once: a paternal grandmother is a father's mother, a father-in-law a spouse's father.

use super::lexicon::Lexicon;
use super::token::Token;

/// Replaces each such word by words for its two steps, the outer farther from the entity.
pub(super) fn opened(tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    let mut named = false;
    while at < tokens.len() {
        named |= tokens[at].entity.is_some();
        match steps(&tokens[at..]) {
            // What the graph itself speaks of is meant as it stands.
            Some((taken, inner, outer)) if tokens[at].relations.is_empty() || taken > 1 => {
                let step = |names: &[&str]| Token {
                    folded: names.first().copied().unwrap_or_default().to_owned(),
                    entity: None,
                    relations: names.iter().flat_map(|n| lexicon.relations(n)).collect(),
                    types: Vec::new(),
                };
                // Something between keeps two words for one relation apart: a father's father.
                let of = Token { folded: "of".to_owned(), entity: None, relations: Vec::new(), types: Vec::new() };
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

type Names = &'static [&'static str];

/// How many words make a word for kin of two steps, the inner step and the outer.
fn steps(tokens: &[Token]) -> Option<(usize, Names, Names)> {
    const PARENTS: Names = &["father", "mother"];
    let word = |at: usize| tokens.get(at).filter(|t| t.entity.is_none()).map_or("", |t| t.folded.as_str());
    if word(1) == "in" && word(2) == "law" {
        let (inner, outer): (Names, Names) = match word(0) {
            "father" => (&["spouse"], &["father"]),
            "mother" => (&["spouse"], &["mother"]),
            "brother" | "sister" | "sibling" => (&["spouse"], &["sibling"]),
            "son" | "daughter" | "child" => (&["child"], &["spouse"]),
            _ => return None,
        };
        return Some((3, inner, outer));
    }
    let (side, at): (Names, usize) = match word(0) {
        "paternal" => (&["father"], 1),
        "maternal" => (&["mother"], 1),
        _ => (PARENTS, 0),
    };
    let outer: Names = match word(at) {
        "grandfather" => &["father"],
        "grandmother" => &["mother"],
        "uncle" | "aunt" => &["sibling"],
        "stepmother" if at == 0 => return Some((1, &["father"], &["spouse"])),
        "stepfather" if at == 0 => return Some((1, &["mother"], &["spouse"])),
        "grandson" | "granddaughter" | "grandchild" => return Some((at + 1, &["child"], &["child"])),
        _ => return None,
    };
    Some((at + 1, side, outer))
}
