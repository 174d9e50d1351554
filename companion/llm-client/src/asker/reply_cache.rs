//! Stores paid replies by their requests.

use pocketgraph_cache::{Cache, Key};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

/// A store of a model's replies, so that none is paid for twice.
pub trait ReplyCache {
    /// Returns the reply of a key.
    fn get(&self, key: &Key) -> Option<String>;

    /// Stores a reply. If [`ReplyCache::outlives`] is true, it must then survive the program's end.
    fn put(&self, key: &Key, reply: &str) -> io::Result<()>;

    /// Returns true if replies are available to the next run of the program.
    fn outlives(&self) -> bool;
}

impl<C: ReplyCache + ?Sized> ReplyCache for Rc<C> {
    fn get(&self, key: &Key) -> Option<String> {
        (**self).get(key)
    }

    fn put(&self, key: &Key, reply: &str) -> io::Result<()> {
        (**self).put(key, reply)
    }

    fn outlives(&self) -> bool {
        (**self).outlives()
    }
}

/// Replies in memory, for tests and for builds without a cache.
#[derive(Debug, Default)]
pub struct MemoryCache(RefCell<HashMap<Key, String>>);

impl ReplyCache for MemoryCache {
    fn get(&self, key: &Key) -> Option<String> {
        self.0.borrow().get(key).cloned()
    }

    fn put(&self, key: &Key, reply: &str) -> io::Result<()> {
        self.0.borrow_mut().insert(*key, reply.to_owned());
        Ok(())
    }

    fn outlives(&self) -> bool {
        false
    }
}

/// Stores nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoCache;

impl ReplyCache for NoCache {
    fn get(&self, _: &Key) -> Option<String> {
        None
    }

    fn put(&self, _: &Key, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn outlives(&self) -> bool {
        false
    }
}

/// Replies in the build's cache, which writes each at once.
impl ReplyCache for Arc<Cache> {
    fn get(&self, key: &Key) -> Option<String> {
        // Invalid text was damaged: the reply is requested again.
        Cache::get(self, key).and_then(|reply| String::from_utf8(reply).ok())
    }

    fn put(&self, key: &Key, reply: &str) -> io::Result<()> {
        Cache::put(self, *key, reply.as_bytes().to_vec());
        self.trouble().map_or(Ok(()), |why| Err(io::Error::other(why)))
    }

    fn outlives(&self) -> bool {
        true
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_llm::{ChatRequest, Message};

    #[test]
    fn replies_outlive_the_cache_and_keys_follow_what_was_asked() {
        let dir = tempfile::tempdir().unwrap();
        let ask = |model: &str, text: &str| {
            Key::of_reply(
                model,
                &ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() },
            )
        };
        let key = ask("m", "a");
        ReplyCache::put(&Cache::open(dir.path()).unwrap(), &key, "réponse").unwrap();
        let again = Cache::open(dir.path()).unwrap();
        assert_eq!(again.get(&key).as_deref(), Some("réponse"));
        assert!(again.get(&ask("n", "a")).is_none() && again.get(&ask("m", "b")).is_none());
    }
}
