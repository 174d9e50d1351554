//! K-means by angle, with k-means++ seeding and restarts.

use super::Random;
use super::lanes::Lane;
use super::similarity::{PANEL, Panels};
use rayon::prelude::*;

/// A partition of rows, and the unit centre of each part.
#[derive(Debug, Clone)]
pub struct Clustering {
    /// The cluster of each row.
    pub assignment: Vec<u32>,
    /// One unit vector a cluster (zero for a cluster whose rows cancel out). Every cluster holds at least one
    /// row.
    pub centres: Vec<Vec<f32>>,
    /// Sum over rows of the cosine with their centre: what the clustering maximises.
    pub score: f64,
}

impl Clustering {
    /// The rows of each cluster, ascending.
    pub fn members(&self) -> Vec<Vec<u32>> {
        list_members(&self.assignment, self.centres.len())
    }
}

/// The rows of each of `clusters` clusters, ascending.
pub(super) fn list_members(assignment: &[u32], clusters: usize) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::new(); clusters];
    for (row, &c) in assignment.iter().enumerate() {
        if let Some(list) = out.get_mut(c as usize) {
            list.push(row as u32);
        }
    }
    out
}

/// Options of k-means.
#[derive(Debug, Clone, Copy)]
pub struct KMeansOptions {
    /// Number of clusters; fewer come back where there are fewer different rows.
    pub clusters: usize,
    /// Number of restarts; the best one is kept.
    pub restarts: usize,
    /// Rounds of assigning and centring a start, at most.
    pub rounds: usize,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Groups unit vectors into clusters around unit centres (spherical k-means; Dhillon and Modha, 2001;
/// seeding: Arthur and Vassilvitskii, 2007). The number of threads changes nothing. Empty without rows or
/// clusters.
pub fn kmeans(rows: &Panels, options: &KMeansOptions) -> Clustering {
    let mut best: Option<Clustering> = None;
    for restart in 0..options.restarts.max(1) {
        let mut random = Random::new(options.seed, 0x6b6d_0000 + restart as u64);
        let mut centres = plus_plus(rows, options.clusters.min(rows.rows()), &mut random);
        let (mut assignment, mut similarity) = assign_rows(rows, &centres);
        for _ in 0..options.rounds {
            centres = move_centres(rows, &mut assignment, &similarity, centres.len());
            let (next, next_similarity) = assign_rows(rows, &centres);
            let done = next == assignment;
            (assignment, similarity) = (next, next_similarity);
            if done {
                break;
            }
        }
        let centres = move_centres(rows, &mut assignment, &similarity, centres.len());
        let score = similarity.iter().map(|&s| f64::from(s)).sum();
        if best.as_ref().is_none_or(|b| score > b.score) {
            best = Some(Clustering { assignment, centres, score });
        }
    }
    best.unwrap_or(Clustering { assignment: Vec::new(), centres: Vec::new(), score: 0.0 })
}

/// Draws seeds: the first at random, each next with probability proportional to its squared distance from the
/// nearest seed. Rows equal to a seed are never drawn, so that identical rows give fewer seeds.
fn plus_plus(rows: &Panels, clusters: usize, random: &mut Random) -> Vec<Vec<f32>> {
    let mut seeds: Vec<Vec<f32>> = Vec::with_capacity(clusters);
    let mut distance = vec![f32::INFINITY; rows.rows()];
    while seeds.len() < clusters {
        let next = if seeds.is_empty() {
            random.below(rows.rows())
        } else {
            match draw_index(&distance, random) {
                Some(i) => i,
                None => break,
            }
        };
        let seed = rows.row(next);
        let one = Panels::pack(rows.dim(), std::iter::once(seed.as_slice()));
        let similarity = best_centre(rows, &one);
        for (d, (_, s)) in distance.iter_mut().zip(similarity) {
            // |a - b|^2 = 2 - 2 a.b for unit vectors; what rounding leaves of identical rows is no distance.
            let squared = 2.0 - 2.0 * s;
            *d = d.min(if squared < 1e-5 { 0.0 } else { squared });
        }
        if let Some(d) = distance.get_mut(next) {
            *d = 0.0;
        }
        seeds.push(seed);
    }
    seeds
}

/// An index with probability proportional to its weight; none where all weights are zero.
fn draw_index(weights: &[f32], random: &mut Random) -> Option<usize> {
    let total: f64 = weights.iter().map(|&d| f64::from(d)).sum();
    let mut at = random.unit() * total;
    let mut chosen = None;
    for (i, &w) in weights.iter().enumerate() {
        if w > 0.0 {
            chosen = Some(i);
            at -= f64::from(w);
            if at <= 0.0 {
                break;
            }
        }
    }
    chosen
}

/// For each row its nearest centre and the cosine with it; ties go to the first centre.
fn best_centre(rows: &Panels, centres: &Panels) -> Vec<(u32, f32)> {
    let blocks: Vec<[(u32, f32); PANEL]> = (0..rows.panels())
        .into_par_iter()
        .map(|p| {
            let mut best = [(0u32, f32::NEG_INFINITY); PANEL];
            let mut tile = [Lane::ZERO; PANEL];
            for q in 0..centres.panels() {
                rows.tile(p, centres, q, &mut tile);
                let count = PANEL.min(centres.rows() - q * PANEL);
                for (best, similarities) in best.iter_mut().zip(&tile) {
                    for (c, &s) in similarities.iter().take(count).enumerate() {
                        if s > best.1 {
                            *best = ((q * PANEL + c) as u32, s);
                        }
                    }
                }
            }
            best
        })
        .collect();
    blocks.into_iter().flatten().take(rows.rows()).collect()
}

fn assign_rows(rows: &Panels, centres: &[Vec<f32>]) -> (Vec<u32>, Vec<f32>) {
    let packed = Panels::pack(rows.dim(), centres.iter().map(Vec::as_slice));
    best_centre(rows, &packed).into_iter().unzip()
}

/// Returns the unit mean of each cluster. A cluster without rows takes the row that fits its own cluster
/// worst, so that the number of clusters stays; the assignment changes too.
fn move_centres(rows: &Panels, assignment: &mut [u32], similarity: &[f32], clusters: usize) -> Vec<Vec<f32>> {
    let mut lists = list_members(assignment, clusters);
    for empty in 0..clusters {
        if !lists[empty].is_empty() {
            continue;
        }
        let worst = (0..assignment.len())
            .filter(|&i| lists.get(assignment[i] as usize).is_some_and(|l| l.len() > 1))
            .min_by(|&a, &b| similarity[a].total_cmp(&similarity[b]).then(a.cmp(&b)));
        if let Some(row) = worst {
            if let Some(list) = lists.get_mut(assignment[row] as usize) {
                list.retain(|&r| r as usize != row);
            }
            assignment[row] = empty as u32;
            lists[empty].push(row as u32);
        }
    }
    mean_directions(rows, assignment, clusters)
}

/// Runs of panels summed side by side: fixed, so that the sums do not depend on the number of threads.
const RUNS: usize = 16;

/// For each cluster the unit vector along the sum of its rows; zero where they cancel out.
fn mean_directions(rows: &Panels, assignment: &[u32], clusters: usize) -> Vec<Vec<f32>> {
    let dim = rows.dim();
    let run = rows.panels().div_ceil(RUNS).max(1);
    let partial: Vec<Vec<f64>> = (0..rows.panels().div_ceil(run))
        .into_par_iter()
        .map(|r| {
            let mut sums = vec![0.0f64; clusters * dim];
            for p in r * run..((r + 1) * run).min(rows.panels()) {
                let own = &assignment[p * PANEL..((p + 1) * PANEL).min(assignment.len())];
                // Component by component: the panel is read in the order it lies in memory.
                for (k, lane) in rows.panel(p).iter().enumerate() {
                    for (&c, &x) in own.iter().zip(lane.iter()) {
                        if let Some(sum) = sums.get_mut(c as usize * dim + k) {
                            *sum += f64::from(x);
                        }
                    }
                }
            }
            sums
        })
        .collect();
    unit_sums(&partial, dim, clusters)
}

/// [`mean_directions`] of rows that are not packed, each of `dim` components at most: the same bits.
pub(super) fn mean_directions_of(
    rows: &[Vec<f32>],
    dim: usize,
    assignment: &[u32],
    clusters: usize,
) -> Vec<Vec<f32>> {
    let run = (rows.len().div_ceil(PANEL).div_ceil(RUNS) * PANEL).max(1);
    let partial: Vec<Vec<f64>> = rows
        .par_chunks(run)
        .zip(assignment.par_chunks(run))
        .map(|(rows, assignment)| {
            let mut sums = vec![0.0f64; clusters * dim];
            for (row, &c) in rows.iter().zip(assignment) {
                let sums = sums.get_mut(c as usize * dim..).unwrap_or_default();
                sums.iter_mut()
                    .take(dim)
                    .zip(row)
                    .filter(|(_, x)| x.is_finite())
                    .for_each(|(s, &x)| *s += f64::from(x));
            }
            sums
        })
        .collect();
    unit_sums(&partial, dim, clusters)
}

/// Returns the unit vectors along the clusters' sums, given in parts.
fn unit_sums(partial: &[Vec<f64>], dim: usize, clusters: usize) -> Vec<Vec<f32>> {
    (0..clusters)
        .map(|c| {
            let sum: Vec<f64> =
                (0..dim).map(|k| partial.iter().map(|sums| sums[c * dim + k]).sum()).collect();
            to_unit(&sum)
        })
        .collect()
}

fn to_unit(sum: &[f64]) -> Vec<f32> {
    let norm = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
    let scale = if norm > 1e-12 { 1.0 / norm } else { 0.0 };
    sum.iter().map(|x| (x * scale) as f32).collect()
}

/// The centre of some rows: the unit vector along their sum; zero where they cancel out.
pub fn compute_centre(rows: &Panels, list: &[u32]) -> Vec<f32> {
    let mut sum = vec![0.0f64; rows.dim()];
    for &row in list {
        sum.iter_mut().zip(rows.row(row as usize)).for_each(|(s, x)| *s += f64::from(x));
    }
    to_unit(&sum)
}

/// Returns the cluster of each point by Euclidean k-means with k-means++ and restarts, for few dimensions.
pub(super) fn kmeans_points(points: &[Vec<f32>], options: &KMeansOptions) -> Vec<u32> {
    let mut best: Option<(f64, Vec<u32>)> = None;
    for restart in 0..options.restarts.max(1) {
        let mut random = Random::new(options.seed, 0x7073_0000 + restart as u64);
        let mut centres = seed_points(points, options.clusters, &mut random);
        let mut nearest = nearest_centres(points, &centres);
        for _ in 0..options.rounds {
            let assignment: Vec<u32> = nearest.iter().map(|x| x.0).collect();
            let lists = list_members(&assignment, centres.len());
            for (centre, list) in centres.iter_mut().zip(&lists) {
                if list.is_empty() {
                    continue;
                }
                let mut sum = vec![0.0f64; centre.len()];
                for &i in list {
                    sum.iter_mut().zip(&points[i as usize]).for_each(|(s, &x)| *s += f64::from(x));
                }
                *centre = sum.iter().map(|s| (s / list.len() as f64) as f32).collect();
            }
            let next = nearest_centres(points, &centres);
            let done = next.iter().zip(&nearest).all(|(a, b)| a.0 == b.0);
            nearest = next;
            if done {
                break;
            }
        }
        let cost: f64 = nearest.iter().map(|x| f64::from(x.1)).sum();
        if best.as_ref().is_none_or(|b| cost < b.0) {
            best = Some((cost, nearest.into_iter().map(|x| x.0).collect()));
        }
    }
    best.map_or(Vec::new(), |b| b.1)
}

fn squared_distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
}

fn seed_points(points: &[Vec<f32>], clusters: usize, random: &mut Random) -> Vec<Vec<f32>> {
    let mut distance = vec![f32::INFINITY; points.len()];
    let mut seeds = Vec::new();
    let mut next = (!points.is_empty() && clusters > 0).then(|| random.below(points.len()));
    while let Some(seed) = next.and_then(|i| points.get(i)) {
        distance.par_iter_mut().zip(points).for_each(|(d, p)| *d = d.min(squared_distance(p, seed)));
        seeds.push(seed.clone());
        next = if seeds.len() < clusters { draw_index(&distance, random) } else { None };
    }
    seeds
}

/// For each point its nearest centre and the squared distance to it; ties go to the first centre.
fn nearest_centres(points: &[Vec<f32>], centres: &[Vec<f32>]) -> Vec<(u32, f32)> {
    points
        .par_iter()
        .map(|p| {
            let mut best = (0, f32::INFINITY);
            for (c, centre) in centres.iter().enumerate() {
                let d = squared_distance(p, centre);
                if d < best.1 {
                    best = (c as u32, d);
                }
            }
            best
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn around(centre: usize, n: usize, random: &mut Random) -> Vec<Vec<f32>> {
        (0..n)
            .map(|_| {
                let mut v: Vec<f32> = (0..8)
                    .map(|k| if k == centre { 1.0 } else { 0.2 * (random.unit() as f32 - 0.5) })
                    .collect();
                let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
                v.iter_mut().for_each(|x| *x /= norm);
                v
            })
            .collect()
    }

    fn options(clusters: usize) -> KMeansOptions {
        KMeansOptions { clusters, restarts: 5, rounds: 50, seed: 1 }
    }

    #[test]
    fn well_separated_groups_are_found() {
        let mut random = Random::new(5, 5);
        let rows: Vec<Vec<f32>> = (0..4).flat_map(|c| around(c, 25, &mut random)).collect();
        let found = kmeans(&Panels::pack(8, rows.iter().map(Vec::as_slice)), &options(4));
        for group in found.assignment.chunks(25) {
            assert!(group.iter().all(|c| c == &group[0]));
        }
        assert_eq!(found.members().iter().map(Vec::len).collect::<Vec<_>>(), [25; 4]);
    }

    #[test]
    fn directions_of_rows_that_are_not_packed_have_the_same_bits() {
        let mut random = Random::new(7, 7);
        for n in [1, 16, 17, 700] {
            let rows: Vec<Vec<f32>> =
                (0..n).map(|_| (0..8).map(|_| random.unit() as f32 - 0.5).collect()).collect();
            let assignment: Vec<u32> = (0..n).map(|_| random.below(5) as u32).collect();
            let packed = Panels::pack(8, rows.iter().map(Vec::as_slice));
            assert_eq!(
                mean_directions_of(&rows, 8, &assignment, 5),
                mean_directions(&packed, &assignment, 5),
                "{n} rows"
            );
        }
    }

    #[test]
    fn threads_do_not_change_the_result() {
        let mut random = Random::new(6, 6);
        let rows: Vec<Vec<f32>> =
            (0..300).map(|_| (0..8).map(|_| random.unit() as f32 - 0.5).collect()).collect();
        let rows = Panels::pack(8, rows.iter().map(Vec::as_slice));
        let with = |n| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .unwrap()
                .install(|| kmeans(&rows, &options(7)))
        };
        let (one, two) = (with(1), with(2));
        assert_eq!(one.assignment, two.assignment);
        assert_eq!(one.centres, two.centres);
    }

    #[test]
    fn identical_rows_are_one_cluster_and_no_rows_are_none() {
        let rows = vec![vec![1.0f32, 0.0]; 9];
        let found = kmeans(&Panels::pack(2, rows.iter().map(Vec::as_slice)), &options(3));
        assert_eq!((found.centres.len(), found.assignment), (1, vec![0; 9]));
        assert!(kmeans(&Panels::pack(2, [].into_iter()), &options(3)).centres.is_empty());
    }
}
