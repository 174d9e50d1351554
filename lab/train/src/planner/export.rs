//! Exports trained floats as the engine's model: layers rounded to int8 or four bits, heads in floats.

use super::data::{Augmentation, Frames};
use super::training_example::TrainingExample;
use crate::network::{DenseAt, Layout, rounded_layers};
use crate::rounding::Bits;
use miette::{IntoDiagnostic, Result, WrapErr};
use pocketgraph::embed::MiniLm;
use pocketgraph::planner::model::{Calibration, Head, Heads, MAX_TOKENS, PlannerModel};
use pocketgraph_cluster::Random;

/// Questions whose inputs say what rounding must keep.
const QUESTIONS: usize = 400;

/// Returns the engine's model of these parameters, not yet calibrated. The layers came from `encoder`, which
/// has the positions and input normalisation. `lessons` are questions as the model will get them.
///
/// # Errors
/// When a number is not finite, or the sizes are not the encoder's.
pub fn round_planner(
    layout: &Layout,
    parameters: &[f32],
    encoder: &MiniLm,
    frames: &Frames<'_>,
    lessons: &[TrainingExample],
    bits: Bits,
) -> Result<PlannerModel> {
    let undisturbed =
        |lesson| frames.sums(&frames.framed(lesson, Augmentation::NONE, &mut Random::new(0, 0)).0);
    let texts = lessons.iter().take(QUESTIONS).map(undisturbed).collect();
    let model = rounded_layers(layout, parameters, encoder, texts, bits, MAX_TOKENS)?;
    PlannerModel::new(model, export_heads(layout, parameters), Calibration::default())
        .into_diagnostic()
        .wrap_err("the trained weights are no model")
}

fn export_heads(layout: &Layout, parameters: &[f32]) -> Heads {
    let head = |at: &DenseAt, outputs: std::ops::Range<usize>| Head {
        weights: parameters
            [at.weight.start + outputs.start * at.inputs..at.weight.start + outputs.end * at.inputs]
            .to_vec(),
        bias: parameters[at.bias.start + outputs.start..at.bias.start + outputs.end].to_vec(),
    };
    let [shape, aggregation, number] = layout.sizes.first_ranges();
    Heads {
        shape: head(&layout.first, shape),
        aggregation: head(&layout.first, aggregation),
        number: head(&layout.first, number),
        tag: head(&layout.tags, 0..layout.sizes.tags),
    }
}
