//! Words of languages, as data: function words, irregular forms, comparatives, measures, question cues and everyday names.
//!
//! A language is a folder `lexicon/CODE` of this crate and a file here that names the tables it has ([`English`] is one to copy). What a table means stands
//! in its first lines. What the code speaks is [`SPOKEN`].

mod arabic;
mod chinese;
mod dutch;
mod english;
mod french;
mod german;
mod hindi;
mod italian;
mod japanese;
mod korean;
mod portuguese;
mod russian;
mod spanish;
mod table;
mod turkish;

pub use arabic::Arabic;
pub use chinese::Chinese;
pub use dutch::Dutch;
pub use english::English;
pub use french::French;
pub use german::German;
pub use hindi::Hindi;
pub use italian::Italian;
pub use japanese::Japanese;
pub use korean::Korean;
pub use portuguese::Portuguese;
pub use russian::Russian;
pub use spanish::Spanish;
pub use table::{Row, Table, lines, lines_begin, values};
pub use turkish::Turkish;

/// The language whose questions are understood, and in which the program's own words are.
pub const SPOKEN: English = English;

/// All languages that something is known of. Only who needs every table asks for it: a build, no page.
pub const LANGUAGES: [&dyn Language; 14] = [
    &Arabic,
    &Chinese,
    &Dutch,
    &English,
    &French,
    &German,
    &Hindi,
    &Italian,
    &Japanese,
    &Korean,
    &Portuguese,
    &Russian,
    &Spanish,
    &Turkish,
];

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A language: tables of words, each named as its file is. What a language has no file for is empty.
        pub trait Language: Sync {
            /// The language's code: the name of its folder.
            fn code(&self) -> &'static str;
            $($(#[$doc])* fn $name(&self) -> Table<'static> { Table::new("") })*
        }

        /// The tables of a language, each with its file's name.
        #[cfg(test)]
        fn all(of: &dyn Language) -> Vec<(&'static str, Table<'static>)> {
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

/// Defines a language as its folder's tables.
macro_rules! language {
    ($(#[$doc:meta])* $language:ident, $code:literal, [$($name:ident),* $(,)?]) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $language;

        impl $crate::lexicon::Language for $language {
            fn code(&self) -> &'static str {
                $code
            }
            $(fn $name(&self) -> $crate::lexicon::Table<'static> {
                $crate::table!(concat!("lexicon/", $code, "/", stringify!($name), ".tsv"))
            })*
        }
    };
}
use language;

/// Returns true if a full stop after this word, in lower case, ends no sentence. All languages count, since a text does not name its own.
pub fn is_abbreviation(word: &str) -> bool {
    English.abbreviations().contains(word) || German.abbreviations().contains(word)
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
    fn every_folder_is_a_language_and_every_file_a_table_of_it() {
        let folders = fs::read_dir(folder(&English).join("..")).unwrap().count();
        assert_eq!(folders, LANGUAGES.len());
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
