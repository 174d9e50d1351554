//! Opening a bundle and loading its files: checked, once, within a memory limit.

use super::error::BundleError;
use super::manifest::{Encoding, MANIFEST, Manifest};
use super::pages::{PageRef, page_file};
use super::source::Source;
use futures::future::{FutureExt, LocalBoxFuture, WeakShared};
use sha2::{Digest, Sha256};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// The SHA-256 of bytes.
pub fn content_hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// No manifest is longer; a host that answers with a film is cut off here.
const MANIFEST_LIMIT: u64 = 16 << 20;

/// What has been loaded so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Files read from the source.
    pub requests: u64,
    /// Their bytes as stored.
    pub bytes: u64,
    /// Bytes of decoded files held in memory.
    pub memory: u64,
}

type Loaded = Result<Rc<dyn Any>, BundleError>;

struct Cached {
    value: Rc<dyn Any>,
    cost: u64,
    used: u64,
}

struct Inner {
    source: Rc<dyn Source>,
    manifest: Manifest,
    limit: u64,
    cache: RefCell<HashMap<String, Cached>>,
    // Requests under way, so that two questions that need one page fetch it once. Weak: when every waiter is gone, so is the request.
    under_way: RefCell<HashMap<String, WeakShared<LocalBoxFuture<'static, Loaded>>>>,
    clock: Cell<u64>,
    requests: Cell<u64>,
    bytes: Cell<u64>,
}

/// An open bundle. Cloning shares the cache.
#[derive(Clone)]
pub struct Bundle {
    inner: Rc<Inner>,
}

struct Wanted {
    file: String,
    sha256: [u8; 32],
    bytes: u64,
    raw: u64,
    encoding: Encoding,
}

impl Bundle {
    /// Reads the manifest. `limit` bounds the decoded bytes kept in memory; least recently used files go first.
    ///
    /// # Errors
    /// [`BundleError`] when the manifest cannot be read or is not one that this reader knows.
    pub async fn open(source: Rc<dyn Source>, limit: u64) -> Result<Bundle, BundleError> {
        let bytes =
            source.read(MANIFEST, MANIFEST_LIMIT).await.map_err(|reason| BundleError::Source { file: MANIFEST.to_owned(), reason })?;
        let manifest = Manifest::from_json(&bytes)?;
        Ok(Bundle {
            inner: Rc::new(Inner {
                source,
                manifest,
                limit,
                cache: RefCell::default(),
                under_way: RefCell::default(),
                clock: Cell::new(0),
                requests: Cell::new(1),
                bytes: Cell::new(bytes.len() as u64),
            }),
        })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.inner.manifest
    }

    /// Whether the bundle has a section of this name.
    pub fn has(&self, section: &str) -> bool {
        self.inner.manifest.section(section).is_some()
    }

    /// What has been loaded so far.
    pub fn stats(&self) -> Stats {
        Stats {
            requests: self.inner.requests.get(),
            bytes: self.inner.bytes.get(),
            memory: self.inner.cache.borrow().values().map(|c| c.cost).sum(),
        }
    }

    /// A section's file, checked, inflated and decoded by `decode(file name, bytes)`; cached under its name.
    ///
    /// # Errors
    /// [`BundleError`] when the section is absent, cannot be read, is not what the manifest names, or does not decode.
    pub async fn section<T: 'static>(
        &self,
        name: &str,
        decode: impl FnOnce(&str, &[u8]) -> Result<T, BundleError> + 'static,
    ) -> Result<Rc<T>, BundleError> {
        let s = self.inner.manifest.section(name).ok_or_else(|| BundleError::Missing(name.to_owned()))?;
        let wanted = Wanted { file: s.file.clone(), sha256: s.sha256, bytes: s.bytes, raw: s.raw, encoding: s.encoding };
        self.load(wanted, decode).await
    }

    /// A page of the section `name`, as [`Bundle::section`].
    ///
    /// # Errors
    /// As [`Bundle::section`].
    pub async fn page<T: 'static>(
        &self,
        name: &str,
        page: &PageRef,
        decode: impl FnOnce(&str, &[u8]) -> Result<T, BundleError> + 'static,
    ) -> Result<Rc<T>, BundleError> {
        let s = self.inner.manifest.section(name).ok_or_else(|| BundleError::Missing(name.to_owned()))?;
        let wanted = Wanted {
            file: page_file(name, page),
            sha256: page.sha256,
            bytes: page.bytes.into(),
            raw: page.raw.into(),
            encoding: s.page_encoding,
        };
        self.load(wanted, decode).await
    }

    async fn load<T: 'static>(
        &self,
        wanted: Wanted,
        decode: impl FnOnce(&str, &[u8]) -> Result<T, BundleError> + 'static,
    ) -> Result<Rc<T>, BundleError> {
        let file = wanted.file.clone();
        let value = match self.cached(&file) {
            Some(value) => value,
            None => {
                let pending = self.inner.under_way.borrow().get(&file).and_then(WeakShared::upgrade);
                let shared = match pending {
                    Some(shared) => shared,
                    None => {
                        let shared = Rc::clone(&self.inner).fetch(wanted, decode).boxed_local().shared();
                        if let Some(weak) = shared.downgrade() {
                            self.inner.under_way.borrow_mut().insert(file.clone(), weak);
                        }
                        shared
                    }
                };
                shared.await?
            }
        };
        value.downcast::<T>().map_err(|_| BundleError::Corrupt { file, what: "one file is used as two kinds".into() })
    }

    fn cached(&self, file: &str) -> Option<Rc<dyn Any>> {
        self.inner.clock.set(self.inner.clock.get() + 1);
        let mut cache = self.inner.cache.borrow_mut();
        let entry = cache.get_mut(file)?;
        entry.used = self.inner.clock.get();
        Some(Rc::clone(&entry.value))
    }
}

impl Inner {
    async fn fetch<T: 'static>(self: Rc<Self>, w: Wanted, decode: impl FnOnce(&str, &[u8]) -> Result<T, BundleError>) -> Loaded {
        let source_error = |reason| BundleError::Source { file: w.file.clone(), reason };
        let result = async {
            let bytes = self.source.read(&w.file, w.bytes).await.map_err(source_error)?;
            self.requests.set(self.requests.get() + 1);
            self.bytes.set(self.bytes.get() + bytes.len() as u64);
            if bytes.len() as u64 != w.bytes {
                return Err(BundleError::Length { file: w.file.clone(), expected: w.bytes, found: bytes.len() as u64 });
            }
            if content_hash(&bytes) != w.sha256 {
                return Err(BundleError::Hash { file: w.file.clone() });
            }
            let raw = match w.encoding {
                Encoding::Raw => bytes,
                Encoding::Gzip => self.source.inflate(bytes, w.raw).await.map_err(source_error)?,
            };
            let cost = raw.len() as u64;
            let value: Rc<dyn Any> = Rc::new(decode(&w.file, &raw)?);
            Ok((value, cost))
        }
        .await;
        self.under_way.borrow_mut().remove(&w.file);
        let (value, cost) = result?;
        self.keep(w.file, Rc::clone(&value), cost);
        Ok(value)
    }

    fn keep(&self, file: String, value: Rc<dyn Any>, cost: u64) {
        let mut cache = self.cache.borrow_mut();
        let used = self.clock.get();
        cache.insert(file, Cached { value, cost, used });
        let mut total: u64 = cache.values().map(|c| c.cost).sum();
        while total > self.limit && cache.len() > 1 {
            // The name breaks ties, so that eviction does not depend on the map's order.
            let Some(oldest) = cache.iter().min_by_key(|(name, c)| (c.used, (*name).clone())).map(|(name, _)| name.clone()) else { break };
            if let Some(gone) = cache.remove(&oldest) {
                total -= gone.cost;
            }
        }
    }
}
