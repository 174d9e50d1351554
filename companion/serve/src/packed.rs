//! Compresses files to gzip: each once, however often it is requested, in bounded memory.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use tokio::sync::OnceCell;

/// A file at a point in time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Version {
    pub(super) path: PathBuf,
    /// Uncompressed size in bytes.
    pub(super) length: u64,
    /// Time of the last change, in nanoseconds since 1970.
    pub(super) changed: u128,
}

/// Compressed files, up to a number of bytes. Files that readers still wait for count, too: if all bytes are
/// in use, a further file is not compressed.
#[derive(Debug)]
pub(super) struct Packed {
    most_bytes: u64,
    kept: Mutex<CachedFile>,
    /// Allows one compression at a time, to bound the memory of compressors.
    compressing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct CachedFile {
    files: HashMap<Version, Entry>,
    /// Sum of the bytes that the files take or may take.
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
    /// Returns true if no reader uses these bytes or waits for them.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.content) == 1 && self.content.get().is_none_or(Bytes::is_unique)
    }
}

impl Packed {
    pub(super) fn new(most_bytes: u64) -> Packed {
        Packed { most_bytes, kept: Mutex::default(), compressing: tokio::sync::Mutex::default() }
    }

    /// Returns the gzip form of the file `open`; `None` if there is no room for it.
    pub(super) async fn of(&self, version: Version, open: std::fs::File) -> io::Result<Option<Bytes>> {
        let Some(content) = self.place_for(&version) else { return Ok(None) };
        let made = content
            .get_or_try_init(|| async {
                let _turn = self.compressing.lock().await;
                let length = version.length;
                tokio::task::spawn_blocking(move || compress_file(open, length))
                    .await
                    .map_err(io::Error::other)?
                    .map(Bytes::from)
            })
            .await;
        let made = match made.cloned() {
            Ok(bytes) => bytes,
            Err(error) => {
                drop(content);
                self.lock().drop_where(|other| *other == version);
                return Err(error);
            }
        };
        self.release_room(&version, made.len() as u64);
        Ok(Some(made))
    }

    fn lock(&self) -> MutexGuard<'_, CachedFile> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the place for this file's bytes. Room for the uncompressed file is reserved until its length
    /// is known.
    fn place_for(&self, version: &Version) -> Option<Arc<OnceCell<Bytes>>> {
        let mut kept = self.lock();
        kept.clock += 1;
        let now = kept.clock;
        if let Some(entry) = kept.files.get_mut(version) {
            entry.asked = now;
            return Some(entry.content.clone());
        }
        // An earlier version of the file will not be requested again.
        kept.drop_where(|other| other.path == version.path);
        let takes = at_most(version.length);
        while kept.bytes + takes > self.most_bytes {
            let oldest =
                kept.files.iter().filter(|(_, entry)| entry.is_idle()).min_by_key(|(_, entry)| entry.asked);
            let oldest = oldest.map(|(version, _)| version.clone())?;
            kept.drop_where(|other| *other == oldest);
        }
        let content = Arc::<OnceCell<Bytes>>::default();
        kept.bytes += takes;
        kept.files.insert(version.clone(), Entry { content: content.clone(), takes, asked: now });
        Some(content)
    }

    /// Releases the reserved bytes that compression saved.
    fn release_room(&self, version: &Version, length: u64) {
        let mut kept = self.lock();
        let Some(entry) = kept.files.get_mut(version) else { return };
        let before = std::mem::replace(&mut entry.takes, length);
        kept.bytes = kept.bytes - before + length;
    }
}

impl CachedFile {
    /// Drops idle files for which `which` is true; files in use stay counted.
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

/// Returns the maximum gzip size of `length` bytes, which is a little more.
fn at_most(length: u64) -> u64 {
    length + length / 1000 + 64
}

/// Compresses the first `length` bytes of a file, read in pieces to save memory.
fn compress_file(file: std::fs::File, length: u64) -> io::Result<Vec<u8>> {
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
        let places: std::collections::BTreeSet<usize> =
            all.into_iter().map(|bytes| bytes.unwrap().unwrap().as_ptr() as usize).collect();
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
        assert!(
            packed.of(second.0.clone(), open(&second.1)).await.unwrap().is_none(),
            "there is no room beside what is being read"
        );
        drop(reading);
        assert!(packed.of(second.0, open(&second.1)).await.unwrap().is_some());
        assert!(packed.of(Version { length: 1 << 40, ..first.0 }, open(&first.1)).await.unwrap().is_none());
    }
}
