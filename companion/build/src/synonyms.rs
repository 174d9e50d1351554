//! Near synonyms among entities: names whose vectors are nearly the same, as HippoRAG 2 joins them.

use pocketgraph::entities::Synonyms;
use pocketgraph::sparse::Csr;
use pocketgraph_cluster::Panels;
use pocketgraph_cluster::laplace::{approximate_neighbours, nearest_neighbours};

/// Two entities whose cosine reaches this are near synonyms (HippoRAG 2's threshold).
const SYNONYM: f64 = 0.8;
/// Near synonyms of one entity, at most.
const SYNONYMS: usize = 100;
/// Entities with no more letters and digits than this have no synonyms: any two of them are near each other.
const TOO_SHORT: usize = 2;
/// Up to this many entities synonyms are found exactly.
const EXACT_BELOW: usize = 50_000;

/// For each name the names whose vectors are nearly the same.
pub(crate) fn find_synonyms(keys: &[String], vectors: &[Vec<f32>], seed: u64) -> Synonyms {
    let rows = Panels::pack(vectors.first().map_or(0, Vec::len), vectors.iter().map(Vec::as_slice));
    let neighbours = match keys.len() {
        0 => Vec::new(),
        n if n <= EXACT_BELOW => nearest_neighbours(&rows, SYNONYMS + 1),
        _ => approximate_neighbours(&rows, SYNONYMS + 1, seed),
    };
    let long: Vec<bool> =
        keys.iter().map(|k| k.chars().filter(|c| c.is_alphanumeric()).count() > TOO_SHORT).collect();
    let row = |(i, near): (usize, &Vec<_>)| -> Vec<(u32, f32)> {
        let kept = near.iter().map(|n: &pocketgraph_cluster::laplace::Neighbour| (n.row, n.angle.cos()));
        kept.filter(|&(j, cosine)| long[i] && long[j as usize] && j as usize != i && cosine >= SYNONYM)
            .map(|(j, c)| (j, c as f32))
            .collect()
    };
    Csr::from_rows(keys.len(), neighbours.iter().enumerate().map(row).collect())
}
