//! Hits as a search would give them.

use pocketgraph_search::retrieve::{Hit, Reached};

/// A hit of a chunk: the later its number, the lower its score.
pub fn hit(chunk: u32, title: &str, headings: &[&str], text: &str) -> Hit {
    Hit {
        chunk,
        score: 1.0 / (1.0 + chunk as f32 / 10.0),
        lexical: None,
        dense: None,
        title: title.to_owned(),
        language: String::new(),
        heading_path: headings.iter().map(|h| h.to_string()).collect(),
        url: format!("/{chunk}"),
        text: text.to_owned(),
        highlights: Vec::new(),
        reached: vec![Reached::Query],
        translations: Vec::new(),
        elsewhere: Vec::new(),
    }
}
