//! Phrases that planning by meaning compares questions with, and their vectors: the build embeds those of the
//! commonest classes and relations, so that a reader's first question of this kind need not. What a bundle
//! lacks is embedded when it is wanted.

use super::meaning::{OneEntityQuestion, class, of_a_file, others, relation_phrases};
use crate::bundle::{
    Bundle, BundleError, Kind, PagedIndex, begin_section, open_section, put_matrix, put_texts, take_matrix,
    take_texts,
};
use crate::compact::sort_unique;
use crate::kg::{KnowledgeGraph, RelationId, TripleId};
use crate::vector::QuantizedMatrix;
use futures::future::{FutureExt, LocalBoxFuture};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The section that holds them.
pub const PHRASES: &str = "kg-phrases";

/// Maximum number of classes with common questions, most frequent first, at 50 kB each.
const CLASSES: usize = 16;
/// Maximum number of relations, most frequent first, at 0.8 kB a name.
const RELATIONS: usize = 512;

/// The list of the pages, of which each holds phrases about one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhraseIndex {
    /// The pages; items are phrases.
    pub pages: PagedIndex,
    /// Subject of each page, ascending.
    pub about: Vec<String>,
}

/// A page.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrases {
    /// The phrases, ascending.
    pub texts: Vec<String>,
    /// The unit vector of each.
    pub vectors: QuantizedMatrix,
}

/// Returns the subject of the page of relations from things of a class.
fn relations_from(class: &str) -> String {
    format!("of a {class}")
}

/// Returns the subject of the page of questions about things of a class.
fn asked_of(class: &str) -> String {
    format!("this {class}")
}

/// Returns the subjects of the pages to compare a question with.
fn wanted(asked: &OneEntityQuestion) -> impl Iterator<Item = String> {
    asked.choices.iter().map(|c| relations_from(&c.from)).chain([asked_of(&asked.class)])
}

/// The phrases worth keeping for a graph: for each page what it is about, and its texts, both ascending. None
/// for a graph that no file was imported for.
pub fn phrases(graph: &KnowledgeGraph) -> BTreeMap<String, BTreeSet<String>> {
    let (mut used, mut nodes) = (vec![0u32; graph.vocabulary().relations().len()], BTreeSet::new());
    for number in 0..graph.triples() as u32 {
        if let Some(triple) = graph.triple(TripleId(number))
            && of_a_file(graph, TripleId(number))
        {
            used[triple.relation.index()] += 1;
            nodes.extend([triple.head, triple.tail]);
        }
    }
    let mut things: BTreeMap<String, u32> = BTreeMap::new();
    for node in nodes {
        *things.entry(class(graph, node)).or_default() += 1;
    }
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for class in most(things, CLASSES) {
        out.entry(asked_of(&class)).or_default().extend(others(&class));
    }
    let used = used.into_iter().enumerate().filter(|&(_, n)| n > 0).map(|(r, n)| (RelationId(r as u32), n));
    for relation in most(used, RELATIONS) {
        if let Some(of) = graph.vocabulary().relation(relation) {
            let (from, phrase_list) = relation_phrases(graph, of);
            out.entry(relations_from(&from)).or_default().extend(phrase_list);
        }
    }
    out
}

/// The `n` that are counted most; of equals the first.
fn most<T: Ord>(counted: impl IntoIterator<Item = (T, u32)>, n: usize) -> Vec<T> {
    let mut all: Vec<(T, u32)> = counted.into_iter().collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    all.into_iter().take(n).map(|(thing, _)| thing).collect()
}

impl PhraseIndex {
    /// The section's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin_section(Kind::KgPhraseIndex);
        self.pages.put(&mut out);
        put_texts(&mut out, &self.about);
        out
    }

    /// Reads what [`PhraseIndex::encode`] wrote. Fails if the bytes are no such section.
    pub fn decode(file: &str, bytes: &[u8]) -> Result<Self, BundleError> {
        let mut b = open_section(file, bytes, Kind::KgPhraseIndex)?;
        let (pages, about) = (PagedIndex::take(&mut b)?, take_texts(&mut b)?);
        b.end()?;
        if about.len() != pages.pages.len() || !about.is_sorted() {
            return Err(b.corrupt("it does not say what each page is about, or not in order"));
        }
        Ok(PhraseIndex { pages, about })
    }
}

impl Phrases {
    /// The page's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = begin_section(Kind::KgPhrases);
        put_texts(&mut out, &self.texts);
        put_matrix(&mut out, &self.vectors);
        out
    }

    /// Reads what [`Phrases::encode`] wrote: `count` phrases with vectors of dimension `dim`.
    ///
    /// # Errors
    /// [`BundleError`] when the bytes are no such page.
    pub fn decode(file: &str, bytes: &[u8], count: u32, dim: u64) -> Result<Self, BundleError> {
        let mut b = open_section(file, bytes, Kind::KgPhrases)?;
        let (texts, vectors) = (take_texts(&mut b)?, take_matrix(&mut b)?);
        b.end()?;
        if texts.len() != count as usize
            || vectors.rows() != texts.len()
            || vectors.dim() as u64 != dim
            || !texts.is_sorted()
        {
            return Err(b.corrupt("it holds another number of phrases, or vectors of another dimension"));
        }
        Ok(Phrases { texts, vectors })
    }
}

/// Loads the list of a bundle's phrases; `None` where it has none. Fails if it cannot be loaded.
pub fn load_phrases<'a>(
    bundle: &'a Bundle,
) -> LocalBoxFuture<'a, Result<Option<Rc<PhraseIndex>>, BundleError>> {
    async move {
        if !bundle.has(PHRASES) {
            return Ok(None);
        }
        bundle.section(PHRASES, PhraseIndex::decode).await.map(Some)
    }
    .boxed_local()
}

/// The vectors that a bundle has of `texts`, which are those of a question, ascending. What cannot be loaded
/// is missing, as what the bundle never had is.
pub fn phrase_vectors<'a>(
    bundle: &'a Bundle,
    asked: &'a OneEntityQuestion,
    texts: &'a [&'a str],
) -> LocalBoxFuture<'a, Vec<Option<Rc<[f32]>>>> {
    async move {
        let mut out = vec![None; texts.len()];
        let Ok(Some(index)) = load_phrases(bundle).await else { return out };
        let mut numbers: Vec<usize> =
            wanted(asked).filter_map(|about| index.about.binary_search(&about).ok()).collect();
        sort_unique(&mut numbers);
        let dim = bundle.manifest().embedder.dimension;
        let decode = move |count: u32, file: &str, bytes: &[u8]| Phrases::decode(file, bytes, count, dim);
        let pages = bundle.pages(PHRASES, &index.pages, &numbers, decode).await.loaded;
        for (_, page) in pages.iter() {
            for (text, row) in page.texts.iter().zip(0..) {
                if let Ok(at) = texts.binary_search(&text.as_str()) {
                    out[at] = Some(page.vectors.row_f32(row).into());
                }
            }
        }
        out
    }
    .boxed_local()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bundle::{PAGE_HASH, PageRef};
    use crate::kg::{KgBuilder, Linker, Provenance};
    use crate::planner::one_entity_question;
    use proptest::prelude::*;

    fn graph() -> KnowledgeGraph {
        let mut b = KgBuilder::default();
        let film = b.entity_type("film").unwrap();
        let (by, contains) = (b.relation("directed_by").unwrap(), b.relation("contains").unwrap());
        let (heat, mann) = (b.entity("Heat").unwrap(), b.entity("Michael Mann").unwrap());
        b.entity_has_type(heat, film).unwrap();
        b.triple(heat, by, mann, Provenance::Line { file: "films", line: 1 }).unwrap();
        let (page, section) = (b.entity("Guide").unwrap(), b.entity("Installation").unwrap());
        b.triple(page, contains, section, Provenance::Passage { chunk: 0, start: 0, end: 5 }).unwrap();
        b.finish().unwrap()
    }

    #[test]
    fn all_that_a_question_compares_with_is_kept() {
        let graph = graph();
        let kept = phrases(&graph);
        for question in ["Who was behind the camera for Heat?", "What has Michael Mann to show for?"] {
            let asked = one_entity_question(&Linker::new(&graph), question).unwrap();
            let all: BTreeSet<&str> = kept.values().flatten().map(String::as_str).collect();
            assert!(asked.texts().iter().all(|text| all.contains(text)), "{question}");
            let pages: Vec<String> = wanted(&asked).collect();
            assert!(pages.iter().all(|about| kept.contains_key(about)), "{question}: {pages:?}");
        }
        // What documents say of themselves is not asked for by meaning.
        assert!(!kept.values().flatten().any(|text| text.contains("contains")));
        assert!(phrases(&KgBuilder::default().finish().unwrap()).is_empty());
    }

    #[test]
    fn a_list_that_does_not_name_its_pages_is_refused() {
        let page = PageRef { sha256: [7; PAGE_HASH], bytes: 3, raw: 3 };
        let index = |about: &[&str]| PhraseIndex {
            pages: PagedIndex { pages: vec![page.clone(); 2], first: vec![0, 2, 5] },
            about: about.iter().map(|&a| a.to_owned()).collect(),
        };
        let good = index(&["of a film", "this film"]);
        assert_eq!(PhraseIndex::decode("p", &good.encode()).unwrap(), good);
        assert!(PhraseIndex::decode("p", &index(&["this film", "of a film"]).encode()).is_err());
        assert!(PhraseIndex::decode("p", &index(&["this film"]).encode()).is_err());
    }

    proptest! {
        #[test]
        fn a_page_reads_back(texts in prop::collection::btree_set("[a-z ]{0,9}", 0..9), seed in any::<u8>()) {
            let rows: Vec<Vec<f32>> = (0..texts.len())
                .map(|i| (0..4).map(|j| f32::from(seed) + (i * j) as f32).collect())
                .collect();
            let vectors = QuantizedMatrix::from_rows(4, rows.iter().map(Vec::as_slice));
            let page = Phrases { texts: texts.into_iter().collect(), vectors };
            let (bytes, n) = (page.encode(), page.texts.len() as u32);
            prop_assert_eq!(&Phrases::decode("p", &bytes, n, 4).unwrap(), &page);
            prop_assert!(Phrases::decode("p", &bytes, n + 1, 4).is_err());
            prop_assert!(Phrases::decode("p", &bytes, n, 5).is_err());
            prop_assert!(Phrases::decode("p", &bytes[..bytes.len() - 1], n, 4).is_err());
        }

        #[test]
        fn any_bytes_are_a_section_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let behind = |kind: Kind| [begin_section(kind).as_slice(), &bytes].concat();
            let _ = PhraseIndex::decode("p", &behind(Kind::KgPhraseIndex));
            let _ = Phrases::decode("p", &behind(Kind::KgPhrases), 3, 8);
        }
    }
}
