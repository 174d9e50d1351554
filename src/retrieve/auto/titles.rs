//! The table of names with what is derived from it once a bundle is open.

use crate::bundle::{Document, Kind, open_section};
use crate::compact::{Map, join_all, sort_by, sort_unique};
use crate::names::NameTable;
use crate::text::terms;
use futures::future::FutureExt;

/// Names, and where to go from them.
pub struct Names {
    /// The table.
    pub table: NameTable,
    /// The chunks of each document, ascending.
    pub chunks_of: Vec<Vec<u32>>,
    /// For each term the documents in whose titles it stands, where the title looks like a name.
    pub titles: Map<String, Vec<u32>>,
    /// Documents' titles.
    pub labels: Vec<String>,
}

impl Names {
    /// Derives chunks by document and documents by title term.
    pub fn new(table: NameTable, documents: &[Document]) -> Names {
        let mut chunks_of = vec![Vec::new(); documents.len()];
        for (chunk, &document) in table.document_of.iter().enumerate() {
            if let Some(list) = chunks_of.get_mut(document as usize) {
                list.push(chunk as u32);
            }
        }
        let mut pairs: Vec<(String, u32)> = Vec::new();
        for (d, (document, &weight)) in documents.iter().zip(&table.title_weight).enumerate() {
            if weight > 0 {
                pairs.extend(title_terms(&document.title).into_iter().map(|term| (term, d as u32)));
            }
        }
        sort_by(&mut pairs, |a, b| a.cmp(b));
        let titles = pairs.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0.clone(), run.iter().map(|x| x.1).collect())).collect();
        Names { table, chunks_of, titles, labels: documents.iter().map(|d| d.title.clone()).collect() }
    }
}

/// The distinct terms of a title without its parenthesis.
pub fn title_terms(title: &str) -> Vec<String> {
    let base = match title.find('(') {
        Some(open) if open > 0 => &title[..open],
        _ => title,
    };
    let mut out: Vec<String> = terms(base).into_iter().map(|t| t.0).collect();
    sort_unique(&mut out);
    out
}

impl super::Corpus {
    /// The names of the corpus, with what is derived from them.
    ///
    /// # Errors
    /// [`crate::bundle::BundleError`] when the bundle has none or they cannot be loaded.
    pub async fn names(&self) -> Result<std::rc::Rc<Names>, crate::bundle::BundleError> {
        if let Some(names) = self.held_names() {
            return Ok(names);
        }
        let counts = self.bundle().manifest().counts;
        let table =
            self.bundle().section("names", move |file, bytes| crate::names::decode_names(file, bytes, counts.chunks, counts.documents));
        let (table, documents) = futures::future::try_join(table, self.documents()).await?;
        Ok(self.hold_names(Names::new((*table).clone(), &documents)))
    }

    /// Which names the sentences of the given chunks mention, by chunk, and what could not be loaded.
    ///
    /// # Errors
    /// [`crate::bundle::BundleError`] when the list of pages cannot be loaded.
    pub async fn mentions(
        &self,
        chunks: &[u32],
        entries: u32,
    ) -> Result<(Map<u32, crate::names::ChunkMentions>, Vec<String>), crate::bundle::BundleError> {
        let dim = self.bundle().manifest().embedder.dimension;
        let index = self
            .bundle()
            .section("mentions", |file, bytes| {
                let mut b = open_section(file, bytes, Kind::MentionIndex)?;
                let index = crate::bundle::PagedIndex::take(&mut b)?;
                b.end().map(|()| index)
            })
            .await?;
        let places: Vec<(u32, usize, usize)> =
            chunks.iter().filter_map(|&c| index.locate(c).map(|(page, place)| (c, page, place))).collect();
        let wanted = index.pages_of(chunks).into_items();
        let loading = wanted.iter().filter_map(|&p| Some((p, index.pages.get(p)?))).map(|(p, page)| {
            let read = async move {
                (p, self.bundle().page("mentions", page, move |file, bytes| crate::names::decode_mentions(file, bytes, entries, dim)).await)
            };
            read.boxed_local()
        });
        let loaded = join_all(loading.collect()).await;
        let (mut out, mut missing) = (Map::new(), Vec::new());
        for (p, page) in loaded {
            match page {
                Ok(page) => {
                    for &(chunk, _, place) in places.iter().filter(|x| x.1 == p) {
                        out.extend(page.get(place).map(|m| (chunk, m.clone())));
                    }
                }
                Err(e) => missing.push(e.to_string()),
            }
        }
        Ok((out, missing))
    }
}
