//! Word classes by lists of English words and endings: function words, verbs, adverbs, adjectives, vague
//! nouns.
//!
//! Words here are folded (lower case, no accents). Words of other languages are in no list.

use pocketgraph_text::is_stop_word;
use pocketgraph_text::lexicon::{Language, SPOKEN};

/// Returns true if a word only holds sentences together.
pub fn is_function_word(word: &str) -> bool {
    is_stop_word(word) || SPOKEN.linking_words().contains(word) || word.contains(['\'', '’'])
}

/// Returns true if a word says how or when, or describes without naming anything.
pub fn is_adverb_or_plain_adjective(word: &str) -> bool {
    SPOKEN.adverbs_and_adjectives().contains(word)
        || (word.len() > 4 && word.ends_with("ly") && !SPOKEN.ly_nouns().contains(word))
}

/// Returns true if a word's ending is that of an adjective.
pub fn has_adjective_ending(word: &str) -> bool {
    word.len() > 5 && SPOKEN.endings().words_with("adjective").any(|e| word.ends_with(e))
}

/// Returns true if a noun is too vague to stand alone.
pub fn is_vague(word: &str) -> bool {
    SPOKEN.vague_nouns().contains(word)
}

/// Returns true if a word can be a form of a listed verb: its base, third person, past or -ing form.
pub fn may_be_verb(word: &str) -> bool {
    let listed = |word: &str| SPOKEN.verbs().contains(word);
    if listed(word) || SPOKEN.irregular_verbs().row(word).is_some_and(|row| row.has(1, "text")) {
        return true;
    }
    let stems: &[(&str, &[&str])] = &[
        ("ies", &["y"]),
        ("es", &["", "e"]),
        ("s", &[""]),
        ("ied", &["y"]),
        ("ed", &["", "e"]),
        ("ing", &["", "e"]),
    ];
    stems.iter().any(|(ending, replacements)| {
        word.strip_suffix(ending).is_some_and(|stem| {
            let mut chars = stem.chars().rev();
            let doubled = chars.next().is_some_and(|last| chars.next() == Some(last));
            replacements.iter().any(|r| listed(&format!("{stem}{r}")))
                || (doubled && stem.get(..stem.len() - 1).is_some_and(listed))
        })
    })
}

/// Kind of word that follows a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// A determiner: a noun phrase follows.
    Determiner,
    /// A preposition: a noun or a gerund follows.
    Preposition,
    /// A verb follows.
    Verb,
    /// Unknown.
    Other,
}

/// Returns the kind of word that a folded word announces.
pub fn announces(word: &str) -> Before {
    let plain = word.replace('’', "'");
    if SPOKEN.determiners().contains(&plain) {
        Before::Determiner
    } else if SPOKEN.prepositions().has(&plain, "noun") {
        Before::Preposition
    } else if SPOKEN.before_verbs().contains(&plain) {
        Before::Verb
    } else {
        Before::Other
    }
}

/// Returns the singular of an English plural, by its ending; other words unchanged.
pub fn find_singular(word: &str) -> String {
    if word.len() < 4
        || !word.is_ascii()
        || !word.ends_with('s')
        || ["ss", "us", "is", "ous", "news", "series", "species"].iter().any(|e| word.ends_with(e))
    {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|s| s.len() > 2) {
        return format!("{stem}y");
    }
    for ending in ["sses", "shes", "ches", "xes", "zes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    word[..word.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_verbs_are_known() {
        for form in ["use", "uses", "using", "used", "running", "tries", "tried", "stopped", "made", "passes"]
        {
            assert!(may_be_verb(form), "{form}");
        }
        for noun in ["ownership", "lifetime", "string", "trait"] {
            assert!(!may_be_verb(noun), "{noun}");
        }
    }

    #[test]
    fn plurals_lose_their_ending() {
        for (plural, one) in [
            ("traits", "trait"),
            ("closures", "closure"),
            ("boxes", "box"),
            ("libraries", "library"),
            ("class", "class"),
            ("matches", "match"),
            ("status", "status"),
            ("types", "type"),
        ] {
            assert_eq!(find_singular(plural), one);
        }
    }

    #[test]
    fn adverbs_and_families_differ() {
        assert!(is_adverb_or_plain_adjective("quickly") && !is_adverb_or_plain_adjective("assembly"));
        assert!(has_adjective_ending("mutable") && !has_adjective_ending("table"));
    }
}
