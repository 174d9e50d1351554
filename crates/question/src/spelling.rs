//! Words as they are compared: of an irregular verb the base, of a word with a British and an American
//! spelling one of them.

use crate::text::lexicon::{Language, SPOKEN, Table};

fn look_up(table: Table<'static>, word: &str) -> Option<&'static str> {
    table.row(word).map(|row| row.field(0)).filter(|other| !other.is_empty())
}

/// A word in lower case as it is compared with others.
pub(crate) fn normalise_spelling(folded: &str) -> String {
    if let Some(base) =
        look_up(SPOKEN.irregular_verbs(), folded).or_else(|| look_up(SPOKEN.spellings(), folded))
    {
        return base.to_owned();
    }
    // Of two endings the longer one is the word's.
    let fits = SPOKEN.spelling_endings().rows().filter_map(|row| {
        let begin = folded.strip_suffix(row.word)?;
        let least: usize = row.field(1).parse().ok()?;
        (begin.len() >= least).then_some((begin, row))
    });
    let longest = fits.max_by_key(|(_, row)| row.word.len());
    longest.map_or_else(|| folded.to_owned(), |(begin, row)| format!("{begin}{}", row.field(0)))
}

/// The singular of a plural that no ending tells.
pub fn singular(folded: &str) -> &str {
    look_up(SPOKEN.irregular_plurals(), folded).unwrap_or(folded)
}

/// Returns the words of which a word may be the plural: itself, its irregular singular, and the word without
/// a plural ending.
pub fn singulars(folded: &str) -> Vec<String> {
    let mut all = vec![folded.to_owned(), singular(folded).to_owned()];
    all.extend(folded.strip_suffix("ies").map(|begin| format!("{begin}y")));
    all.extend(["s", "es"].iter().filter_map(|end| folded.strip_suffix(end)).map(str::to_owned));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn british_and_american_words_are_one() {
        for (a, b) in [
            ("colour", "color"),
            ("neighbouring", "neighboring"),
            ("organised", "organized"),
            ("organisers", "organizers"),
            ("centre", "center"),
            ("catalogue", "catalog"),
            ("modelled", "modeled"),
            ("programme", "program"),
            ("licence", "license"),
            ("theatres", "theaters"),
        ] {
            assert_eq!(normalise_spelling(a), normalise_spelling(b), "{a}");
        }
        for (a, b) in [("hour", "hor"), ("tour", "tor"), ("rise", "rize"), ("called", "caled")] {
            assert_ne!(normalise_spelling(a), normalise_spelling(b), "{a}");
        }
    }

    #[test]
    fn irregular_forms_are_compared_as_their_bases() {
        assert_eq!(
            (normalise_spelling("driven").as_str(), singular("people"), singular("films")),
            ("drive", "person", "films")
        );
    }
}
