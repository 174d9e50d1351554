//! Words of languages, as data: function words, irregular forms, comparatives, measures, question cues and
//! everyday names.
//!
//! A language is a folder `lexicon/CODE` of this crate, with any of the tables that [`Language`] names; what
//! a table means stands in its first line. `build.rs` makes a type of each folder.

mod table;

pub use table::{Row, Table, lines, lines_begin, values};

/// The language of whatever says nothing of its own, and of the program's own words.
pub const SPOKEN: En = En;

macro_rules! tables {
    ($($name:ident,)*) => {
        /// A language: tables of words, each named as its file is. What a language has no file for is empty.
        pub trait Language: Sync {
            /// The language's code: the name of its folder.
            fn code(&self) -> &str;
            $(#[doc = concat!("The file `", stringify!($name), ".tsv`, whose first line says what it is.")]
            fn $name(&self) -> Table<'_> { Table::new("") })*
        }

        /// The tables of a language, each with its file's name.
        #[cfg(test)]
        fn all(of: &dyn Language) -> Vec<(&'static str, Table<'_>)> {
            vec![$((stringify!($name), of.$name())),*]
        }
    };
}

tables! {
    abbreviations,
    adverbs_and_adjectives,
    after_how,
    answer_kinds,
    auxiliaries,
    before_nouns,
    before_verbs,
    column_names,
    common_topics,
    comparisons,
    definition_nouns,
    definition_verbs,
    denials,
    determiners,
    discourse,
    endings,
    everyday_kinds,
    everyday_measures,
    everyday_relations,
    everyday_types,
    function_words,
    grammar,
    hypernyms,
    instruction_stems,
    irregular_plurals,
    irregular_verbs,
    kin,
    linking_words,
    ly_nouns,
    measured_nouns,
    measures,
    moments,
    months,
    mutual_relations,
    name_particles,
    numbers,
    operation_cues,
    prepositions,
    pronouns,
    qualifiers,
    question_words,
    references,
    relation_cues,
    scales,
    spelling_endings,
    source_words,
    spellings,
    stop_words,
    time_labels,
    times,
    units,
    vague_nouns,
    value_kinds,
    verbs,
    articles,
}

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// Returns the language of a tag, if it is one of these.
pub fn find_language<'l>(languages: &[&'l dyn Language], tag: &str) -> Option<&'l dyn Language> {
    languages.iter().copied().find(|language| language.code() == tag || language.grammar().has("tag", tag))
}

/// Returns true if a full stop after this word, in lower case, ends no sentence. All languages count, since a
/// text does not name its own.
pub fn is_abbreviation(word: &str) -> bool {
    ABBREVIATIONS.iter().any(|table| table.contains(word))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Tables whose order has a meaning, in which words are not looked up.
    const ORDERED: [&str; 3] = ["everyday_measures", "everyday_relations", "everyday_types"];

    fn folder(of: &dyn Language) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("lexicon").join(of.code())
    }

    #[test]
    fn every_file_of_a_language_is_a_table_with_words() {
        for language in LANGUAGES {
            let of = all(language);
            for entry in fs::read_dir(folder(language)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_str().unwrap();
                assert!(
                    of.iter().any(|(n, table)| *n == name && table.rows().count() > 0),
                    "{path:?} is in no list of {}",
                    language.code()
                );
            }
        }
    }

    #[test]
    fn words_of_a_table_are_in_order_and_found() {
        for (name, table) in
            LANGUAGES.iter().flat_map(|l| all(*l)).filter(|(name, _)| !ORDERED.contains(name))
        {
            let words: Vec<&str> = table.rows().map(|r| r.word).collect();
            assert_eq!(words.windows(2).find(|w| w[0] >= w[1]), None, "{name}");
            assert!(words.iter().all(|w| table.contains(w)), "{name}");
        }
    }

    #[test]
    fn a_file_begins_with_what_it_is() {
        for language in LANGUAGES {
            for entry in fs::read_dir(folder(language)).unwrap() {
                let text = fs::read_to_string(entry.unwrap().path()).unwrap();
                assert!(text.starts_with("# ") && text.ends_with('\n') && text.contains("Used by"), "{text}");
            }
        }
    }

    #[test]
    fn abbreviations_of_all_languages_are_known() {
        assert!(is_abbreviation("e.g") && is_abbreviation("z.b") && !is_abbreviation("end"));
    }
}
