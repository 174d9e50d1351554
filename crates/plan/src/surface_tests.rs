#![allow(clippy::unwrap_used, clippy::expect_used)]
//! Properties of all surfaces: they read back the printed plan, agree, and survive hostile text.

use proptest::prelude::*;

use super::arbitrary::{plan, words};
use super::check::Limits;
use super::*;

type Parse = fn(&str, &Limits) -> Result<Parsed, PlanError>;

const PARSERS: [(&str, Parse); 3] =
    [("plan lines", rft::parse), ("code", lpkg::parse), ("JSON", json_form::parse)];

fn limits() -> Limits {
    Limits::default()
}

proptest! {
    #[test]
    fn plan_lines_give_back_the_plan_that_was_printed(plan in plan(false)) {
        let text = rft::print(&plan).unwrap();
        prop_assert_eq!(rft::parse(&text, &limits()).unwrap().plan, plan.clone(), "{}", text);
        let dressed = format!("<think>first SearchKG(x), then</think>\n<plan>\n{text}</plan>\nThe answer is \
            Ans1.");
        if !text.contains("plan>") {
            prop_assert_eq!(rft::parse(&dressed, &limits()).unwrap().plan, plan);
        }
    }

    #[test]
    fn code_gives_back_the_plan_that_was_printed(plan in plan(true)) {
        let text = lpkg::print(&plan).unwrap();
        prop_assert_eq!(lpkg::parse(&text, &limits()).unwrap().plan, plan.clone(), "{}", text);
        prop_assert_eq!(lpkg::parse(&format!("Sure, here it is:\n```python\n{text}```\nDone\
            ."), &limits()).unwrap().plan, plan);
    }

    #[test]
    fn json_gives_back_the_plan_that_was_printed(plan in plan(false)) {
        let text = json_form::print(&plan);
        prop_assert_eq!(json_form::parse(&text, &limits()).unwrap().plan, plan.clone(), "{}", text);
        prop_assert_eq!(json_form::parse(&format!("```json\n{text}\n```"), &limits()).unwrap().plan, plan);
    }

    #[test]
    fn each_statement_is_found_on_the_line_that_it_was_printed_on(plan in plan(false)) {
        let bare = Plan {
            question: None,
            statements: plan.statements.iter().cloned().map(|s| Statement { thought: None, ..s }).collect(),
            ..plan
        };
        let lines = |parsed: Parsed| parsed.positions.iter().map(|p| p.line as usize).collect::<Vec<_>>();
        let count = bare.statements.len();
        prop_assert_eq!(
            lines(rft::parse(&rft::print(&bare).unwrap(), &limits()).unwrap()),
            (1..=count).collect::<Vec<_>>()
        );
        prop_assert_eq!(
            lines(json_form::parse(&json_form::print(&bare), &limits()).unwrap()),
            (2..=count + 1).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_plan_read_as_code_reads_the_same_as_lines_and_as_json(plan in plan(true)) {
        let read = lpkg::parse(&lpkg::print(&plan).unwrap(), &limits()).unwrap().plan;
        prop_assert_eq!(rft::parse(&rft::print(&read).unwrap(), &limits()).unwrap().plan, plan.clone());
        prop_assert_eq!(json_form::parse(&json_form::print(&read), &limits()).unwrap().plan, plan);
    }

    #[test]
    fn arbitrary_plans_pass_the_checks_but_for_open_negations(plan in plan(false)) {
        if let Err(errors) = check::check(&plan, &[], &limits()) {
            prop_assert!(errors.iter().all(|e| matches!(e.fault, Fault::OpenNegation(_))), "{errors:?}");
        }
    }

    #[test]
    fn any_text_is_read_or_refused_without_a_panic(
        text in prop::collection::vec(prop_oneof![words(), "\\PC{0,30}", fragment()], 0..12),
    ) {
        let text = text.concat();
        for (_, parse) in PARSERS {
            if let Ok(parsed) = parse(&text, &limits()) {
                let _ = check::check(&parsed.plan, &parsed.positions, &limits());
            }
        }
    }
}

fn fragment() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "Ans1=",
        "SearchKG(",
        "t=a | ",
        "h=b, ",
        "r=c)",
        "\n",
        "Intersect(Ans1, Ans2)",
        "<plan>",
        "</plan>",
        "Sub_Question_1: str = f\"x\"\n",
        "Compare(",
        "{\"statements\":[",
        "{\"op\":\"count\",\"of\":\"Ans1\",\"name\":\"Ans2\"}",
        "]}",
        "\"",
        "'",
        "```",
        "#",
        ")",
        "^<",
    ])
    .prop_map(str::to_owned)
}

/// Hostile texts are refused, with a short error, however deep they are nested.
#[test]
fn hostile_plans_are_refused() {
    let nested_calls = format!("Ans1={}Ans0{}", "Intersect(".repeat(10_000), ")".repeat(10_000));
    let nested_json = format!("{{\"statements\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    let hostile = [
        ("ten megabytes of prose", "a plan ".repeat(1_500_000)),
        ("ten megabytes of statements", "Ans1=SearchKG(t=a | h=b, r=c)\n".repeat(350_000)),
        ("nested calls", nested_calls),
        (
            "nested calls in code",
            format!("Inter_Results1: str = {}", "Intersection(Answer1 = ".repeat(10_000)),
        ),
        ("nested JSON", nested_json),
        ("open parentheses", format!("Ans1=SearchKG(t=a | h={}", "(".repeat(200_000))),
        ("open quotes", format!("Ans1=Union({}", "'a, ".repeat(60_000))),
        ("many arguments", format!("Ans1=Union({}Ans0)", "Ans0, ".repeat(40_000))),
        ("many statements", "Ans1=Count(Ans0)\n".repeat(15_000)),
        ("many statements of code", "Sub_Question_1: str = \"a\"\n".repeat(9_000)),
        (
            "many statements of JSON",
            format!("[{}0]", "{\"op\":\"all\",\"name\":\"A\",\"target\":\"b\"},".repeat(6_000)),
        ),
        ("many members", format!("[{{{}\"op\":\"all\"}}]", "\"name\":\"A\",".repeat(20_000))),
        ("an unknown function", "Ans1=Delete(Ans0)".to_owned()),
        ("a control character", "Ans1=SearchKG(t=a | h=\u{0}b, r=c)".to_owned()),
        ("plan tags", "<plan>".repeat(40_000)),
        ("blank lines in a call", format!("Ans1=SearchKG(t=a{}", " \n".repeat(100_000))),
        ("nothing", String::new()),
    ];
    for (what, text) in hostile {
        for (surface, parse) in PARSERS {
            let error = parse(&text, &limits()).map(|p| p.plan).expect_err(what);
            assert!(error.to_string().len() < 700, "{surface}, {what}: {error}");
        }
    }
}

#[test]
fn what_a_surface_cannot_express_is_an_error_with_its_name() {
    let step = "Ans1=SearchKG(t=river | h=Texas, r=in)\nAns2=Count(Ans1)";
    let plan = rft::parse(step, &limits()).unwrap().plan;
    let error = lpkg::print(&plan).unwrap_err();
    assert_eq!((error.fault.code(), error.at.line), ("inexpressible", 1));
    assert!(error.to_string().contains("search_kg"), "{error}");
    let odd = Literal::Number { value: 3.0, unit: Some("1, 2 or 3".to_owned()) };
    let filter = Operation::Filter {
        of: "Ans1".to_owned(),
        condition: Condition::Value(Test {
            by: None,
            comparison: Comparison::Less,
            to: Operand::Literal(odd),
        }),
    };
    let plan = Plan {
        statements: vec![
            plan.statements[0].clone(),
            Statement { name: "Ans2".to_owned(), thought: None, operation: filter },
        ],
        ..plan
    };
    assert_eq!(rft::print(&plan).unwrap_err().fault.code(), "inexpressible");
    assert_eq!(json_form::parse(&json_form::print(&plan), &limits()).unwrap().plan, plan);
}
