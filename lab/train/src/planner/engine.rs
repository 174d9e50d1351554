//! Training examples read by the engine's own model: what a page will make of them.

use super::data::{Augmentation, Frames};
use super::loss::Measured;
use super::training_example::TrainingExample;
use super::{SIZES, Targets};
use crate::network::{Scores, Sizes};
use miette::Result;
use pocketgraph::planner::model::{Logits, PlannerModel};
use pocketgraph_cluster::Random;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Measures how well a model reads examples, over all and by pattern.
///
/// # Errors
/// When the model is no model of these word vectors.
pub fn measure_model(
    model: &PlannerModel,
    frames: &Frames<'_>,
    lessons: &[TrainingExample],
) -> Result<(Measured, BTreeMap<String, Measured>)> {
    let framed: Vec<_> =
        lessons.iter().map(|l| frames.framed(l, Augmentation::NONE, &mut Random::new(0, 0))).collect();
    let logits: Vec<_> = framed.par_iter().map(|(framed, _)| frames.read_by(model, framed)).collect();
    let (mut all, mut by_pattern) = (Measured::default(), BTreeMap::<String, Measured>::new());
    for ((lesson, (framed, tags)), logits) in lessons.iter().zip(framed).zip(logits) {
        let scores = scores(&logits?);
        let targets = Targets { first: vec![lesson.targets()], tags };
        let lengths = [framed.ids.len()];
        let sizes: &Sizes = &SIZES;
        let loss = super::cross_entropy(sizes, &scores, &targets, &lengths).0;
        all.add(sizes, &scores, &targets, &lengths, loss);
        by_pattern.entry(lesson.pattern.clone()).or_default().add(sizes, &scores, &targets, &lengths, loss);
    }
    Ok((all, by_pattern))
}

/// The engine's numbers of one question as the trainer has them.
pub fn scores(logits: &Logits) -> Scores {
    Scores {
        first: [&logits.shape[..], &logits.aggregation, &logits.number].concat(),
        tags: logits.tags.concat(),
    }
}

/// The trainer's scores of one question as the engine has them.
pub fn logits(first: &[f32], tags: &[f32]) -> Logits {
    let [shape, aggregation, number] = SIZES.first_ranges().map(|r| first[r].to_vec());
    Logits { shape, aggregation, number, tags: tags.chunks_exact(SIZES.tags).map(<[f32]>::to_vec).collect() }
}
