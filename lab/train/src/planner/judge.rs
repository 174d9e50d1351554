//! Readings on a graph: what the planner's scores come to there, and whether that is what the example asked
//! for.

use super::SIZES;
use super::data::Frames;
use super::engine::logits;
use super::training_example::TrainingExample;
use crate::network::{Batch, Network};
use futures::FutureExt;
use miette::Result;
use pocketgraph::kg::{KnowledgeGraph, Linker, Mention, NodeId};
use pocketgraph::plan::Plan;
use pocketgraph::plan::execute::{Execution, Executor, Item, Limits, Resources};
use pocketgraph::planner::model::{
    Calibration, FEATURES, Framed, Grounder, Logits, PlannerModel, compute_features, draft_plans,
};
use std::array;
use std::collections::BTreeSet;

/// Questions whose scores are computed at a time.
const AT_ONCE: usize = 64;

/// A question in tokens, and its mentions.
type FramedQuestion = (Framed, Vec<Mention>);

/// Executes plans over a graph.
pub struct Judge<'g> {
    grounder: Grounder<'g>,
    executor: Executor<'g>,
    linker: &'g Linker,
    known: BTreeSet<&'g str>,
}

/// Results of readings of questions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Judged {
    /// Questions.
    pub questions: usize,
    /// Those with a reading.
    pub read: usize,
    /// Number of those whose best reading finds exactly the right answers.
    pub right: usize,
    /// The sum of the answers' F1.
    pub f1: f64,
}

impl Judged {
    /// Adds a question: the F1 of its answers, where it was read.
    pub fn add(&mut self, f1: Option<f64>) {
        self.questions += 1;
        self.read += usize::from(f1.is_some());
        let f1 = f1.unwrap_or_default();
        self.right += usize::from(f1 > 1.0 - 1e-9);
        self.f1 += f1;
    }

    /// Share of questions that were answered exactly.
    pub fn accuracy(&self) -> f64 {
        self.right as f64 / self.questions.max(1) as f64
    }

    /// Mean F1.
    pub fn mean_f1(&self) -> f64 {
        self.f1 / self.questions.max(1) as f64
    }
}

impl<'g> Judge<'g> {
    /// Over a graph.
    pub fn new(linker: &'g Linker) -> Judge<'g> {
        let graph = linker.graph();
        let known = (0..graph.entities() as u32).map(|n| graph.id(NodeId(n))).collect();
        Judge { grounder: Grounder::new(linker), executor: Executor::new(Some(linker)), linker, known }
    }

    /// Returns true if an example is about this graph, and says all its answers.
    pub fn knows(&self, lesson: &TrainingExample) -> bool {
        !lesson.answers.is_empty() && lesson.entities.iter().all(|id| self.known.contains(id.as_str()))
    }

    /// Returns the mentions of a question, as a page would find them.
    pub fn mentions(&self, question: &str) -> Vec<Mention> {
        self.grounder.mentions(question)
    }

    /// Executes drafts.
    pub fn grounder(&self) -> &Grounder<'g> {
        &self.grounder
    }

    /// The graph.
    pub fn graph(&self) -> &KnowledgeGraph {
        self.linker.graph()
    }

    /// A plan carried out; `None` where it cannot be.
    pub fn execution(&self, plan: &Plan) -> Option<Execution> {
        self.executor.execute(plan, Resources::default(), Limits::default()).now_or_never()?.ok()
    }

    /// Executes a plan. Returns identifiers of entities and texts of everything else, or nothing on failure.
    pub fn execute(&self, plan: &Plan) -> BTreeSet<String> {
        let Some(execution) = self.execution(plan) else { return BTreeSet::new() };
        execution.answer().members.iter().map(|m| self.name(&m.item)).collect()
    }

    fn name(&self, item: &Item) -> String {
        let graph = self.linker.graph();
        item.node().map_or_else(|| item.label(Some(graph)), |n| graph.id(n).to_owned())
    }

    /// F1 of what a plan finds against the example's answers; `None` where the example does not say them all.
    pub fn f1(&self, lesson: &TrainingExample, plan: &Plan) -> Option<f64> {
        if lesson.answers.is_empty() {
            return None;
        }
        Some(f1(&self.execute(plan), &lesson.answers))
    }

    /// Reads questions with the trainer's weights, and the usual calibration.
    pub fn judge(
        &self,
        frames: &Frames<'_>,
        network: &mut dyn Network,
        parameters: &[f32],
        lessons: &[TrainingExample],
    ) -> Judged {
        let mut judged = Judged::default();
        for chunk in lessons.chunks(AT_ONCE) {
            let framed: Vec<FramedQuestion> =
                chunk.iter().map(|l| self.framed(frames, &l.question)).collect();
            let mut batch = Batch::default();
            framed.iter().for_each(|(f, _)| frames.push(f, &mut batch));
            let scores = network.scores(parameters, &batch);
            let mut tags = scores.tags.as_slice();
            let rows = scores.first.chunks_exact(SIZES.first_classes());
            for (((lesson, framed), first), n) in chunk.iter().zip(&framed).zip(rows).zip(&batch.lengths) {
                let (own, rest) = tags.split_at(n * SIZES.tags);
                tags = rest;
                judged.add(self.read(lesson, framed, &logits(first, own), &Calibration::default()));
            }
        }
        judged
    }

    /// Reads questions with the engine's model. Fails if a word has no vector.
    pub fn judge_model(
        &self,
        model: &PlannerModel,
        frames: &Frames<'_>,
        lessons: &[TrainingExample],
    ) -> Result<Judged> {
        let mut judged = Judged::default();
        for lesson in lessons {
            let framed = self.framed(frames, &lesson.question);
            let logits = frames.read_by(model, &framed.0)?;
            judged.add(self.read(lesson, &framed, &logits, model.calibration()));
        }
        Ok(judged)
    }

    pub(super) fn framed(&self, frames: &Frames<'_>, question: &str) -> FramedQuestion {
        let mentions = self.mentions(question);
        let spans: Vec<_> = mentions.iter().map(|m| m.span.clone()).collect();
        (frames.framer().frame(question, &spans), mentions)
    }

    fn read(
        &self,
        lesson: &TrainingExample,
        framed: &FramedQuestion,
        logits: &Logits,
        calibration: &Calibration,
    ) -> Option<f64> {
        let (framed, mentions) = framed;
        let drafts = draft_plans(&lesson.question, framed, logits);
        let best = self.grounder.best(&lesson.question, mentions, &drafts, calibration)?;
        self.f1(lesson, &best.plan)
    }

    /// Fits the confidence to the rightness of readings: logistic regression over the readings of all drafts.
    ///
    /// # Errors
    /// When a word has no vector.
    pub fn calibrated(
        &self,
        model: &PlannerModel,
        frames: &Frames<'_>,
        lessons: &[TrainingExample],
    ) -> Result<Calibration> {
        let mut seen = Vec::new();
        for lesson in lessons.iter().filter(|l| !l.answers.is_empty()) {
            let (framed, mentions) = self.framed(frames, &lesson.question);
            let logits = frames.read_by(model, &framed)?;
            for draft in draft_plans(&lesson.question, &framed, &logits) {
                if let Some(grounded) =
                    self.grounder.ground(&lesson.question, &mentions, &draft, model.calibration())
                {
                    let right = self.f1(lesson, &grounded.plan).is_some_and(|r| r > 1.0 - 1e-9);
                    seen.push((compute_features(&grounded.seen), right));
                }
            }
        }
        Ok(logistic(&seen))
    }
}

fn f1(found: &BTreeSet<String>, wanted: &[String]) -> f64 {
    let wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    let common = found.iter().filter(|f| wanted.contains(f.as_str())).count();
    2.0 * common as f64 / (found.len() + wanted.len()).max(1) as f64
}

/// Fits logistic regression with a little decay by gradient descent, for eight numbers. A feature that was
/// never both right and wrong keeps its initial weight.
pub fn logistic(seen: &[([f32; FEATURES], bool)]) -> Calibration {
    let right = seen.iter().filter(|s| s.1).count();
    if right == 0 || right == seen.len() {
        return Calibration::default();
    }
    // Features of one spread are found together. The first is the constant.
    let n = seen.len() as f64;
    let mean: [f64; FEATURES] =
        array::from_fn(
            |i| {
                if i == 0 { 0.0 } else { seen.iter().map(|s| f64::from(s.0[i])).sum::<f64>() / n }
            },
        );
    let spread: [f64; FEATURES] = array::from_fn(|i| {
        let variance = seen.iter().map(|s| (f64::from(s.0[i]) - mean[i]).powi(2)).sum::<f64>() / n;
        if i == 0 || variance < 1e-12 { 1.0 } else { variance.sqrt() }
    });
    let rows: Vec<([f64; FEATURES], f64)> = seen
        .iter()
        .map(|(x, right)| {
            (array::from_fn(|i| (f64::from(x[i]) - mean[i]) / spread[i]), f64::from(u8::from(*right)))
        })
        .collect();
    let mut w = [0.0f64; FEATURES];
    for _ in 0..2000 {
        let mut by = [0.0f64; FEATURES];
        for (x, right) in &rows {
            let z: f64 = w.iter().zip(x).map(|(w, x)| w * x).sum();
            let error = 1.0 / (1.0 + (-z).exp()) - right;
            by.iter_mut().zip(x).for_each(|(b, x)| *b += error * x / n);
        }
        for (i, (w, b)) in w.iter_mut().zip(&by).enumerate() {
            *w -= 1.0 * (b + if i == 0 { 0.0 } else { 1e-3 * *w });
        }
    }
    let mut out: [f64; FEATURES] = array::from_fn(|i| w[i] / spread[i]);
    out[0] = w[0] - (1..FEATURES).map(|i| w[i] * mean[i] / spread[i]).sum::<f64>();
    Calibration(out.map(|w| w as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logistic_regression_finds_what_readings_were_made_with() {
        let mut random = pocketgraph_cluster::Random::new(1, 1);
        let seen: Vec<_> = (0..4000)
            .map(|_| {
                let mut x = [1.0f32; FEATURES];
                x[1..].iter_mut().for_each(|v| *v = random.unit() as f32 * 4.0 - 2.0);
                let z = 0.5 + 2.0 * f64::from(x[1]) - f64::from(x[4]);
                (x, random.unit() < 1.0 / (1.0 + (-z).exp()))
            })
            .collect();
        let Calibration(w) = logistic(&seen);
        assert!((w[0] - 0.5).abs() < 0.25 && (w[1] - 2.0).abs() < 0.3 && (w[4] + 1.0).abs() < 0.3, "{w:?}");
        assert!([2, 3, 5, 6, 7].iter().all(|&i| w[i].abs() < 0.2), "{w:?}");
    }

    #[test]
    fn answers_are_worth_their_f1() {
        let found: BTreeSet<String> = ["a", "b"].map(str::to_owned).into();
        assert!((f1(&found, &["a".into(), "c".into()]) - 0.5).abs() < 1e-9);
        assert!(f1(&BTreeSet::new(), &["a".into()]) < 1e-9);
    }
}
