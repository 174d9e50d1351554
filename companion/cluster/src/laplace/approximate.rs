//! Approximate nearest neighbours, for corpora whose pairs are too many to try.

use super::neighbours::{Best, Neighbour, SLACK, rank};
use crate::{KMeansOptions, Lane, PANEL, Panels, kmeans};
use rayon::prelude::*;

/// Cells searched for each row, its own among them.
const PROBES: usize = 24;

/// About the `k` nearest rows of every row by angle, the row itself first: each row is compared with the rows of its own k-means cell and of the
/// cells whose centres are nearest to that cell's (an inverted file; Jégou, Douze and Schmid, 2011). The number of comparisons grows with the
/// 3/2 power of the number of rows. The same rows and seed give the same result whatever the number of threads.
pub fn approximate_neighbours(rows: &Panels, k: usize, seed: u64) -> Vec<Vec<Neighbour>> {
    let n = rows.rows();
    if k == 0 || n == 0 {
        return vec![Vec::new(); n];
    }
    let count = ((n as f64).sqrt() as usize).max(1);
    let clustering = kmeans(rows, &KMeansOptions { clusters: count, restarts: 1, rounds: 8, seed });
    let members = clustering.members();
    let centres = Panels::pack(rows.dim(), clustering.centres.iter().map(Vec::as_slice));
    let packed: Vec<Panels> = members
        .par_iter()
        .map(|list| {
            let unpacked: Vec<Vec<f32>> = list.iter().map(|&i| rows.row(i as usize)).collect();
            Panels::pack(rows.dim(), unpacked.iter().map(Vec::as_slice))
        })
        .collect();
    let limit = (k + SLACK).min(n);
    let found: Vec<Vec<(u32, Vec<Neighbour>)>> = (0..members.len())
        .into_par_iter()
        .map(|cell| {
            let mut best: Vec<Best> = members[cell].iter().map(|_| Best::new(limit)).collect();
            for other in probed(cell, &centres, &members, 4 * k) {
                compare(&packed[cell], &packed[other], &members[other], &mut best);
            }
            members[cell].iter().zip(best).map(|(&row, best)| (row, rank(rows, row as usize, &best, k))).collect()
        })
        .collect();
    let mut out = vec![Vec::new(); n];
    for (row, list) in found.into_iter().flatten() {
        out[row as usize] = list;
    }
    out
}

/// The cells to search from one cell: itself and the nearest others, [`PROBES`] of them or more until they hold `enough` rows.
fn probed(cell: usize, centres: &Panels, members: &[Vec<u32>], enough: usize) -> Vec<usize> {
    let own = centres.row(cell);
    let mut order: Vec<(f32, usize)> = (0..centres.rows())
        .map(|c| (if c == cell { f32::INFINITY } else { centres.row(c).iter().zip(&own).fold(0.0, |sum, (x, y)| sum + x * y) }, c))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut rows = 0;
    let mut out = Vec::new();
    for (_, c) in order {
        if out.len() >= PROBES && rows >= enough {
            break;
        }
        rows += members[c].len();
        out.push(c);
    }
    out
}

fn compare(own: &Panels, other: &Panels, rows: &[u32], best: &mut [Best]) {
    let mut tile = [Lane::ZERO; PANEL];
    for p in 0..own.panels() {
        for q in 0..other.panels() {
            own.tile(p, other, q, &mut tile);
            let columns = &rows[q * PANEL..((q + 1) * PANEL).min(rows.len())];
            for (best, scores) in best[p * PANEL..].iter_mut().zip(&tile) {
                for (&row, &score) in columns.iter().zip(scores.iter()) {
                    if score >= best.floor() {
                        best.offer(score, row);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::neighbours::nearest_neighbours;
    use super::*;
    use crate::Random;
    use std::collections::HashSet;

    fn clustered(n: usize) -> Panels {
        let mut random = Random::new(1, 1);
        let centres: Vec<Vec<f64>> = (0..60).map(|_| (0..16).map(|_| random.unit() - 0.5).collect()).collect();
        let rows: Vec<Vec<f32>> = (0..n)
            .map(|i| {
                let v: Vec<f32> = centres[i % 60].iter().map(|c| (c + 0.5 * (random.unit() - 0.5)) as f32).collect();
                let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
                v.iter().map(|x| x / norm).collect()
            })
            .collect();
        Panels::pack(16, rows.iter().map(Vec::as_slice))
    }

    #[test]
    fn nearly_all_true_neighbours_are_found() {
        let rows = clustered(4000);
        let exact = nearest_neighbours(&rows, 10);
        let found = approximate_neighbours(&rows, 10, 3);
        let hits: usize = exact
            .iter()
            .zip(&found)
            .map(|(a, b)| {
                let a: HashSet<u32> = a.iter().map(|x| x.row).collect();
                b.iter().filter(|x| a.contains(&x.row)).count()
            })
            .sum();
        assert!(hits as f64 > 0.97 * 40_000.0, "{hits}");
        assert!(found.iter().enumerate().all(|(i, l)| l.len() == 10 && l[0].row as usize == i));
    }

    #[test]
    fn small_sets_are_exact_and_identical_rows_do_no_harm() {
        let rows = clustered(50);
        assert_eq!(approximate_neighbours(&rows, 6, 1), nearest_neighbours(&rows, 6));
        let same = Panels::pack(2, vec![vec![0.6f32, 0.8]; 40].iter().map(Vec::as_slice));
        assert!(approximate_neighbours(&same, 5, 1).iter().all(|l| l.len() == 5));
    }

    #[test]
    fn threads_do_not_change_the_neighbours() {
        let rows = clustered(900);
        let with = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap().install(|| approximate_neighbours(&rows, 8, 1));
        assert_eq!(with(1), with(2));
    }
}
