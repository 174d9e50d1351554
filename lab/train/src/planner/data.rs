//! From examples on disk to training examples in memory, and from these to batches.

use super::labelled_questions::LabelledQuestion;
use super::labels::{Example, Kind, LabelError, labels};
use super::training_example::TrainingExample;
use crate::network::{Batch, sums, vectors};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph::embed::WordRows;
use pocketgraph::planner::model::{Framed, Framer, Logits, PlannerModel, Tag};
use pocketgraph_cluster::Random;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;

const BLOCK: usize = 1 << 16;

/// A training set, and how many examples of the data were left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrainingSet {
    /// The examples, in the order of the files.
    pub examples: Vec<TrainingExample>,
    /// Number of examples that were left out, by why.
    pub left_out: BTreeMap<LabelError, usize>,
}

impl TrainingSet {
    /// Reads a file of `pocketgraph train data`. Fails if the file cannot be read or a line is no example.
    pub fn read(&mut self, path: &Path) -> Result<()> {
        let reading = || format!("reading {}", path.display());
        let file = std::fs::File::open(path)
            .into_diagnostic()
            .wrap_err_with(|| format!("{} cannot be read", path.display()))?;
        let (mut lines, mut first) = (BufReader::new(file).lines(), 1);
        loop {
            let block: Vec<String> = lines
                .by_ref()
                .take(BLOCK)
                .collect::<std::io::Result<_>>()
                .into_diagnostic()
                .wrap_err_with(reading)?;
            if block.is_empty() {
                return Ok(());
            }
            let read = |(i, line): (usize, &String)| {
                let describe = || {
                    format!(
                        "{}, line {}: this is no example of `pocketgraph train data` or `train label`",
                        path.display(),
                        first + i
                    )
                };
                training_example(line).wrap_err_with(describe)
            };
            let blank = |line: &&String| line.trim().is_empty();
            let read: Vec<_> =
                block.par_iter().enumerate().filter(|(_, line)| !blank(line)).map(read).collect();
            for lesson in read {
                match lesson? {
                    Ok(lesson) => self.examples.push(lesson),
                    Err(doubt) => *self.left_out.entry(doubt).or_default() += 1,
                }
            }
            first += block.len();
        }
    }

    /// Takes `count` examples out as the held-out set, chosen by the seed.
    pub fn held_out(&mut self, count: usize, seed: u64) -> Vec<TrainingExample> {
        let chosen = Random::new(seed, 21).sample(self.examples.len(), count.min(self.examples.len() / 10));
        let mut next = chosen.into_iter().peekable();
        let (mut kept, mut held) = (Vec::new(), Vec::new());
        for (i, lesson) in std::mem::take(&mut self.examples).into_iter().enumerate() {
            if next.next_if_eq(&i).is_some() { held.push(lesson) } else { kept.push(lesson) }
        }
        self.examples = kept;
        held
    }
}

/// The training example of a line, or why it is left out.
fn training_example(line: &str) -> Result<Result<TrainingExample, LabelError>> {
    match serde_json::from_str::<Example>(line) {
        Ok(example) => Ok(of_example(example)),
        Err(whole) => Ok(Ok(LabelledQuestion::read(line)
            .and_then(LabelledQuestion::training_example)
            .ok_or_else(|| miette!("{whole}"))?)),
    }
}

/// The training example of an example of the data, where its labels are certain.
fn of_example(example: Example) -> Result<TrainingExample, LabelError> {
    let labels = labels(&example)?;
    let whole = example.answers.len() == example.count;
    let answers = example.answers.iter().filter(|_| whole).filter_map(|a| a.last().cloned()).collect();
    let entities = example.spans.iter().filter(|s| s.kind == Kind::Entity).map(|s| s.name.clone()).collect();
    let Example { question, pattern, .. } = example;
    Ok(TrainingExample { question, of: None, labels, answers, pattern, entities, tagged: true })
}

/// Data augmentation: how questions are changed at random, so that the model does not rely on what is not
/// always so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Augmentation {
    /// Part of the tokens that become `[MASK]` though they are no mention.
    pub masked: f64,
    /// Part of the mentions that are left in their own words.
    pub unmasked: f64,
}

impl Augmentation {
    /// None: for measuring.
    pub const NONE: Augmentation = Augmentation { masked: 0.0, unmasked: 0.0 };
}

impl Default for Augmentation {
    fn default() -> Self {
        Augmentation { masked: 0.03, unmasked: 0.08 }
    }
}

/// Target classes of a batch. `None` counts for nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Targets {
    /// Targets of each sequence: shape, aggregation and number.
    pub first: Vec<[Option<usize>; 3]>,
    /// Targets of each token.
    pub tags: Vec<Option<usize>>,
}

/// Turns questions into token vectors and labels.
pub struct Frames<'e> {
    words: &'e (dyn WordRows + Sync),
    model: &'e pocketgraph::embed::MiniLm,
    framer: Framer<'e>,
}

impl<'e> Frames<'e> {
    /// With the vocabulary, word vectors and positions of the embedder. Fails if the vocabulary has no
    /// `[MASK]`.
    pub fn new(embedder: &'e NativeEmbedder) -> Result<Frames<'e>> {
        let tokenizer = embedder.tokenizer();
        let framer = Framer::new(tokenizer).ok_or_else(|| miette!("the vocabulary has no [MASK]"))?;
        Ok(Frames { words: embedder.words(), model: embedder.model(), framer })
    }

    /// A training example in tokens with a tag for each, augmented at random.
    pub fn framed(
        &self,
        lesson: &TrainingExample,
        disturbance: Augmentation,
        random: &mut Random,
    ) -> (Framed, Vec<Option<usize>>) {
        let kept: Vec<Range<usize>> = lesson
            .labels
            .mentions
            .iter()
            .filter(|_| random.unit() >= disturbance.unmasked)
            .cloned()
            .collect();
        let mut framed = self.framer.frame(&lesson.question, &kept);
        let tags = framed
            .spans
            .iter()
            .map(|span| Some(tag_of(span.as_ref().filter(|_| lesson.tagged)?, &lesson.labels.tagged).index()))
            .collect();
        for (id, span) in framed.ids.iter_mut().zip(&framed.spans) {
            if span.is_some() && random.unit() < disturbance.masked {
                *id = self.framer.mask();
            }
        }
        (framed, tags)
    }

    /// Cuts questions into tokens.
    pub fn framer(&self) -> &Framer<'e> {
        &self.framer
    }

    /// Returns a model's scores of a question. Fails if a word has no vector.
    pub fn read_by(&self, model: &PlannerModel, framed: &Framed) -> Result<Logits> {
        model.forward(framed, self.words).map_err(|e| miette!("{e}"))
    }

    /// A question's word and position vectors, summed, a token after the other.
    pub fn sums(&self, framed: &Framed) -> Vec<f32> {
        sums(self.model, self.words, framed.ids.iter().copied())
    }

    /// A question's token vectors, normalised as the first layer reads them.
    fn vectors(&self, framed: &Framed) -> Vec<f32> {
        vectors(self.model, self.words, framed.ids.iter().copied())
    }

    /// Appends a question's token vectors to a batch.
    pub fn push(&self, framed: &Framed, batch: &mut Batch) {
        batch.x.append(&mut self.vectors(framed));
        batch.lengths.push(framed.ids.len());
    }

    /// Returns a batch of examples with targets, on all cores. Example `i` depends on the seed and `stream +
    /// i`.
    pub fn batch(
        &self,
        lessons: &[&TrainingExample],
        disturbance: Augmentation,
        seed: u64,
        stream: u64,
    ) -> (Batch, Targets) {
        let each = lessons.par_iter().enumerate().map(|(i, lesson)| {
            let (framed, tags) =
                self.framed(lesson, disturbance, &mut Random::new(seed, stream.wrapping_add(i as u64)));
            (self.vectors(&framed), tags)
        });
        let (mut batch, mut targets) = (Batch::default(), Targets::default());
        for ((mut x, tags), lesson) in each.collect::<Vec<_>>().into_iter().zip(lessons) {
            batch.x.append(&mut x);
            batch.lengths.push(tags.len());
            targets.tags.extend(tags);
            targets.first.push(lesson.targets());
        }
        (batch, targets)
    }
}

/// The tag of a word: that of the span that it touches.
fn tag_of(word: &Range<usize>, tagged: &[(Range<usize>, Tag)]) -> Tag {
    tagged.iter().find(|(span, _)| word.start < span.end && span.start < word.end).map_or(Tag::Other, |t| t.1)
}
