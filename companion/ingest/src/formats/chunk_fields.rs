//! Ready chunks: what a line of JSON or a row of a table says of one, as a document of its own.

use super::block::{Block, BlockKind};
use super::front_matter::Fields;
use super::{SourceDocument, address};
use crate::{shorten_text, title_or_name};
use pocketgraph_bundle::Layout;

/// The fields of a ready chunk, trimmed; an empty one is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChunkFields {
    /// The writer's id for it.
    pub id: Option<String>,
    /// The title of its document.
    pub title: Option<String>,
    /// Address at which a reader opens it, with a fragment where it has one.
    pub url: Option<String>,
    /// The passage.
    pub text: Option<String>,
    /// Place of the chunk in its document; only tables have it.
    pub place: Place,
    /// Further members or columns: fields of its document, by which searches filter.
    pub own: Fields,
}

/// The place of a chunk, as far as a table has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The writer's name for the document.
    pub document: Option<String>,
    /// Index of the chunk in the document, from 0.
    pub index: Option<u32>,
    /// The document's language.
    pub language: Option<String>,
    /// The headings above it.
    pub headings: Vec<String>,
    /// The fragment of the nearest heading.
    pub fragment: Option<String>,
    /// Start in the document, in characters.
    pub start: Option<u32>,
    /// End in the document, in characters.
    pub end: Option<u32>,
    /// Layout of its text, as in the bundle's section of layouts; empty if the table has none.
    pub layout: Layout,
}

impl ChunkFields {
    /// Bytes of its text, headings, names and fields.
    pub fn length(&self) -> usize {
        let named =
            [&self.id, &self.title, &self.url, &self.text, &self.place.document, &self.place.fragment];
        let own = self.own.all().iter().map(|(name, value)| name.len() + value.len());
        named.into_iter().flatten().chain(&self.place.headings).map(String::len).chain(own).sum()
    }

    /// The chunk as a document of its own; `file` and `number` name it where it has no id. The error says
    /// what is wrong with which field.
    pub fn document(self, file: &str, number: usize, base_url: &str) -> Result<SourceDocument, String> {
        let text = self.text.ok_or("no \"text\"")?;
        if text.contains('\0') {
            return Err("\"text\" holds a NUL character".into());
        }
        let path = self.id.unwrap_or_else(|| format!("{file}:{number}"));
        let title = self.title.unwrap_or_else(|| path.clone());
        let given = self.url.unwrap_or_default();
        let (page, fragment) = given.split_once('#').unwrap_or((&given, ""));
        let url = match page {
            "" => String::new(),
            page => address::claimed_url(page, base_url)
                .ok_or_else(|| format!("unsafe \"url\": {}", shorten_text(given.clone(), 100)))?,
        };
        let mut block = Block::verbatim(BlockKind::Paragraph, text, 0);
        block.fragment = address::fragment(fragment);
        let title = title_or_name(&title, "");
        Ok(SourceDocument {
            path,
            url,
            title,
            blocks: vec![block],
            marked_fields: self.own.into_vec(),
            ready: true,
            ..SourceDocument::default()
        })
    }
}
