//! The function words of the documents' languages, as a bundle brings them to the page.

use super::{QuestionLanguage, common_languages};
use pocketgraph_bundle::Document;
use pocketgraph_text::lexicon::{Language, SPOKEN, Table, find_language};
use pocketgraph_text::{fold, terms};
use std::collections::BTreeMap;

/// Returns a table for each of `languages` that documents are in, or questions will be, and of which function
/// words are known, the documents' commonest first; not of the language that every page knows.
pub fn function_words(
    documents: &[Document],
    questions: &[QuestionLanguage],
    languages: &[&dyn Language],
) -> Vec<String> {
    let with_language = documents.iter().filter(|d| !d.language.is_empty()).count();
    let common = common_languages(documents.iter().map(|d| d.language.as_str()), with_language);
    let mut codes: Vec<&str> = Vec::new();
    for tag in common.chain(questions.iter().map(|l| l.tag.clone())) {
        if let Some(language) = find_language(languages, &tag)
            && language.code() != SPOKEN.code()
            && !codes.contains(&language.code())
        {
            codes.push(language.code());
        }
    }
    let tables = codes.iter().filter_map(|code| Some((code, write_table(find_language(languages, code)?))));
    // In front of the words the language itself, so that a reader of them can tell which it is.
    tables.filter(|(_, words)| !words.is_empty()).map(|(tag, words)| format!("\t{tag}\n{words}")).collect()
}

/// Writes the lines of a language: its words as questions have them as terms, each with its marks.
fn write_table(language: &dyn Language) -> String {
    let mut marks: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |table: Table<'_>, mark: &dyn Fn(&str) -> &'static str| {
        for row in table.rows() {
            marks.entry(find_term(row.word)).or_default().push_str(mark(row.field(0)));
        }
    };
    add(language.stop_words(), &|_| "s");
    add(language.question_words(), &|asks| match asks {
        "manner" => "sm",
        "quantity" => "sq",
        _ => "s",
    });
    add(language.after_how(), &|_| "a");
    add(language.measured_nouns(), &|_| "f");
    marks.into_iter().map(|(word, marks)| format!("{word}\t{marks}\n")).collect()
}

/// A word as the term that a question has for it; where that has several, as it stands between spaces.
fn find_term(word: &str) -> String {
    match terms(word).as_slice() {
        [(term, _)] => term.clone(),
        _ => fold(word),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_text::lexicon::LANGUAGES;

    fn documents(languages: &[(&str, usize)]) -> Vec<Document> {
        let of = |language: &str| Document {
            title: String::new(),
            url: String::new(),
            path: String::new(),
            language: language.to_owned(),
        };
        languages.iter().flat_map(|(language, n)| (0..*n).map(|_| of(language))).collect()
    }

    #[test]
    fn a_bundle_brings_the_words_of_its_own_languages_and_of_no_other() {
        let found = function_words(
            &documents(&[("en", 50), ("de", 30), ("fr", 1), ("sw", 30), ("", 40)]),
            &[],
            &LANGUAGES,
        );
        assert_eq!(found.len(), 1, "English needs none, French is too little, of Swahili nothing is known");
        let german = Table::new(&found[0]);
        assert_eq!(german.row("").unwrap().field(0), "de");
        assert_eq!(german.row("wie").unwrap().field(0), "sm");
        assert_eq!(german.row("wann").unwrap().field(0), "sq");
        assert!(german.contains("welch"), "as the index has it");
        assert_eq!(function_words(&documents(&[("en", 2), ("", 5)]), &[], &LANGUAGES), Vec::<String>::new());
        let asked = ["de", "pl", "en", "zh"].map(|tag| tag.parse::<QuestionLanguage>().unwrap());
        let found = function_words(&documents(&[("en", 50), ("de", 30)]), &asked[..], &LANGUAGES);
        assert_eq!(found.len(), 2, "those of questions are brought too, each language once");
    }

    #[test]
    fn words_are_in_the_order_that_they_are_looked_up_in() {
        for language in LANGUAGES
            .iter()
            .filter(|l| l.code() != SPOKEN.code() && l.question_words().rows().next().is_some())
        {
            let text = write_table(*language);
            let table = Table::new(&text);
            for row in table.rows() {
                assert!(
                    table.contains(row.word) && !row.field(0).is_empty(),
                    "{} {}",
                    language.code(),
                    row.word
                );
            }
            assert!(
                table.rows().any(|row| row.field(0).contains('q')),
                "{} has no word that asks for a figure",
                language.code()
            );
        }
    }
}
