//! `pocketgraph draw`.

use super::open::{run_future, with_model};
use clap::builder::PossibleValuesParser;
use miette::{IntoDiagnostic, Result, WrapErr};
use pocketgraph::bundle::format_place;
use pocketgraph::engine::SearchOptions;
use pocketgraph::retrieve::{NAMES, NodeKind};
use pocketgraph_export::draw::{place_nodes, write_svg};
use std::path::PathBuf;

const MORE: &str = "\
The question is in the middle. Around it are the keywords near it (green), the keywords that share most \
passages with these (orange) and
the passages (pink). A thicker line between keywords means more shared passages. Point at a passage to read how
it begins. The same bundle and question give the same file.

Examples:
  pocketgraph draw site/bundle \"how are loops bounded?\" -o loops.svg
  pocketgraph draw site/bundle \"how are loops bounded?\" -o map.svg --no-passages     the keywords alone
  pocketgraph draw site/bundle \"how are loops bounded?\" -o few.svg --retriever auto -k 5";

/// Arguments of `pocketgraph draw`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Args {
    /// Folder of the bundle
    bundle: PathBuf,
    /// Question to draw
    question: String,
    /// SVG file to write
    #[arg(short, long)]
    out: PathBuf,
    /// Maximum number of passages [default: the retriever's own]
    #[arg(short)]
    k: Option<u32>,
    /// Retriever; autokg finds the passages of keywords and adjacent keywords, as in the paper
    #[arg(long, default_value = "autokg", value_parser = PossibleValuesParser::new(NAMES))]
    retriever: String,
    /// Leave the passages out: figure 2 of the paper instead of figure 3
    #[arg(long)]
    no_passages: bool,
}

/// Number of characters of a passage that its tooltip shows.
const STATED: usize = 400;

pub fn run_draw(args: &Args) -> Result<()> {
    let engine = with_model(&args.bundle)?;
    let options =
        SearchOptions { k: args.k, retriever: Some(args.retriever.clone()), ..SearchOptions::default() };
    let mut result = run_future(engine.search(&args.question, &options))?.into_diagnostic()?;
    if args.no_passages {
        result.hits.clear();
    }
    let graph = run_future(engine.subgraph(&result))?.into_diagnostic()?;
    let hover = |node: usize| {
        let node = graph.nodes.get(node).filter(|n| n.kind == NodeKind::Chunk)?;
        let hit = result.hits.iter().find(|h| Some(h.chunk) == node.chunk)?;
        let heads = format_place(&hit.title, &hit.heading_path);
        let text: String = hit.text.chars().take(STATED).collect();
        Some(format!("{heads}: {text}"))
    };
    let text = write_svg(&graph, &place_nodes(&graph), &hover);
    std::fs::write(&args.out, text)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", args.out.display()))?;
    let count = |kind: NodeKind| graph.nodes.iter().filter(|n| n.kind == kind).count();
    println!(
        "{}: {} keywords, {} adjacent keywords, {} passages, {} lines",
        args.out.display(),
        count(NodeKind::Keyword),
        count(NodeKind::AdjacentKeyword),
        count(NodeKind::Chunk),
        graph.edges.len()
    );
    for missing in &result.missing {
        eprintln!("warning: {missing}");
    }
    Ok(())
}
