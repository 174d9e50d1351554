//! Data of the graph retrievers in a bundle, and their common parts.

use super::{Corpus, Names, Query, Ranked, RankedChunk, Reached, Stage, load_names};
use crate::bundle::{BundleError, Kind, decode_vectors};
use crate::compact::sort_by;
use crate::entities::{
    Communities, EntityIndex, Facts, Relations, Synonyms, Titles, Tree, decode_communities, decode_entities,
    decode_facts, decode_relations, decode_synonyms, decode_texts, decode_tree,
};
use crate::names::{NameTable, capital_spans, decode_mentions, mentions, name_words};
use crate::vector::{QuantizedMatrix, QuantizedVector, Scored, top_k};
use pocketgraph_search::retrieve::dense::{QuestionVector, question_vector};
use pocketgraph_search::retrieve::scan::survey_chunks;
use std::ops::Deref;
use std::rc::Rc;

/// Maximum number of chunks that are all compared, as in the originals; of more, those in the nearest cells.
const EVERY_BELOW: usize = 20_000;
/// Number of chunks that a scan of the nearest cells keeps.
const SCANNED: usize = 2_000;
/// Maximum number of ways given for a hit.
const WAYS: usize = 3;

/// Corpus with the data of the retrievers that its bundle was prepared for.
#[derive(Clone, Copy)]
pub struct PreparedCorpus<'a>(pub &'a Corpus);

impl Deref for PreparedCorpus<'_> {
    type Target = Corpus;

    fn deref(&self) -> &Corpus {
        self.0
    }
}

impl PreparedCorpus<'_> {
    /// Loads all names of the corpus. Fails if the bundle has none or they cannot be loaded.
    pub async fn names(&self) -> Result<Rc<Names>, BundleError> {
        load_names(self.0).await
    }

    /// Loads the index of entities in sentences, and their vectors, for `retriever`.
    ///
    /// # Errors
    /// [`BundleError::NotPrepared`] if the bundle was built without; [`BundleError`] if loading fails.
    pub async fn entities(
        &self,
        retriever: &'static str,
    ) -> Result<(Rc<Names>, Rc<EntityIndex>), BundleError> {
        if !["names", "mentions", "entities"].iter().all(|s| self.bundle().has(s)) {
            return Err(BundleError::NotPrepared(retriever));
        }
        let names = self.names().await?;
        let (named, dim) = (Rc::clone(&names), self.bundle().manifest().embedder.dimension);
        let decode = move |file: &str, bytes: &[u8]| {
            let table = &named.table;
            decode_entities(file, bytes, table.entries.len(), &chunk_titles(table), dim)
        };
        let index = self.bundle().section("entities", decode).await?;
        Ok((names, index))
    }

    /// Loads the entities' near synonyms, for `retriever`. Fails as [`PreparedCorpus::entities`] does.
    pub async fn synonyms(
        &self,
        retriever: &'static str,
        entities: usize,
    ) -> Result<Rc<Synonyms>, BundleError> {
        if !self.bundle().has("synonyms") {
            return Err(BundleError::NotPrepared(retriever));
        }
        let synonyms = self.bundle().section("synonyms", decode_synonyms).await?;
        if synonyms.rows() != entities {
            return Err(BundleError::Corrupt {
                file: "synonyms".into(),
                what: "its entities are not the names".into(),
            });
        }
        Ok(synonyms)
    }

    /// Loads a section of `retriever` by `decode(file name, bytes, number of chunks, dimension)`.
    async fn load_prepared<T: 'static>(
        &self,
        section: &str,
        retriever: &'static str,
        decode: impl FnOnce(&str, &[u8], u64, u64) -> Result<T, BundleError> + 'static,
    ) -> Result<Rc<T>, BundleError> {
        if !self.bundle().has(section) {
            return Err(BundleError::NotPrepared(retriever));
        }
        let (chunks, dim) =
            (self.bundle().manifest().counts.chunks, self.bundle().manifest().embedder.dimension);
        self.bundle().section(section, move |file, bytes| decode(file, bytes, chunks, dim)).await
    }

    /// Loads the triples that passages state, for `retriever`. Fails as [`PreparedCorpus::entities`] does.
    pub async fn facts(&self, retriever: &'static str) -> Result<Rc<Facts>, BundleError> {
        self.load_prepared("facts", retriever, decode_facts).await
    }

    /// Loads the relations that a language model read, for `hypergraph` and `graphrag`; `None` without any.
    /// Fails if they cannot be loaded.
    pub async fn relations(&self) -> Result<Option<Rc<Relations>>, BundleError> {
        if !self.bundle().has("relations") {
            return Ok(None);
        }
        let m = self.bundle().manifest();
        let (chunks, dim) = (m.counts.chunks, m.embedder.dimension);
        self.bundle()
            .section("relations", move |file, bytes| decode_relations(file, bytes, chunks, dim))
            .await
            .map(Some)
    }

    /// Loads the vectors of the `count` statements of [`PreparedCorpus::relations`], or fails.
    pub async fn statements(&self, count: usize) -> Result<Rc<QuantizedMatrix>, BundleError> {
        let (rows, dim) = (count as u32, self.bundle().manifest().embedder.dimension);
        self.bundle()
            .section("statements", move |file, bytes| {
                decode_vectors(file, bytes, Kind::Statements, rows, dim)
            })
            .await
    }

    /// Loads the `count` texts that a model wrote for `section`: `reports` on communities, or `summaries` of
    /// the tree; `None` without any. Fails if they cannot be loaded.
    pub async fn written(
        &self,
        section: &'static str,
        count: usize,
    ) -> Result<Option<Rc<Vec<String>>>, BundleError> {
        if !self.bundle().has(section) {
            return Ok(None);
        }
        self.bundle().section(section, move |file, bytes| decode_texts(file, bytes, count)).await.map(Some)
    }

    /// Loads the communities of entities with their reports, for `retriever`. Fails as
    /// [`PreparedCorpus::entities`] does.
    pub async fn communities(
        &self,
        retriever: &'static str,
        entities: usize,
    ) -> Result<Rc<Communities>, BundleError> {
        let decode = move |file: &str, bytes: &[u8], chunks, dim| {
            decode_communities(file, bytes, entities, chunks, dim)
        };
        self.load_prepared("communities", retriever, decode).await
    }

    /// Loads the tree of summaries, for `retriever`. Fails as [`PreparedCorpus::entities`] does.
    pub async fn tree(&self, retriever: &'static str) -> Result<Rc<Tree>, BundleError> {
        self.load_prepared("tree", retriever, decode_tree).await
    }

    /// Returns the cosines of the sentences of `chunks` to `question`, by sentence number in `index`, and the
    /// names of parts that could not be loaded. Fails if the list of pages cannot be loaded.
    pub async fn sentence_cosines(
        &self,
        index: &EntityIndex,
        chunks: &[u32],
        question: &QuantizedVector,
    ) -> Result<(Vec<Scored>, Vec<String>), BundleError> {
        let dim = self.bundle().manifest().embedder.dimension;
        let pages = self.mention_index().await?;
        let entries = index.entities() as u32;
        let decode =
            move |items: u32, file: &str, bytes: &[u8]| decode_mentions(file, bytes, items, entries, dim);
        let loaded = self.bundle().pages("mentions", &pages, pages.pages_of(chunks).items(), decode).await;
        let mut out = Vec::new();
        for &chunk in chunks {
            let place = pages.locate(chunk);
            let Some(found) = place.and_then(|(page, place)| loaded.loaded.get(&page)?.get(place)) else {
                continue;
            };
            if found.vectors.dim() == question.data.len() {
                let cosines = found.vectors.scan(question);
                out.extend(
                    index.sentences_in(chunk).zip(cosines).map(|(index, score)| Scored { index, score }),
                );
            }
        }
        Ok((out, loaded.missing()))
    }
}

/// Least certainty, in hundredths, of a name of a document that counts as its title.
const TITLE: u8 = 80;

/// Returns the entities that name each chunk's document.
fn chunk_titles(table: &NameTable) -> Titles {
    let mut of: Vec<Vec<u32>> = vec![Vec::new(); table.title_weight.len()];
    for (entry, e) in table.entries.iter().enumerate() {
        for &(document, _) in e.of.iter().filter(|(_, strength)| *strength >= TITLE) {
            if let Some(list) = of.get_mut(document as usize) {
                list.push(entry as u32);
            }
        }
    }
    Titles::new(of.into_iter().collect(), table.document_of.clone())
}

/// Cosines of only those chunks that were compared with a question, since a bundle may claim any number.
#[derive(Debug, Clone, Default)]
pub(super) struct Cosines {
    /// Number of all chunks, compared or not.
    pub chunks: usize,
    /// Compared chunks, ascending, with their cosines.
    pub known: Vec<(u32, f32)>,
}

impl Cosines {
    /// Returns the cosine of a chunk, if it was compared.
    pub fn get(&self, chunk: u32) -> Option<f32> {
        let place = self.known.binary_search_by_key(&chunk, |k| k.0).ok()?;
        self.known.get(place).map(|k| k.1)
    }

    /// Iterates over the compared chunks, ascending, as scores.
    pub fn scored(&self) -> impl Iterator<Item = Scored> {
        self.known.iter().map(|&(index, score)| Scored { index, score })
    }

    /// Returns the cosines of the first `chunks` chunks, stretched by [`min_max`].
    pub fn stretched(&self, chunks: usize) -> Vec<f64> {
        let known: Vec<Option<f32>> = self.known.iter().map(|k| Some(k.1)).collect();
        let mut out = vec![0.0; chunks];
        for (&(chunk, _), stretched) in self.known.iter().zip(min_max(&known)) {
            if let Some(slot) = out.get_mut(chunk as usize) {
                *slot = stretched;
            }
        }
        out
    }
}

#[cfg(test)]
impl From<&[Option<f32>]> for Cosines {
    fn from(all: &[Option<f32>]) -> Cosines {
        Cosines {
            chunks: all.len(),
            known: all.iter().enumerate().filter_map(|(c, x)| Some((c as u32, (*x)?))).collect(),
        }
    }
}

/// Question with its vector, and the chunks' cosines to it.
pub(super) struct PreparedQuestion {
    /// Vector of the question.
    pub question: QuantizedVector,
    /// Cosines of the chunks.
    pub cosines: Cosines,
    /// Stage that ranked.
    pub stage: Stage,
    /// Names of parts that could not be loaded.
    pub missing: Vec<String>,
}

impl PreparedQuestion {
    /// Compares the question with the chunks; an empty ranking if it has no vector.
    pub async fn ask(
        corpus: &Corpus,
        query: &Query,
    ) -> Result<Result<PreparedQuestion, Ranked>, BundleError> {
        let QuestionVector { vector, stage, near: spoke, mut missing } =
            question_vector(corpus, query).await?;
        let Some(vector) = vector else { return Ok(Err(Ranked { stage, missing, ..Ranked::listed(&[]) })) };
        let mut near = survey_chunks(corpus, &vector, stage, SCANNED, &spoke, query.kept.clone()).await?;
        if corpus.len() <= EVERY_BELOW {
            let every: Vec<u32> = (0..corpus.len() as u32).collect();
            near.also(corpus, &every).await;
        }
        missing.append(&mut near.missing);
        let cosines = Cosines { chunks: corpus.len(), known: near.loaded_cosines() };
        Ok(Ok(PreparedQuestion { question: QuantizedVector::from_f32(&vector), cosines, stage, missing }))
    }

    /// Ranks the chunks by cosine alone, the fallback of graph retrievers.
    pub fn by_cosine(self, k: usize) -> Ranked {
        let best = top_k(self.cosines.scored(), k);
        self.ranked(best, |_| vec![Reached::Query])
    }

    /// Makes the result of ranked chunks.
    pub fn ranked(self, best: Vec<Scored>, reached: impl Fn(u32) -> Vec<Reached>) -> Ranked {
        let chunks = best
            .into_iter()
            .map(|h| {
                let mut ways = reached(h.index);
                ways.truncate(WAYS);
                if ways.is_empty() {
                    ways.push(Reached::Query);
                }
                let dense = self.cosines.get(h.index);
                RankedChunk { chunk: h.index, score: h.score, lexical: None, dense, reached: ways }
            })
            .collect();
        Ranked { stage: self.stage, chunks, missing: self.missing, ..Ranked::default() }
    }
}

/// Stretches values to 0..1; all ones if they are all the same. Unknown values and NaN become 0.
pub(super) fn min_max(values: &[Option<f32>]) -> Vec<f64> {
    let known = || values.iter().flatten().filter(|x| x.is_finite()).map(|&x| f64::from(x));
    let (low, high) = known().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let stretch = |x: f64| if high > low { (x - low) / (high - low) } else { 1.0 };
    values.iter().map(|x| x.filter(|x| x.is_finite()).map_or(0.0, |x| stretch(f64::from(x)))).collect()
}

/// Returns the entities that a question names, ascending, each with its certainty: 1 if it is written there.
/// If a model can embed it, a phrase with capitals that is no entity gives the entity nearest in meaning,
/// with their cosine.
pub(super) async fn question_entities(query: &Query, names: &Names, index: &EntityIndex) -> Vec<(u32, f32)> {
    let words = name_words(&query.read);
    let find = |key: &str| {
        let place = names.table.find(key).filter(|&e| !index.chunks_of(e).is_empty())?;
        Some((place, names.table.entries.get(place as usize)?.common))
    };
    let found = mentions(&words, &find);
    let mut out: Vec<(u32, f32)> = found.iter().map(|m| (m.entry, 1.0)).collect();
    if let Some(encoder) = &query.encoder {
        for span in capital_spans(&words) {
            let taken = |w: usize| {
                found.iter().any(|m| m.span.start < words[w].span.end && words[w].span.start < m.span.end)
            };
            if span.clone().any(taken) {
                continue;
            }
            let text = words[span].iter().map(|w| w.key.as_str()).collect::<Vec<_>>().join(" ");
            let Ok(vector) = encoder.encode(&text).await else { continue };
            let vector = QuantizedVector::from_f32(&vector);
            if index.vectors.dim() == vector.data.len() {
                let all = index
                    .vectors
                    .scan(&vector)
                    .into_iter()
                    .enumerate()
                    .map(|(e, score)| Scored { index: e as u32, score });
                out.extend(top_k(all, 1).first().map(|h| (h.index, h.score)));
            }
        }
    }
    // The more certain of two finds of an entity counts.
    sort_by(&mut out, |a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    out.dedup_by_key(|x| x.0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretching_constants_nothing_and_unknowns_gives_numbers() {
        assert_eq!(min_max(&[Some(0.3), Some(0.3)]), [1.0, 1.0]);
        assert_eq!(min_max(&[]), [0.0; 0]);
        assert_eq!(min_max(&[None, Some(f32::NAN)]), [0.0, 0.0]);
        assert_eq!(min_max(&[Some(0.0), None, Some(2.0), Some(1.0)]), [0.0, 0.0, 1.0, 0.5]);
    }
}
