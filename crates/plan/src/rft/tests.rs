#![allow(clippy::unwrap_used)]
//! Meaning of plan lines, sloppily written or not.

use super::*;
use crate::plan::{Head, Operation, Relation};

fn read(text: &str) -> Plan {
    parse(text, &Limits::default()).unwrap().plan
}

fn refused(text: &str) -> PlanError {
    parse(text, &Limits::default()).unwrap_err()
}

fn step(plan: &Plan, index: usize) -> (Option<&str>, &Head, &str) {
    match &plan.statements[index].operation {
        Operation::SearchKg(step) => (step.target.as_deref(), &step.head, step.relation.words()),
        other => panic!("not a step: {other:?}"),
    }
}

fn mention(text: &str) -> Head {
    Head::Mention(text.to_owned())
}

fn reference(name: &str) -> Head {
    Head::Reference(name.to_owned())
}

#[test]
fn a_head_may_hold_commas_since_only_a_key_ends_it() {
    let plan = read("Ans1=SearchKG(t=city | h=Smith, John, r=born in)");
    assert_eq!(step(&plan, 0), (Some("city"), &mention("Smith, John"), "born in"));
    assert_eq!(plan.answer, "Ans1");
}

#[test]
fn names_chain_steps_however_they_are_spelled() {
    for text in [
        "Ans1=SearchKG(t=film | h=Up, r=part of)\nAns2=SearchKG(t=person | h=Ans1, r=directed by)",
        "<plan>\nans_1 = searchkg( T = film | H = 'Up' , R = \"part of\" )\nans_2 = \
         SEARCHKG(t=person, h={Ans_1}, r=directed by)\n</plan>",
        "Here is my plan:\n```\n1. Ans1 := SearchKG(t: film | h: Up | r: part of).\n2) ANS2 = \
         search_kg(type=person | head=ans1, relation=directed by); done\n```\nI will now run it.",
        "- Ans1 = SearchKG(t=film |\n   h=Up,\n   r=part of)\n- Ans2 = SearchKG(t=person | h=$Ans1, \
         r=directed by) # last\nAnswer = Ans2.",
        "<think>a <plan> of steps</think><plan>Ans1=SearchKG(t=film|h=Up,r=part of); \
         Ans2=SearchKG(t=person|h=Ans1,r=directed by)</plan> so",
    ] {
        let plan = read(text);
        assert_eq!(plan.statements.len(), 2, "{text}");
        assert_eq!(step(&plan, 0), (Some("film"), &mention("Up"), "part of"), "{text}");
        assert_eq!(step(&plan, 1), (Some("person"), &reference("Ans1"), "directed by"), "{text}");
        assert_eq!(plan.answer, "Ans2", "{text}");
    }
}

#[test]
fn quotes_make_a_mention_of_what_looks_like_a_name() {
    let plan = read("Ans1=SearchKG(t=film | h=\"Ans1\", r=^<directed_by>)");
    assert_eq!(step(&plan, 0).1, &mention("Ans1"));
    let Operation::SearchKg(found) = &plan.statements[0].operation else { panic!("not a step") };
    assert_eq!(found.relation, Relation::Exact { name: "directed_by".to_owned(), inverse: true });
}

#[test]
fn apostrophes_and_inner_quotes_are_part_of_a_title() {
    for (written, title) in [
        ("'Salem's Lot", "'Salem's Lot"),
        ("Some Mother's Son", "Some Mother's Son"),
        ("\"Weird Al\" Yankovic", "\"Weird Al\" Yankovic"),
        ("'Breaker' Morant", "'Breaker' Morant"),
        ("“Up!”", "Up!"),
        ("Up (2009 film)", "Up (2009 film)"),
        ("$", "$"),
    ] {
        assert_eq!(
            step(&read(&format!("Ans1=SearchKG(t=* | h={written}, r=director)")), 0),
            (None, &mention(title), "director")
        );
    }
}

#[test]
fn what_would_change_the_meaning_is_refused_with_its_place() {
    for (text, code, line, column) in [
        ("Ans1=Delete(x)", "unknown-function", 1, 6),
        ("Ans1=SearchKG(t=a | h=b)", "syntax", 1, 15),
        ("Ans1=SearchKG(t=a | h=b, r=c", "syntax", 1, 29),
        ("Ans1=SearchKG(t=a | h=b, h=c, r=d)", "syntax", 1, 28),
        ("Ans1=SearchKG(a, b, c)", "syntax", 1, 15),
        ("plan\nSearchKG(t=a | h=b, k=c)", "syntax", 2, 1),
        ("Ans1=All(t=a)\nAns2=Intersect(Ans1, Delete(t=b))", "syntax", 2, 22),
        ("Ans1=All(t=a) - Ans2", "syntax", 1, 15),
        ("Ans1=All(t=a)\nAns2=Ans1 minus Ans0", "syntax", 2, 6),
        ("Ans1=All(t=a)\nAns2=All(t=b)\nAns3=SearchKG(t=a | h=Ans1, Ans2, r=c)", "syntax", 3, 23),
        ("Ans1=All(t=a)\nAns2=Filter(Ans1 | r=b, v > 12,3)", "literal", 2, 29),
        ("I cannot plan this.", "no-plan", 1, 1),
    ] {
        let error = refused(text);
        assert_eq!(
            (error.fault.code(), error.at.line, error.at.column),
            (code, line, column),
            "{text}: {error}"
        );
        assert!(!error.expected.is_empty() && !error.hint.is_empty());
    }
}

#[test]
fn calls_may_lack_a_name_and_are_inside_others() {
    for (written, lines) in [
        (
            "Ans1=All(t=a)\nAns2=All(t=b)\nIntersect (Ans1, Ans2)",
            "Ans1=All(t=a)\nAns2=All(t=b)\nAns3=Intersect(Ans1, Ans2)\n",
        ),
        (
            "Union(SearchKG(t=film | h=Max (2002 film), r=by), Negation(All(t=film), SearchKG(t=film \
             | h=Mann, r=\"of, (or) by\")))",
            "Ans1a=SearchKG(t=film | h=\"Max (2002 film)\", r=by)\nAns1b=All(t=film)\nAns1c=SearchKG(t=film \
             | h=Mann, r=\"of, (or) by\")\n\
             Ans1d=Negation(Ans1b, Ans1c)\nAns1=Union(Ans1a, Ans1d)\n",
        ),
        (
            "Ans2=SearchKG(t=person | h=SearchKG(t=film | h=Up, r=part of), r=director); Ans3=Count(Ans2).",
            "Ans2a=SearchKG(t=film | h=Up, r=part of)\nAns2=SearchKG(t=person | h=Ans2a, \
             r=director)\nAns3=Count(Ans2)\n",
        ),
        (
            "- SearchKG(t=film | h=Up, r=part of)\n- SearchKG(t=* | h=Ans1,\n   r=director)",
            "Ans1=SearchKG(t=film | h=Up, r=part of)\nAns2=SearchKG(t=* | h=Ans1, r=director)\n",
        ),
        (
            "All(t=a)\nAns1=All(t=b)\nUnion(Ans2, Ans1)",
            "Ans2=All(t=a)\nAns1=All(t=b)\nAns3=Union(Ans2, Ans1)\n",
        ),
    ] {
        let plan = read(&format!("<think>so</think> <plan>\n{written}\n</plan>"));
        assert_eq!(print(&plan).unwrap(), lines, "{written}");
    }
}

#[test]
fn a_step_may_follow_its_sub_problem_in_words_and_sets_may_be_named_after_sub_problems() {
    let (mann, pacino) = ("SearchKG(t=film | h=Mann, r=director)", "SearchKG(t=film | h=Pacino, r=starred)");
    let lines = format!(
        "# By Mann?\nAns1={mann}\n# With Pacino?\nAns2={pacino}\n\
         Ans3=Intersect(Ans1, Ans2)\nAns4=SearchKG(t=* | h=Ans3, r=year)\n"
    );
    for text in [
        format!(
            "Step 1: By Mann? Ans1={mann}\n2: With Pacino? Ans2 = {pacino}.\nIntersect \
             (sub-problem1, sub-problem2)"
        ),
        format!(
            "1. By Mann? {mann}\n2. With Pacino? {pacino}\nStep 3: Ans3=Intersect(Sub-problem 1, \
             Sub_Problem_2)"
        ),
        format!(
            "# By Mann?\nsub-problem1 = {mann}\n# With Pacino?\nsub-problem2: {pacino}\nIntersect(Ans1, Ans2)"
        ),
    ] {
        let printed = print(&read(&format!("{text}\nAns4=SearchKG(t=* | h=sub-problem3, r=year)"))).unwrap();
        assert_eq!(printed, lines, "{text}");
    }
    assert_eq!(read("# Is it so? Count(Ans1)\nAns1=All(t=a)").statements.len(), 1, "a comment is no step");
    let error = refused("Step 1: Which films? Ans1=SearchKG(t=film | h=Mann)");
    assert_eq!((error.at.line, error.at.column), (1, 22), "{error}");
}

#[test]
fn a_fault_in_a_call_without_a_name_is_reported_where_it_was_written() {
    let error = refused("Ans1=All(t=a)\n\nIntersect(Ans1, SearchKG(t=b | h=c))\nAns2=Delete(x)");
    assert_eq!((error.at.line, error.at.column), (3, 1));
    let error = refused("Intersect(All(t=a), All(t=b))\nAns2=Delete(x)");
    assert_eq!((error.fault.code(), error.at.line, error.at.column), ("unknown-function", 2, 6));
}

#[test]
fn superlatives_comparisons_counts_and_filters_have_calls_of_their_own() {
    let text = "Ans1=All(t=state)\n\
                Ans2=Filter(Ans1 | r=population, v >= 1,500,000 people)\n\
                Ans3=Largest(Ans2 | count=rivers, n=2)\n\
                Ans4=Filter(Ans3 | t=coastal state)\n\
                Ans5=Compare(oldest, Ans3, Ans4 | by=founded)\n\
                Ans6=Count(Ans5)\n";
    let printed = "Ans1=All(t=state)\n\
                   Ans2=Filter(Ans1 | r=population, v >= 1500000 people)\n\
                   Ans3=Max(Ans2 | count=rivers, n=2)\n\
                   Ans4=Filter(Ans3 | t=coastal state)\n\
                   Ans5=Compare(Ans3, Ans4 | how=min, r=founded)\n\
                   Ans6=Count(Ans5)\n";
    assert_eq!(print(&read(text)).unwrap(), printed);
}

#[test]
fn all_of_a_type_or_all_that_have_a_relation_or_both_are_stated_alike() {
    let text = "Ans1=All(river)\nAns2=All(relation=<salary>)\nAns3=All(t=person | r=salary)\nAns4=All(t=any, \
        r=^<manages>)\n";
    let printed =
        "Ans1=All(t=river)\nAns2=All(r=<salary>)\nAns3=All(t=person, r=salary)\nAns4=All(r=^<manages>)\n";
    assert_eq!(print(&read(text)).unwrap(), printed);
    let error = refused("Ans1=All(h=Ada)");
    assert!(error.to_string().contains("r=, the relation that each has"), "{error}");
}

#[test]
fn prose_that_holds_an_equals_sign_is_no_statement() {
    let plan =
        read("With x = 5 in mind:\nAns1=All(t=river)\nNote that Intersect(a, b) is not needed, e = mc2.");
    assert_eq!(plan.statements.len(), 1);
}

#[test]
fn a_comment_before_a_step_is_its_thought() {
    let plan = read("# Question: Which rivers?\n# all of them\nAns1=All(t=river)");
    assert_eq!(
        (plan.question.as_deref(), plan.statements[0].thought.as_deref()),
        (Some("Which rivers?"), Some("all of them"))
    );
}
