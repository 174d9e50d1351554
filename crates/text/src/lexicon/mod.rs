//! Words of languages, as data: function words, irregular forms, comparatives, measures, question cues and everyday names.
//!
//! A language is a folder `lexicon/CODE` of this crate, with any of the tables that [`Language`] names; what a table
//! means stands in its first line. `build.rs` makes a type of each folder.

mod table;

pub use table::{Row, Table, lines, lines_begin, values};

/// The language of whatever says nothing of its own, and of the program's own words.
pub const SPOKEN: En = En;

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A language: tables of words, each named as its file is. What a language has no file for is empty.
        pub trait Language: Sync {
            /// The language's code: the name of its folder.
            fn code(&self) -> &str;
            $($(#[$doc])* fn $name(&self) -> Table<'_> { Table::new("") })*
        }

        /// The tables of a language, each with its file's name.
        #[cfg(test)]
        fn all(of: &dyn Language) -> Vec<(&'static str, Table<'_>)> {
            vec![$((stringify!($name), of.$name())),*]
        }
    };
}

tables! {
    /// Words after which a full stop does not end a sentence.
    abbreviations,
    /// Adverbs without -ly, and adjectives that name nothing.
    adverbs_and_adjectives,
    /// Kind of answer that the word after "how" asks for.
    after_how,
    /// Question words for things of a type or relation with this word in its name.
    answer_kinds,
    /// Auxiliary verbs.
    auxiliaries,
    /// Words before nouns and names.
    before_nouns,
    /// Words before verbs.
    before_verbs,
    /// Topics that people ask about, with their question words.
    common_topics,
    /// Comparatives, superlatives and other words that compare.
    comparisons,
    /// Nouns after "is a" that are not a class.
    definition_nouns,
    /// Words that end the name at the head of a definition.
    definition_verbs,
    /// Words that deny or take away.
    denials,
    /// Words and phrases that say nothing of what a question asks, by class.
    discourse,
    /// Endings of words.
    endings,
    /// Kinds of things, and the kind that each is one of.
    everyday_kinds,
    /// Everyday measures; not in the order of words.
    everyday_measures,
    /// Everyday relations; not in the order of words.
    everyday_relations,
    /// Everyday names of common types; not sorted.
    everyday_types,
    /// Function words and fillers beyond the stop words.
    function_words,
    /// Changes of words: the stemmer, joints of compounds, prefixes, and further tags of the language.
    grammar,
    /// Nouns that say no more than the question word.
    hypernyms,
    /// Index terms that say how to answer.
    instruction_stems,
    /// Irregular plurals with their singulars.
    irregular_plurals,
    /// Irregular forms of verbs, with their bases.
    irregular_verbs,
    /// Words for kin that name two steps at once.
    kin,
    /// Words in -ly that are no adverbs.
    ly_nouns,
    /// Nouns whose values are figures.
    measured_nouns,
    /// Adjectives of measure, and how relations for it are known.
    measures,
    /// Months and their numbers.
    months,
    /// Relations that hold both ways.
    mutual_relations,
    /// Words without a capital inside a name.
    name_particles,
    /// Number words.
    numbers,
    /// Words for operations on sets.
    operation_cues,
    /// Prepositions.
    prepositions,
    /// Words that refer to something named before.
    pronouns,
    /// Words that ask for something.
    question_words,
    /// Beginnings and parts of sentences that only refer elsewhere.
    references,
    /// Words of questions, and how the relation that they ask for is known.
    relation_cues,
    /// Words for the ends of a scale.
    scales,
    /// British endings, and the American ones.
    spelling_endings,
    /// Words by which a reply mentions its sources.
    source_words,
    /// Words with two spellings, and the one that they are compared as.
    spellings,
    /// Function words that search leaves out.
    stop_words,
    /// Words that say when or how often something is, without a figure.
    times,
    /// Units of measure.
    units,
    /// Nouns too vague to be a keyword.
    vague_nouns,
    /// Names of dates and numbers in plans.
    value_kinds,
    /// Verbs in their base form.
    verbs,
    /// The article, with what is written before it in one word.
    articles,
}

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// Returns the language of a tag, if it is one of these.
pub fn find_language<'l>(languages: &[&'l dyn Language], tag: &str) -> Option<&'l dyn Language> {
    languages.iter().copied().find(|language| language.code() == tag || language.grammar().has("tag", tag))
}

/// Returns true if a full stop after this word, in lower case, ends no sentence. All languages count, since a text does not name its own.
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
        for (name, table) in LANGUAGES.iter().flat_map(|l| all(*l)).filter(|(name, _)| !ORDERED.contains(name)) {
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
