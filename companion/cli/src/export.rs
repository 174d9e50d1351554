//! `pocketgraph export`.

use super::open::{open_engine, run_future};
use clap::ValueEnum;
use miette::{IntoDiagnostic, Result, WrapErr};
use pocketgraph_export::{self as export, What};
use std::path::{Path, PathBuf};

const MORE: &str = "\
What can be exported:
  keywords      the keyword graph: keywords, and the number of passages that two of them share
  kg            the knowledge graph: entities and values, triples with their sources
  chunks        the documents and their passages, with text and address
  associations  the passages of each keyword, ranked by graph learning and by angle

Gephi, yEd, Cytoscape and networkx.read_graphml read GraphML. CSV gives two files: FILE with the edges and
FILE.nodes.csv with the nodes, with the headers that Gephi expects. Read JSON, networkx's node-link data, with
networkx.node_link_graph(json.load(open(\"kg.json\")), edges=\"edges\").

Examples:
  pocketgraph export site/bundle -o keywords.graphml
  pocketgraph export site/bundle -o kg.json --what kg
  pocketgraph export site/bundle -o passages.csv --what chunks";

/// Arguments of `pocketgraph export`.
#[derive(Debug, clap::Args)]
#[command(after_help = MORE)]
pub struct Args {
    /// Folder of the bundle
    bundle: PathBuf,
    /// File to write
    #[arg(short, long)]
    out: PathBuf,
    /// Part of the bundle to export
    #[arg(long, value_enum, default_value_t = Chosen::Keywords)]
    what: Chosen,
    /// Format of the file [default: by its name]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Chosen {
    Keywords,
    Kg,
    Chunks,
    Associations,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Graphml,
    Csv,
    Json,
}

fn format_of(path: &Path) -> Option<Format> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "graphml" | "xml" => Format::Graphml,
        "csv" => Format::Csv,
        "json" => Format::Json,
        _ => return None,
    })
}

pub fn run_export(args: &Args) -> Result<()> {
    let format = args.format.or_else(|| format_of(&args.out)).ok_or_else(|| {
        miette::miette!(
            help = "name one with --format graphml, csv or json",
            "the name {} does not tell the format",
            args.out.display()
        )
    })?;
    let engine = open_engine(&args.bundle)?;
    let what = match args.what {
        Chosen::Keywords => What::Keywords,
        Chosen::Kg => What::Kg,
        Chosen::Chunks => What::Chunks,
        Chosen::Associations => What::Associations,
    };
    let table = run_future(export::collect_table(engine.corpus(), what))?.into_diagnostic()?;
    let files = match format {
        Format::Graphml => export::write_graphml(&table),
        Format::Csv => export::write_csv(&table).into_diagnostic()?,
        Format::Json => export::write_json(&table),
    };
    for (added, bytes) in files {
        let mut name = args.out.file_stem().unwrap_or_default().to_owned();
        name.push(added);
        if let Some(extension) = args.out.extension() {
            name.push(".");
            name.push(extension);
        }
        let path = args.out.with_file_name(name);
        std::fs::write(&path, &bytes)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", path.display()))?;
        println!("{}: {} bytes", path.display(), bytes.len());
    }
    println!("{} nodes, {} edges", table.nodes.len(), table.edges.len());
    Ok(())
}
