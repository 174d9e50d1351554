//! Words in other forms, and inside longer words: what the build knows, so that a page needs no stemmer.
//!
//! A page folds words and stems English ones. Of every other language the build sees all forms that the
//! documents have: the forms of one stem stand for each other in the index, each word of a compound for
//! itself, and a question's word is looked up as it is written.

use pocketgraph_bundle::{Chunk, Document};
use pocketgraph_text::lexicon::{Language, find_language};
use pocketgraph_text::{terms, words};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use snowball_stemmers_rs::{Algorithm, Stemmer};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use unicode_normalization::UnicodeNormalization;

/// Weight of another form of a word beside the form that a passage has: 0 separates them, 1 treats them as
/// one. Fitted by `tuning/forms.py`.
const OTHER_FORM: f32 = 0.5;
/// Weight of a word that a passage has inside a longer one. Hand-set: in `tuning/forms.py` recall@1 in German
/// is .898 with .2 and .35, .899 with .5.
const PART: f32 = 0.35;
/// Minimum number of letters of a part of a compound: shorter words occur in many by chance.
const LEAST_PART: usize = 4;
/// Forms of one stem beyond these are left alone: it is no stem of a word.
const MOST_FORMS: usize = 40;

/// Changes of a language's words, from its table `grammar`.
struct Grammar<'l> {
    stemmer: Option<Algorithm>,
    /// Letters that join two words to one, where words are written together.
    joints: Vec<&'l str>,
    /// Small words that are written together with the next one.
    prefixes: Vec<&'l str>,
}

fn find_grammar<'l>(languages: &[&'l dyn Language], tag: &str) -> Option<Grammar<'l>> {
    let table = find_language(languages, tag)?.grammar();
    let list = |name| {
        table
            .row(name)
            .into_iter()
            .flat_map(|row| row.list(0))
            .map(|value| value.trim_matches('-'))
            .collect::<Vec<_>>()
    };
    let name = table.row("stemmer").map(|row| row.field(0).into_deserializer());
    let stemmer = name.and_then(|name: StrDeserializer<'_, Error>| Algorithm::deserialize(name).ok());
    Some(Grammar { stemmer, joints: list("joint"), prefixes: list("prefix") })
        .filter(|_| table.rows().next().is_some())
}

/// Further terms of each term of each language, with their weights.
#[derive(Debug, Default)]
pub struct Forms {
    by_language: BTreeMap<String, HashMap<String, Vec<(String, f32)>>>,
}

/// The words of one language.
#[derive(Default)]
struct Vocabulary {
    /// Each word in lower case: its term, and how often it stands there.
    words: BTreeMap<String, (String, u32)>,
}

impl Vocabulary {
    fn read(&mut self, text: &str) {
        for word in words(text) {
            // What has figures or underlines inside is a name of a thing, which has no forms.
            if !word.text.chars().all(|c| !c.is_numeric() && c != '_') {
                continue;
            }
            let lower = word.text.nfc().collect::<String>().to_lowercase();
            if let Some((_, n)) = self.words.get_mut(&lower) {
                *n += 1;
            } else if let [(term, _)] = terms(word.text).as_slice() {
                self.words.insert(lower, (term.clone(), 1));
            }
        }
    }

    fn by_stem(&self, grammar: &Grammar<'_>) -> BTreeMap<String, BTreeSet<&str>> {
        let mut out: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        let stemmer = grammar.stemmer.map(Stemmer::create);
        for (word, (term, _)) in &self.words {
            let stem = match &stemmer {
                Some(stemmer) => stemmer.stem(word).into_owned(),
                None => self.bare(word, grammar).to_owned(),
            };
            out.entry(stem).or_default().insert(term);
        }
        out
    }

    /// A word without the small one before it, where what is left is a word of the documents.
    fn bare<'w>(&self, word: &'w str, grammar: &Grammar<'_>) -> &'w str {
        let rests = grammar.prefixes.iter().filter_map(|b| word.strip_prefix(b));
        rests
            .filter(|rest| rest.chars().count() + 1 >= LEAST_PART)
            .find(|rest| self.words.contains_key(*rest))
            .unwrap_or(word)
    }

    /// The two words of which a word is made: of several ways that of the commonest words.
    fn parts(&self, word: &str, joints: &[&str]) -> Option<(&str, &str)> {
        let mut best: Option<(u64, (&str, &str))> = None;
        for (at, _) in word.char_indices().skip(LEAST_PART) {
            let (front, back) = word.split_at(at);
            let Some((_, (end, back_count))) =
                self.words.get_key_value(back).filter(|_| back.chars().count() >= LEAST_PART)
            else {
                continue;
            };
            for start in joints
                .iter()
                .filter_map(|joint| front.strip_suffix(joint))
                .filter(|start| start.chars().count() >= LEAST_PART)
            {
                let Some((start, count)) = self.words.get(start) else { continue };
                let common = u64::from(*count) * u64::from(*back_count);
                if best.is_none_or(|(most, _)| common > most) {
                    best = Some((common, (start, end)));
                }
            }
        }
        best.map(|b| b.1)
    }

    fn represent(&self, grammar: &Grammar<'_>) -> HashMap<String, Vec<(String, f32)>> {
        let stems = self.by_stem(grammar);
        let mut forms: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for of_stem in stems.values().filter(|terms| terms.len() <= MOST_FORMS) {
            for term in of_stem {
                forms.entry(term).or_default().extend(of_stem.iter().copied());
            }
        }
        let mut out: HashMap<String, BTreeMap<String, f32>> = HashMap::new();
        let mut add = |term: &str, other: &str, share: f32| {
            if term != other {
                let best = out.entry(term.to_owned()).or_default().entry(other.to_owned()).or_default();
                *best = best.max(share);
            }
        };
        for (term, others) in &forms {
            others.iter().for_each(|other| add(term, other, OTHER_FORM));
        }
        if !grammar.joints.is_empty() {
            for (word, (term, _)) in &self.words {
                let Some((start, end)) = self.parts(word, &grammar.joints) else { continue };
                for part in [start, end] {
                    add(term, part, PART);
                    for other in forms.get(part).into_iter().flatten() {
                        add(term, other, OTHER_FORM * PART);
                    }
                }
            }
        }
        out.into_iter().map(|(term, others)| (term, others.into_iter().collect())).collect()
    }
}

impl Forms {
    /// Collects the forms of all words of documents in those of these languages whose grammar is known.
    pub fn of(documents: &[Document], chunks: &[Chunk], languages: &[&dyn Language]) -> Forms {
        let mut by_language: BTreeMap<&str, (Grammar<'_>, Vocabulary)> = BTreeMap::new();
        for document in documents {
            if let Some(grammar) = find_grammar(languages, &document.language) {
                by_language.entry(&document.language).or_insert((grammar, Vocabulary::default()));
            }
        }
        for (document, chunk) in chunks.iter().filter_map(|c| Some((documents.get(c.document as usize)?, c)))
        {
            if let Some((_, vocabulary)) = by_language.get_mut(document.language.as_str()) {
                for text in [&document.title, &chunk.text].into_iter().chain(&chunk.heading_path) {
                    vocabulary.read(text);
                }
            }
        }
        let of = |(language, (grammar, words)): (&str, (Grammar<'_>, Vocabulary))| {
            (language.to_owned(), words.represent(&grammar))
        };
        Forms { by_language: by_language.into_iter().map(of).collect() }
    }

    /// Returns the further terms of a term in a document of this language.
    pub fn also(&self, language: &str, term: &str) -> &[(String, f32)] {
        self.by_language.get(language).and_then(|terms| terms.get(term)).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pocketgraph_text::lexicon::LANGUAGES;

    fn of(language: &str, text: &str) -> Forms {
        let document = Document {
            title: "T".into(),
            url: String::new(),
            path: String::new(),
            language: language.into(),
        };
        let chunk = Chunk {
            document: 0,
            heading_path: Vec::new(),
            fragment: String::new(),
            text: text.into(),
            start: 0,
            end: 0,
        };
        Forms::of(&[document], &[chunk], &LANGUAGES)
    }

    fn others<'f>(forms: &'f Forms, language: &str, term: &str) -> Vec<&'f str> {
        forms.also(language, term).iter().map(|o| o.0.as_str()).collect()
    }

    #[test]
    fn forms_of_one_word_represent_each_other() {
        for (language, one, other) in [
            ("de", "hauser", "hausern"),
            ("fr", "continuait", "continuation"),
            ("ru", "книгами", "книги"),
            ("hi", "लडकियां", "लडकियों"),
            ("es", "cantando", "cantar"),
            ("fi", "taloissa", "talosta"),
            ("he", "בית", "הבית"),
        ] {
            let text = match language {
                "de" => "Häuser Häusern".to_owned(),
                _ => format!("{one} {other}"),
            };
            let forms = of(language, &text);
            let term = |word: &str| terms(word).first().map(|t| t.0.clone()).unwrap_or_default();
            assert_eq!(others(&forms, language, &term(one)), [term(other)], "{language}");
            assert!(others(&forms, "en", &term(one)).is_empty());
        }
    }

    #[test]
    fn a_compound_represents_its_parts_and_not_what_it_holds_by_chance() {
        let forms = of("de", "Sicherheitsgurt Sicherheit Gurt Gurte Wasserhahn Was Erhahn");
        let others = others(&forms, "de", "sicherheitsgurt");
        assert_eq!(others, ["gurt", "sicherheit"]);
        assert!(forms.also("de", "wasserhahn").is_empty());
    }

    #[test]
    fn what_a_form_counts_is_less_than_what_is_there() {
        let forms = of("de", "Häuser Häusern Haustür Häuser Tür");
        let all = forms.also("de", "hauser");
        assert!(all.iter().all(|&(_, share)| share > 0.0 && share < 1.0), "{all:?}");
    }

    #[test]
    fn code_and_hostile_text_have_no_forms() {
        let long = "ab".repeat(5000);
        for text in ["snake_case x86 42 camelCase", "\u{202e}\u{378}\u{10ffff}", &long] {
            assert!(of("de", text).by_language.get("de").is_some_and(|all| all.is_empty()), "{text:.20}");
        }
    }
}
