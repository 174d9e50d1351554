//! What everyday words measure and ask for: "long" speaks of a length, "kind" of a genre, in any graph that has such a relation.

use crate::plan::Extreme;

/// Adjectives of measure, in their base form, and words by which relations for it are known, the likeliest first.
const MEASURES: [(&str, &[&str]); 26] = [
    ("big", &["area", "size", "population"]),
    ("cheap", &["price", "cost"]),
    ("deep", &["depth"]),
    ("dense", &["density"]),
    ("early", &["date", "year", "birth", "inception"]),
    ("expensive", &["price", "cost"]),
    ("fast", &["speed"]),
    ("heavy", &["weight", "mass"]),
    ("high", &["elevation", "altitude", "height"]),
    ("large", &["area", "size", "population"]),
    ("late", &["date", "year", "birth", "inception"]),
    ("light", &["weight", "mass"]),
    ("long", &["length", "duration"]),
    ("low", &["elevation", "altitude", "height"]),
    ("new", &["date", "year", "inception"]),
    ("old", &["birth", "inception", "date", "year", "age"]),
    ("populated", &["population"]),
    ("populous", &["population"]),
    ("recent", &["date", "year"]),
    ("short", &["length", "duration", "height"]),
    ("slow", &["speed"]),
    ("small", &["area", "size", "population"]),
    ("sparse", &["density", "population"]),
    ("tall", &["height", "elevation", "altitude"]),
    ("wide", &["width"]),
    ("young", &["birth", "inception", "date", "year"]),
];

/// The words by which relations are known that an adjective measures; empty for a word that measures nothing.
pub(super) fn measures(adjective: &str) -> &'static [&'static str] {
    let base = |word: &str| MEASURES.binary_search_by(|(known, _)| (*known).cmp(word)).ok().map(|at| MEASURES[at].1);
    bases(adjective).iter().find_map(|b| base(b)).unwrap_or(&[])
}

/// The base forms that a word may have if it is a superlative or comparative: "largest" of "large", "biggest" of "big".
pub(super) fn bases(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    for ending in ["est", "er"] {
        let Some(cut) = word.strip_suffix(ending).filter(|cut| cut.len() >= 2) else { continue };
        all.push(cut.to_owned());
        all.push(format!("{cut}e"));
        if let Some(y) = cut.strip_suffix('i') {
            all.push(format!("{y}y"));
        }
        let mut letters = cut.chars().rev();
        if let (Some(a), Some(b)) = (letters.next(), letters.next())
            && a == b
        {
            all.push(cut[..cut.len() - a.len_utf8()].to_owned());
        }
    }
    all
}

/// Words of questions and the words by which the relation that they ask for is known, where a graph's own names say nothing of them.
const ASKING: [(&str, &[&str]); 45] = [
    ("about", &["tag", "topic", "subject", "theme", "keyword"]),
    ("acted", &["starred", "cast", "actor"]),
    ("adjoin", &["border"]),
    ("appear", &["starred", "cast", "actor", "appearance"]),
    ("appeared", &["starred", "cast", "actor", "appearance"]),
    ("appears", &["starred", "cast", "actor", "appearance"]),
    ("author", &["author", "written", "writer"]),
    ("born", &["birth"]),
    ("buried", &["burial"]),
    ("came", &["release", "publication"]),
    ("category", &["genre", "class", "type", "kind"]),
    ("citizens", &["population"]),
    ("come", &["release", "publication"]),
    ("creator", &["creator", "created", "author", "written", "writer"]),
    ("cross", &["traverse"]),
    ("crosses", &["traverse"]),
    ("describe", &["tag", "topic", "subject", "theme", "keyword"]),
    ("described", &["tag", "topic", "subject", "theme", "keyword"]),
    ("describing", &["tag", "topic", "subject", "theme", "keyword"]),
    ("die", &["death"]),
    ("died", &["death"]),
    ("good", &["rating", "score"]),
    ("inhabitants", &["population"]),
    ("kind", &["genre", "class", "type", "category"]),
    ("kinds", &["genre", "class", "type", "category"]),
    ("neighbor", &["border"]),
    ("neighboring", &["border"]),
    ("neighbour", &["border"]),
    ("neighbouring", &["border"]),
    ("next", &["border"]),
    ("popular", &["votes", "popularity", "views"]),
    ("released", &["release", "publication"]),
    ("size", &["area"]),
    ("sort", &["genre", "class", "type", "category", "kind"]),
    ("sorts", &["genre", "class", "type", "category", "kind"]),
    ("speak", &["language"]),
    ("spoken", &["language"]),
    ("terms", &["tag", "topic", "subject", "theme", "keyword"]),
    ("theme", &["tag", "topic", "subject", "keyword"]),
    ("themes", &["tag", "topic", "subject", "keyword"]),
    ("topic", &["tag", "subject", "theme", "keyword"]),
    ("topics", &["tag", "subject", "theme", "keyword"]),
    ("type", &["genre", "class", "kind", "category"]),
    ("types", &["genre", "class", "kind", "category"]),
    ("words", &["tag", "keyword", "topic"]),
];

/// The words by which the relation is known that a word of a question asks for.
pub(super) fn asking(word: &str) -> &'static [&'static str] {
    ASKING.binary_search_by(|(known, _)| (*known).cmp(word)).map_or(&[], |at| ASKING[at].1)
}

/// The end that a superlative stands for.
pub(super) fn extreme(word: &str) -> Option<Extreme> {
    let whole = ["most", "least", "maximum", "minimum", "max", "min"].contains(&word);
    let told = Extreme::from_word(word).filter(|_| whole || word.ends_with("est"));
    // "Densest", "widest": the more, but for what is sparse.
    let other = || {
        (word.ends_with("est") && !measures(word).is_empty()).then_some(if word.starts_with("spars") { Extreme::Min } else { Extreme::Max })
    };
    told.or_else(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superlatives_measure_what_their_base_measures() {
        assert!(MEASURES.is_sorted() && ASKING.is_sorted_by_key(|a| a.0));
        for (word, first) in [("longest", "length"), ("biggest", "area"), ("largest", "area"), ("heaviest", "weight"), ("older", "birth")] {
            assert_eq!(measures(word).first(), Some(&first), "{word}");
        }
        assert!(measures("capital").is_empty() && measures("est").is_empty());
    }
}
