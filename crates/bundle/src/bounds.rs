//! Limits on what a bundle may cost. Its figures count only as far as stored bytes back them, so that a file
//! of a few megabytes cannot cost a reader gigabytes.

/// Maximum length of a file of a bundle, as stored or inflated, in bytes.
pub const LONGEST_FILE: u64 = 512 << 20;

/// Maximum length of a manifest in bytes. A host that answers with a film is cut off here.
pub const LONGEST_MANIFEST: u64 = 1 << 20;

/// Maximum number of chunks, and of documents. The vectors of more would take 1.6 GB, which no page can scan.
pub const MOST_CHUNKS: u64 = 1 << 22;

/// Maximum ratio of the terms of a range to its file, in bytes. Front coding writes a shared prefix in a byte
/// or two, so that without a bound some kilobytes would become gigabytes.
pub const MOST_SHARED: usize = 8;

/// Role of a file in its section, which limits how far it may inflate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The section's own file. There are few, and some are lists of zeros for most corpora.
    Root,
    /// A page of a section. There may be thousands.
    Page,
    /// Several files in one, unchanged.
    Pack,
}

impl Part {
    /// Returns true if `stored` bytes may inflate to `raw` bytes: at most 16 times plus a megabyte for a
    /// section's own file, 64 times plus four kilobytes for a page, and not at all for a pack. Deflate can
    /// reach 1,032 times; writers leave what compresses further than these limits uncompressed.
    pub fn backs(self, stored: u64, raw: u64) -> bool {
        let (times, besides) = match self {
            Part::Root => (16, 1 << 20),
            Part::Page => (64, 4 << 10),
            Part::Pack => (1, 0),
        };
        stored.max(raw) <= LONGEST_FILE && raw <= stored.saturating_mul(times).saturating_add(besides)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_inflates_further_than_its_bytes_back_is_refused() {
        assert!(Part::Root.backs(100, 1 << 20) && Part::Page.backs(100, 10_000));
        assert!(!Part::Root.backs(3_100_000, 3 << 30) && !Part::Root.backs(100, (1 << 20) + 1601));
        assert!(!Part::Page.backs(100, 10_497) && Part::Page.backs(100, 10_496));
        assert!(!Part::Root.backs(LONGEST_FILE, LONGEST_FILE + 1) && !Part::Page.backs(u64::MAX, u64::MAX));
    }
}
