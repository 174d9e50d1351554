#![allow(clippy::unwrap_used)]

use super::*;
use crate::network::Sizes;
use crate::planner::{Targets, cross_entropy};
use pocketgraph_cluster::Random;

const SIZES: Sizes = Sizes { hidden: 32, heads: 2, intermediate: 48, layers: 2, first: [4, 3, 2], tags: 5 };

/// A batch of noise with targets, some of them none.
fn task(seed: u64) -> (Layout, Vec<f32>, Batch, Targets) {
    let layout = Layout::new(SIZES);
    let mut random = Random::new(seed, 5);
    let lengths = vec![3, 1, 7, 4, 2];
    let tokens: usize = lengths.iter().sum();
    let x = (0..tokens * SIZES.hidden).map(|_| random.unit() as f32 * 2.0 - 1.0).collect();
    let first = lengths
        .iter()
        .map(|_| [Some(random.below(4)), Some(random.below(3)), (random.below(2) == 0).then_some(1)])
        .collect();
    let tags = (0..tokens).map(|i| (i % 4 > 0).then(|| random.below(5))).collect();
    (layout.clone(), layout.random(seed), Batch { x, lengths }, Targets { first, tags })
}

#[test]
fn the_gradient_is_what_a_small_change_of_a_parameter_does() {
    let (layout, mut p, batch, targets) = task(3);
    let mut network = Cpu::new(layout.clone());
    let loss = |p: &[f32]| {
        let scores = Cpu::new(layout.clone()).forward(p, &batch);
        cross_entropy(&SIZES, &scores, &targets, &batch.lengths).0
    };
    let scores = network.forward(&p, &batch);
    let (_, by) = cross_entropy(&SIZES, &scores, &targets, &batch.lengths);
    let mut gradient = vec![0.0; layout.len];
    network.backward(&p, &by, &mut gradient);
    let largest = gradient.iter().fold(0.0f32, |m, g| m.max(g.abs()));
    // Of every kind of parameter several.
    for at in (0..layout.len).step_by(61) {
        let (old, step) = (p[at], 2e-3);
        p[at] = old + step;
        let more = loss(&p);
        p[at] = old - step;
        let less = loss(&p);
        p[at] = old;
        let measured = (more - less) / f64::from(2.0 * step);
        assert!(
            (measured - f64::from(gradient[at])).abs() < 4e-3 * f64::from(largest).max(1.0),
            "{at}: {measured} {}",
            gradient[at]
        );
    }
}

#[test]
fn a_question_has_the_same_scores_in_any_company() {
    let (layout, p, batch, _) = task(4);
    let together = Cpu::new(layout.clone()).forward(&p, &batch);
    let (mut start, mut tags) = (0, 0);
    for (i, &n) in batch.lengths.iter().enumerate() {
        let x = batch.x[start * SIZES.hidden..(start + n) * SIZES.hidden].to_vec();
        let alone = Cpu::new(layout.clone()).forward(&p, &Batch { x, lengths: vec![n] });
        let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(close(&alone.first, &together.first[i * 9..(i + 1) * 9]));
        assert!(close(&alone.tags, &together.tags[tags..tags + n * 5]));
        start += n;
        tags += n * 5;
    }
}

#[test]
fn the_number_of_cores_changes_no_bit() {
    let (layout, p, batch, targets) = task(5);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut network = Cpu::new(layout.clone());
            let scores = network.forward(&p, &batch);
            let (_, by) = cross_entropy(&SIZES, &scores, &targets, &batch.lengths);
            let mut gradient = vec![0.0; layout.len];
            network.backward(&p, &by, &mut gradient);
            (scores, gradient)
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn gelu_and_its_slope_are_the_error_functions() {
    for i in -80..80 {
        let x = f64::from(i) / 10.0;
        // x Φ(x) by a series of the normal density.
        let (mut term, mut sum, mut k) = (x, x, 1.0);
        while term.abs() > 1e-17 {
            term *= x * x / (2.0 * k + 1.0);
            sum += term;
            k += 1.0;
        }
        let density = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let phi = 0.5 + density * sum;
        let (mut value, mut slope) = ([x as f32], [0.0]);
        gelu(&mut value, &mut slope);
        assert!((f64::from(value[0]) - x * phi).abs() < 2e-6, "{x}");
        assert!((f64::from(slope[0]) - (phi + x * density)).abs() < 2e-6, "{x}");
    }
}
