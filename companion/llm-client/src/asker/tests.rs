//! Replies without an answer, and models that think.
#![allow(clippy::unwrap_used)]

use super::*;
use pocketgraph_llm::{Delta, Message};
use pocketgraph_testing::scripted_model::{ScriptedModel, whole_reply};

fn asking() -> Asking {
    Asking { pause: Duration::ZERO, ..Asking::new("m") }
}

fn question(text: &str) -> ChatRequest {
    ChatRequest { messages: vec![Message::user(text)], max_tokens: Some(80), ..ChatRequest::default() }
}

fn words(reply: &str) -> Option<String> {
    let text = after_thinking(reply).trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[test]
fn a_model_that_thinks_is_given_room_for_it_from_then_on() {
    let model = ScriptedModel::new(|n, _| match n {
        0 => Ok(vec![Ok(Delta {
            text: "<think>Let me see".to_owned(),
            finish: Some(Finish::Length),
            ..Delta::default()
        })]),
        _ => whole_reply("<think>Let me see</think>Boats"),
    });
    let (cache, asking) = (MemoryCache::default(), asking());
    let asker = Asker::new(model.as_ref(), &cache, &asking);
    let found =
        run_requests(async { asker.all(["a", "b"].map(|q| asker.ask(question(q), words)), &|_| ()).await })
            .unwrap();
    assert_eq!(found, [Some("Boats".to_owned()), Some("Boats".to_owned())]);
    let room: Vec<Option<u32>> = model.requests().iter().map(|r| r.max_tokens).collect();
    assert_eq!(room.iter().filter(|r| **r == Some(80 + THINKING_TOKENS)).count(), 2, "{room:?}");
}

#[test]
fn a_request_that_is_refused_for_what_it_holds_costs_only_itself() {
    let refused = |status| Err(LlmError::Http { status: Some(status), message: "content filter".to_owned() });
    let model = ScriptedModel::new(move |n, _| {
        if n % 2 == 0 { refused([400, 413, 422][n / 2 % 3]) } else { whole_reply("Boats") }
    });
    let (cache, mut asking) = (MemoryCache::default(), asking());
    asking.concurrency = 1;
    let asker = Asker::new(model.as_ref(), &cache, &asking);
    let texts: Vec<String> = (0..6).map(|n| n.to_string()).collect();
    let found =
        run_requests(async { asker.all(texts.iter().map(|q| asker.ask(question(q), words)), &|_| ()).await })
            .unwrap();
    assert_eq!(found.iter().flatten().count(), 3);
    assert_eq!((asker.tally().failed, asker.tally().refused), (3, 3));
    let dead = ScriptedModel::new(move |_, _| refused(400));
    let asker = Asker::new(dead.as_ref(), &cache, &asking);
    let texts: Vec<String> = (10..30).map(|n| n.to_string()).collect();
    assert!(
        run_requests(async { asker.all(texts.iter().map(|q| asker.ask(question(q), words)), &|_| ()).await })
            .is_err()
    );
    assert_eq!(dead.requests().len(), FAILURES_IN_A_ROW);
}

#[test]
fn what_cannot_be_used_is_not_paid_for_twice() {
    let model = ScriptedModel::new(|_, _| whole_reply("..."));
    let (cache, asking) = (MemoryCache::default(), asking());
    let nothing = |_: &str| None::<String>;
    for unusable in [1, 1] {
        let asker = Asker::new(model.as_ref(), &cache, &asking);
        assert_eq!(run_requests(async { Ok(asker.ask(question("a"), nothing).await) }).unwrap(), None);
        assert_eq!(asker.tally().unusable, unusable);
    }
    assert_eq!(model.requests().len(), 1);
}
