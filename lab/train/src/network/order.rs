//! The order of texts in training.

use pocketgraph_cluster::Random;

/// Batches among which texts of a length are put together.
const WINDOW: usize = 16;

/// The order of an epoch's texts, in batches of texts of about one length.
pub fn batches(lengths: &[usize], batch: usize, seed: u64, epoch: u64) -> Vec<Vec<usize>> {
    let mut random = Random::new(seed, 1000 + epoch);
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    random.shuffle(&mut order);
    let mut out = Vec::new();
    for window in order.chunks_mut(batch * WINDOW) {
        window.sort_by_key(|&i| (lengths[i], i));
        let mut cut: Vec<Vec<usize>> = window.chunks(batch).map(<[usize]>::to_vec).collect();
        random.shuffle(&mut cut);
        out.append(&mut cut);
    }
    out
}
