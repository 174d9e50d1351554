//! The keyword graph.

use super::{Corpus, Stage};
use crate::outcome::BuildError;
use pocketgraph::keyword::KeywordGraph;
use pocketgraph_cache::Cache;
use pocketgraph_keywords::autokg::{self, AutoKgOptions, AutoKgReport, ChunkView};
use pocketgraph_keywords::extract::LlmUsage;
use pocketgraph_keywords::llm_keywords::{LlmKeywords, keyword_graph};
use pocketgraph_models::embeddings::CachedEmbedder;
use pocketgraph_native::progress::Progress;
use std::borrow::Cow;
use std::sync::Arc;

/// Draws the keyword graph.
pub struct DrawKeywords<'a> {
    /// Its parameters; `None` draws none.
    pub autokg: Option<&'a AutoKgOptions>,
    /// The language model that names the keywords; `None` for the local extractor.
    pub llm: Option<&'a LlmKeywords>,
    /// Cache of its replies.
    pub cache: Option<&'a Arc<Cache>>,
    /// Tokens a chunk at most.
    pub max_tokens: usize,
    /// Embeds candidates beside the chunks; `None`, where they could not be compared with them, draws none.
    pub embedder: Option<&'a CachedEmbedder<'a>>,
}

/// A keyword graph, with how it came about.
pub struct KeywordsDrawn {
    /// The graph.
    pub graph: KeywordGraph,
    /// Its figures.
    pub report: AutoKgReport,
    /// Usage of the language model, if any.
    pub usage: Option<LlmUsage>,
}

impl Stage<Corpus<'_>> for DrawKeywords<'_> {
    type Out = Option<KeywordsDrawn>;
    const NAME: &'static str = "keyword graph";

    fn run(&self, corpus: Corpus<'_>, progress: &dyn Progress) -> Result<Option<KeywordsDrawn>, BuildError> {
        let Some((options, embedder)) = self.autokg.zip(self.embedder) else { return Ok(None) };
        let Corpus { documents, chunks, vectors: all } = corpus;
        let kept = autokg::without_copies(chunks.iter().map(|c| c.text.as_str()), options.neighbours);
        let sample = autokg::sample_of(&kept, options.sample);
        if sample.len() < kept.len() {
            progress.note(&format!(
                "the keyword graph is drawn of {} of the {} chunks, and the others are attached to \
                 these (--keyword-sample)",
                sample.len(),
                kept.len()
            ));
        }
        let vectors: Cow<'_, [Vec<f32>]> = match sample.len() == all.len() {
            true => Cow::Borrowed(all),
            false => Cow::Owned(sample.iter().filter_map(|&c| all.get(c as usize).cloned()).collect()),
        };
        let views: Vec<ChunkView<'_>> = sample
            .iter()
            .filter_map(|&c| chunks.get(c as usize))
            .map(|c| {
                let (title, language) =
                    documents.get(c.document as usize).map_or(("", ""), |d| (&d.title, &d.language));
                ChunkView { text: &c.text, title, headings: &c.heading_path, language }
            })
            .collect();
        let (mut graph, report, usage) = self.drawn(options, embedder, &views, &vectors, progress)?;
        autokg::renumber_chunks(&mut graph, &sample);
        if sample.len() < kept.len() {
            let rows: Vec<&[f32]> =
                kept.iter().filter_map(|&c| all.get(c as usize).map(Vec::as_slice)).collect();
            autokg::attach_chunks(&mut graph, &sample, &kept, &rows, options.seed);
        }
        if let Some(warning) = &report.warning {
            progress.warn(&warning.to_string());
        }
        Ok(Some(KeywordsDrawn { graph, report, usage }))
    }
}

impl DrawKeywords<'_> {
    fn drawn(
        &self,
        options: &AutoKgOptions,
        embedder: &CachedEmbedder<'_>,
        views: &[ChunkView<'_>],
        vectors: &[Vec<f32>],
        progress: &dyn Progress,
    ) -> Result<(KeywordGraph, AutoKgReport, Option<LlmUsage>), BuildError> {
        let embed = |texts: &[String]| embedder.embed_all(texts, &|_| {});
        let hear = |stage: autokg::Stage, done: usize, total: usize| {
            if done == 0 {
                progress.stage(stage_name(stage), Some(total as u64));
            }
            progress.at(done as u64);
        };
        let Some(llm) = self.llm else {
            let (graph, report) = autokg::build_keyword_graph(views, vectors, &embed, options, &hear)?;
            return Ok((graph, report, None));
        };
        let count = |text: &str| embedder.model().count(text);
        let ((graph, report), usage) = keyword_graph(
            llm,
            self.cache.cloned(),
            views,
            vectors,
            &embed,
            options,
            self.max_tokens,
            &count,
            progress,
            &hear,
        )?;
        Ok((graph, report, Some(usage)))
    }
}

fn stage_name(stage: autokg::Stage) -> &'static str {
    match stage {
        autokg::Stage::Neighbours => "finding neighbours",
        autokg::Stage::Clusters => "clustering",
        autokg::Stage::Keywords => "choosing keywords",
        autokg::Stage::Laplace => "spreading labels",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stages::testing::{MODEL, RecordedWarnings, corpus_of};

    #[test]
    fn keywords_are_phrases_of_the_chunks_and_none_are_drawn_unless_asked_for() {
        let corpus = corpus_of(24);
        let embedder = CachedEmbedder::new(&MODEL, None);
        let draw = |autokg| {
            let stage =
                DrawKeywords { autokg, llm: None, cache: None, max_tokens: 200, embedder: Some(&embedder) };
            stage.run(corpus.corpus(), &RecordedWarnings::default()).unwrap()
        };
        assert!(draw(None).is_none());
        let drawn = draw(Some(&AutoKgOptions::default())).unwrap();
        assert!(drawn.report.keywords > 0 && drawn.usage.is_none());
        let chunks = corpus.corpus().chunks.len() as u32;
        assert!(drawn.graph.chunks_by_u.iter().flatten().all(|&c| c < chunks));
        let text: Vec<String> = corpus.corpus().chunks.iter().map(|c| c.text.to_lowercase()).collect();
        assert!(
            drawn.graph.labels.iter().all(|label| text.iter().any(|t| t.contains(&label.to_lowercase()))),
            "{:?}",
            drawn.graph.labels
        );
    }
}
