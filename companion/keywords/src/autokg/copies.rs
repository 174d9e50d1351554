//! Removes chunks that repeat one text.

use pocketgraph_search::keyword::KeywordGraph;
use std::collections::HashMap;

/// Returns the chunks for the keyword graph: of chunks with the same text, the first `most`. Further ones add
/// nothing, since the nearest neighbours of such a chunk are its copies, and their cost is quadratic.
pub fn without_copies<'t>(texts: impl IntoIterator<Item = &'t str>, most: usize) -> Vec<u32> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut kept = Vec::new();
    for (chunk, text) in texts.into_iter().enumerate() {
        let count = seen.entry(text).or_insert(0);
        *count += 1;
        if *count <= most.max(1) {
            kept.push(chunk as u32);
        }
    }
    kept
}

/// Renumbers the chunks of a graph that was built of `kept` alone.
pub fn renumber_chunks(graph: &mut KeywordGraph, kept: &[u32]) {
    for list in graph.chunks_by_u.iter_mut().chain(&mut graph.chunks_by_angle) {
        for chunk in list {
            *chunk = kept.get(*chunk as usize).copied().unwrap_or(*chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pocketgraph_base::csr::Csr;
    use pocketgraph_kernels::vector::QuantizedMatrix;

    #[test]
    fn only_the_first_of_many_equal_chunks_count_and_lists_name_them_by_their_numbers_among_all() {
        let texts = ["a", "b", "a", "a", "c", "b", "a"];
        assert_eq!(without_copies(texts, 2), [0, 1, 2, 4, 5]);
        assert_eq!(
            without_copies(texts, 9),
            [0, 1, 2, 3, 4, 5, 6],
            "where there are few, nothing is left out"
        );
        assert!(without_copies([], 2).is_empty());
        let mut graph = KeywordGraph {
            labels: vec!["a".to_owned()],
            vectors: QuantizedMatrix::from_rows(1, [[1.0f32]].iter().map(|r| &r[..])),
            weights: Csr::from_rows(1, vec![vec![]]),
            associated: vec![2],
            chunks_by_u: vec![vec![3, 0]],
            chunks_by_angle: vec![vec![4, 1]],
        };
        renumber_chunks(&mut graph, &[0, 1, 2, 4, 5]);
        assert_eq!((graph.chunks_by_u, graph.chunks_by_angle), (vec![vec![4, 0]], vec![vec![5, 1]]));
    }
}
