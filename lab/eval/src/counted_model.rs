//! Counts the tokens of a language model, for measurements of a method's cost.

use futures::future::FutureExt;
use futures::stream::{self, StreamExt};
use pocketgraph::llm::{ChatModel, ChatRequest, OpenedStream};
use pocketgraph_cache::{Cache, Key, Kind};
use pocketgraph_llm_client::asker::ReplyCache;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ops::Sub;
use std::sync::Arc;

/// Approximate characters of a token, if the endpoint does not count.
const CHARACTERS: usize = 4;

/// Tokens read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Tokens {
    /// Tokens read.
    pub prompt: u64,
    /// Tokens written.
    pub completion: u64,
    /// Number of replies with estimated tokens, because the endpoint did not count.
    pub estimated: u64,
}

impl Sub for Tokens {
    type Output = Tokens;

    fn sub(self, before: Tokens) -> Tokens {
        Tokens {
            prompt: self.prompt - before.prompt,
            completion: self.completion - before.completion,
            estimated: self.estimated - before.estimated,
        }
    }
}

/// Counts a model's tokens. It is also the cache of a build ([`ReplyCache`]): a cached reply counts as when
/// it was paid for, because a method's cost does not depend on earlier runs.
pub struct CountedModel {
    chat: Box<dyn ChatModel>,
    cache: Option<Arc<Cache>>,
    /// Identity of the model in the cache: its address and name.
    identity: String,
    tokens: Cell<Tokens>,
    /// Replies counted so far: an estimate of the remaining cost and the build both read a cached reply.
    counted: RefCell<HashSet<Key>>,
}

impl CountedModel {
    /// Wraps `chat`; `cache` is for a build's replies.
    pub fn new(chat: Box<dyn ChatModel>, cache: Option<Arc<Cache>>, identity: String) -> Self {
        CountedModel { chat, cache, identity, tokens: Cell::default(), counted: RefCell::default() }
    }

    /// Returns all tokens so far.
    pub fn tokens(&self) -> Tokens {
        self.tokens.get()
    }

    fn count(&self, prompt: u64, completion: u64, estimated: bool) {
        let mut all = self.tokens.get();
        all.prompt += prompt;
        all.completion += completion;
        all.estimated += u64::from(estimated);
        self.tokens.set(all);
    }

    /// Returns the key for the counts of a reply.
    fn beside(&self, key: &Key) -> Key {
        Key::new(Kind::Reply, &[b"tokens", self.identity.as_bytes(), format!("{key:?}").as_bytes()])
    }

    /// Returns the counts of a cached reply: read, written, and 1 for an estimate.
    fn counts(&self, key: &Key) -> Option<[u64; 3]> {
        let text = ReplyCache::get(self.cache.as_ref()?, &self.beside(key))?;
        let all: Vec<u64> = text.split(' ').map_while(|n| n.parse().ok()).collect();
        all.try_into().ok()
    }
}

fn about_tokens(characters: usize) -> u64 {
    characters.div_ceil(CHARACTERS) as u64
}

impl ChatModel for CountedModel {
    fn chat<'a>(&'a self, request: ChatRequest) -> OpenedStream<'a> {
        async move {
            let key = Key::of_reply(&self.identity, &request);
            let read = about_tokens(request.messages.iter().map(|m| m.content.chars().count()).sum());
            // No reader watches these replies, so they may be collected first.
            let items: Vec<_> = self.chat.chat(request).await?.collect().await;
            let deltas = || items.iter().filter_map(|item| item.as_ref().ok());
            let (prompt, completion, estimated) = match deltas().filter_map(|d| d.usage).next_back() {
                Some(usage) => (u64::from(usage.prompt_tokens), u64::from(usage.completion_tokens), false),
                None => (
                    read,
                    about_tokens(
                        deltas().map(|d| d.text.chars().count() + d.reasoning.chars().count()).sum(),
                    ),
                    true,
                ),
            };
            self.count(prompt, completion, estimated);
            self.counted.borrow_mut().insert(key);
            if let Some(cache) = &self.cache {
                // If this fails, the reply will be counted by an estimate the next time.
                let _ = ReplyCache::put(
                    cache,
                    &self.beside(&key),
                    &format!("{prompt} {completion} {}", u64::from(estimated)),
                );
            }
            Ok(stream::iter(items).boxed_local())
        }
        .boxed_local()
    }
}

impl ReplyCache for CountedModel {
    fn get(&self, key: &Key) -> Option<String> {
        let reply = ReplyCache::get(self.cache.as_ref()?, key)?;
        if !self.counted.borrow_mut().insert(*key) {
            return Some(reply);
        }
        match self.counts(key) {
            Some([prompt, completion, estimated]) => self.count(prompt, completion, estimated > 0),
            // A build paid for this reply and stored no count.
            None => self.count(0, about_tokens(reply.chars().count()), true),
        }
        Some(reply)
    }

    fn put(&self, key: &Key, reply: &str) -> std::io::Result<()> {
        self.cache.as_ref().map_or(Ok(()), |cache| ReplyCache::put(cache, key, reply))
    }

    fn outlives(&self) -> bool {
        self.cache.is_some()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph::llm::{Message, Usage, complete_request};
    use pocketgraph_testing::scripted_model::{ScriptedModel, counted};
    use std::rc::Rc;

    /// Counts its own tokens where it was made so.
    fn model_with_usage(usage: Option<Usage>) -> Box<dyn ChatModel> {
        Box::new(ScriptedModel::new(move |_, _| counted("twelve chars", usage)))
    }

    fn ask(model: &CountedModel, text: &str) -> String {
        let request = ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() };
        complete_request(model, request).now_or_never().unwrap().text
    }

    #[test]
    fn tokens_are_the_endpoints_and_about_four_characters_each_where_it_does_not_count() {
        let usage = Usage { prompt_tokens: 70, completion_tokens: 5 };
        for (counts, wanted) in [
            (Some(usage), Tokens { prompt: 140, completion: 10, estimated: 0 }),
            (None, Tokens { prompt: 5, completion: 6, estimated: 2 }),
        ] {
            let model = CountedModel::new(model_with_usage(counts), None, String::new());
            assert_eq!(
                (ask(&model, "ten chars."), ask(&model, "eight ch")),
                ("twelve chars".to_owned(), "twelve chars".to_owned())
            );
            assert_eq!(model.tokens(), wanted);
        }
    }

    #[test]
    fn a_kept_reply_costs_what_it_cost_before() {
        let dir = tempfile::tempdir().unwrap();
        let request = ChatRequest { messages: vec![Message::user("a")], ..ChatRequest::default() };
        let key = Key::of_reply("m", &request);
        for usage in [Some(Usage { prompt_tokens: 70, completion_tokens: 5 }), None] {
            let cache = Cache::open(&dir.path().join(format!("{}", usage.is_some()))).unwrap();
            let model = || {
                Rc::new(CountedModel::new(model_with_usage(usage), Some(Arc::clone(&cache)), "m".to_owned()))
            };
            let first = model();
            assert!(ReplyCache::get(&first, &key).is_none() && first.tokens() == Tokens::default());
            first.put(&key, &ask(&first, "a")).unwrap();
            let again = model();
            for _ in 0..2 {
                assert_eq!(ReplyCache::get(&again, &key).as_deref(), Some("twelve chars"));
            }
            assert_eq!(again.tokens(), first.tokens());
        }
    }
}
