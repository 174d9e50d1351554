//! Exact nearest neighbours of every row, by angle, on all cores.

use crate::{Lane, PANEL, Panels, Tile};
use rayon::prelude::*;
use std::sync::Mutex;

/// A neighbour and the angle to it in radians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Its row.
    pub row: u32,
    /// The angle between the two rows, in 0..=pi.
    pub angle: f64,
}

/// Panels a block: 256 rows, so that two blocks of 384 components and their products stay in a core's cache.
const BLOCK: usize = 16;

/// Candidates kept beyond K, so that rounding in single precision cannot push a true neighbour out.
pub(super) const SLACK: usize = 4;

/// The best candidates of one row so far, best first: larger cosine, then smaller row.
pub(super) struct Best {
    limit: usize,
    list: Vec<(f32, u32)>,
}

impl Best {
    pub(super) fn new(limit: usize) -> Self {
        Best { limit, list: Vec::with_capacity(limit + 1) }
    }

    /// Takes a candidate in if it is among the best.
    pub(super) fn offer(&mut self, score: f32, row: u32) {
        let before = |x: &(f32, u32)| x.0 > score || (x.0 == score && x.1 < row);
        if self.list.len() == self.limit {
            if self.list.last().is_some_and(before) {
                return;
            }
            self.list.pop();
        }
        let at = self.list.partition_point(before);
        self.list.insert(at, (score, row));
    }

    /// The candidates, best first: cosine and row.
    pub(super) fn list(&self) -> &[(f32, u32)] {
        &self.list
    }

    /// Returns the least score that is worth offering.
    pub(super) fn floor(&self) -> f32 {
        if self.list.len() == self.limit {
            self.list.last().map_or(f32::NEG_INFINITY, |x| x.0)
        } else {
            f32::NEG_INFINITY
        }
    }
}

/// The K nearest rows of every row by angle, the row itself first; fewer where there are fewer rows.
///
/// Exact: every pair is multiplied once in single precision; close candidates are then ranked by angles in
/// double precision. Ties go to the smaller row, whatever the number of threads.
pub fn nearest_neighbours(rows: &Panels, k: usize) -> Vec<Vec<Neighbour>> {
    let limit = (k + SLACK).min(rows.rows());
    if k == 0 || rows.rows() == 0 {
        return vec![Vec::new(); rows.rows()];
    }
    let blocks = rows.panels().div_ceil(BLOCK);
    let best: Vec<Mutex<Vec<Best>>> = (0..blocks)
        .map(|b| {
            let count = (BLOCK * PANEL).min(rows.rows() - b * BLOCK * PANEL);
            Mutex::new((0..count).map(|_| Best::new(limit)).collect())
        })
        .collect();
    // Every pair of blocks occurs once. Block i meets i, i + 1, ... half-way round, so that threads rarely
    // collide.
    let pairs: Vec<(usize, usize)> = (0..=blocks / 2)
        .flat_map(|step| (0..blocks).map(move |i| (i, (i + step) % blocks)))
        .filter(|&(i, j)| blocks % 2 == 1 || (j + blocks - i) % blocks != blocks / 2 || i < j)
        .collect();
    pairs.into_par_iter().for_each_init(Vec::new, |tiles: &mut Vec<Tile>, (i, j)| {
        let panels = |b: usize| b * BLOCK..((b + 1) * BLOCK).min(rows.panels());
        tiles.resize(BLOCK * BLOCK, [Lane::ZERO; PANEL]);
        let width = panels(j).len();
        for (a, p) in panels(i).enumerate() {
            for (b, q) in panels(j).enumerate() {
                if let Some(tile) = tiles.get_mut(a * width + b) {
                    rows.tile(p, rows, q, tile);
                }
            }
        }
        let (first_i, first_j) = (i * BLOCK * PANEL, j * BLOCK * PANEL);
        with(&best[i], |best| {
            for (r, best) in best.iter_mut().enumerate() {
                let mut floor = best.floor();
                for (b, tile) in tiles[(r / PANEL) * width..][..width].iter().enumerate() {
                    let scores = &tile[r % PANEL];
                    if !scores.iter().any(|&s| s >= floor) {
                        continue;
                    }
                    for (c, &s) in scores.iter().enumerate() {
                        let column = first_j + b * PANEL + c;
                        if s >= floor && column < rows.rows() {
                            best.offer(s, column as u32);
                            floor = best.floor();
                        }
                    }
                }
            }
        });
        if i != j {
            with(&best[j], |best| {
                let count = best.len();
                for b in 0..width {
                    let columns = b * PANEL..((b + 1) * PANEL).min(count);
                    let mut floors = [f32::INFINITY; PANEL];
                    floors.iter_mut().zip(&best[columns.clone()]).for_each(|(f, b)| *f = b.floor());
                    for a in 0..panels(i).len() {
                        for (r, scores) in tiles[a * width + b].iter().enumerate() {
                            let row = first_i + a * PANEL + r;
                            if row >= rows.rows() || !scores.iter().zip(&floors).any(|(s, f)| s >= f) {
                                continue;
                            }
                            for (c, best) in best[columns.clone()].iter_mut().enumerate() {
                                if scores[c] >= floors[c] {
                                    best.offer(scores[c], row as u32);
                                    floors[c] = best.floor();
                                }
                            }
                        }
                    }
                }
            });
        }
    });
    let candidates: Vec<Vec<Best>> =
        best.into_iter().map(|b| b.into_inner().unwrap_or_else(|e| e.into_inner())).collect();
    candidates
        .into_par_iter()
        .enumerate()
        .flat_map_iter(|(b, block)| {
            block.into_iter().enumerate().map(move |(r, best)| {
                let row = b * BLOCK * PANEL + r;
                rank_candidates(rows, row, &best, k)
            })
        })
        .collect()
}

fn with<T>(mutex: &Mutex<T>, f: impl FnOnce(&mut T)) {
    f(&mut mutex.lock().unwrap_or_else(|e| e.into_inner()));
}

/// Cosine above which single precision is too coarse for an angle, which is then computed anew.
const CLOSE: f32 = 0.95;

/// The `k` nearest of a row's candidates, the row itself first whether it is among them or not.
pub(super) fn rank_candidates(rows: &Panels, row: usize, candidates: &Best, k: usize) -> Vec<Neighbour> {
    let mut own = None;
    let mut found: Vec<Neighbour> = candidates
        .list
        .iter()
        .filter(|c| c.1 as usize != row)
        .map(|&(cosine, other)| {
            let angle = if cosine > CLOSE {
                angle(own.get_or_insert_with(|| rows.row(row)), &rows.row(other as usize))
            } else {
                f64::from(cosine).max(-1.0).acos()
            };
            Neighbour { row: other, angle }
        })
        .collect();
    found.sort_by(|a, b| a.angle.total_cmp(&b.angle).then(a.row.cmp(&b.row)));
    found.truncate(k.saturating_sub(1));
    found.insert(0, Neighbour { row: row as u32, angle: 0.0 });
    found
}

/// The angle between two unit vectors, exact also near 0 and pi, where the arc cosine is not (Kahan's
/// formula). A zero vector is at a right angle to everything but another zero vector, with which it
/// coincides.
pub fn angle(a: &[f32], b: &[f32]) -> f64 {
    let (mut difference, mut sum) = (0.0f64, 0.0f64);
    let (mut norm_a, mut norm_b) = (0.0f64, 0.0f64);
    for (&x, &y) in a.iter().zip(b) {
        let (x, y) = (f64::from(x), f64::from(y));
        difference += (x - y) * (x - y);
        sum += (x + y) * (x + y);
        norm_a += x * x;
        norm_b += y * y;
    }
    match (norm_a > 0.0, norm_b > 0.0) {
        (true, true) => 2.0 * difference.sqrt().atan2(sum.sqrt()),
        (false, false) => 0.0,
        _ => std::f64::consts::FRAC_PI_2,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Random;

    fn random_rows(n: usize, dim: usize, seed: u64) -> Vec<Vec<f32>> {
        let mut random = Random::new(seed, 1);
        (0..n)
            .map(|_| {
                let v: Vec<f32> = (0..dim).map(|_| random.unit() as f32 - 0.5).collect();
                let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
                v.iter().map(|x| x / norm).collect()
            })
            .collect()
    }

    fn naive(rows: &[Vec<f32>], k: usize) -> Vec<Vec<u32>> {
        (0..rows.len())
            .map(|i| {
                let mut all: Vec<(f64, usize)> = (0..rows.len())
                    .map(|j| (if i == j { -1.0 } else { angle(&rows[i], &rows[j]) }, j))
                    .collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                all.iter().take(k).map(|x| x.1 as u32).collect()
            })
            .collect()
    }

    #[test]
    fn neighbours_equal_those_of_sorting_all_angles() {
        for n in [1, 5, 16, 257, 300, 600, 1100] {
            let rows = random_rows(n, 7, n as u64);
            let packed = Panels::pack(7, rows.iter().map(Vec::as_slice));
            let found: Vec<Vec<u32>> =
                nearest_neighbours(&packed, 6).iter().map(|l| l.iter().map(|x| x.row).collect()).collect();
            assert_eq!(found, naive(&rows, 6), "{n} rows");
        }
    }

    #[test]
    fn a_row_is_its_own_first_neighbour_even_among_identical_ones() {
        let packed = Panels::pack(2, vec![vec![1.0f32, 0.0]; 50].iter().map(Vec::as_slice));
        let found = nearest_neighbours(&packed, 3);
        assert!(
            found
                .iter()
                .enumerate()
                .all(|(i, l)| l.len() == 3 && l[0].row as usize == i && l.iter().all(|x| x.angle == 0.0))
        );
    }

    #[test]
    fn threads_do_not_change_the_neighbours() {
        let rows = random_rows(700, 5, 9);
        let packed = Panels::pack(5, rows.iter().map(Vec::as_slice));
        let with = |n| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .unwrap()
                .install(|| nearest_neighbours(&packed, 8))
        };
        assert_eq!(with(1), with(2));
    }

    #[test]
    fn small_and_straight_angles_are_exact() {
        let tiny = 1e-4f32;
        assert!((angle(&[1.0, 0.0], &[1.0, tiny]) - f64::from(tiny)).abs() < 1e-9);
        assert_eq!(angle(&[1.0, 0.0], &[-1.0, 0.0]), std::f64::consts::PI);
        assert_eq!(angle(&[0.0, 0.0], &[1.0, 0.0]), std::f64::consts::FRAC_PI_2);
    }
}
