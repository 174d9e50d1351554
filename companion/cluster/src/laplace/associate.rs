//! Algorithm 2 of AutoKG: labels by angle, Laplace learning, a threshold; and the keyword graph.

use super::solve::{Labels, Learning, SolveOptions, solve};
use crate::{Lane, PANEL, Panels};
use pocketgraph_base::csr::Csr;
use pocketgraph_kernels::vector::{Scored, top_k};
use rayon::prelude::*;

/// Cosine that is near in any corpus: a clear topic can have more chunks than can be far above the mean.
const NEAR: f32 = 0.5;

/// Threshold of u for a chunk to belong to the keyword.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// The paper's rule: u >= 0.5 (u > 0 with Poisson learning). On real text it keeps few other chunks.
    Paper,
    /// u at least two standard deviations above the keyword's mean u, or at least 0.5 if that is less: a
    /// clear topic can have more chunks than can be so far above the mean. (With Poisson learning, only the
    /// first.)
    MeanPlusTwoSd,
    /// Chunks of [`Threshold::MeanPlusTwoSd`] whose cosine to the keyword is also two standard deviations
    /// above the mean, or at least [`NEAR`]. u alone floods closed groups of neighbours from one label.
    MeanPlusTwoSdOfBoth,
    /// The given fraction of all chunks, those of highest u.
    Quantile(f32),
}

impl std::fmt::Display for Threshold {
    /// As the command line has it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Threshold::Paper => f.write_str("paper"),
            Threshold::MeanPlusTwoSd => f.write_str("mean+2sd"),
            Threshold::MeanPlusTwoSdOfBoth => f.write_str("both"),
            Threshold::Quantile(fraction) => write!(f, "{fraction}"),
        }
    }
}

/// Options of [`associate_chunks`].
#[derive(Debug, Clone, Copy)]
pub struct AssociationOptions {
    /// n1: how many of the nearest chunks are labelled 1. Small corpora use fewer: at most a sixth of the
    /// chunks.
    pub n1: usize,
    /// n2: how many of the farthest chunks are labelled 0. Small corpora use fewer: at most half of the
    /// chunks.
    pub n2: usize,
    /// Learning by which labels spread.
    pub learning: Learning,
    /// Threshold for chunks that are kept.
    pub threshold: Threshold,
    /// At most this fraction of all chunks may belong to a keyword; those of highest u stay. 1 for no cap.
    pub cap: f32,
    /// Tolerance at which the solver stops.
    pub tolerance: f32,
    /// Number of chunks that are ranked for each keyword.
    pub ranked: usize,
}

/// The chunks of one keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Association {
    /// X_k as a bit a chunk.
    bits: Vec<u64>,
    /// |X_k|.
    pub size: u32,
    /// The best chunks by u, best first: the labelled ones by angle, then the others.
    pub by_u: Vec<u32>,
    /// The best chunks by angle, best first.
    pub by_angle: Vec<u32>,
}

impl Association {
    /// Returns true if a chunk belongs to the keyword.
    pub fn contains(&self, chunk: u32) -> bool {
        has_bit(&self.bits, chunk)
    }

    /// X_k, ascending.
    pub fn chunks(&self) -> Vec<u32> {
        (0..self.bits.len() as u32 * 64).filter(|&i| self.contains(i)).collect()
    }
}

fn has_bit(bits: &[u64], chunk: u32) -> bool {
    bits.get(chunk as usize / 64).is_some_and(|word| word >> (chunk % 64) & 1 == 1)
}

/// The mean and two standard deviations more.
fn far_above(values: &[f32]) -> f32 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
    let variance = values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / count;
    (mean + 2.0 * variance.sqrt()) as f32
}

/// The chunks of every keyword. `weights` is W^t, `chunks` and `keywords` hold unit vectors of one dimension.
///
/// Memory: N bits and `ranked` numbers a keyword, and one block of u a thread.
pub fn associate_chunks(
    weights: &Csr<f32>,
    chunks: &Panels,
    keywords: &Panels,
    options: &AssociationOptions,
) -> Vec<Association> {
    let n = chunks.rows();
    let n1 = options.n1.min(n.div_ceil(6));
    let n2 = options.n2.min(n / 2).min(n - n1);
    let nearest = by_angle(chunks, keywords, n1, n2, options);
    let labels: Vec<Labels> = nearest.iter().map(|x| x.labels.clone()).collect();
    let solver =
        SolveOptions { learning: options.learning, tolerance: options.tolerance, ..SolveOptions::default() };
    let cap = ((options.cap.clamp(0.0, 1.0) * n as f32) as usize).max(n1).min(n);
    let cut: Vec<(Vec<u64>, u32, Vec<u32>)> = solve(weights, &labels, &solver, |k, u| {
        let positive = labels.get(k).map_or(&[][..], |l| l.positive.as_slice());
        let mut kept = find_members(u, positive, options);
        if let Some(Nearest { near: Some(near), .. }) = nearest.get(k) {
            kept.retain(|&i| has_bit(near, i));
        }
        if kept.len() > cap {
            kept = best_chunks(u, cap, &[]);
        }
        let mut bits = vec![0u64; n.div_ceil(64)];
        kept.iter().for_each(|&i| bits[i as usize / 64] |= 1 << (i % 64));
        let by_u = match options.learning {
            Learning::Laplace => {
                let mut ranked = positive.to_vec();
                ranked.extend(best_chunks(u, options.ranked.saturating_sub(ranked.len()), positive));
                ranked.truncate(options.ranked);
                ranked
            }
            Learning::Poisson => best_chunks(u, options.ranked, &[]),
        };
        (bits, kept.len() as u32, by_u)
    });
    cut.into_iter()
        .zip(nearest)
        .map(|((bits, size, by_u), n)| Association { bits, size, by_u, by_angle: n.ranked })
        .collect()
}

/// The chunks of highest u, best first, without some.
fn best_chunks(u: &[f32], count: usize, without: &[u32]) -> Vec<u32> {
    let scores = u
        .iter()
        .enumerate()
        .map(|(i, &score)| Scored { index: i as u32, score })
        .filter(|s| !without.contains(&s.index));
    top_k(scores, count).into_iter().map(|s| s.index).collect()
}

/// X_k: what the threshold keeps, and the chunks labelled 1 in any case.
fn find_members(u: &[f32], positive: &[u32], options: &AssociationOptions) -> Vec<u32> {
    let above =
        |at: f32| (0..u.len() as u32).filter(|&i| u[i as usize] >= at || positive.contains(&i)).collect();
    match (options.threshold, options.learning) {
        // u has rounding and the solver's tolerance in it: a value that is exactly one half must not depend
        // on them.
        (Threshold::Paper, Learning::Laplace) => above(0.5 - options.tolerance),
        (Threshold::Paper, Learning::Poisson) => above(f32::MIN_POSITIVE),
        (Threshold::MeanPlusTwoSd | Threshold::MeanPlusTwoSdOfBoth, Learning::Laplace) => {
            above(far_above(u).min(0.5 - options.tolerance))
        }
        (Threshold::MeanPlusTwoSd | Threshold::MeanPlusTwoSdOfBoth, Learning::Poisson) => above(far_above(u)),
        (Threshold::Quantile(fraction), _) => {
            let count = (f64::from(fraction.clamp(0.0, 1.0)) * u.len() as f64).round() as usize;
            best_chunks(u, count.max(positive.len()), &[])
        }
    }
}

/// Nearest and farthest chunks of one keyword, by angle.
struct Nearest {
    /// The best chunks, best first.
    ranked: Vec<u32>,
    /// The n1 nearest and the n2 farthest chunks.
    labels: Labels,
    /// A bit for each chunk with a cosine far above the mean or a label; `None` if the threshold needs none.
    near: Option<Vec<u64>>,
}

/// For each keyword what the angles say.
fn by_angle(
    chunks: &Panels,
    keywords: &Panels,
    n1: usize,
    n2: usize,
    options: &AssociationOptions,
) -> Vec<Nearest> {
    let n = chunks.rows();
    let panels: Vec<Vec<Nearest>> = (0..keywords.panels())
        .into_par_iter()
        .map(|p| {
            let own = PANEL.min(keywords.rows() - p * PANEL);
            let mut scores = vec![Vec::with_capacity(n.next_multiple_of(PANEL)); own];
            let mut tile = [Lane::ZERO; PANEL];
            for q in 0..chunks.panels() {
                keywords.tile(p, chunks, q, &mut tile);
                scores.iter_mut().zip(&tile).for_each(|(all, row)| all.extend_from_slice(&row[..]));
            }
            scores
                .iter()
                .map(|all: &Vec<f32>| label_nearest(all.get(..n).unwrap_or(all), n1, n2, options))
                .collect()
        })
        .collect();
    panels.into_iter().flatten().collect()
}

/// Finds the nearest and farthest chunks from one keyword's cosines.
fn label_nearest(cosines: &[f32], n1: usize, n2: usize, options: &AssociationOptions) -> Nearest {
    let scored = || cosines.iter().enumerate().map(|(i, &score)| Scored { index: i as u32, score });
    let mut ranked: Vec<u32> = top_k(scored(), options.ranked.max(n1)).into_iter().map(|s| s.index).collect();
    let positive: Vec<u32> = ranked.iter().copied().take(n1).collect();
    ranked.truncate(options.ranked);
    let far = scored().filter(|s| !positive.contains(&s.index)).map(|s| Scored { score: -s.score, ..s });
    let negative = top_k(far, n2).into_iter().map(|s| s.index).collect();
    let near = (options.threshold == Threshold::MeanPlusTwoSdOfBoth).then(|| {
        let at = far_above(cosines).min(NEAR);
        let mut bits = vec![0u64; cosines.len().div_ceil(64)];
        let near = scored().filter(|s| s.score >= at).map(|s| s.index).chain(positive.iter().copied());
        near.for_each(|i| bits[i as usize / 64] |= 1 << (i % 64));
        bits
    });
    Nearest { ranked, labels: Labels { positive, negative }, near }
}

/// W^k: for each pair of keywords the number of chunks they share, W^k_ij = |X_i intersect X_j|, without the
/// diagonal.
pub fn shared_chunks(associations: &[Association]) -> Csr<u32> {
    let upper: Vec<Vec<(u32, u32)>> = (0..associations.len())
        .into_par_iter()
        .map(|i| {
            let own = &associations[i].bits;
            (i + 1..associations.len())
                .map(|j| {
                    (
                        j as u32,
                        own.iter().zip(&associations[j].bits).map(|(a, b)| (a & b).count_ones()).sum::<u32>(),
                    )
                })
                .filter(|x| x.1 > 0)
                .collect()
        })
        .collect();
    let mut rows: Vec<Vec<(u32, u32)>> = vec![Vec::new(); associations.len()];
    for (i, list) in upper.into_iter().enumerate() {
        for &(j, w) in &list {
            rows[j as usize].push((i as u32, w));
        }
        rows[i].extend(list);
    }
    Csr::from_rows(associations.len(), rows)
}

#[cfg(test)]
mod tests {
    use super::super::neighbours::nearest_neighbours;
    use super::super::weights::{Kernel, chunk_graph};
    use super::*;
    use crate::Random;

    fn options(threshold: Threshold) -> AssociationOptions {
        AssociationOptions {
            n1: 5,
            n2: 20,
            learning: Learning::Laplace,
            threshold,
            cap: 1.0,
            tolerance: 1e-5,
            ranked: 12,
        }
    }

    /// Three groups of 40 around the axes, and a keyword at each axis.
    fn unit_vectors() -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
        let mut random = Random::new(4, 4);
        let near = |axis: usize, spread: f32, random: &mut Random| {
            let v: Vec<f32> = (0..6)
                .map(|k| f32::from(u8::from(k == axis)) + spread * (random.unit() as f32 - 0.5))
                .collect();
            let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            v.iter().map(|x| x / norm).collect::<Vec<f32>>()
        };
        let chunks: Vec<Vec<f32>> = (0..120).map(|i| near(i / 40, 0.5, &mut random)).collect();
        (chunks, (0..3).map(|axis| near(axis, 0.0, &mut random)).collect())
    }

    fn groups() -> (Panels, Panels) {
        let (chunks, keywords) = unit_vectors();
        (
            Panels::pack(6, chunks.iter().map(Vec::as_slice)),
            Panels::pack(6, keywords.iter().map(Vec::as_slice)),
        )
    }

    fn associations(options: &AssociationOptions) -> Vec<Association> {
        let (chunks, keywords) = groups();
        let graph = chunk_graph(&chunks, &nearest_neighbours(&chunks, 10), Kernel::Paper);
        associate_chunks(&graph.weights, &chunks, &keywords, options)
    }

    #[test]
    fn a_keyword_gets_the_chunks_of_its_group() {
        for (k, found) in associations(&options(Threshold::Paper)).iter().enumerate() {
            assert_eq!(found.chunks(), (40 * k as u32..40 * (k as u32 + 1)).collect::<Vec<_>>());
            assert_eq!((found.size, found.by_u.len(), found.by_angle.len()), (40, 12, 12));
            assert_eq!(
                found.by_u[..5],
                found.by_angle[..5],
                "labelled chunks lead in the order of their angles"
            );
        }
    }

    #[test]
    fn thresholds_and_the_cap_bound_the_size() {
        let sizes = |o: &AssociationOptions| associations(o).iter().map(|a| a.size).collect::<Vec<_>>();
        assert_eq!(sizes(&options(Threshold::Quantile(0.1))), [12; 3]);
        assert_eq!(sizes(&options(Threshold::Quantile(0.0))), [5; 3], "the labelled chunks always belong");
        assert_eq!(sizes(&AssociationOptions { cap: 0.2, ..options(Threshold::Paper) }), [24; 3]);
        assert_eq!(
            sizes(&options(Threshold::MeanPlusTwoSd)),
            [40; 3],
            "a third of the chunks cannot lie two standard deviations above the mean"
        );
    }

    #[test]
    fn a_cut_by_both_keeps_what_is_near_by_u_and_by_angle() {
        let (chunks, keywords) = unit_vectors();
        // A chunk far from every keyword, whose only neighbours are of the first group: u floods it.
        let astray = [0.0f32, 0.0, 0.0, 0.0, 0.0, 1.0];
        let rows: Vec<&[f32]> = chunks.iter().map(Vec::as_slice).chain([&astray[..]]).collect();
        let rows = Panels::pack(6, rows.into_iter());
        let keywords_packed = Panels::pack(6, keywords.iter().map(Vec::as_slice));
        let mut edges: Vec<Vec<(u32, f32)>> = vec![Vec::new(); 121];
        let graph = chunk_graph(&rows, &nearest_neighbours(&rows, 10), Kernel::Paper);
        for (i, row) in edges.iter_mut().enumerate().take(120) {
            let (columns, values) = graph.weights.row(i);
            row.extend(columns.iter().zip(values).map(|(&j, &w)| (j, w)).filter(|x| x.0 != 120));
        }
        for i in 0..4u32 {
            edges[i as usize].push((120, 1.0));
            edges[120].push((i, 1.0));
        }
        let weights = Csr::from_rows(121, edges);
        let sets = |threshold| associate_chunks(&weights, &rows, &keywords_packed, &options(threshold));
        let (one, both) = (sets(Threshold::MeanPlusTwoSd), sets(Threshold::MeanPlusTwoSdOfBoth));
        assert!(one[0].contains(120), "its neighbours' label is its own");
        assert_eq!(both[0].chunks(), (0..40).collect::<Vec<_>>());
        assert_eq!(both[1].chunks(), one[1].chunks());
    }

    #[test]
    fn poisson_learning_ranks_the_group_of_a_keyword_first() {
        let poisson =
            AssociationOptions { learning: Learning::Poisson, ..options(Threshold::Quantile(0.25)) };
        for (k, found) in associations(&poisson).iter().enumerate() {
            assert!(found.chunks().iter().all(|&c| c as usize / 40 == k), "{:?}", found.chunks());
        }
    }

    #[test]
    fn edges_count_shared_chunks() {
        let of = |bits: u64| Association {
            bits: vec![bits],
            size: bits.count_ones(),
            by_u: vec![],
            by_angle: vec![],
        };
        let w = shared_chunks(&[of(0b0111), of(0b0110), of(0b1000)]);
        assert_eq!((w.get(0, 1), w.get(1, 0), w.get(0, 2), w.get(0, 0)), (Some(2), Some(2), None, None));
        assert_eq!(shared_chunks(&[]).rows(), 0);
    }

    #[test]
    fn one_chunk_belongs_to_every_keyword() {
        let one = Panels::pack(2, [&[1.0f32, 0.0][..]].into_iter());
        let graph = chunk_graph(&one, &nearest_neighbours(&one, 30), Kernel::Paper);
        let found = associate_chunks(&graph.weights, &one, &one, &options(Threshold::MeanPlusTwoSd));
        assert_eq!((found[0].chunks(), &found[0].by_u), (vec![0], &vec![0]));
    }
}
