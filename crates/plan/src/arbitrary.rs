//! Arbitrary correct plans for property tests: canonical names, earlier references, texts of nasty kinds.

use proptest::prelude::*;

use super::*;

/// Generates texts that readers might take for something else.
pub(super) fn words() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "a, r=b",
        "Smith, John",
        "Ans1",
        "ans_2",
        "Smile :)",
        "Up (2009",
        "x | h=y",
        "\"Weird Al\" Yankovic",
        "'Salem's Lot",
        "<b>",
        "^<x>",
        "any",
        "*",
        "1990",
        "true",
        "{Ans1}",
        "{{",
        "back\\slash",
        "a\nAns2=Union(Ans1, Ans1)",
        "</plan>",
        "Question: why",
        "Thought1",
        "Original_Question",
        "\u{0}\u{7f}",
        "v > 3",
        "[Ans_1]",
        "“curly”",
        "日本語",
        ", ",
    ])
    .prop_map(str::to_owned);
    prop_oneof![3 => "[a-zA-Z][a-z ]{0,12}[a-z]", 2 => nasty, 1 => "\\PC{1,12}", 1 => any::<String>()]
        .prop_filter("check refuses empty texts", |s| !s.trim().is_empty())
}

fn relation() -> impl Strategy<Value = Relation> {
    prop_oneof![
        words().prop_map(Relation::Phrase),
        (words(), any::<bool>()).prop_map(|(name, inverse)| Relation::Exact { name, inverse })
    ]
}

fn measure() -> impl Strategy<Value = Measure> {
    prop_oneof![relation().prop_map(Measure::ValueOf), relation().prop_map(Measure::NumberOf)]
}

fn literal() -> impl Strategy<Value = Literal> {
    let unit = prop::option::of(
        prop::sample::select(vec!["km", "sq mi", "km2", "people", "%", "m/s"]).prop_map(str::to_owned),
    );
    let value =
        prop_oneof![any::<i32>().prop_map(f64::from), any::<f64>().prop_filter("finite", |n| n.is_finite())];
    let date = (-9999..=9999, prop::option::of((1..=12u8, prop::option::of(1..=31u8))));
    prop_oneof![
        (value, unit).prop_map(|(value, unit)| Literal::Number { value, unit }),
        date.prop_filter_map("a date", |(y, rest)| Date::new(y, rest.map(|r| r.0), rest.and_then(|r| r.1))
            .map(Literal::Date)),
        words().prop_map(Literal::Text),
        any::<bool>().prop_map(Literal::Boolean),
    ]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    prop::sample::select(Comparison::SYMBOLS.map(|(_, c)| c).to_vec())
}

fn extreme() -> impl Strategy<Value = Extreme> {
    prop::sample::select(vec![Extreme::Min, Extreme::Max])
}

fn how() -> impl Strategy<Value = How> {
    prop::sample::select(vec![How::Equal, How::Less, How::Greater, How::Min, How::Max, How::In, How::When])
}

/// Generates an operation over earlier statements, whose names are `earlier`.
fn operation(earlier: Vec<String>, lpkg: bool) -> BoxedStrategy<Operation> {
    let pieces = prop::collection::vec(
        prop_oneof![
            words().prop_map(Part::Text),
            prop::sample::select(or_one(&earlier)).prop_map(Part::Reference)
        ],
        0..4,
    );
    let open = earlier.is_empty();
    let search = (words(), pieces).prop_map(move |(first, rest)| {
        let rest = rest.into_iter().filter(|p| !open || matches!(p, Part::Text(_)));
        Operation::Search { query: Template::new(std::iter::once(Part::Text(first)).chain(rest)) }
    });
    if earlier.is_empty() {
        let step = (prop::option::of(words()), words(), any::<bool>(), relation()).prop_map(
            |(target, text, exact, relation)| {
                let head = if exact { Head::Entity(text) } else { Head::Mention(text) };
                Operation::SearchKg(SearchKg { target, head, relation })
            },
        );
        let all = prop_oneof![
            words().prop_map(|target| Operation::All { target: Some(target), relation: None }),
            (prop::option::of(words()), relation())
                .prop_map(|(target, of)| Operation::All { target, relation: Some(of) }),
        ];
        let entity = (words(), any::<bool>()).prop_map(|(text, exact)| Operation::Entity {
            head: if exact { Head::Entity(text) } else { Head::Mention(text) },
        });
        return if lpkg { search.boxed() } else { prop_oneof![step, search, all, entity].boxed() };
    }
    let name = prop::sample::select(earlier.clone());
    let names = prop::collection::vec(prop::sample::select(earlier), 2..4);
    if lpkg {
        let compare = (names.clone(), words()).prop_map(|(of, question)| {
            Operation::Compare(Compare { of, how: None, by: None, question: Some(question) })
        });
        return prop_oneof![
            2 => search,
            1 => names.clone().prop_map(|of| Operation::Intersect { of }),
            1 => names.prop_map(|of| Operation::Union { of }),
            1 => compare,
        ]
        .boxed();
    }
    let step = (prop::option::of(words()), name.clone(), relation()).prop_map(|(target, name, relation)| {
        Operation::SearchKg(SearchKg { target, head: Head::Reference(name), relation })
    });
    let compare = (names.clone(), how(), prop::option::of(measure()), prop::option::of(words()))
        .prop_map(|(of, how, by, question)| Operation::Compare(Compare { of, how: Some(how), by, question }));
    let to = prop_oneof![literal().prop_map(Operand::Literal), name.clone().prop_map(Operand::Reference)];
    let test = (prop::option::of(measure()), comparison(), to)
        .prop_map(|(by, comparison, to)| Condition::Value(Test { by, comparison, to }));
    let filter = (name.clone(), prop_oneof![words().prop_map(Condition::Type), test]);
    let superlative = (name.clone(), prop::option::of(measure()), extreme(), 1..4u32);
    prop_oneof![
        3 => step,
        1 => search,
        1 => names.clone().prop_map(|of| Operation::Intersect { of }),
        1 => names.clone().prop_map(|of| Operation::Union { of }),
        1 => (name.clone(), names).prop_map(|(main, minus)| Operation::Negation { main, minus }),
        1 => compare,
        1 => name.prop_map(|of| Operation::Count { of }),
        1 => filter.prop_map(|(of, condition)| Operation::Filter { of, condition }),
        1 => superlative.prop_map(|(of, by, extreme, keep)| Operation::Superlative { of, by, extreme, keep }),
    ]
    .boxed()
}

fn or_one(names: &[String]) -> Vec<String> {
    if names.is_empty() { vec!["Ans1".to_owned()] } else { names.to_vec() }
}

/// Generates a plan; with `lpkg`, one that LPKG's code form can express.
pub(super) fn plan(lpkg: bool) -> BoxedStrategy<Plan> {
    let odd = vec!["Films", "Inter_Results1", "max", "t", "r", "Answer", "by_count", "_x"];
    let count = 1..7_usize;
    let names = (count, prop::sample::subsequence(odd, 3)).prop_map(move |(count, odd)| {
        let pick =
            |i: usize| if !lpkg && i % 2 == 1 { odd.get(i / 2).map(|s| (*s).to_owned()) } else { None };
        (0..count).map(|i| pick(i).unwrap_or_else(|| format!("Ans{}", i + 1))).collect::<Vec<String>>()
    });
    names
        .prop_flat_map(move |names| {
            let statements: Vec<BoxedStrategy<Statement>> = (0..names.len())
                .map(|i| {
                    let name = names[i].clone();
                    (prop::option::weighted(0.2, words()), operation(names[..i].to_vec(), lpkg))
                        .prop_map(move |(thought, operation)| Statement {
                            name: name.clone(),
                            thought,
                            operation,
                        })
                        .boxed()
                })
                .collect();
            (prop::option::of(words()), statements, prop::sample::select(names))
        })
        .prop_map(|(question, statements, answer)| Plan { question, statements, answer })
        .boxed()
}
