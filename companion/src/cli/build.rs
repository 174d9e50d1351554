//! `pocketgraph build`.

use super::import::Tables;
use super::keywords::KeywordArgs;
use super::progress::Bars;
use crate::assemble::remove_staging;
use crate::ingest::{IngestOptions, UrlStyle};
use crate::pipeline::{self, BuildOptions, Input, Progress, Summary};
use crate::prepare::Needs;
use clap::ValueEnum;
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use std::path::PathBuf;

/// Arguments of `pocketgraph build`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of documents (Markdown, HTML, text, JSON Lines of ready chunks), or one such file
    #[arg(required_unless_present = "chunks", conflicts_with = "chunks")]
    documents: Option<PathBuf>,
    /// The bundle's folder; an older bundle there is replaced when the new one is whole
    #[arg(short, long)]
    out: PathBuf,
    /// Tokens a chunk at most, without its title and headings
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(16..=256))]
    max_tokens: u32,
    /// What is put before the documents' relative URLs
    #[arg(long, default_value = "")]
    base_url: String,
    /// How URLs follow from file names
    #[arg(long, value_enum, default_value_t = Style::Html)]
    url_style: Style,
    /// A typed knowledge graph to carry in the bundle: triples as TSV, CSV, `|`, JSON Lines or RDF, also gzipped
    #[arg(long, value_name = "FILE", num_args = 1..)]
    kg: Vec<PathBuf>,
    #[command(flatten)]
    tables: Tables,
    /// Which retrievers the bundle is for; what each needs is prepared and carried
    #[arg(long, value_delimiter = ',', value_name = "NAMES", default_value = "auto")]
    retrievers: Vec<String>,
    /// Seed of everything random; the same input, options and seed give the same bytes
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Do not write the browser runtime beside the bundle
    #[arg(long)]
    no_runtime: bool,
    /// Chunks that were made elsewhere: JSON Lines of {id?, title?, url?, text}
    #[arg(long, requires = "vectors", requires = "embedder")]
    chunks: Option<PathBuf>,
    /// Their vectors, one row a chunk: .npy or .safetensors
    #[arg(long, requires = "chunks")]
    vectors: Option<PathBuf>,
    /// The model that made the vectors; "minilm" when it is all-MiniLM-L6-v2, so that questions can be embedded
    #[arg(long, requires = "chunks")]
    embedder: Option<String>,
    /// Also write the Markdown documents as plain HTML pages below this folder, at their URLs, so that links of hits lead somewhere
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
    /// Say only what is wrong
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    keywords: KeywordArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Style {
    /// guide/start.md is read at guide/start.html, guide/README.md at guide/
    Html,
    /// guide/start.md is read at guide/start/, as many site generators do
    Folder,
    /// guide/start.md is read at guide/start.md
    Source,
}

pub fn run(args: &Args) -> Result<()> {
    let input = match (&args.documents, &args.chunks, &args.vectors, &args.embedder) {
        (Some(folder), ..) => Input::Documents(folder.clone()),
        (None, Some(chunks), Some(vectors), Some(embedder)) => {
            Input::Outside { chunks: chunks.clone(), vectors: vectors.clone(), embedder: embedder.clone() }
        }
        _ => return Err(miette!("--chunks needs --vectors and --embedder")),
    };
    let options = BuildOptions {
        input,
        out: args.out.clone(),
        ingest: IngestOptions {
            base_url: args.base_url.clone(),
            url_style: match args.url_style {
                Style::Html => UrlStyle::Html,
                Style::Folder => UrlStyle::Directory,
                Style::Source => UrlStyle::Source,
            },
            ..IngestOptions::default()
        },
        max_tokens: args.max_tokens as usize,
        autokg: args.keywords.options(args.seed),
        knowledge: if args.kg.is_empty() { None } else { Some(args.tables.files(&args.kg)?) },
        needs: Needs::of(&args.retrievers).into_diagnostic()?,
        seed: args.seed,
        runtime: !args.no_runtime,
        pages: args.pages.clone(),
    };
    ctrlc::set_handler(|| {
        remove_staging();
        eprintln!("\nstopped; the old bundle, if there was one, is as it was");
        std::process::exit(130);
    })
    .into_diagnostic()?;
    let bars = Bars::new(args.quiet);
    let summary = pipeline::build(&options, &bars).into_diagnostic().wrap_err("no bundle was written")?;
    bars.finish();
    for p in summary.knowledge.iter().flat_map(|k| k.problems.iter().take(20)) {
        bars.warn(&p.to_string());
    }
    for s in &summary.skipped {
        bars.warn(&format!("skipped {}: {}", s.path, s.reason));
    }
    if !args.quiet {
        print(args, &summary);
    }
    Ok(())
}

fn print(args: &Args, summary: &Summary) {
    let m = &summary.manifest;
    let bytes: u64 = m.sections.iter().map(|s| s.bytes + s.page_bytes).sum();
    let total: f64 = summary.timings.iter().map(|(_, t)| t.as_secs_f64()).sum();
    println!(
        "{}: {} documents, {} chunks, {} keywords, {:.1} MB, in {total:.1} s ({} files, {} skipped)",
        args.out.display(),
        m.counts.documents,
        m.counts.chunks,
        m.counts.keywords,
        bytes as f64 / 1e6,
        summary.files,
        summary.skipped.len()
    );
    let times: Vec<String> = summary.timings.iter().map(|(name, t)| format!("{name} {:.1} s", t.as_secs_f64())).collect();
    println!("  {}", times.join(", "));
    let sizes: Vec<String> = m.sections.iter().map(|s| format!("{} {:.2} MB", s.name, (s.bytes + s.page_bytes) as f64 / 1e6)).collect();
    println!("  {}", sizes.join(", "));
    if let Some(r) = &summary.autokg {
        let s = &r.set_sizes;
        println!(
            "  keyword graph: {} keywords ({} before refinement), {} edges; |X_k|/N from {:.4} to {:.4}, median {:.4}",
            r.keywords, r.extracted, r.edges, s.min, s.max, s.median
        );
    }
    if let Some(k) = &summary.knowledge {
        println!(
            "  knowledge graph: {} entities, {} literals, {} relations, {} triples ({} malformed lines)",
            k.entities, k.literals, k.relations, k.triples, k.malformed
        );
    }
}
