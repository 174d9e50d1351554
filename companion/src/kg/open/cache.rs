//! Replies that were paid for, kept by what was asked.

use pocketgraph::bundle::content_hash;
use pocketgraph::llm::ChatRequest;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Keeps a model's replies, so that none is paid for twice.
pub trait ReplyCache {
    /// The reply kept under a key.
    fn get(&self, key: &str) -> Option<String>;

    /// Keeps a reply. When this returns, the reply must survive the end of the program.
    ///
    /// # Errors
    /// What kept it from being stored.
    fn put(&self, key: &str, reply: &str) -> std::io::Result<()>;
}

/// The key of a request: the hash of the model's name and of everything that the reply depends on.
pub fn key_of(model: &str, request: &ChatRequest) -> String {
    let mut all = Vec::new();
    let mut part = |s: &str| {
        // Lengths keep "ab" + "c" apart from "a" + "bc".
        all.extend_from_slice(&(s.len() as u64).to_le_bytes());
        all.extend_from_slice(s.as_bytes());
    };
    part(model);
    for m in &request.messages {
        part(m.role.name());
        part(&m.content);
    }
    part(&format!("{:?} {:?} {:?}", request.max_tokens, request.temperature, request.top_p));
    content_hash(&all).iter().map(|b| format!("{b:02x}")).collect()
}

/// Replies in memory, for tests and for builds that keep nothing.
#[derive(Debug, Default)]
pub struct MemoryCache(RefCell<HashMap<String, String>>);

impl ReplyCache for MemoryCache {
    fn get(&self, key: &str) -> Option<String> {
        self.0.borrow().get(key).cloned()
    }

    fn put(&self, key: &str, reply: &str) -> std::io::Result<()> {
        self.0.borrow_mut().insert(key.to_owned(), reply.to_owned());
        Ok(())
    }
}

/// Replies as files of one folder, a file a reply, each renamed into place when it is whole.
#[derive(Debug)]
pub struct FolderCache {
    folder: PathBuf,
}

impl FolderCache {
    /// A cache in `folder`, which is made if it is not there.
    ///
    /// # Errors
    /// The system's, when the folder cannot be made.
    pub fn open(folder: &Path) -> std::io::Result<FolderCache> {
        std::fs::create_dir_all(folder)?;
        Ok(FolderCache { folder: folder.to_owned() })
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        let plain = key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit());
        plain.then(|| self.folder.join(format!("{key}.txt")))
    }
}

impl ReplyCache for FolderCache {
    fn get(&self, key: &str) -> Option<String> {
        // A file that is no text was damaged: the reply is asked for again.
        std::fs::read_to_string(self.path(key)?).ok()
    }

    fn put(&self, key: &str, reply: &str) -> std::io::Result<()> {
        let path = self.path(key).ok_or_else(|| std::io::Error::other("not a key of this cache"))?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(reply.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map(drop).map_err(|e| e.error)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph::llm::Message;

    #[test]
    fn replies_outlive_the_cache_and_keys_follow_what_was_asked() {
        let dir = tempfile::tempdir().unwrap();
        let ask = |model: &str, text: &str| key_of(model, &ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() });
        let key = ask("m", "a");
        FolderCache::open(dir.path()).unwrap().put(&key, "réponse").unwrap();
        let again = FolderCache::open(dir.path()).unwrap();
        assert_eq!(again.get(&key).as_deref(), Some("réponse"));
        assert!(again.get(&ask("n", "a")).is_none() && again.get(&ask("m", "b")).is_none());
        assert!(again.put("../evil", "x").is_err() && again.get("../evil").is_none());
    }
}
