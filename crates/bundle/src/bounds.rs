//! Limits on what a bundle may cost. Its own figures count only as far as stored bytes back them: a file of a few megabytes must not cost
//! a reader gigabytes.

/// No file of a bundle is longer, as stored or inflated, in bytes.
pub const LONGEST_FILE: u64 = 512 << 20;

/// No manifest is longer, in bytes; a host that answers with a film is cut off here.
pub const LONGEST_MANIFEST: u64 = 1 << 20;

/// No bundle has more chunks, or more documents. Their vectors alone would take 1.6 GB, which no page can scan.
pub const MOST_CHUNKS: u64 = 1 << 22;

/// Together the terms of a range are at most so many times as long as the range's file: front coding writes what a term shares with the one before it
/// in a byte or two, so that without a bound some kilobytes would become gigabytes.
pub const MOST_SHARED: usize = 8;

/// Role of a file in its section, which limits how well it may be compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The section's own file. There are few, and some are lists of zeros for most corpora.
    Root,
    /// A page of it. There may be thousands.
    Page,
    /// Several of these in one file, as they are.
    Pack,
}

impl Part {
    /// Returns true if `stored` bytes may inflate to `raw` bytes: at most 16 times plus a megabyte for a section's own file; 64 times plus four
    /// kilobytes for a page; a pack is not compressed. Deflate can do 1,032 times, and what compresses so well is written without compression ([`Part::backs`] is what decides that, too).
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
