//! Caches a language model's replies, so that an interrupted measurement continues at no further cost.

use futures::future::FutureExt;
use futures::stream::{self, StreamExt};
use pocketgraph::llm::{ChatModel, ChatRequest, LlmError, OpenedStream, Recorder, Replay};
use pocketgraph_cache::{Cache, Key, Kind};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// Wraps a model. A complete reply is stored as a line of a recording, by its whole request.
pub struct KeptReplies<'a> {
    model: Box<dyn ChatModel + 'a>,
    cache: Option<Arc<Cache>>,
    /// Identity of the model in the cache: its address and name.
    identity: String,
    /// Number of each request since the last [`KeptReplies::begin`]: protocols that vote repeat requests.
    times: RefCell<HashMap<Key, u32>>,
    asked: Cell<usize>,
    reused: Cell<usize>,
}

impl<'a> KeptReplies<'a> {
    /// Wraps `model`; without a cache it only counts.
    pub fn new(model: Box<dyn ChatModel + 'a>, cache: Option<Arc<Cache>>, identity: String) -> Self {
        KeptReplies {
            model,
            cache,
            identity,
            times: RefCell::default(),
            asked: Cell::new(0),
            reused: Cell::new(0),
        }
    }

    /// Begins a dialogue: requests count from the first again.
    pub fn begin(&self) {
        self.times.borrow_mut().clear();
    }

    /// Returns the number of replies that the model was asked for.
    pub fn request_count(&self) -> usize {
        self.asked.get()
    }

    /// Returns the number of cached replies.
    pub fn reused(&self) -> usize {
        self.reused.get()
    }

    fn key(&self, request: &ChatRequest) -> Key {
        // The whole request: an omitted part would lead to the reply of another request.
        let whole = format!("{request:?}");
        let of = |time: u32| {
            Key::new(
                Kind::Reply,
                &[b"exchange", self.identity.as_bytes(), whole.as_bytes(), &time.to_le_bytes()],
            )
        };
        let mut times = self.times.borrow_mut();
        let time = times.entry(of(0)).or_default();
        *time += 1;
        of(*time)
    }

    /// Returns the reply from the cache; `None` if it is damaged or missing.
    async fn cached_reply(
        &self,
        key: &Key,
        request: &ChatRequest,
    ) -> Option<Vec<Result<pocketgraph::llm::Delta, LlmError>>> {
        let line = String::from_utf8(self.cache.as_ref()?.get(key)?).ok()?;
        let replay = Replay::read(&line).ok()?;
        let stream = replay.chat(request.clone()).await.ok()?;
        let items: Vec<_> = stream.collect().await;
        items.iter().all(Result::is_ok).then_some(items)
    }
}

impl ChatModel for KeptReplies<'_> {
    fn chat<'a>(&'a self, request: ChatRequest) -> OpenedStream<'a> {
        async move {
            let key = self.key(&request);
            if let Some(items) = self.cached_reply(&key, &request).await {
                self.reused.set(self.reused.get() + 1);
                return Ok(stream::iter(items).boxed_local());
            }
            self.asked.set(self.asked.get() + 1);
            // The stream is read to its end, whatever the caller needs, because only whole replies are
            // stored.
            let line = RefCell::new(String::new());
            let sink = |reported: &str| reported.clone_into(&mut line.borrow_mut());
            let items: Vec<_> = {
                let recorder = Recorder::new(self.model.as_ref(), &sink);
                recorder.chat(request).await?.collect().await
            };
            if let (Some(cache), true) = (&self.cache, items.iter().all(Result::is_ok)) {
                cache.put(key, line.into_inner().into_bytes());
            }
            Ok(stream::iter(items).boxed_local())
        }
        .boxed_local()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph::llm::{Message, complete_request};
    use pocketgraph_testing::scripted_model::{ScriptedModel, whole_reply};
    use std::rc::Rc;

    /// Says how often it was asked; fails where the question says so.
    fn counting() -> Rc<ScriptedModel> {
        ScriptedModel::new(|n, request| {
            let mut reply = whole_reply(&format!("reply {}", n + 1))?;
            if request.messages.iter().any(|m| m.content == "fail") {
                reply.push(Err(LlmError::Stream("broken".to_owned())));
            }
            Ok(reply)
        })
    }

    fn request(text: &str) -> ChatRequest {
        ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() }
    }

    fn ask(model: &dyn ChatModel, request: ChatRequest) -> String {
        complete_request(model, request).now_or_never().unwrap().text
    }

    #[test]
    fn a_reply_is_paid_for_once_and_a_second_vote_is_another_reply() {
        let dir = tempfile::tempdir().unwrap();
        let model = counting();
        let again = || {
            KeptReplies::new(
                Box::new(Rc::clone(&model)),
                Some(Cache::open(dir.path()).unwrap()),
                "url\nmodel".to_owned(),
            )
        };
        let first = again();
        assert_eq!(
            (ask(&first, request("a")), ask(&first, request("a"))),
            ("reply 1".to_owned(), "reply 2".to_owned())
        );
        drop(first);
        let second = again();
        assert_eq!(
            (ask(&second, request("a")), ask(&second, request("a"))),
            ("reply 1".to_owned(), "reply 2".to_owned())
        );
        second.begin();
        assert_eq!(ask(&second, request("a")), "reply 1");
        assert_eq!((second.request_count(), second.reused()), (0, 3));
        // Whatever else is asked is another request.
        assert_eq!(ask(&second, ChatRequest { stop: vec!["x".to_owned()], ..request("a") }), "reply 3");
        assert_eq!(
            ask(&second, ChatRequest { extra: vec![("tools".to_owned(), "t".into())], ..request("a") }),
            "reply 4"
        );
        drop(second);
        let other = KeptReplies::new(
            Box::new(Rc::clone(&model)),
            Some(Cache::open(dir.path()).unwrap()),
            "url\nother".to_owned(),
        );
        assert_eq!(ask(&other, request("a")), "reply 5");
    }

    #[test]
    fn a_reply_that_failed_is_asked_for_again() {
        let dir = tempfile::tempdir().unwrap();
        let model = counting();
        let kept = KeptReplies::new(
            Box::new(Rc::clone(&model)),
            Some(Cache::open(dir.path()).unwrap()),
            String::new(),
        );
        assert_eq!(ask(&kept, request("fail")), "reply 1");
        kept.begin();
        assert_eq!(ask(&kept, request("fail")), "reply 2");
        assert_eq!((kept.request_count(), kept.reused()), (2, 0));
    }
}
