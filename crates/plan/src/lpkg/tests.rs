#![allow(clippy::unwrap_used)]
//! Meaning of the code form, sloppily written or not.

use super::*;

const FILMS: &str = r#"### Question Type: Two Intersection
Original_Question: str = "Which films have both A and B?"
Thought1: str = "find the films of A"
Sub_Question_1: str = f"Which films was A in?"
Info_1: str = Search(query = Sub_Question_1, thought = Thought1)
Ans_1: str = Get_Answer(query = Sub_Question_1, info = Info_1)
Sub_Question_2: str = f"Which films was B in?"
Info_2: str = Search(query = Sub_Question_2)
Ans_2: str = Get_Answer(query = Sub_Question_2, info = Info_2)
Inter_Results1: str = Intersection(Answer1 = Ans_1, Answer2 = Ans_2)
Final_Answer: str = Finish_The_Plan(Answer = Inter_Results1)
"#;

fn read(text: &str) -> Plan {
    parse(text, &Limits::default()).unwrap().plan
}

fn refused(text: &str) -> PlanError {
    parse(text, &Limits::default()).unwrap_err()
}

fn search(text: &str) -> Operation {
    Operation::Search { query: Template::parse(text).unwrap() }
}

#[test]
fn a_plan_in_the_papers_form_is_read_and_printed_alike() {
    let plan = read(FILMS);
    assert_eq!(plan.question.as_deref(), Some("Which films have both A and B?"));
    assert_eq!(plan.statements[0].thought.as_deref(), Some("find the films of A"));
    assert_eq!(plan.statements[1].operation, search("Which films was B in?"));
    assert_eq!(
        plan.statements[2].operation,
        Operation::Intersect { of: vec!["Ans1".to_owned(), "Ans2".to_owned()] }
    );
    assert_eq!(plan.answer, "Inter_Results1");
    assert_eq!(print(&plan).unwrap(), FILMS);
}

#[test]
fn only_the_sub_question_counts_and_spelling_does_not() {
    let plan = read(
        "Sure!\n```python\nsub_question_1 = 'Who is the author of \"Emma\"?'\nSub_Question2: str = \
         \"Where was {Ans1} born?\"\n```\nThat is all.",
    );
    assert_eq!(plan.statements[0].operation, search("Who is the author of \"Emma\"?"));
    assert_eq!(plan.statements[1].operation, search("Where was {Ans1} born?"));
    assert_eq!((plan.statements[1].name.as_str(), plan.answer.as_str()), ("Ans2", "Ans2"));
}

#[test]
fn inner_quotes_that_were_not_escaped_do_not_end_the_string() {
    assert_eq!(
        read("Sub_Question_1: str = f\"Who directed \"Up\" and when?\"").statements[0].operation,
        search("Who directed \"Up\" and when?")
    );
}

#[test]
fn a_comparison_takes_its_answers_and_the_original_question() {
    let text = "Original_Question: str = \"Who is older, A or B?\"\n\
                Sub_Question_1: str = f\"When was A born?\"\n\
                Sub_Question_2: str = f\"When was B born?\"\n\
                Ans_3: str = Compare(Original_Query = Original_Question, Subquestions = [Sub_Question_1, \
                Sub_Question_2],\n    Answers = [Ans_1, Ans_2])\n\
                Final_Answer: str = Finish_The_Plan(Answer = Ans_3)";
    let compare = Compare {
        of: vec!["Ans1".to_owned(), "Ans2".to_owned()],
        how: None,
        by: None,
        question: Some("Who is older, A or B?".to_owned()),
    };
    assert_eq!(read(text).statements[2].operation, Operation::Compare(compare));
}

#[test]
fn lines_that_contradict_each_other_are_refused_with_their_place() {
    for (text, code, line) in [
        ("Sub_Question_1: str = f\"a\"\nInfo_1: str = Search(query = Sub_Question_2)", "syntax", 2),
        (
            "Sub_Question_1: str = f\"a\"\nAns_2: str = Get_Answer(query = Sub_Question_1, info = Info_1)",
            "syntax",
            2,
        ),
        ("Sub_Question_1: str = f\"a\"\nAns_2: str = Negation(Answer1 = Ans_1)", "unknown-function", 2),
        ("Sub_Question_1: str = who?", "syntax", 1),
        ("Sub_Question_1: str = f\"a\nb\"", "syntax", 1),
        (
            "Sub_Question_1: str = f\"a\"\nInter1 = Intersection(Answer1 = Union(Ans_1), Answer2 = Ans_1)",
            "syntax",
            2,
        ),
        ("Sub_Question_1: str = f\"a\"\nInfo_1: str = Union(Answer1 = Ans_1, Answer2 = Ans_1)", "syntax", 2),
        ("print('hello')", "no-plan", 1),
    ] {
        let error = refused(text);
        assert_eq!((error.fault.code(), error.at.line), (code, line), "{text}: {error}");
    }
}
