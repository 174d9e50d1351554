//! Sentences, entities and chunks, each found from the other.

use crate::compact::{sort_by, sort_unique};
use crate::sparse::{Csr, Edges, Graph, Lists};
use crate::vector::QuantizedMatrix;
use std::cell::OnceCell;

/// Index of the entities that a corpus's sentences mention, with their vectors.
#[derive(Debug, Clone)]
pub struct EntityIndex {
    /// Unit vector of each entity.
    pub vectors: QuantizedMatrix,
    /// First sentence of each chunk, then the number of sentences.
    first: Vec<u32>,
    mentions: Lists,
    sentences_of: Lists,
    chunks_of: Lists,
    counts: Csr<u32>,
    /// Entities that name the document of each chunk, and chunks of the documents that each entity names.
    titles: Lists,
    titled: Lists,
    passages: OnceCell<Graph>,
    facts: OnceCell<Graph>,
}

/// Entities that name the document of each chunk.
#[derive(Debug, Clone, Default)]
pub struct Titles {
    /// Entities that name each document, ascending.
    names: Lists,
    /// Document of each chunk.
    of: Vec<u32>,
}

impl Titles {
    /// Takes the entities that name each document, ascending, and the document of each chunk.
    pub fn new(names: Lists, of: Vec<u32>) -> Titles {
        Titles { names, of }
    }

    fn get(&self, chunk: usize) -> &[u32] {
        self.of.get(chunk).map_or(&[], |&d| self.names.get(d as usize))
    }

    /// Number of chunks.
    pub fn chunks(&self) -> usize {
        self.of.len()
    }

    /// Number of names of all chunks' titles, which for a long document may far exceed its bytes.
    pub fn named(&self) -> u64 {
        self.of.iter().map(|&d| self.names.get(d as usize).len() as u64).sum()
    }
}

impl EntityIndex {
    /// Makes an index of `vectors.rows()` entities. `chunks` has for each chunk the mentions of its
    /// sentences, `titles` the entities that name its document. Mentions of other entities are dropped.
    pub fn new(vectors: QuantizedMatrix, chunks: &[Vec<Vec<u32>>], titles: &[Vec<u32>]) -> Self {
        let (mut first, mut mentions) = (vec![0u32], Lists::default());
        for sentences in chunks {
            sentences
                .iter()
                .for_each(|s| mentions.push(s.iter().copied().filter(|&e| (e as usize) < vectors.rows())));
            first.push(mentions.len() as u32);
        }
        let titles = Titles::new(titles.iter().cloned().collect(), (0..chunks.len() as u32).collect());
        Self::from_parts(vectors, first, mentions, &titles)
    }

    /// Makes an index of `vectors.rows()` entities. `mentions` has the mentions of each sentence, only of
    /// these entities; `first` the first sentence of each chunk and then the number of sentences; `titles`
    /// the entities that name each chunk's document. The chunk mentions these once a sentence in addition,
    /// because a passage says "he" for its title's subject.
    pub(super) fn from_parts(
        vectors: QuantizedMatrix,
        first: Vec<u32>,
        mentions: Lists,
        titles: &Titles,
    ) -> Self {
        let entities = vectors.rows();
        let chunks = first.len().saturating_sub(1);
        let (mut named, mut rows) = (Lists::default(), Vec::with_capacity(chunks));
        for c in 0..chunks {
            let sentences = first[c] as usize..first[c + 1] as usize;
            let once_a_sentence = sentences.len().max(1) as u32;
            let mut all: Vec<u32> = sentences.flat_map(|s| mentions.get(s)).copied().collect();
            sort_by(&mut all, Ord::cmp);
            let title = || titles.get(c).iter().copied().filter(|&e| (e as usize) < entities);
            let mut row: Vec<(u32, u32)> =
                all.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect();
            row.extend(title().map(|e| (e, once_a_sentence)));
            sort_by(&mut row, Ord::cmp);
            row.dedup_by(|next, kept| {
                next.0 == kept.0 && {
                    kept.1 += next.1;
                    true
                }
            });
            named.push(title());
            rows.push(row);
        }
        let counts = Csr::from_rows(entities, rows);
        let sentences_of = mentions.inverted(entities);
        let chunks_of = (0..chunks).map(|c| counts.row(c).0.to_vec()).collect::<Lists>().inverted(entities);
        let titled = named.inverted(entities);
        let (passages, facts) = Default::default();
        EntityIndex {
            vectors,
            first,
            mentions,
            sentences_of,
            chunks_of,
            counts,
            titles: named,
            titled,
            passages,
            facts,
        }
    }

    /// Number of entities.
    pub fn entities(&self) -> usize {
        self.vectors.rows()
    }

    /// Number of chunks.
    pub fn chunks(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of sentences of all chunks.
    pub fn sentences(&self) -> usize {
        self.mentions.len()
    }

    /// Returns the sentences of a chunk, numbered through the corpus.
    pub fn sentences_in(&self, chunk: u32) -> std::ops::Range<u32> {
        let at = |i: usize| self.first.get(i).copied().unwrap_or(self.mentions.len() as u32);
        at(chunk as usize)..at(chunk as usize + 1)
    }

    /// Returns the chunk of a sentence.
    pub fn chunk_of(&self, sentence: u32) -> u32 {
        (self.first.partition_point(|&f| f <= sentence).max(1) - 1) as u32
    }

    /// Returns the entities that a sentence mentions, in order, with repetitions.
    pub fn mentioned(&self, sentence: u32) -> &[u32] {
        self.mentions.get(sentence as usize)
    }

    /// Returns the entities that a sentence mentions, ascending, each once.
    pub fn distinct(&self, sentence: u32) -> Vec<u32> {
        let mut out = self.mentioned(sentence).to_vec();
        sort_unique(&mut out);
        out
    }

    /// Returns the sentences that mention an entity, ascending.
    pub fn sentences_of(&self, entity: u32) -> &[u32] {
        self.sentences_of.get(entity as usize)
    }

    /// Returns the entities of a sentence, ascending, each once: those that it mentions, and those that its
    /// document's title names.
    pub fn sentence_entities(&self, sentence: u32) -> Vec<u32> {
        let mut out = self.mentioned(sentence).to_vec();
        out.extend(self.titles.get(self.chunk_of(sentence) as usize));
        sort_unique(&mut out);
        out
    }

    /// Returns the sentences about an entity, ascending: those that mention it or belong to documents of its
    /// name.
    pub fn naming(&self, entity: u32) -> Vec<u32> {
        let mut out = self.sentences_of(entity).to_vec();
        self.titled.get(entity as usize).iter().for_each(|&c| out.extend(self.sentences_in(c)));
        sort_unique(&mut out);
        out
    }

    /// Returns the chunks that mention an entity or belong to a document that it names, ascending.
    pub fn chunks_of(&self, entity: u32) -> &[u32] {
        self.chunks_of.get(entity as usize)
    }

    /// Returns the entities of a chunk, ascending, with the mentions of each, including its document's title.
    pub fn mention_counts(&self, chunk: u32) -> (&[u32], &[u32]) {
        self.counts.row(chunk as usize)
    }

    /// Returns a graph over facts; `make` makes it on the first call.
    pub fn facts(&self, make: impl FnOnce() -> Graph) -> &Graph {
        self.facts.get_or_init(make)
    }

    /// Returns the graph of passages and entities, made on the first call. Node `c` is chunk `c`, node
    /// `chunks + e` entity `e`. An edge's weight is the entity's share of all mentions in the chunk.
    pub fn passages(&self) -> &Graph {
        self.passages.get_or_init(|| {
            let mut edges = Edges::default();
            let chunks = self.chunks() as u32;
            for c in 0..chunks {
                let (entities, counts) = self.mention_counts(c);
                let all: u32 = counts.iter().sum();
                for (&e, &n) in entities.iter().zip(counts) {
                    edges.add(c, chunks + e, n as f32 / all as f32);
                }
            }
            edges.graph(self.chunks() + self.entities())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_entities_and_chunks_lead_to_each_other() {
        let vectors =
            QuantizedMatrix::from_rows(2, [[1.0f32, 0.0], [0.0, 1.0], [1.0, 1.0]].iter().map(|r| &r[..]));
        let chunks = vec![vec![vec![1, 0, 1], vec![]], vec![], vec![vec![0], vec![0, 9]]];
        let i = EntityIndex::new(vectors, &chunks, &[vec![], vec![2], vec![0, 9]]);
        assert_eq!((i.chunks(), i.sentences(), i.entities()), (3, 4, 3));
        assert_eq!(
            (i.sentences_in(0), i.sentences_in(1), i.sentences_in(2), i.sentences_in(7)),
            (0..2, 2..2, 2..4, 4..4)
        );
        assert_eq!((0..4).map(|s| i.chunk_of(s)).collect::<Vec<_>>(), [0, 0, 2, 2]);
        assert_eq!((i.mentioned(0), i.distinct(0)), (&[1, 0, 1][..], vec![0, 1]));
        assert_eq!(i.mentioned(3), [0], "a mention of an entity that does not exist is dropped");
        assert_eq!(
            (i.sentences_of(0), i.chunks_of(0), i.sentences_of(2)),
            (&[0, 2, 3][..], &[0, 2][..], &[][..])
        );
        assert_eq!(i.chunks_of(2), [1], "its title names it, though no sentence does");
        assert_eq!(i.mention_counts(2), (&[0][..], &[4][..]), "its title counts once a sentence");
        assert_eq!(
            (i.mention_counts(1), i.naming(2)),
            ((&[2][..], &[1][..]), vec![]),
            "and once where there is none"
        );
        assert_eq!(
            (i.naming(0), i.sentence_entities(1), i.sentence_entities(3)),
            (vec![0, 2, 3], vec![], vec![0])
        );
        assert_eq!(i.mention_counts(0), (&[0, 1][..], &[1, 2][..]));
        let g = i.passages();
        assert!(
            (g.weight(0, 3) - 1.0 / 3.0).abs() < 1e-6
                && (g.weight(0, 4) - 2.0 / 3.0).abs() < 1e-6
                && g.weight(2, 3) == 1.0
        );
    }
}
