//! How much text a file may make, so that a small one cannot fill the memory or the bundle.

use std::cell::Cell;

/// Bytes that may still be written for one file. What a file names once it may have written as often as it
/// likes: a cell over many rows, a part that is referenced, a file that is brought in. Each writing takes
/// from the allowance, whoever does it, and nothing is written once it is spent.
#[derive(Debug, Default)]
pub(crate) struct Allowance {
    times: usize,
    left: Cell<usize>,
    spent: Cell<bool>,
}

impl Allowance {
    /// Text and markup made of a file, as a multiple of its size: packed files hold a few times their size,
    /// and marks of our own come on top.
    const TIMES: usize = 16;

    /// Bytes on top of that, for small files.
    const BESIDES: usize = 512 << 10;

    /// Text kept of a file, as a multiple of its size: a bundle takes about two bytes for each of plain text.
    const KEPT_TIMES: usize = 5;

    /// Bytes of kept text on top of that.
    const KEPT_BESIDES: usize = 256 << 10;

    /// Bytes that a passage takes in a bundle besides its text: most are its vector and its sketch.
    pub const PASSAGE: usize = 512;

    /// Bytes on top of a file's own length that names with values may add to it.
    const BESIDES_FOR_NAMES: usize = 64 << 10;

    /// The allowance of a file of so many bytes.
    pub fn of_file(bytes: usize) -> Allowance {
        Allowance::of(Self::TIMES, bytes, Self::BESIDES)
    }

    /// Returns the allowance for the text that is kept of a file of so many bytes.
    pub fn of_kept_text(bytes: usize) -> Allowance {
        Allowance::of(Self::KEPT_TIMES, bytes, Self::KEPT_BESIDES)
    }

    /// Returns the allowance for what a file of so many bytes adds to the bundle.
    pub fn of_bundle(bytes: usize) -> Allowance {
        Allowance::of(20, bytes, 1 << 20)
    }

    /// Returns the allowance for passages of one section each, whose names, labels and sentences take as much
    /// again.
    pub fn of_sections(bytes: usize) -> Allowance {
        Allowance::of(8, bytes, 256 << 10)
    }

    /// The allowance for values that `source` gives names to: as much as its length and a little. Names
    /// without any left are shown as they are written.
    pub fn of_names(source: &str) -> Allowance {
        Allowance::of(1, source.len(), Self::BESIDES_FOR_NAMES)
    }

    fn of(times: usize, bytes: usize, besides: usize) -> Allowance {
        let left = Cell::new(bytes.saturating_mul(times).saturating_add(besides));
        Allowance { times, left, spent: Cell::new(false) }
    }

    /// Takes so many bytes, if there are that many left.
    pub fn take(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or(self.left.get()));
        self.spent.set(self.spent.get() || left.is_none());
        left.is_some()
    }

    /// Returns true if more was asked for than there was.
    pub fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// Refuses a file that asked for more.
    pub fn check(&self) -> Result<(), String> {
        if self.is_spent() { Err(format!("makes more than {} times its size", self.times)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_adds_no_more_than_the_file_and_a_little() {
        let allowance = Allowance::of_names(&"x".repeat(1000));
        let taken = (0..1_000_000).take_while(|_| allowance.take(500)).count();
        assert_eq!(taken, (1000 + Allowance::BESIDES_FOR_NAMES) / 500);
        assert!(allowance.take(0) && allowance.take(1), "what still fits is still put in");
    }

    #[test]
    fn a_file_over_its_allowance_is_refused_whatever_still_fits() {
        let allowance = Allowance::of_file(10);
        assert!(allowance.take(10) && allowance.check().is_ok());
        assert!(!allowance.take(1 << 30) && allowance.take(1) && allowance.check().is_err());
    }
}
