//! The names of a corpus, as far as a question needs them.

use super::{Corpus, Names};
use crate::bundle::{BundleError, TermIndex, Terms};
use crate::compact::sort_unique;
use crate::names::{
    ChunkDocuments, NAME_LIKE_WORDS, NameEntry, NameTable, NameWord, decode_links, name_of_term, name_words,
};
use crate::text::terms;
use futures::future::{FutureExt, LocalBoxFuture, try_join3};
use std::rc::Rc;

/// The names that begin with words of a question, the titles that have words of it, and the documents of
/// chunks. Names number documents by their first chunks; what is not at hand is not known.
#[derive(Clone)]
pub struct NameIndex {
    /// The document of each chunk, and the chunks of each document.
    pub documents: Rc<ChunkDocuments>,
    names: Terms,
    titles: Terms,
}

impl NameIndex {
    /// Loads what there is to know of a question and its `terms`: all in two rounds.
    ///
    /// # Errors
    /// [`BundleError`] when the sections' roots cannot be loaded. [`NameIndex::missing`] names missing
    /// ranges.
    pub fn open<'a>(
        corpus: &'a Corpus,
        question: &'a str,
        terms: &'a [String],
    ) -> LocalBoxFuture<'a, Result<NameIndex, BundleError>> {
        async move {
            let bundle = corpus.bundle();
            let counts = bundle.manifest().counts;
            let documents = corpus.chunk_documents();
            let names = async {
                let mut names = Terms::open(bundle, "names", counts.documents).await?;
                let wanted = ranges_of_words(&names.index, &name_words(question));
                names.load(wanted).await;
                Ok(names)
            };
            let titles = async {
                let mut titles = Terms::open(bundle, "titles", counts.documents).await?;
                let wanted = terms.iter().filter_map(|t| titles.index.range_of(t)).collect();
                titles.load(wanted).await;
                Ok(titles)
            };
            let (documents, names, titles) = try_join3(documents, names, titles).await?;
            Ok(NameIndex { documents, names, titles })
        }
        .boxed_local()
    }

    /// Returns the parts that could not be loaded.
    pub fn missing(&self) -> impl Iterator<Item = &String> {
        self.names.missing.iter().chain(&self.titles.missing)
    }

    /// Returns the number of names.
    pub fn count(&self) -> u32 {
        self.names.index.ranges.items()
    }

    /// A name by its key, with its place among all.
    pub fn lookup(&self, key: &str) -> Option<(u32, NameEntry)> {
        self.names.find(key).map(|(place, term)| (place, name_of_term(term)))
    }

    /// A name by its place among all.
    pub fn at(&self, place: u32) -> Option<NameEntry> {
        self.names.at(place).map(name_of_term)
    }

    /// Returns the documents with a term in a name-like title, with the summed rarity of the title's terms in
    /// 1/256.
    pub fn titled(&self, term: &str) -> &[(u32, u32)] {
        self.titles.find(term).map_or(&[], |t| &t.1.postings)
    }

    /// Loads the names at these places, and those inside phrases that name no document. Returns the missing
    /// parts.
    pub async fn load(&mut self, places: &[u32]) -> Vec<String> {
        let before = self.names.missing.len();
        self.names.load(self.names.index.ranges.pages_of(places).into_items()).await;
        let phrases = places.iter().filter_map(|&p| self.at(p)).filter(|e| e.of.is_empty());
        let inside = phrases.flat_map(|e| ranges_of_words(&self.names.index, &name_words(&e.key))).collect();
        self.names.load(inside).await;
        self.names.missing.split_off(before)
    }
}

/// Returns the number of other documents that mention each document, or
/// [`NOT_HOPPED`](crate::names::NOT_HOPPED).
///
/// # Errors
/// [`BundleError`] when the section cannot be loaded.
pub async fn count_links(corpus: &Corpus) -> Result<Rc<Vec<u32>>, BundleError> {
    corpus.bundle().section("links", decode_links).await
}

/// The ranges that would hold the names which the words may be, one after another.
fn ranges_of_words(index: &TermIndex, words: &[NameWord]) -> Vec<usize> {
    let mut out = Vec::new();
    for at in 0..words.len() {
        let mut key = String::new();
        for word in words.iter().skip(at).take(NAME_LIKE_WORDS) {
            if !key.is_empty() {
                key.push(' ');
            }
            key.push_str(&word.key);
            out.extend(index.range_of(&key));
        }
    }
    sort_unique(&mut out);
    out
}

/// All names of the corpus, loaded when first asked for. Fails if any part of them cannot be loaded.
pub fn load_names<'a>(corpus: &'a Corpus) -> LocalBoxFuture<'a, Result<Rc<Names>, BundleError>> {
    async move {
        let held = corpus.kept_names().borrow().clone();
        if let Some(names) = held {
            return Ok(names);
        }
        let mut index = NameIndex::open(corpus, "", &[]).await?;
        index.names.load((0..index.names.index.first_terms.len()).collect()).await;
        if let Some(lost) = index.missing().next() {
            return Err(BundleError::Corrupt { file: "names".to_owned(), what: lost.clone() });
        }
        let hop = corpus.bundle().has("links");
        let links_in =
            if hop { count_links(corpus).await?.to_vec() } else { vec![0; index.documents.documents()] };
        let entries = index.names.iter().map(name_of_term).collect();
        let title_weight = vec![0; links_in.len()];
        let names = Rc::new(Names {
            table: NameTable {
                entries,
                document_of: index.documents.of.clone(),
                title_weight,
                links_in,
                hop,
            },
        });
        *corpus.kept_names().borrow_mut() = Some(Rc::clone(&names));
        Ok(names)
    }
    .boxed_local()
}

/// The distinct terms of a title without its parenthesis.
pub fn title_terms(title: &str) -> Vec<String> {
    let base = match title.find('(') {
        Some(open) if open > 0 => &title[..open],
        _ => title,
    };
    let mut out: Vec<String> = terms(base).into_iter().map(|t| t.0).collect();
    sort_unique(&mut out);
    out
}
