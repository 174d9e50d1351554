//! Which of the planners to believe: the rules, the trained one, or what comes nearest in meaning.
//!
//! The rules align every word of a question with the graph's schema and are best at chains from one thing; the trained planner tells apart how
//! several things are joined, counted and ranked. So it is asked where the question names several things, or the rules have no plan or are not quite
//! sure of theirs, and believed where it is sure. What the rules compare they compare over chains of any length, which the trained planner has no shape
//! for: there they keep the word. So they do where they count what a question about one thing asks the number of, and the trained planner reads a number
//! from the graph instead: how many cities a state has is not how many people live there. And so where both go a chain of steps from one thing and the
//! trained planner's is shorter: who directed films for the writer of something is no film.
//!
//! Steps that the rules are unsure of are guessed: of "which films did she pen" they know that films are asked for, and take the relation that most films have.
//! Where the trained planner is not believed either, the relation nearest in meaning takes their place, where it is sure. It knows no types,
//! so that the rules keep the word where both have the same relation.

use super::account::{Evidence, account};
use super::chain::means_again;
use super::meaning::LEAST_MEANT;
use super::model::{Grounded, names};
use super::{Planner, PlannerError, Proposal, RulesPlanner};
use crate::kg::Linker;
use crate::plan::{Operation, Plan, Relation};
use crate::text::{fold, words};
use futures::future::{FutureExt, LocalBoxFuture, ready};

/// The probability from which a trained planner's plan is carried out where the rules have none.
const LEAST_TRAINED: f32 = 0.5;
/// The same where the rules have one.
const OVER_RULES: f32 = 0.6;
/// The same where the rules have one and the question names a single thing.
const OVER_CHAIN: f32 = 0.7;
/// The same where the question names several things and the rules are no surer than [`DOUBTED`].
const OVER_DOUBTED: f32 = 0.4;
/// Rules that are no surer have left out a name, or do not know what most words speak of.
const DOUBTED: f32 = 0.45;
/// Rules that are so sure of a plan about a single thing are not doubted.
const SURE_RULES: f32 = 0.9;
/// Rules that are less sure of their steps have guessed one.
const GUESSED: f32 = 0.6;
/// A plan with a step that the question's words agree with less is not believed: over the graph of a documentation, which is all sections and links,
/// anything is a step away from anything.
const SPOKEN: f32 = 0.5;

/// The planners that may be asked beside the rules.
pub trait OtherPlanners {
    /// Whether there is a trained one.
    fn has_trained(&self) -> bool;

    /// The trained one's best reading of a question.
    ///
    /// # Errors
    /// [`PlannerError`]; [`PlannerError::Model`] where it cannot be asked.
    fn trained<'a>(&'a self, linker: &'a Linker, question: &'a str) -> LocalBoxFuture<'a, Result<Grounded, PlannerError>>;

    /// The plan of the relation that a question comes nearest to, however unsure; `None` where it names no single thing, or nothing embeds it.
    fn nearest<'a>(&'a self, linker: &'a Linker, question: &'a str) -> LocalBoxFuture<'a, Option<Proposal>>;

    /// Called between long pieces of work: the caller may have something else to do.
    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        ready(()).boxed_local()
    }
}

/// Whose plan was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenFrom {
    /// The rules'.
    Rules,
    /// The trained planner's.
    Trained,
    /// That of the relation nearest in meaning.
    Meaning,
}

/// What came of asking the planners.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The plan that is believed, and whose it is; or why there is none.
    pub plan: Result<(Proposal, ChosenFrom), PlannerError>,
    /// Why the trained planner could not be asked, where it was to be.
    pub trouble: Option<String>,
}

/// Asks the planners in turn, as few as needed, and tells whom to believe. With `trained_first` the rules are asked only where the trained planner is not
/// believed. `least` is the caller's own limit of confidence for the others; the rules have theirs.
pub fn choose<'a>(
    rules: &'a RulesPlanner<'a>,
    others: &'a dyn OtherPlanners,
    linker: &'a Linker,
    question: &'a str,
    trained_first: bool,
    least: Option<f32>,
) -> LocalBoxFuture<'a, Choice> {
    async move {
        let by_rules = async || {
            let planned = rules.plan(question).await;
            // What follows may be long as well.
            others.pause().await;
            planned
        };
        // Where no word names a relation the trained planner can but guess which of several is meant.
        let by_meaning = async |needed: f32| {
            let found = others.nearest(linker, question).await?;
            let asked = account(linker, question, &found.plan, Evidence::Meaning).is_ok();
            (asked && found.confidence >= least.unwrap_or(needed)).then_some(found)
        };
        let mut trouble = None;
        // A caller who asks for the trained planner does not wait for the rules.
        let ruled = if trained_first { None } else { Some(by_rules().await) };
        if let Some(Err(_)) = &ruled
            && let Some(found) = by_meaning(LEAST_MEANT).await
        {
            return Choice { plan: Ok((found, ChosenFrom::Meaning)), trouble };
        }
        // Naming is told without the model, so that its weights are not loaded for questions that it would not be asked.
        let named = if others.has_trained() { names(linker, question) } else { 0 };
        let guessed = ruled.as_ref().and_then(|ruled| ruled.as_ref().ok()).cloned();
        let asked = ruled.is_none() || asks_trained(named, guessed.as_ref().map(|p| (&p.plan, p.confidence)));
        if others.has_trained() && asked {
            match others.trained(linker, question).await {
                Ok(found)
                    if account(linker, question, &found.plan, Evidence::Words).is_ok()
                        && believes_trained(&found, named, guessed.as_ref().map(|p| (&p.plan, p.confidence)), least)
                        && !guessed.as_ref().is_some_and(|p| named <= 1 && returns_unsaid(question, &found.plan, &p.plan)) =>
                {
                    let proposal = Proposal { plan: found.plan, confidence: found.confidence };
                    return Choice { plan: Ok((proposal, ChosenFrom::Trained)), trouble };
                }
                Err(PlannerError::Model(why)) => trouble = Some(why),
                _ => {}
            }
        }
        if let Some(guessed) = &guessed
            && asks_meaning((&guessed.plan, guessed.confidence))
            && let Some(found) = by_meaning(LEAST_MEANT).await
            && believes_meaning(&found.plan, &guessed.plan)
        {
            return Choice { plan: Ok((found, ChosenFrom::Meaning)), trouble };
        }
        let ruled = match ruled {
            Some(ruled) => ruled,
            None => by_rules().await,
        };
        Choice { plan: ruled.map(|p| (p, ChosenFrom::Rules)), trouble }
    }
    .boxed_local()
}

/// Whether to ask the trained planner at all: the question names so many things, and the rules have this plan, of which they are so sure, or none.
fn asks_trained(names: usize, ruled: Option<(&Plan, f32)>) -> bool {
    let compared = |plan: &Plan| ends(plan, |o| matches!(o, Operation::Compare(_)));
    match ruled {
        Some((plan, confidence)) => (names > 1 || (names > 0 && confidence < SURE_RULES)) && !compared(plan),
        None => names > 0,
    }
}

/// Whether to ask for the relation nearest in meaning, where the rules have this plan, of which they are so sure.
fn asks_meaning((plan, confidence): (&Plan, f32)) -> bool {
    confidence < GUESSED && is_chain(plan)
}

/// Whether to believe the plan nearest in meaning rather than the rules' plan, over which it was asked for.
fn believes_meaning(meant: &Plan, ruled: &Plan) -> bool {
    steps(meant) != steps(ruled)
}

/// The relations of a plan's steps.
fn steps(plan: &Plan) -> Vec<&Relation> {
    plan.statements.iter().filter_map(|s| if let Operation::SearchKg(step) = &s.operation { Some(&step.relation) } else { None }).collect()
}

/// Whether a step of a chain takes back the one before it.
fn turns_back(plan: &Plan) -> bool {
    let back = |pair: &[&Relation]| match pair {
        [Relation::Exact { name: a, inverse: there }, Relation::Exact { name: b, inverse: back }] => a == b && there != back,
        _ => false,
    };
    is_chain(plan) && steps(plan).windows(2).any(back)
}

/// Whether the trained planner's chain goes there and back where the rules' does not and no word says so: two words for one relation ("from whose pen did
/// the script come") look like that.
fn returns_unsaid(question: &str, found: &Plan, ruled: &Plan) -> bool {
    turns_back(found) && is_chain(ruled) && !turns_back(ruled) && !words(question).iter().any(|w| means_again(&fold(w.text)))
}

fn is_chain(plan: &Plan) -> bool {
    plan.statements.iter().all(|s| matches!(s.operation, Operation::SearchKg(_)))
}

fn ends(plan: &Plan, how: impl Fn(&Operation) -> bool) -> bool {
    plan.statements.last().is_some_and(|s| how(&s.operation))
}

/// Whether one chain of two steps or more is shorter than another, and so passes over words that the other's steps speak of. (Where one step is enough, it is
/// more often the rules that see a second one in a long name of a relation.)
fn skips(plan: &Plan, ruled: &Plan) -> bool {
    is_chain(plan) && is_chain(ruled) && (2..ruled.statements.len()).contains(&plan.statements.len())
}

/// Whether to believe the trained planner about a question that names so many things, beside rules that have this plan or none. `least` is the caller's
/// own limit in place of one half.
fn believes_trained(found: &Grounded, names: usize, ruled: Option<(&Plan, f32)>, least: Option<f32>) -> bool {
    let counts = |plan: &Plan| ends(plan, |o| matches!(o, Operation::Count { .. }));
    let reads = |plan: &Plan| ends(plan, |o| matches!(o, Operation::SearchKg(_)));
    if names <= 1 && ruled.is_some_and(|(ruled, _)| counts(ruled) && reads(&found.plan) || skips(&found.plan, ruled)) {
        return false;
    }
    let own = least.unwrap_or(LEAST_TRAINED);
    let needed = match (ruled, names > 1) {
        (None, _) => own,
        (Some((_, sure)), true) if sure <= DOUBTED => least.unwrap_or(OVER_DOUBTED),
        (Some(_), true) => own.max(OVER_RULES),
        (Some(_), false) => own.max(OVER_CHAIN),
    };
    found.seen.found && found.seen.weakest_relation >= SPOKEN && found.confidence >= needed
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::model::Seen;
    use super::super::query::{Asked, Query};
    use super::*;
    use crate::kg::{KgBuilder, NodeId, Provenance};
    use crate::plan::{check, rft};
    use std::cell::RefCell;

    fn plan(text: &str) -> Plan {
        rft::parse(text, &check::Limits::default()).unwrap().plan
    }

    fn found(text: &str, confidence: f32) -> Grounded {
        let seen = Seen { weakest_relation: 1.0, found: true, ..Seen::default() };
        Grounded { asked: Asked::Set(Query::Entity(NodeId(0))), plan: plan(text), answer: vec![NodeId(0)], seen, confidence }
    }

    /// Planners that say what they are told to, and remember who was asked.
    #[derive(Default)]
    struct Scripted {
        trained: Option<Result<Grounded, PlannerError>>,
        nearest: Option<Proposal>,
        asked: RefCell<Vec<&'static str>>,
    }

    impl OtherPlanners for Scripted {
        fn has_trained(&self) -> bool {
            self.trained.is_some()
        }

        fn trained<'a>(&'a self, _: &'a Linker, _: &'a str) -> LocalBoxFuture<'a, Result<Grounded, PlannerError>> {
            self.asked.borrow_mut().push("trained");
            ready(self.trained.clone().unwrap()).boxed_local()
        }

        fn nearest<'a>(&'a self, _: &'a Linker, _: &'a str) -> LocalBoxFuture<'a, Option<Proposal>> {
            self.asked.borrow_mut().push("nearest");
            ready(self.nearest.clone()).boxed_local()
        }
    }

    /// Whose plan is chosen, who was asked for it, and what stood in the way.
    fn chosen(question: &str, others: &Scripted, trained_first: bool) -> (Option<ChosenFrom>, Vec<&'static str>, Option<String>) {
        let mut b = KgBuilder::default();
        let (by, kind) = (b.relation("directed_by").unwrap(), b.entity_type("person").unwrap());
        for (line, (film, person)) in (1..).zip([("Heat", "Michael Mann"), ("Serpico", "Sidney Lumet")]) {
            let (film, person) = (b.entity(film).unwrap(), b.entity(person).unwrap());
            b.entity_has_type(person, kind).unwrap();
            b.triple(film, by, person, Provenance::Line { file: "films", line }).unwrap();
        }
        let linker = Linker::new(&b.finish().unwrap());
        let least = if question == UNNAMED { 2.0 } else { 0.3 };
        let choice = choose(&RulesPlanner::new(&linker).least_confidence(least), others, &linker, question, trained_first, None)
            .now_or_never()
            .unwrap();
        (choice.plan.ok().map(|(_, from)| from), others.asked.take(), choice.trouble)
    }

    const NAMED: &str = "Who directed Heat?";
    /// A question of which the rules are never sure enough here.
    const UNNAMED: &str = "Heat has which director?";
    const DIRECTED: &str = "Ans1=SearchKG(t=* | h=<Heat>, r=<directed_by>)";

    #[test]
    fn nobody_is_asked_for_what_the_rules_are_sure_of() {
        let others = Scripted { trained: Some(Ok(found(DIRECTED, 0.9))), ..Scripted::default() };
        assert_eq!(chosen(NAMED, &others, false), (Some(ChosenFrom::Rules), vec![], None));
        assert_eq!(chosen(NAMED, &others, true), (Some(ChosenFrom::Trained), vec!["trained"], None));
    }

    #[test]
    fn where_the_rules_have_no_plan_meaning_speaks_before_the_trained_planner() {
        let nearest = Some(Proposal { plan: plan(DIRECTED), confidence: 0.99 });
        let mut others = Scripted { trained: Some(Ok(found(DIRECTED, 0.9))), nearest, ..Scripted::default() };
        assert_eq!(chosen(UNNAMED, &others, false), (Some(ChosenFrom::Meaning), vec!["nearest"], None));
        others.nearest = Some(Proposal { plan: plan(DIRECTED), confidence: LEAST_MEANT - 0.01 });
        assert_eq!(chosen(UNNAMED, &others, false), (Some(ChosenFrom::Trained), vec!["nearest", "trained"], None));
        // However sure, no plan stands for "behind the camera".
        assert_eq!(chosen("Who was behind the camera for Heat?", &others, false).0, None);
        others.trained = Some(Ok(found(DIRECTED, 0.4)));
        assert_eq!(chosen(UNNAMED, &others, false), (None, vec!["nearest", "trained"], None));
        others.trained = None;
        assert_eq!(chosen(UNNAMED, &others, false), (None, vec!["nearest"], None));
    }

    #[test]
    fn a_trained_planner_that_cannot_be_asked_leaves_the_question_to_the_rules_and_is_told_of() {
        let others = Scripted { trained: Some(Err(PlannerError::Model("no weights".into()))), ..Scripted::default() };
        assert_eq!(chosen(NAMED, &others, true), (Some(ChosenFrom::Rules), vec!["trained"], Some("no weights".into())));
        assert_eq!(chosen(UNNAMED, &others, false), (None, vec!["nearest", "trained"], Some("no weights".into())));
    }

    const CITIES: &str = "Ans1=SearchKG(t=city | h=<Texas>, r=<^in_state>)\nAns2=Count(Ans1)";
    const PEOPLE: &str = "Ans1=SearchKG(t=* | h=<Texas>, r=<population>)";

    #[test]
    fn what_the_rules_count_is_no_figure_of_the_graph() {
        let (counted, read) = (plan(CITIES), found(PEOPLE, 0.9));
        assert!(!believes_trained(&read, 1, Some((&counted, 0.8)), None));
        assert!(believes_trained(&read, 1, None, None));
        assert!(believes_trained(&read, 2, Some((&counted, 0.8)), None));
        assert!(believes_trained(&found(CITIES, 0.9), 1, Some((&counted, 0.8)), None));
        assert!(believes_trained(&found(CITIES, 0.9), 1, Some((&plan(PEOPLE), 0.8)), None));
        // "Which of them has the largest number of …" is no question for a number, though it says the word.
        let most = "Ans1=SearchKG(t=city | h=<Texas>, r=<^in_state>)\nAns2=Max(Ans1 | r=<population>)";
        assert!(believes_trained(&found(most, 0.9), 1, Some((&counted, 0.8)), None));
    }

    #[test]
    fn a_chain_that_passes_over_a_step_of_the_rules_is_not_believed() {
        let step = |n: usize, from: &str, r: &str| format!("Ans{n}=SearchKG(t=* | h={from}, r=<{r}>)\n");
        let films = plan(&(step(1, "<Another Year>", "written_by") + &step(2, "Ans1", "^written_by") + &step(3, "Ans2", "directed_by")));
        let skipping = found(&(step(1, "<Another Year>", "written_by") + &step(2, "Ans1", "^directed_by")), 0.9);
        assert!(!believes_trained(&skipping, 1, Some((&films, 0.8)), None));
        assert!(believes_trained(&skipping, 2, Some((&films, 0.8)), None) && believes_trained(&skipping, 1, None, None));
        let single = found(&step(1, "<Another Year>", "written_by"), 0.9);
        assert!(believes_trained(&single, 1, Some((&films, 0.8)), None));
    }

    #[test]
    fn a_way_there_and_back_that_the_rules_do_not_see_is_not_believed() {
        let step = |n: usize, from: &str, r: &str| format!("Ans{n}=SearchKG(t=* | h={from}, r=<{r}>)\n");
        let back = step(1, "<Red Dawn>", "written_by") + &step(2, "Ans1", "^written_by");
        let on = step(1, "<Red Dawn>", "written_by") + &step(2, "Ans1", "^directed_by");
        let returns = |question: &str, found: &str, ruled: &str| returns_unsaid(question, &plan(found), &plan(ruled));
        let (pen, one) = ("From whose pen did the script of Red Dawn come?", step(1, "<Red Dawn>", "written_by"));
        assert!(returns(pen, &back, &one) && !returns(pen, &on, &one) && !returns(pen, &one, &one));
        assert!(!returns("Which films share a writer with Red Dawn?", &back, &one), "a word says so");
        assert!(
            !returns(pen, &back, &back) && !returns(pen, &(back.clone() + "Ans3=Count(Ans2)"), &one),
            "the rules do so, or it is no chain"
        );
        let mut others = Scripted { trained: Some(Ok(found(&back, 0.9))), ..Scripted::default() };
        assert_eq!(chosen("Heat is whose, by director?", &others, false).0, Some(ChosenFrom::Rules));
        others.trained = Some(Ok(found(&on, 0.9)));
        assert_eq!(chosen("Heat is whose, by director?", &others, false).0, Some(ChosenFrom::Trained));
    }

    #[test]
    fn what_the_rules_guess_gives_way_to_another_relation_that_is_meant() {
        let step = |relation: &str| plan(&format!("Ans1=SearchKG(t=movie | h=<Ann>, r=<{relation}>)"));
        let (guessed, meant) = (step("^directed_by"), plan("Ans1=SearchKG(t=* | h=<Ann>, r=<^written_by>)"));
        assert!(asks_meaning((&guessed, 0.5)) && !asks_meaning((&guessed, 0.7)));
        // What is counted or ranked is more than a step.
        assert!(!asks_meaning((&plan(CITIES), 0.5)));
        assert!(believes_meaning(&meant, &guessed));
        assert!(!believes_meaning(&meant, &step("^written_by")), "the rules know the type as well");
    }

    #[test]
    fn over_rules_that_have_a_plan_it_must_be_surer() {
        let ruled = plan(PEOPLE);
        for (confidence, names, over, believed) in [
            (0.55, 1, None, true),
            (0.45, 2, None, false),
            (0.55, 1, Some(0.8), false),
            (0.65, 1, Some(0.8), false),
            (0.65, 2, Some(0.8), true),
            (0.75, 1, Some(0.8), true),
            // Rules that have left out a name know less than the trained planner.
            (0.45, 2, Some(0.8), false),
            (0.45, 2, Some(0.4), true),
            (0.35, 2, Some(0.4), false),
            (0.45, 1, Some(0.4), false),
        ] {
            let told = believes_trained(&found(PEOPLE, confidence), names, over.map(|sure| (&ruled, sure)), None);
            assert_eq!(told, believed, "{confidence} {names} {over:?}");
        }
        assert!(!asks_trained(1, Some((&ruled, 0.95))) && asks_trained(1, Some((&ruled, 0.85))) && asks_trained(2, Some((&ruled, 0.95))));
    }
}
