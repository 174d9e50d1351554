//! What an answer may cite: a passage of the bundle, a statement, a page of the web, what a tool said.

use super::{CitationTarget, Reference};
use crate::retrieve::{Hit, Reached};

/// Something that an answer may cite: where it is, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Citable {
    /// The place of its text.
    pub target: CitationTarget,
    /// The title of the document, or what stands for it.
    pub title: String,
    /// Its language, as `de`; empty where nothing tells it.
    pub language: String,
    /// The headings above it, outermost first.
    pub heading_path: Vec<String>,
    /// Address at which to read it; may be empty.
    pub url: String,
    /// Its text.
    pub text: String,
    /// The ways by which a search reached it; empty if none did.
    pub reached: Vec<Reached>,
}

impl Citable {
    /// Creates a source that is no passage of the bundle.
    pub fn new(
        target: CitationTarget,
        title: impl Into<String>,
        url: impl Into<String>,
        text: impl Into<String>,
    ) -> Citable {
        Citable {
            target,
            title: title.into(),
            language: String::new(),
            heading_path: Vec::new(),
            url: url.into(),
            text: text.into(),
            reached: Vec::new(),
        }
    }

    /// The reference to it under a number, where it is a passage of the bundle.
    pub fn reference(&self, number: u32) -> Option<Reference> {
        let chunk = self.target.chunk()?;
        Some(Reference {
            number,
            chunk,
            title: self.title.clone(),
            language: self.language.clone(),
            heading_path: self.heading_path.clone(),
            url: self.url.clone(),
        })
    }
}

impl From<&Hit> for Citable {
    fn from(hit: &Hit) -> Citable {
        Citable {
            target: CitationTarget::Chunk { chunk: hit.chunk },
            title: hit.title.clone(),
            language: hit.language.clone(),
            heading_path: hit.heading_path.clone(),
            url: hit.url.clone(),
            text: hit.text.clone(),
            reached: hit.reached.clone(),
        }
    }
}
