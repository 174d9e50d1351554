//! Pages by the items that they hold, also if the list of pages is itself cut into pages.
//!
//! A section names each of its pages in about 22 bytes. A list of thousands would cost more than a first
//! answer may. So the section `NAME-lists` has the list cut into pages of [`PAGES_PER_LIST`] names, and a
//! reader loads only the lists that it needs.

use super::codec::{Kind, begin_section, open_section};
use super::error::BundleError;
use super::pages::{PageRef, PagedIndex};
use std::rc::Rc;

/// Number of pages in a list (0.7 kB). A question loads a list for each hit, and the file that names all
/// lists grows with their number.
pub const PAGES_PER_LIST: usize = 32;

/// Encodes a list of pages: a run of a section's list, with items counted from the run's first page.
pub fn encode_list(list: &PagedIndex) -> Vec<u8> {
    let mut out = begin_section(Kind::PageList);
    list.put(&mut out);
    out
}

/// Reads the output of [`encode_list`] with `items` items. Fails if the bytes are not such a list.
pub fn decode_list(items: u32, file: &str, bytes: &[u8]) -> Result<PagedIndex, BundleError> {
    let mut b = open_section(file, bytes, Kind::PageList)?;
    let list = PagedIndex::take(&mut b)?;
    b.end()?;
    if list.items() == items {
        Ok(list)
    } else {
        Err(b.corrupt("its pages hold other items than its section says"))
    }
}

/// Page to be loaded: its first item, its number of items, and its name.
pub(super) type Wanted = (u32, u32, PageRef);

/// Appends the pages of `list` that hold any of `items`. The list's first item is item `base` of the section.
pub(super) fn pick_pages(list: &PagedIndex, base: u32, items: &[u32], out: &mut Vec<Wanted>) {
    let within: Vec<u32> = items.iter().filter_map(|i| i.checked_sub(base)).collect();
    for &n in list.pages_of(&within).items() {
        if let (Some(page), Some(&[from, to])) =
            (list.pages.get(n), list.first.get(n..n + 2).and_then(<[u32]>::first_chunk))
        {
            out.push((base.saturating_add(from), to - from, page.clone()));
        }
    }
}

/// Result of loading the pages that hold some items.
pub struct Runs<T> {
    /// First item and page, ascending.
    pub runs: Vec<(u32, Rc<T>)>,
    /// Errors of the pages that could not be loaded.
    pub failed: Vec<BundleError>,
}

impl<T> Runs<T> {
    /// Returns the page that may hold `item`, and the item's place on it; beyond the page's end if the item's
    /// own page is not loaded.
    pub fn get(&self, item: u32) -> Option<(&T, usize)> {
        let at = self.runs.partition_point(|r| r.0 <= item).checked_sub(1)?;
        let (first, page) = self.runs.get(at)?;
        Some((page, (item - first) as usize))
    }

    /// Describes what could not be loaded.
    pub fn missing(&self) -> Vec<String> {
        self.failed.iter().map(BundleError::to_string).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bundle::PAGE_HASH;
    use proptest::prelude::*;

    fn index(sizes: &[u32]) -> PagedIndex {
        let pages = (0..sizes.len())
            .map(|i| PageRef { sha256: [i as u8; PAGE_HASH], bytes: i as u32, raw: i as u32 })
            .collect();
        let mut first = vec![0];
        sizes.iter().for_each(|s| first.push(first[first.len() - 1] + s));
        PagedIndex { pages, first }
    }

    proptest! {
        /// Cut into lists, an index names the same pages for the same items.
        #[test]
        fn lists_name_the_pages_that_the_whole_index_names(
            sizes in prop::collection::vec(0u32..5, 0..40),
            items in prop::collection::vec(0u32..120, 0..20),
            per_list in 1usize..9,
        ) {
            let whole = index(&sizes);
            let mut direct = Vec::new();
            pick_pages(&whole, 0, &items, &mut direct);
            let mut listed = Vec::new();
            for start in (0..whole.pages.len()).step_by(per_list) {
                let end = (start + per_list).min(whole.pages.len());
                let first = whole.first[start..=end].iter().map(|f| f - whole.first[start]).collect();
                let list = PagedIndex { pages: whole.pages[start..end].to_vec(), first };
                let read = decode_list(list.items(), "t", &encode_list(&list)).unwrap();
                pick_pages(&read, whole.first[start], &items, &mut listed);
            }
            prop_assert_eq!(direct, listed);
        }

        #[test]
        fn any_bytes_are_a_list_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            items in 0u32..9,
        ) {
            let mut whole = begin_section(Kind::PageList);
            whole.extend_from_slice(&bytes);
            let _ = decode_list(items, "t", &whole);
        }
    }

    #[test]
    fn an_item_whose_page_is_not_loaded_lies_beyond_the_page_before() {
        let runs =
            Runs { runs: vec![(0, Rc::new(vec!['a', 'b'])), (4, Rc::new(vec!['e']))], failed: Vec::new() };
        let get = |item| runs.get(item).and_then(|(page, place)| page.get(place)).copied();
        assert_eq!([0, 1, 2, 3, 4, 5].map(get), [Some('a'), Some('b'), None, None, Some('e'), None]);
    }
}
