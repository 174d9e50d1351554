//! `pocketgraph build`.

use super::cache::CacheArgs;
use super::dry_run;
use super::endpoint::EndpointArgs;
use super::import::Tables;
use super::keywords::KeywordArgs;
use super::progress::Bars;
use super::site::SiteArgs;
use super::skipped::skipped_by_reason;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use pocketgraph_build::assemble::remove_staging;
use pocketgraph_build::pipeline::{self, BuildOptions, Input, Summary};
use pocketgraph_build::prepare::Needs;
use pocketgraph_cache::{Cache, flush_all};
use pocketgraph_ingest::chunk::CHUNK_TOKENS;
use pocketgraph_languages::QuestionLanguage;
use pocketgraph_llm_client::asker::BuildModel;
use pocketgraph_models::e5;
use pocketgraph_models::embed_bulk::QueryLayers;
use pocketgraph_models::embeddings::EmbeddingCounts;
use pocketgraph_models::models::Embedder;
use pocketgraph_models::planner_model::PlannerSource;
use pocketgraph_native::progress::Progress;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments of `pocketgraph build`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of documents, or one document; leave it out with --chunks, or with --kg alone
    #[arg(conflicts_with = "chunks")]
    documents: Option<PathBuf>,
    /// Folder of the bundle; an older bundle there is replaced when the new one is complete
    #[arg(short, long, required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// Write nothing; print each document's address, language, sections and title, and what is left out and
    /// why
    #[arg(long, requires = "documents")]
    dry_run: bool,
    /// Maximum number of tokens of a chunk, without its title and headings
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(chunk_tokens()))]
    max_tokens: u32,
    #[command(flatten)]
    site: SiteArgs,
    /// Carry this knowledge graph in the bundle: triples as TSV, CSV, `|`, JSON Lines or RDF, also gzipped
    #[arg(long, value_name = "FILE", num_args = 1..)]
    kg: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// Take triples from the structure of documents: sections, links, tags, dates, tables, definitions
    #[arg(long, value_name = "on|off", default_value = "on", value_parser = on_off, action = clap::ArgAction::Set)]
    kg_from_documents: bool,
    /// Let a language model read every chunk for triples (two requests a chunk)
    #[arg(long, requires = "llm_url", requires = "llm_model")]
    kg_llm: bool,
    /// Let a language model read every chunk for the entities and relations of `graphrag` and `hypergraph`
    /// (one request a chunk)
    #[arg(long, requires = "llm_url", requires = "llm_model")]
    relations_llm: bool,
    /// Let a language model write the summaries of `raptor` and the reports of `graphrag` (one request each)
    #[arg(long, requires = "llm_url", requires = "llm_model")]
    summaries_llm: bool,
    /// Retrievers to prepare, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NAMES", default_value = "auto")]
    retrievers: Vec<String>,
    /// Seed of every random choice; the same input, options and seed give the same bytes
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Do not write the browser runtime beside the bundle
    #[arg(long)]
    no_runtime: bool,
    /// Build from ready chunks: JSON Lines of {id?, title?, url?, text}, a .parquet file with these columns
    /// and optionally "vector", or a folder of such files
    #[arg(long)]
    chunks: Option<PathBuf>,
    /// Vectors of these chunks, one row a chunk, as .safetensors [default: the column "vector", otherwise the
    /// chunks are embedded]
    #[arg(long, requires = "chunks", requires = "embedder")]
    vectors: Option<PathBuf>,
    /// Model that embeds: minilm (English), multilingual-e5-small (see `models get`), or auto, by the
    /// documents' languages; with --vectors, the model that made them
    #[arg(long, value_name = "NAME")]
    embedder: Option<String>,
    /// File of multilingual-e5-small [default: where `models get` put it]
    #[arg(long, value_name = "FILE", requires = "embedder")]
    embedder_file: Option<PathBuf>,
    /// Further languages of questions, as de,zh; with multilingual-e5-small the bundle carries their words
    /// too
    #[arg(long, value_delimiter = ',', value_name = "LANGUAGES", requires = "embedder")]
    question_languages: Vec<QuestionLanguage>,
    /// Also write the documents as plain HTML pages into this folder, at their URLs
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
    /// Also write llms.txt, llms-full.txt and each page as Markdown, for language models, into this folder
    #[arg(long, value_name = "DIR")]
    llms: Option<PathBuf>,
    /// Carry this token table, made by `train query-table`, instead of the program's; "none" carries none
    #[arg(long, value_name = "FILE")]
    query_table: Option<PathBuf>,
    /// Carry this planner, made by `train planner`, instead of the program's; "none" carries none. Only
    /// bundles with a knowledge graph have one
    #[arg(long, value_name = "FILE")]
    planner_model: Option<String>,
    /// Layers that readers load to embed questions: int4 is half the download of int8
    #[arg(long, value_enum, default_value_t, value_name = "BITS")]
    query_layers: QueryLayers,
    /// Carry these layers, made by `train encoder`, to embed questions
    #[arg(long, value_name = "FILE", conflicts_with = "query_layers")]
    query_encoder: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArgs,
    /// Number of threads; the result does not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// File with these options by their long names [default: pocketgraph.toml in your configuration folder;
    /// one in the working directory or with the documents may set only how they are read]
    // The file was put into the command line before this was parsed.
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Read no file of options
    #[arg(long)]
    no_config: bool,
    /// Print only what is wrong
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    keywords: KeywordArgs,
    #[command(flatten)]
    pub(super) endpoint: EndpointArgs,
}

impl Args {
    /// The model that embeds what has no vectors.
    fn embedder(&self) -> Result<Embedder> {
        match self.embedder.as_deref() {
            Some(e5::ID) => Ok(Embedder::Multilingual(self.embedder_file.clone())),
            Some("minilm") if !self.question_languages.is_empty() => Err(miette!(
                "--question-languages needs --embedder {}, because minilm knows only English",
                e5::ID
            )),
            _ if self.embedder_file.is_some() => Err(miette!("--embedder-file needs --embedder {}", e5::ID)),
            Some("auto") => Ok(Embedder::ByLanguage),
            // Vectors that were made elsewhere may be of any model; that there are none is told where they
            // are read.
            None | Some("minilm") => Ok(Embedder::Own),
            Some(_) if self.chunks.is_some() => Ok(Embedder::Own),
            Some(other) => Err(miette!("unknown embedder {other:?}: choose minilm, {} or auto", e5::ID)),
        }
    }
}

/// Returns the language model for `option`, or `None` if the option is not given.
fn open_model(
    args: &Args,
    given: bool,
    option: &str,
    cache: Option<&Arc<Cache>>,
) -> Result<Option<BuildModel>> {
    given.then(|| args.endpoint.patient(option, cache)).transpose()
}

/// Parses `--max-tokens` within its range.
fn chunk_tokens() -> std::ops::RangeInclusive<i64> {
    i64::from(*CHUNK_TOKENS.start())..=i64::from(*CHUNK_TOKENS.end())
}

/// Reads `on` or `off`.
fn on_off(text: &str) -> std::result::Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("write on or off".to_owned()),
    }
}

/// True once the build has been interrupted.
static STOPPING: AtomicBool = AtomicBool::new(false);

pub fn run_build(args: &Args) -> Result<()> {
    if let Some(jobs) = args.jobs {
        rayon::ThreadPoolBuilder::new().num_threads(usize::from(jobs)).build_global().into_diagnostic()?;
    }
    let ingest = args.site.options(args.pages.is_some())?;
    if let Some(folder) = args.documents.as_ref().filter(|_| args.dry_run) {
        return dry_run::print_documents(folder, &ingest);
    }
    let Some(out) = &args.out else { return Err(miette!("name the bundle's folder with --out BUNDLE")) };
    let bars = Bars::new(args.quiet);
    let input = match (&args.documents, &args.chunks) {
        (Some(folder), _) => Input::Documents(folder.clone()),
        (None, Some(chunks)) => Input::Outside {
            chunks: chunks.clone(),
            vectors: args.vectors.clone(),
            embedder: args.embedder.clone(),
        },
        (None, None) if !args.kg.is_empty() => Input::Graph,
        (None, None) => {
            return Err(miette!(
                "name a folder of documents, chunks with --chunks FILE, or a knowledge graph with --kg FILE"
            ));
        }
    };
    if args.kg.is_empty() && args.tables.brings_words() {
        return Err(miette!("--lexicon needs an imported graph: name its files with --kg"));
    }
    let cache = args.cache.open(&bars, "building without it, and the next build repeats this one's work");
    let options = BuildOptions {
        input,
        out: out.clone(),
        ingest,
        rank: args.site.rank().to_vec(),
        max_tokens: args.max_tokens as usize,
        autokg: args.keywords.options(args.seed),
        keywords_llm: args.keywords.llm(&args.endpoint)?,
        kg_model: open_model(args, args.kg_llm, "--kg-llm", cache.as_ref())?,
        relations_model: open_model(args, args.relations_llm, "--relations-llm", cache.as_ref())?,
        summaries_model: open_model(args, args.summaries_llm, "--summaries-llm", cache.as_ref())?,
        cache,
        knowledge: if args.kg.is_empty() { None } else { Some(args.tables.files(&args.kg)?) },
        kg_from_documents: args.kg_from_documents,
        needs: Needs::of(&args.retrievers).into_diagnostic()?,
        words_only: !args.retrievers.is_empty() && args.retrievers.iter().all(|r| r == "lexical"),
        seed: args.seed,
        runtime: !args.no_runtime,
        pages: args.pages.clone(),
        llms: args.llms.clone(),
        query_table: args.query_table.clone(),
        planner: PlannerSource::of(args.planner_model.as_deref()),
        embedder: args.embedder()?,
        query_layers: args.query_layers,
        query_encoder: args.query_encoder.clone(),
        question_languages: args.question_languages.clone(),
    };
    let summary = write_bundle(&options, &bars)?;
    for p in summary.knowledge.iter().flat_map(|k| k.problems.iter().take(20)) {
        bars.warn(&p.to_string());
    }
    for line in skipped_by_reason(&summary.skipped) {
        bars.warn(&line);
    }
    if !args.quiet {
        print_summary(out, &summary);
    }
    Ok(())
}

/// Builds a bundle; an interruption leaves nothing half written.
pub(super) fn write_bundle(options: &BuildOptions, bars: &Bars) -> Result<Summary> {
    ctrlc::set_handler(|| {
        STOPPING.store(true, Ordering::SeqCst);
        flush_all();
        remove_staging();
        eprintln!("\nstopped; an older bundle is unchanged");
        std::process::exit(130);
    })
    .into_diagnostic()?;
    let built = pipeline::build(options, bars);
    // An error now is that the folder is gone in which the bundle grew; the handler ends the program and says
    // why.
    while built.is_err() && STOPPING.load(Ordering::SeqCst) {
        std::thread::park();
    }
    let summary = built.into_diagnostic().wrap_err("no bundle was written")?;
    bars.finish();
    Ok(summary)
}

pub(super) fn print_summary(out: &Path, summary: &Summary) {
    let m = &summary.manifest;
    let bytes: u64 = m.sections.iter().map(|s| s.bytes + s.page_bytes).sum();
    let total: f64 = summary.timings.iter().map(|(_, t)| t.as_secs_f64()).sum();
    println!(
        "{}: {} documents, {} chunks, {} keywords, {:.1} MB, in {total:.1} s ({} files, {} skipped)",
        out.display(),
        m.counts.documents,
        m.counts.chunks,
        m.counts.keywords,
        bytes as f64 / 1e6,
        summary.files,
        summary.skipped.len()
    );
    if m.counts.documents > 0 {
        println!(
            "  {}",
            pocketgraph_native::terminal::line(&pocketgraph_languages::in_words(&summary.languages))
        );
    }
    let times: Vec<String> =
        summary.timings.iter().map(|(name, t)| format!("{name} {:.1} s", t.as_secs_f64())).collect();
    println!("  {}", times.join(", "));
    let describe = |c: &EmbeddingCounts, of: &str| {
        format!("{} of {} embeddings of {of}", group_digits(c.reused), group_digits(c.asked))
    };
    println!(
        "  re-used {}, {}",
        describe(&summary.chunk_embeddings, "chunks"),
        describe(&summary.other_embeddings, "phrases and sentences")
    );
    if let Some(u) = &summary.keywords_llm {
        println!(
            "  language model: {} replies, {} of them re-used, {} unusable; {} tokens read and {} \
             written now",
            u.replies, u.reused, u.unusable, u.prompt_tokens, u.completion_tokens
        );
        if u.refused > 0 {
            eprintln!(
                "warning: the endpoint refused {} requests because of their content; the keywords \
                 were made without them",
                u.refused
            );
        }
    }
    let sizes: Vec<String> = m
        .sections
        .iter()
        .map(|s| format!("{} {:.2} MB", s.name, (s.bytes + s.page_bytes) as f64 / 1e6))
        .collect();
    println!("  {}", sizes.join(", "));
    if let Some(r) = &summary.autokg {
        let s = &r.set_sizes;
        println!(
            "  keyword graph: {} keywords ({} before refinement), {} edges; |X_k|/N from {:.4} to \
             {:.4}, median {:.4}",
            r.keywords, r.extracted, r.edges, s.min, s.max, s.median
        );
    }
    if let Some(k) = &summary.knowledge {
        println!(
            "  knowledge graph: {} entities, {} literals, {} relations, {} triples ({} malformed lines)",
            k.entities, k.literals, k.relations, k.triples, k.malformed
        );
        let d = &summary.from_documents;
        if d.triples > 0 {
            println!(
                "  {} triples from the structure of documents, {} beyond a page's limit left out",
                d.triples, d.dropped
            );
        }
    }
}

/// Formats a number with commas between thousands.
fn group_digits(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{group_digits, skipped_by_reason};
    use pocketgraph_ingest::Skipped;

    #[test]
    fn files_skipped_for_one_reason_share_a_line() {
        let skipped = |path: String, reason: &str| Skipped { path, reason: reason.to_owned() };
        let mut all: Vec<Skipped> =
            (0..7).map(|i| skipped(format!("{i}/_index.md"), "holds no text")).collect();
        all.insert(3, skipped("logo.txt".to_owned(), "is not text"));
        assert_eq!(
            skipped_by_reason(&all),
            [
                "skipped 7 files: holds no text: 0/_index.md, 1/_index.md, 2/_index.md, 3/_index.md, \
                 4/_index.md and 2 more",
                "skipped logo.txt: is not text"
            ]
        );
        let hostile = [skipped("a.md\nskipped evil.md: fine\u{1b}[2J".to_owned(), "is not\u{202e} text")];
        assert_eq!(
            skipped_by_reason(&hostile),
            ["skipped a.md␊skipped evil.md: fine␛[2J: is not<U+202E> text"]
        );
    }

    #[test]
    fn thousands_are_parted() {
        assert_eq!([0, 999, 1000, 1_234_567].map(group_digits), ["0", "999", "1,000", "1,234,567"]);
    }
}
