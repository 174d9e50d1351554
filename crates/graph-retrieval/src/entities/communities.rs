//! The section `communities`: the co-occurrence graph of entities, its communities at several levels, and
//! their reports' sentences (GraphRAG, arXiv 2404.16130). The section `reports` has those by a language
//! model.

use crate::bundle::{
    BundleError, Kind, begin_section, open_section, put_matrix, put_text, put_varint, take_text, take_vectors,
};
use crate::sparse::{Edges, Graph};
use crate::vector::QuantizedMatrix;

/// Sentence, as its chunk and its place among the chunk's sentences.
pub type SentencePlace = (u32, u32);

/// Community with its report.
#[derive(Debug, Clone, PartialEq)]
pub struct Community {
    /// Level; 0 is the coarsest.
    pub level: u32,
    /// Community that it divides, which comes before it.
    pub parent: Option<u32>,
    /// Title: the labels of its best-connected entities, or the one that a model gave its report.
    pub title: String,
    /// Its entities, ascending.
    pub members: Vec<u32>,
    /// Number of chunks with its entities, relative to the largest of any community; from 0 to 1.
    pub weight: f32,
    /// Sentences of its report, best first.
    pub sentences: Vec<SentencePlace>,
}

/// Relations, communities and the vectors of their reports.
#[derive(Debug, Clone)]
pub struct Communities {
    /// Entities that share chunks; weights by mutual information.
    pub relations: Graph,
    /// The communities.
    pub all: Vec<Community>,
    /// Vector of each report.
    pub vectors: QuantizedMatrix,
}

/// Encodes the section. `relations` are (entity, entity, weight) with the smaller entity first, ascending.
pub fn encode_communities(
    entities: usize,
    relations: &[(u32, u32, f32)],
    all: &[Community],
    vectors: &QuantizedMatrix,
) -> Vec<u8> {
    let mut out = begin_section(Kind::Communities);
    put_varint(&mut out, entities as u32);
    put_varint(&mut out, relations.len() as u32);
    let mut last = 0;
    for &(a, b, weight) in relations {
        put_varint(&mut out, a - last);
        put_varint(&mut out, b - a);
        out.extend_from_slice(&weight.to_le_bytes());
        last = a;
    }
    put_varint(&mut out, all.len() as u32);
    for c in all {
        put_varint(&mut out, c.level);
        put_varint(&mut out, c.parent.map_or(0, |p| p + 1));
        put_text(&mut out, &c.title);
        out.extend_from_slice(&c.weight.to_le_bytes());
        put_varint(&mut out, c.members.len() as u32);
        c.members.iter().for_each(|&m| put_varint(&mut out, m));
        put_places(&mut out, &c.sentences);
    }
    put_matrix(&mut out, vectors);
    out
}

pub(super) fn put_places(out: &mut Vec<u8>, places: &[SentencePlace]) {
    put_varint(out, places.len() as u32);
    for &(chunk, place) in places {
        put_varint(out, chunk);
        put_varint(out, place);
    }
}

pub(super) fn take_places(
    b: &mut crate::bundle::Bytes<'_>,
    chunks: u64,
) -> Result<Vec<SentencePlace>, BundleError> {
    let n = b.count(2)?;
    let places = (0..n).map(|_| Ok((b.varint()?, b.varint()?))).collect::<Result<Vec<_>, BundleError>>()?;
    if places.iter().any(|&(chunk, _)| u64::from(chunk) >= chunks) {
        return Err(b.corrupt("a sentence is in no chunk of the bundle"));
    }
    Ok(places)
}

/// Reads the section of a bundle of `chunks` chunks and `names` names with vectors of dimension `dim`. Fails
/// if the bytes are not such a section.
pub fn decode_communities(
    file: &str,
    bytes: &[u8],
    names: usize,
    chunks: u64,
    dim: u64,
) -> Result<Communities, BundleError> {
    let mut b = open_section(file, bytes, Kind::Communities)?;
    let entities = b.varint()?;
    // An entity takes no bytes here, so only the names bound their number.
    if entities as usize != names {
        return Err(b.corrupt("its entities are not the names"));
    }
    let mut edges = Edges::default();
    let mut last = 0u32;
    for _ in 0..b.count(6)? {
        let a = last.checked_add(b.varint()?);
        let ends = a.and_then(|a| Some((a, a.checked_add(b.varint().ok()?)?)));
        let (a, other) =
            ends.filter(|e| e.1 < entities).ok_or_else(|| b.corrupt("a relation leads nowhere"))?;
        edges.add(a, other, b.f32()?);
        last = a;
    }
    let n = b.count(8)?;
    let mut all: Vec<Community> = Vec::with_capacity(n);
    for i in 0..n as u32 {
        let level = b.varint()?;
        let parent = b.varint()?.checked_sub(1);
        let title = take_text(&mut b)?;
        let weight = b.f32()?;
        let count = b.count(1)?;
        let members = (0..count).map(|_| b.varint()).collect::<Result<Vec<u32>, _>>()?;
        if parent.is_some_and(|p| p >= i)
            || members.windows(2).any(|w| w[0] >= w[1])
            || members.last().is_some_and(|&m| m >= entities)
        {
            return Err(b.corrupt("a community is out of order"));
        }
        let sentences = take_places(&mut b, chunks)?;
        all.push(Community { level, parent, title, members, weight, sentences });
    }
    let vectors = take_vectors(&mut b, n, dim)?;
    b.end()?;
    Ok(Communities { relations: edges.graph(entities as usize), all, vectors })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_section_reads_back_and_hostile_bytes_are_errors(
            relations in prop::collection::btree_map((0u32..8, 0u32..8), 0.1f32..2.0, 0..9),
            communities in prop::collection::vec(
                (
                    prop::collection::btree_set(0u32..8, 0..5),
                    "[a-zé]{0,5}",
                    prop::collection::vec((0u32..4, 0u32..9), 0..3),
                ),
                0..5,
            ),
            flip in any::<prop::sample::Index>(),
            bit in 0u8..8,
        ) {
            let relations: Vec<(u32, u32, f32)> =
                relations.into_iter().filter(|((a, b), _)| a < b).map(|((a, b), w)| (a, b, w)).collect();
            let all: Vec<Community> = communities
                .into_iter()
                .enumerate()
                .map(|(i, (members, title, sentences))| Community {
                    level: i as u32,
                    parent: (i as u32).checked_sub(1),
                    title,
                    members: members.into_iter().collect(),
                    weight: 0.5,
                    sentences,
                })
                .collect();
            let rows: Vec<Vec<f32>> = all.iter().map(|c| vec![1.0, c.level as f32]).collect();
            let vectors = QuantizedMatrix::from_rows(2, rows.iter().map(Vec::as_slice));
            let mut bytes = encode_communities(8, &relations, &all, &vectors);
            let read = decode_communities("t", &bytes, 8, 4, 2).unwrap();
            prop_assert_eq!(&read.all, &all);
            prop_assert_eq!(read.relations.edges(), relations.len());
            for &(a, b, w) in &relations {
                prop_assert_eq!(read.relations.weight(b as usize, a), w);
            }
            let at = flip.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let _ = decode_communities("t", &bytes, 8, 4, 2);
            bytes.truncate(at);
            prop_assert!(decode_communities("t", &bytes, 8, 4, 2).is_err());
        }
    }
}
