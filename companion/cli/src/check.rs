//! `pocketgraph check`.

use super::open::{open_engine, run_future};
use miette::{IntoDiagnostic, Result, miette};
use pocketgraph::bundle::{Chunk, Document};
use pocketgraph::engine::Engine;
use pocketgraph::retrieve::Corpus;
use pocketgraph_export::{self as export, Field, What};
use pocketgraph_native::terminal::line;
use pocketgraph_publish::check::check_site;
use pocketgraph_publish::contradictions::{Passage, Statement, find_contradictions};
use std::path::{Path, PathBuf};

/// Maximum number of printed faults; all are counted.
const SHOWN: usize = 20;

/// Arguments of `pocketgraph check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the published site
    #[arg(required_unless_present = "contradictions")]
    site: Option<PathBuf>,
    /// Bundle whose addresses are looked for
    #[arg(long)]
    bundle: PathBuf,
    /// List pairs of passages that state different values for the same thing
    #[arg(long)]
    contradictions: bool,
    /// Base of the bundle's addresses [default: the one it was built with]
    #[arg(long)]
    base_url: Option<String>,
}

pub fn run_check(args: &Args) -> Result<()> {
    let engine = open_engine(&args.bundle)?;
    if args.contradictions {
        run_future(print_contradictions(engine.corpus()))??;
    }
    args.site.as_deref().map_or(Ok(()), |site| check_addresses(args, site, &engine))
}

/// Prints the pairs of passages that contradict each other. An owner judges them: they fail nothing.
async fn print_contradictions(corpus: &Corpus) -> Result<()> {
    let documents = corpus.documents().await.into_diagnostic()?;
    let all: Vec<u32> = (0..corpus.len() as u32).collect();
    let (read, missing) = corpus.chunks(&all).await.into_diagnostic()?;
    if let Some(first) = missing.first() {
        return Err(miette!("a part of the bundle cannot be read: {first}"));
    }
    let mut chunks: Vec<(u32, Chunk)> = read.into_iter().collect();
    chunks.sort_by_key(|(id, chunk)| (chunk.document, chunk.start, *id));
    let addressed: Vec<(&Chunk, &Document)> = chunks
        .iter()
        .filter_map(|(_, chunk)| Some((chunk, documents.get(chunk.document as usize)?)))
        .collect();
    let passages: Vec<Passage> = addressed
        .iter()
        .map(|(chunk, document)| Passage {
            headings: std::iter::once(&document.title)
                .chain(&chunk.heading_path)
                .map(String::as_str)
                .collect(),
            text: &chunk.text,
        })
        .collect();
    let pairs = find_contradictions(&passages);
    let shown = |s: &Statement| {
        let (chunk, document) = addressed[s.passage];
        let sentence = chunk.text.get(s.span.clone()).unwrap_or("").trim();
        format!("{}: {}", line(&chunk.address_on(&document.url)), line(sentence))
    };
    for (one, other) in &pairs {
        println!("{}\n{}\n", shown(one), shown(other));
    }
    println!("{} pairs of passages state different values", pairs.len());
    Ok(())
}

/// Looks for the bundle's addresses in the published site.
fn check_addresses(args: &Args, site: &Path, engine: &Engine) -> Result<()> {
    if !site.is_dir() {
        return Err(miette!("{} is not a folder", site.display()));
    }
    let manifest = engine.corpus().bundle().manifest();
    let built = manifest.options.iter().find(|(name, _)| name == "base-url").map(|(_, value)| value.clone());
    let base = args.base_url.clone().or(built).unwrap_or_default();
    let base = if base.is_empty() || base.ends_with('/') { base } else { base + "/" };
    let table = run_future(export::collect_table(engine.corpus(), What::Chunks))?.into_diagnostic()?;
    let column = table.node_columns.iter().position(|(name, _)| *name == "Url").unwrap_or(usize::MAX);
    let addresses = table.nodes.iter().map(|(_, fields)| match fields.get(column) {
        Some(Field::Text(address)) => address.as_str(),
        // The site's first page, where addresses are relative.
        _ => "",
    });
    let verdict = check_site(site, &base, addresses);
    for (what, faults) in [("no such page", &verdict.no_page), ("no such id", &verdict.no_id)] {
        for fault in faults.iter().take(SHOWN) {
            eprintln!("{what}: {fault}");
        }
        if faults.len() > SHOWN {
            eprintln!("{what}: {} more", faults.len() - SHOWN);
        }
    }
    println!(
        "{} addresses, {} of them with a fragment: {} pages are not there, {} fragments are not \
         there, {} lead elsewhere",
        verdict.addresses,
        verdict.fragments,
        verdict.no_page.len(),
        verdict.no_id.len(),
        verdict.elsewhere
    );
    if verdict.no_page.is_empty() && verdict.no_id.is_empty() {
        Ok(())
    } else {
        Err(miette!(
            help = "see --generator and --url-style of `pocketgraph build`",
            "some addresses do not exist in the site"
        ))
    }
}
