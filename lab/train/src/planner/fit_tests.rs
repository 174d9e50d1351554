#![allow(clippy::unwrap_used)]

use super::*;
use crate::network::{Cpu, Sizes};
use crate::planner::Labels;
use pocketgraph::planner::model::{Aggregation, Shape, TAGS, Tag};
use pocketgraph_cluster::Random;
use pocketgraph_models::embed_bulk::NativeEmbedder;
use std::sync::atomic::Ordering;

/// Small, but on the real word vectors.
const SMALL: Sizes = Sizes {
    hidden: 384,
    heads: 12,
    intermediate: 64,
    layers: 1,
    first: [Shape::ALL.len(), Aggregation::ALL.len(), 2],
    tags: TAGS,
};

/// Questions of four kinds about made-up names.
fn training_set(n: usize) -> Vec<TrainingExample> {
    let mut random = Random::new(3, 3);
    let relations = ["director", "capital", "author", "mother", "owner", "editor", "leader", "birthplace"];
    let names = ["Borula", "Kento", "Mirafel", "Dunwich", "Osla", "Petra Vane", "Quillon", "Rastan"];
    (0..n)
        .map(|i| {
            let (r, a, b) = (relations[random.below(8)], names[random.below(8)], names[random.below(8)]);
            let forward = Tag::Relation(0, false);
            let (parts, shape, aggregation): (Vec<(&str, Tag)>, _, _) = match i % 4 {
                0 => (
                    vec![
                        ("Who is the ", Tag::Other),
                        (r, forward),
                        (" of ", Tag::Other),
                        (a, Tag::Entity(0)),
                    ],
                    Shape::P1,
                    Aggregation::Set,
                ),
                1 => (
                    vec![
                        ("What ", Tag::Other),
                        (r, forward),
                        (" has ", Tag::Other),
                        (a, Tag::Entity(0)),
                        (" or ", Tag::Other),
                        (b, Tag::Entity(1)),
                    ],
                    Shape::U2,
                    Aggregation::Set,
                ),
                2 => (
                    vec![
                        ("How many have ", Tag::Other),
                        (a, Tag::Entity(0)),
                        (" as ", Tag::Other),
                        (r, Tag::Relation(0, true)),
                    ],
                    Shape::P1,
                    Aggregation::Count,
                ),
                _ => (
                    vec![
                        ("Whose ", Tag::Other),
                        (r, Tag::Relation(0, true)),
                        (" are both ", Tag::Other),
                        (a, Tag::Entity(0)),
                        (" and ", Tag::Other),
                        (b, Tag::Entity(1)),
                    ],
                    Shape::I2,
                    Aggregation::Set,
                ),
            };
            let mut labels =
                Labels { shape, aggregation, number: None, tagged: Vec::new(), mentions: Vec::new() };
            let mut question = String::new();
            for (words, tag) in parts {
                let span = question.len()..question.len() + words.len();
                question.push_str(words);
                if matches!(tag, Tag::Entity(_)) {
                    labels.mentions.push(span.clone());
                }
                if tag != Tag::Other {
                    labels.tagged.push((span, tag));
                }
            }
            TrainingExample {
                question,
                of: None,
                labels,
                answers: Vec::new(),
                pattern: shape.name().to_owned(),
                entities: Vec::new(),
                tagged: true,
            }
        })
        .collect()
}

fn options() -> Options {
    let schedule = Schedule { epochs: 4, batch: 8, warm_up: 5, check_every: 1 << 20, ..Schedule::default() };
    Options { schedule, patience: 1000 }
}

/// A run to its end, or until a step is done.
fn run(
    lessons: &[TrainingExample],
    options: &Options,
    state: &mut Checkpoint,
    until: Option<u64>,
) -> StopReason {
    let (embedder, layout) = (NativeEmbedder::new().unwrap(), Layout::new(SMALL));
    let frames = Frames::new(&embedder).unwrap();
    let stop = AtomicBool::new(false);
    let (learnt, held_out) = lessons.split_at(lessons.len() * 4 / 5);
    let course = PlannerTrainer {
        layout: &layout,
        examples: learnt,
        held_out,
        frames: &frames,
        stop: &stop,
        judge: None,
    };
    let mut hear = |event: TrainingEvent<'_, Evaluation>| {
        stop.store(until.is_some_and(|u| event.step >= u), Ordering::Relaxed)
    };
    course.fit(&mut Cpu::new(layout.clone()), state, options, &mut hear).unwrap()
}

#[test]
fn four_kinds_of_questions_are_learnt_in_a_few_seconds() {
    let mut state = Checkpoint::new(Layout::new(SMALL).random(1));
    assert_eq!(run(&training_set(400), &options(), &mut state, None), StopReason::Done);
    let last = state.points.last().unwrap();
    assert!(last.shape > 0.98 && last.aggregation > 0.98, "{last:?}");
    assert!(last.tag_f1 > 0.95 && last.exact > 0.85, "{last:?}");
}

#[test]
fn a_run_that_was_interrupted_ends_with_the_same_weights() {
    let (lessons, start) = (training_set(60), Layout::new(SMALL).random(2));
    let mut options = options();
    (options.schedule.epochs, options.schedule.check_every) = (1, 8);
    let mut whole = Checkpoint::new(start.clone());
    run(&lessons, &options, &mut whole, None);
    let folder = tempfile::tempdir().unwrap();
    let mut kept = options.clone();
    kept.schedule.folder = Some(folder.path().to_owned());
    let mut half = Checkpoint::new(start);
    assert_eq!(run(&lessons, &kept, &mut half, Some(3)), StopReason::Stopped);
    let mut again = Checkpoint::load(folder.path(), &Layout::new(SMALL)).unwrap().unwrap();
    assert_eq!(again.step, 3);
    run(&lessons, &kept, &mut again, None);
    assert_eq!((again.step, again.seen), (whole.step, whole.seen));
    assert_eq!(again.parameters, whole.parameters);
    assert_eq!(again.best, whole.best);
}

#[test]
fn a_checkpoint_of_another_network_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    Checkpoint::new(vec![0.0; 7]).save(Some(folder.path())).unwrap();
    assert!(
        Checkpoint::load(folder.path(), &Layout::new(SMALL)).unwrap_err().to_string().contains("other sizes")
    );
}

#[test]
fn an_epoch_deals_every_lesson_once_in_the_order_of_its_seed() {
    let lessons = training_set(100);
    let all = draw_batches(&lessons, 8, 1, 0);
    let mut dealt: Vec<usize> = all.concat();
    assert_ne!(all, draw_batches(&lessons, 8, 1, 1));
    assert_eq!(all, draw_batches(&lessons, 8, 1, 0));
    dealt.sort_unstable();
    assert_eq!(dealt, (0..100).collect::<Vec<_>>());
}
