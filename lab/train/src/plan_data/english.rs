//! The words of a graph in English: nouns and verbs for relations, plurals, lists.

use crate::lexicon;
use pocketgraph::text::lexicon::{Language, SPOKEN};
use pocketgraph_cluster::Random;

/// Returns true if a label needs a noun after it ("directed by", "member of") and follows a verb.
pub fn needs_noun(label: &str) -> bool {
    label.rsplit_once(' ').is_some_and(|(_, last)| SPOKEN.prepositions().has(last, "clause"))
        || is_participle(label)
}

/// Returns true if a label is a verb's present participle ("starring"): nothing stands between it and its
/// noun.
pub fn is_participle(label: &str) -> bool {
    label.len() > 5
        && label.ends_with("ing")
        && !label.contains(' ')
        && label.chars().all(char::is_lowercase)
        && !["building", "setting", "spelling", "painting", "king"].contains(&label)
}

/// The indefinite article of a noun.
pub fn indefinite(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an " } else { "a " }
}

/// An article for a noun inside of a phrase: mostly the definite one.
pub fn choose_article(random: &mut Random, noun: &str) -> &'static str {
    match random.below(10) {
        0 | 1 => indefinite(noun),
        2 => "",
        _ => "the ",
    }
}

/// The verb of a synonym that is one ("to play for"), in its base form.
pub fn verb(alias: &str) -> Option<&str> {
    alias.strip_prefix("to ").filter(|v| !v.is_empty())
}

/// The base form of a label that is a verb already ("shares border with"): it is said of somebody as it
/// stands.
pub fn finite(label: &str) -> Option<String> {
    let (first, rest) = label.split_once(' ')?;
    let base = if first == "has" { "have" } else { first.strip_suffix('s')? };
    lexicon::finite_verbs().contains(first).then(|| format!("{base} {rest}"))
}

/// "long" of "longest", "expensive" of "most expensive"; `None` where no rule makes it.
pub fn positive(superlative: &str) -> Option<String> {
    if let Some(rest) = superlative.strip_prefix("most ") {
        return Some(rest.to_owned());
    }
    if let Some((_, base)) = [("latest", "late"), ("farthest", "far")].iter().find(|(s, _)| *s == superlative)
    {
        return Some((*base).to_owned());
    }
    let stem = superlative.strip_suffix("est").filter(|s| !s.contains(' ') && s.len() > 2)?;
    let mut letters = stem.chars().rev();
    Some(match (letters.next(), letters.next()) {
        (Some('i'), _) => format!("{}y", &stem[..stem.len() - 1]),
        // "big" of "biggest"; but "tall".
        (Some(a), Some(b)) if a == b && !matches!(a, 'l' | 's') => stem[..stem.len() - 1].to_owned(),
        (Some('g'), Some('r')) | (Some('s'), Some('n')) | (Some('d'), Some('i')) => format!("{stem}e"),
        _ => stem.to_owned(),
    })
}

/// "longer" of "longest", "more expensive" of "most expensive"; `None` where no rule makes it.
pub fn comparative(superlative: &str) -> Option<String> {
    if let Some((first, rest)) = superlative.split_once(' ') {
        let more = match first {
            "most" => "more",
            "least" => "less",
            _ => return None,
        };
        return Some(format!("{more} {rest}"));
    }
    superlative.strip_suffix("est").filter(|s| s.len() > 2).map(|stem| format!("{stem}er"))
}

/// "play for" as somebody plays for, or as several play for.
pub fn third_person(verb: &str) -> String {
    let (first, rest) = verb.split_once(' ').unwrap_or((verb, ""));
    let gap = if rest.is_empty() { "" } else { " " };
    let first = match first {
        "have" => "has".to_owned(),
        "be" => "is".to_owned(),
        w if ["s", "x", "z", "ch", "sh", "o"].iter().any(|e| w.ends_with(e)) => format!("{w}es"),
        w if w.ends_with('y') && !["a", "e", "o", "u"].iter().any(|v| w[..w.len() - 1].ends_with(v)) => {
            format!("{}ies", &w[..w.len() - 1])
        }
        w => format!("{w}s"),
    };
    format!("{first}{gap}{rest}")
}

/// The active past of a passive: "directed" of "directed by".
pub fn active(label: &str) -> Option<String> {
    let stem = label.strip_suffix(" by")?;
    if stem.contains(' ') {
        return None;
    }
    let known = lexicon::active_forms().row(stem).map(|row| row.field(0).to_owned());
    known.or_else(|| stem.ends_with("ed").then(|| stem.to_owned()))
}

/// One of several.
pub fn pick_one(random: &mut Random, all: &[&'static str]) -> &'static str {
    all.get(random.below(all.len().max(1))).copied().unwrap_or_default()
}

/// An English plural, good enough for the names of types.
pub fn plural(noun: &str) -> String {
    let lower = noun.to_lowercase();
    if let Some(stem) = ["person", "human"].iter().find(|w| lower == **w) {
        return if *stem == "person" { "people".to_owned() } else { "humans".to_owned() };
    }
    let last = lower.chars().last();
    let before = lower.chars().rev().nth(1);
    match (before, last) {
        (_, None | Some('s')) => noun.to_owned(),
        (Some('a' | 'e' | 'i' | 'o' | 'u'), Some('y')) => format!("{noun}s"),
        (_, Some('y')) => format!("{}ies", noun.get(..noun.len() - 1).unwrap_or(noun)),
        (Some('c' | 's'), Some('h')) | (_, Some('x' | 'z')) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Two neighbouring letters in the wrong order, a letter lost, or a letter twice.
pub fn with_typo(text: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let inner: Vec<usize> = (1..letters.len().saturating_sub(1))
        .filter(|&i| letters[i].is_alphabetic() && letters[i + 1].is_alphabetic())
        .collect();
    if inner.is_empty() {
        return text.to_owned();
    }
    let at = inner[random.below(inner.len())];
    match random.below(3) {
        0 => letters.swap(at, at + 1),
        1 => {
            letters.remove(at);
        }
        _ => letters.insert(at, letters[at]),
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_conjugated() {
        for (base, phrased) in [
            ("play for", "plays for"),
            ("have", "has"),
            ("flow into", "flows into"),
            ("fly to", "flies to"),
            ("teach", "teaches"),
        ] {
            assert_eq!(third_person(base), phrased);
        }
        assert_eq!(active("directed by").as_deref(), Some("directed"));
        assert_eq!(active("written by").as_deref(), Some("wrote"));
        assert_eq!(active("place of birth"), None);
        assert_eq!(finite("shares border with").as_deref(), Some("share border with"));
        assert_eq!(finite("sports team"), None);
    }

    #[test]
    fn superlatives_have_the_forms_below_them() {
        for (superlative, base, more) in [
            ("longest", "long", "longer"),
            ("largest", "large", "larger"),
            ("biggest", "big", "bigger"),
            ("heaviest", "heavy", "heavier"),
            ("latest", "late", "later"),
            ("farthest", "far", "farther"),
            ("tallest", "tall", "taller"),
            ("widest", "wide", "wider"),
            ("densest", "dense", "denser"),
            ("most expensive", "expensive", "more expensive"),
        ] {
            assert_eq!(positive(superlative).as_deref(), Some(base));
            assert_eq!(comparative(superlative).as_deref(), Some(more));
        }
        assert_eq!(
            (positive("least dense"), comparative("least dense").as_deref()),
            (None, Some("less dense"))
        );
    }
}
