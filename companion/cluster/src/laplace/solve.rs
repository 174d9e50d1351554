//! Graph Laplace learning for many keywords at once.
//!
//! Every keyword has its own labelled chunks and the same Laplacian L = D - W. Conjugate gradients,
//! preconditioned with the diagonal, solve sixteen keywords side by side, with one pass over the matrix. Each
//! block of keywords is solved by one thread in one order, so that the number of threads changes nothing.

use crate::lanes::{LANES, Lane, Lanes, dispatch};
use pocketgraph_base::csr::Csr;
use rayon::prelude::*;
use std::array;

/// Keywords a block: one cache line of single-precision numbers a chunk.
pub const BLOCK: usize = LANES;

/// Labels of one keyword: the chunks that belong to it and those that do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// Chunks labelled 1.
    pub positive: Vec<u32>,
    /// Chunks labelled 0.
    pub negative: Vec<u32>,
}

/// Equation that spreads the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Learning {
    /// u equals the label on labelled chunks, and (L u)_i = 0 elsewhere (Zhu, Ghahramani and Lafferty, 2003).
    #[default]
    Laplace,
    /// L u = sum over labelled chunks of (label - mean label), with degree-weighted mean 0 (Calder et al.,
    /// 2020).
    Poisson,
}

/// Options of the solver.
#[derive(Debug, Clone, Copy)]
pub struct SolveOptions {
    /// Equation that is solved.
    pub learning: Learning,
    /// Stops when the norm of the residual, scaled by the degrees, has fallen to this.
    pub tolerance: f32,
    /// Stops after this many rounds whatever the residual.
    pub rounds: usize,
}

impl Default for SolveOptions {
    fn default() -> Self {
        SolveOptions { learning: Learning::Laplace, tolerance: 1e-5, rounds: 2000 }
    }
}

struct Laplacian<'a> {
    weights: &'a Csr<f32>,
    degree: Vec<f32>,
    /// 1 / degree, and 0 for a chunk without edges.
    inverse: Vec<f32>,
    mean_degree: f32,
}

impl<'a> Laplacian<'a> {
    fn new(weights: &'a Csr<f32>) -> Self {
        let degree: Vec<f32> = (0..weights.rows())
            .map(|i| weights.row(i).1.iter().map(|&w| f64::from(w)).sum::<f64>() as f32)
            .collect();
        let inverse = degree.iter().map(|&d| if d > 0.0 { 1.0 / d } else { 0.0 }).collect();
        let mean = degree.iter().map(|&d| f64::from(d)).sum::<f64>() / degree.len().max(1) as f64;
        Laplacian { weights, degree, inverse, mean_degree: mean as f32 }
    }
}

/// Solves for all keywords and passes each keyword's u (one number per chunk) to `finish` with the keyword's
/// index, on the solving thread. Returns the results in order. Memory holds one block per thread.
///
/// With [`Learning::Laplace`], u is in 0..=1 up to the tolerance; keywords without labels and chunks that no
/// label reaches get zeros. `weights` must be square and symmetric; labelled chunks outside it are left out.
pub fn solve<R: Send>(
    weights: &Csr<f32>,
    labels: &[Labels],
    options: &SolveOptions,
    finish: impl Fn(usize, &[f32]) -> R + Sync,
) -> Vec<R> {
    let laplacian = Laplacian::new(weights);
    let blocks: Vec<Vec<R>> = labels
        .par_chunks(BLOCK)
        .enumerate()
        .map(|(b, block)| {
            let u = solve_block(&laplacian, block, options);
            let mut column = vec![0.0f32; u.len()];
            (0..block.len())
                .map(|c| {
                    column.iter_mut().zip(&u).for_each(|(x, lane)| *x = lane[c]);
                    finish(b * BLOCK + c, &column)
                })
                .collect()
        })
        .collect();
    blocks.into_iter().flatten().collect()
}

/// Sums kept in double precision.
type Sums = [f64; BLOCK];

/// Unknowns of one block. `fixed` lists (chunk, keyword) pairs with a given value; all vectors are zero
/// there, which makes the masked matrix that of the unlabelled chunks.
struct Block<'a> {
    laplacian: &'a Laplacian<'a>,
    fixed: Vec<(u32, u8)>,
}

impl Block<'_> {
    fn clear_fixed(&self, x: &mut [Lane]) {
        for &(row, c) in &self.fixed {
            x[row as usize][c as usize] = 0.0;
        }
    }

    /// q = L p on the free entries, and p . q.
    fn apply(&self, p: &[Lane], q: &mut [Lane]) -> Sums {
        laplacian_times(self.laplacian, p, q);
        self.clear_fixed(q);
        dot(p, q)
    }
}

fn solve_block(laplacian: &Laplacian<'_>, labels: &[Labels], options: &SolveOptions) -> Vec<Lane> {
    let n = laplacian.degree.len();
    let mut x = vec![Lane::ZERO; n];
    let mut r = vec![Lane::ZERO; n];
    let mut block = Block { laplacian, fixed: Vec::new() };
    let mut values: Vec<(u32, u8, f32)> = Vec::new();
    for (c, l) in labels.iter().enumerate() {
        let inside = |rows: &[u32]| rows.iter().copied().filter(|&i| (i as usize) < n).collect::<Vec<_>>();
        let (positive, negative) = (inside(&l.positive), inside(&l.negative));
        match options.learning {
            Learning::Laplace => {
                values.extend(
                    negative
                        .iter()
                        .map(|&i| (i, c as u8, 0.0))
                        .chain(positive.iter().map(|&i| (i, c as u8, 1.0))),
                );
            }
            Learning::Poisson => {
                let mean = positive.len() as f32 / (positive.len() + negative.len()).max(1) as f32;
                positive.iter().for_each(|&i| r[i as usize][c] += 1.0 - mean);
                negative.iter().for_each(|&i| r[i as usize][c] -= mean);
            }
        }
    }
    if options.learning == Learning::Laplace {
        let start = best_constants(laplacian, &values);
        x.iter_mut().for_each(|lane| *lane = start);
        for &(row, c, value) in &values {
            x[row as usize][c as usize] = value;
        }
        block.fixed = values.iter().map(|v| (v.0, v.1)).collect();
        laplacian_times(laplacian, &x, &mut r);
        r.iter_mut().flat_map(|lane| &mut lane.0).for_each(|v| *v = -*v);
        block.clear_fixed(&mut r);
    }
    conjugate_gradients(&block, &mut x, &mut r, options);
    if options.learning == Learning::Poisson {
        let mut sum = [0.0f64; BLOCK];
        let mut total = 0.0f64;
        for (lane, &d) in x.iter().zip(&laplacian.degree) {
            total += f64::from(d);
            sum.iter_mut().zip(lane.iter()).for_each(|(s, &v)| *s += f64::from(d) * f64::from(v));
        }
        let mean = sum.map(|s| if total > 0.0 { (s / total) as f32 } else { 0.0 });
        x.iter_mut().for_each(|lane| lane.iter_mut().zip(mean).for_each(|(v, m)| *v -= m));
    }
    x
}

/// Returns for each keyword a constant as first guess for all unlabelled chunks: the mean label, weighted by
/// degree, since a label's influence grows with its edges. It removes most of the slowest part of the error.
fn best_constants(laplacian: &Laplacian<'_>, values: &[(u32, u8, f32)]) -> Lane {
    let (mut sum, mut total) = ([0.0f64; BLOCK], [0.0f64; BLOCK]);
    for &(row, c, value) in values {
        let d = f64::from(laplacian.degree[row as usize]);
        total[c as usize] += d;
        sum[c as usize] += d * f64::from(value);
    }
    Lane(array::from_fn(|c| if total[c] > 0.0 { (sum[c] / total[c]) as f32 } else { 0.0 }))
}

/// Solves L x = b on the free entries, given x and the residual r = b - L x.
fn conjugate_gradients(block: &Block<'_>, x: &mut [Lane], r: &mut [Lane], options: &SolveOptions) {
    let inverse = &block.laplacian.inverse;
    let stop = f64::from(options.tolerance).powi(2) * f64::from(block.laplacian.mean_degree);
    let mut p: Vec<Lane> = r.iter().zip(inverse).map(|(r, &d)| Lane(r.map(|v| v * d))).collect();
    let mut q = vec![Lane::ZERO; r.len()];
    let mut rz = dot(r, &p);
    for _ in 0..options.rounds {
        if rz.iter().all(|&v| v <= stop) {
            break;
        }
        let pq = block.apply(&p, &mut q);
        // A keyword that is done (or was never requested) does not change while the others continue.
        let alpha =
            Lane(array::from_fn(|c| if rz[c] > stop && pq[c] > 0.0 { (rz[c] / pq[c]) as f32 } else { 0.0 }));
        let next = step(&alpha, &p, &q, inverse, x, r);
        let beta = Lane(array::from_fn(|c| if alpha[c] > 0.0 { (next[c] / rz[c]) as f32 } else { 0.0 }));
        direct(&beta, r, inverse, &mut p);
        for c in 0..BLOCK {
            rz[c] = if alpha[c] > 0.0 { next[c] } else { 0.0 };
        }
    }
}

/// Rows whose products are summed in single precision before they join a double-precision sum.
const RUN: usize = 32;

#[inline(always)]
fn laplacian_times_lanes<L: Lanes>(laplacian: &Laplacian<'_>, p: &[Lane], q: &mut [Lane]) {
    for (i, ((out, own), &degree)) in q.iter_mut().zip(p).zip(&laplacian.degree).enumerate() {
        let (columns, values) = laplacian.weights.row(i);
        let (columns4, columns) = columns.as_chunks::<4>();
        let (values4, values) = values.as_chunks::<4>();
        // Four sums, so that an addition need not wait for the one before.
        let mut sums = [L::mul(L::splat(degree), L::load(own)), L::splat(0.0), L::splat(0.0), L::splat(0.0)];
        for (j, w) in columns4.iter().zip(values4) {
            sums[0] = L::sub(sums[0], L::mul(L::splat(w[0]), L::load(&p[j[0] as usize])));
            sums[1] = L::sub(sums[1], L::mul(L::splat(w[1]), L::load(&p[j[1] as usize])));
            sums[2] = L::sub(sums[2], L::mul(L::splat(w[2]), L::load(&p[j[2] as usize])));
            sums[3] = L::sub(sums[3], L::mul(L::splat(w[3]), L::load(&p[j[3] as usize])));
        }
        for (&j, &w) in columns.iter().zip(values) {
            sums[0] = L::sub(sums[0], L::mul(L::splat(w), L::load(&p[j as usize])));
        }
        L::store(L::add(L::add(sums[0], sums[1]), L::add(sums[2], sums[3])), out);
    }
}

dispatch! {
    /// q = L p.
    fn laplacian_times(laplacian: &Laplacian<'_>, p: &[Lane], q: &mut [Lane]) = laplacian_times_lanes
}

#[inline(always)]
fn dot_lanes<L: Lanes>(a: &[Lane], b: &[Lane]) -> Sums {
    let mut sums = [0.0f64; BLOCK];
    for (a, b) in a.chunks(RUN).zip(b.chunks(RUN)) {
        let mut run = L::splat(0.0);
        for (a, b) in a.iter().zip(b) {
            run = L::add(run, L::mul(L::load(a), L::load(b)));
        }
        add_to::<L>(&mut sums, run);
    }
    sums
}

#[inline(always)]
fn add_to<L: Lanes>(sums: &mut Sums, run: L::Register) {
    let mut lane = Lane::ZERO;
    L::store(run, &mut lane);
    for c in 0..BLOCK {
        sums[c] += f64::from(lane[c]);
    }
}

dispatch! {
    /// The dot product of each keyword's two vectors.
    fn dot(a: &[Lane], b: &[Lane]) -> Sums = dot_lanes
}

#[inline(always)]
fn step_lanes<L: Lanes>(
    alpha: &Lane,
    p: &[Lane],
    q: &[Lane],
    inverse: &[f32],
    x: &mut [Lane],
    r: &mut [Lane],
) -> Sums {
    let mut sums = [0.0f64; BLOCK];
    let alpha = L::load(alpha);
    let runs = p
        .chunks(RUN)
        .zip(q.chunks(RUN))
        .zip(inverse.chunks(RUN))
        .zip(x.chunks_mut(RUN).zip(r.chunks_mut(RUN)));
    for (((p, q), inverse), (x, r)) in runs {
        let mut run = L::splat(0.0);
        for (((p, q), &inverse), (x, r)) in p.iter().zip(q).zip(inverse).zip(x.iter_mut().zip(r)) {
            L::store(L::add(L::load(x), L::mul(alpha, L::load(p))), x);
            let left = L::sub(L::load(r), L::mul(alpha, L::load(q)));
            L::store(left, r);
            run = L::add(run, L::mul(L::mul(left, left), L::splat(inverse)));
        }
        add_to::<L>(&mut sums, run);
    }
    sums
}

dispatch! {
    /// x += alpha p, r -= alpha q; returns r . r / degree.
    fn step(alpha: &Lane, p: &[Lane], q: &[Lane], inverse: &[f32], x: &mut [Lane], r: &mut [Lane]) -> Sums = step_lanes
}

#[inline(always)]
fn direct_lanes<L: Lanes>(beta: &Lane, r: &[Lane], inverse: &[f32], p: &mut [Lane]) {
    let beta = L::load(beta);
    for ((r, &inverse), p) in r.iter().zip(inverse).zip(p) {
        L::store(L::add(L::mul(L::load(r), L::splat(inverse)), L::mul(beta, L::load(p))), p);
    }
}

dispatch! {
    /// p = r / degree + beta p.
    fn direct(beta: &Lane, r: &[Lane], inverse: &[f32], p: &mut [Lane]) = direct_lanes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Random;
    use nalgebra::{DMatrix, DVector};

    fn graph(n: usize, edges: &[(u32, u32, f32)]) -> Csr<f32> {
        let mut rows = vec![Vec::new(); n];
        for &(i, j, w) in edges {
            rows[i as usize].push((j, w));
            rows[j as usize].push((i, w));
        }
        Csr::from_rows(n, rows)
    }

    fn random_graph(n: usize, seed: u64) -> Csr<f32> {
        let mut random = Random::new(seed, 1);
        let mut edges: Vec<(u32, u32, f32)> = (1..n as u32)
            .map(|i| (i, random.below(i as usize) as u32, random.unit() as f32 + 0.05))
            .collect();
        edges.extend(
            (0..3 * n)
                .map(|_| (random.below(n) as u32, random.below(n) as u32, random.unit() as f32 + 0.05))
                .filter(|e| e.0 != e.1),
        );
        edges.sort_by_key(|e| (e.0.min(e.1), e.0.max(e.1)));
        edges.dedup_by_key(|e| (e.0.min(e.1), e.0.max(e.1)));
        graph(n, &edges)
    }

    fn laplace(weights: &Csr<f32>, labels: &[Labels]) -> Vec<Vec<f32>> {
        solve(weights, labels, &SolveOptions { tolerance: 1e-7, ..Default::default() }, |_, u| u.to_vec())
    }

    fn dense_laplacian(weights: &Csr<f32>) -> DMatrix<f64> {
        let n = weights.rows();
        let mut l = DMatrix::zeros(n, n);
        for i in 0..n {
            for (&j, &w) in weights.row(i).0.iter().zip(weights.row(i).1) {
                l[(i, j as usize)] -= f64::from(w);
                l[(i, i)] += f64::from(w);
            }
        }
        l
    }

    /// L_UU u_U = -L_UL y_L by elimination.
    fn dense_reference(weights: &Csr<f32>, labels: &Labels) -> Vec<f64> {
        let n = weights.rows();
        let l = dense_laplacian(weights);
        let free: Vec<usize> = (0..n)
            .filter(|&i| !labels.positive.contains(&(i as u32)) && !labels.negative.contains(&(i as u32)))
            .collect();
        let a = DMatrix::from_fn(free.len(), free.len(), |i, j| l[(free[i], free[j])]);
        let b = DVector::from_fn(free.len(), |i, _| {
            -labels.positive.iter().map(|&p| l[(free[i], p as usize)]).sum::<f64>()
        });
        let solved = a.lu().solve(&b).unwrap();
        let mut u = vec![0.0; n];
        labels.positive.iter().for_each(|&p| u[p as usize] = 1.0);
        free.iter().zip(solved.iter()).for_each(|(&i, &v)| u[i] = v);
        u
    }

    #[test]
    fn on_a_path_u_falls_in_equal_steps() {
        let path = graph(5, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)]);
        let u = &laplace(&path, &[Labels { positive: vec![0], negative: vec![4] }])[0];
        for (i, expected) in [1.0, 0.75, 0.5, 0.25, 0.0].iter().enumerate() {
            assert!((u[i] - expected).abs() < 1e-5, "{u:?}");
        }
    }

    #[test]
    fn two_friends_groups_split_at_their_bridge() {
        // Two cliques of four and one weak bridge; one label in each.
        let mut edges = Vec::new();
        for base in [0, 4] {
            for i in 0..4 {
                for j in i + 1..4 {
                    edges.push((base + i, base + j, 1.0));
                }
            }
        }
        edges.push((3, 4, 0.1));
        let u = &laplace(&graph(8, &edges), &[Labels { positive: vec![0], negative: vec![7] }])[0];
        assert!(u[..4].iter().all(|&x| x > 0.8) && u[4..].iter().all(|&x| x < 0.2), "{u:?}");
    }

    #[test]
    fn many_keywords_agree_with_elimination_one_by_one() {
        let weights = random_graph(120, 4);
        let mut random = Random::new(8, 8);
        let labels: Vec<Labels> = (0..37)
            .map(|_| {
                let s: Vec<u32> = random.sample(120, 11).into_iter().map(|i| i as u32).collect();
                Labels { positive: s[..4].to_vec(), negative: s[4..].to_vec() }
            })
            .collect();
        for (u, l) in laplace(&weights, &labels).iter().zip(&labels) {
            for (a, b) in u.iter().zip(dense_reference(&weights, l)) {
                assert!((f64::from(*a) - b).abs() < 2e-5);
            }
        }
    }

    #[test]
    fn every_unlabelled_value_is_the_weighted_mean_of_its_neighbours_and_between_the_labels() {
        let weights = random_graph(200, 5);
        let l = Labels { positive: vec![3, 77], negative: vec![150, 199, 12] };
        let u = &laplace(&weights, std::slice::from_ref(&l))[0];
        for i in 0..200u32 {
            assert!((-1e-5..=1.00001).contains(&u[i as usize]));
            if l.positive.contains(&i) || l.negative.contains(&i) {
                continue;
            }
            let (columns, values) = weights.row(i as usize);
            let total: f32 = values.iter().sum();
            let mean = columns.iter().zip(values).map(|(&j, w)| w * u[j as usize]).sum::<f32>() / total;
            assert!((mean - u[i as usize]).abs() < 1e-4);
        }
    }

    #[test]
    fn poisson_learning_satisfies_its_equation() {
        let weights = random_graph(90, 6);
        let l = Labels { positive: vec![1, 2], negative: vec![40, 50, 60, 70, 80, 85] };
        let options = SolveOptions { learning: Learning::Poisson, tolerance: 1e-7, ..Default::default() };
        let u = solve(&weights, std::slice::from_ref(&l), &options, |_, u| u.to_vec()).remove(0);
        let product = dense_laplacian(&weights) * DVector::from_iterator(90, u.iter().map(|&x| f64::from(x)));
        for i in 0..90 {
            let source = if l.positive.contains(&(i as u32)) {
                0.75
            } else if l.negative.contains(&(i as u32)) {
                -0.25
            } else {
                0.0
            };
            assert!((product[i] - source).abs() < 1e-4);
        }
        assert!(u[1] > u[40]);
    }

    #[test]
    fn keywords_without_labels_and_labels_outside_the_graph_do_no_harm() {
        let path = graph(3, &[(0, 1, 1.0), (1, 2, 1.0)]);
        let u = laplace(&path, &[Labels::default(), Labels { positive: vec![0, 9], negative: vec![] }]);
        assert_eq!(u[0], [0.0; 3]);
        assert!(u[1].iter().all(|x| (x - 1.0).abs() < 1e-5));
        assert!(laplace(&graph(0, &[]), &[Labels::default()])[0].is_empty());
    }

    #[test]
    fn threads_do_not_change_u() {
        let weights = random_graph(150, 7);
        let labels: Vec<Labels> =
            (0..40).map(|i| Labels { positive: vec![i], negative: vec![149 - i] }).collect();
        let with = |n| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .unwrap()
                .install(|| laplace(&weights, &labels))
        };
        assert_eq!(with(1), with(2));
    }
}
