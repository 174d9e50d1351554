#![allow(clippy::unwrap_used)]
//! Refusals of the static checks, and their messages.

use super::check::{Limits, check};
use super::*;

fn errors(lines: &str) -> Vec<PlanError> {
    let parsed = rft::parse(lines, &Limits::default()).unwrap();
    check(&parsed.plan, &parsed.positions, &Limits::default()).err().unwrap_or_default()
}

fn codes(lines: &str) -> Vec<&'static str> {
    errors(lines).iter().map(|e| e.fault.code()).collect()
}

fn checked(lines: &str) -> check::Checked {
    let parsed = rft::parse(lines, &Limits::default()).unwrap();
    check(&parsed.plan, &parsed.positions, &Limits::default()).unwrap()
}

#[test]
fn references_are_resolved_whatever_their_spelling() {
    let found = checked(
        "Ans1=SearchKG(t=film | h=A, r=starred)\nAns2=SearchKG(t=film | h=B, \
         r=starred)\nAns3=intersect(ans_1, ANS2)",
    );
    assert_eq!((found.inputs, found.answer), (vec![vec![], vec![], vec![0, 1]], 2));
    assert!(found.warnings.is_empty());
}

#[test]
fn a_name_used_before_its_definition_is_distinguished_from_one_that_is_nowhere_and_from_a_cycle() {
    assert_eq!(codes("Ans1=Count(Ans2)\nAns2=All(t=river)"), ["used-before-defined"]);
    assert_eq!(codes("Ans1=All(t=river)\nAns2=Count(Ans7)"), ["undefined"]);
    assert_eq!(codes("Ans1=Count(Ans1)"), ["cycle"]);
    assert_eq!(codes("Ans1=Count(Ans2)\nAns2=Count(Ans3)\nAns3=Count(Ans1)"), ["cycle", "cycle"]);
}

#[test]
fn an_error_names_line_column_expectation_and_hint() {
    let found = errors("Thinking first.\n  Ans1=All(t=river)\n  Ans2=Union(Ans1, Ans9)\n");
    let expected = "line 3, column 3: Ans9 is not defined; expected a reference to Ans1. Define it on a line of its \
        own, or correct the name.";
    assert_eq!(found[0].to_string(), expected);
}

#[test]
fn set_operations_need_two_operands_and_negation_something_to_take_away() {
    assert_eq!(codes("Ans1=All(t=a)\nAns2=Intersect(Ans1)"), ["arity"]);
    assert_eq!(codes("Ans1=All(t=a)\nAns2=Union()"), ["arity"]);
    assert_eq!(codes("Ans1=All(t=a)\nAns2=Negation(Ans1)"), ["arity"]);
    assert_eq!(codes("Ans1=All(t=a)\nAns2=Compare(max, Ans1)"), ["arity"]);
    assert_eq!(codes("Ans1=All(t=a)\nAns2=Compare(Ans1, Ans1)"), ["empty"]);
}

#[test]
fn negation_is_refused_when_its_main_set_comes_from_passages() {
    let searches = "Ans1=Search(q=films with A)\nAns2=SearchKG(t=film | h=B, r=starred)\n";
    assert_eq!(codes(&format!("{searches}Ans3=Negation(Ans1, Ans2)")), ["open-negation"]);
    assert_eq!(
        codes(&format!("{searches}Ans3=Union(Ans1, Ans2)\nAns4=Negation(Ans3, Ans2)")),
        ["open-negation"]
    );
    assert_eq!(codes(&format!("{searches}Ans3=Negation(Ans2, Ans1)")), [""; 0]);
    assert_eq!(codes(&format!("{searches}Ans3=Intersect(Ans1, Ans2)\nAns4=Negation(Ans3, Ans2)")), [""; 0]);
}

#[test]
fn empty_types_heads_and_relations_are_refused() {
    assert_eq!(codes("Ans1=SearchKG(t= | h=, r=\"  \")"), ["empty", "empty", "empty"]);
    assert_eq!(codes("Ans1=SearchKG(t=* | h=A, r=b)"), [""; 0]);
}

#[test]
fn names_are_unique_whatever_their_spelling() {
    assert_eq!(codes("Ans1=All(t=a)\nANS_1=All(t=b)"), ["defined-twice"]);
}

#[test]
fn nine_statements_are_a_warning_and_sixty_five_an_error() {
    let lines = |n: usize| {
        (2..=n).fold("Ans1=All(t=a)\n".to_owned(), |s, i| {
            s + &format!("Ans{i}=SearchKG(t=a | h=Ans{}, r=b)\n", i - 1)
        })
    };
    assert!(checked(&lines(8)).warnings.is_empty());
    assert_eq!(
        checked(&lines(9)).warnings,
        ["the plan has 9 statements; plans of more than 8 rarely succeed"]
    );
    assert_eq!(rft::parse(&lines(65), &Limits::default()).unwrap_err().fault.code(), "too-large");
    let plan = rft::parse(&lines(65), &Limits { statements: 65, ..Limits::default() }).unwrap().plan;
    assert_eq!(check(&plan, &[], &Limits::default()).unwrap_err()[0].at.line, 65);
}

#[test]
fn a_step_that_the_answer_does_not_need_is_a_warning() {
    assert_eq!(checked("Ans1=All(t=a)\nAns2=All(t=b)\nAns3=Count(Ans2)").warnings, ["Ans1 is never used"]);
}

#[test]
fn an_answer_that_is_no_statement_is_refused() {
    assert_eq!(codes("Ans1=All(t=a)\nAnswer=Ans4"), ["undefined"]);
    assert_eq!(checked("Ans1=All(t=a)\nAns2=All(t=b)\nAnswer=Ans1").answer, 0);
}

#[test]
fn shapes_are_named_as_the_papers_name_them() {
    let shape = |lines: &str| {
        let parsed = rft::parse(lines, &Limits::default()).unwrap();
        Shape::of(&parsed.plan, &check(&parsed.plan, &[], &Limits::default()).unwrap()).name()
    };
    let step = |n: usize, h: &str| format!("Ans{n}=SearchKG(t=* | h={h}, r=r)\n");
    let two = step(1, "A") + &step(2, "B");
    assert_eq!(shape(&(step(1, "A") + &step(2, "Ans1") + &step(3, "Ans2"))), "3p");
    assert_eq!(shape(&format!("{two}Ans3=Intersect(Ans1, Ans2)")), "2i");
    assert_eq!(shape(&format!("{two}Ans3=Union(Ans1, Ans2)")), "2u");
    assert_eq!(shape(&format!("{two}Ans3=Intersect(Ans1, Ans2)\n{}", step(4, "Ans3"))), "ip");
    assert_eq!(shape(&format!("{two}{}Ans4=Intersect(Ans1, Ans3)", step(3, "Ans2"))), "pi");
    assert_eq!(
        shape(&format!("{two}{}Ans4=Intersect(Ans1, Ans2)\nAns5=Intersect(Ans3, Ans4)", step(3, "C"))),
        "3i"
    );
    assert_eq!(shape(&format!("{two}Ans3=Compare(oldest, Ans1, Ans2)")), "compare");
    assert_eq!(shape(&format!("{two}Ans3=Negation(Ans1, Ans2)")), "negation");
    assert_eq!(shape(&format!("{two}Ans3=Count(Ans2)")), "other");
}
