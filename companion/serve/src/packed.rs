//! Files in gzip: each is compressed once, however often it is asked for, and what is kept has a bound.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use tokio::sync::OnceCell;

/// The file at a path, as it was at a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Version {
    pub(super) path: PathBuf,
    /// Bytes as they are.
    pub(super) length: u64,
    /// Time of the last change, in nanoseconds since 1970.
    pub(super) changed: u128,
}

/// Compressed files, at most so many bytes of them. What readers still wait for counts, too: where all of it is wanted, a further file is not
/// compressed.
#[derive(Debug)]
pub(super) struct Packed {
    most_bytes: u64,
    kept: Mutex<CachedFile>,
    /// One at a time: two large files at once would take two compressors' memory.
    compressing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct CachedFile {
    files: HashMap<Version, Entry>,
    /// The sum of what the files take, or may come to take.
    bytes: u64,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    content: Arc<OnceCell<Bytes>>,
    takes: u64,
    asked: u64,
}

impl Entry {
    /// Returns true if nobody reads these bytes or waits for them.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.content) == 1 && self.content.get().is_none_or(Bytes::is_unique)
    }
}

impl Packed {
    pub(super) fn new(most_bytes: u64) -> Packed {
        Packed { most_bytes, kept: Mutex::default(), compressing: tokio::sync::Mutex::default() }
    }

    /// A file in gzip, where `open` reads it; `None` where there is no room for it.
    ///
    /// # Errors
    /// Those of reading.
    pub(super) async fn of(&self, version: Version, open: std::fs::File) -> io::Result<Option<Bytes>> {
        let Some(content) = self.place_for(&version) else { return Ok(None) };
        let made = content
            .get_or_try_init(|| async {
                let _turn = self.compressing.lock().await;
                let length = version.length;
                tokio::task::spawn_blocking(move || gzip(open, length)).await.map_err(io::Error::other)?.map(Bytes::from)
            })
            .await;
        let made = match made.cloned() {
            Ok(bytes) => bytes,
            Err(error) => {
                drop(content);
                self.forget(&version);
                return Err(error);
            }
        };
        self.settle(&version, made.len() as u64);
        Ok(Some(made))
    }

    fn lock(&self) -> MutexGuard<'_, CachedFile> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the place for this file's bytes. Room for the uncompressed file is reserved until its length is known.
    fn place_for(&self, version: &Version) -> Option<Arc<OnceCell<Bytes>>> {
        let mut kept = self.lock();
        kept.clock += 1;
        let now = kept.clock;
        if let Some(entry) = kept.files.get_mut(version) {
            entry.asked = now;
            return Some(entry.content.clone());
        }
        // An earlier version of the file will not be asked for again.
        kept.drop_where(|other| other.path == version.path);
        let takes = at_most(version.length);
        while kept.bytes + takes > self.most_bytes {
            let oldest = kept.files.iter().filter(|(_, entry)| entry.is_idle()).min_by_key(|(_, entry)| entry.asked);
            let oldest = oldest.map(|(version, _)| version.clone())?;
            kept.drop_where(|other| *other == oldest);
        }
        let content = Arc::<OnceCell<Bytes>>::default();
        kept.bytes += takes;
        kept.files.insert(version.clone(), Entry { content: content.clone(), takes, asked: now });
        Some(content)
    }

    /// Gives back the room that compressing saved.
    fn settle(&self, version: &Version, length: u64) {
        let mut kept = self.lock();
        let Some(entry) = kept.files.get_mut(version) else { return };
        let before = std::mem::replace(&mut entry.takes, length);
        kept.bytes = kept.bytes - before + length;
    }

    fn forget(&self, version: &Version) {
        self.lock().drop_where(|other| other == version);
    }
}

impl CachedFile {
    /// Drops idle files that `which` names; what is being read stays counted.
    fn drop_where(&mut self, which: impl Fn(&Version) -> bool) {
        let CachedFile { files, bytes, .. } = self;
        files.retain(|version, entry| {
            let goes = which(version) && entry.is_idle();
            if goes {
                *bytes -= entry.takes;
            }
            !goes
        });
    }
}

/// Returns the maximum length of `length` bytes after gzip, which is a little more.
fn at_most(length: u64) -> u64 {
    length + length / 1000 + 64
}

/// The first `length` bytes of a file, compressed; read in pieces, so that they do not stand in memory beside the result.
fn gzip(file: std::fs::File, length: u64) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    io::copy(&mut file.take(length), &mut encoder)?;
    let mut packed = encoder.finish()?;
    packed.shrink_to_fit();
    Ok(packed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    /// A file of bytes that hardly compress, and its version.
    fn file(dir: &std::path::Path, name: &str, length: u64) -> (Version, PathBuf) {
        let path = dir.join(name);
        let mut state = 1_u64;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .take(length as usize)
        .collect();
        std::fs::write(&path, bytes).unwrap();
        (Version { path: path.clone(), length, changed: 0 }, path)
    }

    fn open(path: &PathBuf) -> std::fs::File {
        std::fs::File::open(path).unwrap()
    }

    #[tokio::test]
    async fn a_file_is_compressed_once_for_all_who_ask_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let packed = Packed::new(1 << 20);
        let (version, path) = file(dir.path(), "a.js", 10_000);
        let all = futures::future::join_all((0..50).map(|_| packed.of(version.clone(), open(&path)))).await;
        let places: std::collections::BTreeSet<usize> = all.into_iter().map(|bytes| bytes.unwrap().unwrap().as_ptr() as usize).collect();
        assert_eq!(places.len(), 1, "all have the same bytes in memory");
    }

    #[tokio::test]
    async fn what_is_kept_stays_below_its_bound_and_the_longest_unasked_goes_first() {
        let dir = tempfile::tempdir().unwrap();
        let packed = Packed::new(25_000);
        let files: Vec<_> = (0..3).map(|i| file(dir.path(), &format!("{i}.js"), 10_000)).collect();
        for (version, path) in [&files[0], &files[1], &files[0], &files[2]] {
            assert!(packed.of(version.clone(), open(path)).await.unwrap().is_some());
            assert!(packed.lock().bytes <= 25_000);
        }
        let kept = |i: usize| packed.lock().files.contains_key(&files[i].0);
        assert_eq!([kept(0), kept(1), kept(2)], [true, false, true]);
    }

    #[tokio::test]
    async fn what_is_being_read_is_neither_dropped_nor_forgotten_in_the_sum() {
        let dir = tempfile::tempdir().unwrap();
        let packed = Packed::new(15_000);
        let (first, second) = (file(dir.path(), "a.js", 10_000), file(dir.path(), "b.js", 10_000));
        let reading = packed.of(first.0.clone(), open(&first.1)).await.unwrap().unwrap();
        assert!(packed.of(second.0.clone(), open(&second.1)).await.unwrap().is_none(), "there is no room beside what is being read");
        drop(reading);
        assert!(packed.of(second.0, open(&second.1)).await.unwrap().is_some());
        assert!(packed.of(Version { length: 1 << 40, ..first.0 }, open(&first.1)).await.unwrap().is_none());
    }
}
