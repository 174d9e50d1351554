#![allow(clippy::unwrap_used)]

use super::*;
use pocketgraph_llm_client::asker::{Asking, MemoryCache};
use pocketgraph_native::progress::Silent;
use pocketgraph_testing::scripted_model::{self, ScriptedModel};
use proptest::prelude::*;

fn example() -> Value {
    json!({ "id": 7, "pattern": "1p", "question": "What film has the director Zoë \
        Ax", "count": 1, "answers": [["A", "f1"]],
        "plan": { "answer": "Ans1", "question": "What film has the director Zoë Ax", "statements": [] },
        "spans": [{ "start": 5, "end": 9, "kind": "type", "name": "film" }, { "start": 18, "end": 26, "kind": "relation", "name": "directed_by" },
            { "start": 27, "end": 33, "kind": "entity", "name": "p1" }] })
}

fn reworded(by: fn(&str) -> String, without: &Near) -> Vec<Value> {
    let prompt = ScriptedModel::new(move |_, request| {
        scripted_model::whole_reply(&by(request.messages.last().map_or("", |m| m.content.as_str())))
    });
    let model = BuildModel {
        chat: Box::new(prompt),
        asking: Asking::new("m"),
        cache: Box::new(MemoryCache::default()),
    };
    rephrase_questions(&[example()], without, &model, &Silent, &|t| t.len()).unwrap().0
}

#[test]
fn marks_of_a_reply_say_which_words_represent_what() {
    let by = |asked: &str| {
        assert_eq!(asked, "What <1>film</1> has the <2>director</2> <3>Zoë Ax</3>\nNames: <3>");
        "<think>hm</think>\n\"Did <3>Zoë Ax</3> <2>make</2> any <1> movies </1>?\"\nThat is it.".to_owned()
    };
    let phrased = reworded(by, &Near::default());
    let one = &phrased[0];
    assert_eq!(one["question"], "Did Zoë Ax make any movies?");
    assert_eq!(
        (one["plan"]["question"].as_str(), one["rephrased"].as_bool()),
        (one["question"].as_str(), Some(true))
    );
    let question: Vec<char> = one["question"].as_str().unwrap().chars().collect();
    let words = one["spans"].as_array().unwrap().iter().map(|s| {
        let cut = s["start"].as_u64().unwrap() as usize..s["end"].as_u64().unwrap() as usize;
        (question[cut].iter().collect::<String>(), s["name"].as_str().unwrap().to_owned())
    });
    let wanted = [("Zoë Ax", "p1"), ("make", "directed_by"), ("movies", "film")]
        .map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(words.collect::<Vec<_>>(), wanted);
    assert_eq!((one["answers"].clone(), one["id"].clone()), (example()["answers"].clone(), json!(7)));
}

#[test]
fn replies_that_lose_a_mark_or_change_a_name_are_not_used() {
    for reply in [
        "",
        "Did Zoë Ax make films?",
        "<1>films</1> <2>by</2> <3>Zoe Ax</3>",
        "<1>films</1> <2>by</2>",
        "<1>films</1> <1>films</1> <2>by</2> <3>Zoë Ax</3>",
        "<1>films <2>by</2></1> <3>Zoë Ax</3>",
        "<1>films</1> <2> </2> <3>Zoë Ax</3>",
        "<1>films</1> <2>by</2> <3>Zoë Ax</3> <4>now</4>",
        "<1>films</1> <2>by</2> <3>Zoë Ax</3> <b>now</b>",
        "<1>films</1> <2>by</2> <3>Zoë Ax</3> > 3",
        "<0>films</0> <2>by</2> <3>Zoë Ax</3>",
    ] {
        assert_eq!(read_reply(reply, &mark_names(&example()).unwrap().1), None, "{reply}");
    }
    let long = format!("<1>{}</1> <2>by</2> <3>Zoë Ax</3>", "film".repeat(21));
    assert_eq!(read_reply(&long, &mark_names(&example()).unwrap().1), None);
}

#[test]
fn what_says_nothing_new_or_is_a_tests_question_is_left_out() {
    assert!(
        reworded(|_| "what <1>film</1> has the <2>director</2> <3>zoë ax</3>".to_owned(), &Near::default())
            .is_empty()
    );
    let new = |_: &str| "List <1>films</1> <2>by</2> <3>Zoë Ax</3>".to_owned();
    assert_eq!(reworded(new, &Near::default()).len(), 1);
    let mut tests = Near::default();
    tests.add("Please list films by Zoë Ax");
    assert!(reworded(new, &tests).is_empty());
}

#[test]
fn the_demonstrations_are_replies_that_would_be_used() {
    for [asked, reply] in SHOWN {
        let (question, names) = asked.split_once("\nNames: ").unwrap();
        let mut pieces = Vec::new();
        while let Some((_, after)) = question.split_once(&format!("<{}>", pieces.len() + 1)) {
            let text = after.split_once('<').unwrap().0.to_owned();
            pieces.push(Marked { text, is_name: names.contains(&format!("<{}>", pieces.len() + 1)) });
        }
        assert!(pieces.len() > 2 && read_reply(reply, &pieces).is_some(), "{reply}");
    }
}

proptest! {
    #[test]
    fn any_reply_is_read_or_refused(reply in "([<>/123 ]|film|Zoë Ax|</?[0-4]>|\\PC){0,40}") {
        let (_, pieces) = mark_names(&example()).unwrap();
        if let Some((question, places)) = read_reply(&reply, &pieces) {
            let chars: Vec<char> = question.chars().collect();
            prop_assert!(places.iter().all(|&(a, b)| a < b && b <= chars.len()));
            prop_assert!(places.len() == 3 && !question.contains(['<', '>']));
        }
    }
}
