//! Ties entities that a language model named in the chunks if it states something of both: GraphRAG's graph
//! as in the original.

use super::{Source, Tie};
use crate::names::FoundNames;
use crate::relations::{Related, Statement};
use pocketgraph_kernels::vector::dot_f32;
use std::collections::{BTreeMap, BTreeSet};

/// Places each statement at the sentence of its chunk that is nearest to it in meaning. `vectors` holds the
/// statements' vectors by chunk. Returns the entities of each sentence, by chunk.
pub fn place_statements(
    related: &Related,
    vectors: &[Vec<Vec<f32>>],
    found: &FoundNames,
) -> Vec<Vec<Vec<u32>>> {
    let of_chunk = |(c, statements): (usize, &Vec<Statement>)| {
        let Some(m) = found.mentions.get(c) else { return Vec::new() };
        let rows: Vec<Vec<f32>> = (0..m.vectors.rows()).map(|i| m.vectors.row_f32(i)).collect();
        let mut out: Vec<Vec<u32>> = vec![Vec::new(); rows.len()];
        for (statement, vector) in statements.iter().zip(vectors.get(c).map_or(&[][..], Vec::as_slice)) {
            let cosine = |row: &[f32]| dot_f32(row, vector);
            let nearest = (0..rows.len())
                .max_by(|&a, &b| cosine(&rows[a]).total_cmp(&cosine(&rows[b])).then(b.cmp(&a)));
            if let Some(place) = nearest.and_then(|i| out.get_mut(i)) {
                place.extend(&statement.entities);
            }
        }
        out
    };
    related.chunks.iter().enumerate().map(of_chunk).collect()
}

/// Builds the graph of what a model read; `places` comes from [`place_statements`].
pub fn build_stated_graph<'a>(related: &'a Related, places: &'a [Vec<Vec<u32>>]) -> Source<'a> {
    let distinct = |all: &Vec<Statement>| {
        all.iter().flat_map(|s| s.entities.iter().copied()).collect::<BTreeSet<u32>>().into_iter().collect()
    };
    Source {
        labels: related.entities.iter().map(|e| e.label.as_str()).collect(),
        descriptions: related.entities.iter().map(|e| e.description.as_str()).collect(),
        ties: sum_ties(related),
        of_chunk: related.chunks.iter().map(distinct).collect(),
        sentences: places.iter().map(Vec::as_slice).collect(),
    }
}

/// Sums the relations between each two entities. A statement about two has its score as weight, as in
/// GraphRAG. One about k entities ties each pair with 1 / (k - 1) of its score, so that it counts once for
/// each.
fn sum_ties(related: &Related) -> Vec<Tie<'_>> {
    let mut out: BTreeMap<(u32, u32), (Tie<'_>, u8)> = BTreeMap::new();
    for statement in related.chunks.iter().flatten() {
        let share = f32::from(statement.score) / (statement.entities.len().max(2) - 1) as f32;
        for (i, &x) in statement.entities.iter().enumerate() {
            for &y in statement.entities.iter().skip(i + 1).filter(|y| **y != x) {
                let ends = (x.min(y), x.max(y));
                let fresh = (Tie { ends, weight: 0.0, strength: 0, statement: None }, 0);
                let (tie, best) = out.entry(ends).or_insert(fresh);
                tie.weight += share;
                tie.strength += u32::from(statement.score);
                // The statement with the highest score represents the relation.
                if statement.score > *best {
                    (tie.statement, *best) = (Some(statement.text.as_str()), statement.score);
                }
            }
        }
    }
    out.into_values().map(|(tie, _)| tie).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relations::Entity;
    use pocketgraph_kernels::vector::QuantizedMatrix;
    use pocketgraph_search::names::{ChunkMentions, NameTable};

    fn related() -> Related {
        let statement = |text: &str, entities: &[u32], score| Statement {
            text: text.into(),
            entities: entities.to_vec(),
            score,
        };
        Related {
            entities: ["Ada", "Bob", "Carl", "Dora"]
                .map(|label| Entity { label: label.into(), ..Entity::default() })
                .to_vec(),
            chunks: vec![
                vec![statement("Ada met Bob.", &[0, 1], 4), statement("All three sang.", &[2, 0, 1], 6)],
                vec![statement("Bob wrote to Ada.", &[1, 0], 5), statement("Dora: alone.", &[3], 0)],
            ],
        }
    }

    #[test]
    fn strengths_of_the_same_two_add_up_and_a_statement_of_three_is_shared_out() {
        let related = related();
        let tie_rows: Vec<_> =
            sum_ties(&related).iter().map(|t| (t.ends, t.weight, t.strength, t.statement)).collect();
        assert_eq!(
            tie_rows,
            [
                ((0, 1), 4.0 + 3.0 + 5.0, 15, Some("All three sang.")),
                ((0, 2), 3.0, 6, Some("All three sang.")),
                ((1, 2), 3.0, 6, Some("All three sang.")),
            ]
        );
    }

    #[test]
    fn a_statement_is_at_the_sentence_nearest_to_it() {
        let matrix = |rows: &[[f32; 2]]| QuantizedMatrix::from_rows(2, rows.iter().map(|r| &r[..]));
        let of = |rows: &[[f32; 2]]| ChunkMentions {
            sentences: vec![Vec::new(); rows.len()],
            vectors: matrix(rows),
        };
        let found = FoundNames {
            table: NameTable::default(),
            opening: 0.0,
            mentions: vec![of(&[[1.0, 0.0], [0.0, 1.0]]), of(&[])],
        };
        let vectors = vec![vec![vec![0.1, 0.9], vec![1.0, 0.1]], vec![vec![1.0, 0.0]; 2]];
        let related = related();
        let places = place_statements(&related, &vectors, &found);
        assert_eq!(
            places,
            [vec![vec![2, 0, 1], vec![0, 1]], vec![]],
            "a chunk without sentences has no place"
        );
        let source = build_stated_graph(&related, &places);
        assert_eq!(source.of_chunk, [vec![0, 1, 2], vec![0, 1, 3]]);
    }
}
