//! Many short strings in one allocation, and runs of items that belong to one owner.

use crate::bundle::{BundleError, Bytes, put_varint};
use std::ops::Range;

/// List of strings that share one buffer: two allocations for any number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    /// Appends a string and returns its place; `None` if the buffer would exceed 4 GB.
    pub fn push(&mut self, s: &str) -> Option<u32> {
        let end = u32::try_from(self.text.len().checked_add(s.len())?).ok()?;
        let at = u32::try_from(self.ends.len()).ok()?;
        self.text.push_str(s);
        self.ends.push(end);
        Some(at)
    }

    /// Returns the string at place `i`; empty beyond the end.
    pub fn get(&self, i: usize) -> &str {
        let Some(&end) = self.ends.get(i) else { return "" };
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start as usize..end as usize]
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Iterates over all of them in order.
    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Appends number, lengths and bytes.
    pub fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, self.ends.len() as u32);
        let mut last = 0;
        for &end in &self.ends {
            put_varint(out, end - last);
            last = end;
        }
        out.extend_from_slice(self.text.as_bytes());
    }

    /// Reads the output of [`Strings::put`].
    pub fn take(b: &mut Bytes<'_>) -> Result<Self, BundleError> {
        let n = b.count(1)?;
        let mut ends = Vec::with_capacity(n);
        let mut total = 0u32;
        for _ in 0..n {
            total = total
                .checked_add(b.varint()?)
                .ok_or_else(|| b.corrupt("strings are longer than the file"))?;
            ends.push(total);
        }
        let text =
            std::str::from_utf8(b.take(total as usize)?).map_err(|_| b.corrupt("a string is not UTF-8"))?;
        if ends.iter().any(|&e| !text.is_char_boundary(e as usize)) {
            return Err(b.corrupt("a string ends inside a character"));
        }
        Ok(Strings { text: text.to_owned(), ends })
    }
}

/// Owners of items in a flat list: owner i has the places `ends[i - 1]..ends[i]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Runs {
    ends: Vec<u32>,
}

impl Runs {
    /// Ends the run of the next owner at `end`, which must not fall.
    pub fn push(&mut self, end: usize) {
        debug_assert!(self.ends.last().is_none_or(|&l| l as usize <= end));
        self.ends.push(end as u32);
    }

    /// Returns the places of owner `i`; none beyond the end.
    pub fn range(&self, i: usize) -> Range<usize> {
        let Some(&end) = self.ends.get(i) else { return 0..0 };
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        start as usize..end as usize
    }

    /// Returns the owner of a place; `None` if there is none.
    pub fn owner(&self, place: usize) -> Option<u32> {
        let at = self.ends.partition_point(|&end| end as usize <= place);
        (at < self.ends.len()).then_some(at as u32)
    }

    /// Number of owners.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_read_back(all in prop::collection::vec(".{0,12}", 0..20)) {
            let mut strings = Strings::default();
            for s in &all {
                strings.push(s).unwrap();
            }
            let mut out = Vec::new();
            strings.put(&mut out);
            let mut b = Bytes::new("t", &out);
            let back = Strings::take(&mut b).unwrap();
            prop_assert!(b.end().is_ok());
            prop_assert_eq!(
                back.iter().collect::<Vec<_>>(),
                all.iter().map(String::as_str).collect::<Vec<_>>()
            );
            prop_assert_eq!(back.get(all.len()), "");
        }

        #[test]
        fn hostile_bytes_are_strings_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(s) = Strings::take(&mut Bytes::new("t", &bytes)) {
                prop_assert!(s.iter().map(str::len).sum::<usize>() <= bytes.len());
            }
        }
    }

    #[test]
    fn a_string_that_ends_inside_a_character_is_refused() {
        let bytes = [2, 1, 1, 0xc3, 0xa9];
        assert_eq!(Strings::take(&mut Bytes::new("t", &bytes)).unwrap_err().code(), "corrupt");
    }
}
