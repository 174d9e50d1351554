//! The section `facts`: triples that passages state (HippoRAG 2, arXiv 2502.14802), with their phrases.

use super::synonyms::{Synonyms, put_rows, take_rows};
use crate::bundle::{
    BundleError, Kind, begin_section, open_section, put_matrix, put_texts, put_varint, take_texts,
    take_vectors,
};
use crate::sparse::Graph;
use crate::vector::QuantizedMatrix;
use std::cell::OnceCell;

/// Triple with the passages that state it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedFact {
    /// Index of the subject among the phrases.
    pub subject: u32,
    /// Index of the relation among the relations.
    pub relation: u32,
    /// Index of the object among the phrases.
    pub object: u32,
    /// Chunks that state it, ascending; at least one.
    pub chunks: Vec<u32>,
}

/// The facts of a bundle.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Subjects and objects as they are compared: folded words.
    pub phrases: Vec<String>,
    /// Relations as they are read.
    pub relations: Vec<String>,
    /// The facts.
    pub all: Vec<StatedFact>,
    /// Near synonyms among the phrases.
    pub synonyms: Synonyms,
    /// Unit vector of each fact.
    pub vectors: QuantizedMatrix,
    graph: OnceCell<Graph>,
}

impl Facts {
    /// Makes facts of parts that agree: indexes inside `phrases` and `relations`, a row of `synonyms` for
    /// each phrase, a vector for each fact.
    pub fn new(
        phrases: Vec<String>,
        relations: Vec<String>,
        all: Vec<StatedFact>,
        synonyms: Synonyms,
        vectors: QuantizedMatrix,
    ) -> Facts {
        Facts { phrases, relations, all, synonyms, vectors, graph: OnceCell::new() }
    }

    /// Returns the text of a fact from which its vector was made; empty if there is no such fact.
    pub fn text(&self, fact: u32) -> String {
        let Some(f) = self.all.get(fact as usize) else { return String::new() };
        let of = |list: &[String], i: u32| list.get(i as usize).cloned().unwrap_or_default();
        format!(
            "{} {} {}",
            of(&self.phrases, f.subject),
            of(&self.relations, f.relation),
            of(&self.phrases, f.object)
        )
    }

    /// Returns the graph of passages and phrases; `make` makes it on the first call.
    pub fn graph(&self, make: impl FnOnce() -> Graph) -> &Graph {
        self.graph.get_or_init(make)
    }
}

/// Encodes the section.
pub fn encode_facts(facts: &Facts) -> Vec<u8> {
    let mut out = begin_section(Kind::Facts);
    put_texts(&mut out, &facts.phrases);
    put_texts(&mut out, &facts.relations);
    put_varint(&mut out, facts.all.len() as u32);
    for f in &facts.all {
        for n in [f.subject, f.relation, f.object, f.chunks.len() as u32] {
            put_varint(&mut out, n);
        }
        let mut last = 0;
        for &c in &f.chunks {
            put_varint(&mut out, c - last);
            last = c;
        }
    }
    put_rows(&mut out, &facts.synonyms);
    put_matrix(&mut out, &facts.vectors);
    out
}

/// Reads the section of a bundle of `chunks` chunks with vectors of dimension `dim`. Fails if the bytes are
/// not such a section.
pub fn decode_facts(file: &str, bytes: &[u8], chunks: u64, dim: u64) -> Result<Facts, BundleError> {
    let mut b = open_section(file, bytes, Kind::Facts)?;
    let (phrases, relations) = (take_texts(&mut b)?, take_texts(&mut b)?);
    let n = b.count(5)?;
    let mut all = Vec::with_capacity(n);
    for _ in 0..n {
        let (subject, relation, object) = (b.varint()?, b.varint()?, b.varint()?);
        let stated = b.count(1)?;
        let (mut of, mut last) = (Vec::with_capacity(stated), 0u32);
        for _ in 0..stated {
            last = last.checked_add(b.varint()?).ok_or_else(|| b.corrupt("a fact is stated nowhere"))?;
            of.push(last);
        }
        let known = subject.max(object) < phrases.len() as u32 && relation < relations.len() as u32;
        if !known || of.is_empty() || u64::from(last) >= chunks || of.windows(2).any(|w| w[0] >= w[1]) {
            return Err(b.corrupt("a fact names what does not exist"));
        }
        all.push(StatedFact { subject, relation, object, chunks: of });
    }
    let synonyms = take_rows(&mut b)?;
    if synonyms.rows() != phrases.len() {
        return Err(b.corrupt("facts and phrases differ"));
    }
    let vectors = take_vectors(&mut b, n, dim)?;
    b.end()?;
    Ok(Facts::new(phrases, relations, all, synonyms, vectors))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::sparse::Csr;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_section_reads_back_and_hostile_bytes_are_errors(
            facts in prop::collection::vec(
                (0u32..4, 0u32..2, 0u32..4, prop::collection::btree_set(0u32..9, 1..4)),
                0..6,
            ),
            flip in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let all: Vec<StatedFact> = facts
                .into_iter()
                .map(|(subject, relation, object, chunks)| StatedFact {
                    subject,
                    relation,
                    object,
                    chunks: chunks.into_iter().collect(),
                })
                .collect();
            let rows: Vec<Vec<f32>> = all.iter().map(|f| vec![1.0, f.subject as f32]).collect();
            let phrases = ["ada", "babbage", "engine", "日本"].map(str::to_owned).to_vec();
            let synonyms = Csr::from_rows(4, vec![vec![(1, 0.9)], vec![], vec![(3, 0.8)], vec![]]);
            let vectors = QuantizedMatrix::from_rows(2, rows.iter().map(Vec::as_slice));
            let facts =
                Facts::new(phrases, vec!["knew".to_owned(), "built".to_owned()], all, synonyms, vectors);
            let mut bytes = encode_facts(&facts);
            let read = decode_facts("t", &bytes, 9, 2).unwrap();
            prop_assert_eq!(
                (&read.phrases, &read.relations, &read.all),
                (&facts.phrases, &facts.relations, &facts.all)
            );
            prop_assert_eq!((&read.synonyms, &read.vectors), (&facts.synonyms, &facts.vectors));
            if facts.all.iter().any(|f| f.chunks.contains(&8)) {
                prop_assert!(decode_facts("t", &bytes, 8, 2).is_err(), "a chunk beyond the bundle");
            }
            let at = flip.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let _ = decode_facts("t", &bytes, 9, 2);
            bytes.truncate(at);
            prop_assert!(decode_facts("t", &bytes, 9, 2).is_err());
        }
    }

    #[test]
    fn a_fact_is_read_as_subject_relation_object() {
        let fact = StatedFact { subject: 0, relation: 0, object: 1, chunks: vec![0] };
        let vectors = QuantizedMatrix::from_rows(1, [[1.0f32]].iter().map(|r| &r[..]));
        let phrases = vec!["ada lovelace".to_owned(), "charles babbage".to_owned()];
        let facts = Facts::new(
            phrases,
            vec!["wrote to".to_owned()],
            vec![fact],
            Csr::from_rows(2, vec![vec![], vec![]]),
            vectors,
        );
        assert_eq!(
            (facts.text(0).as_str(), facts.text(7).as_str()),
            ("ada lovelace wrote to charles babbage", "")
        );
    }
}
