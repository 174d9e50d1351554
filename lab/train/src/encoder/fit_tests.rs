#![allow(clippy::unwrap_used)]

use super::*;
use crate::encoder::{Teacher, chosen_layers, cosine_of, cut_tokens, round_model};
use crate::network::{Cpu, Sizes};
use crate::query_table::{Options as Fitting, embed_single_tokens};
use crate::rounding::Bits;
use pocketgraph::embed::{MiniLm, encode_layers};
use pocketgraph_cluster::Random;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// The model, training texts and held-out texts.
fn set() -> &'static (NativeEmbedder, DistillationTargets, DistillationTargets) {
    static SET: OnceLock<(NativeEmbedder, DistillationTargets, DistillationTargets)> = OnceLock::new();
    SET.get_or_init(|| {
        let embedder = NativeEmbedder::new().unwrap();
        let mut random = Random::new(3, 3);
        let words =
            ["river", "king", "compiler", "memory", "city", "music", "doctor", "error", "winter", "bread"];
        let mut text =
            || (0..2 + random.below(4)).map(|_| words[random.below(10)]).collect::<Vec<_>>().join(" ");
        let mut lessons = |n: usize| {
            let tokens = cut_tokens(&embedder, &(0..n).map(|_| text()).collect::<Vec<_>>(), 64);
            DistillationTargets { targets: Teacher::Engine.vectors(&embedder, &tokens, &|_| {}), tokens }
        };
        let (learnt, held_out) = (lessons(240), lessons(40));
        (embedder, learnt, held_out)
    })
}

fn start(layers: usize) -> (Layout, Vec<f32>) {
    let layout = Layout::new(super::super::sizes(layers));
    let all = set().0.model().encoder().layers();
    let parameters = layout.from_layers(chosen_layers(layers).into_iter().map(|i| &all[i]));
    (layout, parameters)
}

fn course<'a>(layout: &'a Layout, stop: &'a AtomicBool) -> EncoderTrainer<'a> {
    let (embedder, lessons, held_out) = set();
    EncoderTrainer { layout, embedder, targets: lessons, held_out, added: None, stop }
}

fn mean_cosine(table: &TokenTable, lessons: &DistillationTargets) -> f64 {
    let of = |(i, tokens): (usize, &Vec<u32>)| {
        f64::from(dot(&addend_of(table, tokens), &lessons.targets.row_f32(i)))
    };
    lessons.tokens.iter().enumerate().map(of).sum::<f64>() / lessons.tokens.len() as f64
}

fn options() -> Schedule {
    Schedule {
        epochs: 4,
        batch: 16,
        rates: rates(16, Some(3e-4)),
        warm_up: 4,
        check_every: 1 << 20,
        ..usual()
    }
}

#[test]
fn one_layer_comes_nearer_to_the_model_and_stays_near_in_four_bits() {
    let (embedder, lessons, held_out) = set();
    let ((layout, parameters), stop) = (start(1), AtomicBool::new(false));
    let (course, mut network) = (course(&layout, &stop), Cpu::new(layout.clone()));
    let before = course.cosine(&mut network, &parameters, 16);
    let mut state = Checkpoint::new(parameters);
    assert!(course.fit(&mut network, &mut state, &options(), &mut |_| {}).unwrap() == StopReason::Done);
    let after = course.cosine(&mut network, &state.best, 16);
    assert!(after > before + 0.1 && after > 0.8, "{before} {after}");
    let model = round_model(&layout, &state.best, embedder, lessons, Bits::Four, 1).unwrap();
    let read = MiniLm::from_layers(&encode_layers(&model)).unwrap();
    let in_four_bits = cosine_of(&read, None, embedder, held_out);
    assert!(in_four_bits > after - 0.05, "{after} {in_four_bits}");
}

#[test]
fn a_run_that_was_interrupted_ends_with_the_same_numbers() {
    let (layout, parameters) = start(1);
    let options = Schedule { epochs: 1, check_every: 16, ..options() };
    let run = |state: &mut Checkpoint, options: &Schedule, until: Option<u64>| {
        let stop = AtomicBool::new(false);
        let mut hear = |event: TrainingEvent<'_, Evaluation>| {
            stop.store(until.is_some_and(|u| event.step >= u), Ordering::Relaxed)
        };
        course(&layout, &stop).fit(&mut Cpu::new(layout.clone()), state, options, &mut hear).unwrap()
    };
    let mut whole = Checkpoint::new(parameters.clone());
    assert!(run(&mut whole, &options, None) == StopReason::Done);
    let folder = tempfile::tempdir().unwrap();
    let kept = Schedule { folder: Some(folder.path().to_owned()), ..options.clone() };
    assert!(run(&mut Checkpoint::new(parameters), &kept, Some(3)) == StopReason::Stopped);
    let mut again = Checkpoint::load(folder.path(), &layout).unwrap().unwrap();
    assert_eq!(again.step, 3);
    assert!(run(&mut again, &kept, None) == StopReason::Done);
    assert!(again.parameters == whole.parameters && again.best == whole.best && again.seen == whole.seen);
}

#[test]
fn beside_a_token_table_a_layer_learns_what_the_table_lacks() {
    let (embedder, lessons, held_out) = set();
    let ((layout, parameters), stop) = (start(1), AtomicBool::new(false));
    let mut table = crate::query_table::untrained(&embed_single_tokens(embedder), &lessons.tokens);
    crate::query_table::fit_table(
        &mut table,
        lessons,
        &Fitting { epochs: 3, batch: 32, held_out: 0, ..Fitting::default() },
        &mut |_| {},
    );
    let by_table = mean_cosine(&table, held_out);
    let beside = EncoderTrainer { added: Some(&table), ..course(&layout, &stop) };
    let mut network = Cpu::new(layout.clone());
    let before = beside.cosine(&mut network, &parameters, 16);
    let mut state = Checkpoint::new(parameters);
    assert!(beside.fit(&mut network, &mut state, &options(), &mut |_| {}).unwrap() == StopReason::Done);
    let after = beside.cosine(&mut network, &state.best, 16);
    assert!(after > before && after > by_table, "{before} {after}, the table {by_table}");
    // Without the table the same layer says something else.
    assert!(course(&layout, &stop).cosine(&mut network, &state.best, 16) < after);
    let model = round_model(&layout, &state.best, embedder, lessons, Bits::Eight, 1).unwrap();
    let as_carried = cosine_of(&model, Some(&table), embedder, held_out);
    assert!((as_carried - after).abs() < 0.02, "{after} {as_carried}");
}

#[test]
fn the_gradient_of_the_cosine_is_what_a_small_change_of_a_parameter_does() {
    gradient_is_measured(false);
}

#[test]
fn so_it_is_with_something_added() {
    gradient_is_measured(true);
}

fn gradient_is_measured(beside: bool) {
    let sizes = Sizes { hidden: 32, heads: 2, intermediate: 48, layers: 2, first: [0; 3], tags: 0 };
    let layout = Layout::new(sizes);
    let (mut p, mut random) = (layout.random(1), Random::new(2, 2));
    let mut noise = |n: usize| (0..n).map(|_| random.unit() as f32 * 2.0 - 1.0).collect::<Vec<f32>>();
    let batch = Batch { x: noise(17 * 32), lengths: vec![3, 1, 7, 4, 2] };
    let mut unit = || {
        let mut vectors = noise(5 * 32);
        for y in vectors.chunks_exact_mut(32) {
            let length = y.iter().map(|v| v * v).sum::<f32>().sqrt();
            y.iter_mut().for_each(|v| *v /= length);
        }
        vectors
    };
    let (targets, added) = (unit(), if beside { unit() } else { Vec::new() });
    let asked = Targeted { batch, targets, added };
    let loss = |p: &[f32]| {
        1.0 - sum_cosines(&mut Cpu::new(layout.clone()).forward(p, &asked.batch).first, &asked, 32) / 5.0
    };
    let mut network = Cpu::new(layout.clone());
    let mut by = network.forward(&p, &asked.batch);
    sum_cosines(&mut by.first, &asked, 32);
    let mut gradient = vec![0.0; layout.len];
    network.backward(&p, &by, &mut gradient);
    let largest = gradient.iter().fold(0.0f32, |m, g| m.max(g.abs()));
    assert!(largest > 1e-2);
    for at in (0..layout.len).step_by(61) {
        let (old, step) = (p[at], 2e-3);
        p[at] = old + step;
        let more = loss(&p);
        p[at] = old - step;
        let less = loss(&p);
        p[at] = old;
        let measured = (more - less) / f64::from(2.0 * step);
        assert!(
            (measured - f64::from(gradient[at])).abs() < 0.02 * f64::from(largest),
            "{at}: {measured} {}",
            gradient[at]
        );
    }
}
