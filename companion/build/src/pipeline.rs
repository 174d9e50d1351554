//! From documents to a bundle: the stages in their order.

pub use crate::options::{BuildOptions, Input};
pub use crate::outcome::{BuildError, Summary};

use crate::assemble::{Contents, RUNTIME, Staging};
use crate::options::describe_options;
use crate::stages::{
    Arrange, Arrangement, Assemble, Chunked, Corpus, Cut, DateStatements, DrawKeywords, Embed, EmbedLabels,
    Embedded, Extract, FindNames, Gathered, ImportTables, Labels, LoadModels, Models, Prepare, Publish, Read,
    ReadRelations, Split, Stage, Stated, TakeTriples,
};
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph_languages as languages;
use pocketgraph_models::embeddings::CachedEmbedder;
use pocketgraph_native::progress::Progress;
use std::time::{Duration, Instant};

/// Stages that took less had nothing to do, and are not among the times that a build took.
const SHORTEST_REPORTED: Duration = Duration::from_millis(1);

/// Runs stages and times them.
struct Run<'p> {
    progress: &'p dyn Progress,
    timings: Vec<(&'static str, Duration)>,
}

impl Run<'_> {
    fn stage<In, S: Stage<In>>(&mut self, stage: &S, input: In) -> Result<S::Out, BuildError> {
        let since = Instant::now();
        let out = stage.run(input, self.progress)?;
        let took = since.elapsed();
        if took >= SHORTEST_REPORTED {
            self.timings.push((S::NAME, took));
        }
        Ok(out)
    }
}

/// Builds a bundle and puts it in its place. The old bundle stays until the new one is whole.
///
/// # Errors
/// [`BuildError`]; the old bundle is then as it was.
pub fn build(options: &BuildOptions, progress: &dyn Progress) -> Result<Summary, BuildError> {
    let mut run = Run { progress, timings: Vec::new() };
    // Before any work: a target that cannot be written to should not cost an hour of embedding.
    let staging = Staging::beside(&options.out, &options.input.paths())?;
    let imported = run.stage(&ImportTables { files: options.knowledge.as_ref() }, ())?;
    let source = run.stage(&Read::of(options), &options.input)?;
    let (rules, built_with) = (source.rules(&options.rank), source.options());
    let models = run.stage(&LoadModels::of(options), &source)?;
    let (model, cache) = (&models.embedder, options.cache.as_deref());
    let count = |text: &str| model.count(text);

    let Cut { chunked, origin, brought } =
        run.stage(&Split { max_tokens: options.max_tokens, count: &count }, source)?;
    // A graph of the user's own has all its labels.
    let read = origin.bytes_read().filter(|_| options.knowledge.is_none());
    run.stage(&Publish::of(options), &origin)?;
    let times = run.stage(&DateStatements, (&chunked, &origin))?;
    let taken = TakeTriples { from_documents: options.kg_from_documents };
    let Stated { gathering, from_documents } = run.stage(&taken, (imported, origin, &chunked))?;
    let embedded = run.stage(&Embed { model, cache, words_only: options.words_only }, (&chunked, brought))?;
    let corpus =
        Corpus { documents: &chunked.documents, chunks: &chunked.chunks, vectors: &embedded.vectors };
    // What is embedded beside the chunks: with vectors of another model there is nothing to embed it with.
    let others = CachedEmbedder::new(model, cache);
    let beside = Some(&others).filter(|_| embedded.ours);
    let keywords = run.stage(&DrawKeywords::of(options, beside), corpus)?;
    let extract = Extract {
        reader: options.kg_model.as_ref(),
        keywords: keywords.as_ref().map(|k| &k.graph).filter(|_| from_documents.triples > 0),
        count: &count,
    };
    let knowledge = run.stage(&extract, (gathering, corpus))?;
    let graph = knowledge.as_ref().map(|k| &k.graph);
    let related = run.stage(&ReadRelations::of(options, embedded.ours, &count), corpus)?;

    let found =
        run.stage(&FindNames { embedder: beside, everywhere: options.needs.sentences() }, (corpus, graph))?;
    let labels = run.stage(
        &EmbedLabels { embedder: &others, layers: &models.layers, read },
        graph.filter(|_| embedded.ours),
    )?;
    let gathered = Gathered { corpus, found: &found, knowledge: graph, related: related.as_ref() };
    let prepared = run.stage(&Prepare::of(options, beside), gathered)?;
    let arrangement = run.stage(&Arrange { rules: &rules, seed: options.seed }, corpus)?;

    let contents = Contents {
        keywords: keywords.as_ref().map(|k| &k.graph),
        names: Some(&found),
        times: Some(&times),
        prepared: prepared.as_ref(),
        options: describe_options(options, built_with),
        runtime: choose_runtime(options, progress),
        ..collect_contents(&chunked, &embedded, &models, graph, &labels, &arrangement)
    };
    let manifest = run.stage(&Assemble, (contents, staging))?;
    flush_cache(options, progress);
    Ok(Summary {
        manifest,
        languages: languages::count_languages(chunked.documents.iter().map(|d| d.language.as_str())),
        skipped: chunked.skipped,
        files: chunked.files,
        knowledge: knowledge.map(|k| k.report),
        keywords_llm: keywords.as_ref().and_then(|k| k.usage),
        autokg: keywords.map(|k| k.report),
        chunk_embeddings: embedded.counts,
        other_embeddings: others.counts(),
        from_documents,
        timings: run.timings,
        runtime: options.runtime && !RUNTIME.is_empty(),
    })
}

/// Collects the sections that every bundle has.
fn collect_contents<'a>(
    chunked: &'a Chunked,
    embedded: &'a Embedded,
    models: &'a Models,
    graph: Option<&'a KnowledgeGraph>,
    labels: &'a Labels,
    arrangement: &'a Arrangement,
) -> Contents<'a> {
    Contents {
        documents: &chunked.documents,
        fields: Some(&chunked.fields),
        chunks: &chunked.chunks,
        layouts: &chunked.layouts,
        vectors: &embedded.vectors,
        cells: &arrangement.cells,
        weights: &arrangement.weights,
        knowledge: graph,
        planner: models.planner.as_deref(),
        labels: labels.vectors.entities.as_ref(),
        relation_labels: labels.vectors.relations.as_ref(),
        phrases: &labels.phrases,
        model: embedded.carries_model().then(|| models.query_model()),
        ..Contents::bare(embedded.embedder.clone())
    }
}

/// The browser runtime to write beside the bundle.
fn choose_runtime(
    options: &BuildOptions,
    progress: &dyn Progress,
) -> &'static [(&'static str, &'static [u8])] {
    if options.runtime && RUNTIME.is_empty() {
        progress.warn(
            "this program was built without the browser runtime; build it with ./build.sh companion \
             to have it written beside the bundle",
        );
    }
    if options.runtime { &RUNTIME } else { &[] }
}

/// Sees to it that what was computed and paid for is kept.
fn flush_cache(options: &BuildOptions, progress: &dyn Progress) {
    let Some(cache) = &options.cache else { return };
    cache.flush();
    if let Some(trouble) = cache.trouble() {
        progress.warn(&format!("{trouble}; the bundle is complete, but the next build repeats work"));
    }
}

impl<'a> Read<'a> {
    fn of(options: &'a BuildOptions) -> Self {
        Read { ingest: &options.ingest, out: &options.out, needs: options.needs }
    }
}

impl<'a> LoadModels<'a> {
    fn of(options: &'a BuildOptions) -> Self {
        LoadModels {
            embedder: &options.embedder,
            query_layers: options.query_layers,
            query_encoder: options.query_encoder.as_deref(),
            query_table: options.query_table.as_deref(),
            planner: &options.planner,
            questions: &options.question_languages,
        }
    }
}

impl<'a> Publish<'a> {
    fn of(options: &'a BuildOptions) -> Self {
        let folder = options.input.paths().first().copied().unwrap_or(&options.out);
        Publish {
            folder,
            pages: options.pages.as_deref(),
            llms: options.llms.as_deref(),
            base_url: &options.ingest.base_url,
        }
    }
}

impl<'a> ReadRelations<'a> {
    fn of(options: &'a BuildOptions, ours: bool, count: &'a dyn Fn(&str) -> usize) -> Self {
        ReadRelations { reader: options.relations_model.as_ref(), needs: options.needs, ours, count }
    }
}

impl<'a> DrawKeywords<'a> {
    fn of(options: &'a BuildOptions, embedder: Option<&'a CachedEmbedder<'a>>) -> Self {
        DrawKeywords {
            autokg: options.autokg.as_ref(),
            llm: options.keywords_llm.as_ref(),
            cache: options.cache.as_ref(),
            max_tokens: options.max_tokens,
            embedder,
        }
    }
}

impl<'a> Prepare<'a> {
    fn of(options: &'a BuildOptions, embedder: Option<&'a CachedEmbedder<'a>>) -> Self {
        Prepare {
            needs: options.needs,
            triples_read: options.kg_model.is_some(),
            summaries: options.summaries_model.as_ref(),
            embedder,
            seed: options.seed,
        }
    }
}
