#![allow(clippy::unwrap_used)]

use super::super::model::Seen;
use super::super::query::{LogicalForm, Query};
use super::*;
use crate::kg::NodeId;
use crate::plan::{check, rft};

fn plan(text: &str) -> Plan {
    rft::parse(text, &check::Limits::default()).unwrap().plan
}

fn trained(text: &str, confidence: f32) -> Grounded {
    let seen = Seen { weakest_relation: 1.0, found: true, ..Seen::default() };
    Grounded {
        form: LogicalForm::Set(Query::Entity(NodeId(0))),
        plan: plan(text),
        answer: vec![NodeId(0)],
        seen,
        confidence,
    }
}

fn proposal(text: &str, confidence: f32) -> Proposal {
    Proposal { plan: plan(text), confidence }
}

fn near(text: &str, cosine: f32) -> Nearest {
    Nearest { plan: plan(text), near: Nearness { cosine, ahead: cosine / 4.0, of_others: cosine / 4.0 } }
}

fn step(n: usize, from: &str, r: &str) -> String {
    format!("Ans{n}=SearchKG(t=* | h={from}, r=<{r}>)\n")
}

const CITIES: &str = "Ans1=SearchKG(t=city | h=<Texas>, r=<^in_state>)\nAns2=Count(Ans1)";
const PEOPLE: &str = "Ans1=SearchKG(t=* | h=<Texas>, r=<population>)";

#[test]
fn what_two_planners_propose_is_one_plan_whatever_types_they_name() {
    let mut all = Candidates::new("Which cities are in Texas?");
    all.add_rules(proposal("Ans1=SearchKG(t=city | h=<Texas>, r=<^in_state>)", 0.8));
    all.add_trained(trained("Ans1=SearchKG(t=* | h=<Texas>, r=<^in_state>)", 0.7));
    all.add_meaning(near(PEOPLE, 0.2));
    assert_eq!(all.list().len(), 2);
    let (best, _) = all.best().unwrap();
    assert_eq!(
        (best.from(), &best.plan),
        (ChosenFrom::Rules, &plan("Ans1=SearchKG(t=city | h=<Texas>, r=<^in_state>)"))
    );
    let none = Candidates::new("");
    assert!(none.best().is_none() && none.list().is_empty());
}

#[test]
fn a_plan_is_the_surer_the_surer_its_planners_are_and_the_more_of_them_propose_it() {
    let certainty = |rules: f32, other: Option<f32>, meant: Option<f32>| {
        let mut all = Candidates::new("Which cities are in Texas?");
        all.add_rules(proposal(CITIES, rules));
        other.into_iter().for_each(|c| all.add_trained(trained(CITIES, c)));
        meant.into_iter().for_each(|c| all.add_meaning(near(CITIES, c)));
        all.certainty(&all.list()[0])
    };
    assert!(certainty(0.9, None, None) > certainty(0.4, None, None));
    assert!(certainty(0.6, Some(0.7), None) > certainty(0.6, None, None));
    assert!(certainty(0.6, None, Some(0.99)) > certainty(0.6, None, Some(0.1)));
}

#[test]
fn a_list_without_a_planner_is_as_if_it_had_not_been_asked() {
    let mut all = Candidates::new("Who?");
    all.add_rules(proposal(CITIES, 0.8));
    let alone = all.clone();
    all.add_trained(trained(PEOPLE, 0.7));
    all.add_meaning(near(CITIES, 0.9));
    assert_eq!(all.without(true, true), alone);
    assert_eq!(all.without(false, false), all);
    assert_eq!(all.without(true, false).list().len(), 1);
}

#[test]
fn a_plan_that_does_less_than_the_rules_see_words_for_passes_over_them() {
    let films = plan(
        &(step(1, "<Another Year>", "written_by")
            + &step(2, "Ans1", "^written_by")
            + &step(3, "Ans2", "directed_by")),
    );
    let shorter = plan(&(step(1, "<Another Year>", "written_by") + &step(2, "Ans1", "^directed_by")));
    assert!(passes_over(&shorter, &films) && !passes_over(&films, &shorter) && !passes_over(&films, &films));
    // How many cities a state has is not how many people live there.
    assert!(passes_over(&plan(PEOPLE), &plan(CITIES)) && !passes_over(&plan(CITIES), &plan(PEOPLE)));
}

#[test]
fn going_there_and_back_counts_against_a_plan_where_no_word_says_it_and_for_one_where_a_word_does() {
    let (there, back) = (step(1, "<Red Dawn>", "written_by"), step(2, "Ans1", "^written_by"));
    let certainty = |question: &str, text: &str| {
        let mut all = Candidates::new(question);
        all.add_rules(proposal(text, 0.7));
        all.certainty(&all.list()[0])
    };
    let both = format!("{there}{back}");
    assert!(turns_back(&plan(&both)) && !turns_back(&plan(&there)));
    let (pen, share) =
        ("From whose pen did the script of Red Dawn come?", "Which films share a writer with Red Dawn?");
    assert!(certainty(share, &both) > certainty(pen, &both));
    assert!(certainty(pen, &there) > certainty(share, &there));
}
