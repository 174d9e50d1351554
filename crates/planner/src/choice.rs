//! Which of the planners to believe: the rules, the trained one, or what comes nearest in meaning.
//!
//! Each proposes a plan, all plans stand in one list ([`Candidates`]), and the one that is most probably
//! right is carried out, if it is sure enough. Where the rules alone are sure, which they are of most
//! questions that they can plan, nobody else is asked: the trained planner's weights are loaded and the
//! question is embedded for those questions only that need it.

use super::account::{Evidence, account};
use super::candidates::{Candidate, Candidates, ChosenFrom};
use super::certainty::{ENOUGH, LEAST_CERTAINTY};
use super::model::{Grounded, names};
use super::rules::LONGEST;
use super::{Nearest, Planner, PlannerError, Proposal, RulesPlanner};
use crate::kg::{Linker, PRESENT, Value, date, write_interval};
use crate::plan::{Comparison, Extreme, Operation, Plan};
use crate::text::lexicon::{Language, SPOKEN};
use crate::text::{Word, fold, words};
use futures::future::{FutureExt, LocalBoxFuture, ready};
use pocketgraph_question::{asks_of_the_present, find_time, write_moment};

/// The planners that may be asked beside the rules.
pub trait OtherPlanners {
    /// Returns true if there is a trained one.
    fn has_trained(&self) -> bool;

    /// The trained one's best reading of a question; [`PlannerError::Model`] where it cannot be asked.
    fn trained<'a>(
        &'a self,
        linker: &'a Linker,
        question: &'a str,
    ) -> LocalBoxFuture<'a, Result<Grounded, PlannerError>>;

    /// The plan of the relation that a question comes nearest to, however unsure; `None` where it names no
    /// single thing, or nothing embeds it.
    fn nearest<'a>(&'a self, linker: &'a Linker, question: &'a str) -> LocalBoxFuture<'a, Option<Nearest>>;

    /// Called between long pieces of work: the caller may have something else to do.
    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        ready(()).boxed_local()
    }
}

/// Nobody but the rules; pauses as these planners do.
#[derive(Clone, Copy)]
pub struct RulesAlone<'a>(pub &'a dyn OtherPlanners);

impl OtherPlanners for RulesAlone<'_> {
    fn has_trained(&self) -> bool {
        false
    }

    fn trained<'a>(
        &'a self,
        _: &'a Linker,
        _: &'a str,
    ) -> LocalBoxFuture<'a, Result<Grounded, PlannerError>> {
        ready(Err(PlannerError::Unsure { confidence: 0.0 })).boxed_local()
    }

    fn nearest<'a>(&'a self, _: &'a Linker, _: &'a str) -> LocalBoxFuture<'a, Option<Nearest>> {
        ready(None).boxed_local()
    }

    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        self.0.pause()
    }
}

/// The result of the planners.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The plan that is believed, and whose it is; or why there is none.
    pub plan: Result<(Proposal, ChosenFrom), PlannerError>,
    /// Error of the trained planner, if it was to run and could not.
    pub trouble: Option<String>,
}

/// Asks the planners in turn, as few as needed, and tells whom to believe. With `trained_first` the rules are
/// asked only where the trained planner is not sure enough. `least` is the certainty from which a plan is
/// carried out, [`LEAST_CERTAINTY`] where it is absent.
pub fn choose_plan<'a>(
    rules: &'a RulesPlanner<'a>,
    others: &'a dyn OtherPlanners,
    linker: &'a Linker,
    question: &'a str,
    trained_first: bool,
    least: Option<f32>,
) -> LocalBoxFuture<'a, Choice> {
    async move {
        let least = least.unwrap_or(LEAST_CERTAINTY);
        let order = if trained_first {
            [PlannerKind::Trained, PlannerKind::Rules, PlannerKind::Meaning]
        } else {
            IN_TURN
        };
        // A caller who asks for the trained planner does not wait for the rules.
        let enough = if trained_first { [least, ENOUGH.max(least)] } else { [ENOUGH.max(least); 2] };
        let core = core(rules, question);
        let ask =
            async |question: &str| Asking { rules, others, linker, question }.in_turn(order, enough).await;
        let is_silent = |proposals: &Proposals| proposals.candidates.best().is_none_or(|best| best.1 < least);
        let is_dated = linker.graph().has_intervals();
        let held = if is_dated { find_held(&core) } else { None };
        let mut at = held.as_ref().filter(|held| held.time == Value::Date(PRESENT));
        let mut proposals = ask(at.map_or(&core, |held| &held.rest)).await;
        // A year may be part of the question, and "first" of a name.
        if let (None, Some(held)) = (at, &held)
            && is_silent(&proposals)
        {
            at = Some(held);
            proposals = ask(&held.rest).await;
        }
        let asked = at.map_or(&core, |held| &held.rest);
        let mut of_time = None;
        let of_times = if is_silent(&proposals) && is_dated {
            [cut_when(asked), cut_order(asked)]
        } else {
            [None, None]
        };
        for (rest, of) in of_times.into_iter().flatten() {
            if is_silent(&proposals) {
                proposals.candidates = ask(&rest).await.candidates;
                of_time = Some(of);
            }
        }
        let best = proposals.candidates.best();
        let plan = best.filter(|best| best.1 >= least).and_then(|(found, confidence)| {
            let held_at =
                |plan: Plan| if let Some(held) = at { plan.held(held.comparison, &held.time) } else { plan };
            let plan = match of_time {
                None => held_at(found.plan.clone()),
                Some(OfTime::When) => held_at(found.plan.ask_when()?),
                Some(OfTime::End(extreme)) => {
                    let rank = |_: &mut Plan, of| Operation::Superlative { of, by: None, extreme, keep: 1 };
                    found.plan.clone().refine_answer(rank)
                }
            };
            Some((
                Proposal { plan: Plan { question: Some(question.to_owned()), ..plan }, confidence },
                found.from(),
            ))
        });
        let unsure = PlannerError::Unsure { confidence: best.map_or(0.0, |best| best.1) };
        let plan = plan.ok_or_else(|| proposals.refused.unwrap_or(unsure));
        Choice { plan, trouble: proposals.trouble }
    }
    .boxed_local()
}

/// Time at which the answer of a question has to hold, and the question without it.
struct Held {
    rest: String,
    comparison: Comparison,
    /// Date or interval.
    time: Value,
}

/// Question about the times at which statements hold.
enum OfTime {
    When,
    /// The first or last that began to hold.
    End(Extreme),
}

/// Finds the time at which the answer has to hold.
fn find_held(question: &str) -> Option<Held> {
    let present = || (Comparison::Equal, Value::Date(PRESENT));
    let Some(time) = find_time(question) else {
        let (comparison, time) = asks_of_the_present(question).then(present)?;
        return Some(Held { rest: question.to_owned(), comparison, time });
    };
    let read = |moments: (u32, u32)| date(&write_moment(moments.0));
    let named = read(time.moments);
    let (comparison, value) = match time.class {
        "present" => present(),
        "onward" => {
            (Comparison::Equal, Value::Text(write_interval([Some(named?), time.until.and_then(read)])))
        }
        "end" => (Comparison::Less, Value::Date(named?)),
        "subsequent" => (Comparison::Greater, Value::Date(named?)),
        "span" => (Comparison::Equal, Value::Date(named?)),
        _ => return None,
    };
    Some(Held { rest: time.cut(question), comparison, time: value })
}

/// Cuts the words off that a question for the time of a statement begins with: "since when".
fn cut_when(question: &str) -> Option<(String, OfTime)> {
    let words = words(question);
    let of_time = |word: &&Word<'_>| {
        SPOKEN.answer_kinds().row(&fold(word.text)).is_some_and(|row| row.field(0) == "time")
    };
    let asked = words
        .iter()
        .take_while(of_time)
        .last()
        .filter(|word| SPOKEN.question_words().has(&fold(word.text), "clause"))?;
    Some((question[asked.span.end..].to_owned(), OfTime::When))
}

/// Cuts out the word by which a question asks for the first or last in time.
fn cut_order(question: &str) -> Option<(String, OfTime)> {
    let orders =
        |word: &Word<'_>| SPOKEN.comparisons().row(&fold(word.text)).is_some_and(|row| row.has(2, "order"));
    let words = words(question);
    let word = words.iter().find(|word| orders(word))?;
    let rest = [&question[..word.span.start], &question[word.span.end..]].concat();
    Extreme::from_word(word.text).map(|extreme| (rest, OfTime::End(extreme)))
}

/// All plans that the planners propose for a question, none of them left unasked.
pub fn propose_plans<'a>(
    rules: &'a RulesPlanner<'a>,
    others: &'a dyn OtherPlanners,
    linker: &'a Linker,
    question: &'a str,
) -> LocalBoxFuture<'a, Candidates> {
    async move {
        let core = core(rules, question);
        Asking { rules, others, linker, question: &core }
            .in_turn(IN_TURN, [f32::INFINITY; 2])
            .await
            .candidates
    }
    .boxed_local()
}

/// Returns what all planners are asked; a question that is too long as it is, for them to refuse.
fn core(rules: &RulesPlanner<'_>, question: &str) -> String {
    if question.len() > LONGEST { question.to_owned() } else { rules.core(question) }
}

#[derive(Clone, Copy)]
enum PlannerKind {
    Rules,
    Trained,
    Meaning,
}

/// The order in which planners are asked where nobody asks for another: the cheaper before.
const IN_TURN: [PlannerKind; 3] = [PlannerKind::Rules, PlannerKind::Meaning, PlannerKind::Trained];

/// A question and whom it can be asked.
struct Asking<'a> {
    rules: &'a RulesPlanner<'a>,
    others: &'a dyn OtherPlanners,
    linker: &'a Linker,
    question: &'a str,
}

/// The plans of the planners so far.
struct Proposals {
    candidates: Candidates,
    /// Reason why the rules have no plan.
    refused: Option<PlannerError>,
    /// Error of the trained planner, if it was to run and could not.
    trouble: Option<String>,
}

impl Asking<'_> {
    /// Asks three planners one after the other; `enough` are the certainties behind the first and the second
    /// with which the next is not asked.
    async fn in_turn(&self, order: [PlannerKind; 3], enough: [f32; 2]) -> Proposals {
        let mut proposals =
            Proposals { candidates: Candidates::new(self.question), refused: None, trouble: None };
        for (planner, enough) in order.into_iter().zip(enough.into_iter().chain([f32::INFINITY])) {
            self.ask(planner, &mut proposals).await;
            let is_settled = |found: &Candidate| !(found.joins_untrained() && self.others.has_trained());
            if proposals
                .candidates
                .best()
                .is_some_and(|(found, certainty)| certainty >= enough && is_settled(found))
            {
                break;
            }
        }
        proposals
    }

    /// Asks one planner. What does not account for the question's words, or is not what was asked, is no
    /// candidate.
    async fn ask(&self, planner: PlannerKind, proposals: &mut Proposals) {
        let accounted = |plan: &Plan, by| account(self.linker, self.question, plan, by).is_ok();
        match planner {
            PlannerKind::Rules => {
                match self.rules.plan(self.question).await {
                    Ok(proposal) => proposals.candidates.add_rules(proposal),
                    Err(why) => proposals.refused = Some(why),
                }
                // What follows may be long as well.
                self.others.pause().await;
            }
            PlannerKind::Meaning => {
                if let Some(found) = self
                    .others
                    .nearest(self.linker, self.question)
                    .await
                    .filter(|found| accounted(&found.plan, Evidence::Meaning))
                {
                    proposals.candidates.add_meaning(found);
                }
            }
            // Naming is proposals without the model, so that its weights are not loaded for questions that it
            // would refuse.
            PlannerKind::Trained if self.others.has_trained() && names(self.linker, self.question) > 0 => {
                match self.others.trained(self.linker, self.question).await {
                    Ok(found) if accounted(&found.plan, Evidence::Words) => {
                        proposals.candidates.add_trained(found)
                    }
                    Err(PlannerError::Model(why)) => proposals.trouble = Some(why),
                    Ok(_) | Err(_) => {}
                }
            }
            PlannerKind::Trained => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Nearness;
    use super::super::model::Seen;
    use super::super::query::{LogicalForm, Query};
    use super::*;
    use crate::kg::{KgBuilder, NodeId, Provenance};
    use crate::plan::{check, rft};
    use std::cell::{Cell, RefCell};

    fn plan(text: &str) -> Plan {
        rft::parse(text, &check::Limits::default()).unwrap().plan
    }

    fn grounded(text: &str, confidence: f32) -> Grounded {
        let seen = Seen { weakest_relation: confidence, found: true, ..Seen::default() };
        Grounded {
            form: LogicalForm::Set(Query::Entity(NodeId(0))),
            plan: plan(text),
            answer: vec![NodeId(0)],
            seen,
            confidence,
        }
    }

    /// Planners that say what they are told to, and remember who was asked.
    #[derive(Default)]
    struct Scripted {
        trained: Option<Result<Grounded, PlannerError>>,
        nearest: Option<Nearest>,
        asked: RefCell<Vec<&'static str>>,
        pauses: Cell<usize>,
    }

    impl OtherPlanners for Scripted {
        fn has_trained(&self) -> bool {
            self.trained.is_some()
        }

        fn trained<'a>(
            &'a self,
            _: &'a Linker,
            _: &'a str,
        ) -> LocalBoxFuture<'a, Result<Grounded, PlannerError>> {
            self.asked.borrow_mut().push("trained");
            ready(self.trained.clone().unwrap()).boxed_local()
        }

        fn nearest<'a>(&'a self, _: &'a Linker, _: &'a str) -> LocalBoxFuture<'a, Option<Nearest>> {
            self.asked.borrow_mut().push("nearest");
            ready(self.nearest.clone()).boxed_local()
        }

        fn pause(&self) -> LocalBoxFuture<'_, ()> {
            self.pauses.set(self.pauses.get() + 1);
            ready(()).boxed_local()
        }
    }

    /// The relation of [`DIRECTED`], at this cosine and ahead of the next.
    fn near(cosine: f32) -> Option<Nearest> {
        let near = Nearness { cosine, ahead: if cosine > 0.5 { 0.3 } else { 0.0 }, of_others: cosine / 4.0 };
        Some(Nearest { plan: plan(DIRECTED), near })
    }

    /// Whose plan is chosen, who was asked for it, and what stood in the way.
    fn chosen(
        question: &str,
        others: &Scripted,
        trained_first: bool,
    ) -> (Option<ChosenFrom>, Vec<&'static str>, Option<String>) {
        let (from, trouble) = chosen_from(question, others, trained_first, None);
        (from, others.asked.take(), trouble)
    }

    fn chosen_from(
        question: &str,
        others: &dyn OtherPlanners,
        trained_first: bool,
        least: Option<f32>,
    ) -> (Option<ChosenFrom>, Option<String>) {
        let mut b = KgBuilder::default();
        let (by, kind) = (b.relation("directed_by").unwrap(), b.entity_type("person").unwrap());
        for (line, (film, person)) in (1..).zip([("Heat", "Michael Mann"), ("Serpico", "Sidney Lumet")]) {
            let (film, person) = (b.entity(film).unwrap(), b.entity(person).unwrap());
            b.entity_has_type(person, kind).unwrap();
            b.triple(film, by, person, Provenance::Line { file: "films", line }).unwrap();
        }
        let linker = Linker::new(&b.finish().unwrap());
        let rules = if question == UNNAMED { 2.0 } else { 0.0 };
        let choice = choose_plan(
            &RulesPlanner::new(&linker).least_confidence(rules),
            others,
            &linker,
            question,
            trained_first,
            least,
        )
        .now_or_never()
        .unwrap();
        (choice.plan.ok().map(|(_, from)| from), choice.trouble)
    }

    const NAMED: &str = "Who directed Heat?";
    /// A question of which the rules are never sure enough here.
    const UNNAMED: &str = "Heat has which director?";
    const DIRECTED: &str = "Ans1=SearchKG(t=* | h=<Heat>, r=<directed_by>)";

    #[test]
    fn nobody_is_asked_for_what_the_rules_are_sure_of() {
        let others = Scripted { trained: Some(Ok(grounded(DIRECTED, 0.9))), ..Scripted::default() };
        assert_eq!(chosen(NAMED, &others, false), (Some(ChosenFrom::Rules), vec![], None));
        assert_eq!(chosen(NAMED, &others, true), (Some(ChosenFrom::Trained), vec!["trained"], None));
    }

    #[test]
    fn a_question_asks_for_what_holds_at_its_time_or_at_present() {
        use crate::plan::execute::{Executor, Limits, Resources};
        let mut b = KgBuilder::default();
        let [mayor, twin] = ["mayor", "twinned_with"].map(|name| b.relation(name).unwrap());
        let [porto, bristol, harbour] =
            ["Porto", "Bristol", "First Harbour"].map(|name| b.entity(name).unwrap());
        let person = b.entity_type("person").unwrap();
        let [ana, rui, ben] = ["Ana", "Rui", "Ben"].map(|name| b.entity(name).unwrap());
        [ana, rui, ben].into_iter().for_each(|of| b.entity_has_type(of, person).unwrap());
        for (of, held) in [(ana, "2010-05-01/2018-04-30"), (rui, "2018-05-01/..")] {
            b.triple(porto, mayor, of, Provenance::Cited(held)).unwrap();
            b.triple(harbour, mayor, of, Provenance::Cited(held)).unwrap();
        }
        for of in [porto, harbour] {
            b.triple(of, twin, bristol, Provenance::Line { file: "twins", line: 1 }).unwrap();
        }
        let linker = Linker::new(&b.finish().unwrap());
        let found = |question: &str| {
            let (rules, others) = (RulesPlanner::new(&linker), Scripted::default());
            let choice = choose_plan(&rules, &others, &linker, question, false, None).now_or_never().unwrap();
            let (executor, plan) = (Executor::new(Some(&linker)), choice.plan.ok()?.0.plan);
            let run = executor
                .execute(&plan, Resources::default(), Limits::default())
                .now_or_never()
                .unwrap()
                .unwrap();
            let members: Vec<_> = run.answer().ranked().into_iter().cloned().collect();
            Some(members.iter().map(|m| m.item.label(Some(linker.graph()))).collect::<Vec<_>>().join(", "))
        };
        for (question, who) in [
            ("Who was the mayor of Porto in 2012?", "Ana"),
            ("Who is the mayor of Porto?", "Rui"),
            ("Who is the mayor of Porto now?", "Rui"),
            ("Who was the mayor of Porto in May 2019?", "Rui"),
            ("Who was the mayor of Porto in 1990?", ""),
            ("Who was the mayor of Porto before 2012?", "Ana"),
            ("Who was the mayor of Porto before 2010?", ""),
            ("Who was the mayor of Porto after 2018?", "Rui"),
            ("Who was the mayor of Porto between 2012 and 2015?", "Ana"),
            ("Who was the mayor of Porto from 2012 to May 2019?", "Ana, Rui"),
            ("Who has been the mayor of Porto since 2019?", "Rui"),
            ("Was Rui the mayor of Porto before 2015?", "false"),
            ("Was Rui the mayor of Porto after 2015?", "true"),
            ("What is Porto twinned with?", "Bristol"),
            ("Is Rui the mayor of Porto?", "true"),
            ("Is Ana the mayor of Porto?", "false"),
            ("Was Ana the mayor of Porto in 2012?", "true"),
            ("Was Ana the mayor of Porto in 2020?", "false"),
            ("Was Ana the mayor of Porto?", "true"),
            ("Was Ana the mayor of Porto in 1990?", "false"),
            ("Was Ben the mayor of Porto in 1990?", ""),
            ("Was Rui the mayor of Bristol in 2020?", "silent"),
            ("Who was the first mayor of Porto?", "Ana"),
            ("Who was the latest mayor of Porto?", "Rui"),
            ("Who was the oldest mayor of Porto?", "silent"),
            ("What is First Harbour twinned with?", "Bristol"),
            ("Who was the first mayor of First Harbour?", "Ana"),
            ("Who is the mayor of First Harbour?", "Rui"),
            ("Since when is Rui the mayor of First Harbour?", "2018-05-01 –"),
            ("When was Ana the mayor of Porto?", "2010-05-01 – 2018-04-30"),
            ("Since when is Rui the mayor of Porto?", "2018-05-01 –"),
            ("Since when is Ana the mayor of Porto?", ""),
            ("When was Rui the mayor of Bristol?", "silent"),
        ] {
            assert_eq!(found(question).as_deref().unwrap_or("silent"), who, "{question}");
        }
    }

    #[test]
    fn a_plan_that_joins_sets_is_the_trained_planners_however_sure_the_rules_are() {
        let question = "Who directed Heat or Serpico?";
        let [heat, serpico] =
            ["Heat", "Serpico"].map(|film| format!("SearchKG(t=* | h=<{film}>, r=<directed_by>)"));
        let other = grounded(&format!("Ans1={serpico}\nAns2={heat}\nAns3=Union(Ans1, Ans2)"), 0.7);
        let mut others = Scripted { trained: Some(Ok(other)), ..Scripted::default() };
        assert_eq!(
            chosen(question, &others, false),
            (Some(ChosenFrom::Trained), vec!["nearest", "trained"], None)
        );
        others.trained = Some(Err(PlannerError::Unsure { confidence: 0.0 }));
        assert_eq!(
            chosen(question, &others, false),
            (Some(ChosenFrom::Rules), vec!["nearest", "trained"], None)
        );
        others.trained = None;
        assert_eq!(
            chosen(question, &others, false),
            (Some(ChosenFrom::Rules), vec![], None),
            "nobody else is asked in vain"
        );
    }

    #[test]
    fn where_the_rules_have_no_plan_the_others_are_asked_and_believed_where_they_are_sure() {
        let nearest = near(0.9);
        let mut others =
            Scripted { trained: Some(Ok(grounded(DIRECTED, 0.9))), nearest, ..Scripted::default() };
        assert_eq!(chosen(UNNAMED, &others, false), (Some(ChosenFrom::Meaning), vec!["nearest"], None));
        others.trained = None;
        assert_eq!(chosen(UNNAMED, &others, false), (Some(ChosenFrom::Meaning), vec!["nearest"], None));
        others.nearest = near(0.1);
        assert_eq!(chosen(UNNAMED, &others, false), (None, vec!["nearest"], None));
        others.nearest = None;
        others.trained = Some(Ok(grounded(DIRECTED, 0.9)));
        assert_eq!(
            chosen(UNNAMED, &others, false),
            (Some(ChosenFrom::Trained), vec!["nearest", "trained"], None)
        );
        // However sure, no plan stands for "behind the camera".
        assert_eq!(chosen("Who was behind the camera for Heat?", &others, false).0, None);
        others.trained = Some(Ok(grounded(DIRECTED, 0.1)));
        assert_eq!(chosen(UNNAMED, &others, false), (None, vec!["nearest", "trained"], None));
    }

    #[test]
    fn a_trained_planner_that_cannot_be_asked_leaves_the_question_to_the_rules_and_is_informed() {
        let others =
            Scripted { trained: Some(Err(PlannerError::Model("no weights".into()))), ..Scripted::default() };
        assert_eq!(
            chosen(NAMED, &others, true),
            (Some(ChosenFrom::Rules), vec!["trained"], Some("no weights".into()))
        );
        assert_eq!(
            chosen(UNNAMED, &others, false),
            (None, vec!["nearest", "trained"], Some("no weights".into()))
        );
    }

    #[test]
    fn where_the_rules_plan_alone_the_caller_has_its_turns_as_well() {
        let others = Scripted { trained: Some(Ok(grounded(DIRECTED, 0.9))), ..Scripted::default() };
        let alone = RulesAlone(&others);
        assert_eq!(chosen_from(UNNAMED, &alone, false, None).0, None);
        assert_eq!((others.asked.take(), others.pauses.get()), (vec![], 1));
    }

    #[test]
    fn a_callers_own_limit_takes_the_place_of_ours() {
        let others = Scripted { nearest: near(0.1), ..Scripted::default() };
        assert_eq!(chosen_from(UNNAMED, &others, false, Some(0.01)).0, Some(ChosenFrom::Meaning));
        assert_eq!(chosen_from(NAMED, &others, false, Some(1.0)).0, None);
    }
}
