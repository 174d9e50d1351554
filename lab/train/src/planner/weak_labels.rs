//! Makes training examples from questions with answers, by weak supervision: plans are sampled from a
//! planner's distributions and executed over the graph, and the best with exactly the answers labels the
//! words. (Learning from one's own right readings: Zelikman et al., arXiv 2203.14465.)

use super::data::Frames;
use super::engine::scores;
use super::judge::Judge;
use super::labels::{Labels, classify_plan};
use super::parts::Parts;
use miette::Result;
use pocketgraph::kg::Mention;
use pocketgraph::planner::model::{
    Aggregation, Calibration, Draft, Framed, Grounded, PlannerModel, Shape, Tag, draft_plans,
};
use pocketgraph_cluster::Random;
use pocketgraph_eval::AnsweredQuestion;
use std::ops::Range;

/// The parts of a reading before its tags: shape, aggregation and number.
const FIRST: usize = 3;
/// A reading that agrees so well with the words, and leaves no more of them unexplained, is not bettered by
/// drawing.
const GOOD: (f32, f32) = (0.6, 0.2);

/// Labels a question by the best of `draws` readings with its answers, along the relations of the set's own
/// plan if it has one; `None` without any. Fails if a word has no vector.
pub fn labelled(
    judge: &Judge<'_>,
    model: &PlannerModel,
    frames: &Frames<'_>,
    asked: &AnsweredQuestion,
    draws: usize,
    random: &mut Random,
) -> Result<Option<Labels>> {
    let question = asked.question();
    let (framed, mentions) = judge.framed(frames, question);
    let logits = frames.read_by(model, &framed)?;
    let scores = scores(&logits);
    let own = asked.plan().and_then(classify_plan);
    let mut best: Option<(f32, Labels)> = None;
    for draw in 0..draws.max(1) {
        let mut parts = Parts::of(&scores.first, &scores.tags);
        let (shape, aggregation) = match own {
            Some((shape, aggregation, number)) => {
                parts.keep(0, |i| i == shape.index());
                parts.keep(1, |i| i == aggregation.index());
                parts.keep(2, |i| number.is_none_or(|n| i == n));
                (shape, aggregation)
            }
            None => {
                let first = if draw == 0 { parts.likeliest() } else { parts.draw(random) };
                let (Some(shape), Some(aggregation)) = (
                    first.first().and_then(|&i| Shape::ALL.get(i)),
                    first.get(1).and_then(|&i| Aggregation::ALL.get(i)),
                ) else {
                    continue;
                };
                parts.keep(0, |i| i == shape.index());
                parts.keep(1, |i| i == aggregation.index());
                (*shape, *aggregation)
            }
        };
        for (token, mention) in framed.mentions.iter().enumerate() {
            parts.keep(FIRST + token, |i| does_fit(Tag::ALL[i], shape, aggregation, mention.is_some()));
        }
        let picked = if draw == 0 { parts.likeliest() } else { parts.draw(random) };
        let read = draft_plans(question, &framed, &parts.certain(&picked));
        // Where the question cannot fill the shape, another had its turn.
        let Some(draft) = read.first().filter(|d| d.shape == shape && d.aggregation == aggregation) else {
            continue;
        };
        let Some((worth, grounded)) = try_draft(judge, asked, &mentions, draft) else { continue };
        if best.as_ref().is_none_or(|b| worth > b.0) {
            let number = (matches!(aggregation, Aggregation::Max | Aggregation::Min)
                && shape != Shape::Compare)
                .then(|| usize::from(draft.number));
            let tags: Vec<Tag> = picked.iter().skip(FIRST).map(|&i| Tag::ALL[i]).collect();
            best = Some((worth, Labels { number, ..labels_of_draft(&framed, draft, &tags) }));
        }
        if grounded.seen.weakest_relation >= GOOD.0 && grounded.seen.unexplained <= GOOD.1 {
            break;
        }
    }
    Ok(best.map(|b| b.1))
}

/// Returns true if a question of this shape has such words; a mention's only words are its entity's.
fn does_fit(tag: Tag, shape: Shape, aggregation: Aggregation, mention: bool) -> bool {
    tag.fits(shape, aggregation) && (!mention || matches!(tag, Tag::Other | Tag::Entity(_)))
}

/// An executed draft, with how well its words agree; nothing where it does not find the answers.
fn try_draft(
    judge: &Judge<'_>,
    asked: &AnsweredQuestion,
    mentions: &[Mention],
    draft: &Draft,
) -> Option<(f32, Grounded)> {
    let grounded = judge.grounder().ground(asked.question(), mentions, draft, &Calibration::default())?;
    let right = asked.follows(&grounded.plan)
        && judge.execution(&grounded.plan).is_some_and(|e| asked.is_answered(judge.graph(), &e));
    let seen = &grounded.seen;
    right.then_some((seen.relations + seen.weakest_relation - seen.unexplained, grounded))
}

/// Returns the labels of a draft and its tags: entities of the draft, and other words whose tags fit.
fn labels_of_draft(framed: &Framed, draft: &Draft, tags: &[Tag]) -> Labels {
    let mut tagged: Vec<(Range<usize>, Tag)> = Vec::new();
    for (token, (span, tag)) in framed.spans.iter().zip(tags).enumerate() {
        let Some(span) = span.clone() else { continue };
        let entity = draft.entities.iter().position(|e| e.span.start < span.end && span.start < e.span.end);
        let tag = match (entity, framed.mentions[token].is_some(), *tag) {
            (Some(slot), _, _) => Tag::Entity(slot),
            (None, true, _) | (None, _, Tag::Entity(_)) => Tag::Other,
            (None, false, tag) if tag.fits(draft.shape, draft.aggregation) => tag,
            (None, false, _) => Tag::Other,
        };
        // Pieces of a word have one place.
        if tag != Tag::Other && tagged.last().is_none_or(|t| t.0 != span) {
            tagged.push((span, tag));
        }
    }
    let mentions = framed
        .spans
        .iter()
        .zip(&framed.mentions)
        .filter(|(_, m)| m.is_some())
        .filter_map(|(s, _)| s.clone())
        .collect();
    Labels { shape: draft.shape, aggregation: draft.aggregation, number: None, tagged, mentions }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_is_its_entitys_and_never_a_relations() {
        assert!(does_fit(Tag::Entity(0), Shape::P1, Aggregation::Set, true));
        assert!(!does_fit(Tag::Relation(0, false), Shape::P1, Aggregation::Set, true));
        assert!(!does_fit(Tag::Relation(1, false), Shape::P1, Aggregation::Set, false));
    }
}
