//! Draws the graph of a large corpus on a sample of its chunks, and attaches the others.

use super::RANKED;
use pocketgraph_base::csr::Csr;
use pocketgraph_cluster::Panels;
use pocketgraph_cluster::laplace::{nearest_of_sample, nearest_rows};
use pocketgraph_search::keyword::KeywordGraph;

/// Returns at most `most` of the chunks, evenly spread.
pub fn sample_of(chunks: &[u32], most: usize) -> Vec<u32> {
    let most = most.max(1);
    if chunks.len() <= most {
        return chunks.to_vec();
    }
    (0..most)
        .filter_map(|i| chunks.get((i as u64 * chunks.len() as u64 / most as u64) as usize).copied())
        .collect()
}

/// Attaches the chunks `all`, ascending and with these vectors, to a graph of those in `sample`.
///
/// Chunks by angle become the nearest of all chunks. By u each other chunk follows its nearest chunk of the
/// sample, and a keyword's chunks are ranked by their cosine to it. Sizes and shared chunks are scaled up.
pub fn attach_chunks(graph: &mut KeywordGraph, sample: &[u32], all: &[u32], vectors: &[&[f32]], seed: u64) {
    let keywords: Vec<Vec<f32>> = (0..graph.labels.len()).map(|k| graph.vectors.row_f32(k)).collect();
    let dim = graph.vectors.dim();
    let packed = Panels::pack(dim, keywords.iter().map(Vec::as_slice));
    let number = |i: u32| all.get(i as usize).copied();
    for (list, found) in graph.chunks_by_angle.iter_mut().zip(nearest_rows(&packed, vectors, RANKED)) {
        *list = found.into_iter().filter_map(|(i, _)| number(i)).collect();
    }
    let attached = attach_others(sample, all, vectors, dim, seed);
    for (list, keyword) in graph.chunks_by_u.iter_mut().zip(&keywords) {
        let with = list.iter().flat_map(|c| {
            let own =
                sample.binary_search(c).ok().and_then(|i| attached.get(i)).map_or(&[][..], Vec::as_slice);
            std::iter::once(c).chain(own)
        });
        let vector =
            |c: u32| all.binary_search(&c).ok().and_then(|i| vectors.get(i)).copied().unwrap_or_default();
        let mut ranked: Vec<(f32, u32)> =
            with.map(|&c| (vector(c).iter().zip(keyword).fold(0.0, |s, (x, y)| s + x * y), c)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(RANKED);
        *list = ranked.into_iter().map(|r| r.1).collect();
    }
    let in_proportion = |n: u32| {
        u32::try_from(u64::from(n) * all.len() as u64 / sample.len().max(1) as u64).unwrap_or(u32::MAX)
    };
    graph.associated.iter_mut().for_each(|n| *n = in_proportion(*n));
    let row = |i: usize| {
        let (columns, values) = graph.weights.row(i);
        columns.iter().zip(values).map(|(&c, &w)| (c, in_proportion(w))).collect()
    };
    graph.weights = Csr::from_rows(graph.weights.rows(), (0..graph.weights.rows()).map(row).collect());
}

/// Returns for each chunk of the sample the others that are nearest to it.
fn attach_others(sample: &[u32], all: &[u32], vectors: &[&[f32]], dim: usize, seed: u64) -> Vec<Vec<u32>> {
    let (mut own, mut others, mut numbers) = (Vec::with_capacity(sample.len()), Vec::new(), Vec::new());
    for (&chunk, &vector) in all.iter().zip(vectors) {
        if sample.binary_search(&chunk).is_ok() {
            own.push(vector);
        } else {
            others.push(vector);
            numbers.push(chunk);
        }
    }
    let mut out = vec![Vec::new(); sample.len()];
    let nearest = nearest_of_sample(&Panels::pack(dim, own.into_iter()), &others, seed);
    for (chunk, nearest) in numbers.into_iter().zip(nearest) {
        if let Some(list) = nearest.and_then(|i| out.get_mut(i as usize)) {
            list.push(chunk);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pocketgraph_kernels::vector::QuantizedMatrix;

    #[test]
    fn a_sample_is_spread_evenly_and_all_are_taken_where_they_are_few() {
        assert_eq!(sample_of(&[1, 2, 3, 5, 8, 9, 10], 3), [1, 3, 8]);
        assert_eq!(sample_of(&[4, 7], 2), [4, 7]);
        assert_eq!(sample_of(&[4, 7], 0), [4]);
        assert!(sample_of(&[], 3).is_empty());
    }

    /// Chunks 0 to 29 lie near one of three axes in turn; the sample has every fifth. One keyword a corner of
    /// the first two axes.
    #[test]
    fn chunks_beside_the_sample_belong_where_their_nearest_one_does_and_sizes_grow_in_proportion() {
        let vectors: Vec<Vec<f32>> = (0..30usize)
            .map(|i| {
                let mut v = [0.0f32; 4];
                v[i % 3] = 1.0;
                v[3] = 0.01 * i as f32;
                let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
                v.iter().map(|x| x / norm).collect()
            })
            .collect();
        let rows: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let all: Vec<u32> = (0..30).collect();
        let sample = [0, 5, 10, 15, 20, 25];
        let axis = |k: usize| (0..4).map(|i| f32::from(u8::from(i == k))).collect::<Vec<f32>>();
        let mut graph = KeywordGraph {
            labels: vec!["a".to_owned(), "b".to_owned()],
            vectors: QuantizedMatrix::from_rows(4, [axis(0), axis(1)].iter().map(Vec::as_slice)),
            weights: Csr::from_rows(2, vec![vec![(1, 1)], vec![(0, 1)]]),
            associated: vec![2, 2],
            chunks_by_u: vec![vec![0, 15], vec![10, 25]],
            chunks_by_angle: vec![vec![0], vec![10]],
        };
        attach_chunks(&mut graph, &sample, &all, &rows, 1);
        for k in 0..2u32 {
            let mut by_u = graph.chunks_by_u[k as usize].clone();
            by_u.sort_unstable();
            assert_eq!(by_u, (0..30).filter(|i| i % 3 == k).collect::<Vec<_>>());
            assert_eq!(graph.chunks_by_angle[k as usize][..10], graph.chunks_by_u[k as usize][..]);
        }
        assert_eq!((graph.associated, graph.weights.get(0, 1)), (vec![10, 10], Some(5)));
    }
}
