//! Approximate nearest neighbours, for corpora whose pairs are too many to try.

use super::super::cells::nearest_centres;
use super::neighbours::{Best, Neighbour, SLACK, rank_candidates};
use crate::{KMeansOptions, Lane, PANEL, Panels, kmeans};
use rayon::prelude::*;

/// Cells searched for each row, its own among them.
const PROBES: usize = 24;

/// Returns approximately the `k` nearest rows of every row by angle, the row itself first. Each row is
/// compared with the rows of its own k-means cell and of the cells with the nearest centres (an inverted
/// file; Jégou, Douze and Schmid, 2011): the 3/2 power of the rows. The number of threads changes nothing.
pub fn approximate_neighbours(rows: &Panels, k: usize, seed: u64) -> Vec<Vec<Neighbour>> {
    let n = rows.rows();
    if k == 0 || n == 0 {
        return vec![Vec::new(); n];
    }
    let Inverted { members, centres, packed } = Inverted::of(rows, seed);
    let limit = (k + SLACK).min(n);
    let found: Vec<Vec<(u32, Vec<Neighbour>)>> = (0..members.len())
        .into_par_iter()
        .map(|cell| {
            let mut best: Vec<Best> = members[cell].iter().map(|_| Best::new(limit)).collect();
            for other in cells_to_probe(cell, &centres, &members, PROBES, 4 * k) {
                compare_rows(&packed[cell], &packed[other], &members[other], &mut best);
            }
            members[cell]
                .iter()
                .zip(best)
                .map(|(&row, best)| (row, rank_candidates(rows, row as usize, &best, k)))
                .collect()
        })
        .collect();
    let mut out = vec![Vec::new(); n];
    for (row, list) in found.into_iter().flatten() {
        out[row as usize] = list;
    }
    out
}

/// Rows by their k-means cells: an inverted file.
struct Inverted {
    members: Vec<Vec<u32>>,
    centres: Panels,
    packed: Vec<Panels>,
}

impl Inverted {
    /// Divides the rows, at least one, into the square root of their number of cells.
    fn of(rows: &Panels, seed: u64) -> Self {
        let count = ((rows.rows() as f64).sqrt() as usize).max(1);
        let clustering = kmeans(rows, &KMeansOptions { clusters: count, restarts: 1, rounds: 8, seed });
        let members = clustering.members();
        let centres = Panels::pack(rows.dim(), clustering.centres.iter().map(Vec::as_slice));
        let packed = members
            .par_iter()
            .map(|list| {
                let unpacked: Vec<Vec<f32>> = list.iter().map(|&i| rows.row(i as usize)).collect();
                Panels::pack(rows.dim(), unpacked.iter().map(Vec::as_slice))
            })
            .collect();
        Inverted { members, centres, packed }
    }
}

/// Cells searched for each row of [`nearest_of_sample`]: it wants one row, and not thirty.
const PROBES_FOR_ONE: usize = 8;

/// Returns for each row approximately the nearest row of `sample`, by angle; `None` if the sample is empty.
/// The result does not depend on the number of threads, and only one cell's rows are packed at a time.
pub fn nearest_of_sample(sample: &Panels, rows: &[&[f32]], seed: u64) -> Vec<Option<u32>> {
    let mut out = vec![None; rows.len()];
    if sample.rows() == 0 {
        return out;
    }
    let Inverted { members, centres, packed } = Inverted::of(sample, seed);
    let mut of_cell: Vec<Vec<u32>> = vec![Vec::new(); members.len()];
    for (row, nearest) in nearest_centres(rows, &centres, 1).into_iter().enumerate() {
        let cell = nearest.first().map_or(0, |c| c.0);
        if let Some(list) = of_cell.get_mut(cell as usize) {
            list.push(row as u32);
        }
    }
    let found: Vec<Vec<(u32, Option<u32>)>> = of_cell
        .par_iter()
        .enumerate()
        .map(|(cell, own)| {
            let panels = Panels::pack(sample.dim(), own.iter().map(|&i| rows[i as usize]));
            let mut best: Vec<Best> = own.iter().map(|_| Best::new(1)).collect();
            for other in cells_to_probe(cell, &centres, &members, PROBES_FOR_ONE, 1) {
                compare_rows(&panels, &packed[other], &members[other], &mut best);
            }
            own.iter().zip(best).map(|(&row, best)| (row, best.list().first().map(|b| b.1))).collect()
        })
        .collect();
    for (row, nearest) in found.into_iter().flatten() {
        out[row as usize] = nearest;
    }
    out
}

/// Rows compared side by side: fixed, so that the result does not depend on the number of threads.
const RUN: usize = 8192;

/// Returns for each query the exact `k` nearest of many rows with cosines, best first, packing in parts.
pub fn nearest_rows(queries: &Panels, rows: &[&[f32]], k: usize) -> Vec<Vec<(u32, f32)>> {
    let runs: Vec<Vec<Best>> = rows
        .par_chunks(RUN)
        .enumerate()
        .map(|(run, rows)| {
            let numbers: Vec<u32> = (0..rows.len()).map(|i| (run * RUN + i) as u32).collect();
            let mut best: Vec<Best> = (0..queries.rows()).map(|_| Best::new(k)).collect();
            if k > 0 {
                compare_rows(
                    queries,
                    &Panels::pack(queries.dim(), rows.iter().copied()),
                    &numbers,
                    &mut best,
                );
            }
            best
        })
        .collect();
    let mut merged: Vec<Best> = (0..queries.rows()).map(|_| Best::new(k)).collect();
    for run in &runs {
        for (best, more) in merged.iter_mut().zip(run) {
            more.list().iter().for_each(|&(score, row)| best.offer(score, row));
        }
    }
    merged.iter().map(|best| best.list().iter().map(|&(score, row)| (row, score)).collect()).collect()
}

/// Returns a cell and its nearest others: at least `probes` of them, until they hold `enough` rows.
fn cells_to_probe(
    cell: usize,
    centres: &Panels,
    members: &[Vec<u32>],
    probes: usize,
    enough: usize,
) -> Vec<usize> {
    let own = centres.row(cell);
    let mut order: Vec<(f32, usize)> = (0..centres.rows())
        .map(|c| {
            (
                if c == cell {
                    f32::INFINITY
                } else {
                    centres.row(c).iter().zip(&own).fold(0.0, |sum, (x, y)| sum + x * y)
                },
                c,
            )
        })
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut rows = 0;
    let mut out = Vec::new();
    for (_, c) in order {
        if out.len() >= probes && rows >= enough {
            break;
        }
        rows += members[c].len();
        out.push(c);
    }
    out
}

fn compare_rows(own: &Panels, other: &Panels, rows: &[u32], best: &mut [Best]) {
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
        let centres: Vec<Vec<f64>> =
            (0..60).map(|_| (0..16).map(|_| random.unit() - 0.5).collect()).collect();
        let rows: Vec<Vec<f32>> = (0..n)
            .map(|i| {
                let v: Vec<f32> =
                    centres[i % 60].iter().map(|c| (c + 0.5 * (random.unit() - 0.5)) as f32).collect();
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
    fn the_nearest_rows_of_queries_are_those_of_sorting_all_and_nearly_all_find_their_nearest_of_a_sample() {
        let all = clustered(9000);
        let rows: Vec<Vec<f32>> = (0..9000).map(|i| all.row(i)).collect();
        let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let (sample, rest) = rows.split_at(1000);
        let packed = Panels::pack(16, sample.iter().copied());
        let exact = nearest_rows(&Panels::pack(16, rest.iter().copied()), sample, 3);
        let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).fold(0.0f32, |s, (x, y)| s + x * y);
        for (row, found) in rest.iter().zip(&exact).step_by(371) {
            let mut sorted: Vec<(u32, f32)> =
                sample.iter().enumerate().map(|(i, s)| (i as u32, cosine(row, s))).collect();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            assert_eq!(found, &sorted[..3]);
        }
        let found = nearest_of_sample(&packed, rest, 3);
        let hits =
            exact.iter().zip(&found).filter(|(exact, found)| exact.first().map(|e| e.0) == **found).count();
        assert!(hits as f64 > 0.97 * rest.len() as f64, "{hits}");
        assert_eq!(nearest_of_sample(&Panels::pack(16, [].into_iter()), &rest[..2], 3), [None, None]);
        // Rows of several runs are numbered through.
        let last = nearest_rows(&Panels::pack(16, rows[8999..].iter().copied()), &rows, 1);
        assert!(cosine(rows[8999], rows[last[0][0].0 as usize]) > 0.9999);
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
        let with = |n| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .unwrap()
                .install(|| approximate_neighbours(&rows, 8, 1))
        };
        assert_eq!(with(1), with(2));
    }
}
