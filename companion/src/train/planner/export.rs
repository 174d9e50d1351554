//! Trained floats to the engine's model: layers rounded to int8 as `train minilm` rounds them, heads in floats.

use super::data::{Disturbance, Frames, Lesson};
use super::parameters::{DenseAt, LayerAt, Layout, norm_of};
use crate::cluster::Random;
use crate::train::calibrate::{Block, Dense, Moments, Norm, moments};
use crate::train::gptq;
use crate::train::minilm::EPSILON;
use miette::{IntoDiagnostic, Result, WrapErr};
use pocketgraph::embed::{MiniLm, Positions};
use pocketgraph::nn::{Encoder, Factors, Layer, Linear};
use pocketgraph::planner::model::{Calibration, Head, Heads, MAX_TOKENS, PlannerModel};

/// Questions whose inputs say what rounding must keep.
const QUESTIONS: usize = 400;

/// The engine's model of these parameters. `encoder` is what the layers were taken from; its positions and input normalisation are the model's.
/// `lessons` are questions as the model will see them.
///
/// # Errors
/// When a number is not finite, or the sizes are not the encoder's.
pub fn rounded(
    layout: &Layout,
    parameters: &[f32],
    encoder: &MiniLm,
    frames: &Frames<'_>,
    lessons: &[Lesson],
    calibration: Calibration,
) -> Result<PlannerModel> {
    let sizes = layout.sizes;
    let undisturbed = |lesson| frames.sums(&frames.framed(lesson, Disturbance::NONE, &mut Random::new(0, 0)).0);
    let texts = lessons.iter().take(QUESTIONS).map(undisturbed).collect();
    let blocks: Vec<Block> = layout.layers.iter().map(|at| block(at, parameters)).collect();
    let input_norm = encoder.encoder().input_norm();
    let seen = moments(texts, &Norm(input_norm.weight.clone(), input_norm.bias.clone()), &blocks, sizes.hidden, sizes.heads);
    let mut layers = Vec::new();
    for ((at, block), moments) in layout.layers.iter().zip(&blocks).zip(seen) {
        let [qkv, attended, up, down] = &block.dense;
        let [m0, m1, m2, m3] = moments;
        layers.push(Layer {
            qkv: linear(qkv, m0)?,
            attended: linear(attended, m1)?,
            attention_norm: norm_of(&at.attention_norm, parameters),
            up: linear(up, m2)?,
            down: linear(down, m3)?,
            output_norm: norm_of(&at.output_norm, parameters),
        });
    }
    let (rows, scales) = encoder.positions().parts();
    let n = MAX_TOKENS.min(scales.len());
    let positions = Positions::new(sizes.hidden, rows[..n * sizes.hidden].to_vec(), scales[..n].to_vec()).into_diagnostic()?;
    let layers = Encoder::new(sizes.hidden, sizes.heads, EPSILON, input_norm.clone(), layers).into_diagnostic()?;
    let model = MiniLm::new(layers, positions).into_diagnostic()?;
    PlannerModel::new(model, heads(layout, parameters), calibration).into_diagnostic().wrap_err("the trained weights are no model")
}

/// The heads of these parameters.
fn heads(layout: &Layout, parameters: &[f32]) -> Heads {
    let head = |at: &DenseAt, outputs: std::ops::Range<usize>| Head {
        weights: parameters[at.weight.start + outputs.start * at.inputs..at.weight.start + outputs.end * at.inputs].to_vec(),
        bias: parameters[at.bias.start + outputs.start..at.bias.start + outputs.end].to_vec(),
    };
    let [shape, wrap, number] = layout.sizes.first_ranges();
    Heads {
        shape: head(&layout.first, shape),
        wrap: head(&layout.first, wrap),
        number: head(&layout.first, number),
        tag: head(&layout.tags, 0..layout.sizes.tags),
    }
}

fn block(at: &LayerAt, parameters: &[f32]) -> Block {
    let norm = |at| {
        let norm = norm_of(at, parameters);
        Norm(norm.weight, norm.bias)
    };
    let dense = |at: &DenseAt| Dense {
        weight: parameters[at.weight.clone()].to_vec(),
        bias: parameters[at.bias.clone()].to_vec(),
        inputs: at.inputs,
    };
    Block { dense: at.dense().map(dense), norms: [norm(&at.attention_norm), norm(&at.output_norm)] }
}

/// Rounds a linear layer, with a factor for each column besides the scale of each row.
fn linear(dense: &Dense, mut moments: Moments) -> Result<Linear> {
    let (inputs, outputs) = (dense.inputs, dense.bias.len());
    let columns = column_factors(&dense.weight, inputs);
    let weight: Vec<f32> = dense.weight.iter().zip(columns.iter().cycle()).map(|(w, c)| w / c).collect();
    // The inputs are multiplied by their factors, and so are their moments.
    for (row, a) in moments.sum.chunks_exact_mut(inputs).zip(&columns) {
        row.iter_mut().zip(&columns).for_each(|(m, b)| *m *= f64::from(*a) * f64::from(*b));
    }
    let (rows, scales) = gptq::round(&weight, &moments)?;
    let rows: Vec<i8> = rows.iter().map(|v| (*v).clamp(-127, 127) as i8).collect();
    Linear::from_rows(inputs, outputs, &rows, Factors { scales, columns, bias: dense.bias.clone() }).into_diagnostic()
}

/// One factor a column: the root mean square of its weights, over the median column's. Columns whose weights are all zero keep 1.
fn column_factors(weight: &[f32], inputs: usize) -> Vec<f32> {
    let mut squares = vec![0.0f64; inputs];
    for row in weight.chunks_exact(inputs) {
        squares.iter_mut().zip(row).for_each(|(s, &w)| *s += f64::from(w) * f64::from(w));
    }
    let mut sorted = squares.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(inputs / 2).copied().unwrap_or_default();
    squares.iter().map(|&s| if s > 0.0 && median > 0.0 { (s / median).sqrt() as f32 } else { 1.0 }).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::embed_bulk::NativeEmbedder;
    use crate::train::planner::{Batch, Cpu, Labels, Network, Sizes, scores};
    use pocketgraph::planner::model::{Shape, TAGS, Wrap};

    /// The engine rounds inputs and weights; its scores differ from the trainer's by less than this part of their spread.
    const TOLERANCE: f32 = 0.05;

    #[test]
    fn the_engine_says_in_int8_what_the_trainer_says_in_floats() {
        let first = [Shape::ALL.len(), Wrap::ALL.len(), 2];
        let layout = Layout::new(Sizes { hidden: 384, heads: 12, intermediate: 64, layers: 2, first, tags: TAGS });
        let mut parameters = layout.random(1);
        // Heads as large as trained ones.
        parameters[layout.heads()].iter_mut().for_each(|v| *v *= 5.0);
        let embedder = NativeEmbedder::new().unwrap();
        let frames = Frames::new(&embedder).unwrap();
        let lesson = |i: usize| Lesson {
            question: format!("Which river of country {i} is the {} longest, and who crossed it in {}?", i * i, 1900 + i),
            labels: Labels { shape: Shape::P1, wrap: Wrap::Set, number: None, tagged: Vec::new(), mentions: vec![0..5] },
            answers: Vec::new(),
            pattern: String::new(),
            entities: Vec::new(),
        };
        let lessons: Vec<Lesson> = (0..40).map(lesson).collect();
        let model = rounded(&layout, &parameters, embedder.model(), &frames, &lessons, Calibration::default()).unwrap();
        let bytes = model.encode();
        assert_eq!(PlannerModel::decode(&bytes).unwrap(), model);
        let mut network = Cpu::new(layout);
        for lesson in &lessons[..10] {
            let (framed, _) = frames.framed(lesson, Disturbance::NONE, &mut Random::new(0, 0));
            let mut batch = Batch::default();
            frames.push(&framed, &mut batch);
            let ours = network.forward(&parameters, &batch);
            let theirs = scores(&model.forward(&framed, embedder.words()).unwrap());
            for (a, b) in [(&ours.first, &theirs.first), (&ours.tags, &theirs.tags)] {
                let spread = a.iter().fold(0.0f32, |m, v| m.max(v.abs()));
                assert_eq!(a.len(), b.len());
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < TOLERANCE * spread), "{a:?} {b:?}");
            }
        }
    }
}
