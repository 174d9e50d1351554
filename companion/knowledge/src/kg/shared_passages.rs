//! The keyword graph's edges as statements, so that a way between two things may lead over keywords.

use super::entity_index::EntityIndex;
use pocketgraph_bundle::Chunk;
use pocketgraph_kg::{KgBuilder, KgError, Provenance, SHARES_PASSAGES, name_key};
use pocketgraph_search::keyword::KeywordGraph;
use pocketgraph_text::sentences;
use std::cmp::Reverse;
use std::ops::Range;

/// Number of neighbours of a keyword that are stated: as many as the retriever `autokg` walks to.
const NEIGHBOURS: usize = 3;

/// States which keywords share passages: each with its nearest ones in the keyword graph that a sentence
/// names with it.
///
/// # Errors
/// [`KgError`] when the graph becomes too large for the format.
pub(super) fn add_keywords(
    kg: &mut KgBuilder,
    keywords: &KeywordGraph,
    chunks: &[Chunk],
) -> Result<(), KgError> {
    let mut things = EntityIndex::of(kg);
    let relation = kg.relation(SHARES_PASSAGES)?;
    kg.relation_label(relation, "shares passages with")?;
    // An entity of a keyword would be read in a question instead of what has statements.
    let free: Vec<_> = keywords.labels.iter().map(|label| things.may_name(label)).collect();
    let read: Vec<_> = (0..).zip(chunks).map(|(n, chunk)| read_sentences(n, &chunk.text)).collect();
    for (of, label) in keywords.labels.iter().enumerate() {
        let (columns, weights) = keywords.weights.row(of);
        let mut nearest: Vec<_> = weights.iter().copied().map(Reverse).zip(columns).collect();
        nearest.retain(|&(_, &other)| free[of] && free[other as usize]);
        nearest.sort_unstable();
        let named = nearest.into_iter().filter_map(|(_, &other)| {
            let pair = [of, other as usize];
            Some((&keywords.labels[pair[1]], find_sentence(keywords, &read, pair)?))
        });
        for (other, source) in named.take(NEIGHBOURS) {
            if let (Some(a), Some(b)) = (things.thing(kg, label)?, things.thing(kg, other)?)
                && a != b
            {
                // Both may be nearest to each other.
                kg.triple(a.min(b), relation, a.max(b), source)?;
            }
        }
    }
    Ok(())
}

/// A sentence of a passage: its words between spaces, and its place.
type Sentence = (String, Provenance<'static>);

/// Reads the sentences of a chunk, the shortest first; lines of tables and code are none.
fn read_sentences(chunk: u32, text: &str) -> Vec<Sentence> {
    let mut all = sentences(text);
    all.retain(|s| !text[s.clone()].contains('\n'));
    all.sort_by_key(ExactSizeIterator::len);
    let place = |s: Range<usize>| Provenance::Passage { chunk, start: s.start as u32, end: s.end as u32 };
    all.into_iter().map(|s| (pad(&text[s.clone()]), place(s))).collect()
}

fn pad(text: &str) -> String {
    format!(" {} ", name_key(text))
}

/// Finds a sentence that names both keywords, in the first passage of either that has one.
fn find_sentence(
    keywords: &KeywordGraph,
    read: &[Vec<Sentence>],
    pair: [usize; 2],
) -> Option<Provenance<'static>> {
    let keys = pair.map(|k| pad(&keywords.labels[k]));
    let ranked = pair.iter().flat_map(|&k| &keywords.chunks_by_angle[k]);
    let mut all = ranked.flat_map(|&chunk| &read[chunk as usize]);
    all.find(|(words, _)| keys.iter().all(|key| words.contains(key))).map(|(_, place)| *place)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_base::csr::Csr;
    use pocketgraph_kernels::vector::QuantizedMatrix;
    use pocketgraph_kg::TripleId;

    fn chunk(text: &str) -> Chunk {
        Chunk {
            document: 0,
            heading_path: Vec::new(),
            fragment: String::new(),
            text: text.to_owned(),
            start: 0,
            end: 0,
        }
    }

    #[test]
    fn neighbours_are_stated_by_a_sentence_that_names_both_and_not_without_one() {
        let chunks = [
            chunk("The keel is deep. The ballast is heavy."),
            chunk(
                "A high mast hangs on the keel. Ballast, as all know, hangs on the keel. Ballast hangs on the keel.",
            ),
        ];
        let graph = KeywordGraph {
            labels: ["keel", "ballast", "high mast"].map(str::to_owned).to_vec(),
            vectors: QuantizedMatrix::from_rows(1, [[1.0f32]; 3].iter().map(|r| &r[..])),
            weights: Csr::from_rows(3, vec![vec![(1, 2), (2, 1)], vec![(0, 2)], vec![(0, 1)]]),
            associated: vec![2, 2, 1],
            chunks_by_u: vec![vec![0, 1], vec![0, 1], vec![1]],
            chunks_by_angle: vec![vec![0, 1], vec![0, 1], vec![1]],
        };
        let mut kg = KgBuilder::default();
        kg.entity("Keel").unwrap();
        kg.entity("high").unwrap();
        add_keywords(&mut kg, &graph, &chunks).unwrap();
        let graph = kg.finish().unwrap();
        assert_eq!(
            (graph.entities(), graph.triples()),
            (3, 1),
            "an entity of the name is the keyword, and one named within a keyword is not hidden by it"
        );
        let triple = graph.triple(TripleId(0)).unwrap();
        assert_eq!([triple.head, triple.tail].map(|node| graph.label(node)), ["Keel", "ballast"]);
        let source = graph.provenance(TripleId(0)).next().unwrap();
        let Provenance::Passage { chunk: 1, start, end } = source else { panic!("{source:?}") };
        assert_eq!(&chunks[1].text[start as usize..end as usize], "Ballast hangs on the keel.");
    }
}
