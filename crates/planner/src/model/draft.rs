//! From what the heads say to drafts: a shape whose slots point at words of the question. A draft always has
//! a shape that can be carried out, so that no plan made of one fails to parse.

use super::frame::Framed;
use super::label::{Aggregation, ENTITIES, STEPS, Shape, Tag};
use super::section::Logits;
use crate::compact::sort_by;
use crate::elementary::{exp_f32, ln_f32};
use std::ops::Range;

/// Maximum number of drafts of a question, likeliest first.
const DRAFTS: usize = 6;
/// Less likely shapes than this are no drafts, where there are others.
const LEAST: f32 = 0.005;
/// Places that entities are chosen among.
const PLACES: usize = 6;
/// A slot that no token is likeliest for takes the token for which it is this likely.
const FAINT: f32 = 0.15;

/// The place of an entity in the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// Index of the mention, among those that the question was framed with.
    pub mention: usize,
    /// Its bytes in the question.
    pub span: Range<usize>,
}

/// Words for a relation.
#[derive(Debug, Clone, PartialEq)]
pub struct RelationPhrase {
    /// The words.
    pub words: String,
    /// The probability that the step goes from tail to head.
    pub inverse: f32,
}

/// A reading of a question before anything of it is looked up in a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The query's shape.
    pub shape: Shape,
    /// The aggregation of its answers.
    pub aggregation: Aggregation,
    /// True if a superlative counts things instead of reading a value.
    pub number: bool,
    /// The entities, as many as the shape has.
    pub entities: Vec<Pointer>,
    /// The words of each step; none where the question leaves a step unsaid.
    pub relations: [Option<RelationPhrase>; STEPS],
    /// The words of what a superlative measures.
    pub measure: Option<String>,
    /// The words for the type of what each step finds.
    pub types: [Option<String>; STEPS],
    /// The places, in bytes, of all words that a slot points at, ascending.
    pub explained: Vec<Range<usize>>,
    /// Logarithm of the probability of shape and aggregation.
    pub shape_log: f32,
    /// The mean logarithm of the tags' probabilities.
    pub tags_log: f32,
    /// The lowest probability of a tag.
    pub weakest: f32,
}

/// The drafts of a question, likeliest shape first. None where the question lacks entities for every likely
/// shape.
pub fn draft_plans(question: &str, framed: &Framed, logits: &Logits) -> Vec<Draft> {
    let (shapes, aggregations, number) =
        (softmax(&logits.shape), softmax(&logits.aggregation), softmax(&logits.number));
    let mut kinds: Vec<(f32, Shape, Aggregation)> = Vec::new();
    for (shape, p) in Shape::ALL.into_iter().zip(&shapes) {
        let fitting = Aggregation::ALL.into_iter().zip(&aggregations).filter(|(w, _)| w.fits(shape));
        kinds.extend(fitting.map(|(aggregation, q)| (p * q, shape, aggregation)));
    }
    sort_by(&mut kinds, |a, b| b.0.total_cmp(&a.0));
    let tokens: Vec<Vec<f32>> = logits.tags.iter().map(|t| softmax(t)).collect();
    let number = number.get(1).is_some_and(|p| *p > 0.5);
    let read = |(p, shape, aggregation): &(f32, Shape, Aggregation)| {
        let mut draft =
            Reader { question, framed, tokens: &tokens, shape: *shape, aggregation: *aggregation }.draft()?;
        draft.number = number;
        draft.shape_log = ln_f32(p.max(1e-9));
        Some(draft)
    };
    // A shape that the question cannot fill is none, however likely: then less likely ones have their turn.
    let mut out: Vec<Draft> = Vec::new();
    for kind in &kinds {
        if out.len() == DRAFTS || (kind.0 < LEAST && !out.is_empty()) {
            break;
        }
        out.extend(read(kind));
    }
    out
}

/// Scores as probabilities.
pub fn softmax(logits: &[f32]) -> Vec<f32> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut out: Vec<f32> = logits.iter().map(|l| exp_f32(l - most)).collect();
    let sum: f32 = out.iter().sum();
    out.iter_mut().for_each(|p| *p /= sum.max(f32::MIN_POSITIVE));
    out
}

struct Reader<'a> {
    question: &'a str,
    framed: &'a Framed,
    tokens: &'a [Vec<f32>],
    shape: Shape,
    aggregation: Aggregation,
}

impl Reader<'_> {
    fn probability(&self, token: usize, tag: Tag) -> f32 {
        self.tokens.get(token).and_then(|t| t.get(tag.index())).copied().unwrap_or(0.0)
    }

    /// The likeliest tag of a token among those that the shape has; a mention's only words are its entity's.
    fn best(&self, token: usize) -> Tag {
        let fits = |t: &Tag| {
            t.fits(self.shape, self.aggregation)
                && (self.framed.mentions[token].is_none() || matches!(t, Tag::Other | Tag::Entity(_)))
        };
        let mut best = Tag::Other;
        for tag in Tag::ALL.into_iter().filter(fits) {
            if self.probability(token, tag) > self.probability(token, best) {
                best = tag;
            }
        }
        best
    }

    fn draft(&self) -> Option<Draft> {
        let content: Vec<usize> =
            (0..self.framed.ids.len()).filter(|&t| self.framed.spans[t].is_some()).collect();
        let mut tags: Vec<Tag> = (0..self.framed.ids.len()).map(|t| self.best(t)).collect();
        let entities = self.entities(&content, &mut tags)?;
        let mut draft = Draft {
            shape: self.shape,
            aggregation: self.aggregation,
            number: false,
            entities,
            relations: [const { None }; STEPS],
            measure: None,
            types: [const { None }; STEPS],
            explained: Vec::new(),
            shape_log: 0.0,
            tags_log: 0.0,
            weakest: 1.0,
        };
        for i in 0..self.shape.steps() {
            let of = |t: &Tag| matches!(t, Tag::Relation(j, _) if *j == i);
            let faint = [Tag::Relation(i, false), Tag::Relation(i, true)];
            draft.relations[i] =
                self.tagged_words(&content, &mut tags, &of, &faint, &draft).map(|(words, at)| {
                    let share = |inverse: bool| {
                        at.iter().map(|&t| self.probability(t, Tag::Relation(i, inverse))).sum::<f32>()
                    };
                    let (forward, back) = (share(false), share(true));
                    RelationPhrase { words, inverse: back / (forward + back).max(f32::MIN_POSITIVE) }
                });
        }
        for i in 0..self.shape.steps().max(1) {
            draft.types[i] =
                self.tagged_words(&content, &mut tags, &|t| *t == Tag::Type(i), &[], &draft).map(|s| s.0);
        }
        if Tag::Measure.fits(self.shape, self.aggregation) {
            draft.measure = self
                .tagged_words(&content, &mut tags, &|t| *t == Tag::Measure, &[Tag::Measure], &draft)
                .map(|s| s.0);
        }
        // "The director of A or B": what is said once holds for both.
        let alike = matches!(
            self.shape,
            Shape::I2 | Shape::U2 | Shape::In2 | Shape::Ip | Shape::Up | Shape::Inp | Shape::I3 | Shape::In3
        );
        for i in 1..self.shape.entities().min(STEPS) {
            if alike && draft.relations[i].is_none() {
                draft.relations[i] = draft.relations[i - 1].clone();
            }
            if alike && draft.types[i].is_none() {
                draft.types[i] = draft.types[i - 1].clone();
            }
        }
        // "The genre of the capital of A and of B".
        if matches!(self.shape, Shape::Pi | Shape::Pin) && draft.relations[2].is_none() {
            draft.relations[2] = draft.relations[1].clone();
        }
        // "Films that share directors with …": a step that nothing says goes back along the one before it.
        for i in 1..self.shape.steps() {
            if matches!(self.shape, Shape::P2 | Shape::P3) && draft.relations[i].is_none() {
                draft.relations[i] =
                    draft.relations[i - 1].clone().map(|s| RelationPhrase { inverse: 1.0 - s.inverse, ..s });
            }
        }
        let mut log = 0.0;
        for &t in &content {
            let p = self.probability(t, tags[t]).max(1e-9);
            log += ln_f32(p);
            draft.weakest = draft.weakest.min(p);
            if tags[t] != Tag::Other {
                draft.explained.extend(self.framed.spans[t].clone());
            }
        }
        draft.tags_log = log / content.len().max(1) as f32;
        draft.explained.dedup();
        Some(draft)
    }

    /// The words of the tokens with such a tag, and these tokens; where none has it, of the token that is
    /// likeliest to, unless that is unlikely or is for something else.
    fn tagged_words(
        &self,
        content: &[usize],
        tags: &mut [Tag],
        of: &dyn Fn(&Tag) -> bool,
        faint: &[Tag],
        draft: &Draft,
    ) -> Option<(String, Vec<usize>)> {
        let mut at: Vec<usize> = content.iter().copied().filter(|&t| of(&tags[t])).collect();
        if at.is_empty() {
            let share = |t: usize| faint.iter().map(|tag| self.probability(t, *tag)).sum::<f32>();
            let free = content
                .iter()
                .copied()
                .filter(|&t| tags[t] == Tag::Other && self.framed.mentions[t].is_none());
            let best = free
                .max_by(|&a, &b| share(a).total_cmp(&share(b)).then(b.cmp(&a)))
                .filter(|&t| share(t) >= FAINT)?;
            tags[best] = *faint
                .iter()
                .max_by(|a, b| self.probability(best, **a).total_cmp(&self.probability(best, **b)))?;
            at.push(best);
        }
        let taken = |span: &Range<usize>| {
            draft.entities.iter().any(|e| e.span.start < span.end && span.start < e.span.end)
        };
        let mut words = String::new();
        let mut last: Option<Range<usize>> = None;
        for &t in &at {
            let Some(span) = self.framed.spans[t].clone().filter(|s| !taken(s)) else { continue };
            // Pieces of a word point at the whole word.
            if last.as_ref() == Some(&span) {
                continue;
            }
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(self.question.get(span.clone()).unwrap_or_default());
            last = Some(span);
        }
        (!words.is_empty()).then_some((words, at))
    }

    /// The likeliest way to fill the shape's entities with mentions.
    fn entities(&self, content: &[usize], tags: &mut [Tag]) -> Option<Vec<Pointer>> {
        let n = self.shape.entities();
        let places: Vec<usize> =
            content.iter().copied().filter(|&t| self.framed.mentions[t].is_some()).take(PLACES).collect();
        let mut best: (f32, Vec<usize>) = (f32::NEG_INFINITY, Vec::new());
        self.assign(&places, &mut Vec::new(), n, 0.0, &mut best);
        if best.1.len() != n {
            return None;
        }
        // What is no entity of this draft is no entity at all.
        tags.iter_mut().filter(|t| matches!(t, Tag::Entity(_))).for_each(|t| *t = Tag::Other);
        let mut out = Vec::new();
        for (slot, &p) in best.1.iter().enumerate() {
            let place = places[p];
            tags[place] = Tag::Entity(slot);
            out.push(Pointer {
                mention: self.framed.mentions[place]?,
                span: self.framed.spans[place].clone()?,
            });
        }
        Some(out)
    }

    /// Tries every order of places; slots and places are few.
    fn assign(
        &self,
        places: &[usize],
        chosen: &mut Vec<usize>,
        n: usize,
        score: f32,
        best: &mut (f32, Vec<usize>),
    ) {
        let log = |place: usize, tag: Tag| ln_f32(self.probability(place, tag).max(1e-6));
        if chosen.len() == n.min(ENTITIES) {
            let rest: f32 =
                (0..places.len()).filter(|p| !chosen.contains(p)).map(|p| log(places[p], Tag::Other)).sum();
            if score + rest > best.0 {
                *best = (score + rest, chosen.clone());
            }
            return;
        }
        for (p, &place) in places.iter().enumerate() {
            if !chosen.contains(&p) {
                let gain = log(place, Tag::Entity(chosen.len()));
                chosen.push(p);
                self.assign(places, chosen, n, score + gain, best);
                chosen.pop();
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::frame::Framer;
    use super::*;
    use crate::text::Tokenizer;
    use proptest::prelude::*;

    fn logits(tags: &[Tag], shape: Shape, aggregation: Aggregation) -> Logits {
        let one = |n: usize, i: usize| (0..n).map(|j| if i == j { 6.0 } else { 0.0 }).collect::<Vec<f32>>();
        Logits {
            shape: one(Shape::ALL.len(), shape.index()),
            aggregation: one(Aggregation::ALL.len(), aggregation.index()),
            number: vec![1.0, 0.0],
            tags: tags.iter().map(|t| one(Tag::ALL.len(), t.index())).collect(),
        }
    }

    fn framed(question: &str, mentions: &[Range<usize>]) -> Framed {
        let words = "[CLS]\n[SEP]\n[UNK]\n[MASK]\nwhich\nfilms\nwere\ndirected\nby\nor\n?\nthe\nof\nand\n";
        let tokenizer = Tokenizer::from_vocab(words).unwrap();
        Framer::new(&tokenizer).unwrap().frame(question, mentions)
    }

    #[test]
    fn slots_point_at_the_words_that_were_tagged() {
        use Tag::{Entity, Other, Relation, Type};
        let q = "Which films were directed by Ann Lee or Bob?";
        let framed = framed(q, &[29..36, 40..43]);
        let r = Relation(0, true);
        let tags = [Other, Other, Type(0), Other, r, r, Entity(0), Other, Entity(1), Other, Other];
        let draft = draft_plans(q, &framed, &logits(&tags, Shape::U2, Aggregation::Set)).remove(0);
        assert_eq!((draft.shape, draft.aggregation), (Shape::U2, Aggregation::Set));
        assert_eq!(draft.entities[1], Pointer { mention: 1, span: 40..43 });
        let spoken = draft.relations[0].clone().unwrap();
        assert_eq!(spoken.words, "directed by");
        assert!(spoken.inverse > 0.9);
        // Said once, meant of both.
        assert_eq!(draft.relations[1], Some(spoken));
        assert_eq!(draft.types[0].as_deref(), Some("films"));
    }

    #[test]
    fn a_chain_and_a_step_that_end_alike_say_their_relation_once() {
        use Tag::{Entity, Other, Relation};
        let q = "which films of the and of Ann and Bob";
        let framed = framed(q, &[26..29, 34..37]);
        let (first, last) = (Relation(0, false), Relation(1, false));
        let tags = [Other, Other, last, Other, first, Other, Other, Entity(0), Other, Entity(1), Other];
        let draft = draft_plans(q, &framed, &logits(&tags, Shape::Pi, Aggregation::Set)).remove(0);
        assert_eq!(draft.relations[1].as_ref().map(|s| s.words.as_str()), Some("films"));
        assert_eq!(draft.relations[2], draft.relations[1]);
    }

    #[test]
    fn a_shape_with_more_entities_than_the_question_names_gives_no_draft() {
        let q = "which films of Ann";
        let framed = framed(q, std::slice::from_ref(&(15..18)));
        let tags = [Tag::Other; 6];
        let found = draft_plans(q, &framed, &logits(&tags, Shape::I3, Aggregation::Set));
        assert!(found.iter().all(|d| d.shape.entities() <= 1), "{found:?}");
    }

    proptest! {
        #[test]
        fn any_numbers_give_drafts_that_fill_their_shapes(
            numbers in prop::collection::vec(-20.0f32..20.0, 16 + 5 + 2 + 14 * 12),
            q in "[a-z ]{0,40}",
            mentions in prop::collection::vec((0usize..40, 1usize..9).prop_map(|(a, n)| a..a + n), 0..4),
        ) {
            let framed = framed(&q, &mentions);
            let mut rest = numbers.iter().copied().cycle();
            let mut take = |n: usize| rest.by_ref().take(n).collect::<Vec<f32>>();
            let logits = Logits {
                shape: take(16),
                aggregation: take(5),
                number: take(2),
                tags: framed.ids.iter().map(|_| take(14)).collect(),
            };
            for draft in draft_plans(&q, &framed, &logits) {
                prop_assert_eq!(draft.entities.len(), draft.shape.entities());
                prop_assert!(draft.aggregation.fits(draft.shape));
                prop_assert!(draft.weakest.is_finite() && draft.tags_log <= 0.0);
                for e in &draft.entities {
                    prop_assert!(q.get(e.span.clone()).is_some());
                }
            }
        }
    }
}
