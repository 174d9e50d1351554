//! Reinforcement learning: plans sampled from the heads are executed over the graph and rewarded by answers.
//!
//! A whole plan is one action in many parts (shape, aggregation, number and a tag for each token), and no
//! token comes from outside, so nothing is masked or clipped: each group is trained on once. Advantages are
//! those of REINFORCE with the others of the group as its baseline (Ahmadian et al., arXiv 2402.14740) or of
//! GRPO (Shao et al., arXiv 2402.03300). A term keeps the heads near the supervised model's.

use super::SIZES;
use super::data::Frames;
use super::engine::logits;
use super::judge::Judge;
use super::loss::best;
use super::reward::Paid;
use super::training_example::TrainingExample;
use crate::network::{Adam, Batch, Layout, Learner, Moments, Network, Rates, Scores};
use pocketgraph::kg::Mention;
use pocketgraph::planner::model::{Calibration, Framed, Logits, drafts, softmax};
use pocketgraph_cluster::Random;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Bonus on a drawn class's score, so that the engine takes it.
const CERTAIN: f32 = 30.0;

/// Baseline that turns a group's rewards into advantages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// The reward less the mean of the group's others.
    LeaveOneOut,
    /// The reward less the group's mean, over its spread; each part of a reading counts as one of many.
    Grpo,
}

/// Options of training by reward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reinforcement {
    /// Steps.
    pub steps: usize,
    /// Questions a step.
    pub questions: usize,
    /// Plans sampled for each question.
    pub group: usize,
    /// Baseline of the advantages.
    pub baseline: Baseline,
    /// Cost of the distance from the supervised model.
    pub distance: f32,
    /// Learning rates.
    pub rates: Rates,
    /// Steps between two evaluations on held-out questions.
    pub check_every: usize,
    /// Fixes every draw.
    pub seed: u64,
}

impl Default for Reinforcement {
    fn default() -> Self {
        Reinforcement {
            steps: 300,
            questions: 16,
            group: 8,
            baseline: Baseline::LeaveOneOut,
            distance: 0.01,
            rates: Rates { rate: 2e-5, decay: 0.0, ..Rates::default() },
            check_every: 20,
            seed: 1,
        }
    }
}

/// Record of one step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Drawn {
    /// The step.
    pub step: u64,
    /// Mean reward.
    pub reward: f64,
    /// Mean entropy of a part of a reading, in nats.
    pub entropy: f64,
    /// Share of sampled plans that could be executed. Every one parses.
    pub read: f64,
    /// Mean F1 of the sampled plans' answers, over the graph with dropped edges.
    #[serde(default)]
    pub f1: f64,
    /// Share of sampled plans that answer wrongly, and whose path held an answer.
    #[serde(default)]
    pub covered: f64,
    /// Mean statements of a plan.
    pub length: f64,
    /// Share of groups whose rewards differ, from which alone there is something to learn.
    pub kept: f64,
    /// Mean distance from the supervised model: Kullback-Leibler divergence, a question.
    pub distance: f64,
    /// Share of held-out questions answered exactly, where this step evaluated.
    pub executed: Option<f64>,
}

/// State of training by reward.
pub struct RewardEvent<'a, 'g> {
    /// The network's layout.
    pub layout: &'a Layout,
    /// Questions to sample plans for.
    pub examples: &'a [TrainingExample],
    /// Questions to measure by.
    pub held_out: &'a [TrainingExample],
    /// From questions to token vectors.
    pub frames: &'a Frames<'a>,
    /// Rewards plans, over a graph that may lack edges.
    pub payer: &'a Judge<'g>,
    /// Measures, over the whole graph.
    pub judge: &'a Judge<'g>,
    /// Ends the run after this step.
    pub stop: &'a AtomicBool,
}

impl RewardEvent<'_, '_> {
    /// Trains from `parameters` on. Returns the best parameters by held-out questions, possibly the initial
    /// ones, and figures of each step.
    pub fn train(
        &self,
        network: &mut dyn Network,
        parameters: &[f32],
        options: &Reinforcement,
        hear: &mut dyn FnMut(&Drawn, f64),
    ) -> (Vec<f32>, Vec<Drawn>) {
        let lessons: Vec<&TrainingExample> = self.examples.iter().filter(|l| !l.answers.is_empty()).collect();
        let (mut now, mut best) = (parameters.to_vec(), parameters.to_vec());
        let calibration = Calibration::default();
        let look = |network: &mut dyn Network, p: &[f32]| self.judge.judge(self.frames, network, p, self.held_out, &calibration).accuracy();
        let mut highest = look(network, &now);
        let mut all = vec![Drawn { executed: Some(highest), ..Drawn::default() }];
        if lessons.is_empty() {
            return (best, all);
        }
        let mut moments = Moments::default();
        let mut learner = network.learner(&now, &Adam::new(self.layout, &options.rates, moments.clone()));
        let began = Instant::now();
        for step in 0..options.steps as u64 {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let mut random = Random::new(options.seed, (1 << 50) + step);
            let chosen: Vec<&TrainingExample> = (0..options.questions).map(|_| lessons[random.below(lessons.len())]).collect();
            let (mut drawn, by) = self.draw(network, learner.as_mut(), parameters, &chosen, options, &mut random);
            drawn.step = step + 1;
            if drawn.kept > 0.0 {
                learner.learn(&by, &options.rates, 1.0 - step as f32 / options.steps as f32);
            }
            if (step + 1).is_multiple_of(options.check_every as u64) || step + 1 == options.steps as u64 {
                learner.read(&mut now, &mut moments);
                let executed = look(network, &now);
                drawn.executed = Some(executed);
                if executed > highest {
                    highest = executed;
                    best.clone_from(&now);
                }
            }
            hear(&drawn, (step + 1) as f64 * (options.questions * options.group) as f64 / began.elapsed().as_secs_f64());
            all.push(drawn);
        }
        (best, all)
    }

    /// Samples a group of plans for each question; gives what they were like and the gradient by the scores.
    fn draw(
        &self,
        network: &mut dyn Network,
        learner: &mut dyn Learner,
        before: &[f32],
        chosen: &[&TrainingExample],
        options: &Reinforcement,
        random: &mut Random,
    ) -> (Drawn, Scores) {
        let framed: Vec<(Framed, Vec<Mention>)> = chosen.iter().map(|l| self.payer.framed(self.frames, &l.question)).collect();
        let mut batch = Batch::default();
        framed.iter().for_each(|(f, _)| self.frames.push(f, &mut batch));
        let reference = network.scores(before, &batch);
        let scores = learner.forward(&batch);
        let mut by = Scores::zeros(&SIZES, &batch);
        let mut drawn = Drawn::default();
        let (first, each) = (SIZES.first_classes(), 1.0 / chosen.len().max(1) as f32);
        let mut token = 0;
        for (i, ((lesson, (framed, mentions)), &n)) in chosen.iter().zip(&framed).zip(&batch.lengths).enumerate() {
            let tags = token * SIZES.tags..(token + n) * SIZES.tags;
            let heads = Parts::of(&scores.first[i * first..(i + 1) * first], &scores.tags[tags.clone()]);
            let held = Parts::of(&reference.first[i * first..(i + 1) * first], &reference.tags[tags.clone()]);
            let (mut rewards, mut picks) = (Vec::new(), Vec::new());
            for _ in 0..options.group {
                let picked = heads.draw(random);
                let reading = drafts(&lesson.question, framed, &heads.certain(&picked));
                let grounder = self.payer.grounder();
                let grounded = reading.first().and_then(|d| grounder.ground(&lesson.question, mentions, d, &Calibration::default()));
                let paid = grounded.as_ref().map_or_else(Paid::default, |g| Paid::of(lesson, &g.plan, self.payer, self.judge));
                drawn.read += f64::from(u8::from(paid.read));
                drawn.f1 += paid.f1;
                drawn.covered += f64::from(u8::from(paid.covered));
                drawn.length += grounded.as_ref().map_or(0.0, |g| g.plan.statements.len() as f64);
                rewards.push(paid.reward());
                picks.push(picked);
            }
            drawn.reward += rewards.iter().sum::<f64>() / options.group as f64;
            drawn.entropy += heads.entropy();
            let parts = heads.0.len() as f32;
            let per_part = if options.baseline == Baseline::Grpo { 1.0 / parts } else { 1.0 };
            let mut by_parts = heads.zeros();
            drawn.distance += heads.away(&held, options.distance * each * per_part, &mut by_parts);
            if let Some(advantages) = to_advantages(&rewards, options.baseline) {
                drawn.kept += 1.0;
                for (advantage, picked) in advantages.iter().zip(&picks) {
                    let weight = *advantage as f32 * each * per_part / options.group as f32;
                    heads.towards(picked, weight, &mut by_parts);
                }
            }
            let (by_first, by_tags) = (&mut by.first[i * first..(i + 1) * first], &mut by.tags[tags]);
            by_first.iter_mut().chain(by_tags).zip(by_parts.iter().flatten()).for_each(|(b, p)| *b = *p);
            token += n;
        }
        let (questions, readings) = (chosen.len().max(1) as f64, (chosen.len() * options.group).max(1) as f64);
        drawn.reward /= questions;
        drawn.entropy /= questions;
        drawn.kept /= questions;
        drawn.distance /= questions;
        drawn.read /= readings;
        drawn.f1 /= readings;
        drawn.covered /= readings;
        drawn.length /= readings;
        (drawn, by)
    }
}

/// Advantages of a group's rewards; `None` where all are the same.
fn to_advantages(rewards: &[f64], baseline: Baseline) -> Option<Vec<f64>> {
    let n = rewards.len() as f64;
    let mean = rewards.iter().sum::<f64>() / n;
    let spread = (rewards.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt();
    (spread > 1e-9).then(|| match baseline {
        // r less the mean of the n - 1 others.
        Baseline::LeaveOneOut => rewards.iter().map(|r| (r - mean) * n / (n - 1.0)).collect(),
        Baseline::Grpo => rewards.iter().map(|r| (r - mean) / (spread + 1e-6)).collect(),
    })
}

/// The probabilities of every part of a reading: shape, aggregation, number, and each token's tag.
pub(super) struct Parts(Vec<Vec<f32>>);

impl Parts {
    pub(super) fn of(first: &[f32], tags: &[f32]) -> Parts {
        let heads = SIZES.first_ranges();
        Parts(heads.iter().map(|r| softmax(&first[r.clone()])).chain(tags.chunks_exact(SIZES.tags).map(softmax)).collect())
    }

    /// The likeliest class of every part.
    pub(super) fn likeliest(&self) -> Vec<usize> {
        self.0.iter().map(|p| best(p)).collect()
    }

    /// Leaves to a part only the classes that fit.
    pub(super) fn keep(&mut self, part: usize, fits: impl Fn(usize) -> bool) {
        let Some(row) = self.0.get_mut(part) else { return };
        row.iter_mut().enumerate().for_each(|(i, p)| *p = if fits(i) { p.max(1e-6) } else { 0.0 });
        let total: f32 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= total.max(f32::MIN_POSITIVE));
    }

    fn zeros(&self) -> Vec<Vec<f32>> {
        self.0.iter().map(|p| vec![0.0; p.len()]).collect()
    }

    pub(super) fn draw(&self, random: &mut Random) -> Vec<usize> {
        let pick = |p: &Vec<f32>| {
            let mut at = random.unit() as f32;
            p.iter()
                .position(|p| {
                    at -= p;
                    at < 0.0
                })
                .unwrap_or(p.len() - 1)
        };
        self.0.iter().map(pick).collect()
    }

    /// Scores with which the engine takes just these classes.
    pub(super) fn certain(&self, picked: &[usize]) -> Logits {
        let mut all: Vec<Vec<f32>> = self.zeros();
        all.iter_mut().zip(picked).for_each(|(row, &i)| row[i] = CERTAIN);
        let tags = all.split_off(3);
        logits(&all.concat(), &tags.concat())
    }

    /// Mean entropy of a part, in nats.
    fn entropy(&self) -> f64 {
        let of = |p: &Vec<f32>| -> f64 { p.iter().map(|&p| f64::from(p)).filter(|p| *p > 0.0).map(|p| -p * p.ln()).sum() };
        self.0.iter().map(of).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// Adds the gradient, by the scores, of `-weight * log p(picked)`.
    fn towards(&self, picked: &[usize], weight: f32, by: &mut [Vec<f32>]) {
        for ((p, &picked), by) in self.0.iter().zip(picked).zip(by) {
            for (i, (b, p)) in by.iter_mut().zip(p).enumerate() {
                *b += weight * (p - f32::from(u8::from(i == picked)));
            }
        }
    }

    /// The divergence from other probabilities, summed over the parts; adds `weight` times its gradient by the scores.
    fn away(&self, from: &Parts, weight: f32, by: &mut [Vec<f32>]) -> f64 {
        let mut total = 0.0;
        for ((p, q), by) in self.0.iter().zip(&from.0).zip(by) {
            let logs: Vec<f32> = p.iter().zip(q).map(|(p, q)| (p.max(1e-12) / q.max(1e-12)).ln()).collect();
            let divergence: f32 = p.iter().zip(&logs).map(|(p, l)| p * l).sum();
            total += f64::from(divergence);
            by.iter_mut().zip(p).zip(&logs).for_each(|((b, p), l)| *b += weight * p * (l - divergence));
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_without_variance_teaches_nothing() {
        assert_eq!(to_advantages(&[0.4; 8], Baseline::Grpo), None);
        assert_eq!(to_advantages(&[1.0, 0.0, 0.0, 0.0], Baseline::LeaveOneOut), Some(vec![1.0, -1.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0]));
    }

    #[test]
    fn gradients_are_what_small_changes_of_the_scores_do() {
        let classes = SIZES.first_classes();
        let mut random = Random::new(1, 1);
        let mut noise = |n: usize| (0..n).map(|_| random.unit() as f32 * 4.0 - 2.0).collect::<Vec<f32>>();
        let (mut first, tags, held) = (noise(classes), noise(2 * SIZES.tags), noise(classes));
        let reference = Parts::of(&held, &tags);
        let parts = Parts::of(&first, &tags);
        let picked = parts.draw(&mut Random::new(2, 2));
        let mut by = parts.zeros();
        parts.towards(&picked, 0.7, &mut by);
        parts.away(&reference, 0.3, &mut by);
        let by = by.concat();
        let value = |first: &[f32]| {
            let parts = Parts::of(first, &tags);
            let log: f32 = parts.0.iter().zip(&picked).map(|(p, &i)| p[i].ln()).sum();
            f64::from(-0.7 * log) + 0.3 * parts.away(&reference, 0.0, &mut parts.zeros())
        };
        for i in 0..classes {
            let old = first[i];
            first[i] = old + 0.01;
            let more = value(&first);
            first[i] = old - 0.01;
            let less = value(&first);
            first[i] = old;
            assert!(((more - less) / 0.02 - f64::from(by[i])).abs() < 2e-3, "{i}");
        }
    }

    #[test]
    fn what_is_drawn_is_what_the_engine_takes() {
        let parts = Parts::of(&vec![0.0; SIZES.first_classes()], &[0.0; 3 * SIZES.tags]);
        let picked = vec![4, 1, 0, 0, 3, 5];
        let logits = parts.certain(&picked);
        assert_eq!(super::super::loss::best(&logits.shape), 4);
        assert_eq!(super::super::loss::best(&logits.tags[2]), 5);
    }
}
