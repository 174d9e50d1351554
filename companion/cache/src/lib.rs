#![doc = include_str!("../README.md")]

mod store;

pub use store::StoreError;

use pocketgraph_llm::ChatRequest;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use store::Store;

/// Kind of an entry, with a version in its name: raise it if the code that makes the values changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The vector of a text.
    Embedding,
    /// A language model's reply to a request, in a file of its own that no size limit empties.
    Reply,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Embedding => "embedding/1",
            Kind::Reply => "reply/1",
        }
    }
}

/// Returns the SHA-256 of parts, each with its length: ("ab", "c") and ("a", "bc") differ.
pub fn digest_parts(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// Address of an entry: SHA-256 of its kind and of everything its value depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    hash: [u8; 32],
    /// True if it is in the file of replies.
    reply: bool,
}

impl Key {
    /// Creates the key of `parts`. Their lengths are hashed too: ("ab", "c") and ("a", "bc") are two keys.
    pub fn new(kind: Kind, parts: &[&[u8]]) -> Key {
        let all: Vec<&[u8]> = std::iter::once(kind.name().as_bytes()).chain(parts.iter().copied()).collect();
        Key { hash: digest_parts(&all), reply: kind == Kind::Reply }
    }

    /// Creates the key of a model's reply, from all that a client knows. `identity` identifies the model.
    pub fn of_reply(identity: &str, request: &ChatRequest) -> Key {
        let number = |f: Option<f32>| f.map_or(u32::MAX, f32::to_bits).to_le_bytes();
        let limit = request.max_tokens.unwrap_or(u32::MAX).to_le_bytes();
        let (temperature, top_p) = (number(request.temperature), number(request.top_p));
        let mut parts: Vec<&[u8]> = vec![identity.as_bytes(), &limit, &temperature, &top_p];
        for message in &request.messages {
            parts.extend([message.role.name().as_bytes(), message.content.as_bytes()]);
        }
        Key::new(Kind::Reply, &parts)
    }
}

/// Time for which entries are collected before writing; [`flush_all`] writes them at once.
const COMMIT_AFTER: Duration = Duration::from_secs(1);

/// Size of a file of computable values, in bytes, above which it starts empty again.
const MOST_BYTES: u64 = 4 << 30;

/// An open cache. Its files are open only while it reads or writes, so that builds can share a folder.
#[derive(Debug)]
pub struct Cache {
    computed: Store,
    replies: Store,
    pending: Mutex<Pending>,
    /// Held while entries are written; without a holder no write is in progress.
    writing: Mutex<()>,
    /// Reason for which the cache is no longer used.
    trouble: Mutex<Option<String>>,
}

#[derive(Debug)]
struct Pending {
    entries: HashMap<Key, Vec<u8>>,
    since: Instant,
}

/// Caches in use, for [`flush_all`].
static OPEN: Mutex<Vec<Weak<Cache>>> = Mutex::new(Vec::new());

fn lock_of<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the pending entries of all caches of this process; for the handler of Ctrl-C.
pub fn flush_all() {
    let open: Vec<Arc<Cache>> = lock_of(&OPEN).iter().filter_map(Weak::upgrade).collect();
    open.iter().for_each(|cache| cache.flush());
}

impl Cache {
    /// Opens the cache in `folder`, which is created if missing.
    ///
    /// # Errors
    /// [`StoreError`] if the folder cannot be created, or a file is damaged or no cache; it stays unchanged.
    pub fn open(folder: &Path) -> Result<Arc<Cache>, StoreError> {
        store::make_folder(folder)?;
        let computed = Store::open(&folder.join("computed.redb"), Some(MOST_BYTES))?;
        let replies = Store::open(&folder.join("replies.redb"), None)?;
        let cache = Arc::new(Cache {
            computed,
            replies,
            pending: Mutex::new(Pending { entries: HashMap::new(), since: Instant::now() }),
            writing: Mutex::new(()),
            trouble: Mutex::new(None),
        });
        let mut open = lock_of(&OPEN);
        open.retain(|c| c.strong_count() > 0);
        open.push(Arc::downgrade(&cache));
        Ok(cache)
    }

    /// Returns the entry of `key`, if there is one.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let mut found = None;
        self.get_many(std::slice::from_ref(key), |_, value| found = Some(value.to_vec()));
        found
    }

    /// Calls `found` with the index and the value of every key with an entry, in the order of the keys.
    pub fn get_many(&self, keys: &[Key], mut found: impl FnMut(usize, &[u8])) {
        if self.trouble().is_some() {
            return;
        }
        let waiting: HashMap<usize, Vec<u8>> = {
            let pending = lock_of(&self.pending);
            keys.iter().enumerate().filter_map(|(i, k)| Some((i, pending.entries.get(k)?.clone()))).collect()
        };
        for (store, reply) in [(&self.computed, false), (&self.replies, true)] {
            let wanted: Vec<(usize, &[u8; 32])> = keys
                .iter()
                .enumerate()
                .filter(|(i, k)| k.reply == reply && !waiting.contains_key(i))
                .map(|(i, k)| (i, &k.hash))
                .collect();
            if !wanted.is_empty()
                && let Err(error) = store.read(&wanted, &mut found)
            {
                self.give_up(&error);
            }
        }
        let mut waiting: Vec<(usize, Vec<u8>)> = waiting.into_iter().collect();
        waiting.sort_unstable_by_key(|x| x.0);
        waiting.iter().for_each(|(i, value)| found(*i, value));
    }

    /// Stores a value. A reply is written at once, because it was paid for; other values wait up to a second.
    pub fn put(&self, key: Key, value: Vec<u8>) {
        if self.trouble().is_some() {
            return;
        }
        let due = {
            let mut pending = lock_of(&self.pending);
            if pending.entries.is_empty() {
                pending.since = Instant::now();
            }
            pending.entries.insert(key, value);
            key.reply || pending.since.elapsed() >= COMMIT_AFTER
        };
        if due {
            self.flush();
        }
    }

    /// Writes pending entries, and waits for writes in progress.
    pub fn flush(&self) {
        let _alone = lock_of(&self.writing);
        let entries: Vec<(Key, Vec<u8>)> =
            lock_of(&self.pending).entries.iter().map(|(k, v)| (*k, v.clone())).collect();
        if entries.is_empty() || self.trouble().is_some() {
            return;
        }
        for (store, reply) in [(&self.computed, false), (&self.replies, true)] {
            let own: Vec<(&[u8; 32], &[u8])> = entries
                .iter()
                .filter(|(k, _)| k.reply == reply)
                .map(|(k, v)| (&k.hash, v.as_slice()))
                .collect();
            if !own.is_empty()
                && let Err(error) = store.write(&own)
            {
                self.give_up(&error);
            }
        }
        // Entries stay pending until they are written, so that readers find them.
        let mut pending = lock_of(&self.pending);
        entries.iter().for_each(|(k, _)| _ = pending.entries.remove(k));
        pending.since = Instant::now();
    }

    /// Returns the reason for which the cache was given up during this build, if it was.
    pub fn trouble(&self) -> Option<String> {
        lock_of(&self.trouble).clone()
    }

    fn give_up(&self, error: &StoreError) {
        lock_of(&self.trouble).get_or_insert_with(|| error.to_string());
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        self.flush();
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
