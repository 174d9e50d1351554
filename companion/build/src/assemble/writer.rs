//! Writing sections and pages: compressed, hashed, named by their content.

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use miniz_oxide::DataFormat;
use miniz_oxide::deflate::core::{CompressionStrategy, CompressorOxide, TDEFLFlush, compress_to_output};
use pocketgraph::bundle::{
    Encoding, PAGE_HASH, PackInfo, PageRef, Part, SectionInfo, content_hash, page_file, section_file,
};
use pocketgraph_native::held_folder::{EntryKind, HeldFolder};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Error of writing a bundle.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The disk refused.
    #[error("cannot write {path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        reason: io::Error,
    },
    /// A file would be longer than the format can say.
    #[error("a file of section {0} would be longer than 4 GiB; split the corpus into several bundles")]
    TooLong(String),
    /// A value could not be encoded.
    #[error(transparent)]
    Encode(#[from] pocketgraph::bundle::BundleError),
}

/// Storage of a section's files.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// The section's own file.
    pub root: Encoding,
    /// Its pages.
    pub pages: Encoding,
}

pub(super) const GZIP: Layout = Layout { root: Encoding::Gzip, pages: Encoding::Gzip };
pub(super) const RAW_PAGES: Layout = Layout { root: Encoding::Gzip, pages: Encoding::Raw };

/// A section's own file up to this many bytes stands in the manifest, which every reader loads: another
/// request would cost more than these bytes do.
const INLINE_BYTES: usize = 1200;

/// A file's name and length.
type StoredFile = (String, u64);

/// Writes sections into a folder and remembers them for the manifest.
pub struct SectionWriter {
    folder: HeldFolder,
    sections: Vec<SectionInfo>,
    /// The files of each section that the folder has: its own, unless the manifest brings it, and its pages,
    /// with their lengths.
    files: BTreeMap<String, (Option<StoredFile>, Vec<StoredFile>)>,
}

/// Compresses as well as a reader believes it: what would inflate further than [`Part::backs`] allows is kept
/// as it is, in a file of the same kind.
fn compress_part(part: Part, parts: &[&[u8]]) -> io::Result<Vec<u8>> {
    let mut best = compress_at(Compression::best(), parts)?;
    if let [numbers] = parts {
        // Head, length and checksum are the same.
        let packed = [&best[..10], &pack_numbers(numbers), &best[best.len() - 8..]].concat();
        best = if packed.len() < best.len() { packed } else { best };
    }
    let raw = parts.iter().map(|p| p.len() as u64).sum();
    if part.backs(best.len() as u64, raw) { Ok(best) } else { compress_at(Compression::none(), parts) }
}

fn compress_at(level: Compression, parts: &[&[u8]]) -> io::Result<Vec<u8>> {
    // No name, no time: the same bytes give the same file.
    let mut out: GzEncoder<Vec<u8>> = GzBuilder::new().mtime(0).write(Vec::new(), level);
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            // Ends the block, so that the next part gets a code of its own.
            out.flush()?;
        }
        out.write_all(part)?;
    }
    out.finish()
}

/// Compresses bytes by their frequencies alone: numbers, which repeat nothing, become a tenth shorter than with
/// references to what came before.
fn pack_numbers(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut state = CompressorOxide::with_params(DataFormat::Raw, 9, CompressionStrategy::HuffmanOnly, 15);
    compress_to_output(&mut state, raw, TDEFLFlush::Finish, |bytes| {
        out.extend_from_slice(bytes);
        true
    });
    out
}

impl SectionWriter {
    /// A writer into an existing, empty folder.
    pub fn new(folder: &HeldFolder) -> Self {
        SectionWriter { folder: folder.clone(), sections: Vec::new(), files: BTreeMap::new() }
    }

    fn error_at(&self, name: &str) -> impl FnOnce(io::Error) -> WriteError + use<> {
        let path = self.folder.path().join(name);
        |reason| WriteError::Io { path, reason }
    }

    fn encode(&self, name: &str, part: Part, raw: &[u8], encoding: Encoding) -> Result<Vec<u8>, WriteError> {
        match encoding {
            Encoding::Raw => Ok(raw.to_vec()),
            Encoding::Gzip => compress_part(part, &[raw]).map_err(self.error_at(name)),
        }
    }

    /// Writes a page of section `name`.
    pub fn page(&self, name: &str, raw: &[u8], encoding: Encoding) -> Result<PageRef, WriteError> {
        self.stored_page(name, &self.encode(name, Part::Page, raw, encoding)?, raw.len())
    }

    /// Writes a page of parts that follow each other and have little in common: each is compressed with a
    /// code of its own.
    pub fn page_of_parts(&self, name: &str, parts: &[&[u8]]) -> Result<PageRef, WriteError> {
        let bytes = compress_part(Part::Page, parts).map_err(self.error_at(name))?;
        self.stored_page(name, &bytes, parts.iter().map(|p| p.len()).sum())
    }

    fn stored_page(&self, name: &str, bytes: &[u8], raw: usize) -> Result<PageRef, WriteError> {
        let length = |n: usize| u32::try_from(n).map_err(|_| WriteError::TooLong(name.to_owned()));
        let mut sha256 = [0; PAGE_HASH];
        sha256.copy_from_slice(&content_hash(bytes)[..PAGE_HASH]);
        let page = PageRef { sha256, bytes: length(bytes.len())?, raw: length(raw)? };
        self.file(&page_file(name, &page), bytes)?;
        Ok(page)
    }

    /// Writes the section's own file, after its `pages`.
    pub fn section(
        &mut self,
        name: &str,
        raw: &[u8],
        layout: Layout,
        pages: &[PageRef],
    ) -> Result<(), WriteError> {
        let bytes = self.encode(name, Part::Root, raw, layout.root)?;
        let sha256 = content_hash(&bytes);
        let file = section_file(name, &sha256);
        let inline = (bytes.len() <= INLINE_BYTES).then(|| bytes.clone());
        if inline.is_none() {
            self.file(&file, &bytes)?;
        }
        let own = inline.is_none().then(|| (file.clone(), bytes.len() as u64));
        let stored = pages.iter().map(|page| (page_file(name, page), u64::from(page.bytes))).collect();
        self.files.insert(name.to_owned(), (own, stored));
        self.sections.push(SectionInfo {
            name: name.to_owned(),
            file,
            bytes: bytes.len() as u64,
            raw: raw.len() as u64,
            sha256,
            encoding: layout.root,
            page_encoding: layout.pages,
            pages: pages.len() as u64,
            page_bytes: pages.iter().map(|p| u64::from(p.bytes)).sum(),
            inline,
        });
        Ok(())
    }

    /// Writes any other file of the bundle: the manifest, the runtime.
    pub fn file(&self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        self.folder.write_file(name.as_ref(), bytes).map_err(self.error_at(name))
    }

    /// Returns true if such a section has been written.
    pub(super) fn has(&self, section: &str) -> bool {
        self.files.contains_key(section)
    }

    /// The files of a section that stand in the folder: its own, and its pages.
    pub(super) fn files_of(&self, section: &str) -> (Option<&StoredFile>, &[StoredFile]) {
        self.files.get(section).map_or((None, &[]), |(own, pages)| (own.as_ref(), pages))
    }

    /// Puts files into one, in their order; they are no longer there by themselves.
    pub(super) fn pack(&self, files: &[StoredFile]) -> Result<PackInfo, WriteError> {
        let mut whole = Vec::new();
        for (name, _) in files {
            let place = Path::new(name);
            whole.extend(self.folder.read_file(place, u64::MAX).map_err(self.error_at(name))?);
            self.folder.remove(place, EntryKind::File).map_err(self.error_at(name))?;
            // The folder of a section's pages goes with the last of them; one that is not empty stays.
            let _ = self.folder.remove(place.parent().unwrap_or(place), EntryKind::Folder);
        }
        let sha256 = content_hash(&whole);
        let file = section_file("pack", &sha256);
        self.file(&file, &whole)?;
        Ok(PackInfo { file, bytes: whole.len() as u64, sha256, holds: files.to_vec() })
    }

    /// Returns the sections written, in order.
    pub fn take_sections(&mut self) -> Vec<SectionInfo> {
        std::mem::take(&mut self.sections)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph::bundle::inflate_gzip;
    use std::io::Read as _;

    #[test]
    fn what_would_inflate_further_than_a_reader_believes_is_stored() {
        let zeros = vec![0; 3 << 20];
        for part in [Part::Root, Part::Page] {
            let file = compress_part(part, &[&zeros]).unwrap();
            assert!(part.backs(file.len() as u64, zeros.len() as u64));
            assert_eq!(inflate_gzip(&file, zeros.len() as u64).unwrap(), zeros);
        }
        assert!(
            compress_part(Part::Root, &[&zeros[..1 << 20]]).unwrap().len() < 2000,
            "small sections may be all zeros"
        );
    }

    #[test]
    fn numbers_that_repeat_nothing_take_as_many_bits_as_they_tell_and_texts_no_more_than_before() {
        // Sums of bits of a fixed sequence, as the components of vectors are spread: 2.5 bits each.
        let mut state = 1u32;
        let numbers: Vec<u8> = (0..200_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24).count_ones() as u8
            })
            .collect();
        let text = "How a bundle is built, and what a bundle is. ".repeat(100).into_bytes();
        for (raw, bits) in [(&numbers, 2.7), (&text, 0.5)] {
            let file = compress_part(Part::Page, &[raw]).unwrap();
            assert_eq!(&inflate_gzip(&file, raw.len() as u64).unwrap(), raw);
            let each = 8.0 * file.len() as f64 / raw.len() as f64;
            assert!(each < bits, "{each} bits for each byte");
        }
        let file = compress_part(Part::Page, &[&numbers]).unwrap();
        let mut inflated = Vec::new();
        flate2::read::GzDecoder::new(&file[..]).read_to_end(&mut inflated).unwrap();
        assert_eq!(inflated, numbers, "another reader agrees on its length and checksum");
    }
}
