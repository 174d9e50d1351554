//! Opens a bundle and loads its files: checked, once, within a memory limit.

use super::bounds::{LONGEST_MANIFEST, Part};
use super::error::BundleError;
use super::manifest::{Encoding, MANIFEST, Manifest};
use super::pages::{PageRef, PagedIndex, page_file};
use super::runs::{Runs, Wanted as WantedPage, decode_list, pick_pages};
use super::source::Source;
use crate::compact::{Map, join_all};
use futures::future::{FutureExt, LocalBoxFuture, WeakShared, ready};
use sha2::{Digest, Sha256};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Number of bytes hashed at once: about a millisecond in a page, more before the code is optimised.
const HASHED_AT_ONCE: usize = 64 << 10;

/// Returns the SHA-256 of bytes.
pub fn content_hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Amount loaded so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Number of files read from the source.
    pub requests: u64,
    /// Bytes of these files as stored.
    pub bytes: u64,
    /// Bytes of decoded files held in memory.
    pub memory: u64,
}

type Loaded = Result<Rc<dyn Any>, BundleError>;

/// Decoder without its type, so that loading is compiled once. It is called until it returns a value.
type Decode = Box<dyn FnMut(&str, &[u8]) -> Option<Loaded>>;

fn erase_type<T: 'static>(decode: impl FnOnce(&str, &[u8]) -> Result<T, BundleError> + 'static) -> Decode {
    let mut decode = Some(decode);
    Box::new(move |file, bytes| Some(decode.take()?(file, bytes).map(|value| Rc::new(value) as Rc<dyn Any>)))
}

fn erase_step_type<T: 'static>(
    mut step: impl FnMut(&str, &[u8]) -> Result<Option<T>, BundleError> + 'static,
) -> Decode {
    Box::new(move |file, bytes| {
        step(file, bytes).transpose().map(|done| done.map(|value| Rc::new(value) as Rc<dyn Any>))
    })
}

fn restore_type<T: 'static>(name: &str, loaded: Loaded) -> Result<Rc<T>, BundleError> {
    loaded?.downcast().map_err(|_| two_kinds(name))
}

fn two_kinds(name: &str) -> BundleError {
    BundleError::Corrupt { file: name.to_owned(), what: "one file is used as two kinds".into() }
}

/// Returns the cache key of a decoded page: its file and all that its list states about it.
fn page_key(file: &str, page: &PageRef, items: u32) -> String {
    use std::fmt::Write;
    let mut key = String::with_capacity(file.len() + 48);
    key.push_str(file);
    for n in [items, page.bytes, page.raw] {
        let _ = write!(key, " {n}");
    }
    page.sha256.iter().for_each(|b| _ = write!(key, "{b:02x}"));
    key
}

struct Cached {
    value: Rc<dyn Any>,
    cost: u64,
    used: u64,
}

struct Inner {
    source: Rc<dyn Source>,
    manifest: Manifest,
    limit: u64,
    cache: RefCell<Map<String, Cached>>,
    // Requests under way, so that two questions fetch a page once. Weak: a request ends with its last waiter.
    under_way: RefCell<Map<String, WeakShared<LocalBoxFuture<'static, Loaded>>>>,
    clock: Cell<u64>,
    requests: Cell<u64>,
    bytes: Cell<u64>,
}

/// An open bundle. Cloning shares the cache.
#[derive(Clone)]
pub struct Bundle {
    inner: Rc<Inner>,
}

/// Result of loading pages together.
pub struct Pages<T> {
    /// The pages by number.
    pub loaded: Map<usize, Rc<T>>,
    /// Errors of the pages that could not be loaded.
    pub failed: Vec<BundleError>,
}

impl<T> Pages<T> {
    /// Describes what could not be loaded.
    pub fn missing(&self) -> Vec<String> {
        self.failed.iter().map(BundleError::to_string).collect()
    }
}

struct Wanted {
    /// Key of the decoded file: a section's name; for a page, its file with all that its list states about
    /// it. Several lists may name a file, and each entry is decoded and checked on its own.
    key: String,
    part: Part,
    file: String,
    /// SHA-256 that the file must have, or its beginning.
    sha256: Vec<u8>,
    bytes: u64,
    raw: u64,
    encoding: Encoding,
}

impl Bundle {
    /// Reads the manifest. `limit` bounds the decoded bytes in memory; the least recently used files go
    /// first. Fails if the manifest cannot be read or is for another reader.
    pub async fn open(source: Rc<dyn Source>, limit: u64) -> Result<Bundle, BundleError> {
        let bytes = source
            .read(MANIFEST, LONGEST_MANIFEST)
            .await
            .map_err(|reason| BundleError::Source { file: MANIFEST.to_owned(), reason })?;
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

    /// Returns the manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.inner.manifest
    }

    /// Returns true if the bundle has a section of this name.
    pub fn has(&self, section: &str) -> bool {
        self.inner.manifest.section(section).is_some()
    }

    /// Returns the amount loaded so far.
    pub fn stats(&self) -> Stats {
        Stats {
            requests: self.inner.requests.get(),
            bytes: self.inner.bytes.get(),
            memory: self.inner.cache.borrow().values().map(|c| c.cost).sum(),
        }
    }

    /// Loads a section's file, checks, inflates and decodes it by `decode(file name, bytes)`, and caches it.
    ///
    /// # Errors
    /// [`BundleError`] if the section is absent, cannot be read, is not what the manifest names, or does not
    /// decode.
    pub async fn section<T: 'static>(
        &self,
        name: &str,
        decode: impl FnOnce(&str, &[u8]) -> Result<T, BundleError> + 'static,
    ) -> Result<Rc<T>, BundleError> {
        restore_type(name, self.load_section(name, erase_type(decode)).await)
    }

    /// Loads a section that takes long to decode: calls `step(file name, bytes)` until it returns a value,
    /// and yields the thread between two calls. Fails as [`Bundle::section`] does.
    pub async fn section_in_steps<T: 'static>(
        &self,
        name: &str,
        step: impl FnMut(&str, &[u8]) -> Result<Option<T>, BundleError> + 'static,
    ) -> Result<Rc<T>, BundleError> {
        restore_type(name, self.load_section(name, erase_step_type(step)).await)
    }

    /// Yields the thread if this work shares it with a page and has held it for long. See [`Source::pause`].
    pub async fn pause(&self) {
        self.inner.pause().await;
    }

    /// Loads a page of the section `name`, which must hold `items` items, as [`Bundle::section`] does.
    pub async fn page<T: 'static>(
        &self,
        name: &str,
        page: &PageRef,
        items: u32,
        decode: impl FnOnce(&str, &[u8]) -> Result<T, BundleError> + 'static,
    ) -> Result<Rc<T>, BundleError> {
        restore_type(name, self.load_page(name, page, items, erase_type(decode)).await)
    }

    /// Loads the pages `numbers` of the section `name` together; skips numbers beyond the index. `decode`
    /// gets the number of items that its page must hold, the file's name and its bytes.
    pub async fn pages<T: 'static>(
        &self,
        name: &str,
        index: &PagedIndex,
        numbers: &[usize],
        decode: impl Fn(u32, &str, &[u8]) -> Result<T, BundleError> + Clone + 'static,
    ) -> Pages<T> {
        let decoder = |items: u32| {
            let decode = decode.clone();
            erase_type(move |file: &str, bytes: &[u8]| decode(items, file, bytes))
        };
        let mut out = Pages { loaded: Map::new(), failed: Vec::new() };
        for (number, loaded) in self.load_pages(name, index, numbers, &decoder).await {
            match restore_type(name, loaded) {
                Ok(page) => out.loaded.insert(number, page),
                Err(e) => out.failed.push(e),
            }
        }
        out
    }

    /// Loads the pages of section `name` that hold `items`. `index` names them, or, if `lists` is given, the
    /// pages of that section, which name them. All lists are loaded together, then all pages.
    pub async fn runs<T: 'static>(
        &self,
        name: &str,
        index: &PagedIndex,
        lists: Option<&str>,
        items: &[u32],
        decode: impl Fn(u32, &str, &[u8]) -> Result<T, BundleError> + Clone + 'static,
    ) -> Runs<T> {
        let (wanted, failed) = self.find_wanted(index, lists, items).await;
        let load = |(_, items, page): &WantedPage| {
            let (decode, items) = (decode.clone(), *items);
            self.load_page(
                name,
                page,
                items,
                erase_type(move |file: &str, bytes: &[u8]| decode(items, file, bytes)),
            )
        };
        let loaded = join_all(wanted.iter().map(load).collect()).await;
        let mut out = Runs { runs: Vec::new(), failed };
        for ((first, ..), loaded) in wanted.iter().zip(loaded) {
            match restore_type(name, loaded) {
                Ok(page) => out.runs.push((*first, page)),
                Err(e) => out.failed.push(e),
            }
        }
        out
    }

    async fn find_wanted(
        &self,
        index: &PagedIndex,
        lists: Option<&str>,
        items: &[u32],
    ) -> (Vec<WantedPage>, Vec<BundleError>) {
        let mut out = Vec::new();
        let Some(lists) = lists else {
            pick_pages(index, 0, items, &mut out);
            return (out, Vec::new());
        };
        let loaded = self.pages(lists, index, index.pages_of(items).items(), decode_list).await;
        for (&number, list) in loaded.loaded.iter() {
            pick_pages(list, index.first.get(number).copied().unwrap_or(0), items, &mut out);
        }
        (out, loaded.failed)
    }

    fn load_pages<'a>(
        &'a self,
        name: &'a str,
        index: &'a PagedIndex,
        numbers: &'a [usize],
        decoder: &'a dyn Fn(u32) -> Decode,
    ) -> LocalBoxFuture<'a, Vec<(usize, Loaded)>> {
        async move {
            let known: Vec<usize> = numbers.iter().copied().filter(|&n| n < index.pages.len()).collect();
            let load = |&n: &usize| {
                let items = index.first[n + 1] - index.first[n];
                self.load_page(name, &index.pages[n], items, decoder(items))
            };
            let loaded = join_all(known.iter().map(load).collect()).await;
            known.into_iter().zip(loaded).collect()
        }
        .boxed_local()
    }

    fn load_section(&self, name: &str, decode: Decode) -> LocalBoxFuture<'static, Loaded> {
        match self.inner.manifest.section(name) {
            None => ready(Err(BundleError::Missing(name.to_owned()))).boxed_local(),
            Some(s) => self.load_file(
                Wanted {
                    key: name.to_owned(),
                    part: Part::Root,
                    file: s.file.clone(),
                    sha256: s.sha256.to_vec(),
                    bytes: s.bytes,
                    raw: s.raw,
                    encoding: s.encoding,
                },
                decode,
            ),
        }
    }

    fn load_page(
        &self,
        name: &str,
        page: &PageRef,
        items: u32,
        decode: Decode,
    ) -> LocalBoxFuture<'static, Loaded> {
        match self.inner.manifest.section(name) {
            None => ready(Err(BundleError::Missing(name.to_owned()))).boxed_local(),
            Some(s) => {
                let file = page_file(name, page);
                let wanted = Wanted {
                    key: page_key(&file, page, items),
                    part: Part::Page,
                    file,
                    sha256: page.sha256.to_vec(),
                    bytes: page.bytes.into(),
                    raw: page.raw.into(),
                    encoding: s.page_encoding,
                };
                self.load_file(wanted, decode)
            }
        }
    }

    /// Takes the file from memory, a request under way, or a new one. Nothing starts before it is polled.
    fn load_file(&self, wanted: Wanted, decode: Decode) -> LocalBoxFuture<'static, Loaded> {
        let bundle = self.clone();
        async move {
            if let Some(value) = bundle.find_cached(&wanted.key) {
                return Ok(value);
            }
            let pending = bundle.inner.under_way.borrow().get(&wanted.key).and_then(WeakShared::upgrade);
            let shared = match pending {
                Some(shared) => shared,
                None => {
                    let key = wanted.key.clone();
                    let shared = Rc::clone(&bundle.inner).fetch_file(wanted, decode).boxed_local().shared();
                    if let Some(weak) = shared.downgrade() {
                        bundle.inner.under_way.borrow_mut().insert(key, weak);
                    }
                    shared
                }
            };
            shared.await
        }
        .boxed_local()
    }

    fn find_cached(&self, key: &str) -> Option<Rc<dyn Any>> {
        self.inner.clock.set(self.inner.clock.get() + 1);
        let mut cache = self.inner.cache.borrow_mut();
        let entry = cache.get_mut(key)?;
        entry.used = self.inner.clock.get();
        Some(Rc::clone(&entry.value))
    }
}

impl Inner {
    async fn pause(&self) {
        if let Some(pause) = self.source.pause() {
            pause.await;
        }
    }

    async fn matches_hash(&self, bytes: &[u8], sha256: &[u8]) -> bool {
        let mut hash = Sha256::new();
        for piece in bytes.chunks(HASHED_AT_ONCE) {
            self.pause().await;
            hash.update(piece);
        }
        hash.finalize().starts_with(sha256)
    }

    /// Returns the bytes of a file in a pack, which is loaded whole and once. A pack is never in another.
    async fn read_unpacked(self: &Rc<Self>, w: &Wanted) -> Result<Option<Vec<u8>>, BundleError> {
        let Some((pack, start)) = self.manifest.pack_of(&w.file).filter(|_| w.part != Part::Pack) else {
            return Ok(None);
        };
        let wanted = Wanted {
            key: ["pack ", &pack.file].concat(),
            part: Part::Pack,
            file: pack.file.clone(),
            sha256: pack.sha256.to_vec(),
            bytes: pack.bytes,
            raw: pack.bytes,
            encoding: Encoding::Raw,
        };
        let whole = Bundle { inner: Rc::clone(self) }
            .load_file(wanted, erase_type(|_, bytes| Ok(bytes.to_vec())))
            .await;
        let whole: Rc<Vec<u8>> = restore_type(&pack.file, whole)?;
        // A file beyond its pack's end has no bytes, and so the wrong length.
        let end = start.saturating_add(w.bytes);
        Ok(Some(whole.get(start as usize..end as usize).unwrap_or_default().to_vec()))
    }

    async fn fetch_file(self: Rc<Self>, w: Wanted, mut decode: Decode) -> Loaded {
        let source_error = |reason| BundleError::Source { file: w.file.clone(), reason };
        let result = async {
            // A file that is not compressed has its stored length, whatever else its manifest states.
            let raw = if w.encoding == Encoding::Raw { w.bytes } else { w.raw };
            if !w.part.backs(w.bytes, raw) {
                return Err(BundleError::Corrupt {
                    file: w.file.clone(),
                    what: "it would be larger than its stored bytes can back".into(),
                });
            }
            // A browser takes half a millisecond to request a file, and many may be wanted at once.
            self.pause().await;
            // The manifest contains some files.
            let inline = if matches!(w.part, Part::Root) {
                self.manifest.section(&w.key).and_then(|s| s.inline.clone())
            } else {
                None
            };
            let bytes = match inline {
                Some(bytes) => bytes,
                None => match self.read_unpacked(&w).await? {
                    Some(bytes) => bytes,
                    None => {
                        let bytes = self.source.read(&w.file, w.bytes).await.map_err(source_error)?;
                        self.requests.set(self.requests.get() + 1);
                        self.bytes.set(self.bytes.get() + bytes.len() as u64);
                        bytes
                    }
                },
            };
            if bytes.len() as u64 != w.bytes {
                return Err(BundleError::Length {
                    file: w.file.clone(),
                    expected: w.bytes,
                    found: bytes.len() as u64,
                });
            }
            if !self.matches_hash(&bytes, &w.sha256).await {
                return Err(BundleError::Hash { file: w.file.clone() });
            }
            let raw = match w.encoding {
                Encoding::Raw => bytes,
                Encoding::Gzip => self.source.inflate(bytes, w.raw).await.map_err(source_error)?,
            };
            let cost = raw.len() as u64;
            loop {
                self.pause().await;
                if let Some(decoded) = decode(&w.file, &raw) {
                    return Ok((decoded?, cost));
                }
            }
        }
        .await;
        self.under_way.borrow_mut().remove(&w.key);
        let (value, cost) = result?;
        self.keep_decoded(w.key, Rc::clone(&value), cost);
        Ok(value)
    }

    fn keep_decoded(&self, key: String, value: Rc<dyn Any>, cost: u64) {
        let mut cache = self.cache.borrow_mut();
        let used = self.clock.get();
        cache.insert(key, Cached { value, cost, used });
        let mut total: u64 = cache.values().map(|c| c.cost).sum();
        while total > self.limit && cache.len() > 1 {
            // The first by key of equally old files goes.
            let Some(oldest) = cache.iter().min_by_key(|(_, c)| c.used).map(|(name, _)| name.clone()) else {
                break;
            };
            if let Some(gone) = cache.remove(&oldest) {
                total -= gone.cost;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "reader_tests.rs"]
mod tests;
