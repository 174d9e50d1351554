//! What is in no bundle: pages of the web, while an answer's citations are checked.

use super::environment::Evidence;
use crate::retrieve::Hit;

/// Stands for the chunk of what is in no bundle while its citations are checked; no bundle has so many.
pub const ELSEWHERE: u32 = u32::MAX;

/// A page from elsewhere as a hit, for the check of citations.
pub fn page(e: &Evidence) -> Hit {
    Hit {
        chunk: ELSEWHERE,
        score: e.score,
        lexical: None,
        dense: None,
        title: e.title.clone(),
        heading_path: Vec::new(),
        url: e.url.clone(),
        text: e.text.clone(),
        highlights: Vec::new(),
        reached: Vec::new(),
    }
}
